//! Properties of a network that follows points, under any sequence of readings with qualities and ages.

use std::collections::HashMap;
use std::sync::Arc;

use grid::position::Encoding;
use grid::{Micros, Ordinal, PointId, Quality, Reading};
use network::live::{Bindings, LiveNetwork, Presence, Sight, Voltage};
use network::{Contact, EquipmentKind, NetworkState, Phase, Phases, State};
use proptest::prelude::*;

use crate::reference::Network;
use crate::sequences::network;

const BEGIN: Micros = Micros(1_000_000_000_000);
const OPEN: f64 = 1.0;
const CLOSED: f64 = 2.0;

/// What a point reports: its number modulo the number of points, the raw position, whether a voltage is dead, the quality, its age, and the time since the
/// last report, ms.
type Report = (usize, u8, bool, Quality, i64, i64);

fn quality() -> impl Strategy<Value = Quality> {
    use Quality::{CommLost, Good, Invalid, Questionable, Stale, Substituted};
    prop_oneof![4 => Just(Good), 1 => Just(Substituted), 1 => Just(Questionable), 1 => Just(Stale), 1 => Just(Invalid), 1 => Just(CommLost)]
}

fn reports() -> impl Strategy<Value = (Network, Vec<Report>)> {
    let report = (any::<usize>(), 0_u8..4, any::<bool>(), quality(), -5_000_i64..60_000, 0_i64..20_000);
    (network(), proptest::collection::vec(report, 1..40))
}

/// Points of a network: the positions of its switches and earth switches, and two voltages of each source.
struct Points {
    bindings: Arc<Bindings>,
    /// Each point, and whether it is a position.
    all: Vec<(PointId, bool)>,
}

impl Points {
    fn of(network: &Network) -> Self {
        let model = network.model();
        let (mut bindings, mut all) = (Bindings::default(), Vec::new());
        for (number, part) in network.parts.iter().enumerate() {
            let equipment = model.equipment(&number.to_string()).expect("equipment");
            let point = |index: i64| PointId(10 * number as i64 + index);
            if part.kind == EquipmentKind::EnergySource {
                let voltage = |(index, code): (i64, &str)| Voltage { point: point(index), code: code.to_owned(), nominal_kv: 33.0 };
                bindings.sources.push((equipment, Presence::Measured([(1, "Vry"), (2, "Vyb")].map(voltage).into())));
                all.extend([(point(1), false), (point(2), false)]);
            } else if part.kind.is_switch() || part.kind == EquipmentKind::GroundDisconnector {
                bindings.positions.push((point(0), equipment, Phases::ABC));
                all.push((point(0), true));
            }
        }
        Self { bindings: Arc::new(bindings), all }
    }

    /// Returns the point of a report and what it shows.
    fn sight(&self, (number, raw, is_dead, quality, age_ms, _): Report, now: Micros) -> Option<(PointId, Sight)> {
        let (point, is_position) = *self.all.get(number.checked_rem(self.all.len())?)?;
        let value = if is_position { f64::from(raw) } else { [33.0, 0.5][usize::from(is_dead)] };
        let source = now.plus_millis(-age_ms);
        let reading = Reading { value: Some(value), quality, source, received: now, ordinal: Ordinal::default() };
        // Some positions are reported by exception.
        let age_limit_ms = (!is_position || point.0 % 20 == 0).then_some(30_000);
        let encoding = is_position.then_some(Encoding::DoublePoint);
        Some((point, Sight { encoding, age_limit_ms, reading: Some(reading) }))
    }

    /// Builds a network that sees these sights for the first time.
    fn fresh(&self, network: &Network, sights: &HashMap<PointId, Sight>, now: Micros) -> LiveNetwork {
        let mut live = LiveNetwork::new(Arc::new(network.model()), Arc::clone(&self.bindings));
        for (point, sight) in sights {
            live.see(*point, now, Some(*sight));
        }
        live.settle();
        live
    }

