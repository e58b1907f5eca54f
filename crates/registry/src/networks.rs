//! Follows the activations of networks, their temporary changes, and what users enter for their equipment. A planned activation comes into force without a change
//! of the database, so the versions are read at intervals. Each network is loaded on its own: one that is slow or cannot be used delays no other utility.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use grid::{ClientId, Micros};
use network::{BuildError, Description};
use store::Store;
use store::manual_entry::ManualEntry;
use store::network::ActiveVersion;
use store::temporary_change::TemporaryRecord;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::ActiveNetwork;

/// Interval at which the active versions are read.
const POLL: Duration = Duration::from_secs(2);
/// How long the first publication waits for networks that are being loaded. It is less than what requests wait for it.
const FIRST_MAX: Duration = Duration::from_secs(3);
/// Maximum number of networks that are loaded at the same time. Further ones wait.
const LOADS_MAX: usize = 2;
/// Maximum number of waiting refresh requests; further callers wait for room.
const REQUESTS_MAX: usize = 64;

/// The active network of each utility that has one.
pub type ActiveNetworks = BTreeMap<ClientId, Arc<ActiveNetwork>>;

/// Utilities whose active network is not in memory: it is being loaded, or cannot be used.
pub type UnavailableNetworks = BTreeSet<ClientId>;

/// The current manual entries of each utility that has some.
type Entries = BTreeMap<ClientId, Arc<Vec<ManualEntry>>>;

/// The current temporary changes of each utility that has some.
type Changes = BTreeMap<ClientId, Vec<TemporaryRecord>>;

/// What was read: the active networks, and the manual entries.
#[derive(Debug, Clone, Default)]
struct Read {
    active: Arc<ActiveNetworks>,
    unavailable: Arc<UnavailableNetworks>,
    entries: Arc<Entries>,
}

/// Why the active version of a utility is not in memory. Until it is, the utility keeps its last network, or has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    /// It is being loaded.
    Loading,
    /// It cannot be read; the next attempt may succeed.
    Unread,
    /// What is stored makes no network.
    Unusable,
}

/// The active networks of all utilities, and what users have entered for their equipment. Clones share them.
#[derive(Debug, Clone)]
pub struct Networks {
    read: watch::Receiver<Option<Read>>,
    missing: watch::Receiver<BTreeMap<ClientId, Missing>>,
    requests: mpsc::Sender<oneshot::Sender<bool>>,
}

impl Default for Networks {
    /// Returns a handle without a follower: nothing is ever read.
    fn default() -> Self {
        Self { read: watch::channel(None).1, missing: watch::channel(BTreeMap::new()).1, requests: mpsc::channel(1).0 }
    }
}

impl Networks {
    /// Returns the active networks; `None` before the first read.
    pub fn all(&self) -> Option<Arc<ActiveNetworks>> {
        self.read.borrow().as_ref().map(|read| Arc::clone(&read.active))
    }

    /// Returns the active networks, and the utilities whose active network is not in memory. Those have their former network or none, which says nothing
    /// about the present states. `None` before the first read.
    pub fn with_unavailable(&self) -> Option<(Arc<ActiveNetworks>, Arc<UnavailableNetworks>)> {
        self.read.borrow().as_ref().map(|read| (Arc::clone(&read.active), Arc::clone(&read.unavailable)))
    }

    /// Returns the active network of a utility.
    pub fn of(&self, client: ClientId) -> Option<Arc<ActiveNetwork>> {
        self.read.borrow().as_ref()?.active.get(&client).cloned()
    }

    /// Returns whether the active version of a utility is not in memory: it is being loaded, or cannot be used.
    pub fn is_missing(&self, client: ClientId) -> bool {
        self.missing.borrow().contains_key(&client)
    }

    /// Waits until the active version of a utility, as last read, is in memory or cannot be used. `false` if the follower ends before it.
    pub async fn settled(&self, client: ClientId) -> bool {
        self.missing.clone().wait_for(|missing| missing.get(&client) != Some(&Missing::Loading)).await.is_ok()
    }

    /// Returns the current manual entries of a utility. The same list stays as long as nothing changes in it.
    pub fn entries_of(&self, client: ClientId) -> Arc<Vec<ManualEntry>> {
        self.read.borrow().as_ref().and_then(|read| read.entries.get(&client).cloned()).unwrap_or_default()
    }

