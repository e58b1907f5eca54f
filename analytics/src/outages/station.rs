//! One substation by itself: the supply of its feeders by the positions of its switches and the voltage of its incoming lines. Supply is derived from the
//! drawing. For a feeder that is not drawn, it is derived from the breaker of its bay. If no incoming line is live, no feeder has supply.

use std::collections::HashMap;
use std::sync::Arc;

use grid::outage::Supply;
use grid::position::{Encoding, Position};
use grid::topology::Contact;
use grid::{AssetId, Micros, NodeId, Ordinal, Point, PointId, Quality, Reading};
use network::{EquipmentId, NetworkState};
use registry::Utility;
use store::outage::{InfeedChange, SwitchStateBefore};

use super::circuit::Circuit;

/// Asset types (specification 2, section 9).
const FEEDER: i32 = 1;
const INCOMER: i32 = 4;

/// A feeder with the data that determine its supply.
#[derive(Debug, Clone)]
pub(super) struct Feeder {
    pub(super) asset: AssetId,
    pub(super) code: String,
    /// The device of its bay.
    pub(super) device: String,
    /// Its node in the drawing.
    node: Option<usize>,
    /// The position point of its breaker.
    pub(super) breaker: Option<PointId>,
}

/// The state of a substation at an instant.
#[derive(Debug)]
pub(super) struct Station {
    pub(super) location: NodeId,
    pub(super) feeders: Vec<Feeder>,
    /// The switches that affect supply, by the point that reports their position.
    switches: HashMap<PointId, Vec<EquipmentId>>,
    circuit: Option<(Arc<Circuit>, NetworkState)>,
    contacts: HashMap<PointId, Contact>,
    infeeds: Vec<Infeed>,
    /// Whether unmeasured sources are treated as present.
    are_sources_known: bool,
}

/// An incoming line.
#[derive(Debug, Clone)]
struct Infeed {
    asset: AssetId,
    /// Its sources in the circuit of the drawing.
    drawn: Vec<EquipmentId>,
    /// Whether it is not measured dead.
    is_live: bool,
}

impl Station {
    /// Creates the state of a substation in which all positions are unknown.
    pub(super) fn new(location: NodeId, utility: &Utility, circuit: Option<Arc<Circuit>>) -> Self {
        let points: Vec<&Point> = utility.points_at(location).filter(|point| point.encoding().is_some()).collect();
        let assets = || utility.assets_at(location);
        let breakers = utility.breakers_at(location);
        let node = |code: &str| circuit.as_ref()?.feeders.get(code).copied();
        let feeders: Vec<Feeder> = assets()
            .filter(|asset| asset.type_id == FEEDER)
            .map(|asset| Feeder {
                asset: asset.id,
                code: asset.code.clone(),
                device: asset.device.clone(),
                node: node(&asset.code),
                breaker: breakers.get(asset.device.as_str()).copied(),
            })
            .collect();
        let switch = |point: &&Point| {
            let drawn = circuit.as_ref().and_then(|circuit| circuit.switches.get(&point.address())).cloned().unwrap_or_default();
            let matters = !drawn.is_empty() || feeders.iter().any(|feeder| feeder.breaker == Some(point.id));
            Some((point.id, drawn)).filter(|_| matters)
        };
        let switches = points.iter().filter_map(switch).collect();
        let drawn = |code: &str| circuit.as_ref().and_then(|circuit| circuit.infeeds.get(code)).cloned().unwrap_or_default();
        let lines = assets().filter(|asset| asset.type_id == INCOMER || !drawn(&asset.code).is_empty());
        let infeeds = lines.map(|asset| Infeed { asset: asset.id, drawn: drawn(&asset.code), is_live: true }).collect();
        let circuit = circuit.map(|circuit| {
            let network = NetworkState::new(Arc::clone(&circuit.connections.model));
            (circuit, network)
        });
        Self { location, feeders, switches, circuit, contacts: HashMap::new(), infeeds, are_sources_known: false }
    }

    /// Whether the position of a point affects supply.
    pub(super) fn depends_on(&self, point: PointId) -> bool {
        self.switches.contains_key(&point)
    }

    /// Returns the data on which the result depends: the feeders, and whether a drawing is used.
    pub(super) fn layout(&self) -> (Vec<AssetId>, bool) {
        (self.feeders.iter().map(|feeder| feeder.asset).collect(), self.circuit.is_some())
    }

    /// Returns the drawing.
    pub(super) fn circuit(&self) -> Option<&Circuit> {
        self.circuit.as_ref().map(|(circuit, _)| &**circuit)
    }

