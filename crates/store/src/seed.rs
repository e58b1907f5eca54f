//! Enters utilities, hierarchy, assets, points and members. Everything is put by its natural key: again is the same, changed is updated.

use grid::measure::Quantity;
use grid::point::Kind;
use grid::{AssetId, ClientId, GatewayId, Level, MemberId, NodeId, PointId};

use crate::{Result, Store};

/// A utility, known by its code.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientSeed {
    /// Its code, which is the Sparkplug group.
    pub code: String,
    /// Its name.
    pub name: String,
    /// IANA time zone.
    pub time_zone: String,
    /// Labels, symbols and switches particular to it.
    pub config: serde_json::Value,
}

/// A node of the hierarchy, known by (client, level, code).
#[derive(Debug, Clone, PartialEq)]
pub struct NodeSeed {
    /// The utility.
    pub client: ClientId,
    /// Circle to substation.
    pub level: Level,
    /// The node above, of the level above; `None` for a circle.
    pub parent: Option<NodeId>,
    /// Unique within the utility and level.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Voltages of a substation, such as `33/11 kV`.
    pub kv: Option<String>,
    /// Latitude, degrees north.
    pub lat: Option<f64>,
    /// Longitude, degrees east.
    pub lon: Option<f64>,
}

/// An asset, known by (location, code).
#[derive(Debug, Clone, PartialEq)]
pub struct AssetSeed {
    /// The utility.
    pub client: ClientId,
    /// The substation it stands in.
    pub location: NodeId,
    /// Unique within the substation.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Asset type (specification 2, section 9).
    pub type_id: i32,
    /// The class drawn, such as `breaker`.
    pub class_name: String,
    /// The bay: the Sparkplug device that reports it.
    pub device: String,
    /// Rated voltage, kV.
    pub kv: Option<f64>,
    /// Customers fed through it.
    pub customers: i32,
    /// Whether it can be operated directly.
    pub control_asset_req: bool,
    /// Whether it can be operated by select before operate.
    pub is_sbo_supported: bool,
}

/// A gateway, known by (client, code).
#[derive(Debug, Clone, PartialEq)]
pub struct GatewaySeed {
    /// The utility.
    pub client: ClientId,
    /// The Sparkplug edge node.
    pub code: String,
    /// Its name.
    pub name: String,
    /// The substation it stands in.
    pub location: NodeId,
}

/// A point, known by (gateway, device, metric).
#[derive(Debug, Clone, PartialEq)]
pub struct PointSeed {
    /// The utility.
    pub client: ClientId,
    /// The gateway that reports it.
    pub gateway: GatewayId,
    /// The Sparkplug device, empty for a metric of the node itself.
    pub device: String,
    /// The metric name within the device.
    pub metric: String,
    /// The last part of the metric name.
    pub code: String,
    /// The asset it belongs to.
    pub asset: AssetId,
    /// Measured or signalled.
    pub kind: Kind,
    /// What it measures.
    pub quantity: Quantity,
    /// Unit of the stored value.
    pub unit: String,
    /// Decimals to show.
    pub decimals: u8,
    /// The stored value is the received one times this.
    pub scale: f64,
    /// How often a value is expected, ms.
    pub expected_ms: Option<i64>,
}

/// A member, known by the username.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberSeed {
    /// The utility.
    pub client: ClientId,
    /// What they sign in with.
    pub username: String,
    /// Where they are written to.
    pub email: String,
    /// Given name.
    pub first_name: String,
    /// Family name.
    pub last_name: String,
    /// Role number.
    pub role_id: i32,
    /// Its name.
    pub role_name: String,
    /// Argon2 hash in PHC form.
    pub password_hash: String,
    /// The node they are confined to; `None` for the whole utility.
    pub node: Option<NodeId>,
    /// Whether they may operate.
    pub can_operate: bool,
    /// Whether this is the demo user.
    pub demo: bool,
}

impl Store {
    /// Whether a utility has been seeded to the end ([`Store::mark_seeded`]).
    pub async fn is_seeded(&self, client_code: &str) -> Result<bool> {
        let _ = client_code;
        todo!()
    }

    /// Says that a utility's seed is complete. Call it last, so that a seed cut short is done again.
    pub async fn mark_seeded(&self, client: ClientId) -> Result<()> {
        let _ = client;
        todo!()
    }

    /// Puts a utility.
    pub async fn put_client(&self, seed: &ClientSeed) -> Result<ClientId> {
        let _ = seed;
        todo!()
    }

    /// Puts a node of the hierarchy.
    pub async fn put_node(&self, seed: &NodeSeed) -> Result<NodeId> {
        let _ = seed;
        todo!()
    }

    /// Puts assets; the ids come in the order of the seeds.
    pub async fn put_assets(&self, seeds: &[AssetSeed]) -> Result<Vec<AssetId>> {
        let _ = seeds;
        todo!()
    }

    /// Puts a gateway.
    pub async fn put_gateway(&self, seed: &GatewaySeed) -> Result<GatewayId> {
        let _ = seed;
        todo!()
    }

    /// Puts points; the ids come in the order of the seeds.
    pub async fn put_points(&self, seeds: &[PointSeed]) -> Result<Vec<PointId>> {
        let _ = seeds;
        todo!()
    }

    /// Puts a member. A username that another utility has is refused.
    pub async fn put_member(&self, seed: &MemberSeed) -> Result<MemberId> {
        let _ = seed;
        todo!()
    }
}
