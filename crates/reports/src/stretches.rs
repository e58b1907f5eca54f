//! Finds the stretches of time in which a value is beyond a limit, from its buckets in chronological order. Pure functions.

use std::time::Duration;

use grid::alarm::{AlarmKind, Rule};
use grid::downsample::Bucket;
use grid::{Micros, Quality};

use crate::link_losses::LinkLosses;

/// Returns whether a rule has an upper (`true`) or a lower limit; `None` if it has no limit.
pub(crate) fn is_above(rule: &Rule) -> Option<bool> {
    match rule.kind {
        AlarmKind::High | AlarmKind::HighHigh => Some(true),
        AlarmKind::Low | AlarmKind::LowLow => Some(false),
        AlarmKind::State
        | AlarmKind::Trip
        | AlarmKind::Opened
        | AlarmKind::Infeed
        | AlarmKind::Command
        | AlarmKind::Comm
        | AlarmKind::Data => None,
    }
}

/// Returns the value that is farther beyond the limit.
pub(crate) fn farther(kind: AlarmKind, a: f64, b: f64) -> f64 {
    if matches!(kind, AlarmKind::Low | AlarmKind::LowLow) { a.min(b) } else { a.max(b) }
}

/// A stretch of time beyond a limit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stretch {
    pub rule: Rule,
    pub from: Micros,
    /// The end; `None` if it continues after the end of the span.
    pub to: Option<Micros>,
    /// The duration within the span.
    pub lasted: Duration,
    /// The value farthest beyond the limit.
    pub extreme: f64,
    /// The worst quality of its values; `None` if all of them are from before the span.
    pub quality: Option<Quality>,
}

/// How long a value is valid.
#[derive(Debug, Clone)]
pub(crate) enum Holding {
    /// For this time, ms, at most until the next value.
    For(i64),
    /// Until the next value, while its link is online.
    WhileOnline(LinkLosses),
}

#[derive(Debug, Clone, Copy)]
struct Open {
    from: Micros,
    /// The end of the known values.
    known: Micros,
    extreme: f64,
    quality: Option<Quality>,
}

/// The last value of a point that reports by exception, after a bucket.
#[derive(Debug, Clone, Copy)]
struct LastValue {
    measured: Micros,
    value: f64,
    quality: Option<Quality>,
}

/// Applies one rule of one point to buckets in chronological order.
#[derive(Debug)]
pub(crate) struct Tracker {
    rule: Rule,
    is_above: bool,
    holding: Holding,
    begin: Micros,
    open: Option<Open>,
    stands: Option<LastValue>,
}

impl Tracker {
    /// Creates a tracker; `None` for a rule without a limit.
    pub(crate) fn new(rule: Rule, holding: Holding) -> Option<Self> {
        Some(Self { is_above: is_above(&rule)?, rule, holding, begin: Micros(i64::MIN), open: None, stands: None })
    }

    /// Sets the last value before the span, which is still valid at its start. If it is within the deadband, it is unknown whether the limit was exceeded
    /// before. In this case it is assumed that it was not.
    pub(crate) fn begin(&mut self, begin: Micros, (measured, value): (Micros, f64)) {
        self.begin = begin;
        let known = match self.holding {
            Holding::For(_) => measured,
            Holding::WhileOnline(_) => {
                self.stands = Some(LastValue { measured, value, quality: None });
                begin
            }
        };
        self.open = self.is_beyond(value, 0.0).then_some(Open { from: begin, known, extreme: value, quality: None });
    }

    /// Returns the value of a bucket that is farthest in the direction of the limit.
    fn figure(&self, bucket: &Bucket) -> Option<f64> {
        if self.is_above { bucket.max } else { bucket.min }
    }

    fn is_beyond(&self, figure: f64, deadband: f64) -> bool {
        let limit = self.rule.limit.unwrap_or(f64::NAN);
        if self.is_above { figure > limit - deadband } else { figure < limit + deadband }
    }

