//! The reasons why there is no plan.

use thiserror::Error;

use crate::fault::Fault;
use crate::impossible::Impossible;

/// The reason why there is no plan.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Error {
    /// Inputs are invalid; all of them are listed.
    #[error("{}", .0.iter().map(Fault::to_string).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<Fault>),
    /// A constraint cannot be satisfied.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// The solver failed: the inputs are at the limit of its accuracy, or it took too long.
    #[error("the solver found no plan: {0}")]
    Solver(String),
}

impl From<Vec<Fault>> for Error {
    fn from(faults: Vec<Fault>) -> Self {
        Self::Invalid(faults)
    }
}
