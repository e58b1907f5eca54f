//! Updates the parts of diagrams other than values: states of nodes, and flashing.

use std::collections::{BTreeSet, HashSet};

use grid::{ClientId, NodeId};
use registry::EnteredValues;

use super::state::Core;
use crate::diagram::{Diagrams, Substation, SubstationSet};
use crate::loaded::DiagramNews;
use crate::room::Room;
use crate::row::SharedRow;
use crate::stream::Stream;

impl Core {
    /// Applies drawings or flashing points that were read from the database.
    pub(super) fn learn(&mut self, news: DiagramNews) {
        match news {
            DiagramNews::Drawings(drawn) => {
                let taken = self.image.diagrams.draw(drawn);
                self.bind_diagrams(Some(&taken));
                for location in taken {
                    self.with_diagram(location, Room::mark_drawing);
                    self.mark_station(location);
                }
            }
            DiagramNews::Flashes(substations, records) => {
                for location in self.image.diagrams.flash(&substations, &records) {
                    self.with_diagram(location, Room::mark_flashes);
                }
            }
            DiagramNews::Networks(networks, unavailable, entered) => {
                self.take_entered(entered);
                self.change_networks(|diagrams, substation| diagrams.set_networks(networks, unavailable, substation));
                self.image.count_customers();
            }
            DiagramNews::Entries(changed, unavailable, entered) => {
                self.take_entered(entered);
                self.image.diagrams.enter(&changed);
                self.change_networks(|diagrams, substation| diagrams.set_unavailable(unavailable, substation));
            }
        }
        self.flush(true);
    }

    /// Replaces the values that users have entered.
    fn take_entered(&mut self, entered: EnteredValues) {
        for point in self.image.set_entered(entered) {
            self.mark(point, true);
        }
    }

    /// Maps the points of diagrams to their nodes again, for some substations or for all.
    pub(super) fn bind_diagrams(&mut self, only: Option<&[NodeId]>) {
        let mut diagrams = std::mem::take(&mut self.image.diagrams);
        diagrams.bind(only, |location| self.substation(location));
        self.image.diagrams = diagrams;
    }

    /// Changes the networks of the utilities. `change` returns the utilities with different nodes: their streams of network nodes end.
    fn change_networks(&mut self, change: impl FnOnce(&mut Diagrams, &dyn Fn(NodeId) -> Option<Substation>) -> HashSet<ClientId>) {
        let before = self.image.clients_without_network();
        let mut diagrams = std::mem::take(&mut self.image.diagrams);
        let others = change(&mut diagrams, &|location| self.substation(location));
        self.image.diagrams = diagrams;
        let image = &self.image;
        let is_other = |location| image.node(location).is_none_or(|node| others.contains(&node.client));
        let ended = self.rooms.dissolve_latest(|stream, _| matches!(stream, Stream::Network(location, _) if is_other(location)));
        self.forget_rooms(ended);
        let now = self.image.clients_without_network();
        let has_changed = |client: &ClientId| before.contains(client) != now.contains(client);
        let concerned: Vec<NodeId> =
            self.image.substations().filter(|(_, client)| has_changed(client)).map(|(location, _)| location).collect();
        for location in concerned {
            self.with_diagram(location, Room::mark_drawing);
            self.mark_station(location);
        }
    }

    fn substation(&self, location: NodeId) -> Option<Substation> {
        let node = self.image.node(location)?;
        let points = self.image.points_of(location).filter(|point| point.encoding().is_some());
        Some(Substation { client: node.client, code: node.code.clone(), points: points.map(|point| (point.address(), point.id)).collect() })
    }

    /// Requests the flashing points of substations that have new events.
    pub(super) fn changed_at(&self, rows: &[SharedRow]) {
        let locations: BTreeSet<NodeId> = rows.iter().map(|row| NodeId(row.location_id)).collect();
        if !locations.is_empty() {
            self.watch.flashes(SubstationSet::Of(locations));
        }
    }
}
