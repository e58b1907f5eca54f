//! One substation over time: the movements of its switches, the voltage of its incoming lines, and the supply of its feeders. Supply follows from the
//! drawing, or for a feeder that is not drawn, from the breaker of its bay. Without a live incoming line there is none.

use std::collections::HashMap;
use std::sync::Arc;

use grid::outage::{Cause, Course, Outage, Supply};
use grid::position::{Encoding, Position};
use grid::topology::Contact;
use grid::{AssetId, Micros, NodeId, Point, PointId, Quality};
use network::{EquipmentId, NetworkState};
use registry::Utility;
use store::outage::{InfeedChange, OutageRecord, Position as Moved, SwitchStateBefore};

use super::circuit::Circuit;

/// Asset types (specification 2, section 9).
const FEEDER: i32 = 1;
const BREAKER: i32 = 3;
const INCOMER: i32 = 4;

/// A feeder with the data that determine its supply.
#[derive(Debug, Clone)]
struct Feeder {
    asset: AssetId,
    /// The device of its bay.
    device: String,
    /// Its node in the drawing.
    node: Option<usize>,
    /// The position point of its breaker.
    breaker: Option<PointId>,
}

/// A switch that affects supply.
#[derive(Debug, Clone)]
struct Switch {
    /// The switches of the circuit that have its position.
    drawn: Vec<EquipmentId>,
    encoding: Encoding,
}

/// The state of a substation at an instant.
#[derive(Debug)]
pub(super) struct Station {
    feeders: Vec<Feeder>,
    switches: HashMap<PointId, Switch>,
    circuit: Option<(Arc<Circuit>, NetworkState)>,
    contacts: HashMap<PointId, Contact>,
    courses: Vec<Course>,
    known: Vec<Supply>,
    silent: Vec<PointId>,
    infeeds: Vec<Infeed>,
    /// Whether unmeasured sources count as present.
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
    /// Creates the state; `None` if the substation has no feeders.
    pub(super) fn new(location: NodeId, utility: &Utility, circuit: Option<Arc<Circuit>>) -> Option<Self> {
        let points: Vec<&Point> = utility.points_at(location).filter(|point| point.encoding().is_some()).collect();
        let assets = || utility.assets_at(location);
        let mut breakers: HashMap<&str, PointId> = HashMap::new();
        for asset in assets().filter(|asset| asset.type_id == BREAKER) {
            let position = points.iter().filter(|point| point.asset == asset.id && point.code == "Pos").min_by_key(|point| point.id);
            if let Some(point) = position {
                breakers.entry(&asset.device).or_insert(point.id);
            }
        }
        let node = |code: &str| circuit.as_ref()?.feeders.get(code).copied();
        let feeders: Vec<Feeder> = assets()
            .filter(|asset| asset.type_id == FEEDER)
            .map(|asset| Feeder {
                asset: asset.id,
                device: asset.device.clone(),
                node: node(&asset.code),
                breaker: breakers.get(asset.device.as_str()).copied(),
            })
            .collect();
        if feeders.is_empty() {
            return None;
        }
        let switch = |point: &&Point| {
            let drawn = circuit.as_ref().and_then(|circuit| circuit.switches.get(&point.address())).cloned().unwrap_or_default();
            let matters = !drawn.is_empty() || feeders.iter().any(|feeder| feeder.breaker == Some(point.id));
            Some((point.id, Switch { drawn, encoding: point.encoding()? })).filter(|_| matters)
        };
        let switches = points.iter().filter_map(switch).collect();
        let drawn = |code: &str| circuit.as_ref().and_then(|circuit| circuit.infeeds.get(code)).cloned().unwrap_or_default();
        let lines = assets().filter(|asset| asset.type_id == INCOMER || !drawn(&asset.code).is_empty());
        let infeeds = lines.map(|asset| Infeed { asset: asset.id, drawn: drawn(&asset.code), is_live: true }).collect();
        let circuit = circuit.map(|circuit| {
            let network = NetworkState::new(Arc::clone(&circuit.connections.model));
            (circuit, network)
        });
        let known = vec![Supply::Unknown; feeders.len()];
        Some(Self {
            feeders,
            switches,
            circuit,
            contacts: HashMap::new(),
            courses: Vec::new(),
            known,
            silent: Vec::new(),
            infeeds,
            are_sources_known: false,
        })
    }

    /// Returns what the result depends on: the feeders, and whether a drawing is used.
    pub(super) fn layout(&self) -> (Vec<AssetId>, bool) {
        (self.feeders.iter().map(|feeder| feeder.asset).collect(), self.circuit.is_some())
    }

