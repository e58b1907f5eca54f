//! What a value costs in ingest and hub when there is ten times as much of everything: processor time a value, with 50 screens open. A cost that grows
//! with the number of points would show.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::time::Duration;

use rig::gateways::{Fleet, Load};
use rig::observer::Observer;
use rig::site::{Shape, Site};
use tokio::time::sleep;

const SCREENS: usize = 50;
const WATCHED: Duration = Duration::from_secs(20);

/// Processor time a value, µs, in ingest and in the hub.
async fn cost(gateways: u32) -> anyhow::Result<(f64, f64)> {
    let switchyard = "target/release/switchyard".into();
    let site = Site::start(&Shape { switchyard, ingests: 1, hubs: 1, clocks: false, disks: None }).await?;
    let load = Load { gateways, values_per_s: gateways * 10, events_per_s: 1.0, seed: 1 };
    let fleet = Fleet::start(&site.field_url(), &site.folder, load)?;
    let client = site.sql().await?;
    let mut locations: Vec<i64> = Vec::new();
    while locations.len() < gateways as usize {
        sleep(Duration::from_millis(500)).await;
        let rows = client.query("SELECT location_id FROM gateway WHERE code LIKE 'RIG%' ORDER BY 1", &[]).await?;
        locations = rows.iter().map(|row| row.get(0)).collect();
    }
    let token = site.token().await?;
    let port = site.hubs[0].port();
    let watch = |number: usize| Observer::start(vec![port], token.clone(), vec![format!("sld/{}", locations[number % locations.len()])]);
    let screens: Vec<Observer> = (0..SCREENS).map(watch).collect();
    while !screens.iter().all(|screen| screen.seen().connected) || fleet.waiting() > gateways as usize {
        sleep(Duration::from_millis(100)).await;
    }
    sleep(Duration::from_secs(5)).await;
    let (ingest, hub) = (site.service("ingest1")?, site.service("hub1")?);
    let before = (ingest.cpu_seconds(), hub.cpu_seconds(), ingest.metric("ingest_values_total").await);
    sleep(WATCHED).await;
    let values = ingest.metric("ingest_values_total").await - before.2;
    let each = |seconds: f64| seconds * 1_000_000.0 / values;
    let cost = (each(ingest.cpu_seconds() - before.0), each(hub.cpu_seconds() - before.1));
    println!(
        "{gateways:>5} gateways, {:>6} points: {:>6.0} values/s, ingest {:.1} µs, hub {:.1} µs a value",
        gateways * 10,
        values / WATCHED.as_secs_f64(),
        cost.0,
        cost.1
    );
    Ok(cost)
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (few, many) = (cost(100).await?, cost(1_000).await?);
    println!("= processor time a value with 10 times the points, ingest | {:.2} | <= 1.2", many.0 / few.0);
    println!("= processor time a value with 10 times the points, hub | {:.2} | <= 1.2", many.1 / few.1);
    Ok(())
}
