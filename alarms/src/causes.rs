//! The switches because of which parts of a utility are without supply. An alarm that follows from such a cause is suppressed. Pure.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use grid::alarm::AlarmKind;
use grid::position::Position;
use grid::{AssetId, Micros, NodeId, PointId, Reading};
use store::alarm::FieldEvent;

use crate::about::About;
use crate::supply::{Positions, Station, opened_source};

/// A measurand follows within this time after supply has returned, ms. Until then a low value still counts as a consequence.
pub(crate) const SETTLING_MS: i64 = 30_000;
/// A condition may begin this much before the loss of supply, because the clocks of devices differ, ms.
pub(crate) const CLOCKS_MS: i64 = 1_000;
/// How long the end of a cause is remembered, ms. Conditions are compared with it by source times, and their commit may be late.
const REMEMBERED_MS: i64 = 5 * 60_000;

/// Why a part is without supply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cause {
    switch: PointId,
    /// Whether the switch tripped; otherwise a user opened it.
    is_trip: bool,
    location: NodeId,
    /// When supply was lost, by the device's clock.
    lost: Micros,
}

/// A cause that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct EndedCause {
    cause: Cause,
    /// When supply returned, by the device's clock, and when that was received.
    at: Micros,
    received: Micros,
}

/// The cause of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CauseFound {
    /// The source of the cause's alarm.
    pub(crate) source: String,
    /// Whether supply has returned. The alarm of the cause may be over then.
    pub(crate) has_ended: bool,
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

/// A condition that is present and suppressed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Suppression {
    /// The source of the cause's alarm.
    pub(crate) cause: Option<String>,
    /// Since when its cause is over.
    pub(crate) ended: Option<Micros>,
    /// Whether its row shows an earlier occurrence that is not acknowledged.
    pub(crate) is_hidden: bool,
    /// The value with which it began, if it is hidden.
    pub(crate) value: Option<f64>,
}

/// Conditions that are suppressed while their rows show earlier occurrences, by source; `None` if they are so no more.
pub(crate) type Hidden = HashMap<String, Option<Suppression>>;

/// Returns whether an alarm can be the cause of others.
pub(crate) fn is_cause(kind: AlarmKind) -> bool {
    matches!(kind, AlarmKind::Trip | AlarmKind::Opened)
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
    ended: HashMap<AssetId, EndedCause>,
    /// The breakers with an open fault, with the times of their openings.
    tripped: HashMap<PointId, Micros>,
    /// The active alarms for opened switches, with their substations.
    opened: HashMap<PointId, NodeId>,
}

