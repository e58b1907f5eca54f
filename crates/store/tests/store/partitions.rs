//! Partitions of the history: they exist ahead of time, are dropped when all of their rows have expired, and no row is lost.

use grid::downsample::{Bucket, Resolution};
use grid::{Micros, Quality};
use store::kept::Level;
use store::rollup::Rollups;
use store::{Engine, Store};
use testkit::Flavour;
use tokio_postgres::Client;

use crate::fixture::{START, Utility, enter, utility_on};

const DAY_S: i64 = 86_400;
const RAW: Level = Level::Raw;

/// A number of days before a time.
fn before(now: Micros, days: i64) -> Micros {
    Micros(now.0 - days * DAY_S * 1_000_000)
}

/// Returns the names of the partitions with their numbers of values, in the order of time.
async fn partitions(client: &Client) -> Vec<(String, i64)> {
    let rows = client.query("SELECT tableoid::regclass::text, count(*) FROM sample GROUP BY 1 ORDER BY min(ts)", &[]).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// Takes all values for computed: the present ten minutes would not be due.
async fn compute(client: &Client) {
    client.execute("DELETE FROM rollup_dirty", &[]).await.unwrap();
}

#[tokio::test]
async fn months_are_dropped_when_all_of_their_values_have_expired() {
    let utility = utility_on(Flavour::Plain).await;
    let client = utility.database.client().await;
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    // The middle of each month.
    let middle = "SELECT (extract(epoch FROM (date_trunc('month', now() AT TIME ZONE 'UTC') + $1 * INTERVAL '1 month' + INTERVAL '14 days')
        AT TIME ZONE 'UTC') * 1000000)::bigint";
    let mut months = Vec::new();
    for number in 0..13 {
        months.push(Micros(client.query_one(middle, &[&f64::from(number)]).await.unwrap().get(0)));
    }
    let mut writer = utility.writer().await;
    for month in &months[..12] {
        rollups.create_partitions(*month).await.unwrap();
        writer.commit(&utility.currents([month.millis_since(START) / 1_000])).await.unwrap();
    }
    assert_eq!(partitions(&client).await.len(), 12, "one for each month");
    let since = before(months[11], 40);
    assert_eq!(rollups.expire(RAW, since).await.unwrap(), 0, "their rollups are not computed yet");
    compute(&client).await;
    let mut dropped = Vec::new();
    for _ in 0..6 {
        dropped.push(rollups.expire(RAW, since).await.unwrap());
    }
    // The partition that took the place of the first three is dropped with the next ones.
    let left = partitions(&client).await;
    assert_eq!((dropped, left.len()), (vec![3, 3, 3, 3, 2, 0], 2), "{left:?}");
    // A late value of a dropped month is stored, and is dropped with the next month.
    writer.commit(&utility.currents([months[2].millis_since(START) / 1_000 + 1])).await.unwrap();
    let late = partitions(&client).await;
    assert!(late[0].0.starts_with("sample_before_") && late[0].1 == 1, "{late:?}");
    compute(&client).await;
    assert_eq!(rollups.expire(RAW, before(months[12], 40)).await.unwrap(), 2);
    assert_eq!(partitions(&client).await.len(), 1);
}

#[tokio::test]
async fn a_value_beyond_all_partitions_gets_its_own() {
    let utility = utility_on(Flavour::Plain).await;
    let client = utility.database.client().await;
    let ahead = now(&client).await.millis_since(START) / 1_000 + 400 * DAY_S;
    // Two writers meet the missing partition at the same time.
    let (mut one, mut two) = (utility.writer().await, utility.writer().await);
    let (first, second) = (utility.currents([ahead]), utility.currents([ahead + 1]));
    let (one, two) = tokio::join!(one.commit(&first), two.commit(&second));
    assert_eq!((one.unwrap().samples_new, two.unwrap().samples_new), (1, 1));
    assert_eq!(partitions(&client).await.len(), 1);
    // The time before it is covered as well.
    let committed = utility.writer().await.commit(&utility.currents([0, ahead - 300 * DAY_S, ahead - 3 * DAY_S])).await.unwrap();
    assert_eq!(committed.samples_new, 3);
}

#[tokio::test]
async fn a_detached_partition_does_not_stop_the_others() {
    let utility = utility_on(Flavour::Plain).await;
    let client = utility.database.client().await;
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    let first = now(&client).await;
    rollups.create_partitions(first).await.unwrap();
    let ahead = Micros(first.0 + 31 * DAY_S * 1_000_000);
    let value = |second: i64| utility.currents([ahead.millis_since(START) / 1_000 + second]);
    utility.writer().await.commit(&value(0)).await.unwrap();
    let name = partitions(&client).await.remove(0).0;
    client.batch_execute(&format!("ALTER TABLE sample DETACH PARTITION {name}")).await.unwrap();
    assert_eq!(utility.writer().await.commit(&value(1)).await.unwrap().samples_new, 1);
    assert_eq!(partitions(&client).await, [(format!("{name}_2"), 1)]);
    rollups.create_partitions(Micros(first.0 + 70 * DAY_S * 1_000_000)).await.unwrap();
}

