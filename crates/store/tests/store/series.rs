//! Series for charts: the result equals that from all raw values, whether or not the rollups are up to date.

use grid::downsample::{Bucket, MINUTE_MS, Resolution, floor};
use grid::measure::Quantity;
use grid::point::PointKind;
use grid::{Micros, PointId, Quality};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use store::rollup::Rollups;
use store::seed::PointSeed;
use store::series::Series;
use store::writer::{Batch, Sample};
use testkit::Flavour;

use crate::fixture::{START, Utility, enter, point, utility, utility_on};

const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// A stored value: source time, value, quality.
type Value = (Micros, Option<f64>, Quality);

fn at(second: i64) -> Micros {
    START.plus_millis(second * 1_000)
}

/// A second point of the first feeder, which reports by exception.
async fn another_point(utility: &Utility) -> PointId {
    let asset = utility.store.registry(Some(utility.client)).await.unwrap().assets[0].id;
    let seed = point(utility.client, utility.sites[0].gateway, asset, "F3/Iy", PointKind::Measurand, Quantity::Current);
    utility.store.put_points(&[PointSeed { expected_ms: None, ..seed }]).await.unwrap()[0]
}

/// The expected line, computed from the raw values.
fn expected(values: &[Value], times: &[Micros], ends: &[Micros]) -> Vec<Option<Bucket>> {
    let mut values = values.to_vec();
    values.sort_by_key(|value| value.0);
    let inside = |lo: Micros, hi: Micros| values.iter().filter(move |value| value.0 >= lo && value.0 < hi);
    let bucket = |(lo, hi): (&Micros, &Micros)| {
        inside(*lo, *hi).map(|(at, value, quality)| Bucket::of(*at, *value, *quality)).reduce(|mut all, next| {
            all.merge(&next);
            all
        })
    };
    times.iter().zip(ends).map(bucket).collect()
}

/// Largest error of a figure: half a step of the values' range for each resolution from which it was computed.
const CLOSE: f64 = 0.012;

/// Whether the cells are the same within the accuracy of packed rows. They have no sums.
fn same(left: &[Option<Bucket>], right: &[Option<Bucket>], source: Resolution) -> bool {
    let close = |a: Option<f64>, b: Option<f64>| a.zip(b).map_or(a.is_none() && b.is_none(), |(a, b)| (a - b).abs() <= CLOSE);
    let unit_us = if source == Resolution::Hour { HOUR_MS / 30 } else { 10 * MINUTE_MS / 30 };
    let same = |a: Option<(Micros, f64)>, b: Option<(Micros, f64)>| {
        close(a.map(|a| a.1), b.map(|b| b.1)) && a.zip(b).is_none_or(|(a, b)| (0..unit_us).contains(&(b.0.0 - a.0.0)))
    };
    left.len() == right.len()
        && left.iter().zip(right).all(|pair| match pair {
            (Some(a), Some(b)) => {
                (a.n, a.n_good, a.worst) == (b.n, b.n_good, b.worst)
                    && close(a.min, b.min)
                    && close(a.max, b.max)
                    && same(a.first, b.first)
                    && same(a.last, b.last)
            }
            (a, b) => a.is_none() && b.is_none(),
        })
}

/// The mean over a period, computed from the raw values: each is valid until the next one, up to a limit. `None` if none was valid.
fn mean_of_time(values: &[Value], (lo, hi): (Micros, Micros), limit_ms: Option<i64>) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by_key(|value| value.0);
    let nexts = values.iter().skip(1).map(|next| next.0).chain([Micros(i64::MAX)]);
    let (mut sum, mut time) = (0.0, 0.0);
    for ((at, value, quality), next) in values.iter().zip(nexts) {
        let Some(value) = value.filter(|_| *quality < Quality::Stale) else { continue };
        let end = limit_ms.map_or(next, |limit| next.min(at.plus_millis(limit))).min(hi);
        let held = (end.0 - (*at).max(lo).0).max(0) as f64;
        (sum, time) = (sum + value * held, time + held);
    }
    (time > 0.0).then(|| sum / time)
}

