//! Finds the parts of a substation without supply, and the switches that are the cause. Pure.
//!
//! Supply is derived from the diagram. A feeder that is not drawn is without supply while the breaker of its bay is open.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use drawing::wiring::{Connections, Wiring};
use grid::alarm::AlarmKind;
use grid::measure::Quantity;
use grid::outage::Supply;
use grid::position::{Encoding, Position};
use grid::topology::Contact;
use grid::{AssetId, NodeId, Point, PointId, Quality, Reading};
use serde_json::Value;

use crate::about::About;

/// Type of the outgoing feeders (specification 2, section 9).
pub(crate) const FEEDER: i32 = 1;
/// Priority of the alarm for a switch that was opened by a user.
const OPENED_PRIORITY: i16 = 3;

/// The circuit of a drawing.
#[derive(Debug, Clone)]
pub(crate) struct Circuit {
    connections: Connections,
    /// The points of its switches, `device/metric`.
    points: HashSet<String>,
    /// The nodes of each drawn asset, by its code.
    nodes: HashMap<String, Vec<usize>>,
}

impl Circuit {
    /// Builds the circuit of a stored drawing. This can take some milliseconds.
    pub(crate) fn of(body: &Value) -> Self {
        let mut wiring = Wiring::of_value(body);
        // An earthed part has no supply either, and an unknown earth switch must not make everything behind an open breaker unknown.
        wiring.earths.clear();
        let mut nodes: HashMap<String, Vec<usize>> = HashMap::new();
        let elements = body.get("elements").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (element, wired) in elements.iter().zip(&wiring.elements) {
            let Some(code) = element.get("asset").and_then(Value::as_str) else { continue };
            let own = wired.nodes.iter().copied().chain(wired.parts.iter().map(|part| part.node));
            nodes.entry(code.to_owned()).or_default().extend(own);
        }
        let connections = wiring.connections();
        let points = connections.positions.iter().map(|(_, point)| point.clone()).collect();
        Self { connections, points, nodes }
    }
}

/// A part of a substation whose supply is tracked.
#[derive(Debug, Clone)]
struct Load {
    asset: AssetId,
    /// Its nodes in the drawing. It has supply if at least one of them has supply.
    nodes: Vec<usize>,
    /// The position point of the breaker of its bay, if it is not drawn.
    breaker: Option<PointId>,
    customers: i32,
}

/// A switch that can interrupt supply.
#[derive(Debug, Clone)]
struct Switch {
    encoding: Encoding,
    /// Its point in the circuit, `device/metric`.
    drawn: Option<String>,
    /// The alarm for its opening by a user.
    opened: Arc<About>,
}

/// The latest position of each switch of a utility.
pub(crate) type Positions = HashMap<PointId, Reading>;

/// The supply of one substation.
#[derive(Debug, Clone)]
pub(crate) struct Station {
    circuit: Option<Arc<Circuit>>,
    switches: HashMap<PointId, Switch>,
    loads: Vec<Load>,
}

impl Station {
    /// Creates a substation. `is_followed` returns whether the supply of an asset is tracked; feeders are always tracked.
    pub(crate) fn new(
        location: NodeId,
        registry: &registry::Utility,
        circuit: Option<Arc<Circuit>>,
        is_followed: impl Fn(AssetId) -> bool,
    ) -> Self {
        let positions: Vec<&Point> = registry.points_at(location).filter(|point| point.code == "Pos").collect();
        let class_of = |asset: AssetId| registry.asset(asset).map_or("", |asset| asset.class_name.as_str());
        let mut loads = Vec::new();
        for asset in registry.assets_at(location).filter(|asset| asset.type_id == FEEDER || is_followed(asset.id)) {
            let nodes = circuit.as_ref().and_then(|circuit| circuit.nodes.get(&asset.code)).cloned().unwrap_or_default();
            let mut breakers = positions.iter().filter(|point| point.device == asset.device && class_of(point.asset) == "breaker");
            let breaker = breakers.next().filter(|_| nodes.is_empty() && asset.type_id == FEEDER && breakers.next().is_none());
            if !nodes.is_empty() || breaker.is_some() {
                loads.push(Load { asset: asset.id, nodes, breaker: breaker.map(|point| point.id), customers: asset.customers });
            }
        }
        let mut switches = HashMap::new();
        for point in positions {
            let Some(encoding) = point.encoding() else { continue };
            let drawn = Some(point.address()).filter(|address| circuit.as_ref().is_some_and(|circuit| circuit.points.contains(address)));
            if drawn.is_none() && !loads.iter().any(|load| load.breaker == Some(point.id)) {
                continue;
            }
            let opened = opened_about(registry, point);
            switches.insert(point.id, Switch { encoding, drawn, opened: Arc::new(opened) });
        }
        Self { circuit, switches, loads }
    }

