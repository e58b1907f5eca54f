//! State shared by all connections of a hub: settings, the core, and the sessions by id.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use store::Store;
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use crate::admission::Admissions;
use crate::answers::Answers;
use crate::config::HubConfig;
use crate::connection::{ConnectionId, Session};
use crate::disconnect::DisconnectReason;
use crate::heartbeats::Heartbeats;
use crate::inbox::Command;
use crate::tokens::Tokens;

/// The services behind the live streams.
#[derive(Clone)]
pub(crate) struct Live {
    pub(crate) store: Store,
    pub(crate) core: mpsc::Sender<Command>,
    pub(crate) heartbeats: Heartbeats,
    pub(crate) tokens: Tokens,
    pub(crate) answers: Answers,
}

/// The content that a hub serves.
pub(crate) enum Serving {
    /// Live streams.
    Live(Live),
    /// The public test suites of the protocols.
    Conformance(Suite),
}

/// A public test suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suite {
    /// Engine.IO: every message is echoed.
    Engine,
    /// Socket.IO: namespaces `/` and `/custom`. `message` is answered by `message-back`, `message-with-ack` by its
    /// acknowledgement.
    Socket,
}

/// The hub.
pub(crate) struct Hub {
    pub(crate) config: HubConfig,
    pub(crate) serving: Serving,
    pub(crate) ended: broadcast::Sender<i64>,
    pub(crate) shutdown: CancellationToken,
    pub(crate) admissions: Arc<Admissions>,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    next: AtomicU64,
}

impl Hub {
    pub(crate) fn new(config: HubConfig, serving: Serving, ended: broadcast::Sender<i64>, shutdown: CancellationToken) -> Self {
        Self { config, serving, ended, shutdown, admissions: Arc::default(), sessions: Mutex::default(), next: AtomicU64::new(1) }
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a session and numbers its connection; `None` if the maximum number of sockets is open.
    pub(crate) fn enter(&self, session: &Arc<Session>) -> Option<ConnectionId> {
        let open = {
            let mut sessions = self.sessions();
            if sessions.len() >= self.config.sockets_max || self.shutdown.is_cancelled() {
                return None;
            }
            sessions.insert(session.sid.clone(), session.clone());
            sessions.len()
        };
        metrics::gauge!("hub_connections").set(open as f64);
        Some(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns a session by its id.
    pub(crate) fn session(&self, sid: &str) -> Option<Arc<Session>> {
        self.sessions().get(sid).cloned()
    }

    /// Removes a session that has ended.
    pub(crate) fn forget(&self, sid: &str) {
        let open = {
            let mut sessions = self.sessions();
            sessions.remove(sid);
            sessions.len()
        };
        metrics::gauge!("hub_connections").set(open as f64);
    }

    /// Ends all sessions.
    pub(crate) fn disconnect_all(&self, why: DisconnectReason) {
        for session in self.sessions().values() {
            session.outbox.disconnect(why);
        }
    }
}
