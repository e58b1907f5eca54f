//! Why a day cannot be planned.

/// Why a day of a site cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// An input is invalid; the text says what is allowed.
    #[error("{0}")]
    Invalid(String),
    /// The inputs are valid, but there is no plan. The text has the reason.
    #[error("{0}")]
    Impossible(String),
    /// The database.
    #[error("{}", .0.sentence())]
    Store(#[from] store::Error),
    /// An internal error. The cause is in the log.
    #[error("something went wrong")]
    Internal,
}

impl From<dispatch::Error> for PlanError {
    fn from(error: dispatch::Error) -> Self {
        match error {
            dispatch::Error::Invalid(_) => Self::Invalid(error.to_string()),
            dispatch::Error::Impossible(_) | dispatch::Error::Solver(_) => Self::Impossible(error.to_string()),
        }
    }
}
