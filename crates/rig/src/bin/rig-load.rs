//! A load for measurements: gateways on the broker of a running site, and sockets that watch their substations. It reads the ids of those from its input,
//! a line with commas, since only the caller knows them; prints `loaded` when everybody is there, and ends with its input.
#![allow(clippy::print_stdout, reason = "whoever runs it waits for its word")]

use std::io::BufRead;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use rig::gateways::{Fleet, Load};
use rig::observer::Observer;
use tokio::time::sleep;

/// Gateways and sockets on a running site.
#[derive(Debug, Parser)]
struct Arguments {
    /// The broker.
    #[arg(long)]
    mqtt: String,
    /// The port on which the hub listens.
    #[arg(long)]
    port: u16,
    /// An access token of somebody who may see the utility SAGAR.
    #[arg(long)]
    token: String,
    /// Gateways, each with a connection of its own.
    #[arg(long, default_value_t = 100)]
    gateways: u32,
    /// Values a second of all of them.
    #[arg(long, default_value_t = 10_000)]
    values: u32,
    /// Sockets.
    #[arg(long, default_value_t = 1_000)]
    sockets: usize,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let folder = std::env::temp_dir().join(testkit::unique("rig_load"));
    std::fs::create_dir_all(&folder)?;
    let load = Load { gateways: arguments.gateways, values_per_s: arguments.values, events_per_s: 20.0, seed: 1 };
    let fleet = Fleet::start(&arguments.mqtt, &folder, load).context("the field")?;
    let (lines, mut said) = tokio::sync::mpsc::unbounded_channel();
    std::thread::spawn(move || std::io::stdin().lock().lines().map_while(Result::ok).all(|line| lines.send(line).is_ok()));
    let line = said.recv().await.context("the ids of substations")?;
    let locations: Vec<i64> = line.split(',').map(|id| id.trim().parse()).collect::<Result<_, _>>()?;
    let mut observers: Vec<Observer> = Vec::new();
    for (_, location) in (0..arguments.sockets).zip(locations.iter().cycle()) {
        observers.push(Observer::start(vec![arguments.port], arguments.token.clone(), vec![format!("sld/{location}")]));
        if observers.len().is_multiple_of(50) {
            sleep(Duration::from_millis(50)).await;
        }
    }
    while !observers.iter().all(|observer| observer.seen().connected) || fleet.waiting() > arguments.gateways as usize {
        sleep(Duration::from_millis(100)).await;
    }
    println!("loaded");
    while said.recv().await.is_some() {}
    let cuts: u64 = observers.iter().map(|observer| observer.seen().cuts).sum();
    println!("ended with {cuts} cuts");
    drop(observers);
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}
