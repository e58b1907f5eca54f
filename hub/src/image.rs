//! The process image: the newest reading of every point of the registry, with the state of the links.

mod described;
mod rows;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use grid::lease::{confirmed_since, covers, is_live};
use grid::reading::is_ahead;
use grid::{
    AssetId, ClientId, GatewayId, Lease, Level, LinkOrder, LinkState, Micros, NodeId, Ordinal, Point, PointId, Quality, Reading, Scope,
};
use registry::{EnteredValues, Gateway};
use store::registry::NodeRecord;
use wire::bus::Change;
use wire::live::PointValue;
use wire::rows::GatewayRow;

use crate::area::{Area, is_within};
use crate::diagram::{Diagrams, Sight};
use crate::table::{RowKey, Tables};
use crate::tags::Tags;
pub(crate) use described::Described;

/// The process image.
#[derive(Debug, Default)]
pub(crate) struct Image {
    /// Hierarchy, assets, gateways and points. Shared with the other services of this process.
    registry: Arc<registry::Image>,
    readings: HashMap<PointId, Reading>,
    /// Values that users have entered. Each is shown while it counts.
    entered: EnteredValues,
    /// Points whose reading has a source time in the future. They are questionable until that time. Bounded by the
    /// number of points.
    ahead: BTreeMap<PointId, Micros>,
    /// The newest link state of each gateway, including gateways that the registry does not have yet.
    links: HashMap<GatewayId, LinkState>,
    /// The newest receive time of each gateway.
    last_seen: HashMap<GatewayId, Micros>,
    /// Devices that have been offline at some time, by gateway and Sparkplug device. Bounded by the devices that have
    /// points: ingest reports no others.
    devices: HashMap<GatewayId, HashMap<String, LinkState>>,
    /// The leases of the ingests that are online.
    leases: Vec<Lease>,
    /// For each gateway with a lease, the link order from which its link states are confirmed. Gateways that are not in
    /// this map are not live.
    confirmed_since: HashMap<GatewayId, LinkOrder>,
    /// Tags on devices.
    pub(crate) tags: Tags,
    /// Version of the areas of responsibility of each utility.
    pub(crate) area_versions: HashMap<ClientId, i64>,
    /// States of nodes, and flashing points.
    pub(crate) diagrams: Diagrams,
    /// Rows of tables.
    pub(crate) tables: Tables,
}

impl Image {
    /// Replaces the registry and returns the differences. Readings are kept, except those of removed points.
    pub(crate) fn describe(&mut self, registry: Arc<registry::Image>) -> Described {
        let described = Described::between(&self.registry, &registry);
        self.registry = registry;
        for moved in described.points.iter().filter(|moved| moved.after.is_none()) {
            self.readings.remove(&moved.point);
            self.ahead.remove(&moved.point);
        }
        // Remove all old rows before adding new ones: a moved asset is in both its old and its new substation.
        for location in &described.locations {
            self.tables.take_away(*location);
        }
        for location in &described.locations {
            self.tables.lay_out(&self.registry, *location);
        }
        self.confirmed_since = self.gateways_vouched_for();
        described
    }

    /// Stores a reading if it is newer than the stored one. Returns whether the process image changed.
    pub(crate) fn take(&mut self, point: PointId, reading: Reading, now: Micros) -> bool {
        let newer = self.readings.get(&point).is_none_or(|held| reading.supersedes(held));
        if newer {
            self.readings.insert(point, reading);
            if is_ahead(reading.source, now) {
                self.ahead.insert(point, reading.source);
            } else {
                self.ahead.remove(&point);
            }
            self.tables.days.take(point, &reading);
        }
        newer
    }

    /// Returns the points whose source time is no longer in the future. They now have the reported quality.
    pub(crate) fn take_caught_up(&mut self, now: Micros) -> Vec<PointId> {
        self.ahead.extract_if(.., |_, source| !is_ahead(*source, now)).map(|(point, _)| point).collect()
    }

