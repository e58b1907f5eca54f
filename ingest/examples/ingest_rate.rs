//! Compares the throughput of ingest, in rows per second, with a binary COPY of as many rows in batches of the same
//! size. Both run on the same server in the same run. Only the ratios can be compared between machines. `--short` runs
//! a small size.
//!
//! The main figure is the time in which ingest works through a backlog at the broker, up to the last acknowledgement.
//! The path from gateways that send during the measurement is measured too. On two cores these gateways take processor
//! time from ingest, broker and database.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run should stop with the reason")]
#![allow(dead_code, reason = "it shares the tests' rig and needs a part of it")]

#[path = "../tests/ingest/rig.rs"]
mod rig;

use std::pin::pin;
use std::time::{Duration, Instant, SystemTime};

use field::sparkplug::{Metric, MetricValue};
use ingest::IngestConfig;
use rig::{Rig, Rtu, Watcher, now_ms};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;

/// The size of a measurement.
#[derive(Debug, Clone, Copy)]
struct Size {
    rounds: usize,
    gateways: usize,
    /// Messages of each gateway in a round.
    messages: u64,
}

const FULL: Size = Size { rounds: 3, gateways: 8, messages: 10_000 };
const SHORT: Size = Size { rounds: 1, gateways: 2, messages: 300 };
/// Values in one message, as from a bay.
const VALUES: usize = 20;
/// One message in this many is sent twice, where messages are resent.
const RESENT_EVERY: u64 = 100;

impl Size {
    /// Returns the number of rows of a round.
    fn rows(self) -> usize {
        self.gateways * self.messages as usize * VALUES
    }
}

#[tokio::main]
async fn main() {
    let size = if std::env::args().any(|argument| argument == "--short") { SHORT } else { FULL };
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let mut rig = Rig::start(database.url(), &broker.url()).await;
    let start = now_ms() - 10_000_000;
    let mut gateways = Vec::new();
    for number in 0..size.gateways {
        let mut gateway = Rtu::connect(&broker.url(), &format!("RTU{number}")).await;
        gateway.birth(true).await;
        gateway.boxed(1, false, values(start)).await;
        gateway.acknowledged(1).await;
        gateways.push(gateway);
    }
    let (mut raw, mut ways) = ([Duration::MAX; 2], [Duration::MAX; 4]);
    prepare_raw(database.url()).await;
    for round in 0..size.rounds {
        for (best, connections) in raw.iter_mut().zip([1, 2]) {
            *best = raw_copy(database.url(), size, connections, round).await.min(*best);
        }
        for (way, best) in WAYS.iter().zip(&mut ways) {
            // The gateways encode the messages; this time is not measured.
            let prepared: Vec<Vec<Message>> =
                gateways.iter_mut().map(|gateway| messages(gateway, start, size.messages, way.resend)).collect();
            let last = gateways[0].acked + size.messages;
            if way.catching_up {
                rig.stop_ingest().await;
                gateways = send_all(gateways, prepared, &broker.url()).await;
                let began = Instant::now();
                rig.start_ingest().await;
                gateways = all_acknowledged(gateways, last).await;
                *best = began.elapsed().min(*best);
            } else {
                let began = Instant::now();
                gateways = all_acknowledged(send_all(gateways, prepared, &broker.url()).await, last).await;
                *best = began.elapsed().min(*best);
            }
        }
    }
    let expected = WAYS.len() * size.rounds * size.rows() + size.gateways * VALUES;
    assert_eq!(rig.count("sample").await as usize, expected, "every row once");
    rig.stop_ingest().await;
    let rate = |took: Duration| size.rows() as f64 / took.as_secs_f64();
    println!("raw binary COPY, 1 connection          {:>9.0} rows/s", rate(raw[0]));
    println!("raw binary COPY, 2 connections         {:>9.0} rows/s", rate(raw[1]));
    println!("                                          rows/s   of raw with 1   of raw with 2");
    for (way, took) in WAYS.iter().zip(ways) {
        println!("{:<38} {:>10.0} {:>15.2} {:>15.2}", way.name, rate(took), rate(took) / rate(raw[0]), rate(took) / rate(raw[1]));
        println!(
            "= ingest to raw COPY: {} | {:.2} | {}",
            way.name,
            rate(took) / rate(raw[0]),
            if way.catching_up { ">= 0.75" } else { "" }
        );
    }
}

