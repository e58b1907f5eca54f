//! Whether ingest receives telemetry, for a readiness probe.

use std::sync::Arc;

use tokio::sync::watch;

/// The state of an ingest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// It waits for the database, reads the registry, or is not subscribed at the broker yet. Births that are published
    /// now may be lost.
    #[default]
    Starting,
    /// Another process leads the shard and receives its telemetry.
    Standby,
    /// The broker has granted the subscriptions.
    Subscribed,
    /// It is subscribed, but for longer than [`IngestConfig::unstored_limit`], received rows have not become durable or
    /// have not been acknowledged.
    ///
    /// [`IngestConfig::unstored_limit`]: crate::IngestConfig::unstored_limit
    Stalled,
}

/// The state of one ingest. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Readiness {
    state: Arc<watch::Sender<State>>,
}

impl Readiness {
    /// Returns whether the telemetry of the shard is received, by this process or by its leader.
    ///
    /// A standby is ready. Otherwise an orchestrator that ends the old process only when the new one is ready would
    /// wait forever.
    pub fn is_ready(&self) -> bool {
        matches!(*self.state.borrow(), State::Standby | State::Subscribed)
    }

    /// Waits until the state is the given one.
    pub async fn reached(&self, state: State) {
        // `self` owns the sender, so it is not closed.
        let _ = self.state.subscribe().wait_for(|now| *now == state).await;
    }

    pub(crate) fn set(&self, state: State) {
        self.state.send_replace(state);
    }
}