    /// Returns whether the switch can interrupt supply.
    pub(crate) fn has(&self, switch: PointId) -> bool {
        self.switches.contains_key(&switch)
    }

    /// Returns the parts that certainly have supply.
    pub(crate) fn supplied(&self, positions: &Positions) -> HashSet<AssetId> {
        self.with(Supply::On, |point| self.contact(positions, point))
    }

    /// Returns whether the supply of an asset is tracked.
    pub(crate) fn follows(&self, asset: AssetId) -> bool {
        self.loads.iter().any(|load| load.asset == asset)
    }

    /// Returns the parts that are without supply, and that would have supply if this switch were closed.
    pub(crate) fn behind(&self, positions: &Positions, switch: PointId) -> HashSet<AssetId> {
        let actual = |point: PointId| self.contact(positions, point);
        let mut behind = self.with(Supply::Off, actual);
        for still_dead in self.with(Supply::Off, |point| if point == switch { Contact::Closed } else { actual(point) }) {
            behind.remove(&still_dead);
        }
        behind
    }

    /// Returns the parts for which this switch alone is a sufficient cause: they would be without supply even if all other open switches were closed. If the
    /// position of the switch is not known, these are the parts that it may interrupt. Empty if the switch is closed.
    pub(crate) fn interrupted(&self, positions: &Positions, switch: PointId) -> HashSet<AssetId> {
        if self.is_closed(positions, switch) {
            return HashSet::new();
        }
        let others_closed = |point: PointId| match self.contact(positions, point) {
            Contact::Open => Contact::Closed,
            contact => contact,
        };
        let with_switch = |contact: Contact| self.with(Supply::Off, |point| if point == switch { contact } else { others_closed(point) });
        let mut interrupted = with_switch(Contact::Open);
        for dead_anyway in with_switch(Contact::Closed) {
            interrupted.remove(&dead_anyway);
        }
        interrupted
    }

    /// Returns the open switches.
    pub(crate) fn open(&self, positions: &Positions) -> Vec<PointId> {
        let mut open: Vec<PointId> =
            self.switches.keys().copied().filter(|point| self.contact(positions, *point) == Contact::Open).collect();
        open.sort_unstable();
        open
    }

    /// Returns whether a switch is certainly open.
    pub(crate) fn is_open(&self, positions: &Positions, switch: PointId) -> bool {
        self.contact(positions, switch) == Contact::Open
    }

    /// Returns whether a switch is certainly closed.
    pub(crate) fn is_closed(&self, positions: &Positions, switch: PointId) -> bool {
        self.contact(positions, switch) == Contact::Closed
    }

    /// Returns the alarm for a switch that was opened by a user, with the customers of the parts behind it.
    pub(crate) fn opened(&self, switch: PointId, behind: &HashSet<AssetId>) -> Option<Arc<About>> {
        let about = &self.switches.get(&switch)?.opened;
        let customers = self.loads.iter().filter(|load| behind.contains(&load.asset)).map(|load| load.customers).sum();
        Some(Arc::new(About { customers, ..(**about).clone() }))
    }

    fn contact(&self, positions: &Positions, point: PointId) -> Contact {
        let Some(switch) = self.switches.get(&point) else { return Contact::Unknown };
        let reading = positions.get(&point).filter(|reading| reading.quality <= Quality::Substituted);
        // A position does not become stale here, because the next change would have been reported.
        match reading.and_then(|reading| reading.value).map(|raw| Position::decode(switch.encoding, raw)) {
            Some(Position::Closed) => Contact::Closed,
            Some(Position::Open) => Contact::Open,
            _ => Contact::Unknown,
        }
    }