    /// Sets the link state of a gateway. Returns the points whose quality changes with it. A superseded state changes
    /// nothing.
    pub(crate) fn set_link(&mut self, gateway: GatewayId, link: LinkState) -> Vec<PointId> {
        let known = self.links.get(&gateway).copied();
        if !link.supersedes(known.as_ref()) {
            return Vec::new();
        }
        // A repeated state keeps the time since which it is valid.
        let since = known.filter(|known| known.online == link.online).map_or(link.since, |known| known.since);
        let link = LinkState { since, ..link };
        self.links.insert(gateway, link);
        let confirmed = self.confirmed_since.get(&gateway).copied();
        let changed = is_live(known.as_ref(), confirmed) != is_live(Some(&link), confirmed);
        if changed { self.registry.points_from(gateway).map(|point| point.id).collect() } else { Vec::new() }
    }

    /// Sets the link state of a device. Returns the points whose quality changes with it. A superseded state changes
    /// nothing.
    pub(crate) fn set_device(&mut self, gateway: GatewayId, device: &str, link: LinkState) -> Vec<PointId> {
        if !self.note_device(gateway, device.to_owned(), link) {
            return Vec::new();
        }
        self.registry.points_from(gateway).filter(|point| point.device == device).map(|point| point.id).collect()
    }

    fn note_device(&mut self, gateway: GatewayId, device: String, link: LinkState) -> bool {
        let devices = self.devices.entry(gateway).or_default();
        let known = devices.get(&device).copied();
        if !link.supersedes(known.as_ref()) {
            return false;
        }
        devices.insert(device, link);
        // A device without a report counts as online.
        known.is_none_or(|known| known.online) != link.online
    }

    /// Returns whether a gateway is online, reported by an ingest with a valid lease.
    fn is_live(&self, gateway: GatewayId) -> bool {
        is_live(self.links.get(&gateway), self.confirmed_since.get(&gateway).copied())
    }

    /// Returns whether the link to a point works, and brought this reading of it: ingest, gateway and device are online.
    fn is_up(&self, point: PointId, reading: &Reading) -> bool {
        let Some(point) = self.registry.point(point) else { return false };
        if !covers(self.confirmed_since.get(&point.gateway).copied(), reading) {
            return false;
        }
        let device_up = self.devices.get(&point.gateway).and_then(|devices| devices.get(&point.device)).is_none_or(|link| link.online);
        device_up && self.registry.gateway(point.gateway).is_some() && self.is_live(point.gateway)
    }

    /// Records the receive time of a message for the gateway of a point.
    pub(crate) fn note_message(&mut self, point: PointId, received: Micros) {
        if let Some(gateway) = self.registry.point(point).map(|point| point.gateway) {
            self.note_gateway_message(gateway, received);
        }
    }

    /// Records the receive time of a message of a gateway.
    pub(crate) fn note_gateway_message(&mut self, gateway: GatewayId, received: Micros) {
        let last = self.last_seen.entry(gateway).or_insert(received);
        *last = received.max(*last);
    }

    /// Sets the leases of the ingests that are online. Returns whether the set of confirmed gateways changed.
    pub(crate) fn set_leases(&mut self, leases: Vec<Lease>) -> bool {
        self.leases = leases;
        let vouched_for = self.gateways_vouched_for();
        let news = vouched_for != self.confirmed_since;
        self.confirmed_since = vouched_for;
        news
    }

    fn gateways_vouched_for(&self) -> HashMap<GatewayId, LinkOrder> {
        let since = |gateway: &Arc<Gateway>| Some((gateway.id, confirmed_since(&self.leases, gateway.client, &gateway.code)?));
        self.registry.gateways().filter_map(since).collect()
    }

    /// Whether there are utilities besides these.
    pub(crate) fn has_other_clients(&self, clients: impl Iterator<Item = ClientId>) -> bool {
        let clients: HashSet<ClientId> = clients.collect();
        self.registry.clients().any(|client| !clients.contains(&client))
    }

    pub(crate) fn point(&self, point: PointId) -> Option<&Point> {
        self.registry.point(point).map(AsRef::as_ref)
    }

