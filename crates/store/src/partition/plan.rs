//! Which partitions of a table to create and to drop.

use grid::Micros;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::{Error, Result};

/// Number of partitions that exist beyond the present one.
const AHEAD: usize = 4;
/// Largest number of partitions that are created one by one up to the present one. A longer time without maintenance gets one partition.
const CATCH_UP_MAX: usize = 16;

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

/// Returns the steps after which the partitions cover all times up to [`AHEAD`] widths after `now`, without a gap, and at most one partition
/// has nothing but values from before `kept_since`.
///
/// The first partition alone is not dropped: it takes late values, and they go with the next one. `existing` is in the order of time; partitions
/// that overlap are an [`Error::Data`].
pub(crate) fn plan(existing: &[Partition], width: Width, now: Micros, kept_since: Option<Micros>) -> Result<Vec<Step>> {
    let present = width.floor(now)?;
    let mut steps = Vec::new();
    // The end of what is covered.
    let mut covered = None;
    for partition in existing {
        match (covered, partition.from) {
            (None, None) => {}
            (Some(end), Some(from)) if from >= end => {
                if from > end {
                    steps.push(Step::Create { from: Some(end), to: from });
                }
            }
            (None, Some(from)) => steps.push(Step::Create { from: None, to: from }),
            _ => return Err(Error::Data(format!("partition {} overlaps the one before it", partition.name))),
        }
        covered = Some(partition.to);
    }
    let expired = existing.iter().take_while(|partition| kept_since.is_some_and(|since| partition.to <= since)).count();
    if let (Some(last), Some(since)) = (existing[..expired].last(), kept_since) {
        // If all have expired, what takes their place ends where the next one begins.
        let end = if expired == existing.len() { last.to.max(width.floor(since)?) } else { last.to };
        if expired > 1 || last.from.is_some() || end > last.to {
            let dropped = existing[..expired].iter().map(|partition| partition.name.clone()).collect();
            // It also covers gaps between them.
            steps.retain(|step| matches!(step, Step::Create { to, .. } if *to > end));
            steps.push(Step::Replace { dropped, to: end });
            covered = covered.max(Some(end));
        }
    }
    let mut start = covered.unwrap_or(present);
    if covered.is_none() {
        steps.push(Step::Create { from: None, to: present });
    }
    let mut ends = Vec::new();
    let mut end = start;
    while end < present && ends.len() < CATCH_UP_MAX {
        end = width.end(width.floor(end)?)?;
        ends.push(end);
    }
    if end < present {
        ends = vec![present];
    }
    let mut end = ends.last().copied().unwrap_or(start);
    let until = (0..=AHEAD).try_fold(present, |end, _| width.end(end))?;
    while end < until {
        end = width.end(width.floor(end)?)?;
        ends.push(end);
    }
    for to in ends {
        steps.push(Step::Create { from: Some(start), to });
        start = to;
    }
    Ok(steps)
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

    /// Applies steps as `maintain` does.
    fn apply(existing: &mut Vec<Partition>, steps: &[Step]) {
        for step in steps {
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
        }
        existing.sort_by_key(|partition| partition.to);
    }

    #[test]
    fn a_new_table_gets_the_past_the_present_and_four_ahead() {
        // A Thursday.
        let steps = plan(&[], Width::Week, at("2026-11-26"), None).unwrap();
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
        assert_eq!(after("2026-08-09"), [], "the second is not wholly expired");
        assert_eq!(after("2026-08-10"), [replace(&["sample_before_20260803", "sample_20260803"], "2026-08-10")]);
        let three = ["sample_before_20260803", "sample_20260803", "sample_20260810"];
        assert_eq!(after("2026-08-20"), [replace(&three, "2026-08-17")]);
        assert_eq!(plan(&existing, Width::Week, now, None).unwrap(), [], "nothing expires without a retention");
    }

    #[test]
    fn gaps_are_filled_and_overlaps_refused() {
        let now = at("2026-11-26");
        let gap = [partition(Some("2026-10-05"), "2026-10-12"), partition(Some("2026-10-19"), "2027-01-04")];
        let steps = plan(&gap, Width::Week, now, None).unwrap();
        assert_eq!(steps, [create(None, "2026-10-05"), create(Some("2026-10-12"), "2026-10-19")]);
        let overlap = [partition(None, "2026-10-12"), partition(Some("2026-10-05"), "2027-01-04")];
        let error = plan(&overlap, Width::Week, now, None).unwrap_err();
        assert!(error.to_string().contains("sample_20261005 overlaps"), "{error}");
    }

    #[test]
    fn a_long_time_without_maintenance_is_one_partition() {
        let steps = plan(&[partition(None, "2020-01-06")], Width::Week, at("2026-11-26"), None).unwrap();
        assert_eq!(steps[0], create(Some("2020-01-06"), "2026-11-23"));
        assert_eq!(steps.len(), 6);
    }

    proptest! {
        #[test]
        fn nothing_kept_is_dropped_and_no_time_is_without_a_partition(
            visits in prop::collection::vec((0_i64..200, prop::option::of(7_i64..400)), 1..20),
        ) {
            let width = Width::Week;
            let (mut existing, mut now) = (Vec::new(), at("2026-01-01"));
            for (days, retention) in visits {
                now = Micros(now.0 + days * DAY);
                let since = retention.map(|days| Micros(now.0 - days * DAY));
                let before = existing.clone();
                let steps = plan(&existing, width, now, since).unwrap();
                prop_assert!(steps.len() <= CATCH_UP_MAX + AHEAD + 3);
                apply(&mut existing, &steps);
                prop_assert_eq!(existing[0].from, None);
                for pair in existing.windows(2) {
                    prop_assert_eq!(pair[1].from, Some(pair[0].to));
                }
                prop_assert!(existing.last().unwrap().to.0 >= now.0 + 4 * 7 * DAY);
                let gone = before.iter().filter(|partition| !existing.contains(partition));
                for partition in gone {
                    prop_assert!(since.is_some_and(|since| partition.to <= since));
                }
                prop_assert_eq!(plan(&existing, width, now, since).unwrap(), []);
            }
        }
    }
}
