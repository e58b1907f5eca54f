//! Measures how long the store takes for a chart of three phases: half a year with a value per minute, 1,500 pixels wide. Compares it with a query
//! for the same rows in the same run. `--short` uses two weeks.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run should stop with the reason")]

use std::time::{Duration, Instant};

use grid::{ClientId, Micros, PointId};
use store::Store;
use store::rollup::Rollups;
use testkit::{Flavour, TestDatabase};

/// Number of values of each phase, and number of rounds.
const FULL: (i64, usize) = (260_000, 9);
const SHORT: (i64, usize) = (20_000, 1);
const PHASES: i64 = 3;
const WIDTH: usize = 1_500;
/// 2026-01-01 00:00 UTC.
const START: Micros = Micros(1_767_225_600_000_000);
/// With this time, plus network and drawing, users perceive the chart as immediate.
const AIM_MS: f64 = 150.0;

#[tokio::main]
async fn main() {
    let size = if std::env::args().any(|argument| argument == "--short") { SHORT } else { FULL };
    for flavour in Flavour::ALL {
        let database = testkit::database_on(flavour).await;
        measure(&database, flavour, size).await;
    }
}

async fn measure(database: &TestDatabase, flavour: Flavour, (minutes, rounds): (i64, usize)) {
    let client = database.client().await;
    let (utility, points) = insert(&client, minutes).await;
    let began = Instant::now();
    let mut rollups = Rollups::connect(database.url()).await.unwrap();
    let done = rollups.refresh_all().await.unwrap();
    let rate = (minutes * PHASES) as f64 / began.elapsed().as_secs_f64();
    client.batch_execute("VACUUM ANALYZE").await.unwrap();
    println!("{flavour:?}: {} buckets from {} values, {rate:.0} values/s", done.buckets, minutes * PHASES);

    let store = Store::connect(database.url(), 2).await.unwrap();
    let end = START.plus_millis(minutes * 60_000);
    let (mut charts, mut plains) = (Vec::new(), Vec::new());
    let ids: Vec<i64> = points.iter().map(|point| point.0).collect();
    for _ in 0..rounds {
        let began = Instant::now();
        let series = store.series(utility, &points, START, end, WIDTH).await.unwrap();
        charts.push(began.elapsed());
        assert!(series.times.len() <= WIDTH && series.times.len() > WIDTH / 2, "{} buckets", series.times.len());
        let highest = series.lines[0].cells.iter().flatten().filter_map(|cell| cell.max).fold(f64::MIN, f64::max);
        assert!((highest - 1e6).abs() < 1e-6, "the spike is there: {highest}");
        let began = Instant::now();
        let query = "SELECT point_id, ts, value, quality FROM sample WHERE point_id = ANY ($1) ORDER BY point_id, ts";
        let rows = client.query(query, &[&ids]).await.unwrap();
        plains.push(began.elapsed());
        assert_eq!(rows.len() as i64, minutes * PHASES);
    }
    let (chart, plain) = (median(charts), median(plains));
    let engine = format!("{flavour:?}").to_lowercase();
    println!("chart {chart:.1} ms, plain query {plain:.0} ms: {:.0} times", plain / chart);
    println!(
        "= chart of {} days, {WIDTH} px, 3 lines, {engine}, ms (all rows by plain SQL: {plain:.0}) | {chart:.1} | <= {AIM_MS:.0}",
        minutes / 1_440
    );
}

fn median(mut took: Vec<Duration>) -> f64 {
    took.sort_unstable();
    took[took.len() / 2].as_secs_f64() * 1_000.0
}

/// Inserts a feeder with three points, their values, and the dirty ranges that the writer would have left.
async fn insert(client: &tokio_postgres::Client, minutes: i64) -> (ClientId, Vec<PointId>) {
    let script = format!(
        "INSERT INTO client (code, name, time_zone) VALUES ('BENCH', 'Bench', 'Asia/Kolkata');
         INSERT INTO node (client_id, level, parent_id, code, name) SELECT id, 1, NULL, 'B', 'B' FROM client;
         INSERT INTO asset (client_id, location_id, code, name, type_id, class_name) SELECT client_id, id, 'B', 'B', 1, 'feeder' FROM node;
         INSERT INTO gateway (client_id, code, name, location_id) SELECT client_id, 'B', 'B', id FROM node;
         INSERT INTO point (client_id, gateway_id, asset_id, device, metric, code, quantity, unit, decimals, expected_ms)
             SELECT g.client_id, g.id, a.id, '', 'B/' || n, 'Ir', 'current', 'A', 0, 60000 FROM gateway g, asset a, generate_series(1, {PHASES}) n;
         INSERT INTO sample
             SELECT p.id, t, t, CASE WHEN n = {minutes} / 3 THEN 1e6 ELSE 200 + 50 * sin(n / 230.0) + random() END, 0
             FROM point p, generate_series(0, {minutes} - 1) n, LATERAL (SELECT to_timestamp({start}) + n * INTERVAL '1 minute' AS t) at;
         INSERT INTO rollup_dirty SELECT 1, id >> 6, min(ts), max(ts) + INTERVAL '1 minute' FROM sample JOIN point ON point.id = point_id GROUP BY 2;",
        start = START.millis() / 1_000
    );
    client.batch_execute(&script).await.unwrap();
    let rows = client.query("SELECT id, client_id FROM point ORDER BY id", &[]).await.unwrap();
    (ClientId(rows[0].get(1)), rows.iter().map(|row| PointId(row.get(0))).collect())
}