    pub(crate) fn all_points(&self) -> impl Iterator<Item = &Point> + '_ {
        self.registry.points().map(AsRef::as_ref)
    }

    /// Returns the node whose rights apply to a scope, with its utility: the node, or the substation of an asset.
    pub(crate) fn place_of(&self, scope: Scope) -> Option<(ClientId, &NodeRecord)> {
        let node = match scope {
            Scope::Node(node) => self.registry.node(node)?,
            Scope::Asset(asset) => self.registry.node(self.registry.asset(asset)?.location)?,
        };
        Some((node.client, node))
    }

    /// Returns whether `asset` at `location` is within a scope.
    pub(crate) fn within(&self, scope: Scope, location: NodeId, asset: AssetId) -> bool {
        match scope {
            Scope::Asset(scope) => scope == asset,
            Scope::Node(scope) => self.registry.node(location).is_some_and(|node| node.path.contains(&scope)),
        }
    }

    /// Returns the scopes that contain `asset` at `location`.
    pub(crate) fn scopes_of(&self, location: NodeId, asset: Option<AssetId>) -> impl Iterator<Item = Scope> + '_ {
        let path = self.registry.node(location).map(|node| node.path.as_slice()).unwrap_or_default();
        asset.map(Scope::Asset).into_iter().chain(path.iter().copied().map(Scope::Node))
    }

    /// Returns the substation of a scope, if the scope is a substation.
    pub(crate) fn station_in(&self, scope: Scope) -> Option<NodeId> {
        if let Scope::Node(node) = scope { self.is_level(node, Level::Substation).then_some(node) } else { None }
    }

    /// Returns a node.
    pub(crate) fn node(&self, id: NodeId) -> Option<&NodeRecord> {
        self.registry.node(id).map(AsRef::as_ref)
    }

    /// Returns whether the active network of the utility of a substation is not in memory, so that the states of its nodes are unknown.
    pub(crate) fn is_network_unavailable_at(&self, location: NodeId) -> bool {
        self.node(location).is_some_and(|node| self.diagrams.is_network_unavailable(node.client))
    }

    /// Returns the utilities whose active network is not in memory.
    pub(crate) fn clients_without_network(&self) -> HashSet<ClientId> {
        self.registry.clients().filter(|client| self.diagrams.is_network_unavailable(*client)).collect()
    }

    /// Returns all substations with their utilities.
    pub(crate) fn substations(&self) -> impl Iterator<Item = (NodeId, ClientId)> + '_ {
        self.tables.stations().filter_map(|(location, _)| Some((location, self.node(location)?.client)))
    }

    /// Returns the substation of a gateway.
    pub(crate) fn station_of(&self, gateway: GatewayId) -> Option<NodeId> {
        self.registry.gateway(gateway).map(|gateway| gateway.location)
    }

    /// Returns whether each gateway of a substation is online, and the time since which it is online or offline.
    pub(crate) fn link_states_at(&self, location: NodeId) -> Vec<(bool, Option<Micros>)> {
        let since = |gateway| self.links.get(&gateway).map(|link| link.since);
        self.registry.gateways_at(location).map(|gateway| (self.is_live(gateway.id), since(gateway.id))).collect()
    }

    /// Returns whether a node has this level.
    pub(crate) fn is_level(&self, node: NodeId, level: Level) -> bool {
        self.registry.node(node).is_some_and(|node| node.level == level)
    }

    /// Replaces the values that users have entered. Returns the points whose entry changed.
    pub(crate) fn set_entered(&mut self, entered: EnteredValues) -> Vec<PointId> {
        let before = std::mem::replace(&mut self.entered, entered);
        let is_other = |point: &&PointId| before.get(point) != self.entered.get(point);
        let points: HashSet<PointId> = before.keys().chain(self.entered.keys()).filter(is_other).copied().collect();
        points.into_iter().collect()
    }

    /// Returns the other points that show the same entered position as a point. What it reports can end the entry at them.
    pub(crate) fn entered_beside(&self, point: PointId) -> Box<[PointId]> {
        self.entered.get(&point).map(|entered| entered.beside.clone()).unwrap_or_default()
    }

    /// Returns the reading to display: the value that a user has entered, while it counts, else the latest reading. Its quality is the worst of its own, that
    /// of the link, and that of the device's clock.
    pub(crate) fn shown(&self, point: PointId) -> Option<Reading> {
        let last = self.readings.get(&point);
        if let Some(entered) = self.entered.get(&point).and_then(|entered| entered.shown(point, |of| self.readings.get(&of).copied())) {
            return Some(entered);
        }
        let reading = last?;
        let link = if self.is_up(point, reading) { Quality::Good } else { Quality::CommLost };
        let clock = if self.ahead.contains_key(&point) { Quality::Questionable } else { Quality::Good };
        Some(Reading { quality: reading.quality.worst(link).worst(clock), ..*reading })
    }

    /// Returns a point in the form that diagrams use.
    pub(crate) fn value(&self, point: PointId) -> PointValue {
        self.shown(point).map_or(PointValue(point.0, None, Quality::Never.code(), 0), |reading| {
            PointValue(point.0, reading.value, reading.quality.code(), reading.source.millis())
        })
    }

    /// Returns a point in the form that the diagram of a substation uses. If the point no longer belongs to the
    /// substation, it has no value.
    pub(crate) fn value_at(&self, location: NodeId, point: PointId) -> PointValue {
        let is_there = self.registry.point(point).is_some_and(|point| point.location == location);
        if is_there { self.value(point) } else { PointValue(point.0, None, Quality::Never.code(), 0) }
    }

    /// Returns the values of all points of a substation.
    pub(crate) fn diagram(&self, location: NodeId) -> Vec<PointValue> {
        self.points_of(location).map(|point| self.value(point.id)).collect()
    }

    /// Returns the points of a substation.
    pub(crate) fn points_of(&self, location: NodeId) -> impl Iterator<Item = &Point> {
        self.registry.points_at(location).map(AsRef::as_ref)
    }

    /// Returns the substations among `locations` whose stored drawing differs from the known one.
    pub(crate) fn changed_drawings(&self, locations: &[NodeId]) -> Vec<NodeId> {
        let stored = |location: &NodeId| self.registry.node(*location).and_then(|node| node.drawing_stored);
        let is_other = |location: &&NodeId| stored(location).is_some_and(|stored| self.diagrams.stored(**location) != Some(stored));
        locations.iter().filter(is_other).copied().collect()
    }

    /// Finds in each network which substation counts which customers.
    pub(crate) fn count_customers(&mut self) {
        self.diagrams.find_feeders(|client| self.registry.utility(client));
    }

    /// Recomputes the node states that may have changed. Returns the nodes that changed.
    pub(crate) fn settle(&mut self, now: Micros) -> Vec<(NodeId, Vec<usize>)> {
        let mut diagrams = std::mem::take(&mut self.diagrams);
        let sight = |point| {
            let known = self.registry.point(point)?;
            Some(Sight { encoding: known.encoding(), age_limit_ms: known.age_limit_ms(), reading: self.shown(point) })
        };
        let changed = diagrams.settle(now, sight);
        self.diagrams = diagrams;
        changed
    }

    /// Returns the row of a gateway.
    pub(crate) fn gateway_row(&self, gateway: &Gateway) -> GatewayRow {
        GatewayRow {
            id: gateway.id.0,
            code: gateway.code.clone(),
            name: gateway.name.clone(),
            location_id: gateway.location.0,
            online: self.is_live(gateway.id),
            since: self.links.get(&gateway.id).map(|link| link.since.millis()),
            last_seen: self.last_seen.get(&gateway.id).map(|seen| seen.millis()),
        }
    }

    /// Returns whether a gateway is shown as online; `None` if the registry does not have it.
    pub(crate) fn is_online(&self, gateway: GatewayId) -> Option<bool> {
        self.registry.gateway(gateway).map(|gateway| self.is_live(gateway.id))
    }

    /// Returns a gateway if it is within an area.
    pub(crate) fn gateway_within(&self, gateway: GatewayId, area: Area) -> Option<&Gateway> {
        self.registry.gateway(gateway).map(AsRef::as_ref).filter(|gateway| self.is_gateway_within(gateway, area))
    }

    fn is_gateway_within(&self, gateway: &Gateway, area: Area) -> bool {
        self.registry.node(gateway.location).is_some_and(|node| is_within(area, node))
    }

    /// Returns the gateways of an area, sorted by name.
    pub(crate) fn gateways_within(&self, area: Area) -> Vec<RowKey> {
        let mut shown: Vec<&Arc<Gateway>> = self.registry.gateways().filter(|gateway| self.is_gateway_within(gateway, area)).collect();
        shown.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        shown.iter().map(|gateway| gateway.id.0).collect()
    }
}

