//! `switchyard seed --demo`.

use crate::console::say;
use crate::seed;
use crate::settings::Settings;

/// Writes the demo utilities and their logins into the configured database.
pub(crate) async fn run(settings: Settings) -> anyhow::Result<()> {
    let store = super::store(&settings).await?;
    seed::demo(&store, settings.simulate.seed).await?;
    say("The demo is in the database. Its logins work where demo.logins is true.");
    Ok(())
}
