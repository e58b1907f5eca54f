//! Derives the network of a substation from its drawing.

use std::collections::{HashMap, HashSet};

use network::description::{Container, ContainerKind, Equipment, Measurement, Node, POSITION, Terminal};
use network::{Description, EquipmentKind, Phases};
use serde_json::{Map, Value};

use super::elements::{electrical, kind, text, voltages};
use super::station::{Station, StationAsset, StationPoint};
use crate::wiring::Wiring;

/// The network of a substation, derived from its drawing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Derived {
    /// The network.
    pub description: Description,
    /// What was assumed or left out.
    pub notes: Vec<String>,
}

impl Derived {
    /// Derives the network of a substation from its stored drawing.
    pub fn new(station: &Station, drawing: &Value) -> Self {
        derive(station, drawing)
    }
}

fn derive(station: &Station, drawing: &Value) -> Derived {
    let wiring = Wiring::of_value(drawing);
    let elements = drawing.get("elements").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let no_fields = Map::new();
    let elements: Vec<&Map<String, Value>> = elements.iter().map(|element| element.as_object().unwrap_or(&no_fields)).collect();
    let mut derived = Derived::default();
    if let Some(excess) = &wiring.excess {
        derived.notes.push(format!("{}: nothing is derived: {excess}", station.code));
        return derived;
    }
    derived.description.containers.push(Container {
        id: station.code.clone(),
        name: station.name.clone(),
        kind: ContainerKind::Substation,
        parent: None,
        nominal_kv: None,
        place: station.place,
    });
    add_nodes(station, &elements, &wiring, &mut derived.description);
    add_equipment(station, &elements, &wiring, &mut derived);
    add_measurands(station, &elements, &mut derived.description);
    derived
}

/// Returns the id of the part for an element: the id of the equipment that the element names, otherwise an id that is derived from the id of the element.
fn id_of(station: &Station, element: &Map<String, Value>, position: usize) -> String {
    if let Some(equipment) = text(element, "equipment") {
        return equipment.to_owned();
    }
    match text(element, "id") {
        Some(id) => format!("{}/{id}", station.code),
        None => format!("{}/element {}", station.code, position + 1),
    }
}

/// Adds the nodes with terminals.
fn add_nodes(station: &Station, elements: &[&Map<String, Value>], wiring: &Wiring, description: &mut Description) {
    let mut kvs: Vec<Option<f64>> = vec![None; wiring.node_count];
    let of_assets: HashMap<&str, Option<f64>> = station.assets.iter().map(|asset| (asset.code.as_str(), asset.kv)).collect();
    for (element, wired) in elements.iter().zip(&wiring.elements) {
        let of_asset = text(element, "asset").and_then(|asset| of_assets.get(asset).copied().flatten());
        let terminals = wired.nodes.iter().copied().zip(voltages(element, of_asset));
        for (node, kv) in terminals.chain(wired.parts.iter().map(|part| (part.node, voltages(element, of_asset)[0]))) {
            kvs[node] = kvs[node].or(kv);
        }
    }
    spread_voltages(elements, wiring, &mut kvs);
    for (id, nominal_kv) in node_ids(station, elements, wiring).into_iter().zip(kvs) {
        // A piece of a line that ends nowhere has no terminals, and no id.
        if !id.is_empty() {
            let container = Some(station.code.clone());
            description.nodes.push(Node { id, name: String::new(), container, nominal_kv, is_internal: false, place: None });
        }
    }
}

/// Assigns to the nodes without a voltage the voltage of the nodes with which switches connect them.
fn spread_voltages(elements: &[&Map<String, Value>], wiring: &Wiring, kvs: &mut [Option<f64>]) {
    let joined: Vec<(usize, usize)> = elements
        .iter()
        .zip(&wiring.elements)
        .filter(|(element, _)| kind(element).is_some_and(EquipmentKind::is_switch))
        .filter_map(|(_, wired)| match *wired.nodes {
            [one, other] => Some((one, other)),
            _ => None,
        })
        .collect();
    let mut neighbours: HashMap<usize, Vec<usize>> = HashMap::new();
    for (one, other) in joined {
        neighbours.entry(one).or_default().push(other);
        neighbours.entry(other).or_default().push(one);
    }
    let mut known: Vec<usize> = (0..kvs.len()).filter(|node| kvs[*node].is_some()).collect();
    while let Some(node) = known.pop() {
        for next in neighbours.get(&node).map(Vec::as_slice).unwrap_or_default() {
            if kvs[*next].is_none() {
                kvs[*next] = kvs[node];
                known.push(*next);
            }
        }
    }
}

