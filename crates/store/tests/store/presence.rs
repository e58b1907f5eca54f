//! When points have values: to the day, at any resolution, whether or not the rollups are recomputed.

use grid::measure::Quantity;
use grid::point::PointKind;
use grid::{Micros, PointId, Quality};
use store::rollup::Rollups;
use store::seed::PointSeed;
use store::series::Presence;
use store::writer::Batch;
use testkit::Flavour;

use crate::fixture::{START, Utility, enter, point, utility, utility_on};

const DAY_MS: i64 = 24 * 3_600_000;
/// From 06:00 UTC to the midnight before in India, seconds.
const SINCE_MIDNIGHT: i64 = 11 * 3_600 + 1_800;

fn at(second: i64) -> Micros {
    START.plus_millis(second * 1_000)
}

/// The midnight of a day in India; that of the start is 0.
fn midnight(day: i64) -> Micros {
    at(day * 86_400 - SINCE_MIDNIGHT)
}

async fn by_exception(utility: &Utility) -> PointId {
    let asset = utility.store.registry(Some(utility.client)).await.unwrap().assets[0].id;
    let seed = point(utility.client, utility.sites[0].gateway, asset, "F3/OTI", PointKind::Measurand, Quantity::Temperature);
    utility.store.put_points(&[PointSeed { expected_ms: None, ..seed }]).await.unwrap()[0]
}

async fn presence(utility: &Utility, point: PointId, (from, to): (i64, i64), with_single_values: bool) -> Presence {
    let found = utility.store.presence(utility.client, &[point], (midnight(from), midnight(to)), with_single_values).await.unwrap();
    assert_eq!(found.len(), 1);
    found[0]
}

/// Stores values by seconds after the start; one that is absent is not valid.
async fn store(utility: &Utility, point: PointId, values: &[(i64, Option<f64>)]) {
    let sample = |(second, value): &(i64, Option<f64>)| {
        let mut sample = utility.sample(point, *second, 0.0);
        (sample.reading.value, sample.reading.quality) = (*value, if value.is_some() { Quality::Good } else { Quality::Invalid });
        sample
    };
    let batch = Batch { samples: values.iter().map(sample).collect(), ..Batch::default() };
    utility.writer().await.commit(&batch).await.unwrap();
}

async fn refresh(utility: &Utility) {
    Rollups::connect(utility.database.url()).await.unwrap().refresh_all().await.unwrap();
    assert_eq!(utility.count("rollup_dirty").await, 0);
}

#[tokio::test]
async fn presence_is_known_to_the_day_before_and_after_refresh() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let current = utility.sites[0].current;
        store(&utility, current, &[(0, Some(1.0)), (60, Some(2.0)), (10 * 86_400, Some(3.0))]).await;
        for refreshed in [false, true] {
            if refreshed {
                refresh(&utility).await;
            }
            let of = async |from: i64, to: i64| presence(&utility, current, (from, to), false).await.values;
            let (first, until) = of(-100, 100).await.unwrap();
            assert!(first >= midnight(0) && first <= at(0), "{flavour:?} {refreshed} {first:?}");
            assert!(until > at(10 * 86_400) && until <= midnight(11), "{flavour:?} {refreshed} {until:?}");
            let (first, _) = of(1, 100).await.unwrap();
            assert!(first >= midnight(10) && first <= at(10 * 86_400), "{flavour:?} {refreshed} {first:?}");
            let (_, until) = of(-100, 10).await.unwrap();
            assert!(until > at(60) && until <= midnight(1), "{flavour:?} {refreshed} {until:?}");
            for (from, to) in [(-100, 0), (1, 10), (11, 100)] {
                assert_eq!(of(from, to).await, None, "{flavour:?} {refreshed} {from} to {to}");
            }
        }
    }
}

