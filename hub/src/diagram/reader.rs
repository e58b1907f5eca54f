//! What diagrams need from the database, read beside the core: drawings that have changed, and what flashes. One question of each kind at a time; what is
//! asked for meanwhile is read together afterwards.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use drawing::picture::Drawn;
use grid::NodeId;
use store::Store;
use store::drawing::DrawingRecord;
use tokio::sync::mpsc;

use crate::diagram::Wanted;
use crate::inbox::Command;
use crate::loaded::DiagramNews;

/// How long to wait before a failed question is asked again.
const RETRY: Duration = Duration::from_secs(1);
/// Between two questions about what flashes: in a storm of events this many milliseconds of them are one question.
const PAUSE: Duration = Duration::from_millis(100);
/// Drawings that are read together; they may be large.
const DRAWINGS_TOGETHER: usize = 100;

/// Asks the database.
#[derive(Clone)]
pub(crate) struct Watch {
    store: Store,
    core: mpsc::Sender<Command>,
    flashes: Arc<Mutex<Asked>>,
    drawings: Arc<Mutex<Drawings>>,
}

#[derive(Debug, Default)]
struct Asked {
    is_reading: bool,
    /// What to read next. Bounded by the substations there are.
    next: Option<Wanted>,
}

#[derive(Debug, Default)]
struct Drawings {
    is_reading: bool,
    /// Substations of which the drawing is to be read next. Bounded by the substations there are.
    next: BTreeSet<NodeId>,
}

impl Watch {
    pub(crate) fn new(store: Store, core: mpsc::Sender<Command>) -> Self {
        Self { store, core, flashes: Arc::default(), drawings: Arc::default() }
    }

    /// Has it read what flashes. Tries until it succeeds.
    pub(crate) fn flashes(&self, wanted: Wanted) {
        {
            let mut asked = self.flashes.lock().unwrap_or_else(PoisonError::into_inner);
            let next = asked.next.take().map_or(wanted.clone(), |next| next.and(wanted));
            asked.next = Some(next);
            if std::mem::replace(&mut asked.is_reading, true) {
                return;
            }
        }
        let watch = self.clone();
        tokio::spawn(async move {
            while let Some(wanted) = watch.next_flashes() {
                let locations: Option<Vec<NodeId>> = match &wanted {
                    Wanted::All => None,
                    Wanted::Of(locations) => Some(locations.iter().copied().collect()),
                };
                match watch.store.flashes(locations.as_deref()).await {
                    Ok(flashes) => {
                        drop(watch.core.send(Command::Diagrams(DiagramNews::Flashes(wanted, flashes))).await);
                        tokio::time::sleep(PAUSE).await;
                    }
                    Err(error) => {
                        tracing::warn!(%error, "what flashes on diagrams cannot be read; trying again");
                        watch.flashes(wanted);
                        tokio::time::sleep(RETRY).await;
                    }
                }
            }
        });
    }

    /// What to read now; with nothing left the reading is over.
    fn next_flashes(&self) -> Option<Wanted> {
        let mut asked = self.flashes.lock().unwrap_or_else(PoisonError::into_inner);
        let next = asked.next.take().filter(|_| !self.core.is_closed());
        asked.is_reading = next.is_some();
        next
    }

    /// Has it read the drawings of substations. Tries until it succeeds.
    pub(crate) fn drawings(&self, locations: &[NodeId]) {
        {
            let mut drawings = self.drawings.lock().unwrap_or_else(PoisonError::into_inner);
            drawings.next.extend(locations);
            if drawings.next.is_empty() || std::mem::replace(&mut drawings.is_reading, true) {
                return;
            }
        }
        let watch = self.clone();
        tokio::spawn(async move {
            while let Some(locations) = watch.next_drawings() {
                match watch.store.drawings_of(&locations).await {
                    Ok(records) => {
                        let drawn = wired(records, WIRE).await;
                        drop(watch.core.send(Command::Diagrams(DiagramNews::Drawings(drawn))).await);
                    }
                    Err(error) => {
                        tracing::warn!(%error, "drawings cannot be read; trying again");
                        watch.drawings(&locations);
                        tokio::time::sleep(RETRY).await;
                    }
                }
            }
        });
    }

    /// Which drawings to read now; `None` when the reading is over.
    fn next_drawings(&self) -> Option<Vec<NodeId>> {
        let mut drawings = self.drawings.lock().unwrap_or_else(PoisonError::into_inner);
        if self.core.is_closed() {
            drawings.next.clear();
        }
        let together: Vec<NodeId> = drawings.next.iter().take(DRAWINGS_TOGETHER).copied().collect();
        drawings.next.retain(|location| !together.contains(location));
        drawings.is_reading = !together.is_empty();
        drawings.is_reading.then_some(together)
    }
}

const WIRE: fn(DrawingRecord) -> Drawn = |record| Drawn::new(record.location, record.updated, &record.body);

/// Wires drawings, each by itself and beside the tasks that clients wait for: a large sheet takes long. One that fails has no nodes and keeps none of those
/// of the drawing before it.
async fn wired(records: Vec<DrawingRecord>, wire: fn(DrawingRecord) -> Drawn) -> Vec<Drawn> {
    let mut drawn = Vec::with_capacity(records.len());
    for record in records {
        let (location, updated) = (record.location, record.updated);
        drawn.push(tokio::task::spawn_blocking(move || wire(record)).await.unwrap_or_else(|error| {
            tracing::error!(%error, %location, "a drawing cannot be wired: nothing is known of its nodes");
            Drawn::new(location, updated, &serde_json::Value::Null)
        }));
    }
    drawn
}

#[cfg(test)]
mod tests {
    use grid::Micros;

    use super::*;

    #[tokio::test]
    async fn a_drawing_that_fails_leaves_the_others_alone() {
        let record =
            |location| DrawingRecord { location: NodeId(location), body: serde_json::json!({ "elements": [] }), updated: Micros(location) };
        let wire = |record: DrawingRecord| {
            assert_ne!(record.location, NodeId(2), "made to fail");
            WIRE(record)
        };
        let drawn = wired(vec![record(1), record(2), record(3)], wire).await;
        let places: Vec<(NodeId, Micros)> = drawn.iter().map(|drawn| (drawn.location, drawn.updated)).collect();
        assert_eq!(places, [1, 2, 3].map(|location| (NodeId(location), Micros(location))));
    }
}
