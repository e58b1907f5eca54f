//! The registry at one moment.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use grid::{AssetId, ClientId, GatewayId, NodeId, Point, PointId};
use store::registry::{AssetRecord, ClientRecord, GatewayRecord, NodeRecord, Record};
use store::registry_log::{Changed, ChangedRows};

use crate::page::{Index, Paged};

/// An RTU or protocol gateway. Its link state is not included: the bus reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gateway {
    /// Its id.
    pub id: GatewayId,
    /// The utility.
    pub client: ClientId,
    /// The Sparkplug edge node.
    pub code: String,
    /// Its name for users.
    pub name: String,
    /// The substation.
    pub location: NodeId,
    /// Whether it was discovered instead of entered by a user.
    pub discovered: bool,
}

impl From<GatewayRecord> for Gateway {
    fn from(record: GatewayRecord) -> Self {
        let GatewayRecord { id, client, code, name, location, discovered, .. } = record;
        Self { id, client, code, name, location, discovered }
    }
}

/// The differences between two images: ids of rows that were added, changed or removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences {
    /// Whether utilities were added or removed.
    pub clients: bool,
    /// Nodes, including those whose path changed.
    pub nodes: Vec<NodeId>,
    /// Assets.
    pub assets: Vec<AssetId>,
    /// Gateways.
    pub gateways: Vec<GatewayId>,
    /// Points.
    pub points: Vec<PointId>,
}

/// The registry of all utilities at one moment. Copies share unchanged parts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Image {
    pub(crate) clients: BTreeMap<ClientId, Arc<ClientRecord>>,
    pub(crate) nodes: Paged<NodeId, Arc<NodeRecord>>,
    pub(crate) assets: Paged<AssetId, Arc<AssetRecord>>,
    pub(crate) gateways: Paged<GatewayId, Arc<Gateway>>,
    pub(crate) points: Paged<PointId, Arc<Point>>,
    pub(crate) nodes_of: Index<ClientId, NodeId>,
    pub(crate) gateways_of: Index<ClientId, GatewayId>,
    pub(crate) gateways_at: Index<NodeId, GatewayId>,
    pub(crate) assets_at: Index<NodeId, AssetId>,
    pub(crate) points_of: Index<AssetId, PointId>,
    pub(crate) points_from: Index<GatewayId, PointId>,
}

impl From<store::Registry> for Image {
    fn from(read: store::Registry) -> Self {
        let store::Registry { clients, nodes, assets, gateways, points, .. } = read;
        let mut image = Self::default();
        clients.into_iter().map(Record::Client).for_each(|record| image.add(record));
        nodes.into_iter().map(Record::Node).for_each(|record| image.add(record));
        assets.into_iter().map(Record::Asset).for_each(|record| image.add(record));
        gateways.into_iter().map(Record::Gateway).for_each(|record| image.add(record));
        points.into_iter().map(Record::Point).for_each(|record| image.add(record));
        image
    }
}

