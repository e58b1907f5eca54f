//! What the handlers work with: one small handle, cloned freely.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use control::Control;
use grid::{ClientId, Micros};
use ipnet::IpNet;
use registry::{Cache, Field};
use store::Store;
use tokio::sync::Semaphore;

use crate::drawing::Wirings;
use crate::embed::{EmbedSettings, Embedding};
use crate::mail::Mailer;
use crate::pictures::Pictures;
use crate::reports::ReportSettings;
use crate::second_factor::SecondFactor;
use crate::turns::Turns;

/// Password resets that are worked on behind their answers; further ones wait before theirs.
const RESETS_MAX: usize = 8;

/// Calls of the open routes that are worked on at once; further ones are sent away. More than wait for a password, so that those who are known still
/// come to theirs (trust.md S30).
const OPEN_MAX: usize = 256;

/// Days that are planned at once, each on a thread; further ones wait as long as their call does.
const PLANNING_MAX: usize = 2;

/// Demand files that come in at once, each in memory; further ones are sent away.
const UPLOADS_MAX: usize = 8;

/// Reports whose rows are looked for at once; further ones are sent away.
const REPORTS_MAX: usize = 12;

/// Files of reports that are written at once, each on a thread; further ones are sent away.
const EXPORTS_MAX: usize = 8;

/// Kept files that are given out at once, each with some pieces in memory; further ones are sent away.
const KEPT_FILES_MAX: usize = 32;

/// What the binary decides for the api.
#[derive(Clone)]
pub struct Deps {
    /// The database.
    pub store: Store,
    /// Where ended sessions are told to the hubs.
    pub bus: bus::Bus,
    /// How long a sign-in lasts.
    pub lifetimes: Lifetimes,
    /// Whether the demo's logins, whose password is published, may sign in.
    pub demo_logins: bool,
    /// Minds commands.
    pub control: Control,
    /// Takes mails.
    pub mail: Mailer,
    /// Where people reach the web, without a slash at the end: links in mails begin with it, never with what a request calls itself.
    pub public_url: String,
    /// Hosts besides our own that a brand may take the map's tiles from.
    pub map_hosts: Vec<String>,
    /// Pages of other servers in ours.
    pub embed: EmbedSettings,
    /// Whether people have second factors.
    pub second_factor: SecondFactor,
    /// Faults that are over are kept for so long, days; 0 for ever.
    pub faults_kept_days: u32,
    /// Proxies whose word on where a call comes from is taken.
    pub proxies: Vec<IpNet>,
    /// How large reports become, and where they are made.
    pub reports: ReportSettings,
}

/// How long a sign-in lasts.
#[derive(Debug, Clone, Copy)]
pub struct Lifetimes {
    /// An access token, ms.
    pub access_ms: i64,
    /// Without a request, ms.
    pub idle_ms: i64,
    /// In any case, ms.
    pub absolute_ms: i64,
    /// A device that is not used stays known so long, ms.
    pub device_ms: i64,
}

/// The state of the router.
#[derive(Clone)]
pub(crate) struct Services(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) deps: Deps,
    pub(crate) fields: Cache,
    pub(crate) wirings: Wirings,
    pub(crate) pictures: Pictures,
    /// Tokens for embedded reports.
    pub(crate) embedding: Embedding,
    pub(crate) resets: Arc<Semaphore>,
    /// Calls of the open routes that may be worked on at once.
    pub(crate) open: Semaphore,
    /// Days that may be planned, and demand files read, at once.
    pub(crate) planning: Arc<Semaphore>,
    /// Reports whose rows may be looked for at once.
    pub(crate) reports: Arc<Turns>,
    /// Files of reports that may be written at once.
    pub(crate) exports: Arc<Turns>,
    /// Kept files of reports that may be given out at once.
    pub(crate) kept_files: Arc<Turns>,
    /// Demand files that may come in at once.
    pub(crate) uploads: Arc<Turns>,
    /// Tries of names that nobody has which the audit does not tell of yet.
    pub(crate) unknown_names: AtomicU64,
}

impl Services {
    /// From what the binary gives.
    pub(crate) fn new(deps: Deps) -> Self {
        let embedding = Embedding::new(&deps.embed);
        Self(Arc::new(Inner {
            deps,
            embedding,
            fields: Cache::default(),
            wirings: Wirings::default(),
            pictures: Pictures::default(),
            resets: Arc::new(Semaphore::new(RESETS_MAX)),
            open: Semaphore::new(OPEN_MAX),
            planning: Arc::new(Semaphore::new(PLANNING_MAX)),
            reports: Turns::new(REPORTS_MAX),
            exports: Turns::new(EXPORTS_MAX),
            kept_files: Turns::new(KEPT_FILES_MAX),
            uploads: Turns::new(UPLOADS_MAX),
            unknown_names: AtomicU64::new(0),
        }))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.deps.store
    }

    pub(crate) fn control(&self) -> &Control {
        &self.0.deps.control
    }

    pub(crate) async fn field(&self, client: ClientId) -> store::Result<Arc<Field>> {
        self.0.fields.get(self.store(), client, self.control().leases()).await
    }

    /// The wall clock: tokens end and rows are stamped by it.
    pub(crate) fn now() -> Micros {
        Micros(jiff::Timestamp::now().as_microsecond())
    }
}
