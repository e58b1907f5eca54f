//! Measures how long the store takes for the energy and demand of a division over a year, from rollups and dirty ranges. Compares it with SQL over
//! all rows in the same run. `--short` uses two weeks and fewer lines.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run should stop with the reason")]

use std::time::{Duration, Instant};

use grid::demand::{SHARE_MIN, peak};
use grid::downsample::Resolution;
use grid::energy::counted;
use grid::{ClientId, Micros, PointId};
use store::Store;
use store::rollup::Rollups;
use store::series::Wanted;
use testkit::{Flavour, TestDatabase};

/// The size of a measurement.
#[derive(Debug, Clone, Copy)]
struct Size {
    /// Number of lines of a division. Substations have two incoming lines and eight feeders each, and each line has two registers and a power.
    lines: i64,
    days: i64,
    /// Time between two values, minutes. With hourly values the store uses blocks of an hour, like for a year of half-hourly values.
    step_min: i64,
    rounds: usize,
}

const FULL: Size = Size { lines: 40, days: 365, step_min: 30, rounds: 5 };
const SHORT: Size = Size { lines: 4, days: 14, step_min: 60, rounds: 1 };
/// 2024-12-31 18:30 UTC, which is midnight in India.
const START: Micros = Micros(1_735_669_800_000_000);
const AIM_MS: f64 = 500.0;

#[tokio::main]
async fn main() {
    let size = if std::env::args().any(|argument| argument == "--short") { SHORT } else { FULL };
    for flavour in Flavour::ALL {
        let database = testkit::database_on(flavour).await;
        measure(&database, flavour, size).await;
    }
}

async fn measure(database: &TestDatabase, flavour: Flavour, size: Size) {
    let Size { lines, days, rounds, .. } = size;
    let client = database.client().await;
    let began = Instant::now();
    let (utility, registers, powers) = insert(&client, database.url(), size).await;
    let engine = format!("{flavour:?}").to_lowercase();
    println!(
        "{engine}: {} points, {days} days of each, inserted in {:.0} s",
        registers.len() + powers.len(),
        began.elapsed().as_secs_f64()
    );
    let store = Store::connect(database.url(), 2).await.unwrap();
    let end = START.plus_millis(days * 86_400_000);
    let ids: Vec<i64> = registers.iter().chain(powers.iter().map(|(point, _)| point)).map(|point| point.0).collect();
    let (registers_ids, power_ids) = ids.split_at(registers.len());
    let (mut energies, mut peaks, mut plain_energies, mut plain_peaks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let began = Instant::now();
        let mut total = 0.0;
        for part in registers.chunks(store::series::REGISTERS_MAX) {
            let found = store.registers(utility, part, (START, end.plus_millis(-86_400_000)), Wanted::Of(Resolution::Day)).await.unwrap();
            let sums =
                found.lines.iter().map(|line| counted(line.before, &line.cells, &found.edges, 86_400_000, &grid::register::Bound::NONE));
            total += sums.flatten().filter_map(grid::energy::Counted::known).sum::<f64>();
        }
        energies.push(began.elapsed());
        let began = Instant::now();
        let sums = store.sums(utility, &powers, (START, end)).await.unwrap();
        let largest = peak(&sums.blocks, SHARE_MIN).unwrap().1;
        peaks.push(began.elapsed());

        let began = Instant::now();
        let query = "SELECT point_id, max(value) - min(value) FROM sample WHERE point_id = ANY ($1) GROUP BY 1";
        let rows = client.query(query, &[&registers_ids]).await.unwrap();
        plain_energies.push(began.elapsed());
        let plain: f64 = rows.iter().map(|row| row.get::<_, f64>(1)).sum();
        // The energy from registers lacks the last day, because its end is not known yet.
        assert!((total - plain).abs() < plain * 1.1 / days as f64, "energy by registers {total}, by plain SQL {plain}");
        let began = Instant::now();
        let query = "SELECT max(total) FROM (
                SELECT sum(mean) AS total FROM (
                    SELECT point_id, date_bin('1 hour', ts, '2000-01-01') AS hour, avg(value) AS mean FROM sample WHERE point_id = ANY ($1) GROUP BY 1, 2
                ) means GROUP BY hour
            ) blocks";
        let plain: f64 = client.query_one(query, &[&power_ids]).await.unwrap().get(0);
        plain_peaks.push(began.elapsed());
        assert!((largest - plain).abs() < 1e-4 * plain, "peak by blocks {largest}, by plain SQL {plain}");
    }
    for (what, took, plain) in [("energy by day", energies, plain_energies), ("peak demand", peaks, plain_peaks)] {
        let (took, plain) = (median(took), median(plain));
        println!("{what}: {took:.0} ms, plain SQL over all rows {plain:.0} ms: {:.1} times", plain / took);
        println!(
            "= {what} of {days} days over {lines} lines, {engine}, ms (plain SQL over all rows: {plain:.0}) | {took:.0} | <= {AIM_MS:.0}"
        );
    }
}