/// Largest error of a mean: that of its figures, and that of the times at which buckets of an hour meet, which are known to 120 ms.
const MEANS_CLOSE: f64 = 2.0;

/// The means of a line are means over time. For a point that reports by exception, values from more than a day before the period are taken from the rollups
/// only.
fn means_are_of_time(
    why: &str,
    cells: &[Option<Bucket>],
    values: &[Value],
    (times, ends): (&[Micros], &[Micros]),
    to: Micros,
    limit_ms: Option<i64>,
) {
    let mut is_first = true;
    let newest_before = values.iter().map(|value| value.0).filter(|at| *at < times[0]).max();
    let is_old = newest_before.is_some_and(|at| times[0].millis_since(at) > DAY_MS);
    for (cell, (lo, hi)) in cells.iter().zip(times.iter().zip(ends)) {
        let Some(cell) = cell else { continue };
        // A last bucket that reaches beyond the period includes the values there, and its last value is not valid further.
        let last = values.iter().map(|value| value.0).filter(|at| at < hi).max();
        let end = (*hi).min(to).max(last.unwrap_or(to)).min(*hi);
        let (span, is_first) = ((*lo, end), std::mem::take(&mut is_first));
        let is = |expected: Option<f64>| match (cell.mean(), expected) {
            (Some(mean), Some(expected)) => (mean - expected).abs() <= MEANS_CLOSE,
            (mean, _) => mean.is_none() == (cell.n_good == 0),
        };
        let within: Vec<Value> = values.iter().filter(|value| value.0 >= times[0]).copied().collect();
        let known = |from: &Value| [within.clone(), vec![*from]].concat();
        let fits = is(mean_of_time(values, span, limit_ms))
            || (is_first && is_old && limit_ms.is_none())
                && (is(mean_of_time(&within, span, limit_ms))
                    || values.iter().filter(|value| value.0 < times[0]).any(|value| is(mean_of_time(&known(value), span, limit_ms))));
        let before: Vec<&Value> = values.iter().filter(|value| value.0 < times[0]).collect();
        let expected = mean_of_time(values, span, limit_ms);
        assert!(fits, "{why}: {:?} for {expected:?} in {span:?}, first {is_first}, before it {before:?}", cell.mean());
    }
}

/// The ends of equidistant buckets.
fn ends(series: &Series) -> Vec<Micros> {
    series.times.iter().map(|time| time.plus_millis(series.bucket_ms.unwrap())).collect()
}

async fn check(utility: &Utility, stored: &[(PointId, Vec<Value>)], why: &str) {
    let spans = [
        (0, 3_600, 60, Resolution::Minute),
        (-7_200, 90_000, 200, Resolution::TenMinutes),
        (-400_000, 90_000, 60, Resolution::Hour),
        (-1_000_000, 400_000, 20, Resolution::Day),
    ];
    let points: Vec<PointId> = stored.iter().map(|(point, _)| *point).collect();
    for (from, to, most, source) in spans {
        let series = utility.store.series(utility.client, &points, at(from), at(to), most).await.unwrap();
        assert_eq!(series.source, source, "{why}: {from} to {to} in {most}");
        assert!(series.times.len() <= most && series.times[0] <= at(from), "{why}: {} of {most}", series.times.len());
        let ends = ends(&series);
        assert!(*ends.last().unwrap() >= at(to));
        for ((point, values), line) in stored.iter().zip(&series.lines) {
            let expected = expected(values, &series.times, &ends);
            assert!(
                line.point == *point && same(&line.cells, &expected, source),
                "{why}, {source:?}: {:?}\nexpected {expected:?}",
                line.cells
            );
            let limit_ms = (*point == utility.sites[0].current).then_some(30_000);
            let why = format!("{why}, {source:?}, {limit_ms:?}");
            means_are_of_time(&why, &line.cells, values, (&series.times, &ends), at(to), limit_ms);
        }
    }
}

