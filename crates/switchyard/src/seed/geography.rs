//! Seeds the demo's map: lines between its substations, and the line paths of its feeders.

use std::collections::HashMap;

use anyhow::Context;
use grid::{AssetId, Level, NodeId};
use simulators::utility::{Client, ways};
use store::Store;
use store::geography::{Geography, Way, WayRecord};

use super::utility::Written;

/// Writes the map of a seeded utility.
pub(crate) async fn write(store: &Store, client: &Client, written: &Written) -> anyhow::Result<()> {
    let registry = store.registry(Some(written.client)).await?;
    let substations = registry.nodes.iter().filter(|node| node.level == Level::Substation);
    let substations: HashMap<&str, NodeId> = substations.map(|node| (node.code.as_str(), node.id)).collect();
    let assets: HashMap<(NodeId, &str), AssetId> =
        registry.assets.iter().map(|asset| ((asset.location, asset.code.as_str()), asset.id)).collect();
    let station = |code: &str| substations.get(code).copied().with_context(|| format!("there is no substation {code}"));
    let mut geography = Geography::default();
    for way in ways(client) {
        let (at, code) = (station(&way.asset.0)?, way.asset.1.as_str());
        let asset = *assets.get(&(at, code)).with_context(|| format!("{} has no {code}", way.asset.0))?;
        let kind = match &way.to {
            Some(to) => {
                let from = way.from.as_deref().map(station).transpose()?;
                Way::Line { asset: Some(asset), kv: Some(way.kv), from, to: Some(station(to)?) }
            }
            None => Way::Feeder { asset, location: at },
        };
        geography.ways.push(WayRecord { kind, name: way.name, path: way.path });
    }
    Ok(store.put_geography(written.client, &geography).await?)
}
