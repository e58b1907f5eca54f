//! `switchyard api`: REST and the web, in a separate process.

use super::role::Role;
use crate::settings::Settings;
use crate::site;

/// Runs until a signal.
pub(crate) async fn run(settings: Settings) -> anyhow::Result<()> {
    let role = Role::separate(settings, "api").await?;
    let routes = role.api()?.merge(site::router(&role.settings.http.web));
    role.serve(routes, []).await
}