#[tokio::test]
async fn a_partition_that_is_being_read_is_dropped_later() {
    let utility = utility_on(Flavour::Plain).await;
    let client = utility.database.client().await;
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    let first = now(&client).await;
    let since = Micros(first.0 + 93 * DAY_S * 1_000_000);
    rollups.create_partitions(first).await.unwrap();
    utility.writer().await.commit(&utility.currents([first.millis_since(START) / 1_000])).await.unwrap();
    let mut reader = utility.database.client().await;
    let reading = reader.transaction().await.unwrap();
    reading.query("SELECT count(*) FROM sample", &[]).await.unwrap();
    compute(&client).await;
    assert_eq!(rollups.expire(RAW, since).await.unwrap(), 0);
    // Values can be stored meanwhile.
    let committed = utility.writer().await.commit(&utility.currents([first.millis_since(START) / 1_000 + 1])).await.unwrap();
    assert_eq!(committed.samples_new, 1);
    reading.rollback().await.unwrap();
    compute(&client).await;
    assert!(rollups.expire(RAW, since).await.unwrap() > 0);
    assert_eq!(partitions(&client).await, []);
}

/// Returns the partitions or chunks of a table, by their number.
async fn parts(utility: &Utility, flavour: Flavour, table: &str) -> i64 {
    match flavour {
        Flavour::Plain => utility.count(&format!("pg_inherits WHERE inhparent = '{table}'::regclass")).await,
        Flavour::Timescale => utility.count(&format!("timescaledb_information.chunks WHERE hypertable_name = '{table}'")).await,
    }
}

#[tokio::test]
async fn months_of_events_and_buckets_are_dropped_as_a_whole() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        utility.store.prepare_import(START).await.unwrap();
        let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
        // Four months, a row for each day.
        let days = || (0..120).map(|day| day * DAY_S);
        utility.writer().await.commit(&utility.events(0, days())).await.unwrap();
        let point = utility.sites[0].current;
        let buckets: Vec<_> = days().map(|second| (point, at(second), Bucket::of(at(second), Some(1.0), Quality::Good))).collect();
        let levels =
            [(Level::Event, "event", "source_ts"), (Level::Minute, "rollup_1m", "start"), (Level::TenMinutes, "rollup_10m", "start")];
        for of in [Resolution::Minute, Resolution::TenMinutes] {
            assert_eq!(utility.store.put_buckets(of, &buckets).await.unwrap(), 120);
        }
        for (level, table, column) in levels {
            let parted = parts(&utility, flavour, table).await;
            assert!(parted >= 4, "{flavour:?}: {parted} of {table}");
            assert_eq!(rollups.expire(level, START).await.unwrap(), 0, "{flavour:?}: nothing of {table} is that old");
            let since = at(70 * DAY_S);
            while rollups.expire(level, since).await.unwrap() > 0 {}
            let count =
                async |is: &str| utility.count(&format!("{table} WHERE {column} {is} to_timestamp({}::bigint / 1000000)", since.0)).await;
            assert_eq!(count(">=").await, if level == Level::TenMinutes { 49 } else { 50 }, "{flavour:?} {table}");
            // At most the month in which it begins, and the block before.
            assert!((0..=31).contains(&count("<").await), "{flavour:?} {table}");
            assert!(parts(&utility, flavour, table).await < parted, "{flavour:?} {table}");
        }
    }
}

#[tokio::test]
async fn what_coarser_buckets_need_is_kept_until_they_are_computed() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        utility.store.prepare_import(START).await.unwrap();
        let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
        utility.writer().await.commit(&utility.currents([0, 100 * DAY_S])).await.unwrap();
        rollups.refresh(Resolution::Minute).await.unwrap();
        let since = at(99 * DAY_S);
        for of in [Resolution::Raw, Resolution::Minute] {
            assert!(rollups.expire(of.into(), since).await.unwrap() > 0 || of == Resolution::Minute, "{flavour:?} {of:?}");
        }
        assert_eq!((utility.count("sample").await, utility.count("rollup_1m").await), (1, 2), "{flavour:?}");
        rollups.refresh_all().await.unwrap();
        while rollups.expire(Level::Minute, since).await.unwrap() > 0 {}
        assert_eq!((utility.count("rollup_1m").await, utility.count("bucket_10m").await), (1, 2), "{flavour:?}");
    }
}

