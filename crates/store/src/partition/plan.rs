//! Which partitions of a table to create and to drop.

use grid::Micros;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::{Error, Result};

/// The time that a partition covers. All begin at midnight, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// A month.
    Month,
    /// A year.
    Year,
}

impl Width {
    /// Returns the number of partitions that exist beyond the present one.
    fn ahead(self) -> usize {
        match self {
            Self::Month => 2,
            Self::Year => 1,
        }
    }

    /// Returns the largest number of partitions that are dropped at once. With this limit, a clock that is temporarily ahead cannot delete the whole history.
    /// The first partition is dropped only together with the next one.
    fn dropped_max(self) -> usize {
        match self {
            Self::Month => 3,
            Self::Year => 2,
        }
    }

    /// Returns the start of the partition that contains a time.
    fn floor(self, at: Micros) -> Result<Micros> {
        let date = date(at)?;
        let first = match self {
            Self::Month => date.first_of_month(),
            Self::Year => date.first_of_year(),
        };
        midnight(first)
    }

    /// Returns the end of the partition that starts at a time.
    fn end(self, start: Micros) -> Result<Micros> {
        let next = match self {
            Self::Month => 1.month(),
            Self::Year => 1.year(),
        };
        midnight(date(start)?.checked_add(next).map_err(out_of_range)?)
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
    /// Drop the oldest partitions. An empty partition replaces them, so that late values of their time can still be stored.
    Replace {
        /// Names of the dropped partitions.
        dropped: Vec<String>,
        /// End of the time that they covered.
        to: Micros,
    },
}

/// Returns a time in each partition that must exist: the present one and some after it.
pub(crate) fn ahead(width: Width, now: Micros) -> Result<Vec<Micros>> {
    let mut times = vec![width.floor(now)?];
    for nth in 0..width.ahead() {
        times.push(width.end(times[nth])?);
    }
    Ok(times)
}

/// Returns a time in each partition of a range, the end exclusive; at most `max`.
pub(crate) fn starts(width: Width, from: Micros, to: Micros, max: usize) -> Result<Vec<Micros>> {
    let (mut times, mut at) = (Vec::new(), from);
    while at < to && times.len() < max {
        times.push(at);
        at = width.end(width.floor(at)?)?;
    }
    Ok(times)
}

/// Returns the step that drops the oldest partitions whose rows are all from before `since`; `None` if there are none. `existing` is in the order of time.
///
/// The first partition is not dropped alone: it contains late values, which are dropped together with the next partition.
pub(crate) fn expired(existing: &[Partition], width: Width, since: Micros) -> Option<Step> {
    let expired: Vec<&Partition> = existing.iter().take(width.dropped_max()).take_while(|partition| partition.to <= since).collect();
    let last = expired.last().filter(|last| expired.len() > 1 || last.from.is_some())?;
    Some(Step::Replace { dropped: expired.iter().map(|partition| partition.name.clone()).collect(), to: last.to })
}

/// How the first partition is divided, see [`past`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Past {
    /// The start of the partition that contains the present rows; `None` if there are no rows, so that no such partition is needed.
    pub rest: Option<Micros>,
    /// Start and end of the partitions to create before it.
    pub created: Vec<(Option<Micros>, Micros)>,
}

/// Returns how to divide the first partition, which has no lower bound, so that times from `from` on lie in partitions of the usual width. `oldest` is the
/// time of its oldest row. `None` if there is nothing to divide.
pub(crate) fn past(first: &Partition, width: Width, from: Micros, oldest: Option<Micros>) -> Result<Option<Past>> {
    let begin = width.floor(from)?;
    let rest = oldest.map(|at| width.floor(at)).transpose()?;
    let end = rest.unwrap_or(first.to);
    if begin >= end {
        return Ok(None);
    }
    let (mut created, mut start) = (vec![(None, begin)], begin);
    while start < end {
        let next = width.end(start)?.min(end);
        created.push((Some(start), next));
        start = next;
    }
    Ok(Some(Past { rest, created }))
}

/// Returns the step that creates the partition for a time, between its neighbours; `None` if this partition exists.
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

