//! The causes of losses of supply: switches and infeeds behind which parts of a utility are without supply. An alarm that is a consequence of such a cause is
//! suppressed. Pure.
//!
//! The substations of the utility's network are one area, in which a cause in one substation can affect other substations. Each other substation is an area of
//! its own.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use grid::alarm::AlarmKind;
use grid::position::Position;
use grid::{AssetId, Micros, NodeId, PointId, Reading};
use store::alarm::FieldEvent;

use crate::about::About;
use crate::area::Area;
use crate::link::Link;
use crate::network_supply::{BoundNetwork, NetworkSupply, infeed_source};
use crate::supply::{Positions, Station, opened_source};

/// Time for a measurand to rise after supply has returned, ms. Until then a low value is still treated as a consequence.
pub(crate) const SETTLING_MS: i64 = 30_000;
/// A condition may begin this much before the loss of supply, because the clocks of devices differ, ms.
pub(crate) const CLOCKS_MS: i64 = 1_000;
/// How long the end of a cause is remembered, ms. It must be remembered because the source times of conditions are compared with it, and conditions may be
/// committed late.
const REMEMBERED_MS: i64 = 5 * 60_000;

/// What happened to a switch or an infeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CauseKind {
    Tripped,
    /// A user opened it.
    Opened,
    /// The infeed has no voltage.
    Infeed,
}

/// Identifies a part of a utility whose supply is tracked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum AreaId {
    Station(NodeId),
    Network,
}

/// Why a part is without supply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cause {
    /// The switch, or the point that identifies an infeed.
    switch: PointId,
    kind: CauseKind,
    area: AreaId,
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
    /// Whether supply has returned. Then the alarm of the cause may have ended too.
    pub(crate) has_ended: bool,
}

impl Cause {
    /// Returns the source of the cause's alarm.
    fn source(self) -> String {
        match self.kind {
            CauseKind::Tripped => trip_source(self.switch),
            CauseKind::Opened => opened_source(self.switch),
            CauseKind::Infeed => infeed_source(self.switch),
        }
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
    /// The time since which its cause is over.
    pub(crate) ended: Option<Micros>,
    /// Whether the row of the alarm shows an earlier occurrence that is not acknowledged.
    pub(crate) is_hidden: bool,
    /// The value with which the condition began, if it is hidden.
    pub(crate) value: Option<f64>,
}

/// Conditions that are suppressed while their rows show earlier occurrences, by source; `None` if this is no longer the case.
pub(crate) type Hidden = HashMap<String, Option<Suppression>>;

/// Returns whether an alarm can be the cause of others.
pub(crate) fn is_cause(kind: AlarmKind) -> bool {
    matches!(kind, AlarmKind::Trip | AlarmKind::Opened | AlarmKind::Infeed)
}

/// An alarm for an opened switch or an infeed, and whether it is active.
pub(crate) type OpenedChange = (Arc<About>, bool);

/// A part that has lost its supply.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lost {
    pub(crate) asset: AssetId,
    /// The source of the cause's alarm.
    pub(crate) cause: String,
    /// When the cause occurred.
    pub(crate) at: Micros,
}

/// The effect of a movement, or of the voltage of an infeed.
#[derive(Debug, Default)]
pub(crate) struct MovementEffect {
    /// Alarms for opened switches and infeeds that begin or end.
    pub(crate) opened: Vec<OpenedChange>,
    /// Parts that have lost their supply.
    pub(crate) lost: Vec<Lost>,
}

/// The causes of one utility.
#[derive(Debug, Default)]
pub(crate) struct Causes {
    /// Of switches outside of the network.
    positions: Positions,
    /// The substations outside of the network in which something was switched.
    stations: HashMap<NodeId, Station>,
    network: Option<NetworkSupply>,
    /// Whether the network is new, so that its causes have not been determined yet.
    is_network_new: bool,
    of: HashMap<AssetId, Cause>,
    /// Causes that have ended recently, with their end.
    ended: HashMap<AssetId, EndedCause>,
    /// The breakers with an open fault, with the times of their openings.
    tripped: HashMap<PointId, Micros>,
    /// The active alarms for opened switches and infeeds, with their substations.
    opened: HashMap<PointId, NodeId>,
}

