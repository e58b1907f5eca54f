//! Seeding of utilities, hierarchy, assets, points and members. Rows are identified by natural keys: seeding again changes nothing, and changed rows are
//! updated.

use std::collections::HashMap;
use std::hash::Hash;

use grid::measure::Quantity;
use grid::point::PointKind;
use grid::{AssetId, ClientId, GatewayId, Level, MemberId, NodeId, PointId};

use tokio_postgres::Row;

use crate::convert::{encoding_column, sql};
use crate::{Error, Result, Store};

/// A utility, identified by its code.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientSeed {
    /// Code of the utility, which is the Sparkplug group id.
    pub code: String,
    /// Display name.
    pub name: String,
    /// IANA time zone.
    pub time_zone: String,
    /// Configuration document of the utility.
    pub config: serde_json::Value,
}

/// A node of the hierarchy, identified by utility, level and code.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeSeed {
    /// Id of the utility.
    pub client: ClientId,
    /// Level of the node, circle to substation.
    pub level: Level,
    /// Id of the node above; `None` for a circle.
    pub parent: Option<NodeId>,
    /// Unique within the utility and level.
    pub code: String,
    /// Display name.
    pub name: String,
    /// Nominal voltages of a substation, such as `33/11 kV`.
    pub kv: Option<String>,
    /// Latitude, degrees north.
    pub lat: Option<f64>,
    /// Longitude, degrees east.
    pub lon: Option<f64>,
}

/// An asset, identified by substation and code.
#[derive(Debug, Clone, PartialEq)]
pub struct AssetSeed {
    /// Id of the utility.
    pub client: ClientId,
    /// Id of the substation.
    pub location: NodeId,
    /// Unique within the substation.
    pub code: String,
    /// Display name.
    pub name: String,
    /// Asset type (specification 2, section 9).
    pub type_id: i32,
    /// Class of the symbol on diagrams, such as `breaker`.
    pub class_name: String,
    /// The Sparkplug device of the bay that reports the asset.
    pub device: String,
    /// Rated voltage, kV.
    pub kv: Option<f64>,
    /// Customers that the asset supplies.
    pub customers: i32,
    /// Whether `customers` is a known number if it is 0. A number above 0 always counts as known.
    pub customers_known: bool,
    /// Whether it can be operated directly.
    pub control_asset_req: bool,
    /// Whether it can be operated by select before operate.
    pub is_sbo_supported: bool,
}

impl AssetSeed {
    /// Creates an asset without rated voltage, customers and remote control. Its code is also its name and its device.
    pub fn new(client: ClientId, location: NodeId, code: &str, type_id: i32, class_name: &str) -> Self {
        let class_name = class_name.to_owned();
        let (code, name, device) = (code.to_owned(), code.to_owned(), code.to_owned());
        Self {
            client,
            location,
            code,
            name,
            type_id,
            class_name,
            device,
            kv: None,
            customers: 0,
            customers_known: false,
            control_asset_req: false,
            is_sbo_supported: false,
        }
    }
}

/// A gateway, identified by utility and code.
#[derive(Debug, Clone, PartialEq)]
pub struct GatewaySeed {
    /// Id of the utility.
    pub client: ClientId,
    /// Sparkplug edge node id.
    pub code: String,
    /// Display name.
    pub name: String,
    /// Id of the substation.
    pub location: NodeId,
}

/// A point, identified by gateway, device and metric.
#[derive(Debug, Clone, PartialEq)]
pub struct PointSeed {
    /// Id of the utility.
    pub client: ClientId,
    /// Id of the gateway that reports it.
    pub gateway: GatewayId,
    /// The Sparkplug device, empty for a metric of the node itself.
    pub device: String,
    /// The metric name within the device.
    pub metric: String,
    /// The last part of the metric name.
    pub code: String,
    /// Id of the asset.
    pub asset: AssetId,
    /// Measurand or status.
    pub kind: PointKind,
    /// Measured quantity.
    pub quantity: Quantity,
    /// Unit of the stored value.
    pub unit: String,
    /// Decimals to show.
    pub decimals: u8,
    /// Factor between the received and the stored value: stored = received × scale.
    pub scale: f64,
    /// Expected reporting interval, ms; `None` for report by exception.
    pub expected_ms: Option<i64>,
}

/// A member, identified by the username.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberSeed {
    /// Id of the utility.
    pub client: ClientId,
    /// Sign-in name.
    pub username: String,
    /// E-mail address.
    pub email: String,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Role number.
    pub role_id: i32,
    /// Name of the role.
    pub role_name: String,
    /// Argon2 hash of the password in PHC format.
    pub password_hash: String,
    /// The node to whose area the member is limited; `None` for the whole utility.
    pub node: Option<NodeId>,
    /// Whether the member has the permission to operate devices.
    pub can_operate: bool,
    /// Whether this is the demo user.
    pub demo: bool,
}

impl Store {
    /// Returns whether a utility has been seeded completely ([`Store::mark_seeded`]).
    pub async fn is_seeded(&self, client_code: &str) -> Result<bool> {
        Ok(self.query_opt(sql!("seed/is_seeded"), &[&client_code]).await?.is_some())
    }

    /// Marks the seed of a utility as complete. Call it last, so that an interrupted seed is repeated.
    pub async fn mark_seeded(&self, client: ClientId) -> Result<()> {
        self.execute(sql!("seed/mark_seeded"), &[&client.0]).await?;
        Ok(())
    }

