//! Reads for diagrams from the database, outside of the core: changed drawings, flashing points, and the points of networks.
//!
//! One query of each kind runs at a time. Requests that arrive meanwhile are combined into the next query.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use drawing::picture::Drawn;
use grid::{ClientId, NodeId};
use registry::{ActiveNetwork, ActiveNetworks, EnteredValues, EquipmentPoints, Image, Registry, UnavailableNetworks, entered_values};
use store::Store;
use store::drawing::DrawingRecord;
use store::manual_entry::ManualEntry;
use tokio::sync::mpsc;

use crate::diagram::{SubstationSet, UtilityEntries, UtilityNetwork};
use crate::inbox::Command;
use crate::loaded::DiagramNews;

/// Delay before a failed query is repeated.
const RETRY: Duration = Duration::from_secs(1);
/// Pause between two queries of flashing points. In a storm of events, one query covers the events of this time.
const PAUSE: Duration = Duration::from_millis(100);
/// Drawings read in one query; they may be large.
const DRAWINGS_TOGETHER: usize = 100;

/// Queries drawings and flashing points.
#[derive(Clone)]
pub(crate) struct Watch {
    store: Store,
    core: mpsc::Sender<Command>,
    /// One lock for the next read and for whether a task is reading, so that both change in one step.
    flashes: Arc<Mutex<FlashReads>>,
    drawings: Arc<Mutex<Drawings>>,
    networks: Arc<Mutex<NetworkReads>>,
}

/// The state of the reads of networks.
#[derive(Debug, Default)]
struct NetworkReads {
    is_reading: bool,
    /// Networks or registry have changed since the last read began.
    is_due: bool,
    /// From what the networks that were sent last were made.
    held: Option<HeldNetworks>,
}

/// The current manual entries of each utility that has some.
type Entries = Arc<BTreeMap<ClientId, Arc<Vec<ManualEntry>>>>;

/// From what networks were made, with what entries need of them.
#[derive(Debug)]
struct HeldNetworks {
    active: Arc<ActiveNetworks>,
    image: Arc<Image>,
    entries: Entries,
    /// The points of the equipment of those networks for which there were entries.
    points: HashMap<ClientId, EquipmentPoints>,
    /// The values that users have entered, by utility.
    values: BTreeMap<ClientId, EnteredValues>,
}

impl HeldNetworks {
    /// Returns what has changed. If only entries have, the networks stay: what was entered is applied to those of the utilities whose entries are others.
    fn follow(
        held: Option<Self>,
        (active, unavailable): (Arc<ActiveNetworks>, Arc<UnavailableNetworks>),
        image: Arc<Image>,
        entries: Entries,
    ) -> (Self, DiagramNews) {
        let same = held.filter(|held| Arc::ptr_eq(&held.active, &active) && Arc::ptr_eq(&held.image, &image));
        let is_same = same.is_some();
        let (points, values) = <_>::default();
        let mut held = same.unwrap_or_else(|| Self { active, image, entries: Entries::default(), points, values });
        let clients: BTreeSet<ClientId> = held.entries.keys().chain(entries.keys()).copied().collect();
        let is_other = |client: &ClientId| match (held.entries.get(client), entries.get(client)) {
            (Some(before), Some(now)) => !Arc::ptr_eq(before, now),
            (before, now) => before.is_some() != now.is_some(),
        };
        let others: Vec<ClientId> = clients.into_iter().filter(is_other).collect();
        held.entries = entries;
        for client in &others {
            held.find_values(*client);
        }
        let entered = held.values.values().flatten().map(|(point, value)| (*point, value.clone())).collect();
        let news = if is_same {
            let of = |client: &ClientId| {
                Some(UtilityEntries { active: Arc::clone(held.active.get(client)?), entries: held.entries_of(*client) })
            };
            DiagramNews::Entries(others.iter().filter_map(of).collect(), unavailable, entered)
        } else {
            let bind =
                |active: &Arc<ActiveNetwork>| UtilityNetwork::new(Arc::clone(active), &held.image, &held.entries_of(active.client()));
            DiagramNews::Networks(held.active.values().map(bind).collect(), unavailable, entered)
        };
        (held, news)
    }

    fn entries_of(&self, client: ClientId) -> Arc<Vec<ManualEntry>> {
        self.entries.get(&client).cloned().unwrap_or_default()
    }

    /// Finds the points that show what the users of a utility have entered.
    fn find_values(&mut self, client: ClientId) {
        let entries = self.entries_of(client);
        let active = self.active.get(&client).filter(|_| !entries.is_empty());
        let network = active.map(|active| (&**active, &*self.points.entry(client).or_insert_with(|| active.equipment_points(&self.image))));
        let values = entered_values(entries.iter(), network, |point| self.image.point(point).map(AsRef::as_ref));
        self.values.insert(client, values);
    }
}

#[derive(Debug, Default)]
struct FlashReads {
    is_reading: bool,
    /// The next read. Bounded by the number of substations.
    next: Option<SubstationSet>,
}

#[derive(Debug, Default)]
struct Drawings {
    is_reading: bool,
    /// Substations whose drawing is read next. Bounded by the number of substations.
    next: BTreeSet<NodeId>,
}

