//! Substations whose outages are derived together over time: either all substations of the network of a utility, or a single substation. At each instant, the
//! supply of a feeder is derived from the active version of the network. If that version does not contain the feeder, its supply is derived from its own
//! substation.

use std::collections::HashMap;
use std::sync::Arc;

use grid::manual_entry::EntryTerms;
use grid::outage::{Cause, Course, Outage, Supply};
use grid::position::{Encoding, Position as Decoded};
use grid::topology::Contact;
use grid::{AssetId, Micros, NodeId, PointId};
use registry::Utility;
use store::manual_entry::{EntrySubject, ManualEntry};
use store::outage::{InfeedChange, OutageRecord, Position as Moved, RecomputedStation, SwitchStateBefore};

use super::by_hand::ReportedPosition;
use super::station::{Feeder, Station, Telemetry, before};
use super::version::{Version, VersionPoints};

/// Substations at an instant.
#[derive(Debug)]
pub(super) struct Area {
    utility: Utility,
    stations: Vec<Station>,
    station_of: HashMap<NodeId, usize>,
    /// The position points of all switches.
    switches: HashMap<PointId, (NodeId, Encoding)>,
    telemetry: HashMap<PointId, Telemetry>,
    lines: HashMap<AssetId, bool>,
    /// The current entries.
    entries: Vec<ManualEntry>,
    /// The current entries for points of switches that are in no network.
    entered: HashMap<PointId, EnteredAtPoint>,
    version: Option<Version>,
    /// For each feeder its substation, and its number there.
    feeders: Vec<(usize, usize)>,
    courses: Vec<Course>,
    known: Vec<Supply>,
    /// For each feeder, the customers that had no supply before the recomputed time. They lost it at an unknown time, so they are not part of an outage.
    without_before: Vec<u64>,
    silent: HashMap<NodeId, Vec<PointId>>,
}

/// A position that a user has entered for a point.
#[derive(Debug, Clone, Copy)]
struct EnteredAtPoint {
    number: i64,
    contact: Contact,
    terms: EntryTerms,
}

/// The state before the recomputed time.
#[derive(Debug)]
pub(super) struct StateBefore<'a> {
    pub(super) switches: &'a [SwitchStateBefore],
    pub(super) lines: &'a [InfeedChange],
    pub(super) entries: Vec<ManualEntry>,
    /// Reports that end entries.
    pub(super) reports: Vec<ReportedPosition>,
    pub(super) network: Option<Arc<VersionPoints>>,
    /// Open outages.
    pub(super) open: &'a [OutageRecord],
}

