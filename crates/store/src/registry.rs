//! The registry: utilities, nodes, assets, gateways, devices and points. Callers load all of it and keep a copy in memory.

use std::collections::HashMap;

use grid::measure::Quantity;
use grid::table::overview;
use grid::{AssetId, ClientId, GatewayId, Level, LinkOrder, LinkState, Micros, NodeId, Point, PointId, Term};

use deadpool_postgres::Object;
use futures_util::TryStreamExt;
use tokio_postgres::{IsolationLevel, Row};

use crate::cancel::CancelOnDrop;
use crate::convert::{kind, micros, micros_or_null, sql};
use crate::{Error, Result, Store};

/// The registry of one utility or of all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Registry {
    /// The utilities.
    pub clients: Vec<ClientRecord>,
    /// The hierarchy from circle to substation.
    pub nodes: Vec<NodeRecord>,
    /// The assets of the substations.
    pub assets: Vec<AssetRecord>,
    /// RTUs and protocol gateways.
    pub gateways: Vec<GatewayRecord>,
    /// Devices for which the gateway has reported a death at some time. A device without an entry has the link state of its gateway.
    pub devices: Vec<DeviceRecord>,
    /// The points of the assets.
    pub points: Vec<Point>,
}

/// A utility.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientRecord {
    /// Id of the utility.
    pub id: ClientId,
    /// Code of the utility, which is the Sparkplug group id.
    pub code: String,
    /// Display name.
    pub name: String,
    /// IANA time zone in which its days begin.
    pub time_zone: String,
    /// Configuration document of the utility: a JSON object.
    pub config: serde_json::Value,
}

/// A node of the hierarchy, from circle to substation.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeRecord {
    /// Id of the node.
    pub id: NodeId,
    /// Id of the utility.
    pub client: ClientId,
    /// Level of the node, circle to substation.
    pub level: Level,
    /// Id of the node above; `None` for a circle.
    pub parent: Option<NodeId>,
    /// Code, unique within the utility and level.
    pub code: String,
    /// Display name.
    pub name: String,
    /// Nominal voltages of a substation, such as `33/11 kV`.
    pub kv: Option<String>,
    /// Latitude, degrees north.
    pub lat: Option<f64>,
    /// Longitude, degrees east.
    pub lon: Option<f64>,
    /// When its single-line diagram was stored; `None` if it has none.
    pub drawing_stored: Option<Micros>,
    /// Ids of the nodes from the circle down to this node.
    pub path: Vec<NodeId>,
}

/// An asset, such as a breaker, transformer or feeder.
#[derive(Debug, Clone, PartialEq)]
pub struct AssetRecord {
    /// Id of the asset.
    pub id: AssetId,
    /// Id of the utility.
    pub client: ClientId,
    /// Id of the substation.
    pub location: NodeId,
    /// Code, unique within the substation.
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
    /// Customers that the asset supplies; 0 if unknown.
    pub customers: i32,
    /// Whether the number of customers was entered. An entered 0 means that the asset supplies nobody.
    pub customers_known: bool,
    /// Whether it can be operated directly.
    pub control_asset_req: bool,
    /// Whether it can be operated by select before operate.
    pub is_sbo_supported: bool,
    /// The substation that it supplies, if it is a feeder to another one. Its customers and load are counted at that substation.
    pub feeds: Option<NodeId>,
}

impl AssetRecord {
    /// Returns the number of customers that the asset supplies; `None` if it was not entered.
    pub fn known_customers(&self) -> Option<i32> {
        self.customers_known.then_some(self.customers)
    }

    /// Returns the data that the overview of a substation needs.
    pub fn for_overview(&self) -> overview::Asset<'_> {
        overview::Asset {
            id: self.id,
            code: &self.code,
            name: &self.name,
            asset_type: self.type_id,
            device: &self.device,
            customers: self.known_customers(),
            feeds_substation: self.feeds.is_some(),
        }
    }
}

