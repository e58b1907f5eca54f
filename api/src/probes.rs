//! Health, readiness and metrics of a process for its operators. Every role of the executable serves them.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};

use crate::peer::ThisMachine;

/// Time limit of a probe. A part that takes longer counts as not working.
const PROBE_MAX: Duration = Duration::from_secs(2);

/// Returns whether a part works now.
pub type Probe = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync>;

/// A part on which readiness depends.
#[derive(Clone)]
pub struct Check {
    /// Its name in the answer.
    pub name: &'static str,
    /// The probe, which runs at each request.
    pub probe: Probe,
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The probes and metrics of a process.
#[derive(Clone)]
pub struct Probes {
    /// The parts that must work for `/readyz`.
    pub checks: Vec<Check>,
    /// Writes the process's metrics in Prometheus' text format.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
}

/// Returns the routes `/healthz`, `/readyz` and `/metrics`.
pub fn router(probes: Probes) -> Router {
    Router::new().route("/healthz", get(async || "ok")).route("/readyz", get(readyz)).route("/metrics", get(metrics)).with_state(probes)
}

/// Answers 200 if everything works, else 503. The body has `true` or `false` for each part.
async fn readyz(State(probes): State<Probes>) -> (StatusCode, Json<BTreeMap<&'static str, bool>>) {
    let mut parts = BTreeMap::new();
    for check in &probes.checks {
        parts.insert(check.name, tokio::time::timeout(PROBE_MAX, (check.probe)()).await.unwrap_or(false));
    }
    let status = if parts.values().all(|works| *works) { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(parts))
}

/// Answers requests from this machine only.
async fn metrics(caller: Result<ThisMachine, crate::error::Error>, State(probes): State<Probes>) -> Response {
    match caller {
        Ok(ThisMachine) => ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], (probes.metrics)()).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}
