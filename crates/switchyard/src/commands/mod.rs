//! The subcommands, one file each.

pub(crate) mod admin;
pub(crate) mod alarms;
pub(crate) mod all;
pub(crate) mod analytics;
pub(crate) mod api;
pub(crate) mod forecast;
pub(crate) mod hub;
pub(crate) mod ingest;
pub(crate) mod migrate;
pub(crate) mod network;
mod news;
pub(crate) mod role;
pub(crate) mod seed;
pub(crate) mod simulate;
pub(crate) mod sld;

use anyhow::{Context, bail};
use store::{ReadClass, Store};

use crate::settings::Settings;

/// Returns a handle to the database, for a command that needs a configured one.
async fn store(settings: &Settings) -> anyhow::Result<Store> {
    if settings.database.url.is_empty() {
        bail!("this command needs a database: set DATABASE_URL (`switchyard all` starts one of its own)");
    }
    let store = Store::connect_sized(&settings.database.url, settings.database.replica(), settings.database.pool_sizes())
        .await
        .context("database")?;
    Ok(store.in_class(ReadClass::Background))
}

/// Returns a utility and one of its substations, by their codes.
async fn substation(store: &Store, client: &str, substation: &str) -> anyhow::Result<(grid::ClientId, store::registry::NodeRecord)> {
    let registry = store.registry(None).await?;
    let client = registry.clients.iter().find(|record| record.code == client).with_context(|| format!("there is no utility {client:?}"))?;
    let node = registry
        .nodes
        .iter()
        .find(|node| node.client == client.id && node.level == grid::Level::Substation && node.code == substation)
        .with_context(|| format!("utility {:?} has no substation {substation:?}", client.code))?;
    Ok((client.id, node.clone()))
}