impl Image {
    /// Returns the ids of all utilities.
    pub fn clients(&self) -> impl Iterator<Item = ClientId> + '_ {
        self.clients.keys().copied()
    }

    /// Returns a utility by its id.
    pub fn client(&self, id: ClientId) -> Option<&Arc<ClientRecord>> {
        self.clients.get(&id)
    }

    /// Returns a node of any utility.
    pub fn node(&self, id: NodeId) -> Option<&Arc<NodeRecord>> {
        self.nodes.get(id)
    }

    /// Returns an asset of any utility.
    pub fn asset(&self, id: AssetId) -> Option<&Arc<AssetRecord>> {
        self.assets.get(id)
    }

    /// Returns a gateway of any utility.
    pub fn gateway(&self, id: GatewayId) -> Option<&Arc<Gateway>> {
        self.gateways.get(id)
    }

    /// Returns a point of any utility.
    pub fn point(&self, id: PointId) -> Option<&Arc<Point>> {
        self.points.get(id)
    }

    /// Returns all nodes of all utilities, by id.
    pub fn nodes(&self) -> impl Iterator<Item = &Arc<NodeRecord>> + Clone {
        self.nodes.iter().map(|(_, node)| node)
    }

    /// Returns all gateways of all utilities, by id.
    pub fn gateways(&self) -> impl Iterator<Item = &Arc<Gateway>> + Clone {
        self.gateways.iter().map(|(_, gateway)| gateway)
    }

    /// Returns the gateways of a substation, by id.
    pub fn gateways_at(&self, location: NodeId) -> impl Iterator<Item = &Arc<Gateway>> + Clone {
        self.gateways_at.of(location).iter().filter_map(|id| self.gateways.get(*id))
    }

    /// Returns the assets of a substation, by id.
    pub fn assets_at(&self, location: NodeId) -> impl Iterator<Item = &Arc<AssetRecord>> + Clone {
        self.assets_at.of(location).iter().filter_map(|id| self.assets.get(*id))
    }

    /// Returns the points of a substation, asset by asset.
    pub fn points_at(&self, location: NodeId) -> impl Iterator<Item = &Arc<Point>> + Clone {
        self.assets_at.of(location).iter().flat_map(|asset| self.points_of(*asset))
    }

    /// Returns the points of an asset, by id.
    pub fn points_of(&self, asset: AssetId) -> impl Iterator<Item = &Arc<Point>> + Clone {
        self.points_of.of(asset).iter().filter_map(|id| self.points.get(*id))
    }

    /// Returns all points of all utilities, by id.
    pub fn points(&self) -> impl Iterator<Item = &Arc<Point>> + Clone {
        self.points.iter().map(|(_, point)| point)
    }

    /// Returns the points that a gateway reports.
    pub fn points_from(&self, gateway: GatewayId) -> impl Iterator<Item = &Arc<Point>> + Clone {
        self.points_from.of(gateway).iter().filter_map(|id| self.points.get(*id))
    }

    /// Returns the number of points of all utilities.
    pub fn points_len(&self) -> usize {
        self.points.len()
    }

    /// Returns the rows that were added, changed or removed since `before`. Shared rows cost nothing.
    pub fn changed_since(&self, before: &Self) -> Differences {
        Differences {
            clients: self.clients.keys().ne(before.clients.keys()),
            nodes: self.nodes.changed_since(&before.nodes),
            assets: self.assets.changed_since(&before.assets),
            gateways: self.gateways.changed_since(&before.gateways),
            points: self.points.changed_since(&before.points),
        }
    }

    /// Returns whether a utility has the same gateways and points as in `before`.
    pub(crate) fn has_same_points(&self, before: &Self, client: ClientId) -> bool {
        if std::ptr::eq(self, before) {
            return true;
        }
        let is_own = |gateway: GatewayId| [self, before].iter().any(|image| image.gateway(gateway).is_some_and(|of| of.client == client));
        let gateway_of = |point: PointId| [self, before].map(|image| image.point(point).map(|point| point.gateway));
        let own_points = |point: PointId| gateway_of(point).into_iter().flatten().any(is_own);
        !self.gateways.changed_since(&before.gateways).into_iter().any(is_own)
            && !self.points.changed_since(&before.points).into_iter().any(own_points)
    }

    /// Returns whether a utility has the same substations, assets and position points as in `before`.
    pub(crate) fn has_same_bays(&self, before: &Self, client: ClientId) -> bool {
        if std::ptr::eq(self, before) {
            return true;
        }
        let is_own = |node: NodeId| [self, before].iter().any(|image| image.node(node).is_some_and(|of| of.client == client));
        let own_asset = |asset: AssetId| [self, before].iter().any(|image| image.asset(asset).is_some_and(|of| is_own(of.location)));
        let own_position = |point: PointId| {
            let is_one = |point: &Arc<Point>| point.code == "Pos" && is_own(point.location);
            [self, before].iter().any(|image| image.point(point).is_some_and(is_one))
        };
        !self.nodes.changed_since(&before.nodes).into_iter().any(is_own)
            && !self.assets.changed_since(&before.assets).into_iter().any(own_asset)
            && !self.points.changed_since(&before.points).into_iter().any(own_position)
    }

    /// Adds a row that was read. After the last row, call [`Image::set_paths`].
    pub(crate) fn add(&mut self, record: Record) {
        match record {
            Record::Client(client) => {
                self.clients.insert(client.id, Arc::new(client));
            }
            Record::Node(node) => self.put_node(node),
            Record::Asset(asset) => self.put_asset(asset),
            Record::Gateway(gateway) => self.put_gateway(gateway),
            Record::Point(point) => self.put_point(point),
        }
    }

    /// Returns the image after changes: `rows` are the current rows of `changed`. Utilities in `changed.whole` are not
    /// touched.
    pub(crate) fn after(&self, changed: &Changed, rows: ChangedRows) -> Self {
        let mut image = self.clone();
        let mut moved: BTreeSet<ClientId> = BTreeSet::new();
        for id in &changed.clients {
            image.clients.remove(id);
        }
        image.clients.extend(rows.clients.into_iter().map(|client| (client.id, Arc::new(client))));
        for id in &changed.nodes {
            moved.extend(image.remove_node(*id));
        }
        for node in rows.nodes {
            moved.insert(node.client);
            image.put_node(node);
        }
        for id in &changed.assets {
            image.remove_asset(*id);
        }
        for asset in rows.assets {
            image.put_asset(asset);
        }
        for id in &changed.gateways {
            image.remove_gateway(*id);
        }
        for gateway in rows.gateways {
            image.put_gateway(gateway);
        }
        for id in &changed.points {
            image.remove_point(*id);
        }
        for point in rows.points {
            image.put_point(point);
        }
        for client in moved {
            image.set_paths(client);
        }
        image
    }

    /// Returns whether the changed rows differ from those in `before`. A reader may see a change of the log twice.
    pub(crate) fn differs(&self, before: &Self, changed: &Changed) -> bool {
        let points = |image: &Self, asset: &AssetId| -> Vec<_> {
            image.points_of.of(*asset).iter().map(|id| image.points.get(*id).cloned()).collect()
        };
        !changed.whole.is_empty()
            || changed.clients.iter().any(|id| self.clients.get(id) != before.clients.get(id))
            || changed.nodes.iter().any(|id| self.nodes.get(*id) != before.nodes.get(*id))
            || changed.assets.iter().any(|id| self.assets.get(*id) != before.assets.get(*id) || points(self, id) != points(before, id))
            || changed.gateways.iter().any(|id| self.gateways.get(*id) != before.gateways.get(*id))
            || changed.points.iter().any(|id| self.points.get(*id) != before.points.get(*id))
    }

    /// Returns the image without a utility.
    pub(crate) fn without(&self, client: ClientId) -> Self {
        let mut image = self.clone();
        image.clients.remove(&client);
        for node in self.nodes_of.of(client) {
            for asset in self.assets_at.of(*node) {
                for point in self.points_of.of(*asset) {
                    image.remove_point(*point);
                }
                image.remove_asset(*asset);
            }
            image.remove_node(*node);
        }
        for gateway in self.gateways_of.of(client) {
            image.remove_gateway(*gateway);
        }
        image
    }

    /// Sets the paths of a utility's nodes from their parents.
    pub(crate) fn set_paths(&mut self, client: ClientId) {
        let mut nodes: Vec<Arc<NodeRecord>> = self.nodes_of.of(client).iter().filter_map(|id| self.nodes.get(*id).cloned()).collect();
        nodes.sort_by_key(|node| node.level);
        let mut paths: HashMap<NodeId, Vec<NodeId>> = HashMap::with_capacity(nodes.len());
        for mut node in nodes {
            let mut path = node.parent.and_then(|parent| paths.get(&parent)).cloned().unwrap_or_default();
            path.push(node.id);
            if node.path != path {
                Arc::make_mut(&mut node).path.clone_from(&path);
                self.nodes.put(node.id, Arc::clone(&node));
            }
            paths.insert(node.id, path);
        }
    }

    fn put_node(&mut self, node: NodeRecord) {
        self.remove_node(node.id);
        self.nodes_of.add(node.client, node.id);
        self.nodes.put(node.id, Arc::new(node));
    }

    fn remove_node(&mut self, id: NodeId) -> Option<ClientId> {
        let node = self.nodes.remove(id)?;
        self.nodes_of.remove(node.client, id);
        Some(node.client)
    }

    fn put_asset(&mut self, asset: AssetRecord) {
        self.remove_asset(asset.id);
        self.assets_at.add(asset.location, asset.id);
        self.assets.put(asset.id, Arc::new(asset));
    }

    fn remove_asset(&mut self, id: AssetId) {
        if let Some(asset) = self.assets.remove(id) {
            self.assets_at.remove(asset.location, id);
        }
    }

    fn put_gateway(&mut self, gateway: GatewayRecord) {
        self.remove_gateway(gateway.id);
        self.gateways_of.add(gateway.client, gateway.id);
        self.gateways_at.add(gateway.location, gateway.id);
        self.gateways.put(gateway.id, Arc::new(gateway.into()));
    }

    fn remove_gateway(&mut self, id: GatewayId) {
        if let Some(gateway) = self.gateways.remove(id) {
            self.gateways_of.remove(gateway.client, id);
            self.gateways_at.remove(gateway.location, id);
        }
    }

    fn put_point(&mut self, point: Point) {
        self.remove_point(point.id);
        self.points_of.add(point.asset, point.id);
        self.points_from.add(point.gateway, point.id);
        self.points.put(point.id, Arc::new(point));
    }

    fn remove_point(&mut self, id: PointId) {
        if let Some(point) = self.points.remove(id) {
            self.points_of.remove(point.asset, id);
            self.points_from.remove(point.gateway, id);
        }
    }
}
