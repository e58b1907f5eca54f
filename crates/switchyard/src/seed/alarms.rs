//! Seeds the usual alarm rules for the points of the demo, with the rated values of its plans.

use std::collections::HashMap;

use grid::alarm::Rule;
use grid::alarm::usual::{Rated, rules};
use grid::{AssetId, ClientId, NodeId};
use simulators::utility::{Client, Substation};
use store::Store;

/// Rated current of a feeder in relation to its highest load.
const RESERVE: f64 = 1.3;
/// The one feeder whose load is too high for its cable: substation, label of the feeder, and the value used instead of [`RESERVE`]. In the evening
/// its peak is some percent above the limit; for the rest of the day it is well below.
const OUTGROWN: (&str, &str, f64) = ("QUAYSIDE", "Ropewalk", 0.95);
/// Power factor at the highest load.
const POWER_FACTOR: f64 = 0.9;

/// Adds the rules. Points that have rules already keep them.
pub(crate) async fn write(store: &Store, client: ClientId, from: &Client) -> anyhow::Result<()> {
    let registry = store.registry(Some(client)).await?;
    let substations: HashMap<&str, &Substation> =
        from.substations.iter().map(|substation| (substation.code.as_str(), substation)).collect();
    let plans: HashMap<NodeId, &Substation> =
        registry.nodes.iter().filter_map(|node| Some((node.id, *substations.get(node.code.as_str())?))).collect();
    let rated: HashMap<AssetId, Rated> = registry
        .assets
        .iter()
        .map(|asset| {
            let plan = plans.get(&asset.location);
            let current_a = plan.and_then(|substation| current(substation, &asset.code));
            // A spare feeder is dead, and it must raise no alarm for its missing voltage.
            let kv = asset.kv.filter(|_| !plan.is_some_and(|substation| is_spare(substation, &asset.code)));
            (asset.id, Rated { kv, current_a, battery_v: None })
        })
        .collect();
    let rules: Vec<Rule> =
        registry.points.iter().flat_map(|point| rules(point, rated.get(&point.asset).copied().unwrap_or_default())).collect();
    store.add_alarm_rules(client, &rules).await?;
    Ok(())
}

/// Returns whether a feeder is a spare, not in service.
fn is_spare(substation: &Substation, code: &str) -> bool {
    let index = code.strip_prefix('F').and_then(|number| number.parse::<usize>().ok()).and_then(|number| number.checked_sub(1));
    index.and_then(|at| substation.plan.feeders.get(at)).is_some_and(|feeder| !feeder.in_service)
}