/// A gateway of a substation (RTU or protocol gateway).
#[derive(Debug, Clone, PartialEq)]
pub struct GatewayRecord {
    /// Id of the gateway.
    pub id: GatewayId,
    /// Id of the utility.
    pub client: ClientId,
    /// Code, which is the Sparkplug edge node id.
    pub code: String,
    /// Display name.
    pub name: String,
    /// Id of the substation.
    pub location: NodeId,
    /// Whether the gateway is online: its last birth was not followed by a death.
    pub online: bool,
    /// When this state began; `None` if the gateway was never online.
    pub since: Option<Micros>,
    /// Position of this state among the gateway's states.
    pub order: LinkOrder,
    /// Receive time of its last message.
    pub last_seen: Option<Micros>,
    /// Whether it was discovered by its birth and not entered by a user.
    pub discovered: bool,
}

/// A device (bay) that has reported a death at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceRecord {
    /// Id of the gateway.
    pub gateway: GatewayId,
    /// The Sparkplug device.
    pub code: String,
    /// Whether the device is online.
    pub online: bool,
    /// When this state began.
    pub since: Micros,
    /// Position of this state among the device's states.
    pub order: LinkOrder,
}

impl GatewayRecord {
    /// Returns the stored link state; `None` if the gateway was never online.
    pub fn link(&self) -> Option<LinkState> {
        self.since.map(|since| LinkState { online: self.online, since, order: self.order })
    }

    /// Replaces the link state. If online or offline does not change, the time at which the state began is kept.
    pub fn set_link(&mut self, link: LinkState) {
        if self.since.is_none() || self.online != link.online {
            self.since = Some(link.since);
        }
        (self.online, self.order) = (link.online, link.order);
    }
}

impl DeviceRecord {
    /// Returns the stored link state.
    pub fn link(&self) -> LinkState {
        LinkState { online: self.online, since: self.since, order: self.order }
    }
}

/// One row of the registry.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// A utility.
    Client(ClientRecord),
    /// A node, without its path.
    Node(NodeRecord),
    /// An asset.
    Asset(AssetRecord),
    /// A gateway.
    Gateway(GatewayRecord),
    /// A point.
    Point(Point),
}

/// Reads a row as one kind of record.
type ReadRecord = fn(&Row) -> Result<Record>;

/// Stored link states.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// Link states of gateways.
    pub gateways: Vec<(GatewayId, LinkState)>,
    /// Link states of devices, by gateway and Sparkplug device.
    pub devices: Vec<(GatewayId, String, LinkState)>,
}

/// The link states of one utility that a view of the present needs.
#[derive(Debug, Clone, Default)]
pub struct CurrentLinks {
    /// The states of gateways that were online at some time.
    pub states: Vec<(GatewayId, LinkState)>,
    /// When a message of a gateway last arrived; gateways without a message are left out.
    pub last_seen: Vec<(GatewayId, Micros)>,
    /// Devices that are offline, by gateway and Sparkplug device. All other devices have the state of their gateway.
    pub gone_devices: Vec<(GatewayId, String)>,
}

impl Registry {
    /// Returns the link states of the registry.
    pub fn links(&self) -> Links {
        let devices = self.devices.iter().map(|device| (device.gateway, device.code.clone(), device.link()));
        let gateways = self.gateways.iter().filter_map(|gateway| Some((gateway.id, gateway.link()?)));
        Links { gateways: gateways.collect(), devices: devices.collect() }
    }
}

impl Store {
    /// Returns the stored link states of one utility, or of all with `None`.
    pub async fn links(&self, client: Option<ClientId>) -> Result<Links> {
        let id = client.map(|client| client.0);
        let gateways = self.query_of(client, sql!("registry/gateway_links"), &[&id]).await?;
        let devices = self.query_of(client, sql!("registry/device_links"), &[&id]).await?;
        let gateway = |row: &Row| Ok((GatewayId(row.try_get("id")?), link_state(row)?));
        let device = |row: &Row| Ok((GatewayId(row.try_get("gateway_id")?), row.try_get("code")?, link_state(row)?));
        Ok(Links {
            gateways: gateways.iter().map(gateway).collect::<Result<_>>()?,
            devices: devices.iter().map(device).collect::<Result<_>>()?,
        })
    }