#[tokio::test]
async fn any_order_of_writing_and_refreshing_gives_what_the_values_give() {
    let mut runner = TestRunner::default();
    for (round, flavour) in Flavour::ALL.into_iter().cycle().take(4).enumerate() {
        let utility = utility_on(flavour).await;
        let points = [utility.sites[0].current, another_point(&utility).await];
        let mut writer = utility.writer().await;
        let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
        let mut stored = points.map(|point| (point, Vec::<Value>::new()));
        // Seconds around the start, most of them in a few hours, some of them days away.
        let second = prop_oneof![8 => 0..4_000_i64, 3 => -3_000..80_000_i64, 1 => -350_000..350_000_i64];
        let value = prop_oneof![8 => (0.0..500.0_f64).prop_map(Some), 1 => Just(None)];
        let step = (prop::collection::vec((0..2_usize, second, value, 0..5_u8), 1..120), prop::option::of(0..4_usize), any::<bool>());
        for turn in 0..8 {
            let (rows, refresh, resend) = step.new_tree(&mut runner).unwrap().current();
            let mut samples: Vec<Sample> = Vec::new();
            for (which, second, value, quality) in rows {
                let known = &mut stored[which].1;
                let quality = Quality::from_code(quality).unwrap();
                if known.iter().any(|(time, ..)| *time == at(second)) {
                    continue;
                }
                known.push((at(second), value, quality));
                let mut sample = utility.sample(points[which], second, 0.0);
                (sample.reading.value, sample.reading.quality) = (value, quality);
                samples.push(sample);
            }
            let batch = Batch { samples, ..Batch::default() };
            writer.commit(&batch).await.unwrap();
            if resend {
                writer.commit(&batch).await.unwrap();
            }
            let why = format!("round {round} on {flavour:?}, turn {turn}");
            check(&utility, &stored, &format!("{why}, before")).await;
            match refresh {
                // Up to one of the resolutions only, as they are in the middle of the day.
                Some(upto) => {
                    for of in &Resolution::BUCKETS[..=upto] {
                        rollups.refresh(*of).await.unwrap();
                    }
                }
                None => drop(rollups.refresh_all().await.unwrap()),
            }
            check(&utility, &stored, &format!("{why}, after {refresh:?}")).await;
        }
        rollups.refresh_all().await.unwrap();
        assert_eq!(utility.count("rollup_dirty").await, 0);
        check(&utility, &stored, "at the end").await;
        let days = utility.count("rollup_1d").await;
        assert!(days >= 3, "the days were worked out: {days}");
    }
}

#[tokio::test]
async fn days_are_those_of_the_utility() {
    let utility = utility().await;
    let mut writer = utility.writer().await;
    // 06:00 UTC is 11:30 in India: its midnights are at 18:30 UTC.
    let to_midnight = 12 * 3_600 + 1_800;
    writer.commit(&utility.currents([0, to_midnight - 1, to_midnight, to_midnight + 86_399, to_midnight + 86_400])).await.unwrap();
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    for refreshed in [false, true] {
        let from = at(to_midnight - 86_400 + 1);
        let series = utility.store.series(utility.client, &[utility.sites[0].current], from, at(to_midnight + 86_401), 4).await.unwrap();
        assert_eq!((series.source, series.bucket_ms), (Resolution::Day, Some(DAY_MS)));
        assert_eq!(series.times, [-86_400, 0, 86_400].map(|second| at(to_midnight + second)));
        let counts: Vec<i64> = series.lines[0].cells.iter().map(|cell| cell.unwrap().n).collect();
        assert_eq!(counts, [2, 2, 1], "{refreshed}");
        rollups.refresh_all().await.unwrap();
    }
    assert_eq!(utility.count("rollup_1d").await, 3);
}

#[tokio::test]
async fn a_zone_that_nobody_knows_is_utc_and_stops_nobody() {
    let utility = utility().await;
    utility.database.client().await.batch_execute("UPDATE client SET time_zone = 'Nowhere/Land'").await.unwrap();
    utility.writer().await.commit(&utility.currents(0..3)).await.unwrap();
    Rollups::connect(utility.database.url()).await.unwrap().refresh_all().await.unwrap();
    let series = utility.store.series(utility.client, &[utility.sites[0].current], at(0), at(200_000), 5).await.unwrap();
    assert_eq!((series.source, series.times[0]), (Resolution::Day, floor(START, DAY_MS)));
}

