//! Which partitions of a table to create and to drop.

use grid::Micros;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::{Error, Result};

/// Number of partitions that exist beyond the present one.
const AHEAD: usize = 4;
/// Largest number of partitions that are dropped at once, so that a clock that is ahead for a while cannot end the whole history.
const DROPPED_MAX: usize = 8;

/// The time that a partition covers. All begin at midnight, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// Seven days, from Monday.
    Week,
}

impl Width {
    /// Returns the start of the partition that contains a time.
    fn floor(self, at: Micros) -> Result<Micros> {
        let date = date(at)?;
        let first = match self {
            Self::Week => date.checked_sub(i64::from(date.weekday().to_monday_zero_offset()).days()),
        };
        midnight(first.map_err(out_of_range)?)
    }

    /// Returns the end of the partition that starts at a time.
    fn end(self, start: Micros) -> Result<Micros> {
        let next = match self {
            Self::Week => date(start)?.checked_add(7.days()),
        };
        midnight(next.map_err(out_of_range)?)
    }
}

/// A partition by range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Partition {
    /// Name of its table.
    pub name: String,
    /// Start, inclusive; `None` for the first partition, which contains all earlier times too.
    pub from: Option<Micros>,
    /// End, exclusive.
    pub to: Micros,
}

/// A change of the partitions of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Create a partition.
    Create {
        /// Start, inclusive; `None` for all earlier times.
        from: Option<Micros>,
        /// End, exclusive.
        to: Micros,
    },
    /// Drop the oldest partitions. An empty one takes their place, so that late values of their time can still be stored.
    Replace {
        /// Names of the dropped partitions.
        dropped: Vec<String>,
        /// End of the time that they covered.
        to: Micros,
    },
}

/// Returns the next step to partitions for the present time and [`AHEAD`] widths after it; `None` if nothing is to be done.
///
/// Partitions whose values are all from before `kept_since` are dropped. The first partition alone is not: it takes late values, and they go with
/// the next one. A gap is left alone; a value in it gets its own partition ([`containing`]). `existing` is in the order of time.
pub(crate) fn plan(existing: &[Partition], width: Width, now: Micros, kept_since: Option<Micros>) -> Result<Option<Step>> {
    let mut start = width.floor(now)?;
    if existing.is_empty() {
        return Ok(Some(Step::Create { from: None, to: start }));
    }
    for _ in 0..=AHEAD {
        if let Some(step) = containing(existing, width, start)? {
            return Ok(Some(step));
        }
        start = width.end(start)?;
    }
    let has_expired = |partition: &&Partition| kept_since.is_some_and(|since| partition.to <= since);
    let expired: Vec<&Partition> = existing.iter().take(DROPPED_MAX).take_while(has_expired).collect();
    Ok(match expired.last() {
        Some(last) if expired.len() > 1 || last.from.is_some() => {
            Some(Step::Replace { dropped: expired.iter().map(|partition| partition.name.clone()).collect(), to: last.to })
        }
        _ => None,
    })
}

/// Returns the step that creates the partition of a time, between its neighbours; `None` if there is one.
pub(crate) fn containing(existing: &[Partition], width: Width, at: Micros) -> Result<Option<Step>> {
    let is_of = |partition: &Partition| partition.from.is_none_or(|from| from <= at) && at < partition.to;
    if existing.iter().any(is_of) {
        return Ok(None);
    }
    let before = existing.iter().map(|partition| partition.to).filter(|to| *to <= at).max();
    let after = existing.iter().filter_map(|partition| partition.from).filter(|from| *from > at).min();
    let start = width.floor(at)?;
    let end = width.end(start)?;
    let to = after.map_or(end, |after| after.min(end));
    Ok(Some(match (before, after) {
        (Some(before), _) => Step::Create { from: Some(before.max(start)), to },
        // Earlier than all others.
        (None, Some(after)) => Step::Create { from: None, to: after },
        (None, None) => Step::Create { from: None, to },
    }))
}

/// Returns the name of a partition: that of its table and its start, or `before` and its end. Both are dates in UTC.
pub(crate) fn name(table: &str, from: Option<Micros>, to: Micros) -> Result<String> {
    let written = |at| Ok::<_, Error>(date(at)?.strftime("%Y%m%d").to_string());
    Ok(match from {
        Some(from) => format!("{table}_{}", written(from)?),
        None => format!("{table}_before_{}", written(to)?),
    })
}

fn date(at: Micros) -> Result<Date> {
    Ok(Timestamp::from_microsecond(at.0).map_err(out_of_range)?.to_zoned(TimeZone::UTC).date())
}

fn midnight(date: Date) -> Result<Micros> {
    Ok(Micros(date.to_zoned(TimeZone::UTC).map_err(out_of_range)?.timestamp().as_microsecond()))
}

