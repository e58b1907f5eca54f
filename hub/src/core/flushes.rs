//! Sends changes to the subscribers of rooms.

use std::collections::HashSet;

use grid::{ClientId, NodeId};

use super::state::Core;
use crate::clock::now;
use crate::diagram::key_of;
use crate::stream::Stream;
use crate::table::RowKey;

impl Core {
    /// Recomputes the states of nodes that may have changed. So they are sent together with the positions that caused
    /// the change.
    pub(super) fn settle(&mut self) {
        for (location, nodes) in self.image.settle(now()) {
            self.with_diagram(location, |room| room.mark_nodes(nodes));
            self.mark_station(location);
        }
        let changed = self.image.diagrams.take_changed();
        if !changed.is_empty() {
            self.mark_network_nodes(&changed);
        }
    }

    /// Marks nodes of networks whose state has changed, in the streams that have subscribers.
    fn mark_network_nodes(&mut self, changed: &[(ClientId, Vec<network::NodeId>)]) {
        let streams: Vec<(Stream, NodeId)> = self
            .rooms
            .streams()
            .filter_map(|stream| if let Stream::Network(location, _) = stream { Some((stream, location)) } else { None })
            .collect();
        for (stream, location) in streams {
            let Some(client) = self.image.node(location).map(|node| node.client) else { continue };
            let Some((_, nodes)) = changed.iter().find(|(of, _)| *of == client) else { continue };
            let keys: HashSet<RowKey> = self.image.keys(stream).into_iter().collect();
            let rows: Vec<RowKey> = nodes.iter().map(|node| key_of(*node)).filter(|key| keys.contains(key)).collect();
            self.rooms.mark(stream, |room| rows.iter().for_each(|row| room.mark_row(*row, true)));
        }
    }

    /// Sends all changes, or only those that do not wait for the conflation window.
    pub(super) fn flush(&mut self, urgent_only: bool) {
        self.settle();
        let frames = self.rooms.flush(&self.image, urgent_only);
        if frames > 0 {
            metrics::counter!("hub_frames_total").increment(frames as u64);
        }
    }

    /// Sends queued events.
    pub(super) fn send(&mut self) {
        let frames = self.rooms.send();
        if frames > 0 {
            metrics::counter!("hub_frames_total").increment(frames as u64);
        }
    }
}
