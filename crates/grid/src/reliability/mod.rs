//! Reliability of supply: the indices of IEEE 1366 from interruptions, and what a major event day is. Pure figures: who counts and since when is decided before.
//!
//! An interruption is a set of steps, each saying who was without supply for how long: those who come back earlier are a step of their own. Within one
//! interruption everybody counts once, however often they lost supply; their minutes add up.

mod indices;
mod major;
mod weight;

use crate::Micros;

pub use indices::{Indices, Sums};
pub use major::{MajorEventLimit, major_event_limit};
pub use weight::{Whom, distinct};

/// Up to how long an interruption is momentary, minutes (IEEE 1366-2012, 3.14 and 3.21; most Indian regulations).
pub const MOMENTARY_MIN: f64 = 5.0;

/// Where momentary ends and sustained begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// Minutes.
    pub minutes: f64,
    /// Whether one that lasted exactly so long is momentary, as IEEE 1366 has it.
    pub inclusive: bool,
}

impl Default for Threshold {
    fn default() -> Self {
        Self { minutes: MOMENTARY_MIN, inclusive: true }
    }
}

/// What an interruption amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Over within the threshold.
    Momentary,
    /// Longer than that.
    Sustained,
}

impl Class {
    /// The word in rows.
    pub fn word(self) -> &'static str {
        match self {
            Self::Momentary => "momentary",
            Self::Sustained => "sustained",
        }
    }
}

impl Threshold {
    /// Of one that is over after so many minutes.
    pub fn class(self, minutes: f64) -> Class {
        let is_momentary = if self.inclusive { minutes <= self.minutes } else { minutes < self.minutes };
        if is_momentary { Class::Momentary } else { Class::Sustained }
    }
}

/// Who was without supply in an interruption, and for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Steps of one interruption carry the same number.
    pub interruption: i64,
    /// Since when: it counts, with all its minutes, in the period in which it began (IEEE 1366-2012, clause 3.10 on major event days).
    pub started: Micros,
    /// Until supply came back, minutes; of one that lasts, until now.
    pub minutes: f64,
    /// Whether it lasts: one that has not lasted beyond the threshold yet is neither momentary nor sustained.
    pub lasts: bool,
    /// Who.
    pub whom: Whom,
}

impl Step {
    /// What it amounts to so far; `None` while that is open.
    pub fn class(&self, threshold: Threshold) -> Option<Class> {
        match (threshold.class(self.minutes), self.lasts) {
            (Class::Momentary, true) => None,
            (class, _) => Some(class),
        }
    }

    /// Minutes of it that lie within a time.
    pub fn minutes_within(&self, (from, until): (Micros, Micros)) -> f64 {
        let begin = self.started.max(from).0.saturating_sub(self.started.0) as f64 / 60e6;
        let end = until.0.saturating_sub(self.started.0) as f64 / 60e6;
        (self.minutes.min(end) - begin).max(0.0)
    }
}

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
