//! Substations whose outages are derived together over time: either all substations of the network of a utility, or a single substation. At each instant, the
//! supply of a feeder is derived from the active version of the network. If that version does not contain the feeder, its supply is derived from its own
//! substation.

use std::collections::HashMap;
use std::sync::Arc;

use grid::outage::{Cause, Course, Outage, Supply};
use grid::position::Encoding;
use grid::topology::Contact;
use grid::{AssetId, Micros, NodeId, PointId};
use registry::Utility;
use store::outage::{InfeedChange, OutageRecord, Position as Moved, RecomputedStation, SwitchStateBefore};

use super::station::{Feeder, Station, before, contact};
use super::version::{Version, VersionPoints};

/// The versions of a network that were active from a time on, in order. Each has the time from which it was active.
pub(super) type Versions = Vec<(Micros, Arc<VersionPoints>)>;

/// Substations at an instant.
#[derive(Debug)]
pub(super) struct Area {
    utility: Utility,
    stations: Vec<Station>,
    station_of: HashMap<NodeId, usize>,
    /// The position points of all switches.
    switches: HashMap<PointId, (NodeId, Encoding)>,
    contacts: HashMap<PointId, Contact>,
    lines: HashMap<AssetId, bool>,
    /// The later versions in reverse order, so that the next one is the last element.
    next: Versions,
    version: Option<Version>,
    /// For each feeder its substation, and its number there.
    feeders: Vec<(usize, usize)>,
    courses: Vec<Course>,
    known: Vec<Supply>,
    /// For each feeder, the customers that had no supply before the recomputed time. They lost it at an unknown time, so they are not part of an outage.
    without_before: Vec<u64>,
    silent: HashMap<NodeId, Vec<PointId>>,
}

impl Area {
    pub(super) fn new(utility: &Utility, stations: Vec<Station>, mut versions: Versions) -> Self {
        let station_of: HashMap<NodeId, usize> = stations.iter().enumerate().map(|(nth, station)| (station.location, nth)).collect();
        let switches = stations.iter().flat_map(|station| utility.points_at(station.location));
        let switches = switches.filter_map(|point| Some((point.id, (point.location, point.encoding()?)))).collect();
        let feeders = stations.iter().enumerate().flat_map(|(nth, station)| (0..station.feeders.len()).map(move |feeder| (nth, feeder)));
        let feeders: Vec<(usize, usize)> = feeders.collect();
        versions.reverse();
        Self {
            utility: utility.clone(),
            station_of,
            switches,
            contacts: HashMap::new(),
            lines: HashMap::new(),
            next: versions,
            version: None,
            known: vec![Supply::Unknown; feeders.len()],
            without_before: vec![0; feeders.len()],
            feeders,
            courses: Vec::new(),
            silent: HashMap::new(),
            stations,
        }
    }

