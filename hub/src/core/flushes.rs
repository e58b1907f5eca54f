//! Sends changes to the subscribers of rooms.

use super::state::Core;
use crate::clock::now;

impl Core {
    /// Computes the node states that may have changed, so that they are sent together with the positions that caused
    /// the change.
    pub(super) fn settle(&mut self) {
        for (location, nodes) in self.image.settle(now()) {
            self.with_diagram(location, |room| room.mark_nodes(nodes));
            self.mark_station(location);
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
