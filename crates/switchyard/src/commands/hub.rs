//! `switchyard hub`: live pictures, as a process of its own.

use super::role::Role;
use crate::settings::Settings;

/// Runs until a signal.
pub(crate) async fn run(settings: Settings) -> anyhow::Result<()> {
    let role = Role::separate(settings, "hub").await?;
    let routes = role.hub();
    role.serve(routes).await
}
