//! Readers return nothing older than the time since which a level is kept, whether it is dropped already or not, and say since when.

use grid::downsample::{Buckets, Resolution};
use grid::{Micros, Scope};
use store::Store;
use store::events::EventScope;
use store::kept::Level;
use store::retention::{KeepDays, advance};
use store::rollup::Rollups;
use store::series::Series;
use testkit::Flavour;

use crate::fixture::{START, Utility, utility, utility_on};

const DAY_S: i64 = 86_400;
const DAY_US: i64 = DAY_S * 1_000_000;

/// The start of the values, some days later: 06:00 UTC.
fn day(number: i64) -> Micros {
    Micros(START.0 + number * DAY_US)
}

/// The midnight (UTC) before [`day`].
fn midnight(number: i64) -> Micros {
    Micros(day(number).0 - 6 * 3_600_000_000)
}

/// Returns the retention of all levels: values, minutes, ten minutes, hours, days, events, faults.
async fn keep(utility: &Utility, days: [u32; 7], now: Micros) -> Store {
    advance(utility.database.url(), &KeepDays(days), now).await.unwrap();
    // A new handle reads the times at once.
    Store::connect(utility.database.url(), 4).await.unwrap()
}

/// The current of the hour from the start of a day, in buckets that are shorter than the reporting interval.
async fn hour(utility: &Utility, store: &Store, number: i64) -> Series {
    let point = utility.sites[0].current;
    store.series(utility.client, &[point], day(number), day(number).plus_millis(3_600_000), 4_000).await.unwrap()
}

fn has_values(series: &Series) -> bool {
    series.lines.iter().any(|line| line.cells.iter().any(Option::is_some))
}

#[tokio::test]
async fn series_fall_back_to_coarser_levels_before_they_report_expiry() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let mut writer = utility.writer().await;
        for number in [0, 10, 20, 30, 40] {
            writer.commit(&utility.currents((0..60).map(|nth| number * DAY_S + nth * 10))).await.unwrap();
        }
        let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
        rollups.refresh_all().await.unwrap();
        utility.database.client().await.execute("DELETE FROM rollup_dirty", &[]).await.unwrap();
        let now = day(40).plus_millis(3_600_000);
        let levels =
            [(40, Resolution::Raw), (30, Resolution::Minute), (20, Resolution::TenMinutes), (10, Resolution::Hour), (0, Resolution::Day)];
        let store = keep(&utility, [7, 15, 25, 35, 0, 0, 0], now).await;
        let mut before = Vec::new();
        for (number, source) in levels {
            let series = hour(&utility, &store, number).await;
            assert_eq!((series.source, has_values(&series), series.kept_since), (source, true, None), "{flavour:?}, day {number}");
            before.push(series);
        }
        let point = utility.sites[0].current;
        let span = |number: i64| (day(number), day(number).plus_millis(3_600_000));
        for (number, values) in [(40, 60), (30, 0)] {
            let (from, to) = span(number);
            assert_eq!(store.samples(utility.client, point, from, to, 100).await.unwrap().len(), values, "{flavour:?}");
            assert_eq!(store.counted(utility.client, &[point], (from, to)).await.unwrap().len(), values / 60, "{flavour:?}");
        }
        // Finer levels than the ones that are kept return nothing, whatever is stored.
        let buckets = Buckets { of: Resolution::Minute, times: 1 };
        let minutes = store.stepped(utility.client, &[point], span(20), buckets).await.unwrap();
        assert_eq!((has_values(&minutes), minutes.kept_since), (false, None), "{flavour:?}: days of that time are kept");
        // What is dropped changes nothing.
        for (level, days) in [(Level::Raw, 7), (Level::Minute, 15), (Level::TenMinutes, 25), (Level::Hour, 35)] {
            while rollups.expire(level, midnight(40 - days)).await.unwrap() > 0 {}
        }
        let store = keep(&utility, [7, 15, 25, 35, 0, 0, 0], now).await;
        for ((number, _), before) in levels.into_iter().zip(before) {
            assert_eq!(hour(&utility, &store, number).await, before, "{flavour:?}, day {number}");
        }
        // Days expire too.
        let store = keep(&utility, [7, 15, 25, 35, 35, 0, 0], now).await;
        let series = hour(&utility, &store, 0).await;
        assert_eq!((has_values(&series), series.kept_since), (false, Some(midnight(5))), "{flavour:?}");
        let long = store.series(utility.client, &[point], day(0), day(41), 41).await.unwrap();
        assert_eq!((has_values(&long), long.kept_since), (true, Some(midnight(5))), "{flavour:?}: {:?}", long.source);
    }
}

#[tokio::test]
async fn late_values_are_in_coarser_buckets_before_these_are_computed() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let store = keep(&utility, [7, 15, 25, 0, 0, 0, 0], day(40)).await;
        utility.writer().await.commit(&utility.currents([0, 60])).await.unwrap();
        let series = hour(&utility, &store, 0).await;
        assert_eq!((series.source, has_values(&series), series.kept_since), (Resolution::Hour, true, None), "{flavour:?}");
    }
}

#[tokio::test]
async fn a_late_value_of_an_expired_time_is_not_returned() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let store = keep(&utility, [7, 7, 7, 7, 7, 0, 0], day(10)).await;
        let mut writer = utility.writer().await;
        writer.commit(&utility.currents([0, 60, 9 * DAY_S])).await.unwrap();
        let series = hour(&utility, &store, 0).await;
        assert_eq!((has_values(&series), series.kept_since), (false, Some(midnight(3))), "{flavour:?}");
        let point = utility.sites[0].current;
        let before = store.series(utility.client, &[point], midnight(3), day(10), 100).await.unwrap();
        assert_eq!(before.lines[0].before, None, "{flavour:?}: a register does not count from an expired reading");
        assert!(has_values(&before), "{flavour:?}");
    }
}