    /// Returns the parts that have this state of supply when the switches have these contacts.
    fn with(&self, expected: Supply, contact: impl Fn(PointId) -> Contact) -> HashSet<AssetId> {
        let states = self.circuit.as_ref().map(|circuit| {
            let drawn = self.switches.iter().filter_map(|(point, switch)| Some((switch.drawn.as_deref()?, contact(*point))));
            let drawn: HashMap<&str, Contact> = drawn.collect();
            // If no switch has reported, the sources are unknown too.
            let are_known = self.switches.keys().any(|point| contact(*point) != Contact::Unknown);
            let sources = if are_known { Contact::Closed } else { Contact::Unknown };
            circuit.connections.states(|point| drawn.get(point).copied().unwrap_or(Contact::Unknown), sources)
        });
        let supply = |load: &Load| match (&states, load.breaker) {
            (_, Some(breaker)) => match contact(breaker) {
                Contact::Closed => Supply::On,
                Contact::Open => Supply::Off,
                Contact::Unknown => Supply::Unknown,
            },
            (Some(states), None) => {
                let of_nodes: Vec<Supply> = load.nodes.iter().filter_map(|node| states.get(*node)).map(|state| (*state).into()).collect();
                if of_nodes.contains(&Supply::On) {
                    Supply::On
                } else if of_nodes.contains(&Supply::Unknown) || of_nodes.is_empty() {
                    Supply::Unknown
                } else {
                    Supply::Off
                }
            }
            (None, None) => Supply::Unknown,
        };
        self.loads.iter().filter(|load| supply(load) == expected).map(|load| load.asset).collect()
    }
}

/// Returns the alarm for a switch that was opened by a user. The alarm names the feeder of the bay of the switch.
pub(crate) fn opened_about(registry: &registry::Utility, point: &Point) -> About {
    let location = point.location;
    let bay = registry.assets_at(location).find(|asset| asset.type_id == FEEDER && asset.device == point.device);
    let (asset, asset_name) = bay.map_or_else(|| (point.asset, point.asset_name.clone()), |feeder| (feeder.id, feeder.name.clone()));
    About {
        source: opened_source(point.id),
        kind: AlarmKind::Opened,
        priority: OPENED_PRIORITY,
        point: Some(point.id),
        asset: Some(asset),
        asset_name: Some(asset_name),
        location,
        location_name: registry.node(location).map(|node| node.name.clone()).unwrap_or_default(),
        text: "Opened, without supply behind it".to_owned(),
        limit: None,
        unit: String::new(),
        customers: 0,
    }
}

/// Returns whether a quantity is low if there is no supply.
pub(crate) fn is_electrical(quantity: Quantity) -> bool {
    use Quantity::{ActivePower, ApparentPower, Current, Frequency, PowerFactor, ReactivePower, Voltage};
    matches!(quantity, Voltage | Current | ActivePower | ReactivePower | ApparentPower | PowerFactor | Frequency)
}

/// Returns the source of the alarm for a switch that was opened by a user.
pub(crate) fn opened_source(switch: PointId) -> String {
    format!("opened/{switch}")
}

#[cfg(test)]
impl Station {
    /// Creates a substation with a feeder behind switches in line; with no feeder if it is not drawn.
    pub(crate) fn in_line(location: NodeId, switches: &[PointId], feeder: Option<AssetId>) -> Self {
        let mut elements = vec![serde_json::json!({ "class": "source", "nodes": ["n0"] })];
        for (number, switch) in switches.iter().enumerate() {
            let (nodes, position) = ([format!("n{number}"), format!("n{}", number + 1)], format!("D/{switch}/Pos"));
            let element =
                serde_json::json!({ "class": "breaker", "asset": format!("S{switch}"), "nodes": nodes, "position": { "point": position } });
            elements.push(element);
        }
        elements.push(serde_json::json!({ "class": "feeder", "asset": "F3", "nodes": [format!("n{}", switches.len())] }));
        let circuit = Circuit::of(&serde_json::json!({ "elements": elements }));
        let of_switch = |point: &PointId| {
            let opened = About {
                source: opened_source(*point),
                kind: AlarmKind::Opened,
                priority: OPENED_PRIORITY,
                point: Some(*point),
                asset: None,
                asset_name: None,
                location,
                location_name: String::new(),
                text: String::new(),
                limit: None,
                unit: String::new(),
                customers: 0,
            };
            let drawn = Some(format!("D/{point}/Pos"));
            (*point, Switch { encoding: Encoding::DoublePoint, drawn, opened: Arc::new(opened) })
        };
        let nodes = circuit.nodes.get("F3").cloned().unwrap_or_default();
        let loads = feeder.map(|asset| Load { asset, nodes, breaker: None, customers: 100 }).into_iter().collect();
        Self { switches: switches.iter().map(of_switch).collect(), loads, circuit: Some(Arc::new(circuit)) }
    }
}