#[tokio::test]
async fn coarse_history_is_present_without_single_values() {
    let utility = utility().await;
    let current = utility.sites[0].current;
    store(&utility, current, &[(0, Some(1.0))]).await;
    refresh(&utility).await;
    utility.database.client().await.batch_execute("DELETE FROM sample; DELETE FROM rollup_1m; DELETE FROM rollup_10m").await.unwrap();
    assert_eq!(presence(&utility, current, (-9, 9), false).await.values, Some((midnight(0), midnight(1))));
    // A time zone that was changed later leaves days that begin in the middle of one.
    utility.database.client().await.batch_execute("UPDATE client SET time_zone = 'UTC'").await.unwrap();
    let span = (at(-30 * 3_600), at(-6 * 3_600));
    let found = utility.store.presence(utility.client, &[current], span, false).await.unwrap();
    assert_eq!(found[0].values.map(|(first, _)| first), Some(midnight(0)));
    let span = (at(-6 * 3_600), at(18 * 3_600));
    let found = utility.store.presence(utility.client, &[current], span, false).await.unwrap();
    assert_eq!(found[0].values.map(|(first, _)| first), Some(span.0), "the stored day goes on into the next one");
    let span = (at(18 * 3_600), at(42 * 3_600));
    assert_eq!(utility.store.presence(utility.client, &[current], span, false).await.unwrap()[0].values, None);
}

#[tokio::test]
async fn single_values_outside_of_rollups_are_found() {
    let utility = utility().await;
    let (current, position) = (utility.sites[0].current, utility.sites[0].position);
    store(&utility, current, &[(0, Some(1.0))]).await;
    store(&utility, position, &[(0, Some(1.0)), (60, Some(2.0))]).await;
    refresh(&utility).await;
    utility.database.client().await.batch_execute("DELETE FROM rollup_1d").await.unwrap();
    assert_eq!(presence(&utility, current, (-9, 9), false).await.values, None);
    assert_eq!(presence(&utility, current, (-9, 9), true).await.values, Some((at(0), Micros(at(0).0 + 1))));
    assert_eq!(presence(&utility, position, (-9, 9), false).await.values, Some((at(0), Micros(at(60).0 + 1))));
}

#[tokio::test]
async fn value_reported_by_exception_may_hold() {
    let utility = utility().await;
    let oil = by_exception(&utility).await;
    store(&utility, oil, &[(0, Some(40.0))]).await;
    store(&utility, utility.sites[0].current, &[(0, Some(40.0))]).await;
    let of = async |day: i64| {
        let found = presence(&utility, oil, (day, day + 9), false).await;
        (found.held, found.is_unsettled)
    };
    assert_eq!(of(0).await, (None, false), "nothing came before");
    // The rollups do not have it yet: it is known for a day.
    assert_eq!((of(1).await, of(5).await), ((None, true), (None, false)));
    refresh(&utility).await;
    assert_eq!((of(0).await, of(1).await, of(5).await), ((None, false), (Some(at(0)), false), (Some(at(0)), false)));
    let current = presence(&utility, utility.sites[0].current, (5, 9), false).await;
    assert_eq!((current.held, current.is_unsettled), (None, false), "a value that is expected again becomes too old");
    // An invalid value ends it.
    store(&utility, oil, &[(2 * 86_400, None)]).await;
    assert_eq!((of(3).await, of(5).await), ((Some(at(0)), true), (Some(at(0)), false)));
    refresh(&utility).await;
    assert_eq!((of(2).await, of(5).await), ((Some(at(0)), false), (None, false)));
}

#[tokio::test]
async fn points_of_other_utilities_are_left_out() {
    let utility = utility().await;
    let (stranger, _, sites) = enter(&utility.store, "OTHER").await;
    store(&utility, utility.sites[0].current, &[(0, Some(1.0))]).await;
    // A dirty range covers neighbouring points of all utilities.
    refresh(&utility).await;
    let points = [utility.sites[0].current, sites[0].current];
    let found = utility.store.presence(stranger, &points, (START, START.plus_millis(DAY_MS)), true).await.unwrap();
    assert_eq!(found.iter().map(|found| (found.point, found.values)).collect::<Vec<_>>(), [(points[1], None)]);
}
