//! The feeders of active networks in memory: finding those of a large network takes a second.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use drawing::feeder::{FeederSummary, feeders};
use grid::ClientId;
use registry::ActiveNetwork;
use tokio::sync::Mutex;

use crate::error::Error;

/// The feeders of a network that was active when they were last used.
type Slot = Arc<Mutex<Option<(Weak<ActiveNetwork>, Arc<Vec<FeederSummary>>)>>>;

/// The feeders of one network for each utility. Simultaneous requests of a utility share one search.
#[derive(Debug, Default)]
pub(crate) struct NetworkFeeders {
    slots: Mutex<HashMap<ClientId, Slot>>,
}

impl NetworkFeeders {
    /// Returns the feeders of a network.
    pub(crate) async fn of(&self, network: &Arc<ActiveNetwork>) -> Result<Arc<Vec<FeederSummary>>, Error> {
        let client = network.client();
        // Copied out of the map, which must not be locked during a search.
        let slot = Arc::clone(self.slots.lock().await.entry(client).or_default());
        let mut held = slot.lock().await;
        if let Some((of, found)) = &*held
            && std::ptr::eq(of.as_ptr(), Arc::as_ptr(network))
        {
            return Ok(Arc::clone(found));
        }
        let searched = Arc::clone(network);
        let found = tokio::task::spawn_blocking(move || feeders(searched.description())).await.map_err(|error| {
            tracing::error!(%error, %client, "the feeders of a network cannot be found");
            Error::Internal
        })?;
        let found = Arc::new(found);
        *held = Some((Arc::downgrade(network), Arc::clone(&found)));
        Ok(found)
    }
}
