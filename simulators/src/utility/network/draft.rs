//! A network during its construction: parts with the ratings that the demo uses.

use std::collections::HashSet;

use grid::measure::Quantity;
use network::Description;
use network::description::{Container, ContainerKind, Electrical, Equipment, Line, Measurement, Node, SequenceImpedance, Switch, Terminal};
use network::{EquipmentKind, Phase, Phases};

use super::conductor::Conductor;
use crate::utility::{Client, PointSpec, Substation};

/// The share of a low-voltage feeder's length that is between the busbar and its customers.
pub const LOW_VOLTAGE_SHARE: f64 = 0.04;

/// Codes of the voltages between phases.
const BETWEEN_PHASES: [&str; 3] = ["Vry", "Vyb", "Vbr"];

#[derive(Debug, Default)]
pub(super) struct Draft {
    description: Description,
    nodes: HashSet<String>,
}

impl Draft {
    pub(super) fn container(
        &mut self,
        id: &str,
        name: &str,
        kind: ContainerKind,
        parent: Option<&str>,
        nominal_kv: Option<f64>,
        place: Option<[f64; 2]>,
    ) {
        let (id, name, parent) = (id.to_owned(), name.to_owned(), parent.map(str::to_owned));
        self.description.containers.push(Container { id, name, kind, parent, nominal_kv, place });
    }

    /// Adds a node, unless there is one with this id. Returns the id.
    pub(super) fn node(&mut self, id: &str, kv: f64, place: Option<[f64; 2]>) -> String {
        if self.nodes.insert(id.to_owned()) {
            let container = container_of(id);
            self.description.nodes.push(Node {
                id: id.to_owned(),
                name: String::new(),
                container,
                nominal_kv: Some(kv),
                is_internal: false,
                place,
            });
        }
        id.to_owned()
    }

    pub(super) fn has_node(&self, id: &str) -> bool {
        self.nodes.contains(id)
    }

    pub(super) fn add(&mut self, id: &str, name: &str, kind: EquipmentKind, nodes: &[&str], electrical: Electrical) {
        let terminals = nodes.iter().map(|node| Terminal { node: (*node).to_owned(), phases: Phases::ABC }).collect();
        let (container, name) = (container_of(id), name.to_owned());
        self.description.equipment.push(Equipment { id: id.to_owned(), name, kind, container, terminals, is_in_service: true, electrical });
    }

    pub(super) fn switch(&mut self, id: &str, kind: EquipmentKind, nodes: [&str; 2], is_normally_open: bool) {
        self.add(id, "", kind, &nodes, Electrical::Switch(Switch { is_normally_open, rated_a: Some(630.0), breaking_ka: None }));
    }

    /// Adds an earth switch.
    pub(super) fn earth(&mut self, id: &str, node: &str, is_normally_open: bool) {
        self.add(id, "", EquipmentKind::GroundDisconnector, &[node], Electrical::Switch(Switch { is_normally_open, ..Switch::default() }));
    }

    pub(super) fn line(&mut self, id: &str, nodes: [&str; 2], km: f64, of: Conductor) {
        let series = SequenceImpedance { r_ohm: of.r_ohm * km, x_ohm: of.x_ohm * km, ..SequenceImpedance::default() };
        let line = Line { length_km: Some(km), series, b_s: of.b_us * 1e-6 * km, rated_a: Some(of.rated_a), ..Line::default() };
        self.add(id, "", EquipmentKind::LineSegment, &nodes, Electrical::Line(line));
    }

    /// Binds the points of all substations, and returns the network.
    pub(super) fn finish(mut self, client: &Client) -> Description {
        for substation in &client.substations {
            self.description.measurements.extend(substation.points.iter().filter_map(|point| measurement(substation, point)));
        }
        let of_sources = self.description.equipment.iter().filter(|equipment| equipment.kind == EquipmentKind::EnergySource);
        let of_sources: Vec<Measurement> = of_sources.flat_map(|source| source_voltages(source, &self.description.measurements)).collect();
        self.description.measurements.extend(of_sources);
        self.description
    }
}

/// Returns the voltages of a neighbouring network. At the neighbouring network itself no voltage is measured. The result is the voltages at the end of its
/// line, which has no switch at its start.
fn source_voltages(source: &Equipment, measurements: &[Measurement]) -> Vec<Measurement> {
    let Some(line) = source.id.strip_suffix("/source").map(|line| format!("{line}/circuit")) else { return Vec::new() };
    let at_end = measurements.iter().filter(|of| of.equipment == line && BETWEEN_PHASES.contains(&of.quantity.as_str()));
    at_end
        .map(|of| Measurement {
            id: format!("{}/{}", source.id, of.quantity),
            equipment: source.id.clone(),
            terminal: Some(1),
            ..of.clone()
        })
        .collect()
}

/// Returns the container of a node or of equipment: its feeder, or its substation.
fn container_of(id: &str) -> Option<String> {
    let mut parts = id.splitn(3, '/');
    let (station, part, inside) = (parts.next()?, parts.next()?, parts.next());
    let is_feeder = inside.is_some_and(|inside| inside != "line") && part.starts_with('F');
    Some(if is_feeder { format!("{station}/{part}") } else { station.to_owned() })
}

/// Returns the binding of a point, if it is a position or belongs to a voltage, current or power of the network. Powers are positive into the equipment.
fn measurement(substation: &Substation, point: &PointSpec) -> Option<Measurement> {
    let station = &substation.code;
    let (equipment, terminal) = match point.quantity {
        _ if point.code == "Pos" => (point.asset.clone(), None),
        Quantity::Current | Quantity::Voltage | Quantity::ActivePower | Quantity::ReactivePower => match point.asset.as_str() {
            // The meter is on the line side of the isolator.
            line if line.starts_with("INC") && point.quantity == Quantity::Voltage => (format!("{line}/circuit"), Some(2)),
            line if line.starts_with("INC") => (format!("{line}CB"), Some(1)),
            // The voltage is measured on the line side of the breaker.
            feeder if feeder.starts_with('F') && point.quantity == Quantity::Voltage => (format!("{feeder}CB"), Some(2)),
            feeder if feeder.starts_with('F') => (format!("{feeder}CB"), Some(1)),
            // The current is measured on the low side.
            unit if unit.starts_with("TX") && point.quantity == Quantity::Current => (unit.to_owned(), Some(2)),
            unit if unit.starts_with("TX") || unit.starts_with("BUS") || unit.starts_with("CAP") => (unit.to_owned(), Some(1)),
            _ => return None,
        },
        _ => return None,
    };
    let (id, equipment) = (format!("{station}/{}/{}", point.device, point.metric()), format!("{station}/{equipment}"));
    let point_id = Some(format!("{station}/{}/{}", point.device, point.metric()));
    Some(Measurement { id, equipment, terminal, quantity: point.code.clone(), phases: phases_of(&point.code), point: point_id })
}

/// Returns the phases of a code: `Ir` is a value of the first phase, `Vry` of the first two phases.
fn phases_of(code: &str) -> Phases {
    let of = |letter: char| match letter {
        'r' => Some(Phases::only(Phase::A)),
        'y' => Some(Phases::only(Phase::B)),
        'b' => Some(Phases::only(Phase::C)),
        _ => None,
    };
    let named = code.chars().skip(1).map(of).try_fold(Phases::NONE, |phases, phase| Some(phases.union(phase?)));
    named.filter(|phases| !phases.is_empty()).unwrap_or(Phases::ABC)
}