/// Decodes the reading of a bus change. Returns `None` if this release does not know its quality.
pub(crate) fn reading_of(change: &Change) -> Option<Reading> {
    Some(Reading {
        value: change.value,
        quality: Quality::from_code(change.quality)?,
        source: Micros(change.source),
        received: Micros(change.received),
        ordinal: Ordinal { epoch: change.epoch, seq: change.seq },
    })
}

#[cfg(test)]
mod tests {
    use grid::Shard;
    use store::Registry;
    use store::registry::{AssetRecord, DeviceRecord, GatewayRecord, NodeRecord};

    use super::*;

    /// A link state with order `count` in the first term. A later state has an earlier time: the time does not decide
    /// the order.
    fn link(online: bool, count: i64) -> LinkState {
        LinkState { online, since: Micros(1_000 - count), order: LinkOrder { term: grid::Term(1), count } }
    }

    fn lease(shard: Shard, since: i64) -> Lease {
        Lease { shard, since: link(true, since).order }
    }

    fn gateway(online: bool, count: i64) -> GatewayRecord {
        GatewayRecord {
            id: GatewayId(1),
            client: ClientId(1),
            code: "R".into(),
            name: "R".into(),
            location: NodeId(6),
            online,
            since: Some(link(online, count).since),
            order: link(online, count).order,
            last_seen: None,
            discovered: true,
        }
    }

