//! Updates the parts of diagrams other than values: states of nodes, and flashing.

use std::collections::BTreeSet;

use grid::NodeId;
use registry::EnteredValues;

use super::state::Core;
use crate::diagram::{Substation, SubstationSet, UtilityNetwork};
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
            DiagramNews::Networks(networks, entered) => {
                self.take_entered(entered);
                return self.take_networks(networks);
            }
            DiagramNews::Entries(changed, entered) => {
                self.take_entered(entered);
                self.image.diagrams.enter(&changed);
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

    /// Replaces the networks of the utilities, and finds the nodes of all diagrams in the new networks.
    pub(super) fn take_networks(&mut self, networks: Vec<UtilityNetwork>) {
        let mut diagrams = std::mem::take(&mut self.image.diagrams);
        let others = diagrams.set_networks(networks, |location| self.substation(location));
        self.image.diagrams = diagrams;
        self.image.count_customers();
        let image = &self.image;
        let is_other = |location| image.node(location).is_none_or(|node| others.contains(&node.client));
        let ended = self.rooms.dissolve_latest(|stream, _| matches!(stream, Stream::Network(location, _) if is_other(location)));
        self.forget_rooms(ended);
        self.flush(true);
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
