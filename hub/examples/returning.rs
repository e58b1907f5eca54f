//! Measures the cost of clients that reconnect to a restarted hub: N sockets with 20 streams each connect at once and resume from their offsets.
//! Prints the statements that the database executes, the time until all streams of all sockets have resumed, and the processor time of the hub.
//!
//! `--short` uses a small size, `--sockets N` another number of sockets. `--idle SECONDS` also counts the statements of a hub without clients during
//! that time. Lines that begin with `=` are figures for `scripts/bench`.
//!
//! The hub runs in its own process with its default time limits, and is killed between the two rounds. While it is down, one station in ten has an
//! event. The latest events of the other stations are older than the history that a hub keeps in memory.
//!
//! Statements are counted by `pg_stat_database`: a statement outside of a transaction counts as one, and so does a transaction. The statements of a
//! hub without clients are subtracted.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::print_stderr, reason = "a benchmark that cannot run says why")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run should stop with the reason")]

#[path = "returning/client.rs"]
mod client;
#[path = "../tests/live/equipment.rs"]
mod equipment;
#[path = "returning/field.rs"]
mod field;
#[path = "../tests/live/seeding.rs"]
mod seeding;
#[path = "returning/server.rs"]
mod server;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use store::Store;
use tokio::time::sleep;

use client::{Places, Round};
use server::Server;

/// The size of a measurement.
#[derive(Debug, Clone, Copy)]
struct Size {
    stations: usize,
    sockets: usize,
    /// Number of events, and number of alarm changes, of one station that follow the events and changes of the other stations.
    history: usize,
}

const FULL: Size = Size { stations: 250, sockets: 5_000, history: 6_000 };
const SHORT: Size = Size { stations: 20, sockets: 100, history: 6_000 };
/// Time limit for all sockets to resume.
const LIMIT: Duration = Duration::from_mins(5);
/// Time limit for the connections of a killed hub to end.
const DISCONNECT_LIMIT: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    if arguments.first().is_some_and(|argument| argument == "hub") {
        runtime.block_on(server::serve(&std::env::var("BENCH_DATABASE").unwrap()));
        return ExitCode::SUCCESS;
    }
    let mut size = if arguments.iter().any(|argument| argument == "--short") { SHORT } else { FULL };
    if let Some(at) = arguments.iter().position(|argument| argument == "--sockets") {
        size.sockets = arguments[at + 1].parse().unwrap();
        size.stations = (size.sockets / 20).max(10);
    }
    match runtime.block_on(measure(size)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("returning: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the seconds for which a hub without clients is watched in addition, if any.
fn idle_seconds() -> Option<u64> {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--idle");
    arguments.nth(1)?.parse().ok()
}

/// The cost of one round.
struct Cost {
    statements: i64,
    round: Round,
    /// Time from the first handshake until all streams have resumed.
    until_live: Duration,
    hub_cpu: f64,
}

async fn measure(size: Size) -> Result<(), String> {
    let database = testkit::database().await;
    let store = Store::connect(database.url(), 4).await.map_err(|error| error.to_string())?;
    let mut field = field::Field::seed(&store, &database, size).await;
    drop(store);
    let (alone, ready) = counted(&database, async |server| {
        sleep(Duration::from_secs(3)).await;
        Ok(server.ready)
    })
    .await?;
    if let Some(seconds) = idle_seconds() {
        let (with_start, ()) = counted(&database, async |_| {
            sleep(Duration::from_secs(3 + seconds)).await;
            Ok(())
        })
        .await?;
        println!("a hub without clients: {} statements in {seconds} s after its start", with_start - alone);
    }
    println!("{} sockets with {} streams each, {} stations", size.sockets, field::STREAMS, size.stations);
    println!("a hub without clients: {alone} statements; it has read the field after {:.2} s", ready.as_secs_f64());
    let (places, first) = round(&database, &field, None).await?;
    print("clients without a place", size, alone, &first);
    let missed = field.operate_some().await;
    let (_, back) = round(&database, &field, Some(places)).await?;
    print("clients that come back", size, alone, &back);
    if back.round.missed_rows != missed * field.sockets_at_each_station() {
        return Err(format!("{} rows were missed, {} came", missed * field.sockets_at_each_station(), back.round.missed_rows));
    }
    let each = (back.statements - alone).max(0) as f64 / size.sockets as f64;
    println!("= statements for each socket that comes back | {each:.2} | <= 0.5");
    println!("= time until all that come back are live, s | {:.2} |", back.until_live.as_secs_f64());
    println!("= processor time of the hub for each stream that comes back, us | {:.0} |", back.hub_cpu_each(size) * 1e6);
    Ok(())
}

impl Cost {
    fn hub_cpu_each(&self, size: Size) -> f64 {
        self.hub_cpu / (size.sockets * field::STREAMS) as f64
    }
}

fn print(what: &str, size: Size, alone: i64, cost: &Cost) {
    let Cost { statements, round, until_live, hub_cpu } = cost;
    let each = (statements - alone).max(0) as f64 / size.sockets as f64;
    println!(
        "{what}: {statements} statements, {each:.2} more a socket; all live after {:.2} s, half after {:.2} s; hub {hub_cpu:.2} s of processor time; {} snapshots, {} missed rows; asked again {}, connected again {}",
        until_live.as_secs_f64(),
        round.half_live.as_secs_f64(),
        round.snapshots,
        round.missed_rows,
        round.requested_again,
        round.connected_again
    );
}

async fn round(database: &testkit::TestDatabase, field: &field::Field, places: Option<Vec<Places>>) -> Result<(Vec<Places>, Cost), String> {
    let (statements, (places, round, until_live, hub_cpu)) = counted(database, async |server: &Server| {
        let before = server.cpu_seconds();
        let began = Instant::now();
        let (places, round) = tokio::time::timeout(LIMIT, client::come(server.port, field, places))
            .await
            .map_err(|_| format!("not all sockets were live within {LIMIT:?}"))??;
        Ok((places, round, began.elapsed(), server.cpu_seconds() - before))
    })
    .await?;
    Ok((places, Cost { statements, round, until_live, hub_cpu }))
}

/// Starts a hub, runs `work` with it, kills it, and returns the statements that it executed.
async fn counted<T>(database: &testkit::TestDatabase, work: impl AsyncFnOnce(&Server) -> Result<T, String>) -> Result<(i64, T), String> {
    let before = statements(database).await?;
    let server = Server::start(database.url())?;
    let done = work(&server).await?;
    drop(server);
    Ok((statements(database).await? - before, done))
}

/// Returns the number of statements that the database has counted. Waits first until all connections of hubs have ended, because they report their
/// statements only then.
async fn statements(database: &testkit::TestDatabase) -> Result<i64, String> {
    let client = database.client().await;
    let open = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1";
    let began = Instant::now();
    while client.query_one(open, &[&server::APPLICATION]).await.unwrap().get::<_, i64>(0) > 0 {
        if began.elapsed() > DISCONNECT_LIMIT {
            return Err(format!("connections of a killed hub are open after {DISCONNECT_LIMIT:?}"));
        }
        sleep(Duration::from_millis(50)).await;
    }
    let counted = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()";
    Ok(client.query_one(counted, &[]).await.unwrap().get(0))
}
