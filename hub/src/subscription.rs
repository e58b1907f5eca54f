//! The result of a subscription, and the query that it may need.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use grid::{ClientId, Scope};

use crate::stream::Stream;

/// The result of a subscription.
pub(crate) enum Joined {
    /// The stream cannot be joined; the refusal has been queued.
    Refused,
    /// The answer has been queued.
    Answered { stream: Stream, position: Arc<AtomicI64> },
    /// The answer must be read from the database; rows are held for the client meanwhile.
    Read { position: Arc<AtomicI64>, query: MissedRowsQuery },
}

/// The query for a subscriber of a class `every` stream.
#[derive(Debug, Clone)]
pub(crate) struct MissedRowsQuery {
    pub(crate) stream: Stream,
    /// The membership for which the query runs.
    pub(crate) position: Arc<AtomicI64>,
    pub(crate) client: ClientId,
    pub(crate) scope: Option<Scope>,
    pub(crate) epoch: String,
    /// The offset of the client, if it can continue from there.
    pub(crate) since: Option<i64>,
    /// The last offset of the log at the join.
    pub(crate) top: i64,
}
