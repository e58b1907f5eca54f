//! Checks a description before it is stored or activated. A finding has the problem, its place and the remedy.

mod consumers;
mod equipment;
mod index;
mod list;
mod measurements;
mod numbers;
mod places;
mod supply;
mod voltages;

pub(crate) use places::differ;

pub use list::{Finding, Findings, LISTED_MAX, PartKind, Rule, Severity};

use crate::Description;

impl Description {
    /// Checks all parts, in linear time. A [`Model`](crate::Model) can be built from every description without errors.
    pub fn check(&self) -> Findings {
        let mut findings = Findings::default();
        let index = index::Index::new(self, &mut findings);
        places::check(self, &index, &mut findings);
        equipment::check(self, &index, &mut findings);
        voltages::check(self, &index, &mut findings);
        measurements::check(self, &index, &mut findings);
        supply::check(self, &index, &mut findings);
        consumers::check(self, &index, &mut findings);
        findings
    }
}
