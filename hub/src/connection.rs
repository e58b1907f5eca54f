//! A connection as its transport and its session share it.

use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

use crate::frame::Frame;
use crate::outbox::Outbox;

/// Number of a connection within this process.
pub(crate) type ConnectionId = u64;

/// Packets of one client that wait to be understood; the transport stops reading at the bound.
pub(crate) const INCOMING: usize = 32;

/// By polling.
pub(crate) const POLLING: u8 = 0;
/// By polling, while a WebSocket is being probed: polls are answered at once.
pub(crate) const PROBING: u8 = 1;
/// By a WebSocket, for good: polls are refused.
pub(crate) const SOCKET: u8 = 2;

/// What transports and the session share.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) sid: String,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) incoming: mpsc::Sender<Frame>,
    /// Cancelled when the session is over.
    pub(crate) over: CancellationToken,
    /// How it travels: [`POLLING`], [`PROBING`] or [`SOCKET`].
    pub(crate) transport: AtomicU8,
    /// Locked while a polling request waits, and free as soon as it is answered or its connection closes.
    pub(crate) polling: Mutex<()>,
}
