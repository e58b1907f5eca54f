//! How near the whole way in comes to the limit of the database: rows a second from gateways over the broker through ingest to the last acknowledgement,
//! against a bare binary COPY of as many rows over as many connections, in the same run and on the same server. Only the ratio means anything elsewhere.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run should stop with the reason")]
#![allow(dead_code, reason = "it shares the tests' rig and needs a part of it")]

#[path = "../tests/rig/mod.rs"]
mod rig;

use std::pin::pin;
use std::time::{Duration, Instant, SystemTime};

use field::sparkplug::{Metric, MetricValue};
use rig::{Rig, Rtu, now_ms};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;

const ROUNDS: u64 = 3;
const GATEWAYS: usize = 8;
const MESSAGES: u64 = 5_000;
/// Values in one message, as from a bay.
const VALUES: usize = 20;
const ROWS: usize = GATEWAYS * MESSAGES as usize * VALUES;
const BATCH: usize = 5_000;
const CONNECTIONS: usize = 2;

#[tokio::main]
async fn main() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let mut rig = Rig::start(database.url(), &broker.url()).await;
    let start = now_ms() - 10_000_000;
    let mut gateways = Vec::new();
    for number in 0..GATEWAYS {
        let mut gateway = Rtu::connect(&broker.url(), &format!("RTU{number}")).await;
        gateway.birth(true).await;
        gateway.boxed(1, false, values(start)).await;
        gateway.acknowledged(1).await;
        gateways.push(gateway);
    }
    let (mut raw, mut whole) = (Duration::MAX, Duration::MAX);
    for round in 0..ROUNDS {
        raw = raw.min(raw_copy(database.url(), round).await);
        let began = Instant::now();
        let sending = gateways.into_iter().map(|gateway| tokio::spawn(send(gateway, round, start)));
        let sent: Vec<_> = sending.collect();
        gateways = Vec::new();
        for gateway in sent {
            gateways.push(gateway.await.unwrap());
        }
        whole = whole.min(began.elapsed());
    }
    let expected = ROUNDS as usize * ROWS + GATEWAYS * VALUES;
    assert_eq!(rig.count("sample").await as usize, expected, "every row once");
    rig.stop_ingest().await;
    let rate = |took: Duration| ROWS as f64 / took.as_secs_f64();
    println!("raw binary COPY, {CONNECTIONS} connections      {:>9.0} rows/s", rate(raw));
    println!("gateway to acknowledgement        {:>9.0} rows/s", rate(whole));
    println!("ratio                             {:>9.2}", rate(whole) / rate(raw));
}

fn values(at: u64) -> Vec<Metric> {
    (0..VALUES).map(|number| Metric::new(format!("F{number}/Ir"), MetricValue::Double(at as f64)).at(at)).collect()
}

async fn send(mut gateway: Rtu, round: u64, start: u64) -> Rtu {
    let first = 2 + round * MESSAGES;
    for seq in first..first + MESSAGES {
        gateway.boxed(seq, false, values(start + seq)).await;
    }
    gateway.acknowledged_at_least(first + MESSAGES - 1).await;
    gateway
}

async fn raw_copy(url: &str, round: u64) -> Duration {
    let mut clients = Vec::new();
    for number in 0..CONNECTIONS {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        if number == 0 && round == 0 {
            client.batch_execute("CREATE TABLE raw_sample (LIKE sample); CREATE UNIQUE INDEX ON raw_sample (point_id, ts)").await.unwrap();
        }
        clients.push(client);
    }
    let began = Instant::now();
    let copying =
        clients.into_iter().enumerate().map(|(number, client)| tokio::spawn(copy(client, (round as usize * CONNECTIONS + number) as i64)));
    let copying: Vec<_> = copying.collect();
    for copied in copying {
        copied.await.unwrap();
    }
    began.elapsed()
}

async fn copy(client: tokio_postgres::Client, part: i64) {
    let copy = client.prepare("COPY raw_sample (point_id, ts, recv_ts, value, quality) FROM STDIN BINARY").await.unwrap();
    for batch in 0..ROWS / CONNECTIONS / BATCH {
        let sink = client.copy_in(&copy).await.unwrap();
        let types = [Type::INT8, Type::TIMESTAMPTZ, Type::TIMESTAMPTZ, Type::FLOAT8, Type::INT2];
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
        for row in 0..BATCH {
            let time = SystemTime::UNIX_EPOCH + Duration::from_millis((1_800_000_000_000 + batch * BATCH + row) as u64);
            let point = part * 1_000 + (row % VALUES) as i64;
            writer.as_mut().write(&[&point, &time, &time, &(row as f64), &0_i16]).await.unwrap();
        }
        writer.as_mut().finish().await.unwrap();
    }
}
