//! Why a report is refused, or cannot be made.

/// Why a call of this crate fails.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Input that cannot be taken; the sentence says what is allowed.
    #[error("{0}")]
    BadRequest(String),
    /// The user may not have it; the sentence says why.
    #[error("{0}")]
    Forbidden(&'static str),
    /// There is no such thing, or the user may not see it.
    #[error("not found")]
    NotFound,
    /// Too many do the same just now; the sentence says what.
    #[error("{what}")]
    Crowded {
        /// For people.
        what: &'static str,
        /// How long to wait.
        retry_after_s: u64,
    },
    /// The database. The text says no more than a user may read.
    #[error("{}", .0.sentence())]
    Store(#[from] store::Error),
    /// A fault of ours; the cause is in the log.
    #[error("something went wrong")]
    Internal,
}

impl Error {
    /// Logs the cause where the error does not end as an answer of the api, which logs it.
    pub(crate) fn log(&self) {
        if let Self::Store(error) = self {
            error.log();
        }
    }
}

impl From<analysis::Error> for Error {
    fn from(error: analysis::Error) -> Self {
        match error {
            analysis::Error::BadRequest(why) => Self::BadRequest(why),
            analysis::Error::NotFound => Self::NotFound,
            analysis::Error::Store(error) => Self::Store(error),
            analysis::Error::Internal => Self::Internal,
        }
    }
}
