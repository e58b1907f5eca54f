//! Brings a database up to date: numbered migrations first, then the one step that differs between engines.

use crate::Result;

/// What the database can do beyond PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Hypertables, compression, continuous aggregates.
    TimescaleCommunity,
    /// Hypertables and `time_bucket`; the rollup is a view.
    TimescaleApache,
    /// Plain tables; the rollup is a view.
    Plain,
}

/// Creates or upgrades the schema. Safe to call from several processes at once and at every start.
pub async fn migrate(url: &str) -> Result<Engine> {
    let _ = url;
    todo!()
}
