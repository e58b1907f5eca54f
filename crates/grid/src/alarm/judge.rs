//! Whether a condition holds, by the values of one point in the order of their source times.
//!
//! What comes out depends on the values alone and not on when somebody looked: a delay ends at the instant at which it ends, whether a tick or the next
//! value shows it. A value counts until the next one.

use crate::{Micros, Ordinal, Quality, Reading};

/// What has to be the case for an alarm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Condition {
    /// Above a limit; over when it is not above `limit - deadband` any more.
    Above {
        /// The limit.
        limit: f64,
        /// The hysteresis.
        deadband: f64,
    },
    /// Below a limit; over when it is not below `limit + deadband` any more.
    Below {
        /// The limit.
        limit: f64,
        /// The hysteresis.
        deadband: f64,
    },
    /// A raw status.
    Is(f64),
    /// The device says that its value is not valid.
    NotValid,
}

impl Condition {
    /// Whether it holds with a reading, where it held before or not; `None` when the reading says nothing about it. A bad, stale or absent value neither
    /// raises nor clears (only a rule about validity itself looks at those), a questionable one does: a clock out of step must not hide a high temperature.
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

/// What a judge has to say: the condition has set in, or is over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Whether it set in.
    pub active: bool,
    /// When, by the device's clock: the first value of the kind, not the end of the delay.
    pub at: Micros,
    /// The value then.
    pub value: Option<f64>,
}

/// A change of the condition that has yet to last.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pending {
    verdict: Verdict,
    due: Micros,
}

/// The judge of one rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judge {
    condition: Condition,
    on_delay_ms: i64,
    off_delay_ms: i64,
    active: bool,
    /// The source time and the place of the newest value that was judged; older ones come too late.
    judged: Option<(Micros, Ordinal)>,
    pending: Option<Pending>,
}

/// Verdicts of one step: a delay that ended before the value, and what the value says at once.
pub type Verdicts = [Option<Verdict>; 2];

impl Judge {
    /// A judge that takes over where the alarm stands: active or not.
    pub fn new(condition: Condition, on_delay_s: i32, off_delay_s: i32, active: bool) -> Self {
        let ms = |seconds: i32| i64::from(seconds.max(0)) * 1_000;
        Self { condition, on_delay_ms: ms(on_delay_s), off_delay_ms: ms(off_delay_s), active, judged: None, pending: None }
    }

    /// Whether the alarm of this rule is active by what was judged.
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// Whether there is a delay that a tick can end.
    pub fn waits(&self) -> bool {
        self.pending.is_some()
    }

    /// Judges a reading. One that is not newer than the last is late and changes nothing; the event log and the history have it. One that ingest took
    /// later, as the present value, is not late: the clock of its device was set back.
    pub fn value(&mut self, reading: &Reading) -> Verdicts {
        if let Some((source, place)) = self.judged.filter(|(source, _)| reading.source <= *source) {
            if reading.source == source || !reading.ordinal.is_after(place) {
                return [None, None];
            }
            self.restart();
        }
        // Up to here the value before counted.
        let ended = self.time(reading.source);
        // Where a delay runs, hysteresis goes by where it leads: a value that has come over the limit stays over it within the deadband.
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

    /// Forgets the times of what was judged, because the clock that gave them was set back. Whether the alarm is active stays.
    pub fn restart(&mut self) {
        (self.judged, self.pending) = (None, None);
    }

    /// Lets time go by, up to an instant of the device's clock.
    pub fn time(&mut self, now: Micros) -> Option<Verdict> {
        let Pending { verdict, .. } = self.pending.take_if(|pending| pending.due <= now)?;
        self.active = verdict.active;
        Some(verdict)
    }
}