    /// Returns the current manual entries of each utility that has some.
    pub fn entries(&self) -> Arc<BTreeMap<ClientId, Arc<Vec<ManualEntry>>>> {
        self.read.borrow().as_ref().map(|read| Arc::clone(&read.entries)).unwrap_or_default()
    }

    /// Waits for the first read; `false` if the follower ends before it.
    pub async fn loaded(&self) -> bool {
        self.read.clone().wait_for(Option::is_some).await.is_ok()
    }

    /// Reads the activations, temporary changes and entries that were committed before this call. Returns whether that has succeeded. Networks are loaded
    /// after it ([`Networks::settled`]).
    pub async fn refresh(&self) -> bool {
        let (done, is_read) = oneshot::channel();
        // An error means that the follower has ended.
        self.requests.send(done).await.is_ok() && is_read.await.unwrap_or(false)
    }

    /// Waits until other networks are active, or entries have changed. `false` if there will be no more changes.
    pub async fn changed(&mut self) -> bool {
        self.read.changed().await.is_ok()
    }

    /// Returns whether other networks are active, or other entries are current, than those that this handle has seen, and marks them as seen.
    pub fn has_changed(&mut self) -> bool {
        let is_new = self.read.has_changed().unwrap_or(false);
        if is_new {
            self.read.mark_unchanged();
        }
        is_new
    }
}

