//! Sends live values, events and alarms to clients over Socket.IO (docs/reference/live.md).
//!
//! - [`core`](self): one task owns the process image and the rooms. It waits neither for the database nor for clients.
//! - `socketio`: encodes and decodes packets. `transport`: polling and WebSocket. `session`: serves one client.
//!   `outbox`: the bounded queue of frames for one client.
//! - `reader`: queries the database outside of the core. `recent`: the newest rows in memory, for clients that
//!   reconnect. `tokens`, `answers`: share one query between many clients.

mod admission;
mod allowance;
mod answers;
mod area;
mod beats;
mod client_query;
mod clock;
mod config;
mod conformance;
mod connection;
mod core;
mod diagram;
mod disconnect;
mod failpoint;
mod frame;
mod handshake;
mod heartbeats;
mod image;
mod inbox;
mod leases;
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
mod reader;
mod recent;
mod refusal;
mod room;
mod rooms;
mod row;
mod session;
mod skipped_streams;
mod socketio;
mod state;
mod stream;
mod subscription;
mod table;
mod tags;
mod tokens;
mod transport;
mod websocket;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use bus::Bus;
use registry::Registry;
use store::{ReadClass, Store};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub use config::HubConfig;
pub use conformance::conformance_config;
pub use process_image::ProcessImage;

/// Maximum number of ended sessions that wait to be reported to their connections. Further ones are found by the
/// periodic re-check.
const SESSIONS_ENDED: usize = 1_024;

/// The services that the hub uses.
#[derive(Clone)]
pub struct Deps {
    /// The database, for the initial process image, missed events and rights.
    pub store: Store,
    /// Hierarchy, assets, gateways and points. The process keeps it up to date. The hub is not ready before the first read.
    pub registry: Registry,
    /// Changes from ingest.
    pub bus: Bus,
}

/// A hub that has been started.
#[derive(Debug)]
pub struct Running {
    /// Routes of the hub (`/socket.io/`), served by the caller.
    pub routes: Router,
    /// Reports whether the hub works.
    pub probe: Probe,
    /// Ends on shutdown. An error before shutdown means that the core has panicked. Then nothing is updated any more,
    /// and the process should end.
    pub core: JoinHandle<()>,
}

/// Checks whether the core of a hub works.
#[derive(Debug, Clone)]
pub struct Probe(mpsc::Sender<inbox::Command>);

impl Probe {
    /// Returns whether the core answers within `patience` and has loaded the registry and the readings.
    pub async fn works(&self, patience: Duration) -> bool {
        let answered = async {
            let (answer, is_loaded) = oneshot::channel();
            self.0.send(inbox::Command::Probe { answer }).await.ok()?;
            is_loaded.await.ok()
        };
        tokio::time::timeout(patience, answered).await.ok().flatten().unwrap_or(false)
    }
}

/// Starts a hub. On `shutdown` it sends each client `ended` and closes its connection.
pub fn start(config: HubConfig, deps: Deps, shutdown: CancellationToken) -> Running {
    let (ended, _) = broadcast::channel(SESSIONS_ENDED);
    let (ended_sender, mut ended_sessions) = mpsc::channel(SESSIONS_ENDED);
    let heartbeats = heartbeats::Heartbeats { alarms: beats::Beats::default(), pulse: pulse::Pulse::new() };
    let (background, reserved) = (deps.store.in_class(ReadClass::Background), deps.store.in_class(ReadClass::Reserved));
    let (commands, core) =
        core::start(config.clone(), &deps.bus, background, deps.registry, heartbeats.clone(), ended_sender, shutdown.clone());
    let probe = Probe(commands.clone());
    let tokens = tokens::Tokens::start(reserved, config.question_limit);
    let serving = state::Serving::Live(state::Live {
        store: deps.store.in_class(ReadClass::Interactive),
        core: commands,
        heartbeats,
        tokens,
        answers: answers::Answers::default(),
    });
    let hub = Arc::new(state::Hub::new(config, serving, ended.clone(), shutdown.clone()));
    let closing = hub.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                session = ended_sessions.recv() => match session {
                    // No session has an open connection: this is not an error.
                    Some(session) => drop(ended.send(session)),
                    None => break,
                },
            }
        }
        closing.disconnect_all(disconnect::DisconnectReason::Shutdown);
    });
    Running { routes: transport::router(hub, "/socket.io/"), probe, core }
}

/// Routes for the public test suites of the Engine.IO and Socket.IO protocols, on the transports of the hub: an echo on
/// `/engine.io/` and two namespaces on `/socket.io/`.
///
/// These routes check no credentials, so the listener must be on loopback. `config` is [`conformance_config`], or the
/// same with other time limits.
pub fn conformance(config: &HubConfig, shutdown: &CancellationToken) -> Router {
    let hub = |suite| {
        let (ended, _) = broadcast::channel(1);
        let serving = state::Serving::Conformance(suite);
        Arc::new(state::Hub::new(config.clone(), serving, ended, shutdown.clone()))
    };
    let engine = transport::router(hub(state::Suite::Engine), "/engine.io/");
    engine.merge(transport::router(hub(state::Suite::Socket), "/socket.io/"))
}

/// Decodes a text as an Engine.IO packet, a Socket.IO packet and a stream name; for fuzzing.
#[cfg(feature = "fuzzing")]
pub fn read_anything(text: &str) {
    let _ = (socketio::engine::decode(text), socketio::packet::decode(text), stream::parse(text));
}

/// Time for clients to receive the `ended` message of a shutdown before the listener closes.
pub const FAREWELL: Duration = Duration::from_millis(500);