/// One of the measured paths.
struct Way {
    name: &'static str,
    /// Whether all messages wait at the broker before ingest starts. Otherwise the gateways send during the
    /// measurement.
    catching_up: bool,
    /// One message in [`RESENT_EVERY`] is sent twice.
    resend: bool,
}

const WAYS: [Way; 4] = [
    Way { name: "broker to acknowledgement", catching_up: true, resend: false },
    Way { name: "the same, 1 in 100 sent twice", catching_up: true, resend: true },
    Way { name: "sending gateway to acknowledgement", catching_up: false, resend: false },
    Way { name: "that, 1 in 100 sent twice", catching_up: false, resend: true },
];

/// A topic and a payload.
type Message = (String, Vec<u8>);

/// Encodes the next messages of a gateway.
fn messages(gateway: &mut Rtu, start: u64, count: u64, resend: bool) -> Vec<Message> {
    let first = gateway.acked + 1;
    let mut all = Vec::new();
    for seq in first..first + count {
        all.push(gateway.boxed_message(seq, false, values(start + seq)));
        if resend && seq.is_multiple_of(RESENT_EVERY) {
            all.push(gateway.boxed_message(seq, true, values(start + seq)));
        }
    }
    all
}

fn values(at: u64) -> Vec<Metric> {
    (0..VALUES).map(|number| Metric::new(format!("F{number}/Ir"), MetricValue::Double(at as f64)).at(at)).collect()
}

/// Sends the messages of all gateways concurrently. Returns when the broker has all of them.
async fn send_all(gateways: Vec<Rtu>, prepared: Vec<Vec<Message>>, broker: &str) -> Vec<Rtu> {
    let mut watcher = Watcher::new(broker, "bench/sent").await;
    let sending = gateways.into_iter().zip(prepared).map(|(gateway, messages)| {
        tokio::spawn(async move {
            for (topic, payload) in messages {
                gateway.raw(&topic, payload).await;
            }
            gateway.raw("bench/sent", Vec::new()).await;
            gateway
        })
    });
    let sending: Vec<_> = sending.collect();
    let mut gateways = Vec::new();
    for gateway in sending {
        gateways.push(gateway.await.unwrap());
    }
    for _ in &gateways {
        watcher.until(|_| true).await;
    }
    gateways
}

async fn all_acknowledged(mut gateways: Vec<Rtu>, last: u64) -> Vec<Rtu> {
    for gateway in &mut gateways {
        gateway.acknowledged_at_least(last).await;
    }
    gateways
}

async fn prepare_raw(url: &str) {
    let table = "CREATE TABLE raw_sample (LIKE sample);
        SELECT create_hypertable('raw_sample', by_range('ts', INTERVAL '7 days'), create_default_indexes => false);
        CREATE UNIQUE INDEX raw_sample_key ON raw_sample (point_id, ts)";
    rig::database_client(url).await.batch_execute(table).await.unwrap();
}

async fn raw_copy(url: &str, size: Size, connections: usize, round: usize) -> Duration {
    let mut clients = Vec::new();
    for _ in 0..connections {
        clients.push(rig::database_client(url).await);
    }
    let began = Instant::now();
    let part = |number: usize| (round * 4 + connections * 2 + number) as i64;
    let copying =
        clients.into_iter().enumerate().map(|(number, client)| tokio::spawn(copy(client, part(number), size.rows() / connections)));
    let copying: Vec<_> = copying.collect();
    for copied in copying {
        copied.await.unwrap();
    }
    began.elapsed()
}

async fn copy(client: tokio_postgres::Client, part: i64, rows: usize) {
    let copy = client.prepare("COPY raw_sample (point_id, ts, recv_ts, value, quality) FROM STDIN BINARY").await.unwrap();
    let size = IngestConfig::default().batch_rows;
    for batch in 0..rows / size {
        let sink = client.copy_in(&copy).await.unwrap();
        let types = [Type::INT8, Type::TIMESTAMPTZ, Type::TIMESTAMPTZ, Type::FLOAT8, Type::INT2];
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
        for row in 0..size {
            let time = SystemTime::UNIX_EPOCH + Duration::from_millis((1_800_000_000_000 + batch * size + row) as u64);
            let point = part * 1_000 + (row % VALUES) as i64;
            writer.as_mut().write(&[&point, &time, &time, &(row as f64), &0_i16]).await.unwrap();
        }
        writer.as_mut().finish().await.unwrap();
    }
}
