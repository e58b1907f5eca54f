//! `switchyard all`: everything in one process.

use crate::settings::Settings;

/// Runs until a signal.
pub(crate) async fn run(settings: Settings, demo: bool) -> anyhow::Result<()> {
    let _ = (settings, demo);
    anyhow::bail!("not built yet")
}
