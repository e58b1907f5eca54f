//! The error type of this crate.

/// The reason why a call of this crate failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input is invalid. The text is the message for the user.
    #[error("{0}")]
    BadRequest(String),
    /// The user has no permission. The text is the message for the user.
    #[error("{0}")]
    Forbidden(&'static str),
    /// The item does not exist, or the user may not see it.
    #[error("not found")]
    NotFound,
    /// Too many operations of this kind are running.
    #[error("{what}")]
    Crowded {
        /// The message for users.
        what: &'static str,
        /// The time after which the client may retry, s.
        retry_after_s: u64,
    },
    /// The database failed. The message is suitable for users and has no internal detail.
    #[error("{}", .0.sentence())]
    Store(#[from] store::Error),
    /// An internal error; its cause is in the log.
    #[error("something went wrong")]
    Internal,
}

impl Error {
    /// Logs the cause of an error that does not become an answer of the api, which would log it.
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