/// Follows the activations until `shutdown`.
pub(crate) fn follow_networks(store: Store, shutdown: CancellationToken) -> Networks {
    let (sender, read) = watch::channel(None);
    let (missing_sender, missing) = watch::channel(BTreeMap::new());
    let (requests, mut requested) = mpsc::channel::<oneshot::Sender<bool>>(REQUESTS_MAX);
    tokio::spawn(async move {
        let ended = sender.clone();
        let mut follower = Follower::new(store, sender, missing_sender);
        let mut is_failing = false;
        let following = async {
            let mut waiting: Vec<oneshot::Sender<bool>> = Vec::new();
            loop {
                while waiting.len() < REQUESTS_MAX
                    && let Ok(request) = requested.try_recv()
                {
                    waiting.push(request);
                }
                let read = follower.read().await;
                let is_read = read.is_ok();
                match read {
                    Ok(()) => is_failing = false,
                    Err(error) if !std::mem::replace(&mut is_failing, true) => {
                        tracing::warn!(%error, "the active networks cannot be read; trying again");
                    }
                    Err(_) => {}
                }
                for request in waiting.drain(..) {
                    // The caller may have stopped waiting.
                    let _ = request.send(is_read);
                }
                let next = tokio::time::sleep(POLL);
                tokio::pin!(next);
                loop {
                    tokio::select! {
                        Some(request) = requested.recv() => {
                            waiting.push(request);
                            break;
                        }
                        Some(loaded) = follower.loads.join_next_with_id() => follower.take(loaded),
                        () = &mut next => break,
                    }
                }
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = ended.closed() => {}
            () = following => {}
        }
    });
    Networks { read, missing, requests }
}

/// A network, or why there is none.
type Loaded = Result<Arc<ActiveNetwork>, (Missing, String)>;

/// The state of the follower.
struct Follower {
    store: Store,
    sender: watch::Sender<Option<Read>>,
    missing_sender: watch::Sender<BTreeMap<ClientId, Missing>>,
    /// What is published next.
    read: Read,
    /// The active versions, as last read.
    versions: BTreeMap<ClientId, ActiveVersion>,
    /// The temporary changes of each utility that has some, as last read.
    temporary: Changes,
    loads: JoinSet<Loaded>,
    loading: HashMap<Id, (ClientId, ActiveVersion)>,
    /// Utilities whose network is to be loaded next.
    due: BTreeSet<ClientId>,
    /// Active versions that could not be loaded.
    failed: BTreeMap<ClientId, (ActiveVersion, Missing)>,
    /// Until when the first publication waits.
    first_until: Instant,
}

impl Follower {
    fn new(store: Store, sender: watch::Sender<Option<Read>>, missing_sender: watch::Sender<BTreeMap<ClientId, Missing>>) -> Self {
        let (read, versions, temporary, loads, loading, due, failed) = <_>::default();
        Self {
            store,
            sender,
            missing_sender,
            read,
            versions,
            temporary,
            loads,
            loading,
            due,
            failed,
            first_until: Instant::now() + FIRST_MAX,
        }
    }

    /// Reads the versions that are active now, their temporary changes and the manual entries, and begins to load the networks that are not in memory.
    async fn read(&mut self) -> store::Result<()> {
        let temporary = self.store.temporary_changes_of_all().await?;
        let versions = self.store.active_networks(now()).await?;
        let entries = read_entries(&self.store, &self.read.entries).await?;
        self.versions = versions.into_iter().collect();
        self.temporary = temporary;
        let mut is_new = entries.is_some();
        if let Some(entries) = entries {
            self.read.entries = entries;
        }
        if self.read.active.keys().any(|client| !self.versions.contains_key(client)) {
            Arc::make_mut(&mut self.read.active).retain(|client, _| self.versions.contains_key(client));
            is_new = true;
        }
        let versions = &self.versions;
        self.failed.retain(|client, (version, _)| versions.get(client).is_some_and(|active| is_same(*active, *version)));
        let is_loading = |client: &ClientId| self.loading.values().any(|(of, _)| of == client);
        let is_unusable = |client: &ClientId| self.failed.get(client).is_some_and(|(_, why)| *why == Missing::Unusable);
        self.due = self.not_held().filter(|client| !is_loading(client) && !is_unusable(client)).collect();
        self.start();
        self.publish(is_new);
        Ok(())
    }

    /// Returns the utilities whose active version is not in memory with its temporary changes.
    fn not_held(&self) -> impl Iterator<Item = ClientId> + '_ {
        self.versions.iter().filter(|(client, version)| !self.is_held(**client, **version)).map(|(client, _)| *client)
    }

    fn is_held(&self, client: ClientId, version: ActiveVersion) -> bool {
        self.read.active.get(&client).is_some_and(|held| is_version(held, version) && held.temporary().eq(self.changes_of(client)))
    }

    /// Returns the utilities whose active version is not in memory, or cannot be used with its temporary changes. While other temporary changes are being
    /// applied to a version in memory, it is available: they are read at intervals anyway.
    fn unavailable(&self) -> UnavailableNetworks {
        let is_unavailable = |client: &ClientId| {
            let has_version =
                self.versions.get(client).zip(self.read.active.get(client)).is_some_and(|(active, held)| is_version(held, *active));
            !has_version || self.failed.contains_key(client)
        };
        self.not_held().filter(is_unavailable).collect()
    }

    fn changes_of(&self, client: ClientId) -> &[TemporaryRecord] {
        self.temporary.get(&client).map(Vec::as_slice).unwrap_or_default()
    }

    /// Loads the next networks.
    fn start(&mut self) {
        while self.loads.len() < LOADS_MAX
            && let Some(client) = self.due.pop_first()
        {
            let Some(version) = self.versions.get(&client).copied() else { continue };
            let held = self.read.active.get(&client).filter(|held| is_version(held, version)).map(ActiveNetwork::to_stored);
            let handle = self.loads.spawn(load(self.store.clone(), client, version, held, self.changes_of(client).to_vec()));
            self.loading.insert(handle.id(), (client, version));
        }
    }

    /// Takes a network that was loaded. A version that is not active any more is dropped.
    fn take(&mut self, loaded: Result<(Id, Loaded), JoinError>) {
        let (id, loaded) = loaded.unwrap_or_else(|error| (error.id(), Err((Missing::Unusable, error.to_string()))));
        let Some((client, version)) = self.loading.remove(&id) else { return };
        let is_active = self.versions.get(&client).is_some_and(|active| is_same(*active, version));
        let mut is_new = false;
        match loaded {
            Ok(network) if is_active => {
                Arc::make_mut(&mut self.read.active).insert(client, network);
                self.failed.remove(&client);
                is_new = true;
                // Its temporary changes may be others by now.
                if !self.is_held(client, version) {
                    self.due.insert(client);
                }
            }
            Err((why, error)) if is_active => {
                let before = self.failed.insert(client, (version, why));
                if before.is_none_or(|(_, before)| before != why) {
                    tracing::error!(%error, %client, version = version.version.0, "the active network cannot be used; the last one stays");
                }
            }
            _ => {}
        }
        self.start();
        self.publish(is_new);
    }

    /// Publishes networks and entries if they are new, and then which networks are missing, so that a network is published before it is no longer missing.
    fn publish(&mut self, is_new: bool) {
        let why = |client: ClientId| self.failed.get(&client).map_or(Missing::Loading, |(_, why)| *why);
        let missing: BTreeMap<ClientId, Missing> = self.not_held().map(|client| (client, why(client))).collect();
        let unavailable = self.unavailable();
        let has_other = *self.read.unavailable != unavailable;
        if has_other {
            self.read.unavailable = Arc::new(unavailable);
        }
        let is_new = is_new || has_other;
        let is_first = self.sender.borrow().is_none();
        let is_loading = missing.values().any(|why| *why == Missing::Loading);
        if is_first && (!is_loading || Instant::now() >= self.first_until) || !is_first && is_new {
            self.sender.send_replace(Some(self.read.clone()));
        }
        self.missing_sender.send_if_modified(|held| {
            let is_other = *held != missing;
            *held = missing;
            is_other
        });
    }
}