impl Causes {
    /// Creates the causes from the stored alarms for opened switches and infeeds. The causes of the previous state `before` are kept.
    pub(crate) fn new(opened: HashMap<PointId, NodeId>, before: Self) -> Self {
        // Substations are built again, because the registry or a drawing may have changed.
        Self { stations: HashMap::new(), tripped: HashMap::new(), opened, ..before }
    }

    /// Sets the network. `followed` are the assets whose supply is tracked in addition to the feeders. If the network is unchanged, its states are kept.
    pub(crate) fn set_network(&mut self, bound: Option<Arc<BoundNetwork>>, followed: &HashSet<AssetId>) {
        let before = self.network.take();
        self.network = match (bound, before) {
            (None, _) => None,
            (Some(bound), Some(before)) if before.is_of(&bound, followed) => Some(before),
            (Some(bound), before) => {
                self.is_network_new = true;
                let mut network = match before {
                    Some(before) => before.rebuilt(bound, followed),
                    None => NetworkSupply::new(bound, followed),
                };
                for (switch, reading) in &self.positions {
                    network.see(*switch, reading, reading.received);
                }
                self.positions.retain(|switch, _| !network.bound().has_switch(*switch));
                Some(network)
            }
        };
        let network = self.network.as_ref().map(NetworkSupply::bound);
        // Causes of substations that have joined the network, or left it, are found again.
        self.of.retain(|_, cause| match cause.area {
            AreaId::Station(location) => network.is_none_or(|network| !network.has_location(location)),
            AreaId::Network => network.is_some(),
        });
    }

    /// Returns the network.
    pub(crate) fn network(&self) -> Option<&NetworkSupply> {
        self.network.as_ref()
    }

    /// Determines the causes in a new network. `tripped` are the breakers with an open fault and the times of their openings.
    pub(crate) fn begin_network(&mut self, tripped: &HashMap<PointId, Micros>, now: Micros) -> MovementEffect {
        if !std::mem::take(&mut self.is_network_new) {
            return MovementEffect::default();
        }
        let Some(network) = &mut self.network else { return MovementEffect::default() };
        network.settle();
        self.begin(AreaId::Network, tripped);
        self.follow_network((now, now))
    }

    /// Applies a stored position, or a stored voltage of an infeed. A reading that is older than the known one changes nothing.
    pub(crate) fn stored(&mut self, point: PointId, reading: &Reading) {
        match &mut self.network {
            Some(network) if network.depends_on(point) => drop(network.see(point, reading, reading.received)),
            _ if self.positions.get(&point).is_none_or(|held| reading.supersedes(held)) => drop(self.positions.insert(point, *reading)),
            _ => {}
        }
    }

