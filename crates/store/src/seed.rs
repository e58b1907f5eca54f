//! Enters utilities, hierarchy, assets, points and members. Everything is put by its natural key: again is the same, changed is updated.

use std::collections::HashMap;
use std::hash::Hash;

use grid::measure::Quantity;
use grid::point::Kind;
use grid::{AssetId, ClientId, GatewayId, Level, MemberId, NodeId, PointId};

use tokio_postgres::Row;

use crate::convert::{encoding_word, sql};
use crate::{Error, Result, Store};

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
        Ok(self.query_opt(sql!("seed/is_seeded"), &[&client_code]).await?.is_some())
    }

    /// Says that a utility's seed is complete. Call it last, so that a seed cut short is done again.
    pub async fn mark_seeded(&self, client: ClientId) -> Result<()> {
        self.execute(sql!("seed/mark_seeded"), &[&client.0]).await?;
        Ok(())
    }

    /// Puts a utility.
    pub async fn put_client(&self, seed: &ClientSeed) -> Result<ClientId> {
        let row = self.query_opt(sql!("seed/put_client"), &[&seed.code, &seed.name, &seed.time_zone, &seed.config]).await?;
        put(row, "client", &seed.code).map(ClientId)
    }

    /// Puts a node of the hierarchy.
    pub async fn put_node(&self, seed: &NodeSeed) -> Result<NodeId> {
        let level = i16::from(seed.level.code());
        let parent = seed.parent.map(|parent| parent.0);
        let row = self
            .query_opt(sql!("seed/put_node"), &[&seed.client.0, &level, &parent, &seed.code, &seed.name, &seed.kv, &seed.lat, &seed.lon])
            .await?;
        put(row, "node (its parent must be of the level above)", &seed.code).map(NodeId)
    }

    /// Puts assets; the ids come in the order of the seeds.
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
                    &column(seeds, |seed| seed.customers),
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

    /// Puts a gateway.
    pub async fn put_gateway(&self, seed: &GatewaySeed) -> Result<GatewayId> {
        let row = self.query_opt(sql!("seed/put_gateway"), &[&seed.client.0, &seed.code, &seed.name, &seed.location.0]).await?;
        put(row, "gateway", &seed.code).map(GatewayId)
    }

    /// Puts points; the ids come in the order of the seeds.
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
                    &column(seeds, |seed| encoding_word(seed.kind)),
                    &column(seeds, |seed| seed.quantity.word()),
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

    /// Puts a member. A username that another utility has is refused.
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

/// The id of what was put, or that it was refused.
fn put(row: Option<Row>, what: &str, code: &str) -> Result<i64> {
    let row = row.ok_or_else(|| Error::Data(format!("{code} cannot be put as {what}")))?;
    Ok(row.try_get("id")?)
}

/// RETURNING promises no order, so ids are brought into the seeds' order by their keys.
fn in_order<K: Eq + Hash, V: Copy>(ids: &HashMap<K, V>, keys: impl Iterator<Item = K>) -> Result<Vec<V>> {
    keys.map(|key| ids.get(&key).copied().ok_or_else(|| Error::Unreadable("a row that was put did not come back".to_owned()))).collect()
}
