//! The feeders of a utility in its network: which container of the network each feeder asset is.

use std::collections::HashMap;

use grid::{AssetId, Level, NodeId, PointId};
use network::EquipmentId;
use network::description::ContainerKind;

use crate::{ActiveNetwork, Utility};

/// Asset types (specification 2, section 9).
const FEEDER: i32 = 1;
const BREAKER: i32 = 3;

impl Utility {
    /// Returns the position point of the breaker of each bay of a substation, by the device of the bay.
    pub fn breakers_at(&self, location: NodeId) -> HashMap<&str, PointId> {
        let mut breakers: HashMap<&str, PointId> = HashMap::new();
        for asset in self.assets_at(location).filter(|asset| asset.type_id == BREAKER) {
            let positions = self.points_of(asset.id).filter(|point| point.code == "Pos" && point.encoding().is_some());
            if let Some(point) = positions.min_by_key(|point| point.id) {
                breakers.entry(&asset.device).or_insert(point.id);
            }
        }
        breakers
    }
}

impl ActiveNetwork {
    /// Returns the position in [`ActiveNetwork::containers`] of each feeder asset (type 1): the feeder of the line that begins at the breaker of its bay, or
    /// else the feeder with the id `STATION/ASSET`. `equipment_of` returns the equipment whose position a point reports; of several breakers, the first with a
    /// line counts.
    pub fn feeders_of<'a>(&self, utility: &Utility, equipment_of: impl Fn(PointId) -> &'a [EquipmentId]) -> HashMap<AssetId, u32> {
        let (mut feeders, mut of_bays) = (HashMap::new(), Vec::new());
        for station in utility.nodes().filter(|node| node.level == Level::Substation) {
            let breakers = utility.breakers_at(station.id);
            for asset in utility.assets_at(station.id).filter(|asset| asset.type_id == FEEDER) {
                if let Some(named) = self.container(&format!("{}/{}", station.code, asset.code), ContainerKind::Feeder) {
                    feeders.insert(asset.id, named);
                }
                let breakers = breakers.get(asset.device.as_str()).map_or(&[] as &[EquipmentId], |point| equipment_of(*point));
                of_bays.extend(breakers.iter().map(|breaker| (asset.id, *breaker)));
            }
        }
        let breakers: Vec<EquipmentId> = of_bays.iter().map(|(_, breaker)| *breaker).collect();
        let lines = self.model().line_sides(&breakers);
        // The first one last, so that it counts.
        for ((asset, _), line) in of_bays.iter().zip(lines).rev() {
            feeders.extend(line.and_then(|line| self.feeder_at(line)).map(|feeder| (*asset, feeder)));
        }
        feeders
    }
}
