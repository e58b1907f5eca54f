//! Metrics of the process, served at `/metrics`.

use std::sync::Arc;

use anyhow::Context;
use metrics_exporter_prometheus::PrometheusBuilder;

/// Returns the metrics as text.
pub(crate) type Render = Arc<dyn Fn() -> String + Send + Sync>;

/// Upper limits of the histogram buckets, seconds. Buckets are used because those of several processes can be added,
/// while quantiles cannot.
const BUCKETS_S: [f64; 10] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// Starts to record metrics. Returns the function that renders them.
pub(crate) fn start() -> anyhow::Result<Render> {
    let recorder = PrometheusBuilder::new().set_buckets(&BUCKETS_S).and_then(PrometheusBuilder::install_recorder).context("metrics")?;
    let keeper = recorder.clone();
    // Recorded values use memory until they are aggregated, so aggregate them even if no collector reads the metrics.
    tokio::spawn(async move {
        let mut every = tokio::time::interval(std::time::Duration::from_secs(5));
        loop {
            every.tick().await;
            keeper.run_upkeep();
        }
    });
    Ok(Arc::new(move || recorder.render()))
}
