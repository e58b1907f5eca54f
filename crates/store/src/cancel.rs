//! Cancels queries whose caller no longer waits.
//!
//! A query does not stop when its future is dropped: the server continues, and the connection is busy until it has finished. deadpool would give this
//! connection to the next caller.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use deadpool_postgres::Object;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_postgres::NoTls;

/// Time limit for sending a cancel.
const CANCEL_MAX: Duration = Duration::from_secs(5);

/// A pooled connection on which a query runs.
///
/// Call [`finish`](Self::finish) when the query has ended, with rows or with an error: the connection returns to its pool. If this is dropped before, the query
/// is cancelled on the server and the connection is closed. The connection is not used again, because PostgreSQL cancels whatever a connection is running: a
/// late cancel could end its next query.
///
/// The connection keeps its place in the pool until the cancel has been sent. Therefore a process never has more tasks that cancel than connections.
pub(crate) struct CancelOnDrop(Option<Object>);

impl CancelOnDrop {
    /// Wraps a connection, before its first statement.
    pub(crate) fn new(connection: Object) -> Self {
        Self(Some(connection))
    }

    /// Returns the connection to its pool.
    pub(crate) fn finish(mut self) {
        self.0 = None;
    }
}

impl Deref for CancelOnDrop {
    type Target = Object;

    fn deref(&self) -> &Object {
        self.0.as_ref().expect("present until the end")
    }
}

impl DerefMut for CancelOnDrop {
    fn deref_mut(&mut self) -> &mut Object {
        self.0.as_mut().expect("present until the end")
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let Some(connection) = self.0.take() else { return };
        let Ok(runtime) = Handle::try_current() else { return drop(Object::take(connection)) };
        runtime.spawn(async move {
            match timeout(CANCEL_MAX, connection.cancel_token().cancel_query(NoTls)).await {
                Ok(Ok(())) => {}
                // The server notices by itself that its client has gone, see `client_connection_check_interval`.
                Ok(Err(error)) => tracing::debug!(%error, "an abandoned query was not cancelled"),
                Err(_) => tracing::debug!("an abandoned query was not cancelled in time"),
            }
            drop(Object::take(connection));
        });
    }
}
