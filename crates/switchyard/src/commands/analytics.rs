//! `switchyard analytics`: what follows from the history at leisure, as a process of its own. Its listener serves the probes alone.

use std::time::Duration;

use axum::Router;

use super::role::{Role, finish, watch};
use crate::settings::Settings;

/// A transaction under way ends, or is given up: it is made again.
const END_MAX: Duration = Duration::from_secs(5);

/// Runs until a signal.
pub(crate) async fn run(settings: Settings) -> anyhow::Result<()> {
    let role = Role::separate(settings, "analytics").await?;
    let analytics = watch(&role.shutdown, role.analytics(role.shutdown.clone()));
    let served = role.serve(Router::new(), []).await;
    served.and(finish("analytics", analytics, END_MAX).await)
}