    fn deadband(&self) -> f64 {
        if self.open.is_some() { self.rule.deadband } else { 0.0 }
    }

    /// Returns whether the buckets within a day must be checked.
    pub(crate) fn concerns(&self, day: &Bucket) -> bool {
        // For a point that reports by exception, an invalid value ends the stretch.
        let ends = self.open.is_some() && matches!(self.holding, Holding::WhileOnline(_)) && day.n_good < day.n;
        ends || self.figure(day).is_some_and(|figure| self.is_beyond(figure, self.deadband()))
    }

    /// Ends the open stretch. Time before the span is not reported.
    fn close(&mut self, to: Option<Micros>, end: Micros) -> Option<Stretch> {
        let open = self.open.take()?;
        let us = to.unwrap_or(end).0.saturating_sub(open.from.0);
        (us > 0).then(|| Stretch {
            rule: self.rule.clone(),
            from: open.from,
            to,
            lasted: Duration::from_micros(us.unsigned_abs()),
            extreme: open.extreme,
            quality: open.quality,
        })
    }

    /// Processes a time without values, up to an instant.
    fn until(&mut self, at: Micros, found: &mut Vec<Stretch>) {
        let Some(open) = self.open else { return };
        match &self.holding {
            Holding::For(ms) => {
                if at.millis_since(open.known) > *ms {
                    found.extend(self.close(Some(open.known), at));
                }
            }
            Holding::WhileOnline(link_losses) => {
                let Some(stands) = self.stands.filter(|stands| self.is_beyond(stands.value, self.rule.deadband)) else {
                    // The value returned within the last bucket, unless the next bucket follows at once.
                    if open.known < at {
                        found.extend(self.close(Some(open.known), at));
                    }
                    return;
                };
                let losses: Vec<_> = link_losses.behind(stands.measured).take_while(|(lost, _)| *lost < at).collect();
                let is_anew = self.is_beyond(stands.value, 0.0);
                for (lost, back) in losses {
                    found.extend(self.close(Some(lost), at));
                    self.open = back.filter(|back| is_anew && *back < at).map(|back| {
                        let from = back.max(self.begin);
                        Open { from, known: from, extreme: stands.value, quality: stands.quality }
                    });
                }
            }
        }
    }

    /// Processes the next bucket and the last value in it. Returns the stretches that it ends.
    pub(crate) fn step(&mut self, (start, end): (Micros, Micros), bucket: &Bucket, last: Option<(Micros, f64)>) -> Vec<Stretch> {
        let mut found = Vec::new();
        let is_while_online = matches!(self.holding, Holding::WhileOnline(_));
        let figure = self.figure(bucket);
        if figure.is_none() && !is_while_online {
            return found;
        }
        self.until(start, &mut found);
        match figure.filter(|figure| self.is_beyond(*figure, self.deadband())) {
            Some(figure) => {
                let before = self.open.unwrap_or(Open { from: start, known: end, extreme: figure, quality: None });
                self.open = Some(Open {
                    known: end,
                    extreme: farther(self.rule.kind, before.extreme, figure),
                    quality: Some(before.quality.map_or(bucket.worst, |quality| quality.worst(bucket.worst))),
                    ..before
                });
            }
            None => found.extend(self.close(Some(start), start)),
        }
        if is_while_online {
            self.stands = last.map(|(measured, value)| LastValue { measured, value, quality: Some(bucket.worst) });
        }
        found
    }

    /// Returns the stretches at the end of the span.
    pub(crate) fn finish(&mut self, end: Micros) -> Vec<Stretch> {
        let mut found = Vec::new();
        self.until(end, &mut found);
        found.extend(self.close(None, end));
        found
    }
}

#[cfg(test)]
mod tests {
    use grid::PointId;
    use grid::downsample::MINUTE_MS;
    use grid::link::Change;

    use super::*;

    fn minute(minute: i64) -> Micros {
        Micros::from_millis(minute * MINUTE_MS)
    }

