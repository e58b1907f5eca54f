//! Measures the registry with 10,000, 100,000 and 1,000,000 points: time and memory of the load, time until a change is in the image, and processor
//! time while nothing changes. Compares the load with `Store::registry`, which reads everything into lists. `--short` runs 2,000 points.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run should stop with the reason")]

use std::time::{Duration, Instant};

use registry::{FollowSettings, follow};
use store::Store;
use testkit::TestDatabase;
use tokio_util::sync::CancellationToken;

const FULL: [i64; 3] = [10_000, 100_000, 1_000_000];
const SHORT: [i64; 1] = [2_000];
/// Like a substation of the demo.
const POINTS_OF_STATION: i64 = 1_000;
const CHANGES: usize = 50;
const IDLE: Duration = Duration::from_secs(20);
const IDLE_SHORT: Duration = Duration::from_millis(200);

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_short = arguments.iter().any(|argument| argument == "--short");
    if let Some(points) = arguments.iter().find_map(|argument| argument.strip_prefix("--points=")?.parse().ok()) {
        let database = testkit::database().await;
        insert(&database, points).await;
        return measure(&database, points, if is_short { IDLE_SHORT } else { IDLE }).await;
    }
    // Each size runs in its own process, because a process rarely returns memory.
    for points in if is_short { &SHORT[..] } else { &FULL[..] } {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        let status = command.arg(format!("--points={points}")).args(is_short.then_some("--short")).status().unwrap();
        assert!(status.success(), "{points} points: {status}");
    }
}

async fn measure(database: &TestDatabase, points: i64, idle: Duration) {
    let store = Store::connect(database.url(), 4).await.unwrap();
    let (memory_before, began) = (memory_mib(), Instant::now());
    let shutdown = CancellationToken::new();
    let mut registry = follow(store.clone(), FollowSettings::new(database.url()), shutdown.clone()).await.unwrap();
    let loaded = began.elapsed().as_secs_f64();
    let memory = memory_mib() - memory_before;
    assert_eq!(registry.image().points_len() as i64, points);

    let client = database.client().await;
    let ids: Vec<_> = registry.image().points().map(|point| point.id).step_by((points as usize / CHANGES).max(1)).take(CHANGES).collect();
    let mut arrived = Vec::new();
    for id in &ids {
        let before = registry.image().point(*id).unwrap().decimals;
        let began = Instant::now();
        client.execute("UPDATE point SET decimals = 9 - decimals WHERE id = $1", &[&id.0]).await.unwrap();
        while registry.image().point(*id).unwrap().decimals == before && began.elapsed() < Duration::from_secs(10) {
            tokio::time::timeout(Duration::from_secs(10), registry.changed()).await.unwrap();
        }
        arrived.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    arrived.sort_by(f64::total_cmp);

    let (cpu, began) = (cpu_s(), Instant::now());
    tokio::time::sleep(idle).await;
    let idle_cpu = (cpu_s() - cpu) / began.elapsed().as_secs_f64() * 100.0;

    println!("= registry, {points} points: load, s | {loaded:.2} | {}", if points == 1_000_000 { "<= 6" } else { "" });
    println!("= registry, {points} points: memory of the image, MiB | {memory:.0} | {}", if points == 1_000_000 { "<= 500" } else { "" });
    println!(
        "= registry, {points} points: commit of a changed point to the image, highest of {}, ms | {:.1} | <= 1000",
        arrived.len(),
        arrived.last().unwrap()
    );
    println!("= registry, {points} points: the same, median, ms | {:.1} | <= 1000", arrived[arrived.len() / 2]);
    println!("= registry, {points} points: CPU while nothing changes, % of a core | {idle_cpu:.2} | <= 1");

    shutdown.cancel();
    drop(registry);
    let began = Instant::now();
    let lists = store.registry(None).await.unwrap();
    assert_eq!(lists.points.len() as i64, points);
    println!("= registry, {points} points: reading everything into lists, s | {:.2} | ", began.elapsed().as_secs_f64());
}

/// Inserts one utility: substations with a gateway, and feeders with ten points each.
async fn insert(database: &TestDatabase, points: i64) {
    let stations = (points / POINTS_OF_STATION).max(1);
    let script = format!(
        "INSERT INTO client (code, name, time_zone) VALUES ('BENCH', 'Bench', 'Asia/Kolkata');
         INSERT INTO node (client_id, level, parent_id, code, name) SELECT id, 1, NULL, 'C', 'Circle' FROM client;
         INSERT INTO node (client_id, level, parent_id, code, name)
             SELECT n.client_id, 6, n.id, 'SS' || s, 'Substation ' || s FROM node n, generate_series(1, {stations}) s;
         INSERT INTO gateway (client_id, code, name, location_id) SELECT client_id, code, name || ' RTU', id FROM node WHERE level = 6;
         INSERT INTO asset (client_id, location_id, code, name, type_id, class_name, device)
             SELECT client_id, id, 'F' || f, 'Feeder ' || f, 1, 'feeder', 'F' || f FROM node, generate_series(1, {points} / {stations} / 10) f WHERE level = 6;
         INSERT INTO point (client_id, gateway_id, asset_id, device, metric, code, quantity, unit, decimals)
             SELECT a.client_id, g.id, a.id, a.device, a.device || '/I' || p, 'I' || p, 'current', 'A', 1
             FROM asset a JOIN gateway g ON g.location_id = a.location_id, generate_series(1, 10) p;
         ANALYZE"
    );
    database.client().await.batch_execute(&script).await.unwrap();
}

fn memory_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1_024.0
}

/// Returns user and system time of this process, s (proc(5): fields 14 and 15 of /proc/pid/stat, in hundredths of a second).
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    fields[11..13].iter().filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}
