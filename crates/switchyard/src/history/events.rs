//! Generates the demo's past faults, each with the operation of its feeder's protection, as late events and values.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use grid::point::PointKind;
use grid::{ClientId, Micros, Ordinal, PointId, Quality, Reading};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use simulators::physics::protection::SEQUENCE_MS;
use simulators::physics::substation::{Change, SUPPLY_LINE_FAULTS};
use simulators::physics::utility::UtilityPhysics;
use simulators::physics::utility_network::UtilityNetwork;
use simulators::utility::Substation;
use store::writer::{Batch, NewEvent, Sample};

/// Average time between two faults of a feeder, days.
const FAULT_DAYS: f64 = 12.0;
const DAY_MS: i64 = 86_400_000;
/// Range of sequence numbers for the changes of one day, in the gateway's order.
const NUMBERS: i64 = 100_000;

/// Returns the changes of a substation between two times of one day, in order of time. The same day always gives the same changes.
///
/// `station` is the index of the substation in its utility.
pub(super) fn of_day(
    network: &Arc<UtilityNetwork>,
    (station, substation): (usize, &Substation),
    seed: u64,
    (from, to): (Micros, Micros),
) -> Vec<Change> {
    let mut rng = StdRng::seed_from_u64(seed ^ from.millis().unsigned_abs().rotate_left(17));
    let mut changes = Vec::new();
    for (feeder, plan) in substation.plan.feeders.iter().enumerate() {
        let rate = if plan.is_supply_line() { SUPPLY_LINE_FAULTS } else { 1.0 };
        let (strikes, at) = (rng.random_range(0.0..FAULT_DAYS) < rate, from.plus_millis(rng.random_range(0..DAY_MS - SEQUENCE_MS)));
        if !strikes || at.plus_millis(SEQUENCE_MS) >= to {
            continue;
        }
        let seed = rng.random_range(0..u64::MAX);
        let mut physics = UtilityPhysics::new(network.clone(), |index| seed ^ index as u64, at);
        physics.fault(station, feeder);
        changes.append(&mut physics.step(at.plus_millis(SEQUENCE_MS))[station]);
    }
    changes.sort_by(|a, b| (a.at, &a.metric).cmp(&(b.at, &b.metric)));
    changes
}

/// The points of a substation by their metric names, with their kinds.
pub(super) type Points = HashMap<String, (PointId, PointKind)>;

/// Returns the rows for the changes of a day, received at `received`: an event for each change of a status point, and a sample for each change.
pub(super) fn batch(
    client: ClientId,
    points: &Points,
    changes: &[Change],
    day: Micros,
    received: Micros,
    operations: &mut BTreeMap<String, f64>,
) -> Batch {
    let mut batch = Batch::default();
    for (number, change) in changes.iter().enumerate() {
        let Some((point, kind)) = points.get(&change.metric).copied() else { continue };
        // Counters of operations end at the values with which the simulated field starts.
        let value = match operations.get_mut(&change.metric) {
            Some(count) => {
                *count += 1.0;
                *count
            }
            None => change.value,
        };
        let ordinal = Ordinal { epoch: 1, seq: day.millis() / DAY_MS * NUMBERS + number as i64 + 1 };
        let reading = Reading { value: Some(value), quality: Quality::Good, source: change.at, received, ordinal };
        batch.samples.push(Sample { point, client, reading, historical: true, repeated: false });
        if matches!(kind, PointKind::Status(_)) {
            batch.events.push(NewEvent { point, client, index: 0, reading });
        }
    }
    batch
}
