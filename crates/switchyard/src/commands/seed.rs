//! `switchyard seed --demo`.

use crate::cli::SeedArgs;
use crate::console::say;
use crate::history;
use crate::seed;
use crate::settings::Settings;

/// Stores the demo utilities and their logins in the configured database.
pub(crate) async fn run(settings: Settings, arguments: SeedArgs) -> anyhow::Result<()> {
    let store = super::store(&settings).await?;
    seed::demo(&store, settings.simulate.seed, arguments.large).await?;
    if let Some(days) = arguments.history {
        let demo = history::Demo::begin(&store, &settings.database.url, settings.simulate.seed, days).await?;
        demo.fill(history::Pace::Full, &tokio_util::sync::CancellationToken::new()).await?;
    }
    say("The demo is in the database. Its logins work where demo.logins is true.");
    Ok(())
}
