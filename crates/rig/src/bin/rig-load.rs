//! A load for measurements: gateways on the broker of a running site, and sockets that subscribe to their substations.
//!
//! It reads the ids of the substations from its input, one line separated by commas, because only the caller can look them up. It prints `loaded`
//! when every socket is connected and acknowledgements keep up with the load, and ends when its input ends. If the machine cannot sustain the load,
//! it ends with an error.
#![allow(clippy::print_stdout, reason = "the caller waits for its lines")]

use std::io::BufRead;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Parser;
use rig::gateways::{Fleet, Load};
use rig::observer::Observer;
use tokio::time::{Instant, sleep};

/// Gateways and sockets for a running site.
#[derive(Debug, Parser)]
struct Arguments {
    /// URL of the broker.
    #[arg(long)]
    mqtt: String,
    /// The port on which the hub listens.
    #[arg(long)]
    port: u16,
    /// The access token of a user of the utility SAGAR.
    #[arg(long)]
    token: String,
    /// Number of gateways, each with its own connection.
    #[arg(long, default_value_t = 100)]
    gateways: u32,
    /// Values per second of all gateways together.
    #[arg(long, default_value_t = 10_000)]
    values: u32,
    /// Number of sockets.
    #[arg(long, default_value_t = 1_000)]
    sockets: usize,
    /// Maximum time until `loaded`, s.
    #[arg(long, default_value_t = 90)]
    limit: u64,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let folder = std::env::temp_dir().join(testkit::unique("rig_load"));
    std::fs::create_dir_all(&folder)?;
    let load = Load { gateways: arguments.gateways, values_per_s: arguments.values, events_per_s: 20.0, seed: 1 };
    let fleet = Fleet::start(&arguments.mqtt, &folder, load).context("the field")?;
    let (sender, mut input) = tokio::sync::mpsc::unbounded_channel();
    std::thread::spawn(move || std::io::stdin().lock().lines().map_while(Result::ok).all(|line| sender.send(line).is_ok()));
    let line = input.recv().await.context("no ids of substations in the input")?;
    let locations: Vec<i64> = line.split(',').map(|id| id.trim().parse()).collect::<Result<_, _>>()?;
    let mut observers: Vec<Observer> = Vec::new();
    for (_, location) in (0..arguments.sockets).zip(locations.iter().cycle()) {
        observers.push(Observer::start(vec![arguments.port], arguments.token.clone(), vec![format!("sld/{location}")]));
        if observers.len().is_multiple_of(50) {
            sleep(Duration::from_millis(50)).await;
        }
    }
    let deadline = Instant::now() + Duration::from_secs(arguments.limit);
    loop {
        let connected = observers.iter().filter(|observer| observer.seen().connected).count();
        let unacknowledged = fleet.waiting();
        if connected == observers.len() && unacknowledged <= arguments.gateways as usize {
            break;
        }
        if Instant::now() > deadline {
            bail!(
                "the site does not carry this load: after {} s {connected} of {} sockets are connected, and {unacknowledged} messages of {} gateways are not acknowledged (at most one each). Try fewer --values and --sockets.",
                arguments.limit,
                observers.len(),
                arguments.gateways
            );
        }
        sleep(Duration::from_millis(100)).await;
    }
    println!("loaded");
    while input.recv().await.is_some() {}
    let cuts: u64 = observers.iter().map(|observer| observer.seen().cuts).sum();
    println!("ended with {cuts} cuts");
    drop(observers);
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}