#[expect(clippy::needless_pass_by_value, reason = "used with map_err")]
fn out_of_range(error: jiff::Error) -> Error {
    Error::Data(format!("a partition out of the range of dates: {error}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY: i64 = 86_400_000_000;

    fn at(date: &str) -> Micros {
        midnight(date.parse().expect("a date")).expect("in range")
    }

    fn partition(from: Option<&str>, to: &str) -> Partition {
        let (from, to) = (from.map(at), at(to));
        Partition { name: name("sample", from, to).expect("in range"), from, to }
    }

    fn create(from: Option<&str>, to: &str) -> Step {
        Step::Create { from: from.map(at), to: at(to) }
    }

    fn replace(dropped: &[&str], to: &str) -> Step {
        Step::Replace { dropped: dropped.iter().map(|&name| name.to_owned()).collect(), to: at(to) }
    }

    /// Applies a step as `maintain` does.
    fn apply(existing: &mut Vec<Partition>, step: &Step) {
        let (from, to) = match step {
            Step::Create { from, to } => (*from, *to),
            Step::Replace { dropped, to } => {
                existing.retain(|partition| !dropped.contains(&partition.name));
                (None, *to)
            }
        };
        let name = name("sample", from, to).expect("in range");
        assert!(existing.iter().all(|partition| partition.name != name), "{name} exists: {existing:?}");
        existing.push(Partition { name, from, to });
        existing.sort_by_key(|partition| partition.to);
    }

    /// Applies all steps. Returns them.
    fn maintain(existing: &mut Vec<Partition>, now: Micros, since: Option<Micros>) -> Vec<Step> {
        let mut steps = Vec::new();
        while let Some(step) = plan(existing, Width::Week, now, since).expect("in range") {
            apply(existing, &step);
            steps.push(step);
            assert!(steps.len() < 100, "{steps:?}");
        }
        steps
    }

    #[test]
    fn a_new_table_gets_the_past_the_present_and_four_ahead() {
        // A Thursday.
        let steps = maintain(&mut Vec::new(), at("2026-11-26"), None);
        let starts = ["2026-11-23", "2026-11-30", "2026-12-07", "2026-12-14", "2026-12-21", "2026-12-28"];
        let mut expected = vec![create(None, starts[0])];
        expected.extend(starts.windows(2).map(|pair| create(Some(pair[0]), pair[1])));
        assert_eq!(steps, expected);
    }

    #[test]
    fn expired_partitions_are_replaced_by_one_for_late_values() {
        let existing = [
            partition(None, "2026-08-03"),
            partition(Some("2026-08-03"), "2026-08-10"),
            partition(Some("2026-08-10"), "2026-08-17"),
            partition(Some("2026-08-17"), "2027-01-04"),
        ];
        let now = at("2026-11-26");
        let after = |since| plan(&existing, Width::Week, now, Some(at(since))).unwrap();
        assert_eq!(after("2026-08-09"), None, "the second is not wholly expired");
        assert_eq!(after("2026-08-10"), Some(replace(&["sample_before_20260803", "sample_20260803"], "2026-08-10")));
        let three = ["sample_before_20260803", "sample_20260803", "sample_20260810"];
        assert_eq!(after("2026-08-20"), Some(replace(&three, "2026-08-17")));
        assert_eq!(plan(&existing, Width::Week, now, None).unwrap(), None, "nothing expires without a retention");
    }

    #[test]
    fn at_most_eight_are_dropped_at_once() {
        let mut existing = vec![partition(None, "2026-01-05")];
        maintain(&mut existing, at("2026-01-05"), None);
        for week in 0..30 {
            maintain(&mut existing, Micros(at("2026-01-05").0 + week * 7 * DAY), None);
        }
        // A clock that is years ahead.
        let ahead = at("2030-01-01");
        maintain(&mut existing, ahead, None);
        let Some(Step::Replace { dropped, .. }) = plan(&existing, Width::Week, ahead, Some(at("2029-01-01"))).unwrap() else {
            panic!("nothing expires")
        };
        assert_eq!(dropped.len(), DROPPED_MAX);
    }

    #[test]
    fn a_time_in_a_gap_gets_its_week_between_its_neighbours() {
        let existing = [partition(Some("2026-10-05"), "2026-10-12"), partition(Some("2026-10-21"), "2027-01-04")];
        let of = |date| containing(&existing, Width::Week, at(date)).unwrap();
        assert_eq!(of("2026-10-13"), Some(create(Some("2026-10-12"), "2026-10-19")));
        assert_eq!(of("2026-10-20"), Some(create(Some("2026-10-19"), "2026-10-21")), "up to the next one");
        assert_eq!(of("2026-11-01"), None);
        assert_eq!(of("2026-01-01"), Some(create(None, "2026-10-05")), "earlier than all");
        assert_eq!(of("2030-01-01"), Some(create(Some("2029-12-31"), "2030-01-07")));
        assert_eq!(plan(&existing, Width::Week, at("2026-11-26"), None).unwrap(), None, "the gap is no work");
    }

    proptest! {
        #[test]
        fn nothing_kept_is_dropped_and_the_present_has_partitions(
            visits in prop::collection::vec((-100_i64..200, prop::option::of(7_i64..400), prop::option::of(-500_i64..500)), 1..20),
        ) {
            let (mut existing, mut now) = (Vec::new(), at("2026-01-01"));
            for (days, retention, value) in visits {
                now = Micros(now.0 + days * DAY);
                let since = retention.map(|days| Micros(now.0 - days * DAY));
                let before: Vec<Partition> = existing.clone();
                maintain(&mut existing, now, since);
                let gone = before.iter().filter(|partition| !existing.contains(partition));
                for partition in gone {
                    prop_assert!(since.is_some_and(|since| partition.to <= since));
                }
                if let Some(days) = value {
                    let at = Micros(now.0 + days * DAY);
                    if let Some(step) = containing(&existing, Width::Week, at).unwrap() {
                        apply(&mut existing, &step);
                    }
                    prop_assert_eq!(containing(&existing, Width::Week, at).unwrap(), None);
                }
                for pair in existing.windows(2) {
                    prop_assert!(pair[1].from.is_some_and(|from| from >= pair[0].to), "{:?}", existing);
                }
                for week in 0..4 {
                    prop_assert_eq!(containing(&existing, Width::Week, Micros(now.0 + week * 7 * DAY)).unwrap(), None);
                }
            }
        }
    }
}