/// Returns the rated current of an asset, A, by its code in the plan.
fn current(substation: &Substation, code: &str) -> Option<f64> {
    let plan = &substation.plan;
    let amperes = |mva: f64, kv: f64| mva / (3.0_f64.sqrt() * kv) * 1_000.0;
    let index = |prefix: &str| code.strip_prefix(prefix)?.parse::<usize>().ok()?.checked_sub(1);
    if let Some(feeder) = index("F").and_then(|at| plan.feeders.get(at)) {
        let (station, label, left) = OUTGROWN;
        let reserve = if (station, label) == (substation.code.as_str(), feeder.label) { left } else { RESERVE };
        return (feeder.peak_mw > 0.0).then(|| amperes(feeder.peak_mw * reserve / POWER_FACTOR, plan.kv_low));
    }
    let units: f64 = plan.units.iter().map(|unit| unit.mva).sum();
    match (index("TX").and_then(|at| plan.units.get(at)), index("INC")) {
        // The current of a transformer is measured on its low side.
        (Some(unit), _) => Some(amperes(unit.mva, plan.kv_low)),
        (None, Some(_)) => Some(amperes(units, plan.kv_high)),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use grid::alarm::{AlarmKind, Judge};
    use grid::{GatewayId, Micros, Point, PointId};
    use simulators::physics::standalone::Standalone;

    use super::*;

    const MINUTE_MS: i64 = 60_000;
    const DAY_MS: i64 = 1_440 * MINUTE_MS;
    /// 2026-11-15 00:00 in India, a Sunday.
    const SUNDAY: Micros = Micros(1_794_681_000_000_000);

    /// Returns the highest current of the three phases as a share of the limit, for each minute of a day, by feeder.
    fn shares(substation: &Substation, seed: u64, day: i64) -> Vec<Vec<f64>> {
        let from = SUNDAY.plus_millis(day * DAY_MS);
        let mut station = Standalone::new(substation, seed, from, false);
        let limits: Vec<Option<f64>> =
            (1..=substation.plan.feeders.len()).map(|number| current(substation, &format!("F{number}"))).collect();
        let mut shares = vec![Vec::new(); limits.len()];
        for minute in 1..=1_440 {
            station.step(from.plus_millis(minute * MINUTE_MS));
            for (index, limit) in limits.iter().enumerate() {
                let phase = |phase| station.values().get(&format!("F{}/{phase}", index + 1)).copied().unwrap_or(0.0);
                let highest = ["Ir", "Iy", "Ib"].into_iter().map(phase).fold(0.0, f64::max);
                shares[index].extend(limit.map(|limit| highest / limit));
            }
        }
        shares
    }

    /// Returns how often the usual rule raises an alarm, with its deadband and values per minute.
    fn raised(shares: &[f64]) -> usize {
        let mut is_beyond = false;
        let rises = shares.iter().filter(|share| {
            let before = is_beyond;
            is_beyond = **share > if before { 0.97 } else { 1.0 };
            is_beyond && !before
        });
        rises.count()
    }

    #[test]
    fn one_feeder_is_beyond_its_limit_on_every_evening_and_no_other_ever() {
        let utility = simulators::utility::demo(33).clients.swap_remove(0);
        let (station, label, _) = OUTGROWN;
        let substation = utility.substations.iter().find(|substation| substation.code == station).expect("the substation");
        let outgrown = substation.plan.feeders.iter().position(|feeder| feeder.label == label).expect("the feeder");
        // A Sunday and a Monday. Each day of the demo's history has its own seed.
        for (day, seed) in (0..2).flat_map(|day| (0..8).map(move |seed| (day, 33_001 + seed * 7_919))) {
            for (index, shares) in shares(substation, seed, day).iter().enumerate() {
                let beyond = |from: usize, to: usize| shares.iter().take(to * 60).skip(from * 60).filter(|share| **share > 1.0).count();
                if index != outgrown {
                    assert_eq!(beyond(0, 24), 0, "{} on day {day}", substation.plan.feeders[index].label);
                    continue;
                }
                let (evening, rest) = (beyond(17, 23), beyond(0, 17) + beyond(23, 24));
                assert!((20..300).contains(&evening) && rest == 0, "{evening} minutes of the evening and {rest} others of day {day}");
                assert!(raised(shares) <= 8, "{} times on day {day}", raised(shares));
                assert!(shares.iter().all(|share| *share < 1.2), "the limit that calls at once is for what is out of the ordinary");
            }
        }
    }

    /// Returns the points of a substation as the registry has them, each with its usual rules.
    fn watched(substation: &Substation) -> Vec<(String, Judge, AlarmKind)> {
        let kv_of = |code: &str| {
            let asset = substation.assets.iter().find(|asset| asset.code == code);
            asset.and_then(|asset| asset.kv).filter(|_| !is_spare(substation, code))
        };
        let mut watched = Vec::new();
        for spec in &substation.points {
            let point = Point {
                id: PointId(1),
                client: ClientId(1),
                gateway: GatewayId(1),
                device: spec.device.clone(),
                metric: spec.metric(),
                code: spec.code.clone(),
                asset: AssetId(1),
                asset_name: String::new(),
                asset_type: 1,
                location: NodeId(1),
                kind: spec.kind,
                quantity: spec.quantity,
                unit: String::new(),
                decimals: spec.decimals,
                scale: 1.0,
                expected_ms: spec.expected_ms,
            };
            let rated = Rated { kv: kv_of(&spec.asset), current_a: current(substation, &spec.asset), battery_v: None };
            for rule in rules(&point, rated) {
                let judge = Judge::new(rule.condition().expect("a condition"), rule.on_delay_s, rule.off_delay_s, false);
                watched.push((spec.metric(), judge, rule.kind));
            }
        }
        watched
    }

    /// Whether a position of a switch is open.
    fn is_open(position: f64) -> bool {
        (position - 1.0).abs() < f64::EPSILON
    }

    /// ISA-18.2: an operator can handle about 6 alarms an hour, and 12 at most.
    #[test]
    fn desk_sees_6_to_12_alarms_an_hour() {
        const HOURS: i64 = 24;
        let utility = simulators::utility::demo(33).clients.swap_remove(0);
        let pace: f64 = toml_default("trips_per_hour");
        let fault_hours = simulators::fault_hours(&utility, pace).expect("faults");
        let (mut trips, mut others) = (0, Vec::new());
        for (index, substation) in utility.substations.iter().enumerate() {
            let mut station = Standalone::new(substation, 33_000 + index as u64, SUNDAY, true).with_fault_hours(fault_hours);
            let mut watched = watched(substation);
            let mut opened: HashMap<String, Micros> = HashMap::new();
            for minute in 1..=HOURS * 60 {
                let at = SUNDAY.plus_millis(minute * MINUTE_MS);
                for change in station.step(at) {
                    if change.metric.ends_with("CB/Pos") && is_open(change.value) {
                        // A breaker that trips again after its reclosing is the same alarm.
                        let before = opened.insert(change.metric.clone(), change.at);
                        trips += usize::from(before.is_none_or(|before| change.at.millis_since(before) > 5 * MINUTE_MS));
                    }
                }
                for (metric, judge, kind) in &mut watched {
                    let Some(value) = station.values().get(metric).copied() else { continue };
                    let ordinal = grid::Ordinal { epoch: 1, seq: minute };
                    let reading = grid::Reading { value: Some(value), quality: grid::Quality::Good, source: at, received: at, ordinal };
                    let is_raised = judge.value(&reading).into_iter().flatten().any(|verdict| verdict.active);
                    let asset = metric.split('/').next().unwrap_or_default();
                    let is_open = station.values().get(&format!("{asset}CB/Pos")).is_some_and(|value| is_open(*value));
                    // Low values of an open feeder and the relay of a trip are consequences.
                    if is_raised && !is_open && *kind != AlarmKind::State {
                        others.push(format!("{} {metric} {kind:?}", substation.code));
                    }
                }
            }
        }
        let an_hour = (trips + others.len()) as f64 / HOURS as f64;
        assert!((6.0..=12.0).contains(&an_hour), "{an_hour} an hour: {trips} trips and {others:?}");
    }

    /// Returns a number of the section `simulate` of the default settings.
    fn toml_default(key: &str) -> f64 {
        let line = crate::settings::DEFAULTS.lines().find(|line| line.starts_with(&format!("{key} = "))).expect("a setting");
        line.split(" = ").nth(1).and_then(|value| value.parse().ok()).expect("a number")
    }
}