    fn rule(kind: AlarmKind, limit: f64, deadband: f64) -> Rule {
        Rule {
            point: PointId(1),
            kind,
            enabled: true,
            limit: Some(limit),
            deadband,
            state_value: None,
            on_delay_s: 0,
            off_delay_s: 0,
            priority: 1,
            text: String::new(),
        }
    }

    fn always() -> Holding {
        Holding::WhileOnline(LinkLosses::default())
    }

    type StretchSummary = (i64, Option<i64>, u64, f64);

    fn summaries(stretches: &[Stretch]) -> Vec<StretchSummary> {
        let at = |at: Micros| at.millis() / MINUTE_MS;
        stretches.iter().map(|s| (at(s.from), s.to.map(at), s.lasted.as_secs() / 60, s.extreme)).collect()
    }

    /// Returns the stretches of single values by minute; an absent value is invalid.
    fn stretches(rule: Rule, holding: Holding, lasting: Option<(i64, f64)>, values: &[(i64, Option<f64>)], end: i64) -> Vec<Stretch> {
        let mut tracker = Tracker::new(rule, holding).expect("a limit");
        if let Some((at, value)) = lasting {
            tracker.begin(minute(0), (minute(at), value));
        }
        let mut stretches: Vec<Stretch> = Vec::new();
        for (at, value) in values {
            let bucket = Bucket::of(minute(*at), *value, if value.is_some() { Quality::Good } else { Quality::Invalid });
            stretches.extend(tracker.step((minute(*at), minute(at + 1)), &bucket, bucket.lasting()));
        }
        stretches.extend(tracker.finish(minute(end)));
        stretches
    }

    /// Returns start, end, minutes and extreme.
    fn found(rule: Rule, holding: Holding, values: &[(i64, f64)], end: i64) -> Vec<StretchSummary> {
        let values: Vec<_> = values.iter().map(|(at, value)| (*at, Some(*value))).collect();
        summaries(&stretches(rule, holding, None, &values, end))
    }

    #[test]
    fn a_stretch_ends_behind_the_deadband_where_values_end_or_not_at_all() {
        let high = || rule(AlarmKind::High, 400.0, 20.0);
        let values = [(0, 390.0), (1, 410.0), (2, 450.0), (3, 390.0), (4, 379.0), (5, 390.0), (6, 401.0)];
        assert_eq!(found(high(), Holding::For(120_000), &values, 7), [(1, Some(4), 3, 450.0), (6, None, 1, 401.0)]);
        // No values from minute 2 to 9: a value that is valid for three minutes does not cover eight.
        assert_eq!(
            found(high(), Holding::For(180_000), &[(1, 410.0), (9, 420.0), (10, 300.0)], 11),
            [(1, Some(2), 1, 410.0), (9, Some(10), 1, 420.0)]
        );
        // By exception the value is valid until the next one.
        assert_eq!(found(high(), always(), &[(1, 410.0), (9, 420.0), (10, 300.0)], 11), [(1, Some(10), 9, 420.0)]);
        assert_eq!(found(high(), Holding::For(60_000), &[(1, 410.0)], 9), [(1, Some(2), 1, 410.0)]);
        let low = rule(AlarmKind::Low, 10.0, 0.5);
        assert_eq!(found(low, always(), &[(1, 9.9), (2, 9.0), (3, 10.4), (4, 10.5)], 5), [(1, Some(4), 3, 9.0)]);
    }

