//! Runs the demo's field: every RTU of every utility on its own connection.

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
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
}

/// Runs until `shutdown`.
pub async fn run(config: SimulateConfig, shutdown: CancellationToken) {
    let clock = Clock::new(config.speed);
    let mut stations = JoinSet::new();
    for client in utility::demo(config.seed).clients {
        for (index, substation) in client.substations.into_iter().enumerate() {
            let seed = config.seed.wrapping_mul(1_000).wrapping_add(index as u64);
            stations.spawn(station::run(config.mqtt_url.clone(), client.code.clone(), substation, seed, clock, shutdown.clone()));
        }
    }
    stations.join_all().await;
}
