//! One leader for each shard: two ingests of one client id would evict each other from the broker. The second waits until the first is gone.

use std::sync::Arc;
use std::time::Duration;

use store::lead::{self, Lead, Retaken};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::readiness::{Readiness, State};

/// How long an attempt to hold the leadership again may take. A server that stands still accepts connections and answers nothing.
const RETAKE_LIMIT: Duration = Duration::from_secs(5);

/// Waits until this process leads, with a pause between two attempts; `None` when the process is to end.
pub(super) async fn wait(url: &str, name: &str, pause: Duration, readiness: &Readiness, shutdown: &CancellationToken) -> Option<Lead> {
    let mut is_reported = false;
    loop {
        let taken = tokio::select! {
            taken = lead::take(url, name) => taken,
            () = shutdown.cancelled() => return None,
        };
        match taken {
            Ok(Some(lead)) => {
                tracing::info!(name, term = %lead.term(), "this ingest leads the shard");
                readiness.set(State::Starting);
                return Some(lead);
            }
            Ok(None) => {
                if !std::mem::replace(&mut is_reported, true) {
                    tracing::info!(name, "another ingest leads the shard; this one is on standby");
                }
                readiness.set(State::Standby);
            }
            Err(error) => {
                tracing::warn!(%error, "waiting for the database");
                readiness.set(State::Starting);
            }
        }
        if tokio::time::timeout(pause, shutdown.cancelled()).await.is_ok() {
            return None;
        }
    }
}

/// Keeps the leadership, and returns when another process has begun a later term.
///
/// Each notification of `requested` is answered by `proven` as soon as the database confirms that this process leads. While the database is away there is no
/// answer: nobody knows who leads.
pub(super) async fn keep(url: String, pause: Duration, mut lead: Lead, requested: Arc<Notify>, proven: mpsc::UnboundedSender<()>) {
    let mut is_requested = false;
    loop {
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = requested.notified() => is_requested = true,
        }
        // The old connection first: a server that only stood still has kept the lock on it, and would refuse it to any other of ours.
        let holds = lead.holds(pause).await
            || match tokio::time::timeout(RETAKE_LIMIT, lead::retake(&url, lead.tenure())).await {
                Ok(Ok(Retaken::Held(again))) => {
                    lead = again;
                    true
                }
                Ok(Ok(Retaken::Deposed)) => return,
                Ok(Ok(Retaken::Busy)) | Err(_) => false,
                Ok(Err(error)) => {
                    tracing::debug!(%error, "who leads is unknown while the database is away");
                    false
                }
            };
        if holds && std::mem::take(&mut is_requested) {
            // The loop that requested it has ended: then nobody needs it.
            let _ = proven.send(());
        }
    }
}