    /// Returns the substations that must be added: those with a cause, and those of the events. Substations of the network are already present.
    pub(crate) fn missing(&self, tripped: impl Iterator<Item = NodeId>, events: &[FieldEvent]) -> Vec<NodeId> {
        let moved = events.iter().filter(|event| event.code == "Pos").map(|event| event.event.location);
        // A part with a cause may have been removed from the drawing.
        let with_cause = self.of.values().filter_map(|cause| match cause.area {
            AreaId::Station(location) => Some(location),
            AreaId::Network => None,
        });
        let known = tripped.chain(self.opened.values().copied()).chain(with_cause);
        let is_in_network = |location: NodeId| self.network.as_ref().is_some_and(|network| network.bound().has_location(location));
        let is_missing = |location: &NodeId| !self.stations.contains_key(location) && !is_in_network(*location);
        let mut missing: Vec<NodeId> = known.chain(moved).filter(is_missing).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Adds a substation. `tripped` are the breakers with an open fault and the times of their openings. Returns the alarms for opened
    /// switches that have ended meanwhile.
    pub(crate) fn add(&mut self, location: NodeId, station: Station, tripped: &HashMap<PointId, Micros>) -> Vec<OpenedChange> {
        self.stations.insert(location, station);
        self.begin(AreaId::Station(location), tripped);
        self.settle(AreaId::Station(location), None)
    }

    /// Determines the causes from the breakers with an open fault and from the active alarms for opened switches and infeeds.
    fn begin(&mut self, area: AreaId, tripped: &HashMap<PointId, Micros>) {
        self.tripped.extend(tripped);
        let opened: Vec<PointId> = self.opened.keys().copied().filter(|switch| self.area_of(*switch) == Some(area)).collect();
        let Self { positions, stations, network, of, tripped, .. } = self;
        let Some(mut supply) = supply_of(positions, stations, network, area) else { return };
        of.retain(|asset, cause| cause.area != area || supply.follows(*asset));
        let mut here: Vec<PointId> = tripped.keys().copied().filter(|switch| supply.has(*switch)).collect();
        here.sort_unstable();
        for switch in here.into_iter().chain(opened) {
            let mut without = supply.behind(switch);
            // Of several open switches in line, none alone restores supply. Each of them is a cause.
            if supply.is_open(switch) {
                without.extend(supply.interrupted(switch));
            }
            let trip = tripped.get(&switch).copied();
            let Some(lost) = trip.or_else(|| supply.since(switch)) else { continue };
            let kind = kind_of(tripped, &supply, switch);
            for asset in without {
                of.entry(asset).or_insert(Cause { switch, kind, area, lost });
            }
        }
    }

    /// Applies the movement of a switch. `is_trip` is whether a breaker opened without a command or by its protection.
    pub(crate) fn moved(&mut self, event: &FieldEvent, is_trip: bool) -> MovementEffect {
        let event = &event.event;
        let switch = event.point;
        let reading =
            Reading { value: event.value, quality: event.quality, source: event.source, received: event.received, ordinal: event.ordinal };
        let area = match &mut self.network {
            Some(network) if network.bound().has_switch(switch) => {
                if !network.see(switch, &reading, event.received) {
                    return MovementEffect::default();
                }
                network.settle();
                AreaId::Network
            }
            _ => {
                if self.positions.get(&switch).is_some_and(|held| held.supersedes(&reading)) {
                    return MovementEffect::default();
                }
                self.positions.insert(switch, reading);
                AreaId::Station(event.location)
            }
        };
        let position = event.value.map(|value| Position::decode(event.encoding, value));
        let opens = position == Some(Position::Open);
        if opens && is_trip {
            self.tripped.insert(switch, event.source);
        } else if position == Some(Position::Closed) {
            self.tripped.remove(&switch);
        }
        let lost = if opens { self.lose(area, switch, event.source) } else { Vec::new() };
        let opened = self.settle(area, Some((event.source, event.received)));
        MovementEffect { opened, lost }
    }

    /// Applies a measured voltage of an infeed.
    pub(crate) fn measured(&mut self, point: PointId, reading: &Reading) -> MovementEffect {
        let Some(network) = self.network.as_mut().filter(|network| network.bound().measures_infeed(point)) else {
            return MovementEffect::default();
        };
        let before = network.infeed(point);
        if !network.see(point, reading, reading.received) || network.infeed(point) == before {
            return MovementEffect::default();
        }
        self.follow_network((reading.source, reading.received))
    }

    /// Applies the state of a link. If it is offline, the positions and voltages that are reported over it become unknown.
    pub(crate) fn link(&mut self, link: &Link, is_online: bool, now: Micros) -> MovementEffect {
        let Some(network) = &mut self.network else { return MovementEffect::default() };
        if network.link(link, is_online, now) && is_online && !self.is_network_new {
            // What is known again may prove the cause of a loss that occurred meanwhile.
            network.settle();
            self.begin(AreaId::Network, &HashMap::new());
        }
        self.follow_network((now, now))
    }

    /// Updates the causes in the network: finds parts that lost supply because of infeeds without voltage, and parts that have supply again. `at` is when
    /// supply returned, and when that was received.
    fn follow_network(&mut self, at: (Micros, Micros)) -> MovementEffect {
        if self.is_network_new {
            return MovementEffect::default();
        }
        let Some(network) = &mut self.network else { return MovementEffect::default() };
        network.settle();
        let mut lost = Vec::new();
        for (infeed, since) in network.take_lost_infeeds() {
            lost.extend(self.lose(AreaId::Network, infeed, since));
        }
        let opened = self.settle(AreaId::Network, Some(at));
        MovementEffect { opened, lost }
    }

    /// Enters a switch that opened, or an infeed that lost its voltage, as the cause for the parts behind it.
    fn lose(&mut self, area: AreaId, switch: PointId, at: Micros) -> Vec<Lost> {
        let Self { positions, stations, network, of, ended, tripped, .. } = self;
        let Some(mut supply) = supply_of(positions, stations, network, area) else { return Vec::new() };
        // An opening that is reported again remains the trip that it was.
        let kind = kind_of(tripped, &supply, switch);
        let mut lost = Vec::new();
        for asset in supply.behind(switch) {
            // What was without supply already has another cause.
            if kind == CauseKind::Infeed && of.contains_key(&asset) {
                continue;
            }
            let before = of.get(&asset).filter(|before| before.switch == switch);
            let since = before.map_or(at, |before| before.lost);
            let cause = Cause { switch, kind, area, lost: since };
            of.insert(asset, cause);
            ended.remove(&asset);
            lost.push(Lost { asset, cause: cause.source(), at });
        }
        lost.sort_unstable();
        lost
    }

    /// Returns the area of a switch or an infeed with an active alarm.
    fn area_of(&self, switch: PointId) -> Option<AreaId> {
        area_of(self.network.as_ref(), switch, *self.opened.get(&switch)?)
    }

    /// Updates the causes. Ends the causes of parts that have supply again. If a part is still without supply although the switch that caused this was closed,
    /// finds another cause. Returns the alarms for opened switches and infeeds that begin or end. `at` is when supply returned, and when that was received.
    fn settle(&mut self, area: AreaId, at: Option<(Micros, Micros)>) -> Vec<OpenedChange> {
        let Self { positions, stations, network, of, ended, tripped, opened, .. } = self;
        let is_here = |switch: PointId, location: NodeId| area_of(network.as_ref(), switch, location) == Some(area);
        let mut here: Vec<PointId> = opened.iter().filter(|(switch, at)| is_here(**switch, **at)).map(|(switch, _)| *switch).collect();
        here.sort_unstable();
        let Some(mut supply) = supply_of(positions, stations, network, area) else { return Vec::new() };
        let supplied = supply.supplied(of.iter().filter(|(_, cause)| cause.area == area).map(|(asset, _)| *asset));
        of.retain(|asset, cause| {
            // While a position is not known, the last known cause counts.
            let stays = cause.area != area || !supplied.contains(asset);
            if !stays && let Some((at, received)) = at {
                ended.insert(*asset, EndedCause { cause: *cause, at, received });
            }
            stays
        });
        let mut orphans: HashSet<AssetId> =
            of.iter().filter(|(_, cause)| cause.area == area && supply.is_closed(cause.switch)).map(|(asset, _)| *asset).collect();
        if !orphans.is_empty() {
            let mut open = supply.open();
            // A trip comes first: it has its alarm already.
            open.sort_by_key(|switch| (!tripped.contains_key(switch), *switch));
            for (switch, is_in_line) in open.iter().map(|switch| (*switch, false)).chain(open.iter().map(|switch| (*switch, true))) {
                if orphans.is_empty() {
                    break;
                }
                let without = if is_in_line { supply.interrupted(switch) } else { supply.behind(switch) };
                let kind = kind_of(tripped, &supply, switch);
                orphans.retain(|asset| {
                    let is_found = without.contains(asset);
                    if is_found && let Some(cause) = of.get_mut(asset) {
                        (cause.switch, cause.kind) = (switch, kind);
                    }
                    !is_found
                });
            }
        }
        let mut behind: HashMap<PointId, HashSet<AssetId>> = HashMap::new();
        for (asset, cause) in of.iter().filter(|(_, cause)| cause.area == area && cause.kind != CauseKind::Tripped) {
            behind.entry(cause.switch).or_default().insert(*asset);
        }
        let mut over: Vec<PointId> = here.into_iter().filter(|switch| !behind.contains_key(switch)).collect();
        // While a switch is not closed and interrupts supply, its alarm stays, whatever else is open.
        over.retain(|switch| supply.interrupted(*switch).is_empty());
        let mut changes = Vec::new();
        for switch in over {
            opened.remove(&switch);
            changes.extend(supply.opened(switch, &HashSet::new()).map(|about| (about, false)));
        }
        for (switch, assets) in behind {
            if let Entry::Vacant(entry) = opened.entry(switch) {
                let about = supply.opened(switch, &assets);
                entry.insert(about.as_ref().map_or(NodeId(0), |about| about.location));
                changes.extend(about.map(|about| (about, true)));
            }
        }
        changes.sort_by_key(|(about, _)| about.point);
        changes
    }

    /// Returns the cause of a condition of an asset that began at this source time. There is a cause if the asset was without supply at that time or until
    /// shortly before.
    pub(crate) fn of(&self, asset: AssetId, at: Micros) -> Option<CauseFound> {
        let is_after = |cause: &Cause| at.millis_since(cause.lost) >= -CLOCKS_MS;
        if let Some(cause) = self.of.get(&asset) {
            return is_after(cause).then(|| CauseFound { source: cause.source(), has_ended: false });
        }
        let ended = self.ended.get(&asset).filter(|ended| is_after(&ended.cause) && at.millis_since(ended.at) <= SETTLING_MS)?;
        Some(CauseFound { source: ended.cause.source(), has_ended: true })
    }

    /// Returns whether a cause in the network may still be reported for a low value of this asset.
    pub(crate) fn may_find_cause(&self, asset: AssetId) -> bool {
        self.is_in_network(asset) && !self.of.contains_key(&asset)
    }

    /// Returns whether the supply of an asset is tracked in the network.
    pub(crate) fn is_in_network(&self, asset: AssetId) -> bool {
        self.network.as_ref().is_some_and(|network| network.follows(asset))
    }

    /// Returns whether an asset is without supply for a known cause.
    pub(crate) fn is_without_supply(&self, asset: AssetId) -> bool {
        self.of.contains_key(&asset)
    }

    /// Removes causes that ended long ago, and voltages of infeeds that have become stale.
    pub(crate) fn time(&mut self, now: Micros) -> MovementEffect {
        self.ended.retain(|_, ended| now.millis_since(ended.received) <= REMEMBERED_MS);
        if self.network.as_mut().is_some_and(|network| network.age(now)) { self.follow_network((now, now)) } else { <_>::default() }
    }
}

/// Returns the area of a switch or an infeed.
fn area_of(network: Option<&NetworkSupply>, switch: PointId, location: NodeId) -> Option<AreaId> {
    match network.map(NetworkSupply::bound) {
        Some(network) if network.has_switch(switch) || network.is_infeed(switch) => Some(AreaId::Network),
        Some(network) if network.has_location(location) => None,
        _ => Some(AreaId::Station(location)),
    }
}

fn supply_of<'a>(
    positions: &'a Positions,
    stations: &'a HashMap<NodeId, Station>,
    network: &'a mut Option<NetworkSupply>,
    area: AreaId,
) -> Option<Area<'a>> {
    match area {
        AreaId::Station(location) => Some(Area::Station(stations.get(&location)?, positions)),
        AreaId::Network => network.as_mut().map(Area::Network),
    }
}

fn kind_of(tripped: &HashMap<PointId, Micros>, supply: &Area<'_>, switch: PointId) -> CauseKind {
    match supply {
        _ if tripped.contains_key(&switch) => CauseKind::Tripped,
        Area::Network(network) if network.bound().is_infeed(switch) => CauseKind::Infeed,
        _ => CauseKind::Opened,
    }
}

#[cfg(test)]
mod network_tests;
#[cfg(test)]
mod tests;
