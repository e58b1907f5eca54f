//! What the database can do beyond PostgreSQL.

use tokio_postgres::Client;

use crate::Result;
use crate::convert::sql;

/// What the database can do beyond PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Hypertables and compression.
    TimescaleCommunity,
    /// Hypertables.
    TimescaleApache,
    /// Plain tables.
    Plain,
}

/// Which engine a database is on; changes nothing.
pub(crate) async fn engine(client: &Client) -> Result<Engine> {
    let row = client.query_one(sql!("engine/ask"), &[]).await?;
    let (created, license): (bool, Option<&str>) = (row.try_get("created")?, row.try_get("license")?);
    Ok(match (created, license) {
        (false, _) => Engine::Plain,
        (true, Some("timescale")) => Engine::TimescaleCommunity,
        (true, _) => Engine::TimescaleApache,
    })
}
