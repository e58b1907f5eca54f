//! `switchyard ingest`: receives and stores telemetry, in a separate process. Its listener serves only the probes.

use std::time::Duration;

use axum::Router;

use super::role::{Role, finish, watch};
use crate::history;
use crate::settings::Settings;

/// Time for held messages to be stored; ingest itself ends after ten seconds.
const END_MAX: Duration = Duration::from_secs(12);

/// Runs until a signal.
pub(crate) async fn run(settings: Settings) -> anyhow::Result<()> {
    let role = Role::separate(settings, "ingest").await?;
    let ingest = role.ingest(role.shutdown.clone());
    let work = watch(&role.shutdown, ingest.work);
    history::start(&role);
    let served = role.serve(Router::new(), [ingest.takes]).await;
    served.and(finish("ingest", work, END_MAX).await)
}