    /// Returns the link states of one utility that a view of the present needs.
    pub async fn current_links(&self, client: ClientId) -> Result<CurrentLinks> {
        let mut links = CurrentLinks::default();
        for row in self.query_of(Some(client), sql!("registry/current_links"), &[&client.0]).await? {
            let gateway = GatewayId(row.try_get("gateway_id")?);
            if let Some(device) = row.try_get("device")? {
                links.gone_devices.push((gateway, device));
                continue;
            }
            if let Some(since) = micros_or_null(&row, "since")? {
                let order = link_order(&row, "link_term", "link_count")?;
                links.states.push((gateway, LinkState { online: row.try_get("online")?, since, order }));
            }
            links.last_seen.extend(micros_or_null(&row, "last_seen")?.map(|seen| (gateway, seen)));
        }
        Ok(links)
    }

    /// Returns the receive time of the last message of each gateway, of one utility or of all with `None`. Gateways without a message are left out.
    pub async fn gateways_last_seen(&self, client: Option<ClientId>) -> Result<Vec<(GatewayId, Micros)>> {
        let rows = self.query_of(client, sql!("registry/last_seen"), &[&client.map(|client| client.0)]).await?;
        rows.iter().map(|row| Ok((GatewayId(row.try_get("id")?), micros(row, "last_seen")?))).collect()
    }

    /// Passes each record of the registry of one utility, or of all with `None`, to `take` as it is received: utilities, nodes from the top down, assets,
    /// gateways, points. All are read in one snapshot of the database.
    pub async fn each_registry_record(&self, client: Option<ClientId>, take: impl FnMut(Record)) -> Result<()> {
        let mut connection = CancelOnDrop::new(self.pool.get().await?);
        let done = read_records(&mut connection, client, take).await;
        connection.finish();
        done
    }

    /// Loads the registry of one utility, or of all with `None`.
    pub async fn registry(&self, client: Option<ClientId>) -> Result<Registry> {
        let id = client.map(|client| client.0);
        let clients = self.query_of(client, sql!("registry/clients"), &[&id]).await?;
        let nodes = self.query_of(client, sql!("registry/nodes"), &[&id]).await?;
        let assets = self.query_of(client, sql!("registry/assets"), &[&id]).await?;
        let gateways = self.query_of(client, sql!("registry/gateways"), &[&id]).await?;
        let devices = self.query_of(client, sql!("registry/devices"), &[&id]).await?;
        let points = self.query_of(client, sql!("registry/points"), &[&id]).await?;
        let mut nodes = nodes.iter().map(node).collect::<Result<Vec<_>>>()?;
        set_paths(&mut nodes);
        Ok(Registry {
            clients: clients.iter().map(client_record).collect::<Result<_>>()?,
            nodes,
            assets: assets.iter().map(asset).collect::<Result<_>>()?,
            gateways: gateways.iter().map(gateway).collect::<Result<_>>()?,
            devices: devices.iter().map(device).collect::<Result<_>>()?,
            points: points.iter().map(point).collect::<Result<_>>()?,
        })
    }
}

async fn read_records(connection: &mut Object, client: Option<ClientId>, mut take: impl FnMut(Record)) -> Result<()> {
    let transaction = connection.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true).start().await?;
    let statements: [(&str, ReadRecord); 5] = [
        (sql!("registry/clients"), |row| client_record(row).map(Record::Client)),
        (sql!("registry/nodes"), |row| node(row).map(Record::Node)),
        (sql!("registry/assets"), |row| asset(row).map(Record::Asset)),
        (sql!("registry/gateways"), |row| gateway(row).map(Record::Gateway)),
        (sql!("registry/points"), |row| point(row).map(Record::Point)),
    ];
    for (statement, record) in statements {
        let prepared = transaction.prepare_cached(statement).await?;
        let rows = transaction.query_raw(&prepared, [client.map(|client| client.0)]).await?;
        let mut rows = std::pin::pin!(rows);
        while let Some(row) = rows.try_next().await? {
            take(record(&row)?);
        }
    }
    transaction.commit().await?;
    Ok(())
}

pub(crate) fn client_record(row: &Row) -> Result<ClientRecord> {
    Ok(ClientRecord {
        id: ClientId(row.try_get("id")?),
        code: row.try_get("code")?,
        name: row.try_get("name")?,
        time_zone: row.try_get("time_zone")?,
        config: row.try_get("config")?,
    })
}