    /// Adds or updates a utility.
    pub async fn put_client(&self, seed: &ClientSeed) -> Result<ClientId> {
        let row = self.query_opt(sql!("seed/put_client"), &[&seed.code, &seed.name, &seed.time_zone, &seed.config]).await?;
        put(row, "client", &seed.code).map(ClientId)
    }

    /// Adds or updates a node of the hierarchy.
    pub async fn put_node(&self, seed: &NodeSeed) -> Result<NodeId> {
        let level = i16::from(seed.level.code());
        let parent = seed.parent.map(|parent| parent.0);
        let row = self
            .query_opt(sql!("seed/put_node"), &[&seed.client.0, &level, &parent, &seed.code, &seed.name, &seed.kv, &seed.lat, &seed.lon])
            .await?;
        put(row, "node (its parent must be of the level above)", &seed.code).map(NodeId)
    }

    /// Adds or updates assets. Returns their ids in the order of the seeds.
    pub async fn put_assets(&self, seeds: &[AssetSeed]) -> Result<Vec<AssetId>> {
        fn column<T>(seeds: &[AssetSeed], value: impl Fn(&AssetSeed) -> T) -> Vec<T> {
            seeds.iter().map(value).collect()
        }
        let rows = self
            .query(
                sql!("seed/put_assets"),
                &[
                    &column(seeds, |seed| seed.client.0),
                    &column(seeds, |seed| seed.location.0),
                    &column(seeds, |seed| seed.code.clone()),
                    &column(seeds, |seed| seed.name.clone()),
                    &column(seeds, |seed| seed.type_id),
                    &column(seeds, |seed| seed.class_name.clone()),
                    &column(seeds, |seed| seed.device.clone()),
                    &column(seeds, |seed| seed.kv),
                    &column(seeds, |seed| (seed.customers_known || seed.customers > 0).then_some(seed.customers)),
                    &column(seeds, |seed| seed.control_asset_req),
                    &column(seeds, |seed| seed.is_sbo_supported),
                ],
            )
            .await?;
        let mut ids = HashMap::with_capacity(rows.len());
        for row in &rows {
            ids.insert((row.try_get::<_, i64>("location_id")?, row.try_get::<_, String>("code")?), AssetId(row.try_get("id")?));
        }
        in_order(&ids, seeds.iter().map(|seed| (seed.location.0, seed.code.clone())))
    }

    /// Adds or updates a gateway.
    pub async fn put_gateway(&self, seed: &GatewaySeed) -> Result<GatewayId> {
        let row = self.query_opt(sql!("seed/put_gateway"), &[&seed.client.0, &seed.code, &seed.name, &seed.location.0]).await?;
        put(row, "gateway", &seed.code).map(GatewayId)
    }

    /// Adds or updates points. Returns their ids in the order of the seeds.
    pub async fn put_points(&self, seeds: &[PointSeed]) -> Result<Vec<PointId>> {
        fn column<T>(seeds: &[PointSeed], value: impl Fn(&PointSeed) -> T) -> Vec<T> {
            seeds.iter().map(value).collect()
        }
        let rows = self
            .query(
                sql!("seed/put_points"),
                &[
                    &column(seeds, |seed| seed.client.0),
                    &column(seeds, |seed| seed.gateway.0),
                    &column(seeds, |seed| seed.asset.0),
                    &column(seeds, |seed| seed.device.clone()),
                    &column(seeds, |seed| seed.metric.clone()),
                    &column(seeds, |seed| seed.code.clone()),
                    &column(seeds, |seed| encoding_column(seed.kind)),
                    &column(seeds, |seed| seed.quantity.as_str()),
                    &column(seeds, |seed| seed.unit.clone()),
                    &column(seeds, |seed| i16::from(seed.decimals)),
                    &column(seeds, |seed| seed.scale),
                    &column(seeds, |seed| seed.expected_ms),
                ],
            )
            .await?;
        let mut ids = HashMap::with_capacity(rows.len());
        for row in &rows {
            let key = (row.try_get::<_, i64>("gateway_id")?, row.try_get::<_, String>("device")?, row.try_get::<_, String>("metric")?);
            ids.insert(key, PointId(row.try_get("id")?));
        }
        in_order(&ids, seeds.iter().map(|seed| (seed.gateway.0, seed.device.clone(), seed.metric.clone())))
    }

    /// Adds or updates a member. A username of another utility's member is refused.
    pub async fn put_member(&self, seed: &MemberSeed) -> Result<MemberId> {
        let row = self
            .query_opt(
                sql!("seed/put_member"),
                &[
                    &seed.client.0,
                    &seed.username,
                    &seed.email,
                    &seed.first_name,
                    &seed.last_name,
                    &seed.role_id,
                    &seed.role_name,
                    &seed.password_hash,
                    &seed.node.map(|node| node.0),
                    &seed.can_operate,
                    &seed.demo,
                ],
            )
            .await?;
        put(row, "member (another client may have the name)", &seed.username).map(MemberId)
    }
}

/// Returns the id of the stored row, or an error if it was refused.
fn put(row: Option<Row>, what: &str, code: &str) -> Result<i64> {
    let row = row.ok_or_else(|| Error::Data(format!("{code} cannot be put as {what}")))?;
    Ok(row.try_get("id")?)
}

/// RETURNING has no defined order, so the ids are put into the order of the seeds by their keys.
fn in_order<K: Eq + Hash, V: Copy>(ids: &HashMap<K, V>, keys: impl Iterator<Item = K>) -> Result<Vec<V>> {
    keys.map(|key| ids.get(&key).copied().ok_or_else(|| Error::Unreadable("a row that was put did not come back".to_owned()))).collect()
}
