//! The database as a writer uses it. A simulation has a database of its own behind the same interface.

use store::lead::Tenure;
use store::writer::{Batch, Committed};

/// Why a batch is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The database does not take it now. The connection is a new one next time.
    Unavailable,
    /// The term that the batch was to be stored in is over.
    Deposed,
}

/// A connection that is made again whenever it is lost.
#[allow(async_fn_in_trait, reason = "the types behind it say whether their futures may change threads")]
pub trait Database {
    /// Returns whether there is a connection.
    fn is_up(&self) -> bool;
    /// Waits until there is a connection. Given up and called again it goes on where it was.
    async fn up(&mut self);
    /// Returns whether a failure came before this connection; true once.
    fn take_recovered(&mut self) -> bool;
    /// Commits a batch, or what of it the database will ever take, and proves with it that `tenure` is not over. On an error it may be stored all the same.
    async fn commit(&mut self, batch: &Batch, tenure: Option<&Tenure>) -> Result<Committed, Failure>;
    /// Writes what is held back for the latest values.
    async fn flush(&mut self);
}