impl Causes {
    /// Begins with the stored alarms for opened switches. What `before` knows of causes continues.
    pub(crate) fn new(opened: HashMap<PointId, NodeId>, before: Self) -> Self {
        // Substations are built again, because the registry or a drawing may have changed.
        Self { stations: HashMap::new(), tripped: HashMap::new(), opened, ..before }
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
        // A part with a cause may have been removed from the drawing.
        let with_cause = self.of.values().map(|cause| cause.location);
        let known = tripped.chain(self.opened.values().copied()).chain(with_cause);
        let mut missing: Vec<NodeId> = known.chain(moved).filter(|location| !self.stations.contains_key(location)).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Adds a substation. `tripped` are the breakers with an open fault and the times of their openings. Returns the alarms for opened
    /// switches that have ended meanwhile.
    pub(crate) fn add(&mut self, location: NodeId, station: Station, tripped: &HashMap<PointId, Micros>) -> Vec<OpenedChange> {
        self.tripped.extend(tripped);
        self.of.retain(|asset, cause| cause.location != location || station.follows(*asset));
        let here: Vec<PointId> = self.tripped.keys().copied().filter(|switch| station.has(*switch)).collect();
        let opened: Vec<PointId> = self.opened.iter().filter(|(_, at)| **at == location).map(|(switch, _)| *switch).collect();
        for switch in here.into_iter().chain(opened) {
            let mut without = station.behind(&self.positions, switch);
            // Of several open switches in line, none alone restores supply. Each of them is a cause.
            if station.is_open(&self.positions, switch) {
                without.extend(station.interrupted(&self.positions, switch));
            }
            let trip = self.tripped.get(&switch).copied();
            let Some(lost) = trip.or_else(|| self.positions.get(&switch).map(|held| held.source)) else { continue };
            for asset in without {
                self.of.entry(asset).or_insert(Cause { switch, is_trip: trip.is_some(), location, lost });
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
        let position = event.value.map(|value| Position::decode(event.encoding, value));
        let opens = position == Some(Position::Open);
        if opens && is_trip {
            self.tripped.insert(switch, event.source);
        } else if position == Some(Position::Closed) {
            self.tripped.remove(&switch);
        }
        let Some(station) = self.stations.get(&location) else { return MovementEffect::default() };
        let mut lost = Vec::new();
        if opens {
            // An opening that is reported again remains the trip that it was.
            let is_trip = self.tripped.contains_key(&switch);
            for asset in station.behind(&self.positions, switch) {
                let before = self.of.get(&asset).filter(|before| before.switch == switch);
                let since = before.map_or(event.source, |before| before.lost);
                let cause = Cause { switch, is_trip, location, lost: since };
                self.of.insert(asset, cause);
                self.ended.remove(&asset);
                lost.push((asset, cause.source()));
            }
        }
        lost.sort_unstable();
        let opened = self.settle(location, Some((event.source, event.received)));
        MovementEffect { opened, lost }
    }

    /// Ends the causes of parts that have supply again, finds another cause for parts that do not although their switch was closed, and
    /// returns the alarms for opened switches that begin or end. `at`: when supply returned, and when that was received.
    fn settle(&mut self, location: NodeId, at: Option<(Micros, Micros)>) -> Vec<OpenedChange> {
        let Self { positions, stations, of, ended, tripped, opened } = self;
        let Some(station) = stations.get(&location) else { return Vec::new() };
        let supplied = station.supplied(positions);
        of.retain(|asset, cause| {
            // While a position is not known, the last known cause counts.
            let stays = cause.location != location || !supplied.contains(asset);
            if !stays && let Some((at, received)) = at {
                ended.insert(*asset, EndedCause { cause: *cause, at, received });
            }
            stays
        });
        let is_orphan = |cause: &Cause| cause.location == location && station.is_closed(positions, cause.switch);
        if of.values().any(is_orphan) {
            let mut open = station.open(positions);
            // A trip comes first: it has its alarm already.
            open.sort_by_key(|switch| (!tripped.contains_key(switch), *switch));
            let behind = open.iter().map(|switch| (*switch, station.behind(positions, *switch)));
            let interrupted = open.iter().map(|switch| (*switch, station.interrupted(positions, *switch)));
            let candidates: Vec<(PointId, HashSet<AssetId>)> = behind.chain(interrupted).collect();
            for (asset, cause) in of.iter_mut().filter(|(_, cause)| is_orphan(cause)) {
                if let Some((switch, _)) = candidates.iter().find(|(_, without)| without.contains(asset)) {
                    (cause.switch, cause.is_trip) = (*switch, tripped.contains_key(switch));
                }
            }
        }
        let mut behind: HashMap<PointId, HashSet<AssetId>> = HashMap::new();
        for (asset, cause) in of.iter().filter(|(_, cause)| cause.location == location && !cause.is_trip) {
            behind.entry(cause.switch).or_default().insert(*asset);
        }
        let mut over: Vec<PointId> =
            opened.iter().filter(|(switch, at)| **at == location && !behind.contains_key(switch)).map(|(switch, _)| *switch).collect();
        // While a switch is not closed and interrupts supply, its alarm stays, whatever else is open.
        over.retain(|switch| station.interrupted(positions, *switch).is_empty());
        let mut changes = Vec::new();
        for switch in over {
            opened.remove(&switch);
            changes.extend(station.opened(switch, &HashSet::new()).map(|about| (about, false)));
        }
        for (switch, assets) in behind {
            if let Entry::Vacant(entry) = opened.entry(switch) {
                entry.insert(location);
                changes.extend(station.opened(switch, &assets).map(|about| (about, true)));
            }
        }
        changes.sort_by_key(|(about, _)| about.point);
        changes
    }

    /// Returns the cause of a condition of an asset that began at this source time: the asset was without supply then, or had been until a
    /// moment before.
    pub(crate) fn of(&self, asset: AssetId, at: Micros) -> Option<CauseFound> {
        let is_after = |cause: &Cause| at.millis_since(cause.lost) >= -CLOCKS_MS;
        if let Some(cause) = self.of.get(&asset) {
            return is_after(cause).then(|| CauseFound { source: cause.source(), has_ended: false });
        }
        let ended = self.ended.get(&asset).filter(|ended| is_after(&ended.cause) && at.millis_since(ended.at) <= SETTLING_MS)?;
        Some(CauseFound { source: ended.cause.source(), has_ended: true })
    }

    /// Returns whether an asset is without supply for a known cause.
    pub(crate) fn is_without_supply(&self, asset: AssetId) -> bool {
        self.of.contains_key(&asset)
    }

    /// Forgets causes that ended long ago.
    pub(crate) fn time(&mut self, now: Micros) {
        self.ended.retain(|_, ended| now.millis_since(ended.received) <= REMEMBERED_MS);
    }
}

#[cfg(test)]
mod tests;