#[tokio::test]
async fn short_spans_are_the_values_themselves_and_gaps_are_gaps() {
    let utility = utility().await;
    utility.writer().await.commit(&utility.currents([0, 10, 20, 100, 110])).await.unwrap();
    let point = utility.sites[0].current;
    let series = utility.store.series(utility.client, &[point], at(5), at(130), 1_000).await.unwrap();
    assert_eq!((series.source, series.bucket_ms), (Resolution::Raw, None));
    assert_eq!(series.times, [10, 20, 50, 100, 110].map(at), "values are expected each 10 s");
    let line = &series.lines[0];
    assert_eq!(line.before, Some((at(0), 0.0)));
    let values: Vec<Option<f64>> = line.cells.iter().map(|cell| cell.and_then(|cell| cell.mean())).collect();
    assert_eq!(values, [Some(10.0), Some(20.0), None, Some(100.0), Some(110.0)]);
    // More values than buckets: minutes are used.
    let series = utility.store.series(utility.client, &[point], at(0), at(120), 4).await.unwrap();
    assert_eq!((series.source, series.times.len()), (Resolution::Minute, 2));
}

#[tokio::test]
async fn what_is_no_longer_kept_finely_is_shown_as_it_is_kept() {
    let utility = utility().await;
    let point = utility.sites[0].current;
    let mut writer = utility.writer().await;
    writer.commit(&utility.currents((0..40 * 24 * 4).map(|quarter| quarter * 900))).await.unwrap();
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    rollups.refresh_all().await.unwrap();
    let now = at(40 * 86_400);
    let hour = || utility.store.series(utility.client, std::slice::from_ref(&point), at(3_600), at(7_200), 100);
    assert_eq!(hour().await.unwrap().source, Resolution::Raw);
    for (of, days) in [(Resolution::Raw, 10), (Resolution::Minute, 20), (Resolution::TenMinutes, 30)] {
        assert!(rollups.expire(of.into(), now.plus_millis(-days * DAY_MS)).await.unwrap() > 0, "{of:?}");
    }
    // The first chunk of 30 days ends on 6 July.
    for (table, has_expired) in [("bucket_1m", true), ("bucket_10m", true), ("bucket_1h", false)] {
        assert_eq!(utility.count(&format!("{table} WHERE bucket < '2026-07-06Z'")).await == 0, has_expired, "{table}");
        assert!(utility.count(table).await > 0);
    }
    let series = hour().await.unwrap();
    assert_eq!((series.source, series.times.len()), (Resolution::Hour, 1));
    assert_eq!(series.lines[0].cells[0].unwrap().n, 4);
    // A late value in a time whose raw values have expired is stored, and does not damage the bucket.
    writer.commit(&utility.currents([3_700])).await.unwrap();
    rollups.refresh_all().await.unwrap();
    let series = utility.store.series(utility.client, &[point], at(0), at(40 * 86_400), 1_000).await.unwrap();
    assert_eq!(series.lines[0].cells[1].unwrap().n, 4);
}

#[tokio::test]
async fn a_foreign_point_is_as_a_missing_one_and_a_bad_span_is_refused() {
    let utility = utility().await;
    let (other, _, sites) = enter(&utility.store, "KSEB").await;
    utility.writer().await.commit(&utility.currents(0..100)).await.unwrap();
    let own = utility.sites[0].current;
    for foreign in [sites[0].current, PointId(999_999)] {
        let series = utility.store.series(utility.client, &[foreign, own], at(0), at(100), 50).await.unwrap();
        assert_eq!(series.lines.iter().map(|line| line.point).collect::<Vec<_>>(), [own]);
    }
    let series = utility.store.series(other, &[own], at(0), at(100), 50).await.unwrap();
    assert!(series.lines.is_empty() && series.times.is_empty());
    for (points, from, to) in [(vec![own], 10, 10), (vec![own], 10, 0), (vec![own; 65], 0, 10), (vec![own], 0, 21 * 366 * 86_400)] {
        let refused = utility.store.series(utility.client, &points, at(from), at(to), 50).await.unwrap_err();
        assert!(matches!(refused, store::Error::Data(_)), "{refused}");
    }
}

