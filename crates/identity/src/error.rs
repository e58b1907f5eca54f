//! Why a user is refused, or could not be asked.

use wire::second_factor::Wanted;

/// Why a call of this crate fails.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The sentence says what is refused.
    #[error("{0}")]
    Forbidden(&'static str),
    /// There is no such thing, or not for this user.
    #[error("not found")]
    NotFound,
    /// Input that cannot be taken; the sentence says why.
    #[error("{0}")]
    BadRequest(String),
    /// A sign-in needs a second factor besides the password.
    #[error("a second factor is needed")]
    SecondFactor(Wanted),
    /// Too many tries.
    #[error("too many tries, wait {retry_after_s} s")]
    TooMany {
        /// How long to wait.
        retry_after_s: u64,
    },
    /// A password could not be checked or hashed.
    #[error(transparent)]
    Auth(#[from] auth::Error),
    /// The database. The text says no more than a user may read.
    #[error("{}", .0.sentence())]
    Store(#[from] store::Error),
    /// A fault of ours; the cause is in the log.
    #[error("something went wrong")]
    Internal,
}
