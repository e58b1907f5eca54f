//! Why a day cannot be planned.

/// Why a day of a site cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// An input is invalid; the text says what is allowed.
    #[error("{0}")]
    Invalid(String),
    /// The inputs are valid, and there is no plan; the text says why.
    #[error("{0}")]
    Impossible(String),
    /// The database.
    #[error("{}", .0.sentence())]
    Store(#[from] store::Error),
    /// A fault of ours; the cause is in the log.
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
