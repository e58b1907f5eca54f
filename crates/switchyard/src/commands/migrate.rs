//! `switchyard migrate`.

use anyhow::{Context, bail};

use crate::console::say;
use crate::settings::Settings;

/// Updates the schema and prints the database engine.
pub(crate) async fn run(settings: Settings) -> anyhow::Result<()> {
    if settings.database.url.is_empty() {
        bail!("migrate needs a database: set DATABASE_URL (`switchyard all` migrates its own)");
    }
    let engine = store::migrate(&settings.database.url).await.context("migrating the database")?;
    say(&format!("The schema is up to date ({engine:?})."));
    Ok(())
}
