//! What the handlers work with: one small handle, cloned freely.

use std::sync::Arc;

use analysis::diagrams::Pictures;
use control::Control;
use grid::{ClientId, Micros};
use identity::Identity;
use ipnet::IpNet;
use mail::Mailer;
use permits::Turns;
use registry::{Field, Fields};
use reports::Reports;
use store::Store;
use tokio::sync::Semaphore;

use crate::drawing::Wirings;
use crate::embed::{EmbedSettings, Embedding};

/// Calls of the open routes that are worked on at once; further ones are sent away. More than wait for a password, so that those who are known still
/// come to theirs (trust.md S30).
const OPEN_MAX: usize = 256;

/// Days that are planned at once, each on a thread; further ones wait as long as their call does.
const PLANNING_MAX: usize = 2;

/// Demand files that come in at once, each in memory; further ones are sent away.
const UPLOADS_MAX: usize = 8;

/// Reports whose rows are looked for at once; further ones are sent away.
const REPORTS_MAX: usize = 12;

/// What the binary decides for the api.
#[derive(Clone)]
pub struct Deps {
    /// The database.
    pub store: Store,
    /// Where changes are published to the hubs.
    pub bus: bus::Bus,
    /// The fields of the utilities, as users see them.
    pub fields: Fields,
    /// Signs users in and out.
    pub identity: Identity,
    /// Minds commands.
    pub control: Control,
    /// Makes reports.
    pub reports: Reports,
    /// Takes mails.
    pub mail: Mailer,
    /// Hosts besides our own that a brand may take the map's tiles from.
    pub map_hosts: Vec<String>,
    /// Pages of other servers in ours.
    pub embed: EmbedSettings,
    /// Faults that are over are kept for so long, days; 0 for ever.
    pub faults_kept_days: u32,
    /// Proxies whose word on where a call comes from is taken.
    pub proxies: Vec<IpNet>,
}

/// The state of the router.
#[derive(Clone)]
pub(crate) struct Services(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) deps: Deps,
    pub(crate) wirings: Wirings,
    pub(crate) pictures: Pictures,
    /// Tokens for embedded reports.
    pub(crate) embedding: Embedding,
    /// Calls of the open routes that may be worked on at once.
    pub(crate) open: Semaphore,
    /// Days that may be planned, and demand files read, at once.
    pub(crate) planning: Arc<Semaphore>,
    /// Reports whose rows may be looked for at once.
    pub(crate) reports: Arc<Turns>,
    /// Demand files that may come in at once.
    pub(crate) uploads: Arc<Turns>,
}

impl Services {
    /// From what the binary gives.
    pub(crate) fn new(deps: Deps) -> Self {
        let embedding = Embedding::new(&deps.embed);
        Self(Arc::new(Inner {
            deps,
            embedding,
            wirings: Wirings::default(),
            pictures: Pictures::default(),
            open: Semaphore::new(OPEN_MAX),
            planning: Arc::new(Semaphore::new(PLANNING_MAX)),
            reports: Turns::new(REPORTS_MAX),
            uploads: Turns::new(UPLOADS_MAX),
        }))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.deps.store
    }

    pub(crate) fn identity(&self) -> &Identity {
        &self.0.deps.identity
    }

    pub(crate) fn reports(&self) -> &Reports {
        &self.0.deps.reports
    }

    pub(crate) fn control(&self) -> &Control {
        &self.0.deps.control
    }

    pub(crate) async fn field(&self, client: ClientId) -> store::Result<Arc<Field>> {
        self.0.deps.fields.get(client).await
    }

    /// The wall clock: tokens end and rows are stamped by it.
    pub(crate) fn now() -> Micros {
        wire::time::now()
    }
}
