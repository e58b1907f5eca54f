//! The feeders of active networks, kept in memory because finding the feeders of a large network takes a second.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use drawing::feeder::{Error as DiagramError, FeederDiagram, FeederSummary, Feeders};
use grid::ClientId;
use registry::ActiveNetwork;
use tokio::sync::Mutex;

use crate::error::Error;

/// The feeders of an active network, by its stored version: a temporary change does not move what is drawn.
#[derive(Debug)]
pub(crate) struct FoundFeeders {
    feeders: Feeders,
    summaries: Vec<FeederSummary>,
}

impl FoundFeeders {
    fn new(network: &ActiveNetwork) -> Self {
        let description = network.stored().description();
        let feeders = Feeders::new(description);
        let summaries = feeders.summaries(description);
        Self { feeders, summaries }
    }

    /// Returns each feeder with the parts that it supplies.
    pub(crate) fn all(&self) -> &[FeederSummary] {
        &self.summaries
    }

    /// Returns the diagram of a feeder. `network` is the one in which the feeders were found.
    pub(crate) fn diagram(&self, network: &ActiveNetwork, feeder: &str) -> Result<FeederDiagram, DiagramError> {
        self.feeders.diagram(network.stored().description(), feeder)
    }
}

/// The feeders of the network that was active when they were last requested.
type Slot = Arc<Mutex<Option<(Weak<ActiveNetwork>, Arc<FoundFeeders>)>>>;

/// The feeders of one network for each utility. Simultaneous requests of a utility share one search.
#[derive(Debug, Default)]
pub(crate) struct NetworkFeeders {
    slots: Mutex<HashMap<ClientId, Slot>>,
}

impl NetworkFeeders {
    /// Returns the feeders of a network.
    pub(crate) async fn of(&self, network: &Arc<ActiveNetwork>) -> Result<Arc<FoundFeeders>, Error> {
        let client = network.client();
        // Copied out of the map, which must not be locked during a search.
        let slot = Arc::clone(self.slots.lock().await.entry(client).or_default());
        let mut held = slot.lock_owned().await;
        if let Some((of, found)) = &*held
            && std::ptr::eq(of.as_ptr(), Arc::as_ptr(network))
        {
            return Ok(Arc::clone(found));
        }
        let searched = Arc::clone(network);
        // The search keeps the lock when its request is abandoned: the next request uses the result.
        let search = tokio::task::spawn_blocking(move || {
            let found = Arc::new(FoundFeeders::new(&searched));
            *held = Some((Arc::downgrade(&searched), Arc::clone(&found)));
            found
        });
        search.await.map_err(|error| {
            tracing::error!(%error, %client, "the feeders of a network cannot be found");
            Error::Internal
        })
    }
}
