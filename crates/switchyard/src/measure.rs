//! The process's metrics, kept for /metrics.

use std::sync::Arc;

use anyhow::Context;
use metrics_exporter_prometheus::PrometheusBuilder;

/// Writes the metrics as text.
pub(crate) type Render = Arc<dyn Fn() -> String + Send + Sync>;

/// Durations are sorted into these, seconds; buckets of several processes can be added up, quantiles cannot.
const BUCKETS_S: [f64; 10] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// Begins to count; the result writes the numbers as they are when it is called.
pub(crate) fn start() -> anyhow::Result<Render> {
    let recorder = PrometheusBuilder::new().set_buckets(&BUCKETS_S).and_then(PrometheusBuilder::install_recorder).context("metrics")?;
    let keeper = recorder.clone();
    // Values wait to be sorted until somebody reads them; without a collector nobody would.
    tokio::spawn(async move {
        let mut every = tokio::time::interval(std::time::Duration::from_secs(5));
        loop {
            every.tick().await;
            keeper.run_upkeep();
        }
    });
    Ok(Arc::new(move || recorder.render()))
}
