//! Follows the activations of networks. A planned activation comes into force without a change of the database, so the versions are read at intervals.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use grid::{ClientId, Micros};
use store::Store;
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

/// The active networks of all utilities. Clones share them.
#[derive(Debug, Clone)]
pub struct Networks {
    networks: watch::Receiver<Option<Arc<ActiveNetworks>>>,
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
        self.networks.borrow().clone()
    }

    /// Returns the active network of a utility.
    pub fn of(&self, client: ClientId) -> Option<Arc<ActiveNetwork>> {
        self.networks.borrow().as_ref()?.get(&client).cloned()
    }

    /// Waits for the first read; `false` if the follower ends before it.
    pub async fn loaded(&self) -> bool {
        self.networks.clone().wait_for(Option::is_some).await.is_ok()
    }

    /// Reads the activations that were committed before this call. Returns whether that has succeeded.
    pub async fn refresh(&self) -> bool {
        let (done, is_read) = oneshot::channel();
        // An error means that the follower has ended.
        self.requests.send(done).await.is_ok() && is_read.await.unwrap_or(false)
    }

    /// Waits until other networks are active. `false` if there will be no more changes.
    pub async fn changed(&mut self) -> bool {
        self.networks.changed().await.is_ok()
    }

    /// Returns whether other networks are active than those that this handle has seen, and marks them as seen.
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

/// Reads the versions that are active now, and the networks of those that are not in memory.
async fn read(store: &Store, sender: &watch::Sender<Option<Arc<ActiveNetworks>>>) -> store::Result<()> {
    let held = sender.borrow().clone().unwrap_or_default();
    let active = store.active_networks(now()).await?;
    let is_held = |client: &ClientId, version: &ActiveVersion| {
        held.get(client).is_some_and(|network| (network.version(), network.since()) == (version.version, version.since))
    };
    if sender.borrow().is_some() && active.len() == held.len() && active.iter().all(|(client, version)| is_held(client, version)) {
        return Ok(());
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
    sender.send_replace(Some(Arc::new(networks)));
    Ok(())
}

fn now() -> Micros {
    Micros(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as i64))
}
