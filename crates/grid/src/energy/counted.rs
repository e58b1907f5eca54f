//! The energy that a register counted in each of consecutive units of time.

use crate::Micros;
use crate::downsample::Bucket;
use crate::register::{Bound, Step};

/// The amount that a register counted in a unit of time, in the register's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Counted {
    /// The amount is known for the whole unit.
    Known(f64),
    /// As `Known`, but a reading within the unit was refused, because the rating does not allow it.
    Corrected(f64),
    /// The register was reset in the unit.
    Reset,
    /// The register made a step in the unit that its rating does not allow.
    Refused,
    /// A gap between readings is too long, or there are no readings.
    Unknown,
}

impl Counted {
    /// Returns the amount if it is known.
    pub fn known(self) -> Option<f64> {
        match self {
            Self::Known(counted) | Self::Corrected(counted) => Some(counted),
            Self::Reset | Self::Refused | Self::Unknown => None,
        }
    }

    /// Returns whether a reading was refused.
    pub fn has_refused(self) -> bool {
        matches!(self, Self::Corrected(_) | Self::Refused)
    }
}

/// Computes the amount that a register counted in each unit between `edges`. `edges` has one more entry than `cells`; `before` is the last reading before the
/// first unit. Between two readings that are at most `gap_max_ms` apart, the register is assumed to count evenly. So an amount across an edge is divided
/// between both units. The amount of a longer gap belongs to no unit. The last unit is known only if there is a reading after it, so request one unit more than
/// needed. A falling register has rolled over or was reset ([`crate::register::difference`]). A step beyond `bound` is refused.
pub fn counted(
    before: Option<(Micros, f64)>,
    cells: &[Option<Bucket>],
    edges: &[Micros],
    gap_max_ms: i64,
    bound: &Bound<'_>,
) -> Vec<Counted> {
    let none = || vec![false; cells.len()];
    let (sums, known) = (vec![0.0; cells.len()], vec![0; cells.len()]);
    let mut course = Course { edges, sums, known, resets: none(), refused: none(), corrected: none() };
    let mut last = before;
    for (unit, bucket) in cells.iter().enumerate() {
        let Some((bucket, first, end)) = bucket.as_ref().and_then(|bucket| Some((bucket, bucket.first?, bucket.last?))) else { continue };
        if let Some(last) = last {
            // A reset during a gap is reported in the unit of the first reading after it.
            let since = if first.0.millis_since(last.0) <= gap_max_ms { course.unit_of(last.0) } else { unit };
            match Step::between(last, first, bound) {
                Step::Counted(amount) | Step::Corrected(amount) if first.0.millis_since(last.0) <= gap_max_ms => {
                    course.spread(last.0, first.0, amount);
                }
                Step::Counted(_) | Step::Corrected(_) => {}
                Step::Reset => course.resets[since..=unit].fill(true),
                Step::Refused => course.refused[since..=unit].fill(true),
            }
        }
        match Step::within(bucket, bound) {
            Some(Step::Counted(amount)) => course.add(unit, (first.0, end.0), amount),
            Some(Step::Corrected(amount)) => {
                course.add(unit, (first.0, end.0), amount);
                course.corrected[unit] = true;
            }
            Some(Step::Refused) => course.refused[unit] = true,
            Some(Step::Reset) | None => course.resets[unit] = true,
        }
        last = Some(end);
    }
    let unit = |(unit, sum): (usize, f64)| {
        let whole = edges.get(unit + 1).zip(edges.get(unit)).map(|(end, start)| end.0 - start.0);
        match whole {
            // What is a reset to one step and implausible to the next was a misread.
            _ if course.refused[unit] => Counted::Refused,
            _ if course.resets[unit] => Counted::Reset,
            Some(whole) if whole > 0 && course.known[unit] >= whole && course.corrected[unit] => Counted::Corrected(sum),
            Some(whole) if whole > 0 && course.known[unit] >= whole => Counted::Known(sum),
            _ => Counted::Unknown,
        }
    };
    course.sums.iter().copied().enumerate().map(unit).collect()
}

struct Course<'a> {
    edges: &'a [Micros],
    sums: Vec<f64>,
    /// Known time of each unit, µs.
    known: Vec<i64>,
    resets: Vec<bool>,
    refused: Vec<bool>,
    corrected: Vec<bool>,
}

