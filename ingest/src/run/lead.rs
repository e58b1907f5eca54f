//! One leader for each shard: two ingests of one client id would evict each other from the broker. The second waits until the first is gone.

use std::sync::Arc;
use std::time::Duration;

use store::lead::{self, Lead, Retaken, Tenure};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::clock::Timer;
use crate::readiness::{Readiness, State};

/// How long an attempt to hold the leadership again may take. A server that stands still accepts connections and answers nothing.
const RETAKE_LIMIT: Duration = Duration::from_secs(5);

/// Where leaderships are taken. A simulation has a database of its own behind the same interface.
#[allow(async_fn_in_trait, reason = "the types behind it say whether their futures may change threads")]
pub trait Leases {
    /// A leadership that is held.
    type Lead;

    /// Returns the term of a leadership.
    fn tenure<'a>(&self, lead: &'a Self::Lead) -> &'a Tenure;
    /// Takes the leadership in `name` and begins the next term; `None` while another process has it.
    async fn take(&self, name: &str) -> store::Result<Option<Self::Lead>>;
    /// Holds a leadership again whose connection was lost.
    async fn retake(&self, tenure: &Tenure) -> store::Result<Retaken<Self::Lead>>;
    /// Returns whether a leadership is still held. No answer within `patience` counts as no.
    async fn holds(&self, lead: &Self::Lead, patience: Duration) -> bool;
}

/// The leases of a real database, by its address.
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

/// Waits until this process leads, with a pause between two attempts; `None` when the process is to end.
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

/// Keeps the leadership, and returns when another process has begun a later term.
///
/// Each notification of `requested` is answered by `proven` as soon as the database confirms that this process leads. While the database is away there is no
/// answer: nobody knows who leads.
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
        // The old connection first: a server that only stood still has kept the lock on it, and would refuse it to any other of ours.
        let holds = leases.holds(&lead, pause).await
            || match timer.within(RETAKE_LIMIT, leases.retake(leases.tenure(&lead))).await {
                Some(Ok(Retaken::Held(again))) => {
                    lead = again;
                    true
                }
                Some(Ok(Retaken::Deposed)) => return,
                Some(Ok(Retaken::Busy)) | None => false,
                Some(Err(error)) => {
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
