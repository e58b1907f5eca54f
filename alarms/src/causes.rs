//! The switches because of which parts of a utility are without supply. An alarm that follows from such a cause is suppressed. Pure.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use grid::position::Position;
use grid::{AssetId, Micros, NodeId, PointId, Reading};
use store::alarm::FieldEvent;

use crate::about::About;
use crate::supply::{Positions, Station, opened_source};

/// A measurand follows within this time after supply has returned, ms. Until then a low value still counts as a consequence.
pub(crate) const SETTLING_MS: i64 = 30_000;

/// Why a part is without supply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cause {
    switch: PointId,
    /// Whether the switch tripped; otherwise a user opened it.
    is_trip: bool,
    location: NodeId,
}

impl Cause {
    /// Returns the source of the cause's alarm.
    fn source(self) -> String {
        if self.is_trip { trip_source(self.switch) } else { opened_source(self.switch) }
    }
}

/// Returns the source of the alarm for a trip.
pub(crate) fn trip_source(breaker: PointId) -> String {
    format!("trip/{breaker}")
}

/// An alarm for an opened switch, and whether it is active.
pub(crate) type OpenedChange = (Arc<About>, bool);

/// The effect of a movement.
#[derive(Debug, Default)]
pub(crate) struct MovementEffect {
    /// Alarms for opened switches that begin or end.
    pub(crate) opened: Vec<OpenedChange>,
    /// Parts that have lost their supply, each with the source of the cause's alarm.
    pub(crate) lost: Vec<(AssetId, String)>,
}

/// The causes of one utility.
#[derive(Debug, Default)]
pub(crate) struct Causes {
    positions: Positions,
    /// The substations in which something was switched.
    stations: HashMap<NodeId, Station>,
    of: HashMap<AssetId, Cause>,
    /// Causes that ended a moment ago, with their end.
    ended: HashMap<AssetId, (String, Micros)>,
    /// The active alarms for opened switches, with their substations.
    opened: HashMap<PointId, NodeId>,
}

impl Causes {
    /// Begins with the stored alarms for opened switches. What `before` knows of causes continues.
    pub(crate) fn new(opened: HashMap<PointId, NodeId>, before: Self) -> Self {
        // Substations are built again, because the registry or a drawing may have changed.
        Self { stations: HashMap::new(), opened, ..before }
    }

    /// Applies a stored position. An older one changes nothing.
    pub(crate) fn stored(&mut self, switch: PointId, reading: &Reading) {
        if self.positions.get(&switch).is_none_or(|held| reading.supersedes(held)) {
            self.positions.insert(switch, *reading);
        }
    }