#[tokio::test]
async fn the_extent_of_a_day_is_its_smallest_and_largest_value() {
    let utility = utility().await;
    let point = utility.sites[0].current;
    utility.writer().await.commit(&utility.currents([5, 700, 40_000])).await.unwrap();
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    for _ in 0..2 {
        let found = utility.store.extent(utility.client, &[PointId(999_999), point], START, at(86_400)).await.unwrap();
        assert!(found[0].is_none());
        let bucket = found[1].unwrap();
        assert_eq!((bucket.n, bucket.min, bucket.max, bucket.mean()), (3, Some(5.0), Some(40_000.0), Some(40_705.0 / 3.0)));
        rollups.refresh_all().await.unwrap();
    }
}

#[tokio::test]
async fn buckets_that_are_brought_along_do_not_replace_what_is_there() {
    let utility = utility().await;
    let point = utility.sites[0].current;
    utility.writer().await.commit(&utility.currents(0..60)).await.unwrap();
    Rollups::connect(utility.database.url()).await.unwrap().refresh_all().await.unwrap();
    let bucket = |second: i64| Bucket::of(at(second), Some(7.0), Quality::Good);
    let hours = [(point, at(0), bucket(0)), (point, at(-3_600), bucket(-3_600)), (point, at(-3_600), bucket(-3_600))];
    assert_eq!(utility.store.put_buckets(Resolution::Hour, &hours).await.unwrap(), 1);
    let series = utility.store.series(utility.client, &[point], at(-7_200), at(3_600), 4).await.unwrap();
    assert_eq!((series.source, series.times.len()), (Resolution::Hour, 3));
    let counts: Vec<Option<i64>> = series.lines[0].cells.iter().map(|cell| cell.map(|cell| cell.n)).collect();
    assert_eq!(counts, [None, Some(1), Some(60)]);
    assert!(utility.store.put_buckets(Resolution::Raw, &hours).await.is_err());
}

#[tokio::test]
async fn a_register_begins_with_what_it_had_counted_before_the_span() {
    let utility = utility().await;
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    let mut writer = utility.writer().await;
    writer.commit(&utility.currents([0, 10])).await.unwrap();
    rollups.refresh_all().await.unwrap();
    writer.commit(&utility.currents([3_590, 3_600, 7_100])).await.unwrap();
    for why in ["not worked out yet", "worked out"] {
        let series = utility.store.series(utility.client, &[utility.sites[0].current], at(3_600), at(7_200), 30).await.unwrap();
        assert!(series.source >= Resolution::Minute);
        assert_eq!(series.lines[0].before, Some((at(3_590), 3_590.0)), "{why}");
        rollups.refresh_all().await.unwrap();
    }
}

#[tokio::test]
async fn a_value_told_by_exception_weighs_as_long_as_it_lasted() {
    let utility = utility().await;
    let point = another_point(&utility).await;
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    // 10 A for ten hours; in the last two of them, reported each minute, 100 A; then nothing for an hour, then 40 A.
    let seconds = std::iter::once(0).chain((8 * 60..10 * 60).map(|minute| minute * 60)).chain([11 * 3_600]);
    let mut batch = Batch { samples: seconds.map(|second| utility.sample(point, second, 100.0)).collect(), ..Batch::default() };
    batch.samples[0].reading.value = Some(10.0);
    batch.samples.last_mut().unwrap().reading.value = Some(40.0);
    utility.writer().await.commit(&batch).await.unwrap();
    let whole = async || {
        let series = utility.store.series(utility.client, &[point], at(0), at(12 * 3_600), 3).await.unwrap();
        assert_eq!((series.source, series.times.len()), (Resolution::Hour, 2));
        let cells = series.lines[0].cells.iter().flatten().copied();
        let all = cells.reduce(|mut all, next| {
            all.merge(&next);
            all
        });
        all.unwrap().mean().unwrap()
    };
    for why in ["not worked out yet", "worked out"] {
        // 8 hours of 10 A, 3 of 100 A, 1 of 40 A. With equal weights for all values it would be 99 A.
        let mean = whole().await;
        assert!((mean - 35.0).abs() < 1e-9, "{why}: {mean}");
        rollups.refresh_all().await.unwrap();
    }
}