pub(crate) fn node(row: &Row) -> Result<NodeRecord> {
    let level: i16 = row.try_get("level")?;
    Ok(NodeRecord {
        id: NodeId(row.try_get("id")?),
        client: ClientId(row.try_get("client_id")?),
        level: u8::try_from(level).ok().and_then(Level::from_code).ok_or_else(|| Error::Unreadable(format!("level {level}")))?,
        parent: row.try_get::<_, Option<i64>>("parent_id")?.map(NodeId),
        code: row.try_get("code")?,
        name: row.try_get("name")?,
        kv: row.try_get("kv")?,
        lat: row.try_get("lat")?,
        lon: row.try_get("lon")?,
        drawing_stored: micros_or_null(row, "drawing_stored")?,
        path: Vec::new(),
    })
}

/// Sets the paths of nodes. They are ordered from the top down, so every parent has its path before its children.
fn set_paths(nodes: &mut [NodeRecord]) {
    let mut paths: HashMap<NodeId, Vec<NodeId>> = HashMap::with_capacity(nodes.len());
    for node in nodes {
        let mut path = node.parent.and_then(|parent| paths.get(&parent)).cloned().unwrap_or_default();
        path.push(node.id);
        paths.insert(node.id, path.clone());
        node.path = path;
    }
}

pub(crate) fn asset(row: &Row) -> Result<AssetRecord> {
    Ok(AssetRecord {
        id: AssetId(row.try_get("id")?),
        client: ClientId(row.try_get("client_id")?),
        location: NodeId(row.try_get("location_id")?),
        code: row.try_get("code")?,
        name: row.try_get("name")?,
        type_id: row.try_get("type_id")?,
        class_name: row.try_get("class_name")?,
        device: row.try_get("device")?,
        kv: row.try_get("kv")?,
        customers: row.try_get("customers")?,
        customers_known: row.try_get("customers_known")?,
        control_asset_req: row.try_get("control_asset_req")?,
        is_sbo_supported: row.try_get("is_sbo_supported")?,
        feeds: row.try_get::<_, Option<i64>>("feeds")?.map(NodeId),
    })
}

pub(crate) fn gateway(row: &Row) -> Result<GatewayRecord> {
    Ok(GatewayRecord {
        id: GatewayId(row.try_get("id")?),
        client: ClientId(row.try_get("client_id")?),
        code: row.try_get("code")?,
        name: row.try_get("name")?,
        location: NodeId(row.try_get("location_id")?),
        online: row.try_get("online")?,
        since: micros_or_null(row, "since")?,
        order: link_order(row, "link_term", "link_count")?,
        last_seen: micros_or_null(row, "last_seen")?,
        discovered: row.try_get("discovered")?,
    })
}

fn device(row: &Row) -> Result<DeviceRecord> {
    Ok(DeviceRecord {
        gateway: GatewayId(row.try_get("gateway_id")?),
        code: row.try_get("code")?,
        online: row.try_get("online")?,
        since: micros(row, "since")?,
        order: link_order(row, "link_term", "link_count")?,
    })
}

fn link_state(row: &Row) -> Result<LinkState> {
    Ok(LinkState { online: row.try_get("online")?, since: micros(row, "since")?, order: link_order(row, "link_term", "link_count")? })
}

pub(crate) fn link_order(row: &Row, term: &str, count: &str) -> Result<LinkOrder> {
    Ok(LinkOrder { term: Term(row.try_get(term)?), count: row.try_get(count)? })
}

/// Reads a point from a row of `registry/points` or `discover/points`.
pub(crate) fn point(row: &Row) -> Result<Point> {
    let decimals: i16 = row.try_get("decimals")?;
    Ok(Point {
        id: PointId(row.try_get("id")?),
        client: ClientId(row.try_get("client_id")?),
        gateway: GatewayId(row.try_get("gateway_id")?),
        device: row.try_get("device")?,
        metric: row.try_get("metric")?,
        code: row.try_get("code")?,
        asset: AssetId(row.try_get("asset_id")?),
        asset_name: row.try_get("asset_name")?,
        asset_type: row.try_get("asset_type")?,
        location: NodeId(row.try_get("location_id")?),
        kind: kind(row)?,
        quantity: Quantity::from_text(row.try_get("quantity")?),
        unit: row.try_get("unit")?,
        decimals: u8::try_from(decimals).map_err(|_| Error::Unreadable(format!("decimals {decimals}")))?,
        scale: row.try_get("scale")?,
        expected_ms: row.try_get("expected_ms")?,
    })
}
