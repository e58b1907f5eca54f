//! `switchyard alarms`: derives alarms and faults, in a separate process. Its listener serves only the probes.

use std::time::Duration;

use axum::Router;

use super::role::{Role, finish, watch};
use crate::settings::Settings;

/// Time for a running transaction to end.
const END_MAX: Duration = Duration::from_secs(5);

/// Runs until a signal.
pub(crate) async fn run(settings: Settings) -> anyhow::Result<()> {
    let role = Role::separate(settings, "alarms").await?;
    let alarms = watch(&role.shutdown, role.alarms(role.shutdown.clone()));
    let served = role.serve(Router::new(), []).await;
    served.and(finish("alarms", alarms, END_MAX).await)
}
