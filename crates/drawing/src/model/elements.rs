//! The conversion of elements of a drawing to equipment: the kind for each class, and its electrical values.

use network::EquipmentKind;
use network::description::{
    Consumption, Electrical, Generation, Line, SequenceImpedance, Shunt, SourceVoltage, Switch, Transformer, TransformerEnd,
};
use serde_json::{Map, Value};

use super::vector_group;

/// Returns the kind of equipment of an element; `None` if it has no effect on the connections.
pub(super) fn kind(element: &Map<String, Value>) -> Option<EquipmentKind> {
    let is_earth = text(element, "category").is_some_and(|category| category.starts_with("earthSwitch"));
    Some(match text(element, "class")? {
        "busbar" => EquipmentKind::BusbarSection,
        "breaker" => EquipmentKind::Breaker,
        "earthSwitch" => EquipmentKind::GroundDisconnector,
        "isolator" if is_earth => EquipmentKind::GroundDisconnector,
        "isolator" => EquipmentKind::Disconnector,
        "switch" => EquipmentKind::Switch,
        "loadBreakSwitch" => EquipmentKind::LoadBreakSwitch,
        "recloser" => EquipmentKind::Recloser,
        "sectionaliser" => EquipmentKind::Sectionaliser,
        "fuse" => EquipmentKind::Fuse,
        "transformer" => EquipmentKind::PowerTransformer,
        "source" => EquipmentKind::EnergySource,
        "generator" => EquipmentKind::GeneratingUnit,
        "inverter" => EquipmentKind::InverterUnit,
        "feeder" | "load" => EquipmentKind::EnergyConsumer,
        "capacitor" | "reactor" => EquipmentKind::ShuntCompensator,
        _ => return None,
    })
}

/// Returns the electrical values of an element. Values that a drawing does not contain are 0 or absent.
pub(super) fn electrical(element: &Map<String, Value>, kind: EquipmentKind, customers: u64) -> Electrical {
    match kind {
        // An earth switch is open in normal operation.
        EquipmentKind::GroundDisconnector => Electrical::Switch(Switch { is_normally_open: true, ..Switch::default() }),
        EquipmentKind::PowerTransformer => Electrical::Transformer(transformer(element)),
        EquipmentKind::EnergySource => Electrical::Source(SourceVoltage::default()),
        EquipmentKind::EnergyConsumer => Electrical::Consumer(Consumption { customers, ..Consumption::default() }),
        EquipmentKind::GeneratingUnit | EquipmentKind::InverterUnit => Electrical::Generator(Generation::default()),
        EquipmentKind::ShuntCompensator => Electrical::Shunt(Shunt::default()),
        EquipmentKind::LineSegment => Electrical::Line(Line::default()),
        kind if kind.is_switch() => Electrical::Switch(Switch::default()),
        _ => Electrical::Nothing,
    }
}

fn transformer(element: &Map<String, Value>) -> Transformer {
    let rated_kva = number(element, "mva").map(|mva| mva * 1_000.0);
    let windings = vector_group::parse(text(element, "vectorGroup").unwrap_or_default());
    let voltages = ["kvHigh", "kvLow", "kvTertiary"].map(|key| number(element, key));
    let terminals = if has_third(element) { 3 } else { 2 };
    let ends = voltages.into_iter().take(terminals).enumerate().map(|(position, kv)| {
        let (connection, clock) = windings.get(position).copied().unwrap_or_default();
        TransformerEnd {
            rated_kv: kv.unwrap_or(0.0),
            rated_kva,
            connection,
            clock,
            series: SequenceImpedance::default(),
            ..TransformerEnd::default()
        }
    });
    Transformer { ends: ends.collect() }
}

/// Whether a transformer has three windings.
fn has_third(element: &Map<String, Value>) -> bool {
    element.contains_key("kvTertiary") || element.get("nodes").and_then(Value::as_array).is_some_and(|nodes| nodes.len() == 3)
}

/// Returns the nominal voltage at each terminal, as far as the element has it.
pub(super) fn voltages(element: &Map<String, Value>, of_asset: Option<f64>) -> [Option<f64>; 3] {
    if text(element, "class") == Some("transformer") {
        return ["kvHigh", "kvLow", "kvTertiary"].map(|key| number(element, key));
    }
    [number(element, "kv").or(of_asset); 3]
}

pub(super) fn text<'a>(element: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    element.get(key).and_then(Value::as_str)
}

fn number(element: &Map<String, Value>, key: &str) -> Option<f64> {
    element.get(key).and_then(Value::as_f64).filter(|number| *number > 0.0)
}
