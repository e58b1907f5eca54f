//! The state of a connection that its transport and its session share.

use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

use crate::frame::Frame;
use crate::outbox::Outbox;

/// Number of a connection, unique within this process.
pub(crate) type ConnectionId = u64;

/// Maximum number of packets of one client that wait to be decoded. At the limit, the transport stops reading.
pub(crate) const INCOMING: usize = 32;

/// The client polls.
pub(crate) const POLLING: u8 = 0;
/// The client polls and probes a WebSocket: polls are answered at once.
pub(crate) const PROBING: u8 = 1;
/// The client uses a WebSocket for the rest of the session: polls are refused.
pub(crate) const SOCKET: u8 = 2;

/// State shared by the transports and the session of a connection.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) sid: String,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) incoming: mpsc::Sender<Frame>,
    /// Cancelled when the session is over.
    pub(crate) over: CancellationToken,
    /// The transport in use: [`POLLING`], [`PROBING`] or [`SOCKET`].
    pub(crate) transport: AtomicU8,
    /// Locked while a polling request waits, until the request is answered or its connection is closed.
    pub(crate) polling: Mutex<()>,
}