    /// Sets the position of a point. Call [`Station::settle`] afterwards to update the states.
    pub(super) fn set(&mut self, point: PointId, contact: Contact) {
        let Some(drawn) = self.switches.get(&point) else { return };
        self.contacts.insert(point, contact);
        if let Some((_, network)) = &mut self.circuit {
            for equipment in drawn {
                network.set_contact(*equipment, contact);
            }
        }
    }

    /// Sets whether an incoming line is live. Call [`Station::settle`] afterwards to update the states.
    pub(super) fn set_infeed(&mut self, change: &InfeedChange) {
        for infeed in self.infeeds.iter_mut().filter(|infeed| infeed.asset == change.asset) {
            infeed.is_live = change.is_live;
        }
    }

    /// Returns whether any switch has reported a position. Otherwise the sources of the substation are unknown too.
    pub(super) fn has_reported(&self) -> bool {
        self.contacts.values().any(|contact| *contact != Contact::Unknown)
    }

    /// Sets whether unmeasured sources are treated as present.
    pub(super) fn know_sources(&mut self, are_known: bool) {
        self.are_sources_known = are_known;
    }

    /// Updates the states.
    pub(super) fn settle(&mut self) {
        if let Some((circuit, network)) = &mut self.circuit {
            let unmeasured = if self.are_sources_known { Contact::Closed } else { Contact::Unknown };
            for source in &circuit.connections.sources {
                network.set_contact(*source, unmeasured);
            }
            for source in circuit.infeeds.values().flatten() {
                let is_dead = self.infeeds.iter().any(|infeed| infeed.drawn.contains(source) && !infeed.is_live);
                network.set_contact(*source, if is_dead { Contact::Open } else { unmeasured });
            }
            network.settle();
        }
    }

    /// Returns the supply of a feeder.
    pub(super) fn supply(&self, feeder: &Feeder) -> Supply {
        if let (Some((circuit, network)), Some(node)) = (&self.circuit, feeder.node)
            && let Some(node) = circuit.connections.nodes.get(node)
        {
            return Supply::from(network.state(*node));
        }
        if !self.infeeds.is_empty() && self.infeeds.iter().all(|infeed| !infeed.is_live) {
            return Supply::Off;
        }
        match feeder.breaker.and_then(|breaker| self.contacts.get(&breaker)) {
            Some(Contact::Closed) => Supply::On,
            Some(Contact::Open) => Supply::Off,
            Some(Contact::Unknown) | None => Supply::Unknown,
        }
    }
}

/// The position of a switch by telemetry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Telemetry {
    pub(super) contact: Contact,
    /// What reported it; `None` if it is assumed.
    pub(super) report: Option<Reading>,
}

impl Telemetry {
    /// Takes a report of the past.
    pub(super) fn new(encoding: Encoding, value: Option<f64>, quality: Quality, at: Micros) -> Self {
        // What was measured before an observation says nothing against it, however late it was received.
        let report = Reading { value, quality, source: at, received: at, ordinal: Ordinal::default() };
        Self { contact: contact(encoding, value, quality), report: Some(report) }
    }
}

/// Returns the state of a switch before the first instant. It is the state of its last event before this instant. Without such an event, it is assumed to be the
/// opposite of its first event; without any event, its newest value. `None` if it has never reported.
pub(super) fn before(switch: &SwitchStateBefore) -> Option<Telemetry> {
    if let (Some((value, quality)), Some(at)) = (switch.was, switch.was_at) {
        return Some(Telemetry::new(switch.encoding, value, quality, at));
    }
    assumed_before(switch).map(|contact| Telemetry { contact, report: None })
}

fn assumed_before(switch: &SwitchStateBefore) -> Option<Contact> {
    if let Some(first) = switch.became {
        // A switch that opened was closed before. A switch that closed may have been intermediate before, so its state counts as unknown.
        return Some(match Position::decode(switch.encoding, first) {
            Position::Open => Contact::Closed,
            _ => Contact::Unknown,
        });
    }
    switch.latest.map(|(value, quality)| contact(switch.encoding, value, quality))
}

/// Returns the contact of a position. A past position does not become stale, because the next change would have been reported.
fn contact(encoding: Encoding, value: Option<f64>, quality: Quality) -> Contact {
    if quality > Quality::Substituted {
        return Contact::Unknown;
    }
    match value.map(|raw| Position::decode(encoding, raw)) {
        Some(Position::Closed) => Contact::Closed,
        Some(Position::Open) => Contact::Open,
        _ => Contact::Unknown,
    }
}
