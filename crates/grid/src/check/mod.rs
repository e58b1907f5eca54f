//! The quality check of a series: gaps, flat lines, impossible values, outliers and clock errors. One pass, bounded memory.
//!
//! The criteria and the score are our definition; no standard defines them (docs/reference/history.md, Quality check).

mod limits;
mod outlier;
mod stretch;
#[cfg(test)]
mod tests;

use crate::downsample::Bucket;
use crate::{Micros, Quality};

pub use limits::Expectation;
pub use outlier::EXTREMES;
pub use stretch::{AnomalyKind, KEPT, Stretch};

use outlier::{Hours, Outlier};
use stretch::Stretches;

/// Delay between source time and receive time above which a value is late, ms.
pub const LATE_MS: i64 = 60_000;
/// Lead of the source times over our clock from which the clock of a device is wrong, ms. Values more than five minutes ahead are never stored.
pub const AHEAD_MS: i64 = 5_000;
/// A clock that goes back by less than this was synchronised normally, ms.
pub const BACK_MS: i64 = 2_000;
/// Smallest number of values of a flat line.
const FLAT_VALUES: u64 = 5;
/// Largest distance between outliers of one stretch if the reporting interval is not known, ms.
const TOGETHER_MS: i64 = 60_000;
/// Weight of a wrong value in the score.
const WRONG_WEIGHT: f64 = 10.0;

/// A stored value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// Source time.
    pub at: Micros,
    /// Receive time.
    pub received: Micros,
    /// The value; `None` if absent.
    pub value: Option<f64>,
    /// Its quality.
    pub quality: Quality,
    /// Hour of the day in the utility's time zone, 0 to 23.
    pub hour: u8,
}

/// The result of the check.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Share of the span that is covered by usable values, %; `None` for report by exception.
    pub completeness: Option<f64>,
    /// Number of received values.
    pub values: u64,
    /// Number of gaps; `None` for report by exception.
    pub gaps: Option<u64>,
    /// The longest gap, ms; `None` without gaps.
    pub longest_gap_ms: Option<i64>,
    /// Number of flat lines.
    pub flat_lines: u64,
    /// Number of values far from the usual ones of their hour of the day. For each hour of the day, at most the 32 highest and the 32 lowest values are
    /// counted.
    pub outliers: u64,
    /// Number of values that are questionable or worse, or absent.
    pub bad_quality: u64,
    /// Number of values with a wrong device clock; `None` if only rollups are left.
    pub clock_errors: Option<u64>,
    /// Number of values that arrived more than a minute late; `None` if only rollups are left.
    pub late: Option<u64>,
    /// Number of values outside of the possible range.
    pub out_of_limits: u64,
    /// Score, 0 to 100; `None` if there are no values and none were expected.
    pub score: Option<f64>,
    /// The findings as stretches, in the order of time.
    pub stretches: Vec<Stretch>,
    /// Number of stretches that are left out, because only the longest stretches of each kind are returned.
    pub cut: u64,
}

/// Consecutive values with the same finding.
#[derive(Debug, Clone, Copy)]
struct Run<T> {
    what: T,
    from: Micros,
    to: Micros,
    values: u64,
}

/// Checks the values of one point, in the order of their source times.
#[derive(Debug, Clone)]
pub struct Checker {
    expectation: Expectation,
    from: Micros,
    to: Micros,
    /// Some values came from rollups, which have no information about clocks.
    is_coarse: bool,
    values: u64,
    good: u64,
    bad: u64,
    late: u64,
    clock: u64,
    outside: u64,
    covered_ms: i64,
    flat_ms: i64,
    longest_gap_ms: Option<i64>,
    /// `heard` is the end of the time in which values were received. `known` is the source time of the newest usable value.
    received_until: Option<Micros>,
    known: Option<Micros>,
    previous: Option<Value>,
    flat: Option<Run<f64>>,
    quality: Option<Run<Quality>>,
    limit: Option<Run<f64>>,
    wrong_clock: Option<Run<Clock>>,
    hours: Hours,
    stretches: Stretches,
}

/// A clock error, with its size in ms.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Clock {
    Ahead(i64),
    Behind(i64),
    Back(i64),
}

