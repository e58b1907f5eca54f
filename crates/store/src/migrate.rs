//! Database migrations: the numbered migrations, then the step that depends on the engine.

use tokio_postgres::Client;

use crate::convert::sql;
use crate::engine::{Engine, engine};
use crate::{Result, pool};

refinery::embed_migrations!("migrations");

/// Advisory lock that is held while migrating. The number must differ from the other locks of the product.
const LOCK: i64 = 0x0073_7769_7463_6879;

/// Creates or upgrades the schema. Several processes can call it at the same time and at every start.
pub async fn migrate(url: &str) -> Result<Engine> {
    let mut client = pool::connect(url).await?;
    // The lock is released with the connection, even after an error.
    client.execute("SELECT pg_advisory_lock($1)", &[&LOCK]).await?;
    // The default table name would not match our naming.
    migrations::runner().set_migration_table_name("schema_migration").run_async(&mut client).await?;
    prepare_engine(&client).await
}

/// Prepares what depends on the engine, and returns the engine. Other code does not distinguish engines: tables and views have the same names on all of them.
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
        client.batch_execute(sql!("partition/split_sample")).await?;
        return Ok(engine);
    }
    client.batch_execute(sql!("partition/join_sample")).await?;
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

/// Returns whether the continuous aggregate `sample_1m` of earlier releases exists. TimescaleDB lists it among the views too.
async fn has_aggregate(client: &Client) -> Result<bool> {
    let row = client.query_opt("SELECT FROM timescaledb_information.continuous_aggregates WHERE view_name = 'sample_1m'", &[]).await?;
    Ok(row.is_some())
}
