//! Measures sign-in and commands while one user runs 20 heavy reads at once: the 99th percentile of a selection, of a selection with its execution and
//! of a sign-in, as a ratio to the same without the reads. Also measures how soon the database ends the query of a client that has gone.
//! `--short` uses fewer rows and requests.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use rig::operators::{Breaker, allow, breakers, until_operable};
use rig::past::enter_past;
use rig::site::{Shape, Site, call_json};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Reads that one user runs at the same time.
const READS: usize = 20;
/// Time limit for a breaker to become operable.
const OPERABLE_LIMIT: Duration = Duration::from_mins(1);
/// The pause of a reader that got no turn.
const REFUSED_PAUSE: Duration = Duration::from_millis(500);

/// The size of a measurement.
struct Size {
    /// Rows that a heavy read covers.
    rows: i64,
    selections: usize,
    executions: usize,
    sign_ins: usize,
}

const FULL: Size = Size { rows: 1_000_000, selections: 400, executions: 60, sign_ins: 60 };
const SHORT: Size = Size { rows: 20_000, selections: 8, executions: 2, sign_ins: 2 };

/// Queries that run for the readers: those in the role of one utility that only reads.
const RUNNING: &str = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%event%' AND backend_type = 'client backend'";

/// The user who reads, with the request of the heavy read.
#[derive(Clone)]
struct Reader {
    port: u16,
    request: Arc<str>,
}

impl Reader {
    fn new(port: u16, token: &str, client: i64, days: &str) -> Self {
        let body =
            json!({ "report": "EVENT_LOG", "level": "client", "levelId": client, "frequency": 6, "frequencyValue": days }).to_string();
        let request = format!(
            "POST /api/reports/download?format=csv HTTP/1.0\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        Self { port, request: request.into() }
    }

    async fn begin(&self) -> anyhow::Result<TcpStream> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await?;
        stream.write_all(self.request.as_bytes()).await?;
        Ok(stream)
    }

    /// Reads to the end. Returns the status.
    async fn read(&self) -> anyhow::Result<u16> {
        let mut stream = self.begin().await?;
        let mut piece = vec![0; 1 << 16];
        let read = stream.read(&mut piece).await?;
        let status = String::from_utf8_lossy(&piece[..read]).split(' ').nth(1).context("a status")?.parse()?;
        while stream.read(&mut piece).await? > 0 {}
        Ok(status)
    }
}

