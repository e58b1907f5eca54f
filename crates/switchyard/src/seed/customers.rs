//! Customers of the demo's assets in a database of a former release. They are the customers behind the assets in the network, so their numbers change when a
//! utility gets its network.

use std::collections::HashMap;

use grid::{ClientId, Level, NodeId};
use simulators::utility::Client;
use store::Store;
use store::seed::AssetSeed;

/// Updates the numbers that differ. All other data of the assets are kept.
pub(super) async fn update(store: &Store, client: ClientId, from: &Client) -> anyhow::Result<()> {
    let registry = store.registry(Some(client)).await?;
    let codes: HashMap<NodeId, &str> =
        registry.nodes.iter().filter(|node| node.level == Level::Substation).map(|node| (node.id, node.code.as_str())).collect();
    let made: HashMap<(&str, &str), i32> = from
        .substations
        .iter()
        .flat_map(|station| station.assets.iter().map(|asset| ((station.code.as_str(), asset.code.as_str()), asset.customers)))
        .collect();
    let changed = registry.assets.iter().filter_map(|asset| {
        let customers = *made.get(&(*codes.get(&asset.location)?, asset.code.as_str()))?;
        (asset.customers != customers).then(|| AssetSeed {
            client,
            location: asset.location,
            code: asset.code.clone(),
            name: asset.name.clone(),
            type_id: asset.type_id,
            class_name: asset.class_name.clone(),
            device: asset.device.clone(),
            kv: asset.kv,
            customers,
            customers_known: asset.customers_known,
            control_asset_req: asset.control_asset_req,
            is_sbo_supported: asset.is_sbo_supported,
        })
    });
    store.put_assets(&changed.collect::<Vec<_>>()).await?;
    Ok(())
}
