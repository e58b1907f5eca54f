//! What the core does about diagrams besides their values: states of nodes, and what flashes.

use std::collections::{BTreeSet, HashMap};

use grid::{NodeId, PointId};

use super::Core;
use crate::diagram::{News, Wanted};
use crate::room::{Room, SharedRow};
use crate::session::now;
use crate::stream::Stream;

impl Core {
    /// Takes what was read for diagrams.
    pub(super) fn learn(&mut self, news: News) {
        match news {
            News::Drawings(drawn) => {
                let taken = self.image.diagrams.draw(drawn);
                self.bind_diagrams(Some(&taken));
                for location in taken {
                    self.with_diagram(location, Room::mark_drawing);
                    self.mark_station(location);
                }
            }
            News::Flashes(wanted, records) => {
                for location in self.image.diagrams.flash(&wanted, &records) {
                    self.with_diagram(location, Room::mark_flashes);
                }
            }
        }
        self.flush(true);
    }

    /// Finds the points of diagrams anew: of some substations, or of all.
    pub(super) fn bind_diagrams(&mut self, only: Option<&[NodeId]>) {
        let mut diagrams = std::mem::take(&mut self.image.diagrams);
        let addresses = |location| -> HashMap<String, PointId> {
            let points = self.image.points_of(location);
            points.filter(|point| point.encoding().is_some()).map(|point| (point.address(), point.id)).collect()
        };
        diagrams.bind(only, addresses);
        self.image.diagrams = diagrams;
    }

    /// Works out the states of nodes that may have changed, so that they leave together with the positions that changed them.
    pub(super) fn settle(&mut self) {
        for (location, nodes) in self.image.settle(now()) {
            self.with_diagram(location, |room| room.mark_nodes(nodes));
            self.mark_station(location);
        }
    }

    fn with_diagram(&mut self, location: NodeId, mark: impl FnOnce(&mut Room)) {
        self.rooms.mark(Stream::Diagram(location), mark);
    }

    /// Has what flashes read again where something has happened.
    pub(super) fn changed_at(&self, rows: &[SharedRow]) {
        let locations: BTreeSet<NodeId> = rows.iter().map(|row| NodeId(row.location_id)).collect();
        if !locations.is_empty() {
            self.watch.flashes(Wanted::Of(locations));
        }
    }
}