    /// Returns the last sights of a sequence, and its end.
    fn after(&self, reports: &[Report]) -> (HashMap<PointId, Sight>, Micros) {
        let (mut sights, mut now) = (HashMap::new(), BEGIN);
        for report in reports {
            now = now.plus_millis(report.5);
            sights.extend(self.sight(*report, now));
        }
        (sights, now)
    }
}

fn states(state: &NetworkState) -> Vec<Option<State>> {
    state.model().nodes().flat_map(|node| Phase::ALL.map(|phase| state.phase_state(node, phase))).collect()
}

fn is_supplied(state: Option<State>) -> bool {
    matches!(state, Some(State::Energised | State::Conflict))
}

/// Returns the sights with another position of some switches.
fn with(network: &Network, sights: &HashMap<PointId, Sight>, value: f64, quality: Quality, now: Micros) -> HashMap<PointId, Sight> {
    let reading = Reading { value: Some(value), quality, source: now, received: now, ordinal: Ordinal::default() };
    let is_other = |point: &PointId| network.parts[(point.0 / 10) as usize].kind.is_switch() && point.0 % 3 == 0;
    let other =
        |(point, sight): (&PointId, &Sight)| (*point, if is_other(point) { Sight { reading: Some(reading), ..*sight } } else { *sight });
    sights.iter().map(other).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn states_after_readings_equal_a_new_network((network, reports) in reports()) {
        let points = Points::of(&network);
        let mut live = LiveNetwork::new(Arc::new(network.model()), Arc::clone(&points.bindings));
        let (mut sights, mut now) = (HashMap::new(), BEGIN);
        for report in reports {
            now = now.plus_millis(report.5);
            for due in live.due(now) {
                live.see(due, now, sights.get(&due).copied());
            }
            if let Some((point, sight)) = points.sight(report, now) {
                live.see(point, now, Some(sight));
                sights.insert(point, sight);
            }
            live.settle();
            prop_assert_eq!(states(live.state()), states(points.fresh(&network, &sights, now).state()));
        }
    }

    #[test]
    fn opening_never_energises_and_closing_never_makes_dead((network, reports) in reports()) {
        let points = Points::of(&network);
        let (sights, now) = points.after(&reports);
        let of = |value: f64| states(points.fresh(&network, &with(&network, &sights, value, Quality::Good, now), now).state());
        for (open, closed) in of(OPEN).into_iter().zip(of(CLOSED)) {
            prop_assert!(!is_supplied(open) || is_supplied(closed));
            prop_assert!(closed != Some(State::Dead) || open == Some(State::Dead));
        }
    }

    #[test]
    fn unknown_position_never_yields_dead((network, reports) in reports(), quality in quality()) {
        prop_assume!(quality > Quality::Substituted);
        let points = Points::of(&network);
        let (sights, now) = points.after(&reports);
        let before = states(points.fresh(&network, &with(&network, &sights, CLOSED, Quality::Good, now), now).state());
        let after = states(points.fresh(&network, &with(&network, &sights, OPEN, quality, now), now).state());
        for (before, after) in before.into_iter().zip(after) {
            prop_assert!(after != Some(State::Dead) || before == Some(State::Dead));
            prop_assert!(!is_supplied(after) || is_supplied(before));
        }
    }

    #[test]
    fn query_with_another_contact_changes_nothing((network, reports) in reports(), contact in prop_oneof![Just(Contact::Open), Just(Contact::Closed), Just(Contact::Unknown)]) {
        let points = Points::of(&network);
        let (sights, now) = points.after(&reports);
        let mut live = points.fresh(&network, &sights, now);
        let before = states(live.state());
        for equipment in live.state().model().all_equipment() {
            let mut moved = live.state().clone();
            moved.set_contact(equipment, contact);
            let expected_changes = moved.settle();
            let (answer, changed) = live.with_contact(&[equipment], contact, |state, changed| (states(state), changed.to_vec()));
            prop_assert_eq!(answer, states(&moved));
            prop_assert_eq!(changed, expected_changes);
            prop_assert_eq!(&states(live.state()), &before);
            prop_assert!(live.settle().is_empty());
        }
    }
}
