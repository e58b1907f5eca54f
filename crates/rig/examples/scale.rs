//! Measures the processor time per value in ingest and hub with 50 screens open, and again with ten times as many gateways, points and values. The
//! comparison shows costs that grow with the number of points. `--short` runs a small size.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::time::{Duration, Instant};

use rig::gateways::{Fleet, Load};
use rig::observer::Observer;
use rig::site::{Shape, Site};
use tokio::time::sleep;

/// The size of a measurement.
#[derive(Debug, Clone, Copy)]
struct Size {
    /// Number of gateways in the first measurement; the second one has ten times as many.
    gateways: u32,
    screens: usize,
    /// Pause before the measurement.
    settle: Duration,
    measured: Duration,
}

const FULL: Size = Size { gateways: 100, screens: 50, settle: Duration::from_secs(5), measured: Duration::from_secs(20) };
const SHORT: Size = Size { gateways: 2, screens: 5, settle: Duration::from_secs(1), measured: Duration::from_secs(1) };
/// Time limit for the discovery of all gateways, and again for the connection of all screens.
const START_LIMIT: Duration = Duration::from_mins(3);

/// Returns the processor time per value in ingest and in the hub, µs.
async fn cost(size: Size, gateways: u32) -> anyhow::Result<(f64, f64)> {
    let site = Site::start(&Shape::of_benchmark()).await?;
    let load = Load { gateways, values_per_s: gateways * 10, events_per_s: 1.0, seed: 1 };
    let fleet = Fleet::start(&site.field_url(), &site.folder, load)?;
    let client = site.sql().await?;
    let mut locations: Vec<i64> = Vec::new();
    let began = Instant::now();
    while locations.len() < gateways as usize {
        anyhow::ensure!(
            began.elapsed() < START_LIMIT,
            "{} of {gateways} gateways are discovered after {START_LIMIT:?}; ingest is too slow on this machine",
            locations.len()
        );
        sleep(Duration::from_millis(200)).await;
        let rows = client.query("SELECT location_id FROM gateway WHERE code LIKE 'RIG%' ORDER BY 1", &[]).await?;
        locations = rows.iter().map(|row| row.get(0)).collect();
    }
    let token = site.token().await?;
    let port = site.hubs[0].port();
    let watch = |number: usize| Observer::start(vec![port], token.clone(), vec![format!("sld/{}", locations[number % locations.len()])]);
    let screens: Vec<Observer> = (0..size.screens).map(watch).collect();
    let began = Instant::now();
    loop {
        let connected = screens.iter().filter(|screen| screen.seen().connected).count();
        if connected == screens.len() && fleet.waiting() <= gateways as usize {
            break;
        }
        anyhow::ensure!(
            began.elapsed() < START_LIMIT,
            "after {START_LIMIT:?} {connected} of {} screens are connected, and {} messages of {gateways} gateways are not acknowledged; this machine does not carry the load",
            screens.len(),
            fleet.waiting()
        );
        sleep(Duration::from_millis(100)).await;
    }
    sleep(size.settle).await;
    let (ingest, hub) = (site.service("ingest1")?, site.service("hub1")?);
    let before = (ingest.cpu_seconds(), hub.cpu_seconds(), ingest.metric("ingest_values_total").await);
    sleep(size.measured).await;
    let values = ingest.metric("ingest_values_total").await - before.2;
    anyhow::ensure!(values > 0.0, "ingest counted no value");
    let each = |seconds: f64| seconds * 1_000_000.0 / values;
    let cost = (each(ingest.cpu_seconds() - before.0), each(hub.cpu_seconds() - before.1));
    println!(
        "{gateways:>5} gateways, {:>6} points: {:>6.0} values/s, ingest {:.1} µs, hub {:.1} µs a value",
        gateways * 10,
        values / size.measured.as_secs_f64(),
        cost.0,
        cost.1
    );
    Ok(cost)
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let size = if std::env::args().any(|argument| argument == "--short") { SHORT } else { FULL };
    let (few, many) = (cost(size, size.gateways).await?, cost(size, size.gateways * 10).await?);
    println!("= processor time a value with 10 times the points, ingest | {:.2} | <= 1.2", many.0 / few.0);
    println!("= processor time a value with 10 times the points, hub | {:.2} | <= 1.2", many.1 / few.1);
    Ok(())
}