    /// Returns the substations.
    pub(super) fn locations(&self) -> Vec<NodeId> {
        self.stations.iter().map(|station| station.location).collect()
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
            self.set_line(change);
        }
        while let Some((_, points)) = self.next.pop_if(|(since, _)| *since <= at) {
            self.activate(points);
        }
        for switch in states {
            let Some((location, _)) = self.switches.get(&switch.point).copied() else { continue };
            let Some(contact) = before(switch) else {
                let is_own = self.station_of.get(&location).is_some_and(|nth| self.stations[*nth].depends_on(switch.point));
                if is_own || self.version.as_ref().is_some_and(|version| version.depends_on(switch.point)) {
                    self.silent.entry(location).or_default().push(switch.point);
                }
                continue;
            };
            self.set(switch.point, contact);
        }
        for station in &mut self.stations {
            station.know_sources(station.has_reported());
            station.settle();
        }
        self.settle_version();
        let open_of = |asset: AssetId| open.iter().find(|record| record.asset == asset).and_then(outage_of);
        for nth in 0..self.feeders.len() {
            let within = open_of(self.asset(nth)).map(|open| open.customers.and_then(|customers| Some(customers.steps().last()?.1)));
            let without = self.without_supply(nth);
            self.without_before[nth] = match within {
                None => without,
                Some(None) => 0,
                Some(Some(counted)) => without.saturating_sub(counted),
            };
        }
        self.known = (0..self.feeders.len()).map(|nth| self.supply(nth)).collect();
        let courses = self.feeders.iter().zip(&self.known).map(|((station, feeder), supply)| {
            let feeder = &self.stations[*station].feeders[*feeder];
            Course::begin(feeder.asset, momentary_ms, at, *supply, open_of(feeder.asset))
        });
        self.courses = courses.collect();
        self.count_customers(at);
    }

    /// Applies the movement of a switch.
    pub(super) fn step(&mut self, moved: &Moved) {
        let Some((location, encoding)) = self.switches.get(&moved.point).copied() else { return };
        self.activate_until(moved.at);
        self.set(moved.point, contact(encoding, moved.value, moved.quality));
        let station = self.station_of.get(&location).copied();
        let is_own = station.is_some_and(|nth| self.stations[nth].depends_on(moved.point));
        if let Some(station) = station.filter(|_| is_own).map(|nth| &mut self.stations[nth]) {
            station.know_sources(true);
            station.settle();
        }
        if self.settle_version() || is_own {
            let cause = |feeder: &Feeding<'_>| {
                let is_on_it = feeder.version.is_some_and(|version| version.is_on_feeder(moved.point, feeder.asset));
                moved.trigger.cause(is_on_it || feeder.location == location && feeder.device == moved.device)
            };
            self.observe(moved.at, moved.trigger.offset, cause);
        }
    }

    /// Applies a change of an incoming line.
    pub(super) fn feed(&mut self, change: &InfeedChange) {
        self.activate_until(change.at);
        self.set_line(change);
        for station in &mut self.stations {
            station.settle();
        }
        self.settle_version();
        // No event began it. The lines that die at the same time have the same cause.
        self.observe(change.at, change.at.0.saturating_neg(), |_| Cause::Upstream);
    }

    /// Returns all outages, and the substations.
    pub(super) fn finish(
        mut self,
        until: Micros,
        momentary_ms: i64,
        is_all: impl Fn(NodeId) -> bool,
    ) -> (Vec<Outage>, Vec<RecomputedStation>) {
        self.activate_until(until);
        let mut silent = std::mem::take(&mut self.silent);
        let station = |station: &Station| {
            let (feeders, is_drawn) = station.layout();
            RecomputedStation {
                location: station.location,
                silent: silent.remove(&station.location).unwrap_or_default(),
                layout: is_all(station.location).then_some((feeders, is_drawn, momentary_ms)),
            }
        };
        let stations = self.stations.iter().map(station).collect();
        (self.courses.into_iter().flat_map(Course::finish).collect(), stations)
    }

    /// Activates the versions until a time.
    fn activate_until(&mut self, at: Micros) {
        while let Some((since, points)) = self.next.pop_if(|(since, _)| *since <= at) {
            self.activate(points);
            self.settle_version();
            // The new version can have further customers that have no supply. Nobody knows since when.
            for nth in (0..self.feeders.len()).filter(|nth| !self.courses[*nth].is_open()) {
                self.without_before[nth] = self.without_supply(nth);
            }
            self.observe(since, since.0.saturating_neg(), |_| Cause::Unknown);
        }
    }

    fn activate(&mut self, points: Arc<VersionPoints>) {
        let utility = &self.utility;
        let addresses: HashMap<(NodeId, String), PointId> = {
            let points = self.stations.iter().flat_map(|station| utility.points_at(station.location));
            points.filter(|point| point.encoding().is_some()).map(|point| ((point.location, point.address()), point.id)).collect()
        };
        let mut version = Version::new(
            points,
            &self.stations,
            |station| utility.node(station.location).map(|node| node.code.clone()),
            |station, address| addresses.get(&(station.location, address.to_owned())).copied(),
        );
        self.contacts.iter().for_each(|(point, contact)| version.set(*point, *contact));
        self.lines.iter().for_each(|(line, is_live)| version.set_line(*line, *is_live));
        self.version = Some(version);
    }

    fn set(&mut self, point: PointId, contact: Contact) {
        let Some((location, _)) = self.switches.get(&point) else { return };
        self.contacts.insert(point, contact);
        if let Some(nth) = self.station_of.get(location) {
            self.stations[*nth].set(point, contact);
        }
        if let Some(version) = &mut self.version {
            version.set(point, contact);
        }
    }

    fn set_line(&mut self, change: &InfeedChange) {
        self.lines.insert(change.asset, change.is_live);
        self.stations.iter_mut().for_each(|station| station.set_infeed(change));
        if let Some(version) = &mut self.version {
            version.set_line(change.asset, change.is_live);
        }
    }

    fn settle_version(&mut self) -> bool {
        let has_changed = self.version.as_mut().is_some_and(Version::settle);
        if has_changed {
            for nth in 0..self.feeders.len() {
                self.without_before[nth] = self.without_before[nth].min(self.without_supply(nth));
            }
        }
        has_changed
    }

    fn asset(&self, nth: usize) -> AssetId {
        let (station, feeder) = self.feeders[nth];
        self.stations[station].feeders[feeder].asset
    }

    /// Returns the customers of a feeder that are without supply; 0 if the network does not have them.
    fn without_supply(&self, nth: usize) -> u64 {
        self.version.as_ref().and_then(|version| version.without_supply(self.asset(nth))).unwrap_or(0)
    }

    fn supply(&self, nth: usize) -> Supply {
        let (station, feeder) = self.feeders[nth];
        let station = &self.stations[station];
        let feeder = &station.feeders[feeder];
        let by_network = self.version.as_ref().and_then(|version| version.supply(feeder.asset, self.without_before[nth]));
        by_network.unwrap_or_else(|| station.supply(feeder))
    }

    /// Passes the supply of each feeder to its course if the supply has changed.
    fn observe(&mut self, at: Micros, event: i64, cause: impl Fn(&Feeding<'_>) -> Cause) {
        for nth in 0..self.feeders.len() {
            let supply = self.supply(nth);
            if supply != self.known[nth] {
                self.known[nth] = supply;
                let (station, feeder) = self.feeders[nth];
                let (station, version) = (&self.stations[station], self.version.as_ref());
                let Feeder { asset, device, .. } = &station.feeders[feeder];
                let feeding = Feeding { asset: *asset, location: station.location, device, version };
                self.courses[nth].observe(at, supply, event, || cause(&feeding));
            }
        }
        self.count_customers(at);
    }

    /// Passes the customers without supply to the courses with an outage.
    fn count_customers(&mut self, at: Micros) {
        let Some(version) = &self.version else { return };
        let feeders = self.courses.iter_mut().zip(&self.feeders).zip(&self.without_before);
        for ((course, (station, feeder)), before) in feeders.filter(|((course, _), _)| course.is_open()) {
            if let Some(customers) = version.without_supply(self.stations[*station].feeders[*feeder].asset) {
                course.count_customers(at, customers.saturating_sub(*before));
            }
        }
    }
}

/// A feeder whose supply has changed.
struct Feeding<'a> {
    asset: AssetId,
    location: NodeId,
    device: &'a str,
    version: Option<&'a Version>,
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
        customers: record.customers.clone(),
    })
}
