//! Days of a utility, and the smallest and largest values in them.

use grid::downsample::{Bucket, Resolution};
use grid::table::readings::Extremes;
use grid::{Micros, Quality};
use store::writer::{Batch, Sample};
use testkit::Flavour;

use crate::fixture::{START, enter, utility, utility_on};

/// Midnight before START in Asia/Kolkata, in seconds from START: 06:00 UTC is 11:30 there.
const MIDNIGHT_S: i64 = -41_400;

#[tokio::test]
async fn a_day_begins_and_ends_at_midnight_in_the_utilitys_zone_on_every_engine() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let (current, position) = (utility.sites[0].current, utility.sites[0].position);
        let bad = |sample: Sample| {
            let reading = grid::Reading { quality: Quality::Stale, ..sample.reading };
            Sample { reading, ..sample }
        };
        let sample = |second, value| utility.sample(current, second, value);
        let samples = vec![
            sample(MIDNIGHT_S - 1, 1_000.0),
            sample(MIDNIGHT_S, 50.0),
            sample(0, 20.0),
            bad(sample(1, 2_000.0)),
            sample(MIDNIGHT_S + 86_399, 70.0),
            sample(MIDNIGHT_S + 86_400, -5.0),
        ];
        utility.writer().await.commit(&Batch { samples, ..Batch::default() }).await.unwrap();
        let day = utility.store.day_extremes(utility.client, &[current, position], START).await.unwrap().unwrap();
        assert_eq!((day.from, day.until), (START.plus_millis(MIDNIGHT_S * 1_000), START.plus_millis((MIDNIGHT_S + 86_400) * 1_000)));
        assert_eq!(day.of.into_iter().collect::<Vec<_>>(), [(current, Extremes { min: 20.0, max: 70.0 })], "{flavour:?}");
        let (other, ..) = enter(&utility.store, "OTHER").await;
        let foreign = utility.store.day_extremes(other, &[current], START).await.unwrap().unwrap();
        assert!(foreign.of.is_empty(), "points of another utility are not there");
    }
}

#[tokio::test]
async fn day_extremes_include_buckets_without_single_values() {
    let utility = utility().await;
    let current = utility.sites[0].current;
    let bucket = |second: i64, value: f64| {
        let at = START.plus_millis(second * 1_000);
        (current, grid::downsample::floor(at, 60_000), Bucket::of(at, Some(value), Quality::Good))
    };
    // Imported minutes of the morning, and one of the evening before.
    let buckets = [bucket(MIDNIGHT_S - 60, 900.0), bucket(MIDNIGHT_S + 600, 109.0), bucket(MIDNIGHT_S + 1_200, 30.0)];
    utility.store.put_buckets(Resolution::Minute, &buckets).await.unwrap();
    let samples = vec![utility.sample(current, 0, 70.0), utility.sample(current, 20, 76.0)];
    utility.writer().await.commit(&Batch { samples, ..Batch::default() }).await.unwrap();
    let at = START.plus_millis(60_000);
    let day = utility.store.day_extremes(utility.client, &[current], at).await.unwrap().unwrap();
    assert_eq!(day.of.into_iter().collect::<Vec<_>>(), [(current, Extremes { min: 30.0, max: 109.0 })]);
}

#[tokio::test]
async fn where_the_clock_is_changed_a_day_is_as_long_as_it_is() {
    let utility = utility().await;
    let client = utility.database.client().await;
    client.execute("UPDATE client SET time_zone = 'Europe/Berlin'", &[]).await.unwrap();
    for (instant, hours) in [(1_774_756_800, 23), (1_792_893_600, 25), (1_782_885_600, 24)] {
        let at = Micros::from_millis(instant * 1_000);
        let day = utility.store.day_extremes(utility.client, &[], at).await.unwrap().unwrap();
        assert_eq!(day.until.millis_since(day.from), hours * 3_600_000, "{instant}");
        assert!(day.from <= at && at < day.until);
    }
}
