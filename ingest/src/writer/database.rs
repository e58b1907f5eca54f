//! The database as writers use it. A simulation implements it with a simulated database.

use store::lead::Tenure;
use store::writer::{Batch, Committed};

/// Why a batch was not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The database is not available. The next attempt uses a new connection.
    Unavailable,
    /// The term of the batch has ended.
    Deposed,
}

/// A connection that reconnects whenever it is lost.
#[allow(async_fn_in_trait, reason = "the types behind it say whether their futures may change threads")]
pub trait Database {
    /// Returns whether there is a connection.
    fn is_up(&self) -> bool;
    /// Waits until there is a connection. If cancelled, the next call continues.
    async fn up(&mut self);
    /// Returns whether a failure preceded this connection; true once.
    fn take_recovered(&mut self) -> bool;
    /// Commits a batch, except rows that the database rejects permanently, and proves that the term of `tenure` has not
    /// ended. After an error, the batch may nevertheless be stored.
    async fn commit(&mut self, batch: &Batch, tenure: Option<&Tenure>) -> Result<Committed, Failure>;
    /// Writes the latest values that are not yet written.
    async fn flush(&mut self);
}
