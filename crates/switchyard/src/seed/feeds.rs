//! Seeds the outgoing feeders of the demo that supply another of its substations.

use std::collections::HashMap;

use grid::{AssetId, Level, NodeId};
use simulators::utility::{Client, feeds};
use store::Store;

use super::utility::Written;

/// Writes them for a seeded utility.
pub(crate) async fn write(store: &Store, client: &Client, written: &Written) -> anyhow::Result<()> {
    let registry = store.registry(Some(written.client)).await?;
    let substations = registry.nodes.iter().filter(|node| node.level == Level::Substation);
    let substations: HashMap<&str, NodeId> = substations.map(|node| (node.code.as_str(), node.id)).collect();
    let assets: HashMap<(NodeId, &str), AssetId> =
        registry.assets.iter().map(|asset| ((asset.location, asset.code.as_str()), asset.id)).collect();
    let known = feeds(client).into_iter().filter_map(|((from, feeder), to)| {
        let (from, to) = (substations.get(from.as_str())?, substations.get(to.as_str())?);
        Some((*assets.get(&(*from, feeder.as_str()))?, *to))
    });
    Ok(store.put_feeds(written.client, &known.collect::<Vec<_>>()).await?)
}