impl Watch {
    pub(crate) fn new(store: Store, core: mpsc::Sender<Command>) -> Self {
        Self { store, core, flashes: Arc::default(), drawings: Arc::default(), networks: Arc::default() }
    }

    /// Reads flashing points. Repeats until it succeeds.
    pub(crate) fn flashes(&self, substations: SubstationSet) {
        {
            let mut reads = self.flashes.lock().unwrap_or_else(PoisonError::into_inner);
            let next = reads.next.take().map_or(substations.clone(), |next| next.and(substations));
            reads.next = Some(next);
            if std::mem::replace(&mut reads.is_reading, true) {
                return;
            }
        }
        let watch = self.clone();
        tokio::spawn(async move {
            while let Some(substations) = watch.next_flashes() {
                let locations: Option<Vec<NodeId>> = match &substations {
                    SubstationSet::All => None,
                    SubstationSet::Of(locations) => Some(locations.iter().copied().collect()),
                };
                match watch.store.flashes(locations.as_deref()).await {
                    Ok(flashes) => {
                        drop(watch.core.send(Command::Diagrams(DiagramNews::Flashes(substations, flashes))).await);
                        tokio::time::sleep(PAUSE).await;
                    }
                    Err(error) => {
                        tracing::warn!(%error, "flashing points cannot be read from the database; trying again");
                        watch.flashes(substations);
                        tokio::time::sleep(RETRY).await;
                    }
                }
            }
        });
    }

    /// Returns the next read; `None` ends the task.
    fn next_flashes(&self) -> Option<SubstationSet> {
        let mut reads = self.flashes.lock().unwrap_or_else(PoisonError::into_inner);
        let next = reads.next.take().filter(|_| !self.core.is_closed());
        reads.is_reading = next.is_some();
        next
    }

    /// Reads the drawings of substations. Repeats until it succeeds.
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

    /// Finds the points of the active networks in the registry, on a blocking thread.
    pub(crate) fn networks(&self, registry: &Registry) {
        {
            let mut reads = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
            reads.is_due = true;
            if std::mem::replace(&mut reads.is_reading, true) {
                return;
            }
        }
        let (watch, registry) = (self.clone(), registry.clone());
        tokio::spawn(async move {
            while watch.is_network_due() {
                let Some(networks) = registry.networks().with_unavailable() else { continue };
                let (image, entries) = (registry.image(), registry.networks().entries());
                let held = watch.networks.lock().unwrap_or_else(PoisonError::into_inner).held.take();
                let found = tokio::task::spawn_blocking(move || HeldNetworks::follow(held, networks, image, entries));
                match found.await {
                    Ok((held, news)) => {
                        watch.networks.lock().unwrap_or_else(PoisonError::into_inner).held = Some(held);
                        drop(watch.core.send(Command::Diagrams(news)).await);
                    }
                    Err(error) => tracing::error!(%error, "the points of the networks cannot be found: the previous ones are used"),
                }
            }
        });
    }

    /// Returns whether to read networks; `false` ends the task.
    fn is_network_due(&self) -> bool {
        let mut reads = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        reads.is_reading = std::mem::take(&mut reads.is_due) && !self.core.is_closed();
        reads.is_reading
    }

    /// Returns the drawings to read next; `None` ends the task.
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

/// Computes the wiring of drawings, one at a time on a blocking thread, because a large drawing takes long. If this fails for a drawing, its diagram has no
/// nodes; the nodes of the previous drawing are not kept.
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
    use network::Description;
    use store::network::{ActiveVersion, VersionNumber};

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

    #[test]
    fn other_entries_leave_the_networks_and_concern_their_utility_only() {
        let network = |client| {
            let version = ActiveVersion { version: VersionNumber(1), since: Micros(0), until: None };
            (ClientId(client), Arc::new(ActiveNetwork::new(ClientId(client), version, Description::default()).expect("a network")))
        };
        let active: Arc<ActiveNetworks> = Arc::new([network(1), network(2)].into());
        let image = Arc::new(Image::default());
        let one = Arc::new(Vec::new());
        let entries =
            |two: &Arc<Vec<ManualEntry>>| -> Entries { Arc::new([(ClientId(1), Arc::clone(&one)), (ClientId(2), Arc::clone(two))].into()) };
        let two = Arc::new(Vec::new());
        let networks = || (Arc::clone(&active), Arc::default());
        let follow = |held, image: &Arc<Image>, two| HeldNetworks::follow(held, networks(), Arc::clone(image), entries(two));
        let (held, news) = follow(None, &image, &two);
        assert!(matches!(news, DiagramNews::Networks(networks, ..) if networks.len() == 2));
        let other = Arc::new(Vec::new());
        let (held, news) = follow(Some(held), &image, &other);
        let DiagramNews::Entries(changed, ..) = news else { panic!("the networks were made again: {news:?}") };
        let clients: Vec<ClientId> = changed.iter().map(|of| of.active.client()).collect();
        assert_eq!(clients, [ClientId(2)]);
        assert!(Arc::ptr_eq(&changed[0].entries, &other));
        let (_, news) = follow(Some(held), &Arc::new(Image::default()), &other);
        assert!(matches!(news, DiagramNews::Networks(..)), "with another registry, points may be others");
    }
}