    fn point() -> Point {
        Point {
            id: PointId(7),
            client: ClientId(1),
            gateway: GatewayId(1),
            device: "F3".into(),
            metric: "F3/Ir".into(),
            code: "Ir".into(),
            asset: AssetId(3),
            asset_name: "F3".into(),
            asset_type: 1,
            location: NodeId(6),
            kind: grid::point::PointKind::Measurand,
            quantity: grid::measure::Quantity::Other,
            unit: String::new(),
            decimals: 0,
            scale: 1.0,
            expected_ms: None,
        }
    }

    /// Applies what was read from the database.
    fn read(image: &mut Image, read: Registry) {
        let links = read.links();
        image.describe(Arc::new(read.into()));
        links.gateways.into_iter().for_each(|(gateway, link)| drop(image.set_link(gateway, link)));
        links.devices.into_iter().for_each(|(gateway, device, link)| drop(image.set_device(gateway, &device, link)));
    }

    fn is_reported_online(image: &Image) -> bool {
        image.links.get(&GatewayId(1)).is_some_and(|link| link.online)
    }

    fn described(image: &mut Image, online: bool, count: i64) -> bool {
        read(image, Registry { gateways: vec![gateway(online, count)], ..Registry::default() });
        is_reported_online(image)
    }

    #[test]
    fn moved_point_is_in_the_tables_of_its_new_substation() {
        let station = |id: i64| NodeRecord {
            id: NodeId(id),
            client: ClientId(1),
            level: Level::Substation,
            parent: None,
            code: format!("S{id}"),
            name: format!("S{id}"),
            kv: None,
            lat: None,
            lon: None,
            drawing_stored: None,
            path: vec![NodeId(id)],
        };
        let feeder = |location: i64| AssetRecord {
            id: AssetId(3),
            client: ClientId(1),
            location: NodeId(location),
            code: "F3".into(),
            name: "F3".into(),
            type_id: 1,
            class_name: "feeder".into(),
            device: "F3".into(),
            kv: None,
            customers: 0,
            customers_known: false,
            control_asset_req: false,
            is_sbo_supported: false,
            feeds: None,
        };
        let at = |location: i64| Registry {
            nodes: vec![station(1), station(2)],
            assets: vec![feeder(location)],
            points: vec![Point { location: NodeId(location), quantity: grid::measure::Quantity::Current, ..point() }],
            ..Registry::default()
        };
        for (from, to) in [(2, 1), (1, 2)] {
            let mut image = Image::default();
            read(&mut image, at(from));
            let uses = image.tables.uses(PointId(7)).to_vec();
            read(&mut image, at(to));
            assert!(!uses.is_empty() && image.tables.uses(PointId(7)) == uses, "from {from} to {to}");
        }
    }