    #[test]
    fn what_held_before_the_span_opens_it() {
        let of = |holding: Holding, lasting: (i64, f64), values: &[(i64, Option<f64>)]| {
            stretches(rule(AlarmKind::High, 400.0, 20.0), holding, Some(lasting), values, 60)
        };
        let all = of(always(), (-9, 450.0), &[(20, Some(300.0))]);
        assert_eq!((summaries(&all), all[0].quality), (vec![(0, Some(20), 20, 450.0)], None));
        let all = of(always(), (-9, 410.0), &[(20, Some(430.0))]);
        assert_eq!((summaries(&all), all[0].quality), (vec![(0, None, 60, 430.0)], Some(Quality::Good)));
        assert_eq!(summaries(&of(always(), (-9, 450.0), &[])), [(0, None, 60, 450.0)]);
        assert_eq!(summaries(&of(always(), (-9, 390.0), &[])), [], "within the deadband");
        assert_eq!(
            summaries(&of(always(), (-9, 450.0), &[(20, None), (30, Some(300.0))])),
            [(0, Some(20), 20, 450.0)],
            "not valid any more"
        );
        // Values ten minutes apart; the first one in the span is missing.
        let holding = || Holding::For(30 * MINUTE_MS);
        assert_eq!(summaries(&of(holding(), (-9, 450.0), &[(11, Some(300.0))])), [(0, Some(11), 11, 450.0)]);
        assert_eq!(summaries(&of(holding(), (-9, 450.0), &[(25, Some(450.0)), (26, Some(300.0))])), [(25, Some(26), 1, 450.0)]);
        assert_eq!(summaries(&of(holding(), (-9, 450.0), &[])), [], "heard last before the span");
    }

    #[test]
    fn violation_ends_when_the_link_is_lost() {
        let lost = |changes: &[(i64, bool)]| {
            let changes: Vec<Change> = changes.iter().map(|(at, holds)| Change { at: minute(*at), holds: Some(*holds) }).collect();
            Holding::WhileOnline(LinkLosses::of(&changes))
        };
        let of = |changes: &[(i64, bool)], lasting: Option<(i64, f64)>, values: &[(i64, Option<f64>)]| {
            summaries(&stretches(rule(AlarmKind::High, 400.0, 20.0), lost(changes), lasting, values, 60))
        };
        assert_eq!(of(&[(30, false)], None, &[(10, Some(450.0))]), [(10, Some(30), 20, 450.0)]);
        let back = [(30, false), (40, true)];
        assert_eq!(of(&back, None, &[(10, Some(450.0)), (50, Some(300.0))]), [(10, Some(30), 20, 450.0), (40, Some(50), 10, 450.0)]);
        // It was within the deadband when the link was lost, so afterwards it is not known to be beyond the limit.
        assert_eq!(of(&back, None, &[(10, Some(450.0)), (20, Some(390.0))]), [(10, Some(30), 20, 450.0)]);
        // A value that was measured during the loss arrived later, so nothing was missed before it.
        assert_eq!(of(&back, None, &[(10, Some(450.0)), (35, Some(460.0))]), [(10, Some(30), 20, 450.0), (35, None, 25, 460.0)]);
        let dead = (-30, 450.0);
        assert_eq!(of(&[(-9, false)], Some(dead), &[]), [], "lost before the span");
        assert_eq!(of(&[(-9, false), (5, true)], Some(dead), &[]), [(5, None, 55, 450.0)]);
        assert_eq!(of(&[(5, false), (9, true), (20, false)], Some(dead), &[]), [(0, Some(5), 5, 450.0), (9, Some(20), 11, 450.0)]);
    }

    #[test]
    fn what_was_over_within_a_bucket_does_not_go_on() {
        let mut bucket = Bucket::of(minute(1), Some(450.0), Quality::Good);
        bucket.merge(&Bucket::of(minute(1).plus_millis(20_000), Some(300.0), Quality::Good));
        let step = |tracker: &mut Tracker, at: i64| tracker.step((minute(at), minute(at + 1)), &bucket, bucket.lasting());
        let tracker = || Tracker::new(rule(AlarmKind::High, 400.0, 20.0), always()).expect("a limit");
        let mut once = tracker();
        assert_eq!((step(&mut once, 1), summaries(&once.finish(minute(60)))), (vec![], vec![(1, Some(2), 1, 450.0)]));
        // Two consecutive minutes are one stretch.
        let mut twice = tracker();
        assert_eq!((step(&mut twice, 1), step(&mut twice, 2)), (vec![], vec![]));
        assert_eq!(summaries(&twice.finish(minute(60))), [(1, Some(3), 2, 450.0)]);
    }
}
