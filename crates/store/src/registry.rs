//! Everything the services need to know about the field: who has what, where it hangs, how it is addressed. Read whole and cached by callers.

use grid::{AssetId, ClientId, GatewayId, Level, Micros, NodeId, Point};

use crate::{Result, Store};

/// The whole field, of one utility or of all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Registry {
    /// The utilities.
    pub clients: Vec<ClientRecord>,
    /// The hierarchy from circle to substation.
    pub nodes: Vec<NodeRecord>,
    /// What stands in the substations.
    pub assets: Vec<AssetRecord>,
    /// RTUs and protocol gateways.
    pub gateways: Vec<GatewayRecord>,
    /// What they report.
    pub points: Vec<Point>,
}

/// A utility.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientRecord {
    /// Its id.
    pub id: ClientId,
    /// Its code, which is the Sparkplug group.
    pub code: String,
    /// Its name for people.
    pub name: String,
    /// IANA time zone in which its days begin.
    pub time_zone: String,
    /// Labels, symbols and switches particular to it.
    pub config: serde_json::Value,
}

/// A node of the hierarchy between client and asset.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeRecord {
    /// Its id.
    pub id: NodeId,
    /// The utility.
    pub client: ClientId,
    /// Circle to substation.
    pub level: Level,
    /// The node above; `None` for a circle.
    pub parent: Option<NodeId>,
    /// Unique within the utility and level.
    pub code: String,
    /// Its name for people.
    pub name: String,
    /// Voltages of a substation, such as `33/11 kV`.
    pub kv: Option<String>,
    /// Latitude, degrees north.
    pub lat: Option<f64>,
    /// Longitude, degrees east.
    pub lon: Option<f64>,
    /// Whether a single-line diagram is stored for it.
    pub has_drawing: bool,
    /// From the circle down, itself last.
    pub path: Vec<NodeId>,
}

/// A breaker, transformer, feeder and so on.
#[derive(Debug, Clone, PartialEq)]
pub struct AssetRecord {
    /// Its id.
    pub id: AssetId,
    /// The utility.
    pub client: ClientId,
    /// The substation it stands in.
    pub location: NodeId,
    /// Unique within the substation.
    pub code: String,
    /// Its name for people.
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

/// An RTU or protocol gateway.
#[derive(Debug, Clone, PartialEq)]
pub struct GatewayRecord {
    /// Its id.
    pub id: GatewayId,
    /// The utility.
    pub client: ClientId,
    /// The Sparkplug edge node.
    pub code: String,
    /// Its name for people.
    pub name: String,
    /// The substation it stands in.
    pub location: NodeId,
    /// Whether its birth certificate is in force.
    pub online: bool,
    /// Since when it has been so; `None` when it has never been heard.
    pub since: Option<Micros>,
    /// When something of it last arrived.
    pub last_seen: Option<Micros>,
    /// Whether it announced itself instead of being entered.
    pub discovered: bool,
}

impl Store {
    /// The whole field of one utility, or of all with `None`.
    pub async fn registry(&self, client: Option<ClientId>) -> Result<Registry> {
        let _ = client;
        todo!()
    }
}
