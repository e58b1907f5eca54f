//! What a device and its gateway report about operating it: local or remote, test mode, blocked by the device, synchronism, and the control model.
//!
//! A point that exists must say with a good value that operating is possible: what is not known blocks. The gateway alone decides about a device without such a point.

use grid::control::check::{Flag, Synchronism};
use grid::control::{Model, Throw};
use grid::{Point, PointId, Quality, Reading, freshness};
use registry::Field;
use store::control::Site;

/// The value of a local/remote switch in position remote, and of a flag that is off.
const OFF: i64 = 0;
/// The value of a synchronism check that permits closing.
const IN_STEP: i64 = 1;

/// What is reported about operating a switch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DeviceReport {
    /// Whether a local/remote switch of the device or the station is on local.
    pub(crate) local: Flag,
    /// Whether the device or the station is in test mode.
    pub(crate) test_mode: Flag,
    /// What the synchronism check of the switch permits.
    pub(crate) synchronism: Synchronism,
    /// Why the device cannot be moved in the requested direction.
    pub(crate) unfit: Option<String>,
    /// The control model of the gateway.
    pub(crate) model: Option<Model>,
}

impl DeviceReport {
    /// Reads the points about a switch and its station, for a move to `target`. `is_linked`: whether the link to a point works, and brought this reading.
    pub(crate) fn read(
        field: &Field,
        site: &Site,
        target: Option<Throw>,
        is_linked: impl Fn(&Point, &Reading) -> bool,
        seen: impl Fn(PointId) -> Option<Reading>,
    ) -> Self {
        let switch = site.metric.rsplit_once('/').map_or(site.metric.as_str(), |(switch, _)| switch);
        let mut found = Self { local: Flag::Off, test_mode: Flag::Off, synchronism: Synchronism::NotMeasured, unfit: None, model: None };
        for point in field.points_at(site.location).filter(|point| point.gateway == site.gateway) {
            let of_switch = (point.device == site.device).then(|| point.metric.strip_prefix(switch)).flatten();
            let of_station = point.metric.strip_prefix("STN");
            let reading = || seen(point.id);
            // The value, if it is certain.
            let certain = || {
                reading().filter(|reading| {
                    let is_linked = is_linked(point, reading);
                    freshness::shown_quality(reading.quality, reading.source, site.now, point.age_limit_ms(), is_linked) == Quality::Good
                })
            };
            let value = || certain().and_then(|reading| whole(reading.value?));
            match (of_station, of_switch) {
                (Some("/Loc"), _) | (_, Some("/Loc")) => found.local = found.local.max(flag(value())),
                (Some("/Test"), _) | (_, Some("/Test")) => found.test_mode = found.test_mode.max(flag(value())),
                (_, Some("/Syn")) => {
                    found.synchronism = match value() {
                        Some(IN_STEP) => Synchronism::InStep,
                        Some(_) => Synchronism::OutOfStep,
                        None => Synchronism::Unknown,
                    }
                }
                // IEC 61850-7-4, XCBR: the device itself prevents the move, for example because of low gas or an uncharged spring.
                (_, Some("/BlkOpn")) if target == Some(Throw::Open) => found.unfit = blocked("opening", value()),
                (_, Some("/BlkCls")) if target == Some(Throw::Closed) => found.unfit = blocked("closing", value()),
                (_, Some("/Ctl/Model")) => {
                    found.model = reading().and_then(|reading| whole(reading.value?)).and_then(Model::from_code);
                }
                _ => {}
            }
        }
        found
    }
}

/// Returns a value as a number of a list; `None` for what is between two numbers, and for what is no number.
fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0).then_some(value as i64)
}

fn flag(value: Option<i64>) -> Flag {
    match value {
        Some(OFF) => Flag::Off,
        Some(_) => Flag::On,
        None => Flag::Unknown,
    }
}

fn blocked(direction: &str, value: Option<i64>) -> Option<String> {
    match flag(value) {
        Flag::Off => None,
        Flag::On => Some(format!("it blocks {direction} itself, see its alarms")),
        Flag::Unknown => Some(format!("it is not known whether it blocks {direction} itself. Wait for its report, or operate it on site")),
    }
}

#[cfg(test)]
mod tests {
    use grid::control::State;

    use super::*;
    use crate::example::{NOW, field_with, site};

    /// A reading of a point: its value, quality and age, ms.
    type Seen = (f64, Quality, i64);

