//! The steps of interruptions, and the threshold between momentary and sustained.

use super::weight::CustomersWithoutSupply;
use crate::Micros;

/// Longest momentary interruption, minutes (IEEE 1366-2012, 3.14 and 3.21; most Indian regulations).
pub const MOMENTARY_MIN: f64 = 5.0;

/// The threshold between momentary and sustained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The threshold, minutes.
    pub minutes: f64,
    /// Whether an interruption of exactly this duration is momentary, as in IEEE 1366.
    pub inclusive: bool,
}

impl Default for Threshold {
    fn default() -> Self {
        Self { minutes: MOMENTARY_MIN, inclusive: true }
    }
}

/// The class of an interruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Over within the threshold.
    Momentary,
    /// Longer than the threshold.
    Sustained,
}

impl Class {
    /// Returns the identifier used in rows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Momentary => "momentary",
            Self::Sustained => "sustained",
        }
    }
}

impl Threshold {
    /// Returns the duration of the longest momentary interruption, ms.
    pub fn longest_momentary_ms(self) -> i64 {
        let ms = self.minutes * 60_000.0;
        if self.inclusive { ms.floor() as i64 } else { ms.ceil() as i64 - 1 }
    }

    /// Returns the class of an interruption with this duration, minutes.
    pub fn class(self, minutes: f64) -> Class {
        let is_momentary = if self.inclusive { minutes <= self.minutes } else { minutes < self.minutes };
        if is_momentary { Class::Momentary } else { Class::Sustained }
    }
}

/// The customers without supply in an interruption, and the duration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Number of the interruption; its steps share it.
    pub interruption: i64,
    /// Start. All minutes count in the period of the start (IEEE 1366-2012, clause 3.10 on major event days).
    pub started: Micros,
    /// Duration until the supply returned, minutes; if it has not, until now.
    pub minutes: f64,
    /// Whether it has not ended. While it is shorter than the threshold, it is neither momentary nor sustained.
    pub lasts: bool,
    /// The customers.
    pub whom: CustomersWithoutSupply,
}

impl Step {
    /// Returns its class; `None` if not decided yet.
    pub fn class(&self, threshold: Threshold) -> Option<Class> {
        match (threshold.class(self.minutes), self.lasts) {
            (Class::Momentary, true) => None,
            (class, _) => Some(class),
        }
    }

    /// Returns its minutes within a period.
    pub fn minutes_within(&self, (from, until): (Micros, Micros)) -> f64 {
        let begin = self.started.max(from).0.saturating_sub(self.started.0) as f64 / 60e6;
        let end = until.0.saturating_sub(self.started.0) as f64 / 60e6;
        (self.minutes.min(end) - begin).max(0.0)
    }
}