impl Checker {
    /// Creates a checker for the span from `from` (inclusive) to `to` (exclusive). `to` must not be in the future, because later values would count
    /// as missing.
    pub fn new(expectation: Expectation, from: Micros, to: Micros) -> Self {
        Self {
            expectation,
            from,
            to,
            is_coarse: false,
            values: 0,
            good: 0,
            bad: 0,
            late: 0,
            clock: 0,
            outside: 0,
            covered_ms: 0,
            flat_ms: 0,
            longest_gap_ms: None,
            received_until: None,
            known: None,
            previous: None,
            flat: None,
            quality: None,
            limit: None,
            wrong_clock: None,
            hours: Hours::default(),
            stretches: Stretches::default(),
        }
    }

    /// Processes the next value. A value outside of the span, or not later than the previous one, is ignored.
    pub fn take(&mut self, value: &Value) {
        if value.at < self.from || value.at >= self.to || self.previous.is_some_and(|previous| value.at <= previous.at) {
            return;
        }
        self.values += 1;
        self.gap(value.at);
        self.received_until = Some(value.at);
        let counts = value.value.filter(|_| value.quality < Quality::Stale);
        let is_bad = value.quality >= Quality::Questionable || value.value.is_none();
        self.bad += u64::from(is_bad);
        self.quality(value.at, value.at, is_bad.then_some(value.quality));
        if let Some(number) = counts {
            self.good += u64::from(!is_bad);
            self.cover(value.at);
            self.number(value.at, value.at, (number, number), value.hour);
        } else {
            self.end_flat();
        }
        self.clock(value);
        self.previous = Some(*value);
    }

    /// Processes the next bucket of a rollup, `width_ms` long, where single values are not stored any more.
    pub fn take_bucket(&mut self, at: Micros, width_ms: i64, bucket: &Bucket, hour: u8) {
        let end = at.plus_millis(width_ms).min(self.to);
        // The first bucket may start before the span.
        let at = at.max(self.from);
        if at >= end || bucket.n <= 0 || self.received_until.is_some_and(|received_until| at < received_until) {
            return;
        }
        self.is_coarse = true;
        self.values += bucket.n.unsigned_abs();
        self.gap(at);
        self.received_until = Some(end);
        let bad = (bucket.n - bucket.n_good).max(0).unsigned_abs();
        self.bad += bad;
        self.good += bucket.n_good.max(0).unsigned_abs();
        self.quality(at, end, (bucket.worst >= Quality::Questionable).then_some(bucket.worst));
        let width_ms = end.millis_since(at);
        let expected_ms = self.expectation.expected_ms.unwrap_or(width_ms);
        self.covered_ms += bucket.n_good.saturating_mul(expected_ms).clamp(0, width_ms.max(expected_ms));
        match bucket.min.zip(bucket.max) {
            Some(numbers) => self.number(at, end, numbers, hour),
            None => self.end_flat(),
        }
    }

    /// Ends the span and returns the result.
    pub fn finish(mut self) -> Report {
        self.gap(self.to);
        if !self.is_coarse {
            self.cover_to_the_end();
        }
        self.end_flat();
        self.quality(self.to, self.to, None);
        self.limit(self.to, self.to, None);
        self.end_clock();
        let resolution = 10f64.powi(-i32::from(self.expectation.decimals));
        let outliers = std::mem::take(&mut self.hours).outliers(resolution);
        self.report_outliers(&outliers);
        let span_ms = self.to.millis_since(self.from);
        let share = |part: i64| (part as f64 / span_ms.max(1) as f64).clamp(0.0, 1.0);
        let completeness = self.expectation.expected_ms.filter(|_| span_ms > 0).map(|_| share(self.covered_ms));
        // For a point that reports by exception, missing values cannot be detected. The share of good values is used instead.
        let of_values = (self.values > 0).then(|| self.good as f64 / self.values as f64);
        let wrong = outliers.len() as u64 + self.outside + self.clock;
        let wrong = (WRONG_WEIGHT * wrong as f64 / self.values.max(1) as f64).min(1.0);
        let score = completeness.or(of_values).map(|there| 100.0 * there * (1.0 - share(self.flat_ms)) * (1.0 - wrong));
        let single = |count: u64| (!self.is_coarse).then_some(count);
        Report {
            completeness: completeness.map(|share| share * 100.0),
            values: self.values,
            gaps: self.expectation.expected_ms.map(|_| self.stretches.count(AnomalyKind::Gap)),
            longest_gap_ms: self.longest_gap_ms,
            flat_lines: self.stretches.count(AnomalyKind::Flat),
            outliers: outliers.len() as u64,
            bad_quality: self.bad,
            clock_errors: single(self.clock),
            late: single(self.late),
            out_of_limits: self.outside,
            score,
            cut: 0,
            stretches: Vec::new(),
        }
        .with(self.stretches)
    }

