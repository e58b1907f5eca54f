//! Brings a database up to date: numbered migrations first, then the one step that differs between engines.

use tokio_postgres::Client;

use crate::convert::sql;
use crate::engine::{Engine, engine};
use crate::{Result, pool};

refinery::embed_migrations!("migrations");

/// Held while migrating; any number will do that no other lock of ours has.
const LOCK: i64 = 0x0073_7769_7463_6879;

/// Creates or upgrades the schema. Safe to call from several processes at once and at every start.
pub async fn migrate(url: &str) -> Result<Engine> {
    let mut client = pool::connect(url).await?;
    // Released with the connection, whatever happens in between.
    client.execute("SELECT pg_advisory_lock($1)", &[&LOCK]).await?;
    // Its default table name would stand among the product's nouns.
    migrations::runner().set_migration_table_name("schema_migration").run_async(&mut client).await?;
    prepare_engine(&client).await
}

/// The only place where the engines part: what they have is asked of the server, and what is made of it has the same names everywhere.
async fn prepare_engine(client: &Client) -> Result<Engine> {
    let row = client.query_one(sql!("engine/ask"), &[]).await?;
    let (available, loaded, created): (bool, bool, bool) = (row.try_get("available")?, row.try_get("loaded")?, row.try_get("created")?);
    if available
        && loaded
        && !created
        && let Err(error) = client.batch_execute(sql!("engine/extension")).await
    {
        tracing::warn!(%error, "TimescaleDB is there but may not be created in this database: going on without it");
    }
    let engine = engine(client).await?;
    if engine == Engine::Plain {
        client.batch_execute(sql!("engine/retire_view")).await?;
        return Ok(engine);
    }
    client.batch_execute(sql!("engine/hypertable")).await?;
    if engine == Engine::TimescaleCommunity && has_aggregate(client).await? {
        client.batch_execute(sql!("engine/retire_aggregate")).await?;
    }
    client.batch_execute(sql!("engine/retire_view")).await?;
    if engine == Engine::TimescaleCommunity {
        client.batch_execute(sql!("engine/policies_community")).await?;
    }
    Ok(engine)
}

/// Whether there is the continuous aggregate `sample_1m` of earlier releases, which TimescaleDB shows among the views too.
async fn has_aggregate(client: &Client) -> Result<bool> {
    let row = client.query_opt("SELECT FROM timescaledb_information.continuous_aggregates WHERE view_name = 'sample_1m'", &[]).await?;
    Ok(row.is_some())
}
