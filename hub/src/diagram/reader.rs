//! What diagrams need from the database, read beside the core: drawings that have changed, and what flashes. One question of each kind at a time; what is
//! asked for meanwhile is read together afterwards.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use drawing::picture::Drawn;
use grid::{Micros, NodeId};
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
/// How far back drawings are looked for again: longer than any transaction takes.
const LOOK_BACK_MS: i64 = 15_000;

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
    is_wanted: bool,
    /// When each drawing that the core has was stored.
    known: HashMap<NodeId, Micros>,
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

    /// Has it read the drawings that have changed since it last did, at first all. A question that fails is asked again with the next call.
    pub(crate) fn drawings(&self) {
        {
            let mut drawings = self.drawings.lock().unwrap_or_else(PoisonError::into_inner);
            drawings.is_wanted = true;
            if std::mem::replace(&mut drawings.is_reading, true) {
                return;
            }
        }
        let watch = self.clone();
        tokio::spawn(async move {
            while let Some(after) = watch.next_drawings() {
                match watch.store.drawings_since(after).await {
                    Ok(records) => watch.tell(records).await,
                    Err(error) => tracing::debug!(%error, "drawings could not be read"),
                }
            }
        });
    }

    /// From when on to read drawings; `None` when the reading is over.
    fn next_drawings(&self) -> Option<Micros> {
        let mut drawings = self.drawings.lock().unwrap_or_else(PoisonError::into_inner);
        drawings.is_reading = std::mem::take(&mut drawings.is_wanted) && !self.core.is_closed();
        let newest = drawings.known.values().max().map_or(Micros(0), |newest| newest.plus_millis(-LOOK_BACK_MS));
        drawings.is_reading.then_some(newest)
    }

    async fn tell(&self, mut records: Vec<DrawingRecord>) {
        {
            let drawings = self.drawings.lock().unwrap_or_else(PoisonError::into_inner);
            records.retain(|record| drawings.known.get(&record.location).is_none_or(|known| *known < record.updated));
        }
        if records.is_empty() {
            return;
        }
        let read: Vec<(NodeId, Micros)> = records.iter().map(|record| (record.location, record.updated)).collect();
        let drawn = wired(records, WIRE).await;
        {
            // Those that failed too: they would not do better the next time.
            let mut drawings = self.drawings.lock().unwrap_or_else(PoisonError::into_inner);
            drawings.known.extend(read);
        }
        drop(self.core.send(Command::Diagrams(DiagramNews::Drawings(drawn))).await);
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
