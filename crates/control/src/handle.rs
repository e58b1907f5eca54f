//! The handle of the control service, and the state that its modules share.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bus::Bus;
use dashmap::DashMap;
use ed25519_dalek::SigningKey;
use field::client::Publisher;
use grid::{Lease, Micros};
use registry::{Field, PresentNetwork};
use store::Store;
use store::control::NetworkFacts;
use tokio::sync::{broadcast, mpsc};
use wire::control::CommandRow;

use crate::image::Image;
use crate::job::Job;
use crate::network_rules::network_of_decision;
use crate::open::Open;

/// Settings of the control service.
#[derive(Clone)]
pub struct ControlSettings {
    /// The broker, `mqtt://[user:password@]host[:port]`. Its access rules should allow only this service to publish commands.
    pub mqtt_url: String,
    /// The Ed25519 key that signs commands for gateways that require signatures. Without it these gateways refuse every command.
    pub signing_key: Option<SigningKey>,
}

/// The control service. Clones share all state.
#[derive(Clone)]
pub struct Control(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    /// Identifies this api among the apis of the installation.
    pub(crate) id: String,
    pub(crate) publisher: Publisher,
    pub(crate) signing_key: Option<SigningKey>,
    /// One lock for all of it, because a decision must compare values, link states and leases of the same instant.
    pub(crate) image: Mutex<Image>,
    /// The open commands by their ids. Bounded by the number of controllable points. A guard must not be held across access to another key.
    pub(crate) open: DashMap<String, Open>,
    pub(crate) rows: broadcast::Sender<Arc<CommandRow>>,
    pub(crate) jobs: mpsc::Sender<Job>,
}

impl Control {
    pub(crate) fn image(&self) -> MutexGuard<'_, Image> {
        self.0.image.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn open(&self) -> &DashMap<String, Open> {
        &self.0.open
    }

    /// Returns the valid leases. Values of gateways without a lease are not live.
    pub fn leases(&self) -> Vec<Lease> {
        self.image().leases()
    }

    /// Returns the active network of a utility with the positions of a decision: those of the bus and of the facts, where the position of a switch that is being
    /// operated, or whose last operation has no known outcome, is unknown.
    pub fn network_of_decision(&self, field: &Field, facts: &NetworkFacts, now: Micros) -> Option<PresentNetwork> {
        network_of_decision(field, &self.image(), facts, None, now)
    }

    /// Queues a job. If the queue is full, the job is dropped. The next comparison with the database then finds the same change.
    pub(crate) fn later(&self, job: Job) {
        if self.0.jobs.try_send(job).is_err() {
            metrics::counter!("control_jobs_dropped_total").increment(1);
        }
    }
}

impl std::fmt::Debug for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Control ")?;
        f.write_str(&self.0.id)?;
        f.write_char(' ')
    }
}