/// Reads a network, unless its stored version is in memory, and makes it with its temporary changes.
async fn load(
    store: Store,
    client: ClientId,
    version: ActiveVersion,
    held: Option<Arc<ActiveNetwork>>,
    changes: Vec<TemporaryRecord>,
) -> Loaded {
    let unread = |error: store::Error| (Missing::Unread, error.to_string());
    let source = if let Some(stored) = held {
        Source::Held(stored)
    } else {
        let description = store.network(client, version.version).await.map_err(unread)?;
        // Entries that are made from now on are for this version.
        let lapsed = store.lapsed_manual_entries(client, version.since).await.map_err(unread)?;
        Source::Read { description: Box::new(description.ok_or((Missing::Unread, "it is not stored".to_owned()))?), lapsed }
    };
    let made = tokio::task::spawn_blocking(move || make(client, version, source, &changes)).await;
    match made {
        Ok(made) => made.map_err(|error| (Missing::Unusable, error.to_string())),
        Err(error) => Err((Missing::Unusable, error.to_string())),
    }
}

/// Returns whether a network is in this version.
pub(crate) fn is_version(network: &ActiveNetwork, active: ActiveVersion) -> bool {
    (network.version(), network.since()) == (active.version, active.since)
}

fn is_same(one: ActiveVersion, other: ActiveVersion) -> bool {
    (one.version, one.since) == (other.version, other.since)
}

/// Reads the manual entries; `None` if they are those that are held.
async fn read_entries(store: &Store, held: &Entries) -> store::Result<Option<Arc<Entries>>> {
    let read = store.manual_entries_of_all().await?;
    let is_held = |client: &ClientId, entries: &Vec<ManualEntry>| held.get(client).is_some_and(|held| **held == *entries);
    if read.len() == held.len() && read.iter().all(|(client, entries)| is_held(client, entries)) {
        return Ok(None);
    }
    let kept = |(client, entries): (ClientId, Vec<ManualEntry>)| {
        let same = held.get(&client).filter(|held| ***held == entries).cloned();
        (client, same.unwrap_or_else(|| Arc::new(entries)))
    };
    Ok(Some(Arc::new(read.into_iter().map(kept).collect())))
}

/// From what a network is made.
enum Source {
    /// The stored version is in memory.
    Held(Arc<ActiveNetwork>),
    /// It was read, with the manual entries that have lapsed by its activation.
    Read { description: Box<Description>, lapsed: Vec<i64> },
}

/// Makes the network of a version with its temporary changes.
fn make(client: ClientId, version: ActiveVersion, source: Source, changes: &[TemporaryRecord]) -> Result<Arc<ActiveNetwork>, BuildError> {
    let stored = match source {
        Source::Held(stored) => stored,
        Source::Read { description, lapsed } => Arc::new(ActiveNetwork::new(client, version, *description)?.with_lapsed(lapsed)),
    };
    if changes.is_empty() {
        return Ok(stored);
    }
    let network = ActiveNetwork::with_temporary(&stored, changes)?;
    for record in network.temporary().filter(|record| network.misfit(record.id).is_some()) {
        let reason = network.misfit(record.id).unwrap_or_default();
        tracing::warn!(%client, number = record.id, kind = record.change.kind(), place = record.place, reason, "a temporary change does not fit the active network and has no effect");
    }
    Ok(Arc::new(network))
}

fn now() -> Micros {
    Micros(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as i64))
}