#[tokio::test]
async fn a_longer_retention_brings_nothing_back() {
    let utility = utility().await;
    let since = async |days: u32, now: Micros| {
        let kept = advance(utility.database.url(), &KeepDays([days, 0, 0, 0, 0, 0, 0]), now).await.unwrap();
        kept.of(Level::Raw)
    };
    assert_eq!(since(0, day(100)).await, None, "for ever");
    assert_eq!(since(90, day(100)).await, Some(midnight(10)));
    assert_eq!(since(95, day(100)).await, Some(midnight(10)), "longer");
    assert_eq!(since(0, day(100)).await, Some(midnight(10)), "for ever from now on");
    assert_eq!(since(95, day(105)).await, Some(midnight(10)), "it is older now");
    assert_eq!(since(95, day(106)).await, Some(midnight(11)));
    assert_eq!(since(90, day(99)).await, Some(midnight(11)), "a clock that goes back");
    assert_eq!(since(7, day(400)).await, Some(midnight(393)), "a clock that is ahead");
    assert_eq!(since(95, day(107)).await, Some(midnight(12)), "and right again");
}

#[tokio::test]
async fn expired_events_are_not_returned() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let (client, site) = (utility.client, &utility.sites[0]);
        let mut writer = utility.writer().await;
        writer.commit(&utility.events(0, [0, 1, 20 * DAY_S, 20 * DAY_S + 1])).await.unwrap();
        let store = keep(&utility, [0, 0, 0, 0, 0, 15, 0], day(30)).await;
        let kept =
            |events: Vec<grid::Event>| events.iter().map(|event| event.source.millis_since(START) / 1_000 / DAY_S).collect::<Vec<_>>();
        for scope in [Scope::Node(site.location), Scope::Asset(site.breaker)] {
            assert_eq!(kept(store.events_newest(client, scope, None, 10).await.unwrap()), [20, 20], "{flavour:?}");
            assert_eq!(kept(store.events_newest(client, scope, Some(4), 10).await.unwrap()), [20], "{flavour:?}");
            assert_eq!(kept(store.events_after(client, Some(scope), 0, 10).await.unwrap()), [20, 20], "{flavour:?}");
        }
        let place = EventScope { locations: &[site.location], assets: None };
        assert_eq!(kept(store.events_between(client, &place, (day(-1), day(30)), None, 10).await.unwrap()), [20, 20], "{flavour:?}");
        let changes = store.status_changes(client, &[site.position], (day(16), day(30)), 10).await.unwrap().unwrap();
        assert_eq!(changes.len(), 2, "{flavour:?}: the status before is not known");
        assert_eq!(store.first_changes(client, &[site.position]).await.unwrap()[&site.position], day(20), "{flavour:?}");
        assert_eq!(store.kept().await.unwrap().within(&[Level::Event], day(0)), Some(midnight(15)), "{flavour:?}");
        assert_eq!(store.kept().await.unwrap().within(&[Level::Event], day(15)), None, "{flavour:?}");
    }
}

#[tokio::test]
async fn expired_faults_are_not_returned_and_are_deleted_with_their_changes() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let (client, site) = (utility.client, &utility.sites[0]);
        let database = utility.database.client().await;
        // Two that ended, and an open one that began before.
        for (offset, began, is_open) in [(1_i64, 0_i64, false), (2, 1, true), (3, 20, false)] {
            let started = format!("timestamptz '2026-07-01 06:00Z' + INTERVAL '{began} days'");
            let ended = if is_open { "NULL".to_owned() } else { format!("{started} + INTERVAL '1 minute'") };
            let columns = "client_id, asset_id, location_id, ended, opened, trips, reclosed, lockout, \"offset\"";
            let values = format!("{client}, {}, {}, {ended}, {started}, 1, false, false, {offset}", site.breaker, site.location);
            database
                .batch_execute(&format!(
                    "WITH made AS (INSERT INTO fault (point_id, customers, started, {columns}) VALUES ({}, 0, {started}, {values}) RETURNING id)
                     INSERT INTO fault_event (fault_id, at, {columns}) SELECT id, {started}, {values} FROM made",
                    site.position
                ))
                .await
                .unwrap();
        }
        let store = keep(&utility, [0, 0, 0, 0, 0, 0, 15], day(30)).await;
        let began = |faults: Vec<grid::fault::FaultRecord>| {
            faults.iter().map(|record| record.fault.start.millis_since(START) / 1_000 / DAY_S).collect::<Vec<_>>()
        };
        for _ in 0..2 {
            assert_eq!(began(store.faults_since(client, None, day(-1), 10).await.unwrap()), [20, 1], "{flavour:?}: open ones stay");
            assert_eq!(began(store.faults_between(client, None, (day(-1), day(30)), 10).await.unwrap()), [20], "{flavour:?}");
            assert_eq!(store.next_fault(client, None, (day(-1), day(30))).await.unwrap(), Some(day(20)), "{flavour:?}");
            store.forget_alarms(client, None).await.unwrap();
        }
        assert_eq!((utility.count("fault").await, utility.count("fault_event").await), (2, 1), "{flavour:?}");
    }
}
