//! The steps of interruptions, and where momentary ends and sustained begins.

use super::weight::Whom;
use crate::Micros;

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
