//! Solves a problem: returns its plan, or the constraint that cannot be satisfied.

use crate::error::Error;
use crate::explain;
use crate::model::{self, Relaxed};
use crate::plan::Plan;
use crate::problem::Problem;

impl Problem {
    /// Returns the plan with the least cost, or the constraint that cannot be satisfied.
    pub fn solve(&self) -> Result<Plan, Error> {
        match model::solve(self, Relaxed::Nothing, model::simplex) {
            Ok(solution) => Ok(Plan::of(self, &solution)),
            Err(good_lp::ResolutionError::Infeasible) => Err(explain::why(self)),
            Err(error) => Err(Error::Solver(error.to_string())),
        }
    }
}
