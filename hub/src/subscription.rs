//! A client that subscribes to a stream: what came of it, and what has to be read for it.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use grid::{ClientId, Scope};

use crate::stream::Stream;

/// What came of a subscribe.
pub(crate) enum Joined {
    /// The stream cannot be joined; the client has been told.
    Refused,
    /// The client has been answered.
    Answered { stream: Stream, position: Arc<AtomicI64> },
    /// An event stream that the client has to be brought to from the database; rows are held for it meanwhile.
    Read { position: Arc<AtomicI64>, question: Question },
}

/// What is to be read for a subscriber of events.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) stream: Stream,
    /// The membership that it is read for.
    pub(crate) position: Arc<AtomicI64>,
    pub(crate) client: ClientId,
    pub(crate) scope: Option<Scope>,
    pub(crate) epoch: String,
    /// Where the client stands, if it may go on from there.
    pub(crate) since: Option<i64>,
    /// The top of the log when it joined.
    pub(crate) top: i64,
}
