//! The registry of one utility.

use std::sync::Arc;

use grid::{AssetId, ClientId, GatewayId, Level, NodeId, Point, PointId};
use store::registry::{AssetRecord, ClientRecord, NodeRecord};

use crate::{Gateway, Image};

/// The registry of one utility: ids of other utilities return nothing.
#[derive(Debug, Clone)]
pub struct Utility {
    pub(crate) image: Arc<Image>,
    client: Arc<ClientRecord>,
}

impl Image {
    /// Returns the registry of one utility; `None` if it does not exist.
    pub fn utility(self: &Arc<Self>, client: ClientId) -> Option<Utility> {
        let client = self.clients.get(&client).cloned()?;
        Some(Utility { image: Arc::clone(self), client })
    }
}

impl Utility {
    /// Returns the utility.
    pub fn client(&self) -> &ClientRecord {
        &self.client
    }

    /// Returns a node by its id.
    pub fn node(&self, id: NodeId) -> Option<&NodeRecord> {
        self.image.nodes.get(id).map(AsRef::as_ref).filter(|node| node.client == self.client.id)
    }

    /// Returns an asset by its id.
    pub fn asset(&self, id: AssetId) -> Option<&AssetRecord> {
        self.image.assets.get(id).map(AsRef::as_ref).filter(|asset| asset.client == self.client.id)
    }

    /// Returns a gateway by its id.
    pub fn gateway(&self, id: GatewayId) -> Option<&Gateway> {
        self.image.gateways.get(id).map(AsRef::as_ref).filter(|gateway| gateway.client == self.client.id)
    }

    /// Returns a point by its id.
    pub fn point(&self, id: PointId) -> Option<&Point> {
        self.image.points.get(id).map(AsRef::as_ref).filter(|point| point.client == self.client.id)
    }

    /// Returns all nodes, by id.
    pub fn nodes(&self) -> impl Iterator<Item = &NodeRecord> + Clone {
        self.image.nodes_of.of(self.client.id).iter().filter_map(|id| self.node(*id))
    }

    /// Returns all gateways, by id.
    pub fn gateways(&self) -> impl Iterator<Item = &Gateway> + Clone {
        self.image.gateways_of.of(self.client.id).iter().filter_map(|id| self.gateway(*id))
    }

    /// Returns the gateways of a substation, by id.
    pub fn gateways_at(&self, location: NodeId) -> impl Iterator<Item = &Gateway> + Clone {
        self.image.gateways_at.of(location).iter().filter_map(|id| self.gateway(*id))
    }

    /// Returns all assets, substation by substation.
    pub fn assets(&self) -> impl Iterator<Item = &AssetRecord> + Clone {
        self.nodes().flat_map(|node| self.assets_at(node.id))
    }

    /// Returns all points, substation by substation.
    pub fn points(&self) -> impl Iterator<Item = &Point> + Clone {
        self.nodes().flat_map(|node| self.points_at(node.id))
    }

    /// Returns the assets of a substation, by id.
    pub fn assets_at(&self, location: NodeId) -> impl Iterator<Item = &AssetRecord> + Clone {
        self.image.assets_at.of(location).iter().filter_map(|id| self.asset(*id))
    }

    /// Returns the points of a substation, asset by asset.
    pub fn points_at(&self, location: NodeId) -> impl Iterator<Item = &Point> + Clone {
        self.image.assets_at.of(location).iter().flat_map(|asset| self.points_of(*asset))
    }

    /// Returns the points of an asset, by id.
    pub fn points_of(&self, asset: AssetId) -> impl Iterator<Item = &Point> + Clone {
        self.image.points_of.of(asset).iter().filter_map(|id| self.point(*id))
    }

    /// Returns the node of a level that contains a node, or the node itself.
    pub fn above(&self, node: &NodeRecord, level: Level) -> Option<&NodeRecord> {
        node.path.iter().filter_map(|id| self.node(*id)).find(|above| above.level == level)
    }
}
