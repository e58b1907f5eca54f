//! Live pictures to clients over Socket.IO (live.md section 3).
//!
//! - [`core`](self): one task owns the process image and the rooms; it waits neither for the database nor for clients.
//! - `socketio`: the protocol as data. `transport`: how it travels. `session`: one client. `outbox`: what waits for it, bounded.
//! - `reader`: questions to the database beside the core. `recent`: the newest rows in memory, for clients that return. `tokens`, `answers`: one query for
//!   many clients.

mod admission;
mod allowance;
mod answers;
mod area;
mod beats;
mod behind;
mod clock;
mod config;
mod conformance;
mod connection;
mod core;
mod cut;
mod diagram;
mod failpoint;
mod frame;
mod handshake;
mod image;
mod inbox;
mod loaded;
mod log;
mod losses;
mod news;
mod opening;
mod outbox;
mod placed;
mod process_image;
mod pulse;
mod query;
mod question;
mod reader;
mod recent;
mod refusal;
mod room;
mod rooms;
mod row;
mod session;
mod signs;
mod socketio;
mod state;
mod stream;
mod subscription;
mod table;
mod tags;
mod tokens;
mod transport;
mod vouched;
mod websocket;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use bus::Bus;
use registry::Registry;
use store::Store;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub use config::HubConfig;
pub use conformance::conformance_config;
pub use process_image::ProcessImage;

/// Ended sessions that wait to be told to connections; beyond it the periodic re-check finds them.
const SESSIONS_ENDED: usize = 1_024;

/// What the hub works with.
#[derive(Clone)]
pub struct Deps {
    /// The database, for the picture at the start, missed events and rights.
    pub store: Store,
    /// Hierarchy, assets, gateways and points, followed by the process.
    pub registry: Registry,
    /// Changes from ingest.
    pub bus: Bus,
}

/// A hub that has been started.
#[derive(Debug)]
pub struct Running {
    /// Its routes (`/socket.io/`), to be served by the caller.
    pub routes: Router,
    /// Whether it works.
    pub probe: Probe,
    /// Ends with the shutdown. An error before that means that the core has panicked: nothing is live any more, and the process should end.
    pub core: JoinHandle<()>,
}

/// Asks the core of a hub whether it works.
#[derive(Debug, Clone)]
pub struct Probe(mpsc::Sender<inbox::Command>);

impl Probe {
    /// Whether the core answers within `patience` and has read the field.
    pub async fn works(&self, patience: Duration) -> bool {
        let asked = async {
            let (answer, is_loaded) = oneshot::channel();
            self.0.send(inbox::Command::Probe { answer }).await.ok()?;
            is_loaded.await.ok()
        };
        tokio::time::timeout(patience, asked).await.ok().flatten().unwrap_or(false)
    }
}

/// Starts a hub. On `shutdown` it sends each client `ended` and closes its connection.
pub fn start(config: HubConfig, deps: Deps, shutdown: CancellationToken) -> Running {
    let (ended, _) = broadcast::channel(SESSIONS_ENDED);
    let (ended_sender, mut ended_sessions) = mpsc::channel(SESSIONS_ENDED);
    let signs = signs::Signs { alarms: beats::Beats::default(), pulse: pulse::Pulse::new() };
    let (commands, core) =
        core::start(config.clone(), &deps.bus, deps.store.clone(), deps.registry, signs.clone(), ended_sender, shutdown.clone());
    let probe = Probe(commands.clone());
    let tokens = tokens::Tokens::start(deps.store.clone(), config.question_limit);
    let serving =
        state::Serving::Live(state::Live { store: deps.store, core: commands, signs, tokens, answers: answers::Answers::default() });
    let hub = Arc::new(state::Hub::new(config, serving, ended.clone(), shutdown.clone()));
    let closing = hub.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                session = ended_sessions.recv() => match session {
                    // Nobody connected is no error.
                    Some(session) => drop(ended.send(session)),
                    None => break,
                },
            }
        }
        closing.cut_all(cut::Cut::Shutdown);
    });
    Running { routes: transport::router(hub, "/socket.io/"), probe, core }
}

/// What the public test suites of the Engine.IO and Socket.IO protocols expect, over our own transports: an echo on `/engine.io/`, two namespaces on
/// `/socket.io/`. For loopback only: it checks no credentials. `config` is [`conformance_config`], or that with other time limits.
pub fn conformance(config: &HubConfig, shutdown: &CancellationToken) -> Router {
    let hub = |suite| {
        let (ended, _) = broadcast::channel(1);
        let serving = state::Serving::Conformance(suite);
        Arc::new(state::Hub::new(config.clone(), serving, ended, shutdown.clone()))
    };
    let engine = transport::router(hub(state::Suite::Engine), "/engine.io/");
    engine.merge(transport::router(hub(state::Suite::Socket), "/socket.io/"))
}

/// Reads a text as every kind of packet and name; for fuzzing.
#[cfg(feature = "fuzzing")]
pub fn read_anything(text: &str) {
    let _ = (socketio::engine::decode(text), socketio::packet::decode(text), stream::parse(text));
}

/// How long clients get to be told of a shutdown before the listener goes.
pub const FAREWELL: Duration = Duration::from_millis(500);