/// Returns the name of a partition: the name of its table, followed by its start, or by `before` and its end. Start and end are dates in UTC.
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
    fn maintain(existing: &mut Vec<Partition>, width: Width, now: Micros, since: Option<Micros>) -> Vec<Step> {
        let mut steps = Vec::new();
        for at in ahead(width, now).expect("in range") {
            if let Some(step) = containing(existing, width, at).expect("in range") {
                apply(existing, &step);
                steps.push(step);
            }
        }
        while let Some(step) = since.and_then(|since| expired(existing, width, since)) {
            apply(existing, &step);
            steps.push(step);
            assert!(steps.len() < 100, "{steps:?}");
        }
        steps
    }

    #[test]
    fn present_and_coming_months_and_years_are_created() {
        let months = maintain(&mut Vec::new(), Width::Month, at("2026-11-26"), None);
        let expected = [create(None, "2026-12-01"), create(Some("2026-12-01"), "2027-01-01"), create(Some("2027-01-01"), "2027-02-01")];
        assert_eq!(months, expected);
        let years = maintain(&mut Vec::new(), Width::Year, at("2028-02-29"), None);
        assert_eq!(years, [create(None, "2029-01-01"), create(Some("2029-01-01"), "2030-01-01")]);
    }

    #[test]
    fn range_has_one_time_in_each_partition() {
        let starts = |from, to| starts(Width::Month, at(from), at(to), 3).unwrap();
        assert_eq!(starts("2026-01-31", "2026-02-01"), [at("2026-01-31")]);
        assert_eq!(starts("2026-01-31", "2026-02-02"), [at("2026-01-31"), at("2026-02-01")]);
        assert_eq!(starts("2026-01-31", "2036-01-01").len(), 3, "at most");
        assert_eq!(starts("2026-01-31", "2026-01-31"), []);
    }

    #[test]
    fn expired_partitions_are_replaced_by_one_for_late_values() {
        let existing = [
            partition(None, "2026-08-03"),
            partition(Some("2026-08-03"), "2026-08-10"),
            partition(Some("2026-08-10"), "2026-08-17"),
            partition(Some("2026-08-17"), "2027-01-04"),
        ];
        let after = |since| expired(&existing, Width::Month, at(since));
        assert_eq!(after("2026-08-09"), None, "the second is not wholly expired");
        assert_eq!(after("2026-08-10"), Some(replace(&["sample_before_20260803", "sample_20260803"], "2026-08-10")));
        let three = ["sample_before_20260803", "sample_20260803", "sample_20260810"];
        assert_eq!(after("2026-08-20"), Some(replace(&three, "2026-08-17")));
    }

    #[test]
    fn few_are_dropped_at_once() {
        for (width, months) in [(Width::Month, 40), (Width::Year, 400)] {
            let mut existing = Vec::new();
            for nth in 0..months {
                maintain(&mut existing, width, Micros(at("2026-01-05").0 + nth * 30 * DAY), None);
            }
            // A clock that is years ahead.
            let Some(Step::Replace { dropped, .. }) = expired(&existing, width, at("2090-01-01")) else { panic!("nothing expires") };
            assert_eq!(dropped.len(), width.dropped_max());
        }
    }

    #[test]
    fn empty_first_partition_is_divided_from_the_start_of_the_import() {
        let first = partition(None, "2026-12-01");
        let past = |from, oldest: Option<&str>| past(&first, Width::Month, at(from), oldest.map(at)).unwrap();
        let created =
            vec![(None, at("2026-09-01")), (Some(at("2026-09-01")), at("2026-10-01")), (Some(at("2026-10-01")), at("2026-11-01"))];
        let whole = [&created[..], &[(Some(at("2026-11-01")), at("2026-12-01"))]].concat();
        assert_eq!(past("2026-09-15", None), Some(Past { rest: None, created: whole }));
        assert_eq!(past("2026-09-15", Some("2026-11-20")), Some(Past { rest: Some(at("2026-11-01")), created }), "rows stay together");
        assert_eq!(past("2026-11-02", Some("2026-11-20")), None, "the import lies in the month of the rows");
        assert_eq!(past("2026-12-02", None), None, "the import lies after it");
    }

    #[test]
    fn a_time_in_a_gap_gets_its_month_between_its_neighbours() {
        let existing = [partition(Some("2026-07-01"), "2026-07-12"), partition(Some("2026-10-21"), "2027-01-04")];
        let of = |date| containing(&existing, Width::Month, at(date)).unwrap();
        assert_eq!(of("2026-07-13"), Some(create(Some("2026-07-12"), "2026-08-01")), "from the previous one");
        assert_eq!(of("2026-08-20"), Some(create(Some("2026-08-01"), "2026-09-01")));
        assert_eq!(of("2026-10-20"), Some(create(Some("2026-10-01"), "2026-10-21")), "up to the next one");
        assert_eq!(of("2026-11-01"), None);
        assert_eq!(of("2026-01-01"), Some(create(None, "2026-07-01")), "earlier than all");
        assert_eq!(of("2030-01-10"), Some(create(Some("2030-01-01"), "2030-02-01")));
    }

    proptest! {
        #[test]
        fn nothing_kept_is_dropped_and_the_present_has_partitions(
            width in prop::sample::select(vec![Width::Month, Width::Year]),
            visits in prop::collection::vec((-100_i64..200, prop::option::of(7_i64..400), prop::option::of(-500_i64..500)), 1..20),
        ) {
            let (mut existing, mut now) = (Vec::new(), at("2026-01-01"));
            for (days, retention, value) in visits {
                now = Micros(now.0 + days * DAY);
                let since = retention.map(|days| Micros(now.0 - days * DAY));
                let before: Vec<Partition> = existing.clone();
                maintain(&mut existing, width, now, since);
                let gone = before.iter().filter(|partition| !existing.contains(partition));
                for partition in gone {
                    prop_assert!(since.is_some_and(|since| partition.to <= since));
                }
                if let Some(days) = value {
                    let at = Micros(now.0 + days * DAY);
                    if let Some(step) = containing(&existing, width, at).unwrap() {
                        apply(&mut existing, &step);
                    }
                    prop_assert_eq!(containing(&existing, width, at).unwrap(), None);
                }
                for pair in existing.windows(2) {
                    prop_assert!(pair[1].from.is_some_and(|from| from >= pair[0].to), "{:?}", existing);
                }
                for at in ahead(width, now).unwrap() {
                    prop_assert_eq!(containing(&existing, width, at).unwrap(), None);
                }
            }
        }
    }
}
