//! `switchyard api`: REST and the web, for a deployment of separate processes.

use crate::settings::Settings;

/// Runs until a signal.
pub(crate) async fn run(settings: Settings) -> anyhow::Result<()> {
    let _ = settings;
    anyhow::bail!("not built yet")
}
