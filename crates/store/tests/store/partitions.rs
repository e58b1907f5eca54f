//! Partitions of the values on plain PostgreSQL: they exist ahead of time, go when all of their values have expired, and no value is lost.

use std::path::Path;

use grid::Micros;
use store::rollup::{Retention, Rollups};
use testkit::Flavour;
use tokio_postgres::Client;

use crate::fixture::{START, utility_on};

const DAY_S: i64 = 86_400;

fn days(raw: u32) -> Retention {
    Retention { days: [raw, 0, 0, 0, 0], compress_days: 8 }
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

async fn number_of_partitions(client: &Client) -> i64 {
    client.query_one("SELECT count(*) FROM pg_inherits WHERE inhparent = 'sample'::regclass", &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn weeks_are_dropped_when_all_of_their_values_have_expired() {
    let utility = utility_on(Flavour::Plain).await;
    let client = utility.database.client().await;
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    let first: Micros = now(&client).await;
    let week = |number: i64| Micros(first.0 + number * 7 * DAY_S * 1_000_000);
    let values = |number: i64| utility.currents([week(number).millis_since(START) / 1_000]);
    let mut writer = utility.writer().await;
    for number in 0..12 {
        rollups.maintain_partitions(&days(0), week(number)).await.unwrap();
        writer.commit(&values(number)).await.unwrap();
    }
    assert_eq!(partitions(&client).await.len(), 12, "one for each week");
    assert_eq!(rollups.maintain_partitions(&days(15), week(11)).await.unwrap(), 0, "their rollups are not computed yet");
    // Two weeks and a day before the last one: at least nine weeks have expired as a whole. Eight are dropped at once.
    compute(&client).await;
    let mut dropped = Vec::new();
    for _ in 0..2 {
        dropped.push(rollups.maintain_partitions(&days(15), week(11)).await.unwrap());
    }
    let left = partitions(&client).await;
    // The partition that took the place of the first eight goes with the ninth.
    assert_eq!((dropped, left.len()), (vec![8, 2], 3), "{left:?}");
    assert_eq!(rollups.maintain_partitions(&days(15), week(11)).await.unwrap(), 0, "nothing is left to do");
    // A late value of a dropped week is stored, and goes with the next week.
    writer.commit(&utility.currents([week(2).millis_since(START) / 1_000 + 1])).await.unwrap();
    let late = partitions(&client).await;
    assert!(late[0].0.starts_with("sample_before_") && late[0].1 == 1, "{late:?}");
    compute(&client).await;
    assert_eq!(rollups.maintain_partitions(&days(15), week(12)).await.unwrap(), 2);
    assert_eq!(partitions(&client).await.len(), 2);
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
    rollups.maintain_partitions(&days(0), first).await.unwrap();
    let ahead = Micros(first.0 + 10 * DAY_S * 1_000_000);
    let value = |second: i64| utility.currents([ahead.millis_since(START) / 1_000 + second]);
    utility.writer().await.commit(&value(0)).await.unwrap();
    let name = partitions(&client).await.remove(0).0;
    client.batch_execute(&format!("ALTER TABLE sample DETACH PARTITION {name}")).await.unwrap();
    assert_eq!(utility.writer().await.commit(&value(1)).await.unwrap().samples_new, 1);
    assert_eq!(partitions(&client).await, [(format!("{name}_2"), 1)]);
    rollups.maintain_partitions(&days(0), Micros(first.0 + 70 * DAY_S * 1_000_000)).await.unwrap();
}

#[tokio::test]
async fn a_partition_that_is_being_read_is_dropped_later() {
    let utility = utility_on(Flavour::Plain).await;
    let client = utility.database.client().await;
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    let first = now(&client).await;
    let later = Micros(first.0 + 60 * DAY_S * 1_000_000);
    rollups.maintain_partitions(&days(0), first).await.unwrap();
    utility.writer().await.commit(&utility.currents([first.millis_since(START) / 1_000])).await.unwrap();
    let before = number_of_partitions(&client).await;
    let mut reader = utility.database.client().await;
    let reading = reader.transaction().await.unwrap();
    reading.query("SELECT count(*) FROM sample", &[]).await.unwrap();
    compute(&client).await;
    assert_eq!(rollups.maintain_partitions(&days(7), later).await.unwrap(), 0);
    // Values can be stored meanwhile.
    let committed = utility.writer().await.commit(&utility.currents([first.millis_since(START) / 1_000 + 1])).await.unwrap();
    assert_eq!(committed.samples_new, 1);
    reading.rollback().await.unwrap();
    compute(&client).await;
    assert!(number_of_partitions(&client).await > before, "those ahead were created");
    assert!(rollups.maintain_partitions(&days(7), later).await.unwrap() > 0);
    assert_eq!(partitions(&client).await, []);
}

#[tokio::test]
async fn values_stay_when_timescaledb_is_installed_later() {
    let utility = utility_on(Flavour::Timescale).await;
    let client = utility.database.client().await;
    let split = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sql/partition/split_sample.sql")).unwrap();
    client.batch_execute("DROP EXTENSION timescaledb CASCADE").await.unwrap();
    // A connection that has loaded the extension cannot go on without it.
    let client = utility.database.client().await;
    client.batch_execute("DROP TABLE IF EXISTS sample; CREATE TABLE sample (point_id bigint NOT NULL, ts timestamptz NOT NULL, recv_ts timestamptz NOT NULL, value float8, quality smallint NOT NULL); CREATE UNIQUE INDEX sample_key ON sample (point_id, ts)").await.unwrap();
    client.batch_execute(&split).await.unwrap();
    utility.writer().await.commit(&utility.currents(0..100)).await.unwrap();
    assert_eq!(partitions(&client).await, [("sample_first".to_owned(), 100)]);
    let engine = store::migrate(utility.database.url()).await.unwrap();
    assert_ne!(engine, store::Engine::Plain);
    let point = utility.sites[0].current;
    let series = utility.store.series(utility.client, &[point], at(0), at(100), 1_000).await.unwrap();
    assert_eq!(series.times.len(), 100);
    let client = utility.database.client().await;
    let chunks = "SELECT count(*) FROM timescaledb_information.chunks WHERE hypertable_name = 'sample'";
    assert!(client.query_one(chunks, &[]).await.unwrap().get::<_, i64>(0) > 0);
}

fn at(seconds: i64) -> Micros {
    START.plus_millis(seconds * 1_000)
}

async fn now(client: &Client) -> Micros {
    Micros(client.query_one("SELECT (extract(epoch FROM date_trunc('second', now())) * 1000000)::bigint", &[]).await.unwrap().get(0))
}
