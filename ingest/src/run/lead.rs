//! One leader a shard: two ingests of one client id would throw each other off the broker. The second waits until the first is gone.

use std::time::Duration;

use store::lead::{self, Lead};
use tokio_util::sync::CancellationToken;

/// A lead lost with its connection is free again when the server has noticed, within some ten seconds. If it is not ours after these attempts, somebody
/// else has it.
const ATTEMPTS: u32 = 10;

/// Waits for the lead, however long that takes, with a pause between two attempts; `None` when the process wants to end.
pub(super) async fn wait(url: &str, name: &str, pause: Duration, shutdown: &CancellationToken) -> Option<Lead> {
    let mut told = false;
    loop {
        match lead::take(url, name).await {
            Ok(Some(lead)) => return Some(lead),
            Ok(None) if !told => tracing::info!(name, "another ingest takes this shard; standing by"),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "waiting for the database"),
        }
        told = true;
        if tokio::time::timeout(pause, shutdown.cancelled()).await.is_ok() {
            return None;
        }
    }
}

/// Keeps the lead; returns when another process has it. While the database is away nobody can have taken it.
pub(super) async fn keep(url: String, name: String, pause: Duration, mut lead: Lead) {
    let mut refused = 0;
    while refused < ATTEMPTS {
        tokio::time::sleep(pause).await;
        // Asked each time: a server that only stood still has kept our lock on this very connection, and would refuse it to any other of ours.
        if lead.holds(pause).await {
            refused = 0;
            continue;
        }
        match lead::take(&url, &name).await {
            Ok(Some(again)) => (lead, refused) = (again, 0),
            Ok(None) => refused += 1,
            Err(error) => tracing::debug!(%error, "whether we lead is unknown while the database is away"),
        }
    }
}