impl Area {
    pub(super) fn new(utility: &Utility, stations: Vec<Station>) -> Self {
        let station_of: HashMap<NodeId, usize> = stations.iter().enumerate().map(|(nth, station)| (station.location, nth)).collect();
        let switches = stations.iter().flat_map(|station| utility.points_at(station.location));
        let switches = switches.filter_map(|point| Some((point.id, (point.location, point.encoding()?)))).collect();
        let feeders = stations.iter().enumerate().flat_map(|(nth, station)| (0..station.feeders.len()).map(move |feeder| (nth, feeder)));
        let feeders: Vec<(usize, usize)> = feeders.collect();
        Self {
            utility: utility.clone(),
            station_of,
            switches,
            telemetry: HashMap::new(),
            lines: HashMap::new(),
            entries: Vec::new(),
            entered: HashMap::new(),
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

    /// Sets the initial state at an instant. Losses within `momentary_ms` are one outage.
    pub(super) fn begin(&mut self, at: Micros, momentary_ms: i64, state: StateBefore<'_>) {
        for change in state.lines {
            self.set_line(change);
        }
        state.network.into_iter().for_each(|points| self.activate(points));
        for switch in state.switches {
            let Some((location, _)) = self.switches.get(&switch.point).copied() else { continue };
            let Some(telemetry) = before(switch) else {
                let is_own = self.station_of.get(&location).is_some_and(|nth| self.stations[*nth].depends_on(switch.point));
                if is_own || self.version.as_ref().is_some_and(|version| version.depends_on(switch.point)) {
                    self.silent.entry(location).or_default().push(switch.point);
                }
                continue;
            };
            self.set(switch.point, telemetry);
        }
        for report in state.reports {
            self.take_report(report);
        }
        self.take_entries(state.entries, &[]);
        for station in &mut self.stations {
            station.know_sources(station.has_reported());
            station.settle();
        }
        self.settle_version();
        let open_of = |asset: AssetId| state.open.iter().find(|record| record.asset == asset).and_then(outage_of);
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
        self.set(moved.point, Telemetry::new(encoding, moved.value, moved.quality, moved.at));
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
        self.set_line(change);
        for station in &mut self.stations {
            station.settle();
        }
        self.settle_version();
        // No event began it. The lines that die at the same time have the same cause.
        self.observe(change.at, change.at.0.saturating_neg(), |_| Cause::Upstream);
    }

    /// Applies entries that users have made or withdrawn at a time.
    pub(super) fn enter(&mut self, at: Micros, entered: Vec<ManualEntry>, withdrawn: &[i64]) {
        self.take_entries(entered, withdrawn);
        self.observe_without_event(at);
    }

    /// Applies a report that repeats a position, so that entries yield to it.
    pub(super) fn report(&mut self, report: ReportedPosition) {
        self.take_report(report);
        self.observe_without_event(report.at);
    }

    /// Applies another network from a time on: another version, or the same one with other jumpers and cuts.
    pub(super) fn change_network(&mut self, since: Micros, points: Arc<VersionPoints>, is_activation: bool) {
        self.activate(points);
        self.settle_version();
        for nth in 0..self.feeders.len() {
            let without = self.without_supply(nth);
            // A new version can have further customers that have no supply. Nobody knows since when.
            let is_new = is_activation && !self.courses[nth].is_open();
            self.without_before[nth] = if is_new { without } else { self.without_before[nth].min(without) };
        }
        self.observe(since, since.0.saturating_neg(), |_| Cause::Unknown);
    }

    fn observe_without_event(&mut self, at: Micros) {
        self.stations.iter_mut().for_each(Station::settle);
        self.settle_version();
        self.observe(at, at.0.saturating_neg(), |_| Cause::Unknown);
    }

    /// Returns all outages, and the substations.
    pub(super) fn finish(mut self, momentary_ms: i64, is_all: impl Fn(NodeId) -> bool) -> (Vec<Outage>, Vec<RecomputedStation>) {
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
        self.telemetry.iter().for_each(|(point, of)| version.set(*point, of.contact, of.report));
        version.enter(&self.entries, &[]);
        self.lines.iter().for_each(|(line, is_live)| version.set_line(*line, *is_live));
        self.version = Some(version);
    }

    fn set(&mut self, point: PointId, telemetry: Telemetry) {
        if !self.switches.contains_key(&point) {
            return;
        }
        self.telemetry.insert(point, telemetry);
        self.show(point);
        if let Some(version) = &mut self.version {
            version.set(point, telemetry.contact, telemetry.report);
        }
    }

    /// Sets the position of a point in its substation: an entered one if it counts.
    fn show(&mut self, point: PointId) {
        let Some(nth) = self.switches.get(&point).and_then(|(location, _)| self.station_of.get(location)) else { return };
        let telemetry = self.telemetry.get(&point);
        let entered = self.entered.get(&point).filter(|entered| entered.terms.counts(telemetry.and_then(|of| of.report.as_ref())));
        let contact = entered.map_or_else(|| telemetry.map_or(Contact::Unknown, |of| of.contact), |entered| entered.contact);
        self.stations[*nth].set(point, contact);
    }

    fn take_report(&mut self, report: ReportedPosition) {
        let Some((_, encoding)) = self.switches.get(&report.point).copied() else { return };
        let held = self.telemetry.get(&report.point).copied();
        if held.and_then(|held| held.report).is_none_or(|held| held.source < report.at) {
            let mut telemetry = Telemetry::new(encoding, report.value, report.quality, report.at);
            // The position stays as it was: another one would be an event.
            if let Some(held) = held.filter(|_| telemetry.contact == Contact::Unknown) {
                telemetry.contact = held.contact;
            }
            self.set(report.point, telemetry);
        }
    }

    fn take_entries(&mut self, entered: Vec<ManualEntry>, withdrawn: &[i64]) {
        self.entries.retain(|entry| !withdrawn.contains(&entry.id));
        let mut points: Vec<PointId> = Vec::new();
        self.entered.retain(|point, entered| {
            let is_current = !withdrawn.contains(&entered.number);
            points.extend((!is_current).then_some(*point));
            is_current
        });
        for entry in &entered {
            let EntrySubject::Point(point) = entry.subject else { continue };
            let contact = match Decoded::decode(Encoding::DoublePoint, entry.value) {
                Decoded::Open => Contact::Open,
                Decoded::Closed => Contact::Closed,
                _ => continue,
            };
            if self.switches.contains_key(&point) {
                self.entered.insert(point, EnteredAtPoint { number: entry.id, contact, terms: entry.terms });
                points.push(point);
            }
        }
        for point in points {
            self.show(point);
        }
        if let Some(version) = &mut self.version {
            version.enter(&entered, withdrawn);
        }
        self.entries.extend(entered);
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
