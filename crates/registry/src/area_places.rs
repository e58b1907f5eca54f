//! The places of assets, substations and equipment in the areas of responsibility.

use grid::NodeId;
use grid::area::{ActiveSince, FoundBy, Place};
use network::EquipmentId;
use store::registry::AssetRecord;

use crate::{ActiveNetwork, Field, PresentNetwork};

impl Field {
    /// Returns the places of an asset: one for each piece of equipment of the active network that it is, else that of its substation.
    pub fn places_of_asset(&self, asset: &AssetRecord) -> Vec<Place> {
        let equipment = self.network_equipment(asset);
        if equipment.is_empty() {
            vec![self.place_of_node(asset.location).found_by(found_by(self.active_network()))]
        } else {
            self.places_of_equipment(&equipment, Some(asset.location))
        }
    }

    /// Returns the place of a node of the hierarchy.
    pub fn place_of_node(&self, node: NodeId) -> Place {
        Place::new([], self.node(node).map_or(&[], |node| &node.path))
    }

    /// Returns the places of equipment of the active network in a substation; `None` if the registry does not know the substation.
    fn places_of_equipment(&self, equipment: &[EquipmentId], location: Option<NodeId>) -> Vec<Place> {
        let path = location.and_then(|location| self.node(location)).map_or(&[][..], |node| &node.path);
        let Some(active) = self.active_network() else { return Vec::new() };
        let containers = |equipment: EquipmentId| active.containers_above(equipment).into_iter().map(str::to_owned);
        equipment.iter().map(|equipment| Place::new(containers(*equipment), path).found_by(found_by(Some(active)))).collect()
    }
}

impl PresentNetwork {
    /// Returns the places of a piece of equipment in the areas of responsibility.
    pub fn area_places_of(&self, field: &Field, equipment: EquipmentId) -> Vec<Place> {
        let path = self.place_of(field, equipment).station.map_or(&[][..], |station| &station.path);
        let containers = self.active().containers_above(equipment).into_iter().map(str::to_owned);
        vec![Place::new(containers, path).found_by(found_by(Some(self.active())))]
    }
}

fn found_by(network: Option<&ActiveNetwork>) -> FoundBy {
    FoundBy::Network(network.map(|network| ActiveSince { version: network.version().0, since: network.since() }))
}
