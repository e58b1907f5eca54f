//! The active networks with the points of the registry. They are bound again only when a network or the registry has changed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use grid::ClientId;
use registry::{ActiveNetwork, Image, Networks, Registry};
use store::manual_entry::ManualEntry;

use crate::network_supply::BoundNetwork;

/// A bound network, with the network and the registry from which it was created.
struct Bound {
    active: Arc<ActiveNetwork>,
    image: Arc<Image>,
    entries: Arc<Vec<ManualEntry>>,
    network: Option<Arc<BoundNetwork>>,
}

/// The bound networks of all utilities.
pub(crate) struct BoundNetworks {
    networks: Networks,
    bound: HashMap<ClientId, Bound>,
    is_awaited: bool,
}

impl BoundNetworks {
    pub(crate) fn new(registry: &Registry) -> Self {
        Self { networks: registry.networks().clone(), bound: HashMap::new(), is_awaited: false }
    }

    /// Waits for the first read of the networks, once and for a limited time, because alarms must not depend on it.
    pub(crate) async fn wait(&mut self, limit: Duration) {
        if !std::mem::replace(&mut self.is_awaited, true) && tokio::time::timeout(limit, self.networks.loaded()).await.is_err() {
            tracing::warn!("the networks are not read yet; until then, causes of alarms are found by the drawings");
        }
    }

    /// Returns whether the active networks have changed.
    pub(crate) fn have_changed(&mut self) -> bool {
        self.networks.has_changed()
    }

    /// Returns the network of a utility; `None` if it has none.
    pub(crate) async fn of(&mut self, client: ClientId, image: &Arc<Image>) -> Option<Arc<BoundNetwork>> {
        let Some(active) = self.networks.of(client) else {
            self.bound.remove(&client);
            return None;
        };
        let entries = self.networks.entries_of(client);
        // A utility without entries has another empty list each time.
        let is_same = |bound: &&Bound| {
            let has_same_entries = Arc::ptr_eq(&bound.entries, &entries) || bound.entries.is_empty() && entries.is_empty();
            has_same_entries && Arc::ptr_eq(&bound.active, &active) && Arc::ptr_eq(&bound.image, image)
        };
        if let Some(bound) = self.bound.get(&client).filter(is_same) {
            return bound.network.clone();
        }
        let (network, registry, entered) = (Arc::clone(&active), Arc::clone(image), Arc::clone(&entries));
        // A large network takes long, in which the runtime serves others.
        let made = tokio::task::spawn_blocking(move || BoundNetwork::new(network, &registry, &entered)).await;
        let network = match made {
            Ok(network) => network.map(Arc::new),
            Err(error) => {
                tracing::error!(%error, %client, "the points of the network cannot be found; causes of alarms are found by the drawings");
                None
            }
        };
        self.bound.insert(client, Bound { active, image: Arc::clone(image), entries, network: network.clone() });
        network
    }

    /// Removes utilities that no longer exist.
    pub(crate) fn retain(&mut self, clients: &HashSet<ClientId>) {
        self.bound.retain(|client, _| clients.contains(client));
    }
}
