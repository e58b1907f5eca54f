//! The process's metrics, kept for /metrics.

use std::sync::Arc;

use anyhow::Context;
use metrics_exporter_prometheus::PrometheusBuilder;

/// Writes the metrics as text.
pub(crate) type Render = Arc<dyn Fn() -> String + Send + Sync>;

/// Begins to count; the result writes the numbers as they are when it is called.
pub(crate) fn start() -> anyhow::Result<Render> {
    let recorder = PrometheusBuilder::new().install_recorder().context("metrics")?;
    let keeper = recorder.clone();
    // Histograms keep raw values until they are summed up; without a collector nobody would.
    tokio::spawn(async move {
        let mut every = tokio::time::interval(std::time::Duration::from_secs(5));
        loop {
            every.tick().await;
            keeper.run_upkeep();
        }
    });
    Ok(Arc::new(move || recorder.render()))
}
