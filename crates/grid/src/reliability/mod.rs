//! Reliability of supply: the indices of IEEE 1366 from interruptions, and major event days. The caller decides which customers count and from when.
//!
//! An interruption is a set of steps. Each step gives the customers without supply and the duration; customers whose supply returns earlier are a
//! separate step. Within one interruption each customer counts once, regardless of the number of losses; the minutes are added.

mod indices;
mod major;
mod step;
mod weight;

use crate::Micros;

pub use indices::{Indices, Sums};
pub use major::{MajorEventLimit, major_event_limit};
pub use step::{Class, MOMENTARY_MIN, Step, Threshold};
pub use weight::{CustomersWithoutSupply, distinct};

/// Returns ASAI: the share of customer time with supply (IEEE 1366-2012, clause 4). It includes the minutes of sustained interruptions within the
/// time, whenever they began, so the result cannot be negative. `None` if the time is empty or no customers are served.
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

/// Sums the steps of a period.
pub fn sums(steps: &[Step], threshold: Threshold) -> Sums {
    Sums::of(steps, threshold)
}
