//! Measures a report of a million rows: downloads the event log as CSV and XLSX over HTTP, and prints rows per second and the additional memory of
//! the api. Compares it with a COPY TO of the same rows. `--short` uses fewer rows.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::pin::pin;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures_util::StreamExt as _;
use rig::past::enter_past;
use rig::site::{Service, Shape, Site};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::interval;

const ROWS: i64 = 1_000_000;
const ROWS_SHORT: i64 = 5_000;
const WATCH: Duration = Duration::from_millis(50);

/// Writes the same rows with PostgreSQL alone.
const COPY: &str = r"
    COPY (SELECT e.source_ts, n.name, a.name, p.code, e.value, e.quality, e.recv_ts
          FROM event e JOIN point p ON p.id = e.point_id JOIN asset a ON a.id = e.asset_id JOIN node n ON n.id = e.location_id
          WHERE e.client_id = (SELECT client_id FROM event WHERE epoch = 1 LIMIT 1)
          ORDER BY e.source_ts, e.epoch, e.seq, e.idx, e.point_id) TO STDOUT WITH (FORMAT csv, HEADER)";

/// Returns the number of line ends.
fn lines_of(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}

/// A downloaded file: its size, the duration of the download, and the growth of the api's memory.
struct Download {
    bytes: usize,
    lines: usize,
    seconds: f64,
    grown_mib: u64,
}

async fn download(api: &Service, token: &str, client: i64, days: &str, format: &str) -> anyhow::Result<Download> {
    let request =
        json!({ "report": "EVENT_LOG", "level": "client", "levelId": client, "frequency": 6, "frequencyValue": days }).to_string();
    let head = format!(
        "POST /api/reports/download?format={format} HTTP/1.0\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{request}",
        request.len()
    );
    let before = api.resident_mib();
    let began = Instant::now();
    let mut stream = TcpStream::connect(("127.0.0.1", api.port())).await?;
    stream.write_all(head.as_bytes()).await?;
    let (mut bytes, mut lines, mut most) = (0, 0, before);
    let (mut piece, mut start) = (vec![0; 1 << 16], Vec::new());
    let mut watch = interval(WATCH);
    loop {
        tokio::select! {
            _ = watch.tick() => most = most.max(api.resident_mib()),
            read = stream.read(&mut piece) => match read? {
                0 => break,
                read => {
                    if start.len() < 200 {
                        start.extend_from_slice(&piece[..read.min(200)]);
                    }
                    bytes += read;
                    lines += lines_of(&piece[..read]);
                }
            },
        }
    }
    let start = String::from_utf8_lossy(&start);
    anyhow::ensure!(start.contains(" 200 "), "the report was refused: {start}");
    Ok(Download { bytes, lines, seconds: began.elapsed().as_secs_f64(), grown_mib: most.saturating_sub(before) })
}

/// Returns the duration of COPY TO, s.
async fn copy_out(site: &Site, rows_min: i64) -> anyhow::Result<f64> {
    let sql = site.sql().await?;
    let began = Instant::now();
    let mut rows = pin!(sql.copy_out(COPY).await?);
    let mut lines = 0;
    while let Some(piece) = rows.next().await {
        lines += lines_of(&piece?);
    }
    anyhow::ensure!(lines as i64 > rows_min, "COPY TO wrote {lines} lines, more than {rows_min} were expected");
    Ok(began.elapsed().as_secs_f64())
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let rows = if std::env::args().any(|argument| argument == "--short") { ROWS_SHORT } else { ROWS };
    let site = Site::start(&Shape::of_benchmark()).await?;
    let sql = site.sql().await?;
    let client: i64 = sql.query_one("SELECT client_id FROM member WHERE lower(username) = 'admin'", &[]).await?.get(0);
    let days = enter_past(&sql, client, rows).await?;
    let token = site.token().await?;
    let api = site.service("api")?;
    // The memory that the first report allocates permanently is not part of the cost of a long one.
    download(api, &token, client, &days.split(',').next().map(|day| format!("{day},{day}")).context("a day")?, "xlsx").await?;
    let copy = rows as f64 / copy_out(&site, rows).await?;
    println!("COPY TO: {copy:.0} rows/s");
    for format in ["csv", "xlsx"] {
        let file = download(api, &token, client, &days, format).await?;
        if format == "csv" {
            anyhow::ensure!(file.lines as i64 > rows, "the file has {} lines, more than {rows} were expected", file.lines);
        }
        let rate = rows as f64 / file.seconds;
        let (mib, grown) = (file.bytes as f64 / 1_048_576.0, file.grown_mib);
        println!("{format}: {rate:.0} rows/s, {mib:.1} MiB, memory {grown} MiB more, {:.2} of COPY TO", rate / copy);
        println!("= report of {rows} rows as {format}, of the rows/s of COPY TO | {:.2} | ", rate / copy);
        println!("= report of {rows} rows as {format}, memory of the api, MiB | {grown} | <= 64");
    }
    Ok(())
}