#[tokio::test]
async fn imported_months_have_partitions_of_their_own() {
    let utility = utility_on(Flavour::Plain).await;
    let client = utility.database.client().await;
    let now = now(&client).await;
    let second = now.millis_since(START) / 1_000;
    // A value of today stays where it is.
    utility.writer().await.commit(&utility.currents([second])).await.unwrap();
    let from = Micros(now.0 - 200 * DAY_S * 1_000_000);
    for _ in 0..2 {
        utility.store.prepare_import(from).await.unwrap();
    }
    utility
        .writer()
        .await
        .commit(&utility.currents([second - 190 * DAY_S, second - 100 * DAY_S, second - 200 * DAY_S - 40 * DAY_S]))
        .await
        .unwrap();
    let found = partitions(&client).await;
    assert_eq!(found.len(), 4, "each value has a partition of its own: {found:?}");
    assert!(found[0].0.starts_with("sample_before_") && found[1..].iter().all(|(name, _)| !name.contains("before")), "{found:?}");
    assert!(parts(&utility, Flavour::Plain, "event").await >= 6);
    assert!(parts(&utility, Flavour::Plain, "rollup_1h").await <= 3);
}

#[tokio::test]
async fn buckets_beyond_all_partitions_get_their_own() {
    let utility = utility_on(Flavour::Plain).await;
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    let client = utility.database.client().await;
    let ahead = now(&client).await.millis_since(START) / 1_000 + 3_000 * DAY_S;
    let mut batch = utility.currents([ahead]);
    batch.events = utility.events(0, [ahead]).events;
    let committed = utility.writer().await.commit(&batch).await.unwrap();
    assert_eq!((committed.samples_new, committed.events.len()), (1, 1));
    assert_eq!(rollups.refresh_all().await.unwrap().aside, 0);
    assert_eq!((utility.count("bucket_1m").await, utility.count("bucket_1h").await), (1, 1));
    let later = at((ahead / DAY_S + 1_000) * DAY_S);
    let bucket = (utility.sites[0].current, later, Bucket::of(later, Some(1.0), Quality::Good));
    assert_eq!(utility.store.put_buckets(Resolution::TenMinutes, &[bucket]).await.unwrap(), 1);
}

#[tokio::test]
async fn history_stays_when_timescaledb_is_installed_later() {
    let database = testkit::empty_database(Flavour::Timescale).await;
    let client = database.client().await;
    // The extension refuses a database that has its schema.
    client.batch_execute("CREATE SCHEMA _timescaledb_catalog").await.unwrap();
    assert_eq!(store::migrate(database.url()).await.unwrap(), Engine::Plain);
    let store = Store::connect(database.url(), 2).await.unwrap();
    let (client_id, circle, sites) = enter(&store, "APDL").await;
    let utility = Utility { database, store, client: client_id, circle, sites };
    let mut batch = utility.currents(0..100);
    batch.events = utility.events(0, 0..10).events;
    utility.writer().await.commit(&batch).await.unwrap();
    Rollups::connect(utility.database.url()).await.unwrap().refresh_all().await.unwrap();
    client.batch_execute("DROP SCHEMA _timescaledb_catalog").await.unwrap();
    assert_ne!(store::migrate(utility.database.url()).await.unwrap(), Engine::Plain);
    let series = utility.store.series(utility.client, &[utility.sites[0].current], at(0), at(100), 1_000).await.unwrap();
    assert_eq!(series.times.len(), 100);
    for (table, rows) in [("event", 10), ("bucket_1m", 2), ("bucket_10m", 1), ("bucket_1h", 1)] {
        assert_eq!(utility.count(table).await, rows, "{table}");
    }
    for table in ["sample", "event", "rollup_1m", "rollup_10m", "rollup_1h"] {
        assert!(parts(&utility, Flavour::Timescale, table).await > 0, "{table}");
    }
    // Keys, foreign keys and row-level security are those of before.
    let fresh = utility_on(Flavour::Timescale).await;
    let schema = "SELECT string_agg(line, E'\\n' ORDER BY line) FROM (
        SELECT indexdef AS line FROM pg_indexes WHERE schemaname = 'public'
        UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
        UNION ALL SELECT tablename || ' ' || policyname || ' ' || cmd || ' ' || qual FROM pg_policies
        UNION ALL SELECT relname || ' ' || relforcerowsecurity || ' ' || coalesce(obj_description(oid), '') || ' ' || relacl::text
            FROM pg_class WHERE relnamespace = 'public'::regnamespace) lines";
    let [found, expected] = [client, fresh.database.client().await]
        .map(|client| async move { client.query_one(schema, &[]).await.unwrap().get::<_, String>(0) });
    assert_eq!(found.await, expected.await);
}

fn at(seconds: i64) -> Micros {
    START.plus_millis(seconds * 1_000)
}

async fn now(client: &Client) -> Micros {
    Micros(client.query_one("SELECT (extract(epoch FROM date_trunc('second', now())) * 1000000)::bigint", &[]).await.unwrap().get(0))
}
