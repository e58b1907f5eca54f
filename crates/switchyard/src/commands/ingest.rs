//! `switchyard ingest`: from MQTT to the database and the bus, as a process of its own. Its listener serves the probes alone.

use std::time::Duration;

use axum::Router;

use super::role::{Role, finish, watch};
use crate::history;
use crate::settings::Settings;

/// What is held must reach the database; ingest itself gives up after ten seconds.
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
