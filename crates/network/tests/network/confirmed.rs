//! Positions that users confirm: they count while no point of the switch has ever reported anything.

use std::sync::Arc;

use grid::position::Encoding;
use grid::{Micros, Ordinal, PointId, Quality, Reading};
use network::live::{Bindings, ConfirmedPosition, LiveNetwork, Presence, Sight};
use network::{Contact, EquipmentKind, Phases, State};

use crate::reference::{Network, Part};

const NOW: Micros = Micros(1_000_000_000_000);
const SOURCE: PointId = PointId(1);
const BREAKER: PointId = PointId(2);

/// A source, a breaker with a point that has not reported yet, and a switch without a point, which is closed in the normal state.
fn network() -> LiveNetwork {
    let branch = |nodes: [usize; 2]| Part {
        kind: EquipmentKind::Breaker,
        nodes: nodes.to_vec(),
        phases: Phases::ABC,
        contacts: [Contact::Closed; 3],
    };
    let source = Part { kind: EquipmentKind::EnergySource, nodes: vec![0], phases: Phases::ABC, contacts: [Contact::Closed; 3] };
    let model = Network { nodes: 3, parts: vec![source, branch([0, 1]), branch([1, 2])] }.model();
    let equipment = |id: &str| model.equipment(id).expect("equipment");
    let bindings = Bindings {
        positions: vec![(SOURCE, equipment("0"), Phases::ABC), (BREAKER, equipment("1"), Phases::ABC)],
        sources: vec![(equipment("0"), Presence::Unknown)],
        voltages: Vec::new(),
    };
    let mut network = LiveNetwork::new(Arc::new(model), Arc::new(bindings));
    see(&mut network, SOURCE, 2.0, Quality::Good);
    network.settle();
    network
}

fn see(network: &mut LiveNetwork, point: PointId, raw: f64, quality: Quality) {
    let reading = Reading { value: Some(raw), quality, source: NOW, received: NOW, ordinal: Ordinal::default() };
    network.see(point, NOW, Some(Sight { encoding: Some(Encoding::DoublePoint), age_limit_ms: None, reading: Some(reading) }));
}

fn confirmed(network: &LiveNetwork, id: &str, contact: Contact) -> ConfirmedPosition {
    ConfirmedPosition { equipment: network.state().model().equipment(id).expect("equipment"), contact, at: NOW }
}

fn shown(network: &mut LiveNetwork) -> [State; 3] {
    network.settle();
    ["node:0", "node:1", "node:2"].map(|id| network.state().state(network.state().model().node(id).expect("a node")))
}

#[test]
fn confirmed_position_counts_until_a_point_reports() {
    use State::{Dead, Energised, Unknown};
    let mut network = network();
    assert_eq!(shown(&mut network), [Energised, Unknown, Unknown], "the breaker has not reported");
    let breaker = confirmed(&network, "1", Contact::Closed);
    network.confirm(&[breaker]);
    assert_eq!(shown(&mut network), [Energised; 3]);
    assert!(network.is_confirmed(breaker.equipment));
    // Even a report of bad quality comes from the telemetry.
    see(&mut network, BREAKER, 2.0, Quality::CommLost);
    assert_eq!(shown(&mut network), [Energised, Unknown, Unknown]);
    assert!(!network.is_confirmed(breaker.equipment));
    see(&mut network, BREAKER, 1.0, Quality::Good);
    assert_eq!(shown(&mut network), [Energised, Dead, Dead]);
    network.confirm(&[]);
    assert_eq!(shown(&mut network), [Energised, Dead, Dead], "the withdrawal changes nothing any more");
    network.confirm(&[breaker]);
    assert_eq!(shown(&mut network), [Energised, Dead, Dead], "nor does another confirmation");
}

#[test]
fn withdrawn_confirmation_leaves_the_assumed_or_unknown_position() {
    use State::{Dead, Energised, Unknown};
    let mut network = network();
    see(&mut network, BREAKER, 2.0, Quality::Good);
    assert_eq!(shown(&mut network), [Energised; 3], "the switch is assumed closed");
    let tail = confirmed(&network, "2", Contact::Open);
    network.confirm(&[tail]);
    assert_eq!(shown(&mut network), [Energised, Energised, Dead]);
    network.confirm(&[]);
    assert_eq!(shown(&mut network), [Energised; 3]);
    // For interlocks an assumed position is unknown, and a confirmed one is known.
    network.doubt([tail.equipment]);
    assert_eq!(shown(&mut network), [Energised, Energised, Unknown]);
    network.confirm(&[ConfirmedPosition { contact: Contact::Closed, ..tail }]);
    assert_eq!(shown(&mut network), [Energised; 3]);
    network.confirm(&[]);
    assert_eq!(shown(&mut network), [Energised, Energised, Unknown]);
}

#[test]
fn withdrawn_confirmation_of_a_silent_point_leaves_an_unknown_position() {
    let mut network = network();
    let breaker = confirmed(&network, "1", Contact::Open);
    network.confirm(&[breaker]);
    assert_eq!(shown(&mut network)[1..], [State::Dead; 2]);
    network.confirm(&[]);
    assert_eq!(shown(&mut network)[1..], [State::Unknown; 2]);
}
