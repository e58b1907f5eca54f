//! Compares `Writer::commit` with the limit of the database: rows per second, and a binary COPY of the same rows in the same run, on the same server,
//! into a table of the same structure. Only the ratio can be compared between machines. `--short` runs a small size.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run should stop with the reason")]

use std::pin::pin;
use std::time::{Duration, Instant};

use grid::{ClientId, Micros, Ordinal, PointId, Quality, Reading};
use postgres_types::Type;
use store::Writer;
use store::writer::{Batch, Sample};
use tokio_postgres::Client;
use tokio_postgres::binary_copy::BinaryCopyInWriter;

const BATCH: usize = 5_000;
/// Number of batches in a round, and number of rounds.
const FULL: (usize, usize) = (60, 5);
const SHORT: (usize, usize) = (2, 1);
/// Each batch has two or three values of each point, like the data of an RTU that is polled every few seconds.
const POINTS: usize = 2_000;
/// 2026-07-01 06:00 UTC.
const START: i64 = 1_782_885_600_000_000;

#[tokio::main]
async fn main() {
    let (batch_count, rounds) = if std::env::args().any(|argument| argument == "--short") { SHORT } else { FULL };
    let database = testkit::database().await;
    let client = database.client().await;
    let (utility, points) = enter_points(&client).await;
    let mut writer = Writer::connect(database.url()).await.unwrap();
    let (mut raw, mut committed) = (Duration::MAX, Duration::MAX);
    for round in 0..rounds {
        let batches = batches(utility, &points, batch_count, round);
        raw = raw.min(raw_copy(&client, &batches).await);
        committed = committed.min(commit(&mut writer, &batches).await);
    }
    writer.flush().await.unwrap();
    let stored: i64 = client.query_one("SELECT count(*) FROM sample", &[]).await.unwrap().get(0);
    assert_eq!(stored as usize, rounds * batch_count * BATCH, "every row once");
    let rate = |took: Duration| (batch_count * BATCH) as f64 / took.as_secs_f64();
    println!("raw binary COPY    {:>9.0} rows/s", rate(raw));
    println!("Writer::commit     {:>9.0} rows/s", rate(committed));
    println!("= Writer::commit to raw COPY | {:.2} | ", rate(committed) / rate(raw));
}

/// Inserts one utility with its points, and creates a second table like `sample` for the COPY.
async fn enter_points(client: &Client) -> (ClientId, Vec<PointId>) {
    let script = "
        INSERT INTO client (code, name, time_zone) VALUES ('BENCH', 'Bench', 'UTC');
        INSERT INTO node (client_id, level, parent_id, code, name) SELECT id, 1, NULL, 'B', 'B' FROM client;
        INSERT INTO asset (client_id, location_id, code, name, type_id, class_name) SELECT client_id, id, 'B', 'B', 1, 'feeder' FROM node;
        INSERT INTO gateway (client_id, code, name, location_id) SELECT client_id, 'B', 'B', id FROM node;
        INSERT INTO point (client_id, gateway_id, asset_id, device, metric, code, quantity, unit, decimals)
            SELECT g.client_id, g.id, a.id, '', 'B/' || n, 'Ir', 'current', 'A', 0 FROM gateway g, asset a, generate_series(1, 2000) n;
        CREATE TABLE raw_sample (LIKE sample);
        CREATE UNIQUE INDEX raw_sample_key ON raw_sample (point_id, ts);";
    client.batch_execute(script).await.unwrap();
    if client.query_opt("SELECT FROM pg_extension WHERE extname = 'timescaledb'", &[]).await.unwrap().is_some() {
        let hypertable = "SELECT create_hypertable('raw_sample', by_range('ts', INTERVAL '7 days'), create_default_indexes => false)";
        client.batch_execute(hypertable).await.unwrap();
    }
    let rows = client.query("SELECT id, client_id FROM point ORDER BY id", &[]).await.unwrap();
    let points: Vec<PointId> = rows.iter().map(|row| PointId(row.get(0))).collect();
    assert_eq!(points.len(), POINTS);
    (ClientId(rows[0].get(1)), points)
}

/// Returns the rows of a round in order of arrival: one value of each point, then one of each point a second later.
fn batches(client: ClientId, points: &[PointId], count: usize, round: usize) -> Vec<Batch> {
    let first = round * count * BATCH;
    (0..count)
        .map(|batch| {
            let numbers = (first + batch * BATCH)..(first + (batch + 1) * BATCH);
            let samples = numbers.map(|number| sample(client, points[number % POINTS], number));
            Batch { samples: samples.collect(), ..Batch::default() }
        })
        .collect()
}

fn sample(client: ClientId, point: PointId, number: usize) -> Sample {
    let source = Micros(START + (number / POINTS) as i64 * 1_000_000);
    let reading = Reading {
        value: Some(number as f64),
        quality: Quality::Good,
        source,
        received: source.plus_millis(40),
        ordinal: Ordinal { epoch: 1, seq: number as i64 },
    };
    Sample { point, client, reading, historical: false, repeated: false }
}

async fn raw_copy(client: &Client, batches: &[Batch]) -> Duration {
    let copy = client.prepare("COPY raw_sample (point_id, ts, recv_ts, value, quality) FROM STDIN BINARY").await.unwrap();
    let began = Instant::now();
    for batch in batches {
        let sink = client.copy_in(&copy).await.unwrap();
        let types = [Type::INT8, Type::TIMESTAMPTZ, Type::TIMESTAMPTZ, Type::FLOAT8, Type::INT2];
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
        for Sample { point, reading, .. } in &batch.samples {
            let time = |at: Micros| std::time::UNIX_EPOCH + Duration::from_micros(at.0 as u64);
            let quality = i16::from(reading.quality.code());
            writer.as_mut().write(&[&point.0, &time(reading.source), &time(reading.received), &reading.value, &quality]).await.unwrap();
        }
        writer.as_mut().finish().await.unwrap();
    }
    began.elapsed()
}

async fn commit(writer: &mut Writer, batches: &[Batch]) -> Duration {
    let began = Instant::now();
    for batch in batches {
        let committed = writer.commit(batch).await.unwrap();
        assert_eq!(committed.samples_new, batch.samples.len() as u64);
    }
    began.elapsed()
}