    #[test]
    fn the_newer_of_bus_and_database_says_whether_a_gateway_is_heard() {
        let mut image = Image::default();
        image.set_link(GatewayId(1), link(true, 10));
        assert!(described(&mut image, false, 5), "born on the bus before the database knew");
        image.set_link(GatewayId(1), link(false, 20));
        assert!(!described(&mut image, true, 10), "dead on the bus before the database knew");
        assert!(described(&mut image, true, 30), "the database knows more");
        image.set_link(GatewayId(1), link(false, 25));
        assert!(is_reported_online(&image), "an old message changes nothing");
    }

    #[test]
    fn death_after_a_clock_correction_takes_the_gateway_offline() {
        let mut image = Image::default();
        described(&mut image, true, 10);
        image.set_link(GatewayId(1), LinkState { since: Micros(1_000), ..link(true, 11) });
        let death = LinkState { since: Micros(900), ..link(false, 12) };
        image.set_link(GatewayId(1), death);
        let is_offline = |image: &Image| !is_reported_online(image);
        assert!(is_offline(&image));
        // The database still has the birth, whose time is later.
        read(
            &mut image,
            Registry { gateways: vec![GatewayRecord { since: Some(Micros(1_000)), ..gateway(true, 11) }], ..Registry::default() },
        );
        assert!(is_offline(&image));
        assert!(!image.note_device(GatewayId(1), "F3".into(), LinkState { since: Micros(1_000), ..link(true, 13) }));
        assert!(image.note_device(GatewayId(1), "F3".into(), LinkState { since: Micros(900), ..link(false, 14) }));
    }

    #[test]
    fn offline_device_makes_its_points_comm_lost() {
        let mut image = Image::default();
        image.set_leases(vec![lease(Shard::default(), 0)]);
        let gone = DeviceRecord {
            gateway: GatewayId(1),
            code: "F3".into(),
            online: false,
            since: Micros(5),
            order: LinkOrder { term: grid::Term(1), count: 5 },
        };
        let registry = Registry { gateways: vec![gateway(true, 1)], points: vec![point()], devices: vec![gone], ..Registry::default() };
        read(&mut image, registry.clone());
        let reading =
            Reading { value: Some(1.0), quality: Quality::Good, source: Micros(1), received: Micros(1), ordinal: Ordinal::default() };
        image.take(PointId(7), reading, Micros(1));
        let quality = |image: &Image| image.shown(PointId(7)).map(|shown| shown.quality);
        assert_eq!(quality(&image), Some(Quality::CommLost), "as the database remembers");
        assert_eq!(image.set_device(GatewayId(1), "F3", link(true, 4)), [], "an old message changes nothing");
        assert_eq!(image.set_device(GatewayId(1), "F3", link(true, 6)), [PointId(7)]);
        assert_eq!(quality(&image), Some(Quality::Good));
        read(&mut image, registry);
        assert_eq!(quality(&image), Some(Quality::Good), "the bus knows more than the database");
        assert_eq!(image.set_device(GatewayId(1), "F9", link(false, 7)), [], "another device");
        assert_eq!(image.set_device(GatewayId(1), "F3", link(false, 8)), [PointId(7)]);
        assert_eq!(quality(&image), Some(Quality::CommLost));
    }

