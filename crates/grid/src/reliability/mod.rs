//! Reliability of supply: the indices of IEEE 1366 from interruptions, and what a major event day is. Pure figures: who counts and since when is decided before.
//!
//! An interruption is a set of steps, each saying who was without supply for how long: those who come back earlier are a step of their own. Within one
//! interruption everybody counts once, however often they lost supply; their minutes add up.

mod indices;
mod major;
mod step;
mod weight;

use crate::Micros;

pub use indices::{Indices, Sums};
pub use major::{MajorEventLimit, major_event_limit};
pub use step::{Class, MOMENTARY_MIN, Step, Threshold};
pub use weight::{Whom, distinct};

/// ASAI: the part of a time in which customers were supplied (IEEE 1366-2012, clause 4). Of sustained interruptions it takes the minutes that lie within the
/// time, whenever they began: other minutes are no part of it, and more than all cannot be missing. `None` of no time, or where nobody is supplied.
pub fn availability<'a>(
    steps: impl IntoIterator<Item = &'a Step>,
    threshold: Threshold,
    served: f64,
    (from, until): (Micros, Micros),
) -> Option<f64> {
    let sustained = steps.into_iter().filter(|step| step.class(threshold) == Some(Class::Sustained));
    let without: f64 = sustained.map(|step| step.whom.weight() * step.minutes_within((from, until))).sum();
    let all = served * until.0.saturating_sub(from.0) as f64 / 60e6;
    (all > 0.0).then(|| 1.0 - without / all)
}

/// Sums up the steps of a period by the threshold.
pub fn sums(steps: &[Step], threshold: Threshold) -> Sums {
    Sums::of(steps, threshold)
}
