//! Follows the activations of networks, and what users enter for their equipment. A planned activation comes into force without a change of the database, so
//! the versions are read at intervals.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use grid::{ClientId, Micros};
use store::Store;
use store::manual_entry::ManualEntry;
use store::network::ActiveVersion;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::ActiveNetwork;

/// Interval at which the active versions are read.
const POLL: Duration = Duration::from_secs(2);
/// Maximum number of waiting refresh requests; further callers wait for room.
const REQUESTS_MAX: usize = 64;

/// The active network of each utility that has one.
pub type ActiveNetworks = BTreeMap<ClientId, Arc<ActiveNetwork>>;

/// The current manual entries of each utility that has some.
type Entries = BTreeMap<ClientId, Arc<Vec<ManualEntry>>>;

/// What was read: the active networks, and the manual entries.
#[derive(Debug, Clone, Default)]
struct Read {
    active: Arc<ActiveNetworks>,
    entries: Arc<Entries>,
}

/// The active networks of all utilities, and what users have entered for their equipment. Clones share them.
#[derive(Debug, Clone)]
pub struct Networks {
    networks: watch::Receiver<Option<Read>>,
    requests: mpsc::Sender<oneshot::Sender<bool>>,
}

impl Default for Networks {
    /// Returns a handle without a follower: nothing is ever read.
    fn default() -> Self {
        Self { networks: watch::channel(None).1, requests: mpsc::channel(1).0 }
    }
}

impl Networks {
    /// Returns the active networks; `None` before the first read.
    pub fn all(&self) -> Option<Arc<ActiveNetworks>> {
        self.networks.borrow().as_ref().map(|read| Arc::clone(&read.active))
    }

    /// Returns the active network of a utility.
    pub fn of(&self, client: ClientId) -> Option<Arc<ActiveNetwork>> {
        self.networks.borrow().as_ref()?.active.get(&client).cloned()
    }

    /// Returns the current manual entries of a utility. The same list stays as long as nothing changes in it.
    pub fn entries_of(&self, client: ClientId) -> Arc<Vec<ManualEntry>> {
        self.networks.borrow().as_ref().and_then(|read| read.entries.get(&client).cloned()).unwrap_or_default()
    }

    /// Waits for the first read; `false` if the follower ends before it.
    pub async fn loaded(&self) -> bool {
        self.networks.clone().wait_for(Option::is_some).await.is_ok()
    }

    /// Reads the activations and entries that were committed before this call. Returns whether that has succeeded.
    pub async fn refresh(&self) -> bool {
        let (done, is_read) = oneshot::channel();
        // An error means that the follower has ended.
        self.requests.send(done).await.is_ok() && is_read.await.unwrap_or(false)
    }

    /// Waits until other networks are active, or entries have changed. `false` if there will be no more changes.
    pub async fn changed(&mut self) -> bool {
        self.networks.changed().await.is_ok()
    }

    /// Returns whether other networks are active, or other entries are current, than those that this handle has seen, and marks them as seen.
    pub fn has_changed(&mut self) -> bool {
        let is_new = self.networks.has_changed().unwrap_or(false);
        if is_new {
            self.networks.mark_unchanged();
        }
        is_new
    }
}

/// Follows the activations until `shutdown`.
pub(crate) fn follow_networks(store: Store, shutdown: CancellationToken) -> Networks {
    let (sender, networks) = watch::channel(None);
    let (requests, mut requested) = mpsc::channel::<oneshot::Sender<bool>>(REQUESTS_MAX);
    tokio::spawn(async move {
        let mut is_failing = false;
        let following = async {
            let mut waiting: Vec<oneshot::Sender<bool>> = Vec::new();
            loop {
                while waiting.len() < REQUESTS_MAX
                    && let Ok(request) = requested.try_recv()
                {
                    waiting.push(request);
                }
                let read = read(&store, &sender).await;
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
                tokio::select! {
                    Some(request) = requested.recv() => waiting.push(request),
                    () = tokio::time::sleep(POLL) => {}
                }
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = sender.closed() => {}
            () = following => {}
        }
    });
    Networks { networks, requests }
}

/// Reads the versions that are active now, the networks of those that are not in memory, and the manual entries.
async fn read(store: &Store, sender: &watch::Sender<Option<Read>>) -> store::Result<()> {
    let is_first = sender.borrow().is_none();
    let held = sender.borrow().clone().unwrap_or_default();
    let active = read_active(store, &held.active, is_first).await?;
    let entries = read_entries(store, &held.entries).await?;
    if is_first || active.is_some() || entries.is_some() {
        sender.send_replace(Some(Read { active: active.unwrap_or(held.active), entries: entries.unwrap_or(held.entries) }));
    }
    Ok(())
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

/// Reads the active networks; `None` if they are those that are held.
async fn read_active(store: &Store, held: &ActiveNetworks, is_first: bool) -> store::Result<Option<Arc<ActiveNetworks>>> {
    let active = store.active_networks(now()).await?;
    let is_held = |client: &ClientId, version: &ActiveVersion| {
        held.get(client).is_some_and(|network| (network.version(), network.since()) == (version.version, version.since))
    };
    if !is_first && active.len() == held.len() && active.iter().all(|(client, version)| is_held(client, version)) {
        return Ok(None);
    }
    let mut networks = ActiveNetworks::new();
    for (client, version) in active {
        if is_held(&client, &version) {
            networks.extend(held.get(&client).map(|network| (client, Arc::clone(network))));
            continue;
        }
        let Some(description) = store.network(client, version.version).await? else { continue };
        let made = tokio::task::spawn_blocking(move || ActiveNetwork::new(client, version, description)).await;
        match made {
            Ok(Ok(network)) => drop(networks.insert(client, Arc::new(network))),
            Ok(Err(error)) => tracing::error!(%error, %client, version = version.version.0, "the active network cannot be used"),
            Err(error) => tracing::error!(%error, %client, version = version.version.0, "the active network cannot be used"),
        }
    }
    Ok(Some(Arc::new(networks)))
}

fn now() -> Micros {
    Micros(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as i64))
}
