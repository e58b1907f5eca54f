//! Elects one leader for each shard. Two ingests with one client id would disconnect each other from the broker, so the
//! second waits until the first has ended.

use std::sync::Arc;
use std::time::Duration;

use store::lead::{self, Lead, Retaken, Tenure};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::clock::Timer;
use crate::readiness::{Readiness, State};

/// Time limit for taking the leadership again. A server that hangs accepts connections and does not answer.
const RETAKE_LIMIT: Duration = Duration::from_secs(5);

/// Access to the leaderships. The simulation implements it with a simulated database.
#[allow(async_fn_in_trait, reason = "the types behind it say whether their futures may change threads")]
pub trait Leases {
    /// A leadership that is held.
    type Lead;

    /// Returns the term of a leadership.
    fn tenure<'a>(&self, lead: &'a Self::Lead) -> &'a Tenure;
    /// Takes the leadership `name` and starts the next term; `None` while another process holds it.
    async fn take(&self, name: &str) -> store::Result<Option<Self::Lead>>;
    /// Takes a leadership again after its connection was lost.
    async fn retake(&self, tenure: &Tenure) -> store::Result<Retaken<Self::Lead>>;
    /// Returns whether a leadership is still held. No answer within `patience` means no.
    async fn holds(&self, lead: &Self::Lead, patience: Duration) -> bool;
}

/// Leaderships in the database with this URL.
pub(super) struct DatabaseLeases(pub(super) String);

impl Leases for DatabaseLeases {
    type Lead = Lead;

    fn tenure<'a>(&self, lead: &'a Lead) -> &'a Tenure {
        lead.tenure()
    }

    async fn take(&self, name: &str) -> store::Result<Option<Lead>> {
        lead::take(&self.0, name).await
    }

    async fn retake(&self, tenure: &Tenure) -> store::Result<Retaken> {
        lead::retake(&self.0, tenure).await
    }

    async fn holds(&self, lead: &Lead, patience: Duration) -> bool {
        lead.holds(patience).await
    }
}

/// Waits until this process is the leader, with a pause between two attempts; `None` on shutdown.
pub async fn wait<L: Leases>(
    leases: &L,
    timer: &impl Timer,
    name: &str,
    pause: Duration,
    readiness: &Readiness,
    shutdown: &CancellationToken,
) -> Option<L::Lead> {
    let mut is_reported = false;
    loop {
        let taken = tokio::select! {
            biased;
            taken = leases.take(name) => taken,
            () = shutdown.cancelled() => return None,
        };
        match taken {
            Ok(Some(lead)) => {
                tracing::info!(name, term = %leases.tenure(&lead).term, "this ingest leads the shard");
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
        if timer.within(pause, shutdown.cancelled()).await.is_some() {
            return None;
        }
    }
}

/// Keeps the leadership. Returns when another process has started a later term.
///
/// Each notification of `requested` is answered by `proven` as soon as the database confirms the leadership. While the
/// database is unavailable there is no answer.
pub async fn keep<L: Leases>(
    leases: L,
    timer: impl Timer,
    pause: Duration,
    mut lead: L::Lead,
    requested: Arc<Notify>,
    proven: mpsc::UnboundedSender<()>,
) {
    let mut is_requested = false;
    loop {
        tokio::select! {
            biased;
            () = requested.notified() => is_requested = true,
            () = timer.sleep(pause) => {}
        }
        // Check the old connection first: a server that only hung still has the lock on it, and would refuse the lock
        // to any other connection.
        let holds = leases.holds(&lead, pause).await
            || match timer.within(RETAKE_LIMIT, leases.retake(leases.tenure(&lead))).await {
                Some(Ok(Retaken::Held(again))) => {
                    lead = again;
                    true
                }
                Some(Ok(Retaken::Deposed)) => return,
                Some(Ok(Retaken::Busy)) | None => false,
                Some(Err(error)) => {
                    tracing::debug!(%error, "the leader is unknown while the database is unavailable");
                    false
                }
            };
        if holds && std::mem::take(&mut is_requested) {
            // The requesting loop may have ended.
            let _ = proven.send(());
        }
    }
}
