//! Decides whether an alarm condition is met, from the values of one point in the order of their source times.
//!
//! The result depends on the values only, not on the time of the evaluation. A delay ends at the same instant, whether a tick or the next value is evaluated
//! first after it. A value is valid until the next value.

use crate::{Micros, Ordinal, Quality, Reading};

/// The condition of an alarm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Condition {
    /// Above a limit; cleared when the value is at most `limit - deadband`.
    Above {
        /// The limit, in the unit of the point.
        limit: f64,
        /// The deadband, in the unit of the point.
        deadband: f64,
    },
    /// Below a limit; cleared when the value is at least `limit + deadband`.
    Below {
        /// The limit, in the unit of the point.
        limit: f64,
        /// The deadband, in the unit of the point.
        deadband: f64,
    },
    /// Equal to this raw status.
    Is(f64),
    /// The device marks its own value as invalid.
    NotValid,
}

impl Condition {
    /// Returns whether the condition is met by a reading, given whether it was met before. `None` if the reading cannot decide this. Invalid, stale and absent
    /// values neither raise nor clear an alarm, except for [`Condition::NotValid`]. Questionable values do: a wrong clock must not hide a high temperature.
    fn holds(self, before: bool, reading: &Reading) -> Option<bool> {
        if self == Self::NotValid {
            return match reading.quality {
                Quality::Invalid => Some(true),
                Quality::Good | Quality::Substituted | Quality::Questionable => Some(false),
                Quality::Stale | Quality::CommLost | Quality::Never => None,
            };
        }
        let value = reading.value.filter(|value| value.is_finite() && reading.quality <= Quality::Questionable)?;
        Some(match self {
            Self::Above { limit, deadband } => value > if before { limit - deadband } else { limit },
            Self::Below { limit, deadband } => value < if before { limit + deadband } else { limit },
            Self::Is(state) => (value - state).abs() < f64::EPSILON,
            Self::NotValid => false,
        })
    }
}

/// A change of the condition: it became true, or it ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Whether the condition became true.
    pub active: bool,
    /// Source time of the first value that changed the condition, not the end of the delay.
    pub at: Micros,
    /// The value at that time.
    pub value: Option<f64>,
}

/// A change of the condition whose delay has not ended yet.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pending {
    verdict: Verdict,
    due: Micros,
}

/// The state of the evaluation of one rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judge {
    condition: Condition,
    on_delay_ms: i64,
    off_delay_ms: i64,
    active: bool,
    /// Source time and ordinal of the newest evaluated value. Older values are ignored.
    judged: Option<(Micros, Ordinal)>,
    pending: Option<Pending>,
}

/// Verdicts of one step: first the verdict of a delay that ended before the value, then the verdict of the value itself.
pub type Verdicts = [Option<Verdict>; 2];

impl Judge {
    /// Creates a judge. `active` is whether the alarm is already active.
    pub fn new(condition: Condition, on_delay_s: i32, off_delay_s: i32, active: bool) -> Self {
        let ms = |seconds: i32| i64::from(seconds.max(0)) * 1_000;
        Self { condition, on_delay_ms: ms(on_delay_s), off_delay_ms: ms(off_delay_s), active, judged: None, pending: None }
    }

    /// Whether the condition is active according to the values evaluated so far.
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// Whether a delay is running, so that [`Judge::time`] can end it.
    pub fn waits(&self) -> bool {
        self.pending.is_some()
    }

    /// Whether the newest value is later than `at` and meets the condition, whatever delay is running.
    pub fn is_met_after(&self, at: Micros) -> bool {
        let leaning = self.pending.map_or(self.active, |pending| pending.verdict.active);
        leaning && self.judged.is_some_and(|(source, _)| source > at)
    }

    /// Evaluates a reading. A reading that is not newer than the last one is late and changes nothing; the event log and the history store it. If
    /// ingest received it later and made it the present value, it is not late: the clock of its device was set back.
    pub fn value(&mut self, reading: &Reading) -> Verdicts {
        if let Some((source, place)) = self.judged.filter(|(source, _)| reading.source <= *source) {
            if reading.source == source || !reading.ordinal.is_after(place) {
                return [None, None];
            }
            self.restart();
        }
        // Until this source time the previous value was valid.
        let ended = self.time(reading.source);
        // While a delay runs, the deadband applies to the pending state: a value that rose above the limit stays above it within the deadband.
        let leaning = self.pending.map_or(self.active, |pending| pending.verdict.active);
        let Some(holds) = self.condition.holds(leaning, reading) else { return [ended, None] };
        self.judged = Some((reading.source, reading.ordinal));
        if holds == self.active {
            self.pending = None;
            return [ended, None];
        }
        if self.pending.is_none() {
            let delay = if holds { self.on_delay_ms } else { self.off_delay_ms };
            let verdict = Verdict { active: holds, at: reading.source, value: reading.value };
            self.pending = Some(Pending { verdict, due: reading.source.plus_millis(delay) });
        }
        [ended, self.time(reading.source)]
    }

    /// Discards the times of evaluated values, because the device's clock was set back. The alarm keeps its state.
    pub fn restart(&mut self) {
        (self.judged, self.pending) = (None, None);
    }

    /// Ends a delay that is due at `now`, in the device's time.
    pub fn time(&mut self, now: Micros) -> Option<Verdict> {
        let Pending { verdict, .. } = self.pending.take_if(|pending| pending.due <= now)?;
        self.active = verdict.active;
        Some(verdict)
    }
}
