//! State shared by all connections of a hub: settings, the core, and the sessions by id.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use dashmap::DashMap;
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
    /// The sessions by their ids. Each task uses only its own session, so a map that is divided into shards is sufficient.
    sessions: DashMap<String, Arc<Session>>,
    /// The number of sessions, including admitted ones that are not inserted yet. `len` of the map is not used, because it would lock all shards, and because
    /// check and insertion would not be one step.
    open: AtomicUsize,
    next: AtomicU64,
}

impl Hub {
    pub(crate) fn new(config: HubConfig, serving: Serving, ended: broadcast::Sender<i64>, shutdown: CancellationToken) -> Self {
        Self {
            config,
            serving,
            ended,
            shutdown,
            admissions: Arc::default(),
            sessions: DashMap::new(),
            open: AtomicUsize::new(0),
            next: AtomicU64::new(1),
        }
    }

    /// Registers a session and numbers its connection; `None` if the maximum number of sockets is open.
    pub(crate) fn enter(&self, session: &Arc<Session>) -> Option<ConnectionId> {
        let is_free = |open: usize| (open < self.config.sockets_max).then_some(open + 1);
        let open = self.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_free).ok()? + 1;
        self.sessions.insert(session.sid.clone(), session.clone());
        // After the insertion: either this sees the shutdown, or `disconnect_all`, which follows the shutdown, sees the session.
        if self.shutdown.is_cancelled() {
            self.forget(&session.sid);
            return None;
        }
        metrics::gauge!("hub_connections").set(open as f64);
        Some(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns a session by its id.
    pub(crate) fn session(&self, sid: &str) -> Option<Arc<Session>> {
        self.sessions.get(sid).map(|session| Arc::clone(&session))
    }

    /// Removes a session that has ended.
    pub(crate) fn forget(&self, sid: &str) {
        if self.sessions.remove(sid).is_some() {
            let before = self.open.fetch_sub(1, Ordering::Relaxed);
            metrics::gauge!("hub_connections").set(before.saturating_sub(1) as f64);
        }
    }

    /// Ends all sessions.
    pub(crate) fn disconnect_all(&self, why: DisconnectReason) {
        for session in &self.sessions {
            session.outbox.disconnect(why);
        }
    }
}
