//! The database engine and its features beyond PostgreSQL.

use tokio_postgres::Client;

use crate::Result;
use crate::convert::sql;

/// The database engine, by its features beyond PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// TimescaleDB Community: hypertables and compression.
    TimescaleCommunity,
    /// TimescaleDB Apache edition: hypertables.
    TimescaleApache,
    /// Plain PostgreSQL: ordinary tables.
    Plain,
}

/// Returns the engine of a database without changing anything.
pub(crate) async fn engine(client: &Client) -> Result<Engine> {
    let row = client.query_one(sql!("engine/ask"), &[]).await?;
    let (created, license): (bool, Option<&str>) = (row.try_get("created")?, row.try_get("license")?);
    Ok(match (created, license) {
        (false, _) => Engine::Plain,
        (true, Some("timescale")) => Engine::TimescaleCommunity,
        (true, _) => Engine::TimescaleApache,
    })
}