fn median(mut took: Vec<Duration>) -> f64 {
    took.sort_unstable();
    took[took.len() / 2].as_secs_f64() * 1_000.0
}

/// Inserts lines with their points, their values, and the rollups per hour and day. The last hours are dirty ranges.
///
/// Values per second would take too long to insert for a year, so the SQL of the comparison reads one value per half hour.
async fn insert(client: &tokio_postgres::Client, url: &str, size: Size) -> (ClientId, Vec<PointId>, Vec<(PointId, f64)>) {
    let Size { lines, days, step_min, .. } = size;
    let values = days * 1_440 / step_min;
    let script = format!(
        "INSERT INTO client (code, name, time_zone) VALUES ('BENCH', 'Bench', 'Asia/Kolkata');
         INSERT INTO node (client_id, level, parent_id, code, name) SELECT id, 1, NULL, 'B', 'B' FROM client;
         INSERT INTO asset (client_id, location_id, code, name, type_id, class_name) SELECT client_id, id, 'B', 'B', 1, 'feeder' FROM node;
         INSERT INTO gateway (client_id, code, name, location_id) SELECT client_id, 'B', 'B', id FROM node;
         INSERT INTO point (client_id, gateway_id, asset_id, device, metric, code, quantity, unit, decimals, expected_ms)
             SELECT g.client_id, g.id, a.id, '', n || '/' || measured, measured, 'active_power', 'MW', 2, {step_min} * 60000
             FROM gateway g, asset a, generate_series(1, {lines}) n, unnest(ARRAY['EImp', 'EExp', 'P']) measured;
         INSERT INTO sample
             SELECT p.id, t, t, CASE p.code WHEN 'P' THEN 2 + sin(n / 8.0) + random() ELSE n END, 0
             FROM generate_series(0, {values} - 1) n, point p, LATERAL (SELECT to_timestamp({start}) + n * INTERVAL '{step_min} minutes' AS t) at;
         INSERT INTO rollup_dirty
             SELECT DISTINCT 1, id >> 6, oldest, newest + INTERVAL '1 minute' FROM point, (SELECT min(ts) AS oldest, max(ts) AS newest FROM sample) at;",
        start = START.millis() / 1_000
    );
    client.batch_execute(&script).await.unwrap();
    Rollups::connect(url).await.unwrap().refresh_all().await.unwrap();
    let only_hours = "DELETE FROM rollup_1m; DELETE FROM rollup_10m;
         INSERT INTO rollup_dirty
             SELECT DISTINCT 1, id >> 6, newest - INTERVAL '3 hours', newest + INTERVAL '1 minute' FROM point, (SELECT max(ts) AS newest FROM sample) at";
    client.batch_execute(only_hours).await.unwrap();
    client.batch_execute("VACUUM ANALYZE").await.unwrap();
    let rows = client.query("SELECT id, client_id, code FROM point ORDER BY id", &[]).await.unwrap();
    let of = |is_power: bool| rows.iter().filter(move |row| (row.get::<_, &str>(2) == "P") == is_power).map(|row| PointId(row.get(0)));
    (ClientId(rows[0].get(1)), of(false).collect(), of(true).map(|point| (point, 1.0)).collect())
}
