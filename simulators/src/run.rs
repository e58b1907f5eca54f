//! Runs the demo's field: every RTU of every utility on its own connection.

use std::path::PathBuf;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::rtu::link::LinkConfig;
use crate::rtu::outbox::{OutboxError, Outboxes};
use crate::rtu::station;
use crate::utility;

/// What to run.
#[derive(Debug, Clone)]
pub struct SimulateConfig {
    /// The broker, with user and password if it wants them.
    pub mqtt_url: String,
    /// Decides everything random.
    pub seed: u64,
    /// How fast time goes; 1 is real time.
    pub speed: f64,
    /// The file in which the RTUs keep what is not acknowledged; without it, in memory.
    pub outbox: Option<PathBuf>,
}

/// Runs until `shutdown`.
pub async fn run(config: SimulateConfig, shutdown: CancellationToken) -> Result<(), OutboxError> {
    let clock = Clock::new(config.speed);
    let outboxes = config.outbox.as_deref().map(Outboxes::open).transpose()?;
    let mut stations = JoinSet::new();
    for client in utility::demo(config.seed).clients {
        for (index, substation) in client.substations.into_iter().enumerate() {
            let seed = config.seed.wrapping_mul(1_000).wrapping_add(index as u64);
            let link = LinkConfig {
                mqtt_url: config.mqtt_url.clone(),
                group: client.code.clone(),
                node: substation.code.clone(),
                outboxes: outboxes.clone(),
            };
            stations.spawn(station::run(link, substation, seed, clock, shutdown.clone()));
        }
    }
    stations.join_all().await;
    Ok(())
}