    #[test]
    fn gateway_is_live_only_with_valid_lease() {
        let mut image = Image::default();
        read(&mut image, Registry { gateways: vec![gateway(true, 1)], ..Registry::default() });
        let online = |image: &Image| image.is_online(GatewayId(1)) == Some(true);
        assert!(!online(&image), "nothing is heard yet");
        let other = lease(Shard { clients: vec![ClientId(2)], share: None }, 0);
        assert!(!image.set_leases(vec![other.clone()]) && !online(&image), "an ingest of others");
        let own = |since| lease(Shard { clients: vec![ClientId(1)], share: None }, since);
        assert!(image.set_leases(vec![other.clone(), own(1)]) && online(&image));
        assert!(image.set_leases(vec![other]) && !online(&image), "its own ingest is silent");
        assert!(image.set_leases(vec![own(2)]) && !online(&image), "its own ingest has connected anew and not heard it since");
        image.set_link(GatewayId(1), link(true, 3));
        assert!(online(&image), "confirmed");
    }

    #[test]
    fn reading_of_the_future_is_questionable_until_its_time() {
        let mut image = Image::default();
        read(&mut image, Registry { gateways: vec![gateway(true, 1)], points: vec![point()], ..Registry::default() });
        image.set_leases(vec![lease(Shard::default(), 0)]);
        let now = Micros::from_millis(1_000_000);
        let at = |millis: i64, count: i64| Reading {
            value: Some(count as f64),
            quality: Quality::Good,
            source: now.plus_millis(millis),
            received: now,
            ordinal: Ordinal::of_term(grid::Term(1), count),
        };
        let shown = |image: &Image| image.shown(PointId(7)).map(|shown| (shown.value, shown.quality));
        assert!(image.take(PointId(7), at(240_000, 1), now));
        assert_eq!(shown(&image), Some((Some(1.0), Quality::Questionable)));
        assert!(image.take_caught_up(now.plus_millis(237_999)).is_empty());
        assert_eq!(image.take_caught_up(now.plus_millis(238_000)), [PointId(7)]);
        assert_eq!(shown(&image), Some((Some(1.0), Quality::Good)), "its time has come");
        assert!(image.take(PointId(7), at(300_000, 2), now) && image.take(PointId(7), at(0, 3), now));
        assert_eq!(shown(&image), Some((Some(3.0), Quality::Good)), "the clock was corrected");
        assert!(image.take_caught_up(now.plus_millis(999_999)).is_empty());
        assert!(!image.take(PointId(7), at(400_000, 2), now), "taken by ingest before the present one");
    }

    #[test]
    fn reading_of_a_new_leader_is_live_with_its_lease() {
        let mut image = Image::default();
        read(&mut image, Registry { gateways: vec![gateway(true, 1)], points: vec![point()], ..Registry::default() });
        image.set_leases(vec![lease(Shard::default(), 1)]);
        let reading = |term: i64, source: i64| Reading {
            value: Some(1.0),
            quality: Quality::Good,
            source: Micros(source),
            received: Micros(source),
            ordinal: Ordinal::of_term(grid::Term(term), 9),
        };
        let quality = |image: &Image| image.shown(PointId(7)).map(|shown| shown.quality);
        image.take(PointId(7), reading(1, 89), Micros(89));
        assert_eq!(quality(&image), Some(Quality::Good));
        // Ingest has started again. The broker sends it first what the one before had published on the bus and not acknowledged.
        assert!(image.take(PointId(7), reading(2, 87), Micros(90)));
        assert_eq!(quality(&image), Some(Quality::CommLost));
        let order = LinkOrder { term: grid::Term(2), count: 1 };
        image.set_link(GatewayId(1), LinkState { order, ..link(true, 2) });
        image.set_leases(vec![Lease { shard: Shard::default(), since: order }]);
        assert_eq!(quality(&image), Some(Quality::Good));
    }

    #[test]
    fn a_reading_waits_for_its_point_to_be_described() {
        let mut image = Image::default();
        let reading =
            Reading { value: Some(1.0), quality: Quality::Good, source: Micros(1), received: Micros(1), ordinal: Ordinal::default() };
        assert!(image.take(PointId(7), reading, Micros(1)));
        read(&mut image, Registry::default());
        assert_eq!(image.shown(PointId(7)).map(|shown| (shown.value, shown.quality)), Some((Some(1.0), Quality::CommLost)));
    }
}
