//! Seeds one utility: hierarchy, assets, gateways, points and drawings.

use std::collections::HashMap;

use anyhow::Context;
use grid::{AssetId, ClientId, GatewayId, Level, NodeId, PointId};
use serde_json::{Value, json};
use simulators::physics::fault_level::FaultLevels;
use simulators::utility::{Asset, Client, PointSpec, Substation};
use store::Store;
use store::seed::{AssetSeed, ClientSeed, GatewaySeed, NodeSeed, PointSeed};

use super::{ratings, relays, sites};

/// The result of seeding, which the other seeds need.
#[derive(Debug)]
pub(crate) struct Written {
    /// The utility.
    pub client: ClientId,
    /// Its substations, each with the nodes above it by level.
    pub branches: Vec<HashMap<Level, NodeId>>,
}

type Nodes = HashMap<(Level, String), (NodeId, Option<(Level, String)>)>;

/// Writes the utility. Rows are identified by their natural keys, so a second run changes nothing.
pub(crate) async fn write(store: &Store, client: &Client) -> anyhow::Result<Written> {
    let seed = ClientSeed {
        code: client.code.clone(),
        name: client.name.clone(),
        time_zone: client.time_zone.clone(),
        config: operable(&client.config),
    };
    let id = store.put_client(&seed).await?;
    let nodes = hierarchy(store, id, client).await?;
    let levels = FaultLevels::new(client);
    let mut branches = Vec::new();
    for substation in &client.substations {
        let section = (Level::Section, substation.section.clone());
        let (parent, _) = nodes.get(&section).with_context(|| format!("{} is in no section", substation.name))?;
        let location = place(store, id, *parent, substation, &levels).await?;
        let mut branch = HashMap::from([(Level::Substation, location)]);
        let mut next = Some(&section);
        while let Some(key) = next {
            let (node, above) = nodes.get(key).with_context(|| format!("{:?} {} is missing", key.0, key.1))?;
            branch.insert(key.0, *node);
            next = above.as_ref();
        }
        branches.push(branch);
    }
    Ok(Written { client: id, branches })
}

/// Enables control in the configuration, and marks the utility as simulated, which the screens show. Roles 1 and 2 need no further credentials
/// (specification).
pub(super) fn operable(config: &Value) -> Value {
    let mut config = config.clone();
    if let Some(config) = config.as_object_mut() {
        config.insert("control".to_owned(), json!({ "enabled": true, "stepupAll": false }));
        config.insert("simulated".to_owned(), true.into());
    }
    config
}

async fn hierarchy(store: &Store, client: ClientId, from: &Client) -> anyhow::Result<Nodes> {
    let mut nodes = Nodes::new();
    for node in &from.nodes {
        let above = match (&node.parent, node.level.parent()) {
            (Some(code), Some(level)) => Some((level, code.clone())),
            _ => None,
        };
        let parent = match &above {
            Some(key) => Some(nodes.get(key).with_context(|| format!("{} comes before what it hangs under", node.name))?.0),
            None => None,
        };
        let seed = NodeSeed {
            client,
            level: node.level,
            parent,
            code: node.code.clone(),
            name: node.name.clone(),
            kv: None,
            lat: None,
            lon: None,
        };
        nodes.insert((node.level, node.code.clone()), (store.put_node(&seed).await?, above));
    }
    Ok(nodes)
}

/// Writes a substation with its assets, gateway, points and drawing.
async fn place(store: &Store, client: ClientId, section: NodeId, from: &Substation, levels: &FaultLevels) -> anyhow::Result<NodeId> {
    let node = NodeSeed {
        client,
        level: Level::Substation,
        parent: Some(section),
        code: from.code.clone(),
        name: from.name.clone(),
        kv: Some(from.kv.clone()),
        lat: Some(from.lat),
        lon: Some(from.lon),
    };
    let location = store.put_node(&node).await?;
    let seeds: Vec<AssetSeed> = from.assets.iter().map(|asset| asset_seed(client, location, asset)).collect();
    let ids = store.put_assets(&seeds).await?;
    let assets: HashMap<&str, AssetId> = from.assets.iter().map(|asset| asset.code.as_str()).zip(ids).collect();
    let gateway = GatewaySeed { client, code: from.code.clone(), name: format!("RTU {}", from.name), location };
    let gateway = store.put_gateway(&gateway).await?;
    let points = from.points.iter().map(|point| {
        let asset =
            assets.get(point.asset.as_str()).with_context(|| format!("{} has a point of no asset: {}", from.name, point.metric()))?;
        Ok(point_seed(client, gateway, *asset, point))
    });
    let ids = store.put_points(&points.collect::<anyhow::Result<Vec<_>>>()?).await?;
    let points: HashMap<String, PointId> = from.points.iter().map(PointSpec::metric).zip(ids).collect();
    if let Some(site) = sites::of(&from.plan, location, &points) {
        store.add_site(client, &site).await?;
    }
    store.put_ratings(&ratings::of(client, &from.plan, &assets)).await?;
    store.add_relay_settings(client, &relays::of(from, levels, &assets)).await?;
    store.put_drawing(client, location, &from.drawing.name, &serde_json::to_value(&from.drawing)?).await?;
    Ok(location)
}

fn asset_seed(client: ClientId, location: NodeId, asset: &Asset) -> AssetSeed {
    AssetSeed {
        client,
        location,
        code: asset.code.clone(),
        name: asset.name.clone(),
        type_id: asset.type_id,
        class_name: asset.class_name.to_owned(),
        device: asset.device.clone(),
        kv: asset.kv,
        customers: asset.customers,
        customers_known: asset.class_name == "feeder",
        control_asset_req: asset.operable,
        is_sbo_supported: asset.operable,
    }
}

fn point_seed(client: ClientId, gateway: GatewayId, asset: AssetId, point: &PointSpec) -> PointSeed {
    PointSeed {
        client,
        gateway,
        device: point.device.clone(),
        metric: point.metric(),
        code: point.code.clone(),
        asset,
        kind: point.kind,
        quantity: point.quantity,
        unit: point.unit.to_owned(),
        decimals: point.decimals,
        scale: 1.0,
        expected_ms: point.expected_ms,
    }
}