fn add_equipment(station: &Station, elements: &[&Map<String, Value>], wiring: &Wiring, derived: &mut Derived) {
    let ids = node_ids(station, elements, wiring);
    let mut points: HashMap<&str, Vec<&StationPoint>> = HashMap::new();
    station.points.iter().for_each(|point| points.entry(&point.address).or_default().push(point));
    let assets: HashMap<&str, &StationAsset> = station.assets.iter().map(|asset| (asset.code.as_str(), asset)).collect();
    let (mut sources, mut closed) = (0, 0);
    for (position, (element, wired)) in elements.iter().zip(&wiring.elements).enumerate() {
        let Some(kind) = kind(element) else { continue };
        let id = id_of(station, element, position);
        let (least, most) = kind.terminals();
        if !(least..=most).contains(&wired.nodes.len()) {
            derived.notes.push(format!("{id}: left out, because it is connected with nothing"));
            continue;
        }
        let asset = text(element, "asset").and_then(|code| assets.get(code));
        let name = text(element, "name").map(str::to_owned).or_else(|| asset.map(|asset| asset.name.clone())).unwrap_or_default();
        let terminals = wired.nodes.iter().map(|node| Terminal { node: ids[*node].clone(), phases: Phases::ABC }).collect();
        let electrical = electrical(element, kind, asset.map_or(0, |asset| asset.customers));
        let address = element.get("position").and_then(|position| position.get("point")).and_then(Value::as_str);
        if let Some(address) = address {
            // Several gateways can have the address: the point is that of the element's asset.
            let found = points.get(address).map(Vec::as_slice).unwrap_or_default();
            let own = found.iter().find(|point| text(element, "asset") == Some(&point.asset));
            let point = own.or(if let [only] = found { Some(only) } else { None }).map(|point| format!("{}/{address}", point.gateway));
            if point.is_none() {
                let why = if found.is_empty() { "does not exist" } else { "is one of several gateways, none for its asset" };
                derived.notes.push(format!("{id}: its point {address} {why}, so its position is not bound"));
            }
            derived.description.measurements.push(Measurement {
                id: format!("{id}/{POSITION}"),
                equipment: id.clone(),
                terminal: None,
                quantity: POSITION.to_owned(),
                phases: Phases::ABC,
                point,
            });
        }
        sources += usize::from(kind == EquipmentKind::EnergySource);
        closed += usize::from(kind.is_switch());
        derived.description.equipment.push(Equipment {
            id,
            name,
            kind,
            container: Some(station.code.clone()),
            terminals,
            is_in_service: true,
            electrical,
        });
    }
    if sources > 0 {
        derived.notes.push(format!("{}: {sources} incoming lines count as sources, as in the diagram", station.code));
    }
    if closed > 0 {
        derived
            .notes
            .push(format!("{}: {closed} switches are closed in the normal state; open those that are normally open", station.code));
    }
}

/// Returns the id of each node, derived from its busbar or from the first element at the node. Empty for nodes without terminals.
pub(super) fn node_ids(station: &Station, elements: &[&Map<String, Value>], wiring: &Wiring) -> Vec<String> {
    let mut ids = vec![String::new(); wiring.node_count];
    for busbars in [true, false] {
        for (position, (element, wired)) in elements.iter().zip(&wiring.elements).enumerate() {
            if (text(element, "class") == Some("busbar")) != busbars || kind(element).is_none() {
                continue;
            }
            for (terminal, node) in wired.nodes.iter().enumerate() {
                if ids[*node].is_empty() {
                    let id = id_of(station, element, position);
                    ids[*node] = if busbars { id } else { format!("{id}:{}", terminal + 1) };
                }
            }
        }
    }
    ids
}

/// Binds the measured values of each asset to the first equipment that shows it.
fn add_measurands(station: &Station, elements: &[&Map<String, Value>], description: &mut Description) {
    let has_terminal: HashSet<&str> = description.equipment.iter().map(|equipment| equipment.id.as_str()).collect();
    let mut shown: HashMap<&str, String> = HashMap::new();
    for (position, element) in elements.iter().enumerate() {
        let id = id_of(station, element, position);
        if let Some(asset) = text(element, "asset").filter(|_| has_terminal.contains(id.as_str())) {
            shown.entry(asset).or_insert(id);
        }
    }
    let shared = shared_addresses(&station.points);
    let mut ids: HashSet<String> = description.measurements.iter().map(|measurement| measurement.id.clone()).collect();
    for point in station.points.iter().filter(|point| point.is_measurand) {
        let Some(equipment) = shown.get(point.asset.as_str()) else { continue };
        let point_id = format!("{}/{}", point.gateway, point.address);
        let short = format!("{}/{}", station.code, point.address);
        let is_taken = shared.contains(point.address.as_str()) || ids.contains(&short);
        let id = if is_taken { format!("{}/{point_id}", station.code) } else { short };
        ids.insert(id.clone());
        description.measurements.push(Measurement {
            id,
            equipment: equipment.clone(),
            terminal: Some(1),
            quantity: point.code.clone(),
            phases: phases_of(&point.code),
            point: Some(point_id),
        });
    }
}

/// Returns the addresses that are used by points of several gateways. For these points, the ids of the measurements contain the gateway.
fn shared_addresses(points: &[StationPoint]) -> HashSet<&str> {
    let mut gateways: HashMap<&str, &str> = HashMap::new();
    let of_others = points.iter().filter(|point| *gateways.entry(&point.address).or_insert(&point.gateway) != point.gateway);
    of_others.map(|point| point.address.as_str()).collect()
}

/// Returns the phase of a current or voltage of one phase: `Ir`, `Vy`, `Ib`.
fn phases_of(code: &str) -> Phases {
    let phase = match code {
        "Ir" | "Vr" => "A",
        "Iy" | "Vy" => "B",
        "Ib" | "Vb" => "C",
        _ => "ABC",
    };
    Phases::parse(phase).unwrap_or(Phases::ABC)
}
