//! `switchyard analytics`: derives outages of feeders from the history, in a separate process. Its listener serves only
//! the probes.

use std::time::Duration;

use axum::Router;

use super::role::{Role, finish, watch};
use crate::settings::Settings;

/// Time for a running transaction to end; a cancelled one is repeated at the next start.
const END_MAX: Duration = Duration::from_secs(5);

/// Runs until a signal.
pub(crate) async fn run(settings: Settings) -> anyhow::Result<()> {
    let role = Role::separate(settings, "analytics").await?;
    let analytics = watch(&role.shutdown, role.analytics(role.shutdown.clone()));
    let served = role.serve(Router::new(), []).await;
    served.and(finish("analytics", analytics, END_MAX).await)
}
