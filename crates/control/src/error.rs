//! Why control gives no outcome.

/// Why a request to control has failed. A refusal is no error: it is an [`Outcome`](crate::Outcome).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It does not exist, or not for the caller.
    #[error("not found")]
    NotFound,
    /// The caller's session has ended.
    #[error("the session has ended")]
    SessionOver,
    /// A command was or may have been decided, and its outcome is unknown. Never repeat it without a look at the field.
    #[error("The order may have left. Its outcome is unknown: look at the field before you try again.")]
    Unsure,
    /// The database does not answer, or refuses.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A fault of the program.
    #[error("something went wrong")]
    Internal,
}
