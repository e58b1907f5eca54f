//! The state that handlers share. The handle is cheap to clone.

use std::sync::Arc;

use analysis::diagrams::Pictures;
use analysis::served_drawing::Wirings;
use control::Control;
use embed::{EmbedSettings, Embedding};
use grid::{ClientId, Micros};
use identity::Identity;
use ipnet::IpNet;
use mail::Mailer;
use permits::Permits;
use registry::{Field, Fields};
use reports::Reports;
use store::kept::Level;
use store::{ReadClass, Store};
use tokio::sync::Semaphore;

use crate::network_feeders::NetworkFeeders;

/// Maximum number of requests of the routes without sign-in that are processed at once; further ones are refused. It is larger than the queue for password
/// checks, so that this queue cannot use all places, and known devices are still served.
const OPEN_MAX: usize = 256;

/// Maximum number of plans that are computed at once, each on a separate thread. Further plans wait, at most until the time limit of their request.
const PLANNING_MAX: usize = 2;

/// Maximum number of concurrent uploads of demand files, which are kept in memory. Further ones are refused.
const UPLOADS_MAX: usize = 8;

/// Maximum number of concurrent changes of networks, whose bodies are kept in memory. Further ones are refused.
const NETWORK_UPLOADS_MAX: usize = 3;

/// Dependencies and settings of the api.
#[derive(Clone)]
pub struct Deps {
    /// The database.
    pub store: Store,
    /// The message bus that carries changes to the hubs.
    pub bus: bus::Bus,
    /// The registry of each utility.
    pub fields: Fields,
    /// Signs users in and out.
    pub identity: Identity,
    /// Operates devices.
    pub control: Control,
    /// Creates reports.
    pub reports: Reports,
    /// Sends mails.
    pub mail: Mailer,
    /// Further hosts from which a brand may load map tiles.
    pub map_hosts: Vec<String>,
    /// Settings of embedded pages.
    pub embed: EmbedSettings,
    /// Proxies whose forwarded-for headers are trusted.
    pub proxies: Vec<IpNet>,
}

/// The state of the router, with the database in the class of the route.
#[derive(Clone)]
pub(crate) struct Services(pub(crate) Arc<Inner>, Store);

pub(crate) struct Inner {
    pub(crate) deps: Deps,
    pub(crate) wirings: Wirings,
    pub(crate) pictures: Pictures,
    pub(crate) feeders: NetworkFeeders,
    /// Tokens for embedded reports.
    pub(crate) embedding: Embedding,
    /// Permits for requests of the open routes.
    pub(crate) open: Semaphore,
    /// Permits for plans and for parsing demand files.
    pub(crate) planning: Arc<Semaphore>,
    /// Permits for uploads of demand files.
    pub(crate) uploads: Arc<Permits>,
    /// Permits for changes of networks.
    pub(crate) network_uploads: Arc<Permits>,
}

impl Services {
    /// Creates the state, with the database in class [`ReadClass::Reserved`].
    pub(crate) fn new(deps: Deps) -> Self {
        let embedding = Embedding::new(&deps.embed);
        let store = deps.store.in_class(ReadClass::Reserved);
        let inner = Inner {
            deps,
            embedding,
            wirings: Wirings::default(),
            pictures: Pictures::default(),
            feeders: NetworkFeeders::default(),
            open: Semaphore::new(OPEN_MAX),
            planning: Arc::new(Semaphore::new(PLANNING_MAX)),
            uploads: Permits::new(UPLOADS_MAX),
            network_uploads: Permits::new(NETWORK_UPLOADS_MAX),
        };
        Self(Arc::new(inner), store)
    }

    /// Returns the same services with the database in a different class.
    pub(crate) fn in_class(&self, class: ReadClass) -> Self {
        Self(self.0.clone(), self.1.in_class(class))
    }

    /// Returns the database, in the class of the route.
    pub(crate) fn store(&self) -> &Store {
        &self.1
    }

    /// Returns the database in the reserved class. Every route uses it for permissions and for the audit of refusals.
    pub(crate) fn reserved(&self) -> Store {
        self.1.in_class(ReadClass::Reserved)
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

    /// Returns the time since which some levels of the history are kept, if a period from `from` begins before it.
    pub(crate) async fn kept_since(&self, levels: &[Level], from: Micros) -> store::Result<Option<Micros>> {
        Ok(self.store().kept().await?.within(levels, from))
    }

    /// Returns the wall clock time. It determines the expiry of tokens and is stored in rows.
    pub(crate) fn now() -> Micros {
        wire::time::now()
    }
}