/// Users at work: heavy reads without a pause, until it is dropped.
struct Load {
    files: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

impl Load {
    fn start(reader: &Reader) -> Self {
        let (files, refused) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut tasks = JoinSet::new();
        for _ in 0..READS {
            let (reader, files, refused) = (reader.clone(), files.clone(), refused.clone());
            tasks.spawn(async move {
                loop {
                    if matches!(reader.read().await, Ok(200)) {
                        files.fetch_add(1, Ordering::Relaxed);
                    } else {
                        refused.fetch_add(1, Ordering::Relaxed);
                        sleep(REFUSED_PAUSE).await;
                    }
                }
            });
        }
        Self { files, refused, _tasks: tasks }
    }
}

/// Durations in ms.
struct Times {
    selection: Vec<f64>,
    operation: Vec<f64>,
    sign_in: Vec<f64>,
}

fn p99(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[(times.len() * 99).div_ceil(100) - 1]
}

/// Sends a step of a command that must reach a state. Returns its id and the duration of the call. Each request has a key of its own, because an equal one
/// is otherwise taken for a repetition.
async fn step(port: u16, token: &str, order: &Value, state: &[&str]) -> anyhow::Result<(Value, f64)> {
    static REQUESTS: AtomicUsize = AtomicUsize::new(0);
    let key = format!("readers-{}", REQUESTS.fetch_add(1, Ordering::Relaxed));
    let began = Instant::now();
    let (status, body) = call_json(port, "POST", "/api/digiops", token, &key, order).await.context("no answer to a command")?;
    let took = began.elapsed().as_secs_f64() * 1_000.0;
    let reached = body["result"]["state"].as_str().unwrap_or_default();
    ensure!(status == 200 && state.contains(&reached), "{order}: {status} {body}");
    Ok((body["result"]["commandId"].clone(), took))
}

async fn measure(site: &Site, token: &str, breakers: &[Breaker], size: &Size) -> anyhow::Result<Times> {
    let port = site.service("api")?.port();
    let mut times = Times { selection: Vec::new(), operation: Vec::new(), sign_in: Vec::new() };
    for number in 0..size.selections {
        let breaker = &breakers[number % breakers.len()];
        let from = until_operable(site, token, breaker, OPERABLE_LIMIT).await?;
        let (id, took) = step(port, token, &breaker.order("isSelect", from, 3 - from), &["SELECTED"]).await?;
        times.selection.push(took);
        let mut next = if number % (size.selections / size.executions) == 0 {
            breaker.order("isExecute", from, 3 - from)
        } else {
            breaker.order("isCancel", from, 3 - from)
        };
        next["commandId"] = id;
        let is_execution = next["isExecute"] == 1;
        let (_, more) =
            step(port, token, &next, if is_execution { &["SELECTED", "SENT", "ACCEPTED", "DONE"] } else { &["CANCELLED"] }).await?;
        if is_execution {
            times.operation.push(took + more);
        }
    }
    for _ in 0..size.sign_ins {
        let began = Instant::now();
        site.token().await?;
        times.sign_in.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    Ok(times)
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let size = if std::env::args().any(|argument| argument == "--short") { SHORT } else { FULL };
    let shape = Shape::of_benchmark();
    let mut site = Site::start(&shape).await?;
    allow(&site).await?;
    site.add_field(&shape.switchyard)?;
    let sql = site.sql().await?;
    let client: i64 = sql.query_one("SELECT client_id FROM member WHERE lower(username) = 'admin'", &[]).await?.get(0);
    let days = enter_past(&sql, client, size.rows).await?;
    let token = site.token().await?;
    let port = site.service("api")?.port();
    let breakers = breakers(&site).await?;
    let reader = Reader::new(port, &token, client, &days);

    let idle = measure(&site, &token, &breakers, &size).await?;
    let load = Load::start(&reader);
    let began = Instant::now();
    while load.files.load(Ordering::Relaxed) == 0 {
        ensure!(began.elapsed() < Duration::from_mins(2), "no heavy read ended within two minutes");
        sleep(Duration::from_millis(20)).await;
    }
    let busy = measure(&site, &token, &breakers, &size).await?;
    println!(
        "{} heavy reads of {} rows ended meanwhile, {} got no turn",
        load.files.load(Ordering::Relaxed),
        size.rows,
        load.refused.load(Ordering::Relaxed)
    );
    drop(load);
    for (what, idle, busy) in [
        ("selection", &idle.selection, &busy.selection),
        ("selection and execution", &idle.operation, &busy.operation),
        ("sign-in", &idle.sign_in, &busy.sign_in),
    ] {
        let (idle, busy) = (p99(idle), p99(busy));
        println!("{what}: p99 {idle:.1} ms alone, {busy:.1} ms beside {READS} heavy reads of one user");
        println!("= {what} beside {READS} heavy reads of one user: p99, of the same alone | {:.2} | <= 1.5", busy / idle);
    }

    // All readers are gone. What the last ones left must end, too.
    let running = async || -> anyhow::Result<i64> { Ok(sql.query_one(RUNNING, &[]).await?.get(0)) };
    let until = async |is_running: bool| -> anyhow::Result<f64> {
        let began = Instant::now();
        while (running().await? > 0) != is_running {
            ensure!(began.elapsed() < Duration::from_secs(30), "{} queries of readers still run", running().await?);
            sleep(Duration::from_millis(5)).await;
        }
        Ok(began.elapsed().as_secs_f64())
    };
    until(false).await?;
    let stream = reader.begin().await?;
    until(true).await?;
    drop(stream);
    println!("= closed connection to the end of its query, s | {:.2} | <= 1", until(false).await?);
    Ok(())
}
