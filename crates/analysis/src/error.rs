//! Why a figure cannot be told.

/// Why a call of this crate fails.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Input that cannot be taken; the sentence says what is allowed.
    #[error("{0}")]
    BadRequest(String),
    /// There is no such thing, or the user may not see it.
    #[error("not found")]
    NotFound,
    /// The database. The text says no more than a user may read.
    #[error("{}", .0.sentence())]
    Store(#[from] store::Error),
    /// A fault of ours; the cause is in the log.
    #[error("something went wrong")]
    Internal,
}
