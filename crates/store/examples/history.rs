//! Measures how long the store takes for a chart of three phases: half a year with a value per minute, 1,500 pixels wide. Compares it with a query
//! for all values, and for the rows that it reads, in the same run. Also measures the size of buckets. `--short` uses two weeks, and one day of buckets.

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
/// Number of days of values from which the size of buckets is measured: in a full run, and in a short one. One packed row of hourly buckets covers seven days.
const SIZED: (i64, i64) = (7, 1);
/// 2026-06-27 00:00 UTC, the start of a row of hours.
const WEEK: Micros = Micros(1_782_518_400_000_000);
/// The largest size of a bucket, bytes.
const SIZE_MAX: f64 = 25.0;
/// With this time, plus network and drawing, users perceive the chart as immediate.
const AIM_MS: f64 = 150.0;

#[tokio::main]
async fn main() {
    let is_short = std::env::args().any(|argument| argument == "--short");
    for flavour in Flavour::ALL {
        let database = testkit::database_on(flavour).await;
        measure(&database, flavour, if is_short { SHORT } else { FULL }).await;
        let database = testkit::database_on(flavour).await;
        size(&database, flavour, if is_short { SIZED.1 } else { SIZED.0 }).await;
    }
}

/// Measures the bytes of a bucket, index included: 20 points that report every 10 s, 20 by exception (every 20 s on average) and 20 every 30 s, of which 5 are
/// registers. Half of the values are rounded; all but those of registers have 1 % of noise.
async fn size(database: &TestDatabase, flavour: Flavour, days: i64) {
    let client = database.client().await;
    let script = format!(
        "INSERT INTO client (code, name, time_zone) VALUES ('BENCH', 'Bench', 'Asia/Kolkata');
         INSERT INTO node (client_id, level, parent_id, code, name) SELECT id, 1, NULL, 'B', 'B' FROM client;
         INSERT INTO asset (client_id, location_id, code, name, type_id, class_name) SELECT client_id, id, 'B', 'B', 1, 'feeder' FROM node;
         INSERT INTO gateway (client_id, code, name, location_id) SELECT client_id, 'B', 'B', id FROM node;
         INSERT INTO point (client_id, gateway_id, asset_id, device, metric, code, quantity, unit, decimals, expected_ms)
             SELECT g.client_id, g.id, a.id, '', 'B/' || n, CASE WHEN n > 55 THEN 'EImp' ELSE 'Ir' END, 'current', 'A', 0,
                 CASE WHEN n <= 20 THEN 10000 WHEN n > 40 THEN 30000 END
             FROM gateway g, asset a, generate_series(1, 60) n ORDER BY n;
         INSERT INTO sample
             SELECT DISTINCT ON (p.id, t) p.id, t, t, CASE
                 WHEN p.code = 'EImp' THEN 412345.6 + round((n / 40.0)::numeric, 2)::float8
                 WHEN p.id % 2 = 0 THEN round((230 + 20 * sin(n / 900.0) + 4.6 * (random() - 0.5))::numeric, 1)::float8
                 ELSE 230 + 20 * sin(n / 900.0) + 4.6 * (random() - 0.5) END, 0
             FROM point p, LATERAL (SELECT CASE WHEN expected_ms IS NULL THEN 20 ELSE expected_ms / 1000 END AS step) s,
                 generate_series(0, {days} * 86400 / s.step - 1) n,
                 LATERAL (SELECT to_timestamp({start}) + (n * s.step + CASE WHEN p.expected_ms IS NULL THEN round((random() * 19)::numeric, 3) ELSE 0.25 END)
                     * INTERVAL '1 second' AS t) at;
         INSERT INTO rollup_dirty SELECT DISTINCT 1, id >> 6, min(ts), max(ts) + INTERVAL '1 minute' FROM sample JOIN point ON point.id = point_id GROUP BY 2;",
        start = WEEK.millis() / 1_000
    );
    client.batch_execute(&script).await.unwrap();
    Rollups::connect(database.url()).await.unwrap().refresh_all().await.unwrap();
    client.batch_execute("VACUUM FULL rollup_1m, rollup_10m, rollup_1h").await.unwrap();
    let engine = format!("{flavour:?}").to_lowercase();
    for level in ["1m", "10m", "1h"] {
        let query = format!(
            "SELECT (SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'rollup_{level}'::regclass)::float8,
                 (SELECT sum((SELECT count(n) FROM unnest(r.n) AS n)) FROM rollup_{level} r)::float8,
                 (SELECT count(*) FILTER (WHERE step IS NULL) FROM rollup_{level})::float8"
        );
        let row = client.query_one(&query, &[]).await.unwrap();
        let (bytes, buckets, exact): (f64, f64, f64) = (row.get(0), row.get(1), row.get(2));
        println!("{level}: {buckets} buckets, {exact} rows with exact figures");
        println!("= bytes of a bucket of {level}, {engine} | {:.1} | <= {SIZE_MAX:.0}", bytes / buckets);
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
    one_point(&client, &store, utility, points[0], minutes, flavour).await;
    let (chart, plain) = (median(charts), median(plains));
    let engine = format!("{flavour:?}").to_lowercase();
    println!("chart {chart:.1} ms, plain query {plain:.0} ms: {:.0} times", plain / chart);
    println!(
        "= chart of {} days, {WIDTH} px, 3 lines, {engine}, ms (all rows by plain SQL: {plain:.0}) | {chart:.1} | <= {AIM_MS:.0}",
        minutes / 1_440
    );
}

/// Compares the chart of one point with plain SQL of the rows that it reads.
async fn one_point(client: &tokio_postgres::Client, store: &Store, utility: ClientId, point: PointId, minutes: i64, flavour: Flavour) {
    let end = START.plus_millis(minutes * 60_000);
    let (mut charts, mut plains) = (Vec::new(), Vec::new());
    for _ in 0..25 {
        let began = Instant::now();
        let series = store.series(utility, &[point], START, end, WIDTH).await.unwrap();
        charts.push(began.elapsed());
        let table = match series.source {
            grid::downsample::Resolution::Hour => "rollup_1h",
            grid::downsample::Resolution::TenMinutes => "rollup_10m",
            _ => "rollup_1m",
        };
        let began = Instant::now();
        let rows = client.query(&format!("SELECT * FROM {table} WHERE point_id = $1 ORDER BY start"), &[&point.0]).await.unwrap();
        plains.push(began.elapsed());
        assert!(!rows.is_empty());
    }
    let engine = format!("{flavour:?}").to_lowercase();
    println!("chart of one point, {engine}: {:.2} ms, plain SQL of the same rows {:.2} ms", median(charts), median(plains));
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
