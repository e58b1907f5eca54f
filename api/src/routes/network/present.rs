//! The present network as a user may see it: equipment in the user's area is named, other equipment is only counted.

use grid::PointId;
use identity::View;
use network::{EquipmentId, NodeId};
use registry::PresentNetwork;
use wire::network_present::{NetworkEquipment, NetworkEquipmentList, NetworkExtent};

use crate::error::Error;
use crate::state::Services;

/// Maximum of equipment in a list.
pub(crate) const LISTED_MAX: usize = 500;

/// The present network and its user.
pub(crate) struct Seen {
    view: View,
    network: PresentNetwork,
}

impl Seen {
    /// Returns the places of a piece of equipment in the areas of responsibility.
    pub(crate) fn area_places(&self, equipment: EquipmentId) -> Vec<grid::area::Place> {
        self.network.area_places_of(&self.view.field, equipment)
    }

    /// Reads the present network; `None` if no version is active.
    pub(crate) async fn read(services: &Services, view: View) -> Result<Option<Self>, Error> {
        if !view.principal.may_see_any(view.principal.client) {
            return Err(Error::Forbidden("your role sees no part of the network"));
        }
        let network = view.field.present_network(services.store(), Services::now()).await?;
        Ok(network.map(|network| Self { view, network }))
    }

    /// Returns a present network as a user sees it.
    pub(crate) fn new(view: View, network: PresentNetwork) -> Self {
        Self { view, network }
    }

    pub(crate) fn network(&self) -> &PresentNetwork {
        &self.network
    }

    pub(crate) fn view(&self) -> &View {
        &self.view
    }

    /// Returns a piece of equipment that the user may see.
    pub(crate) fn equipment(&self, equipment: EquipmentId) -> Option<NetworkEquipment> {
        let principal = &self.view.principal;
        let place = self.network.place_of(&self.view.field, equipment);
        let is_visible = place.station.map_or_else(|| principal.may_see_all(principal.client), |station| self.view.sees(station));
        is_visible.then(|| NetworkEquipment {
            id: self.network.active().model().equipment_name(equipment).to_owned(),
            name: place.asset.map_or_else(|| self.network.active().name_of(equipment), |asset| &asset.name).to_owned(),
            kind: self.network.active().model().kind(equipment).as_str().to_owned(),
            station_id: place.station.map(|station| station.id.0),
            station: place.station.map(|station| station.name.clone()),
            asset_id: place.asset.map(|asset| asset.id.0),
            point_id: place.point.map(|point| point.id.0),
        })
    }

    /// Lists equipment.
    pub(crate) fn list(&self, equipment: &[EquipmentId]) -> NetworkEquipmentList {
        let listed = equipment.iter().filter_map(|equipment| self.equipment(*equipment)).take(LISTED_MAX).collect();
        NetworkEquipmentList { count: equipment.len(), listed }
    }

    /// Sums customers and load of nodes.
    pub(crate) fn extent(&self, nodes: &[NodeId]) -> NetworkExtent {
        let consumer = self.network.state().consumers(nodes);
        NetworkExtent { nodes: nodes.len(), customers: consumer.customers, load_kw: consumer.load_kw }
    }
}

/// Checks that the user may see the position point of a switch.
pub(crate) fn visible_point(view: &View, point: i64) -> Result<PointId, Error> {
    let found = view.field.point(PointId(point)).filter(|point| view.field.node(point.location).is_some_and(|node| view.sees(node)));
    found.map(|point| point.id).ok_or(Error::NotFound)
}