    /// Returns the substations that have to be added: those with a cause, and those of the events.
    pub(crate) fn missing(&self, tripped: impl Iterator<Item = NodeId>, events: &[FieldEvent]) -> Vec<NodeId> {
        let moved = events.iter().filter(|event| event.code == "Pos").map(|event| event.event.location);
        let mut missing: Vec<NodeId> =
            tripped.chain(self.opened.values().copied()).chain(moved).filter(|location| !self.stations.contains_key(location)).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Adds a substation. `tripped` are the breakers with an open fault. Returns the alarms for opened switches that have ended meanwhile.
    pub(crate) fn add(&mut self, location: NodeId, station: Station, tripped: &HashSet<PointId>) -> Vec<OpenedChange> {
        let here = tripped.iter().copied().filter(|switch| station.has(*switch)).map(|switch| (switch, true));
        let opened = self.opened.iter().filter(|(_, at)| **at == location).map(|(switch, _)| (*switch, false));
        for (switch, is_trip) in here.chain(opened) {
            for asset in station.behind(&self.positions, switch) {
                self.of.entry(asset).or_insert(Cause { switch, is_trip, location });
            }
        }
        self.stations.insert(location, station);
        self.settle(location, None)
    }

    /// Applies the movement of a switch. `is_trip`: the breaker opened without a command or by its protection.
    pub(crate) fn moved(&mut self, event: &FieldEvent, is_trip: bool) -> MovementEffect {
        let event = &event.event;
        let (switch, location) = (event.point, event.location);
        let reading =
            Reading { value: event.value, quality: event.quality, source: event.source, received: event.received, ordinal: event.ordinal };
        if self.positions.get(&switch).is_some_and(|held| held.supersedes(&reading)) {
            return MovementEffect::default();
        }
        self.positions.insert(switch, reading);
        let Some(station) = self.stations.get(&location) else { return MovementEffect::default() };
        let mut lost = Vec::new();
        let opens = event.value.is_some_and(|value| Position::decode(event.encoding, value) == Position::Open);
        if opens {
            let cause = Cause { switch, is_trip, location };
            for asset in station.behind(&self.positions, switch) {
                self.of.insert(asset, cause);
                self.ended.remove(&asset);
                lost.push((asset, cause.source()));
            }
        }
        lost.sort_unstable();
        let opened = self.settle(location, Some(event.received));
        MovementEffect { opened, lost }
    }

    /// Ends the causes of parts that have supply again, finds another cause for parts that do not although their switch was closed, and
    /// returns the alarms for opened switches that begin or end.
    fn settle(&mut self, location: NodeId, at: Option<Micros>) -> Vec<OpenedChange> {
        let Self { positions, stations, of, ended, opened } = self;
        let Some(station) = stations.get(&location) else { return Vec::new() };
        let supplied = station.supplied(positions);
        of.retain(|asset, cause| {
            // While a position is not known, the last known cause counts.
            let stays = cause.location != location || !supplied.contains(asset);
            if !stays && let Some(at) = at {
                ended.insert(*asset, (cause.source(), at));
            }
            stays
        });
        let orphans: Vec<AssetId> = of
            .iter()
            .filter(|(_, cause)| cause.location == location && station.is_closed(positions, cause.switch))
            .map(|(asset, _)| *asset)
            .collect();
        if !orphans.is_empty() {
            for switch in station.open(positions) {
                let behind = station.behind(positions, switch);
                for asset in orphans.iter().filter(|asset| behind.contains(asset)) {
                    of.insert(*asset, Cause { switch, is_trip: false, location });
                }
            }
        }
        let mut behind: HashMap<PointId, HashSet<AssetId>> = HashMap::new();
        for (asset, cause) in of.iter().filter(|(_, cause)| cause.location == location && !cause.is_trip) {
            behind.entry(cause.switch).or_default().insert(*asset);
        }
        let over: Vec<PointId> =
            opened.iter().filter(|(switch, at)| **at == location && !behind.contains_key(switch)).map(|(switch, _)| *switch).collect();
        let mut changes = Vec::new();
        for switch in over {
            opened.remove(&switch);
            changes.extend(station.opened(switch, &HashSet::new()).map(|about| (about, false)));
        }
        for (switch, assets) in behind {
            if !opened.contains_key(&switch) {
                opened.insert(switch, location);
                changes.extend(station.opened(switch, &assets).map(|about| (about, true)));
            }
        }
        changes.sort_by_key(|(about, _)| about.point);
        changes
    }

    /// Returns the source of the alarm because of which an asset is without supply, or was until a moment ago.
    pub(crate) fn of(&self, asset: AssetId, now: Micros) -> Option<String> {
        let ended = || self.ended.get(&asset).filter(|(_, at)| now.millis_since(*at) <= SETTLING_MS).map(|(source, _)| source.clone());
        self.of.get(&asset).map(|cause| cause.source()).or_else(ended)
    }

    /// Returns whether an asset is without supply for a known cause.
    pub(crate) fn is_without_supply(&self, asset: AssetId) -> bool {
        self.of.contains_key(&asset)
    }

    /// Forgets causes that ended long ago.
    pub(crate) fn time(&mut self, now: Micros) {
        self.ended.retain(|_, (_, at)| now.millis_since(*at) <= SETTLING_MS);
    }
}
