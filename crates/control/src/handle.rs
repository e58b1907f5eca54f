//! The handle of the service that minds commands, and what its parts share.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bus::Bus;
use ed25519_dalek::SigningKey;
use field::client::Publisher;
use grid::Lease;
use store::Store;
use tokio::sync::{broadcast, mpsc};
use wire::control::CommandRow;

use crate::image::Image;
use crate::job::Job;
use crate::open::Open;

/// What operating works with.
#[derive(Clone)]
pub struct ControlSettings {
    /// The broker, `mqtt://[user:password@]host[:port]`. Only this service may publish orders there.
    pub mqtt_url: String,
    /// What signs orders for gateways that want that: an Ed25519 key. Without it such gateways refuse every order.
    pub signing_key: Option<SigningKey>,
}

/// The service that minds commands; clones are the same.
#[derive(Clone)]
pub struct Control(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    /// This api among others.
    pub(crate) id: String,
    pub(crate) publisher: Publisher,
    pub(crate) signing_key: Option<SigningKey>,
    pub(crate) image: Mutex<Image>,
    pub(crate) open: Mutex<HashMap<String, Open>>,
    pub(crate) rows: broadcast::Sender<Arc<CommandRow>>,
    pub(crate) jobs: mpsc::Sender<Job>,
}

impl Control {
    pub(crate) fn image(&self) -> MutexGuard<'_, Image> {
        self.0.image.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn open(&self) -> MutexGuard<'_, HashMap<String, Open>> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the ingests that are heard vouch for: of other gateways nothing is live.
    pub fn leases(&self) -> Vec<Lease> {
        self.image().leases()
    }

    /// Has something dealt with; at the bound it is dropped, and the next look at the database makes up for it.
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
