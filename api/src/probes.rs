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
use serde::Serialize;

use crate::peer::LocalCaller;

/// Time limit of a probe. A part that does not answer within it counts as not working.
const PROBE_MAX: Duration = Duration::from_secs(2);

/// Whether a part works now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// It works.
    Works,
    /// It does not work. Contains the reason, if it is known.
    Broken(Option<String>),
}

impl Health {
    /// Returns the state of a part that does not work, with the reason that `/readyz` reports.
    pub fn broken(reason: impl Into<String>) -> Self {
        Self::Broken(Some(reason.into()))
    }

    /// Whether it works.
    pub fn works(&self) -> bool {
        *self == Self::Works
    }
}

impl From<bool> for Health {
    fn from(works: bool) -> Self {
        if works { Self::Works } else { Self::Broken(None) }
    }
}

/// Finds out whether something works now.
pub type Probe = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Health> + Send>> + Send + Sync>;

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

/// The body of `/readyz`.
#[derive(Serialize)]
struct Readiness {
    #[serde(flatten)]
    parts: BTreeMap<&'static str, bool>,
    /// The reasons why parts do not work, as far as they are known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    reasons: BTreeMap<&'static str, String>,
}

/// Answers 200 if everything works, else 503. The body has `true` or `false` for each part, and reasons for callers on this machine.
async fn readyz(caller: Result<LocalCaller, crate::error::Error>, State(probes): State<Probes>) -> (StatusCode, Json<Readiness>) {
    let (mut parts, mut reasons) = (BTreeMap::new(), BTreeMap::new());
    for check in &probes.checks {
        let health = tokio::time::timeout(PROBE_MAX, (check.probe)()).await.unwrap_or(Health::Broken(None));
        parts.insert(check.name, health.works());
        if let (Health::Broken(Some(reason)), Ok(_)) = (health, &caller) {
            reasons.insert(check.name, reason);
        }
    }
    let status = if parts.values().all(|works| *works) { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Readiness { parts, reasons }))
}

/// Answers requests from this machine only.
async fn metrics(caller: Result<LocalCaller, crate::error::Error>, State(probes): State<Probes>) -> Response {
    match caller {
        Ok(LocalCaller) => ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], (probes.metrics)()).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}
