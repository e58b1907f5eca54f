//! Sends what has changed to the rooms' clients.

use super::state::Core;
use crate::clock::now;

impl Core {
    /// Works out the states of nodes that may have changed, so that they leave together with the positions that changed them.
    pub(super) fn settle(&mut self) {
        for (location, nodes) in self.image.settle(now()) {
            self.with_diagram(location, |room| room.mark_nodes(nodes));
            self.mark_station(location);
        }
    }

    /// Sends what has changed: all of it, or only what must not wait for the conflation window.
    pub(super) fn flush(&mut self, urgent_only: bool) {
        self.settle();
        let frames = self.rooms.flush(&self.image, urgent_only);
        if frames > 0 {
            metrics::counter!("hub_frames_total").increment(frames as u64);
        }
    }

    /// Sends the events that have yet to leave.
    pub(super) fn send(&mut self) {
        let frames = self.rooms.send();
        if frames > 0 {
            metrics::counter!("hub_frames_total").increment(frames as u64);
        }
    }
}
