//! Opens sessions.

use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::admission::UnauthenticatedSlot;
use crate::connection::{INCOMING, POLLING, Session};
use crate::outbox::Outbox;
use crate::state::{Hub, Serving};
use crate::{conformance, session};

/// Opens a session; `None` if the maximum number of sockets is open.
pub(crate) fn open(hub: &Arc<Hub>, slot: UnauthenticatedSlot) -> Option<Arc<Session>> {
    let (incoming, receiver) = mpsc::channel(INCOMING);
    let (sid, _) = auth::new_token();
    let opened = Arc::new(Session {
        sid: sid[..24].to_owned(),
        outbox: Arc::new(Outbox::new(hub.config.outbox_bytes, hub.config.outbox_age)),
        incoming,
        over: CancellationToken::new(),
        transport: AtomicU8::new(POLLING),
        polling: tokio::sync::Mutex::new(()),
    });
    let id = hub.enter(&opened)?;
    match &hub.serving {
        Serving::Live(live) => {
            let serving = session::serve(hub.clone(), live.clone(), id, opened.clone(), receiver, hub.ended.subscribe(), slot);
            tokio::spawn(serving);
        }
        // The test suites do not sign in.
        Serving::Conformance(suite) => drop(tokio::spawn(conformance::serve(hub.clone(), *suite, opened.clone(), receiver))),
    }
    Some(opened)
}
