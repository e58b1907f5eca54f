//! The substations of a utility by their codes, and the assets of each.

use std::collections::HashMap;

use grid::{AssetId, Level, NodeId};

use crate::Utility;

/// Substations and assets by their codes.
#[derive(Debug, Default)]
pub(crate) struct Codes {
    stations: HashMap<String, NodeId>,
    assets: HashMap<NodeId, HashMap<String, AssetId>>,
}

impl Codes {
    pub(crate) fn new(utility: &Utility) -> Self {
        let mut codes = Self::default();
        for station in utility.nodes().filter(|node| node.level == Level::Substation) {
            codes.stations.entry(station.code.clone()).or_insert(station.id);
            let assets = codes.assets.entry(station.id).or_default();
            for asset in utility.assets_at(station.id) {
                assets.entry(asset.code.clone()).or_insert(asset.id);
            }
        }
        codes
    }

    pub(crate) fn station(&self, code: &str) -> Option<NodeId> {
        self.stations.get(code).copied()
    }

    pub(crate) fn asset(&self, location: NodeId, code: &str) -> Option<AssetId> {
        self.assets.get(&location)?.get(code).copied()
    }
}
