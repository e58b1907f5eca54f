//! Database migrations: the numbered migrations, then the step that depends on the engine.

use tokio_postgres::Client;

use crate::convert::{micros, sql};
use crate::engine::{Engine, engine};
use crate::partition::{self, Table};
use crate::{Error, Result, pool};

refinery::embed_migrations!("migrations");

/// Advisory lock that is held while migrating. The number must differ from the other locks of the product.
const LOCK: i64 = 0x0073_7769_7463_6879;

/// The table in which the library for migrations records the migrations that it has run. Its default name does not match our naming.
const TABLE: &str = "schema_migration";

/// Creates or upgrades the schema. Several processes can call it at the same time and at every start.
///
/// The library compares the checksums of the migrations that were run on a database with the files of this program. It refuses a database on which a different
/// version of a file was run. It also refuses a database on which a file was run that this program does not have.
pub async fn migrate(url: &str) -> Result<Engine> {
    let mut client = pool::connect(url).await?;
    // The lock is released with the connection, even after an error.
    client.execute("SELECT pg_advisory_lock($1)", &[&LOCK]).await?;
    if has_former_schema(&client).await? {
        return Err(Error::FormerSchema);
    }
    migrations::runner().set_migration_table_name(TABLE).run_async(&mut client).await?;
    prepare_engine(&mut client).await
}

/// Returns whether a version before the first release created the schema. Its first migration was called `field`.
async fn has_former_schema(client: &Client) -> Result<bool> {
    if client.query_opt("SELECT WHERE to_regclass($1) IS NOT NULL", &[&TABLE]).await?.is_none() {
        return Ok(false);
    }
    Ok(client.query_opt(sql!("engine/find_former"), &[]).await?.is_some())
}

/// Prepares the parts of the schema that depend on the engine, and returns the engine. Other code does not distinguish engines, because tables and views have
/// the same names on all of them.
async fn prepare_engine(client: &mut Client) -> Result<Engine> {
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
    for table in Table::ALL {
        if engine == Engine::Plain {
            // One partition takes all times up to the end of the present width; the service that maintains the history creates more.
            let now = client.query_one("SELECT now() AS now", &[]).await?;
            partition::ensure(client, table, &[micros(&now, "now")?]).await?;
        } else {
            create_hypertable(client, table).await?;
        }
    }
    client.batch_execute(sql!("engine/bucket_views")).await?;
    if engine == Engine::TimescaleCommunity {
        client.batch_execute(sql!("engine/policies_community")).await?;
    }
    Ok(engine)
}

/// Turns a table into a hypertable, unless it is one.
async fn create_hypertable(client: &Client, table: Table) -> Result<()> {
    let name = table.name();
    client.batch_execute(&sql!("partition/join_sample").replace("sample", name)).await?;
    if let Some(storage) = table.storage() {
        client.batch_execute(&format!("ALTER TABLE {name} SET ({storage})")).await?;
    }
    let width = format!("'{} days'", table.chunk_days());
    let create = sql!("engine/hypertable").replace("'sample'", &format!("'{name}'"));
    let create = create.replace("'ts'", &format!("'{}'", table.column())).replace("'7 days'", &width);
    Ok(client.batch_execute(&create).await?)
}
