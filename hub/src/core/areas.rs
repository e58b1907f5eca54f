//! The epochs of the event streams of areas. When a node or asset moves into or out of an area, the streams of the area get a new epoch, because the rows of
//! clients no longer match the area. The clients then subscribe again and get a snapshot.

use std::collections::{BTreeSet, HashMap};

use grid::NodeId;

use crate::image::Image;
use crate::stream::Stream;

/// The areas that have changed since this hub started.
#[derive(Debug)]
pub(super) struct Areas {
    /// An identifier of this hub, which is part of each of its epochs. Every hub counts its changes separately, so the counts of two hubs cannot be compared.
    hub: String,
    /// How often each area has changed, by its node. Bounded by the nodes of the registry.
    changes: HashMap<NodeId, u64>,
}

impl Areas {
    pub(super) fn new(hub: &str) -> Self {
        Self { hub: hub.to_owned(), changes: HashMap::new() }
    }

    /// Records that a node or asset has moved into or out of these areas.
    pub(super) fn note(&mut self, changed: &BTreeSet<NodeId>, image: &Image) {
        for node in changed {
            *self.changes.entry(*node).or_default() += 1;
        }
        self.changes.retain(|node, _| image.node(*node).is_some());
    }

    /// Returns the epoch of a stream: the epoch of its utility's log, with a suffix if its area has changed.
    pub(super) fn epoch(&self, stream: Stream, of_log: &str) -> String {
        match stream.events_below().and_then(|node| self.changes.get(&node)) {
            Some(changes) => format!("{of_log}+{}{changes}", self.hub),
            None => of_log.to_owned(),
        }
    }
}
