//! The error type of this crate.

/// The reason why a request to control failed. A refusal is not an error but an [`Outcome`](crate::Outcome).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The item does not exist, or the caller may not see it.
    #[error("not found")]
    NotFound,
    /// The caller's session has ended.
    #[error("the session has ended")]
    SessionOver,
    /// The outcome of a command is unknown. Never repeat it without checking the device in the field.
    #[error("The order may have left. Its outcome is unknown: look at the field before you try again.")]
    Unsure,
    /// The database did not answer, or rejected the statement.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// An internal error.
    #[error("something went wrong")]
    Internal,
}