    /// Records a gap if nothing was received for too long before `at`.
    fn gap(&mut self, at: Micros) {
        let since = self.received_until.unwrap_or(self.from);
        let gap_ms = at.millis_since(since);
        if self.expectation.gap_ms().is_some_and(|limit| gap_ms > limit) {
            self.longest_gap_ms = self.longest_gap_ms.max(Some(gap_ms));
            self.stretches.put(Stretch { kind: AnomalyKind::Gap, from: since, to: at, note: "no value".to_owned() });
            self.end_flat();
            self.quality(since, since, None);
            self.limit(since, since, None);
        }
    }

    /// Records the coverage of a usable value: the time since the previous one, or one reporting interval if more time has passed.
    fn cover(&mut self, at: Micros) {
        if let Some(expected_ms) = self.expectation.expected_ms {
            // Before the first usable value, the span is not covered.
            self.covered_ms += match self.known {
                Some(known) => covered(at.millis_since(known), expected_ms, expected_ms),
                None => covered(at.millis_since(self.from), expected_ms, 0),
            };
        }
        self.known = Some(at);
    }

    fn cover_to_the_end(&mut self) {
        if let (Some(known), Some(expected_ms)) = (self.known, self.expectation.expected_ms) {
            self.covered_ms += covered(self.to.millis_since(known), expected_ms, expected_ms);
        }
    }

    /// Checks a number, or the smallest and largest number of a bucket.
    fn number(&mut self, at: Micros, end: Micros, (low, high): (f64, f64), hour: u8) {
        let possible =
            self.expectation.range.is_none_or(|(least, most)| low >= least && high <= most) && low.is_finite() && high.is_finite();
        let beyond = if self.expectation.range.is_some_and(|(least, _)| low < least) { low } else { high };
        self.outside += u64::from(!possible);
        self.limit(at, end, (!possible).then_some(beyond));
        let rests = self.expectation.rests_at.is_some_and(|rests| low.abs() <= rests && high.abs() <= rests);
        if possible && !rests && self.expectation.scatters {
            self.hours.take(hour, at, low);
            if high > low {
                self.hours.take(hour, at, high);
            }
        }
        match &mut self.flat {
            Some(flat) if same(flat.what, low) && same(low, high) => {
                flat.to = end;
                flat.values += 1;
            }
            _ => {
                self.end_flat();
                self.flat = (same(low, high) && !rests).then_some(Run { what: low, from: at, to: end, values: 1 });
            }
        }
    }

    fn end_flat(&mut self) {
        let Some(flat) = self.flat.take() else { return };
        let length = flat.to.millis_since(flat.from);
        if self.expectation.flat_after_ms.is_some_and(|after| length > after) && flat.values >= FLAT_VALUES {
            self.flat_ms += length;
            let note = format!("stays at {:.*}", usize::from(self.expectation.decimals), flat.what);
            self.stretches.put(Stretch { kind: AnomalyKind::Flat, from: flat.from, to: flat.to, note });
        }
    }

    fn quality(&mut self, at: Micros, end: Micros, bad: Option<Quality>) {
        match (&mut self.quality, bad) {
            (Some(run), Some(quality)) => {
                run.what = run.what.worst(quality);
                run.to = end;
                run.values += 1;
            }
            (None, Some(quality)) => self.quality = Some(Run { what: quality, from: at, to: end, values: 1 }),
            (Some(run), None) => {
                let word = match run.what {
                    Quality::Good | Quality::Substituted => "no number",
                    Quality::Questionable => "questionable",
                    Quality::Stale => "stale",
                    Quality::Invalid => "invalid",
                    Quality::CommLost => "communication lost",
                    Quality::Never => "never received",
                };
                // The stretch ends at the next good value: until then no better value was known.
                let stretch = Stretch { kind: AnomalyKind::Quality, from: run.from, to: at.max(run.to), note: word.to_owned() };
                self.stretches.put(stretch);
                self.quality = None;
            }
            (None, None) => {}
        }
    }

    fn limit(&mut self, at: Micros, end: Micros, beyond: Option<f64>) {
        match (&mut self.limit, beyond) {
            (Some(run), Some(_)) => {
                run.to = end;
                run.values += 1;
            }
            (None, Some(value)) => self.limit = Some(Run { what: value, from: at, to: end, values: 1 }),
            (Some(run), None) => {
                let note = format!("{:.*} cannot be", usize::from(self.expectation.decimals), run.what);
                self.stretches.put(Stretch { kind: AnomalyKind::Limit, from: run.from, to: run.to, note });
                self.limit = None;
            }
            (None, None) => {}
        }
    }