impl Course<'_> {
    /// Adds an amount that was counted within a unit.
    fn add(&mut self, unit: usize, (from, to): (Micros, Micros), amount: f64) {
        self.sums[unit] += amount;
        self.known[unit] += to.0 - from.0;
    }

    /// Returns the unit of an instant; the first unit for an instant before it.
    fn unit_of(&self, at: Micros) -> usize {
        self.edges.partition_point(|edge| *edge <= at).saturating_sub(1).min(self.sums.len().saturating_sub(1))
    }

    /// Distributes an amount evenly between two instants.
    fn spread(&mut self, from: Micros, to: Micros, amount: f64) {
        let length = to.0 - from.0;
        for unit in self.unit_of(from)..self.sums.len() {
            let (Some(start), Some(end)) = (self.edges.get(unit), self.edges.get(unit + 1)) else { return };
            if *start >= to {
                return;
            }
            let inside = to.min(*end).0 - from.max(*start).0;
            if inside > 0 && length > 0 {
                self.sums[unit] += amount * inside as f64 / length as f64;
                self.known[unit] += inside;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Counted::{Corrected, Known, Refused, Reset, Unknown};
    use super::*;
    use crate::Quality;
    use crate::register::ConfirmedStep;

    /// Readings (seconds, value) in units of one minute.
    fn of(readings: &[(i64, f64)], units: i64, gap_s: i64) -> Vec<Counted> {
        bounded(readings, units, gap_s, &Bound::NONE)
    }

    fn bounded(readings: &[(i64, f64)], units: i64, gap_s: i64, bound: &Bound<'_>) -> Vec<Counted> {
        let edges: Vec<Micros> = (0..=units).map(|unit| Micros(unit * 60_000_000)).collect();
        let mut cells: Vec<Option<Bucket>> = vec![None; units as usize];
        let mut before = None;
        for (second, value) in readings {
            let at = Micros(second * 1_000_000);
            if *second < 0 {
                before = Some((at, *value));
                continue;
            }
            let one = Bucket::of(at, Some(*value), Quality::Good);
            let cell = &mut cells[(second / 60) as usize];
            match cell {
                Some(cell) => cell.merge(&one),
                None => *cell = Some(one),
            }
        }
        counted(before, &cells, &edges, gap_s * 1_000, bound)
    }

    #[test]
    fn what_is_counted_across_an_edge_is_shared() {
        assert_eq!(of(&[(-20, 0.0), (40, 60.0), (100, 120.0), (160, 180.0)], 3, 60), [Known(60.0), Known(60.0), Unknown]);
        assert_eq!(of(&[(0, 5.0), (60, 8.0), (120, 8.0)], 3, 60), [Known(3.0), Known(0.0), Unknown], "read at the edges");
        assert_eq!(of(&[(30, 5.0), (90, 8.0)], 2, 60), [Unknown, Unknown], "what was before the first reading and behind the last");
        assert_eq!(of(&[], 2, 60), [Unknown, Unknown]);
    }

    #[test]
    fn a_gap_belongs_to_no_unit_and_a_short_one_to_all_that_it_touches() {
        let readings = [(0, 0.0), (60, 10.0), (300, 50.0), (360, 60.0)];
        assert_eq!(of(&readings, 7, 60), [Known(10.0), Unknown, Unknown, Unknown, Unknown, Known(10.0), Unknown]);
        assert_eq!(of(&readings, 7, 240)[..6], [Known(10.0); 6]);
    }

    #[test]
    fn a_rollover_is_followed_and_a_register_set_anew_is_told() {
        assert_eq!(of(&[(0, 9_990.0), (30, 9_998.0), (60, 4.0), (120, 14.0)], 3, 60)[..2], [Known(14.0), Known(10.0)], "between two units");
        assert_eq!(of(&[(0, 9_990.0), (20, 9_998.0), (40, 4.0), (60, 6.0)], 2, 60)[0], Known(16.0), "within one");
        assert_eq!(of(&[(0, 500.0), (30, 505.0), (60, 1.0), (120, 2.0), (180, 3.0)], 4, 60)[..3], [Reset, Reset, Known(1.0)]);
        assert_eq!(of(&[(0, 500.0), (20, 505.0), (40, 0.0), (60, 2.0), (120, 3.0)], 3, 60)[..2], [Reset, Known(1.0)]);
        assert_eq!(of(&[(0, 500.0), (60, 505.0), (240, 1.0), (300, 2.0)], 6, 60)[..5], [Known(5.0), Unknown, Unknown, Unknown, Reset]);
    }

    #[test]
    fn confirmed_step_is_counted_in_units_of_each_length() {
        let bound = Bound::new(600.0, 0);
        let readings = [(0, 100.0), (30, 103.0), (60, 106.0), (90, 50_109.0), (120, 50_112.0), (180, 50_118.0)];
        let confirmed = [ConfirmedStep { at: Micros(90_000_000), amount: 50_003.0 }];
        assert_eq!(bounded(&readings, 4, 60, &bound)[..2], [Known(6.0), Refused]);
        assert_eq!(bounded(&readings, 4, 60, &bound.confirming(&confirmed))[..2], [Known(6.0), Known(50_006.0)]);
        // The same readings in one unit: before it, and within it.
        let cell = readings.iter().map(|(at, value)| Bucket::of(Micros(at * 1_000_000), Some(*value), Quality::Good));
        let cell = cell.reduce(|mut all, next| {
            all.merge(&next);
            all
        });
        let edges = [Micros(0), Micros(180_000_000)];
        assert_eq!(counted(None, &[cell], &edges, 60_000, &bound), [Refused]);
        assert_eq!(counted(None, &[cell], &edges, 60_000, &bound.confirming(&confirmed)), [Known(50_018.0)]);
        let other = [ConfirmedStep { at: Micros(91_000_000), amount: 50_003.0 }];
        assert_eq!(bounded(&readings, 4, 60, &bound.confirming(&other))[1], Refused, "another step is confirmed");
    }

    #[test]
    fn misread_is_refused_and_not_counted() {
        // At most 10 a minute.
        let bound = Bound::new(600.0, 0);
        let known = |at: i64| 333_300.0 + at as f64 / 20.0;
        let course =
            |zero: i64| (0..26).map(|nth| nth * 10 - 5).map(|at| (at, if at == zero { 0.0 } else { known(at) })).collect::<Vec<_>>();
        assert_eq!(
            bounded(&course(85), 5, 60, &bound)[..4],
            [Known(3.0), Corrected(3.0), Known(3.0), Known(3.0)],
            "in the middle of a minute"
        );
        assert_eq!(bounded(&course(115), 5, 60, &bound)[..4], [Known(3.0), Refused, Refused, Known(3.0)], "at its end");
        assert!(matches!(of(&course(115), 5, 60)[2], Known(kwh) if kwh > 100_000.0), "without a bound the zero is energy");
    }
}
