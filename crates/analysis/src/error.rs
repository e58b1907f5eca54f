//! The error type of this crate.

/// The reason why a call of this crate failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input is invalid. The text is the message for the user.
    #[error("{0}")]
    BadRequest(String),
    /// The item does not exist, or the user may not see it.
    #[error("not found")]
    NotFound,
    /// The database failed. The message is suitable for users and has no internal detail.
    #[error("{}", .0.sentence())]
    Store(#[from] store::Error),
    /// An internal error; its cause is in the log.
    #[error("something went wrong")]
    Internal,
}
