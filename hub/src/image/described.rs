//! The differences between two registries that matter to the process image.

use std::collections::{BTreeMap, BTreeSet};

use grid::{AssetId, ClientId, GatewayId, Level, NodeId, PointId, Scope};
use registry::Image;

use crate::area::Area;
use crate::stream::Stream;
use crate::table::RowKey;

/// The differences.
#[derive(Debug, Default)]
pub(crate) struct Described {
    /// Whether utilities were added or removed.
    pub(crate) clients: bool,
    /// Points that were added, changed or removed.
    pub(crate) points: Vec<DescribedPoint>,
    /// Nodes that changed or were renamed, each with all of its assets and points.
    pub(crate) locations: BTreeSet<NodeId>,
    /// Nodes that moved in the hierarchy or were removed, with their previous utility.
    moved_nodes: BTreeMap<NodeId, ClientId>,
    /// Assets that moved to another substation or were removed, with their previous utility.
    moved_assets: BTreeMap<AssetId, ClientId>,
    /// Nodes that have lost substations or assets below them, or have received them from another node. New substations and assets are not included, because
    /// subscribers get all their rows.
    pub(crate) areas: BTreeSet<NodeId>,
    /// The nodes from the circle down to `locations`, before and after the change.
    paths: BTreeSet<NodeId>,
    /// Assets and gateways at `locations`, before and after the change.
    assets: BTreeSet<AssetId>,
    gateways: BTreeSet<GatewayId>,
    /// Utilities with a difference.
    of_clients: BTreeSet<ClientId>,
}

/// A point that was added, changed or removed, with its substation before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DescribedPoint {
    pub(crate) point: PointId,
    pub(crate) before: Option<NodeId>,
    /// `None` for a point that was removed.
    pub(crate) after: Option<NodeId>,
}

impl Described {
    /// Compares two images of the registry.
    pub(super) fn between(before: &Image, after: &Image) -> Self {
        let differences = after.changed_since(before);
        let mut described = Self { clients: differences.clients, ..Self::default() };
        let both = [before, after];
        let mut above: BTreeSet<NodeId> = BTreeSet::new();
        let path = |image: &'_ Image, node: NodeId| image.node(node).map(|node| node.path.clone()).unwrap_or_default();
        for id in differences.nodes {
            let (was, is) = (before.node(id), after.node(id));
            if let Some(was) = was.filter(|was| is.is_none_or(|is| (was.client, &was.path) != (is.client, &is.path))) {
                described.moved_nodes.insert(id, was.client);
                described.areas.extend(either(&was.path, &path(after, id)));
            }
            described.locations.insert(id);
            if was.or(is).is_some_and(|node| node.level != Level::Substation) {
                above.insert(id);
            }
        }
        if !above.is_empty() {
            // Rows of substations contain the names of the nodes above them.
            let nodes = both.iter().flat_map(|image| image.nodes());
            let below = nodes.filter(|node| node.path.iter().any(|id| above.contains(id)));
            described.locations.extend(below.map(|node| node.id));
        }
        for id in differences.assets {
            let location = |image: &Image| image.asset(id).map(|asset| asset.location);
            described.locations.extend(both.iter().filter_map(|image| location(image)));
            if let Some(was) = before.asset(id).filter(|was| location(after) != Some(was.location)) {
                described.moved_assets.insert(id, was.client);
                let is_at = location(after).map(|location| path(after, location)).unwrap_or_default();
                described.areas.extend(either(&path(before, was.location), &is_at));
            }
        }
        for id in differences.gateways {
            described.locations.extend(both.iter().filter_map(|image| image.gateway(id)).map(|gateway| gateway.location));
        }
        for point in differences.points {
            let location = |image: &Image| image.point(point).map(|point| point.location);
            described.points.push(DescribedPoint { point, before: location(before), after: location(after) });
        }
        described.locations.extend(described.points.iter().flat_map(|point| [point.before, point.after]).flatten());
        for location in &described.locations {
            for image in both {
                described.assets.extend(image.assets_at(*location).map(|asset| asset.id));
                described.gateways.extend(image.gateways_at(*location).map(|gateway| gateway.id));
                if let Some(node) = image.node(*location) {
                    described.paths.extend(&node.path);
                    described.of_clients.insert(node.client);
                }
            }
        }
        described
    }

    /// Returns whether there are no differences.
    pub(crate) fn is_empty(&self) -> bool {
        !self.clients && self.locations.is_empty()
    }

    /// Returns whether rows of a stream may have changed.
    pub(crate) fn concerns(&self, stream: Stream) -> bool {
        match stream {
            Stream::Diagram(node) | Stream::Commands(node) => self.locations.contains(&node),
            // Other substations may have moved into the area of its subscribers, or out of it.
            Stream::Network(node, own) => self.locations.contains(&node) || own.is_some_and(|own| self.paths.contains(&own)),
            Stream::Areas(_) => false,
            Stream::Readings(asset) => self.assets.contains(&asset),
            Stream::Events(scope) | Stream::LoadCurrent(scope) | Stream::Table(_, scope) => self.concerns_scope(scope),
            Stream::Comms(area) | Stream::Overview(area) | Stream::Alarms(area) | Stream::Faults(area) => match area {
                Area::Client(client, None) => self.of_clients.contains(&client),
                Area::Client(_, Some(node)) => self.paths.contains(&node),
                Area::Scope(scope) => self.concerns_scope(scope),
            },
        }
    }

    /// Returns whether a row of a table may have changed.
    pub(crate) fn concerns_row(&self, stream: Stream, key: RowKey) -> bool {
        match stream {
            Stream::LoadCurrent(_) | Stream::Table(..) => self.assets.contains(&AssetId(key)),
            Stream::Overview(_) => self.locations.contains(&NodeId(key)),
            Stream::Comms(_) => self.gateways.contains(&GatewayId(key)),
            _ => true,
        }
    }

    fn concerns_scope(&self, scope: Scope) -> bool {
        match scope {
            Scope::Node(node) => self.paths.contains(&node),
            Scope::Asset(asset) => self.assets.contains(&asset),
        }
    }

    /// Returns the previous utility of a stream whose node or asset has moved or was removed, because different users may see it now.
    pub(crate) fn moved(&self, stream: Stream, before: impl Fn(AssetId) -> Option<NodeId>) -> Option<ClientId> {
        let of_node = |node: NodeId| self.moved_nodes.get(&node).copied();
        let of_asset = |asset: AssetId| self.moved_assets.get(&asset).copied().or_else(|| of_node(before(asset)?));
        let of_scope = |scope| match scope {
            Scope::Node(node) => of_node(node),
            Scope::Asset(asset) => of_asset(asset),
        };
        match stream {
            Stream::Diagram(node) | Stream::Network(node, _) | Stream::Commands(node) => of_node(node),
            Stream::Areas(_) => None,
            Stream::Readings(asset) => of_asset(asset),
            Stream::Events(scope) | Stream::LoadCurrent(scope) | Stream::Table(_, scope) => of_scope(scope),
            Stream::Comms(area) | Stream::Overview(area) | Stream::Alarms(area) | Stream::Faults(area) => match area {
                // Users who are confined to a node remain confined to it when it moves.
                Area::Client(..) => None,
                Area::Scope(scope) => of_scope(scope),
            },
        }
    }
}

/// Returns the nodes that are in only one of the two paths.
fn either(before: &[NodeId], after: &[NodeId]) -> Vec<NodeId> {
    let left = before.iter().filter(|node| !after.contains(node));
    left.chain(after.iter().filter(|node| !before.contains(node))).copied().collect()
}
