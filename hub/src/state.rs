//! What all connections of a hub share: settings, the core, the sessions by id.

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
use crate::cut::Cut;
use crate::inbox::Command;
use crate::signs::Signs;
use crate::tokens::Tokens;

/// What stands behind live pictures.
#[derive(Clone)]
pub(crate) struct Live {
    pub(crate) store: Store,
    pub(crate) core: mpsc::Sender<Command>,
    pub(crate) signs: Signs,
    pub(crate) tokens: Tokens,
    pub(crate) answers: Answers,
}

/// What the sessions of a hub speak of.
pub(crate) enum Serving {
    /// Live pictures.
    Live(Live),
    /// What the public test suites of the protocols expect.
    Conformance(Suite),
}

/// Which suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suite {
    /// Every message comes back.
    Engine,
    /// Namespaces `/` and `/custom`; `message` comes back as `message-back`, `message-with-ack` as its acknowledgement.
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

    /// Enters a session with a number for its connection; `None` when there are as many as there may be.
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

    /// A session by its id.
    pub(crate) fn session(&self, sid: &str) -> Option<Arc<Session>> {
        self.sessions().get(sid).cloned()
    }

    /// Forgets a session that is over.
    pub(crate) fn forget(&self, sid: &str) {
        let open = {
            let mut sessions = self.sessions();
            sessions.remove(sid);
            sessions.len()
        };
        metrics::gauge!("hub_connections").set(open as f64);
    }

    /// Ends all sessions.
    pub(crate) fn cut_all(&self, why: Cut) {
        for session in self.sessions().values() {
            session.outbox.cut(why);
        }
    }
}