    const GOOD: Quality = Quality::Good;
    /// Older than the limit of a point that reports every 10 s.
    const OLD_MS: i64 = 30_001;

    /// Returns what is reported about closing the breaker F3CB by one point that reports every 10 s.
    fn report(metric: &str, seen: Option<Seen>, link_up: bool) -> DeviceReport {
        let field = field_with(&[(metric, Some(10_000))]);
        let reading = seen.map(|(value, quality, age_ms)| {
            let source = NOW.plus_millis(-age_ms);
            Reading { value: Some(value), quality, source, received: source, ordinal: grid::Ordinal::default() }
        });
        DeviceReport::read(&field, &site(State::Done, 0), Some(Throw::Closed), |_, _| link_up, |_| reading)
    }

    /// Readings without a certain value, and whether the link is up.
    fn uncertain(permitting: f64) -> [(Option<Seen>, bool); 8] {
        [
            (None, true),
            (Some((permitting, GOOD, OLD_MS)), true),
            (Some((permitting, GOOD, -240_000)), true),
            (Some((permitting, Quality::Invalid, 0)), true),
            (Some((permitting, Quality::Substituted, 0)), true),
            (Some((permitting + 0.5, GOOD, 0)), true),
            (Some((f64::NAN, GOOD, 0)), true),
            (Some((permitting, GOOD, 0)), false),
        ]
    }

    #[test]
    fn flag_without_a_certain_value_is_unknown() {
        let flags: [fn(&DeviceReport) -> Flag; 2] = [|report| report.local, |report| report.test_mode];
        for (metrics, of) in [["STN/Loc", "F3CB/Loc"], ["STN/Test", "F3CB/Test"]].into_iter().zip(flags) {
            for metric in metrics {
                assert_eq!(of(&report(metric, Some((0.0, GOOD, 0)), true)), Flag::Off, "{metric}");
                assert_eq!(of(&report(metric, Some((1.0, GOOD, 0)), true)), Flag::On, "{metric}");
                for (seen, link_up) in uncertain(0.0) {
                    assert_eq!(of(&report(metric, seen, link_up)), Flag::Unknown, "{metric} {seen:?} {link_up}");
                }
            }
        }
        let other = report("F9CB/Test", Some((1.0, GOOD, 0)), true);
        assert_eq!(other.test_mode, Flag::Off, "of another switch");
    }

    #[test]
    fn synchronism_without_a_certain_value_is_unknown() {
        let of = |seen, link_up| report("F3CB/Syn", seen, link_up).synchronism;
        assert_eq!(of(Some((1.0, GOOD, 0)), true), Synchronism::InStep);
        assert_eq!(of(Some((0.0, GOOD, 0)), true), Synchronism::OutOfStep);
        for (seen, link_up) in uncertain(1.0) {
            assert_eq!(of(seen, link_up), Synchronism::Unknown, "{seen:?} {link_up}");
        }
        assert_eq!(report("F3CB/Pos", None, true).synchronism, Synchronism::NotMeasured);
    }

    #[test]
    fn health_without_a_certain_value_blocks_and_says_so() {
        let of = |seen, link_up| report("F3CB/BlkCls", seen, link_up).unfit;
        assert_eq!(of(Some((0.0, GOOD, 0)), true), None);
        assert!(of(Some((1.0, GOOD, 0)), true).is_some_and(|unfit| unfit.contains("see its alarms")));
        for (seen, link_up) in uncertain(0.0) {
            let unfit = of(seen, link_up).unwrap_or_default();
            assert!(unfit.contains("not known") && unfit.contains("on site"), "{seen:?} {link_up}: {unfit}");
        }
        assert_eq!(report("F3CB/BlkOpn", Some((1.0, GOOD, 0)), true).unfit, None, "it only blocks opening");
    }

    #[test]
    fn one_flag_that_is_on_counts_more_than_one_that_is_not_known() {
        let field = field_with(&[("STN/Test", None), ("F3CB/Test", None)]);
        let seen = |point: PointId| {
            let is_known = field.point(point).is_some_and(|point| point.metric == "STN/Test");
            is_known.then_some(Reading { value: Some(1.0), quality: GOOD, source: NOW, received: NOW, ordinal: grid::Ordinal::default() })
        };
        let found = DeviceReport::read(&field, &site(State::Done, 0), Some(Throw::Open), |_, _| true, seen);
        assert_eq!((found.test_mode, found.local), (Flag::On, Flag::Off));
    }
}