    /// Checks the device's clock by the times of a value.
    fn clock(&mut self, value: &Value) {
        let delay = value.received.millis_since(value.at);
        let since = self.previous.map(|previous| (value.at.millis_since(previous.at), value.received.millis_since(previous.received)));
        // Buffered values arrive all at once. Values that arrive one by one and are always late show a slow clock.
        let one_by_one = since.is_some_and(|(measured, received)| received * 2 >= measured);
        let before_was_behind = self.previous.is_some_and(|previous| previous.received.millis_since(previous.at) > LATE_MS);
        let wrong = if -delay > AHEAD_MS {
            Some(Clock::Ahead(-delay))
        } else if delay > LATE_MS && one_by_one && before_was_behind {
            Some(Clock::Behind(delay))
        } else {
            // By its source time the value was received before its predecessor, and before it was measured: the clock was ahead and has been set
            // back.
            let back = since.map(|(_, received)| -received).filter(|back| *back > BACK_MS && delay < 0);
            back.map(Clock::Back)
        };
        self.late += u64::from(delay > LATE_MS && !matches!(wrong, Some(Clock::Behind(_))));
        self.clock += u64::from(wrong.is_some());
        let joins = |run: &Run<Clock>| wrong.is_some_and(|wrong| std::mem::discriminant(&run.what) == std::mem::discriminant(&wrong));
        match (&mut self.wrong_clock, wrong) {
            (Some(run), Some(wrong)) if joins(run) => {
                run.to = value.at;
                run.values += 1;
                run.what = run.what.larger(wrong);
            }
            (_, wrong) => {
                self.end_clock();
                self.wrong_clock = wrong.map(|what| Run { what, from: value.at, to: value.at, values: 1 });
            }
        }
    }

    fn end_clock(&mut self) {
        let Some(run) = self.wrong_clock.take() else { return };
        let seconds = |ms: i64| ms as f64 / 1_000.0;
        let note = match run.what {
            Clock::Ahead(ms) => format!("clock ahead by {:.1} s", seconds(ms)),
            Clock::Behind(ms) => format!("clock behind by {:.1} s", seconds(ms)),
            Clock::Back(ms) => format!("clock set back by {:.1} s", seconds(ms)),
        };
        self.stretches.put(Stretch { kind: AnomalyKind::Clock, from: run.from, to: run.to, note });
    }

    fn report_outliers(&mut self, outliers: &[Outlier]) {
        let together = self.expectation.gap_ms().unwrap_or(TOGETHER_MS);
        let decimals = usize::from(self.expectation.decimals);
        for part in outliers.chunk_by(|a, b| b.at.millis_since(a.at) <= together) {
            let far = |outlier: &&Outlier| (outlier.value - outlier.usual).abs();
            let farthest = part.iter().max_by(|a, b| far(a).total_cmp(&far(b)));
            if let (Some(first), Some(last), Some(outlier)) = (part.first(), part.last(), farthest) {
                let note = format!("{:.*}, usual {:.*}", decimals, outlier.value, decimals, outlier.usual);
                self.stretches.put(Stretch { kind: AnomalyKind::Outlier, from: first.at, to: last.at, note });
            }
        }
    }
}

impl Clock {
    /// Returns the same error with the larger of both sizes.
    fn larger(self, other: Self) -> Self {
        match (self, other) {
            (Self::Ahead(a), Self::Ahead(b)) => Self::Ahead(a.max(b)),
            (Self::Behind(a), Self::Behind(b)) => Self::Behind(a.max(b)),
            (Self::Back(a), Self::Back(b)) => Self::Back(a.max(b)),
            _ => self,
        }
    }
}

impl Report {
    fn with(mut self, stretches: Stretches) -> Self {
        (self.stretches, self.cut) = stretches.longest_stretches();
        self
    }
}

/// Returns how much of the time between two values is covered: the whole time if it is at most 1.5 reporting intervals, otherwise `otherwise`.
fn covered(between_ms: i64, expected_ms: i64, otherwise: i64) -> i64 {
    if between_ms.saturating_mul(2) <= expected_ms.saturating_mul(3) { between_ms.max(0) } else { otherwise }
}

/// Whether two values are bitwise equal.
fn same(a: f64, b: f64) -> bool {
    a.total_cmp(&b).is_eq()
}
