//! The error type of this crate.

use wire::second_factor::SecondFactorReason;

/// Why a call of this crate fails.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user has no permission. The text is the message for the user.
    #[error("{0}")]
    Forbidden(&'static str),
    /// The item does not exist, or the user may not see it.
    #[error("not found")]
    NotFound,
    /// The input is invalid. The text is the message for the user.
    #[error("{0}")]
    BadRequest(String),
    /// The sign-in needs a second factor in addition to the password.
    #[error("a second factor is needed")]
    SecondFactor(SecondFactorReason),
    /// Too many attempts; the client has to wait.
    #[error("too many tries, wait {retry_after_s} s")]
    TooMany {
        /// The time until the next attempt is allowed, s.
        retry_after_s: u64,
    },
    /// A password could not be checked or hashed.
    #[error(transparent)]
    Auth(#[from] auth::Error),
    /// The database failed. The message is suitable for users and has no internal detail.
    #[error("{}", .0.sentence())]
    Store(#[from] store::Error),
    /// An internal error; its cause is in the log.
    #[error("something went wrong")]
    Internal,
}