    /// Sets the initial state at an instant: the positions of the switches before it, the incoming lines, and the open outages. Losses within `momentary_ms`
    /// are one outage.
    pub(super) fn begin(
        &mut self,
        at: Micros,
        momentary_ms: i64,
        (states, lines): (&[SwitchStateBefore], &[InfeedChange]),
        open: &[OutageRecord],
    ) {
        for change in lines {
            self.set_infeed(change);
        }
        for switch in states.iter().filter(|switch| self.switches.contains_key(&switch.point)) {
            let Some(contact) = before(switch) else {
                self.silent.push(switch.point);
                continue;
            };
            self.contacts.insert(switch.point, contact);
        }
        let contacts: Vec<(PointId, Contact)> = self.contacts.iter().map(|(point, contact)| (*point, *contact)).collect();
        for (point, contact) in contacts {
            self.set(point, contact);
        }
        // If no switch of a substation has reported, its sources are unknown too.
        self.sources(self.contacts.values().any(|contact| *contact != Contact::Unknown));
        self.known = self.feeders.iter().map(|feeder| self.supply(feeder)).collect();
        let course = |(feeder, supply): (&Feeder, &Supply)| {
            let open = open.iter().find(|record| record.asset == feeder.asset).and_then(outage_of);
            Course::begin(feeder.asset, momentary_ms, at, *supply, open)
        };
        self.courses = self.feeders.iter().zip(&self.known).map(course).collect();
    }

    /// Applies the movement of a switch.
    pub(super) fn step(&mut self, moved: &Moved) {
        let Some(switch) = self.switches.get(&moved.point) else { return };
        let contact = contact(switch.encoding, moved.value, moved.quality);
        self.contacts.insert(moved.point, contact);
        self.set(moved.point, contact);
        self.sources(true);
        self.observe(moved.at, moved.trigger.offset, |feeder| moved.trigger.cause(feeder.device == moved.device));
    }

    /// Applies a change of an incoming line.
    pub(super) fn feed(&mut self, change: &InfeedChange) {
        self.set_infeed(change);
        self.sources(self.are_sources_known);
        // No event began it. The lines that die at the same time have the same cause.
        self.observe(change.at, change.at.0.saturating_neg(), |_| Cause::Upstream);
    }

    fn set_infeed(&mut self, change: &InfeedChange) {
        for infeed in self.infeeds.iter_mut().filter(|infeed| infeed.asset == change.asset) {
            infeed.is_live = change.is_live;
        }
    }

    /// Passes the supply of each feeder that has changed to its course.
    fn observe(&mut self, at: Micros, event: i64, cause: impl Fn(&Feeder) -> Cause) {
        for nth in 0..self.feeders.len() {
            let supply = self.supply(&self.feeders[nth]);
            if supply != self.known[nth] {
                self.known[nth] = supply;
                let feeder = &self.feeders[nth];
                self.courses[nth].observe(at, supply, event, || cause(feeder));
            }
        }
    }

    /// Returns all outages, and the switches that have never reported.
    pub(super) fn finish(self) -> (Vec<Outage>, Vec<PointId>) {
        (self.courses.into_iter().flat_map(Course::finish).collect(), self.silent)
    }

    fn set(&mut self, point: PointId, contact: Contact) {
        if let (Some((_, network)), Some(switch)) = (&mut self.circuit, self.switches.get(&point)) {
            switch.drawn.iter().for_each(|drawn| network.set_contact(*drawn, contact));
        }
    }

    fn sources(&mut self, are_known: bool) {
        self.are_sources_known = are_known;
        if let Some((circuit, network)) = &mut self.circuit {
            let unmeasured = if are_known { Contact::Closed } else { Contact::Unknown };
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

    fn supply(&self, feeder: &Feeder) -> Supply {
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

/// Returns the state of a switch before the first instant: by its last event before it, or else as the opposite of its first event, or else
/// by its newest value. `None` if it has never reported.
fn before(switch: &SwitchStateBefore) -> Option<Contact> {
    if let Some((value, quality)) = switch.was {
        return Some(contact(switch.encoding, value, quality));
    }
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

/// Returns the computed outage, without corrections by users.
fn outage_of(record: &OutageRecord) -> Option<Outage> {
    let worked = record.worked?;
    Some(Outage {
        feeder: record.asset,
        incident: record.incident,
        started: worked.started,
        ended: worked.ended,
        cause: worked.cause,
        trips: record.trips,
        from_unknown: record.from_unknown,
        provisional: record.provisional,
        evidence: record.evidence.clone(),
    })
}
