//! What a device and its gateway report about operating it: local or remote, test mode, blocked by the device, synchronism, and the control model.
//!
//! A point that exists must say with a good value that operating is possible: what is not known blocks. The gateway alone decides about a device without such a point.

use grid::control::check::Synchronism;
use grid::control::{Model, Throw};
use grid::{PointId, Quality, Reading, freshness};
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
    pub(crate) is_local: bool,
    /// Whether the device or the station is in test mode.
    pub(crate) is_test: bool,
    /// What the synchronism check of the switch permits.
    pub(crate) synchronism: Synchronism,
    /// Why the device cannot be moved in the requested direction.
    pub(crate) unfit: Option<String>,
    /// The control model of the gateway.
    pub(crate) model: Option<Model>,
}

impl DeviceReport {
    /// Reads the points about a switch and its station, for a move to `target`.
    pub(crate) fn read(
        field: &Field,
        site: &Site,
        target: Option<Throw>,
        link_up: bool,
        seen: impl Fn(PointId) -> Option<Reading>,
    ) -> Self {
        let switch = site.metric.rsplit_once('/').map_or(site.metric.as_str(), |(switch, _)| switch);
        let mut found = Self { is_local: false, is_test: false, synchronism: Synchronism::NotMeasured, unfit: None, model: None };
        for point in field.points_at(site.location).filter(|point| point.gateway == site.gateway) {
            let of_switch = (point.device == site.device).then(|| point.metric.strip_prefix(switch)).flatten();
            let of_station = point.metric.strip_prefix("STN");
            let reading = || seen(point.id);
            // The value as a number, if it is certain.
            let certain = || {
                reading().filter(|reading| {
                    freshness::shown_quality(reading.quality, reading.source, site.now, point.age_limit_ms(), link_up) == Quality::Good
                })
            };
            let value = || certain().and_then(|reading| reading.value).map(|value| value as i64);
            match (of_station, of_switch) {
                (Some("/Loc"), _) | (_, Some("/Loc")) => found.is_local |= value() != Some(OFF),
                (Some("/Test"), _) | (_, Some("/Test")) => found.is_test |= value() != Some(OFF),
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
                    found.model = reading().and_then(|reading| reading.value).and_then(|value| Model::from_code(value as i64));
                }
                _ => {}
            }
        }
        found
    }
}

fn blocked(direction: &str, value: Option<i64>) -> Option<String> {
    match value {
        Some(OFF) => None,
        Some(_) => Some(format!("it blocks {direction} itself, see its alarms")),
        None => Some(format!("whether it blocks {direction} itself is not known, look at it on site")),
    }
}
