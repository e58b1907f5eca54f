//! The epochs of event streams about areas. An area has another epoch once something has moved into it or out of it: what clients have of it does not
//! agree with the area any more, so they begin again with a snapshot.

use std::collections::{BTreeSet, HashMap};

use grid::NodeId;

use crate::image::Image;
use crate::stream::Stream;

/// Areas that are not what they were when this hub started.
#[derive(Debug)]
pub(super) struct Areas {
    /// Marks the epochs of this hub: other hubs count other changes.
    hub: String,
    /// How often each area has changed, by its node. Bounded by the nodes of the registry.
    changes: HashMap<NodeId, u64>,
}

impl Areas {
    pub(super) fn new(hub: &str) -> Self {
        Self { hub: hub.to_owned(), changes: HashMap::new() }
    }

    /// Notes that something has moved into or out of these areas.
    pub(super) fn note(&mut self, changed: &BTreeSet<NodeId>, image: &Image) {
        for node in changed {
            *self.changes.entry(*node).or_default() += 1;
        }
        self.changes.retain(|node, _| image.node(*node).is_some());
    }

    /// The epoch of a stream, from that of its utility's log.
    pub(super) fn epoch(&self, stream: Stream, of_log: &str) -> String {
        match stream.events_below().and_then(|node| self.changes.get(&node)) {
            Some(changes) => format!("{of_log}+{}{changes}", self.hub),
            None => of_log.to_owned(),
        }
    }
}
