//! The connections of each class of database work.

use anyhow::bail;
use serde::Deserialize;
use store::PoolSizes;

/// The largest number of connections of one class.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Connections {
    /// For queries about one utility.
    pub utility: usize,
    /// For all other queries.
    pub all: usize,
}

/// The database.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Database {
    /// The URL; empty for the embedded database.
    pub url: String,
    /// The URL of a standby for heavy queries about one utility; empty: `url`.
    #[serde(default)]
    pub replica_url: String,
    /// Connections for sign-in, commands and readiness.
    pub reserved: Connections,
    /// Connections for reads for which a user waits.
    pub interactive: Connections,
    /// Connections for long reads.
    pub heavy: Connections,
    /// Connections for the work of the services themselves.
    pub background: Connections,
    /// A setting of earlier releases, refused with an error that names its successors.
    #[serde(default)]
    pub pool_max: Option<u32>,
}

impl Database {
    /// The URL of the standby, if there is one.
    pub(crate) fn replica(&self) -> Option<&str> {
        (!self.replica_url.is_empty()).then_some(&self.replica_url)
    }

    /// The sizes of the pools.
    pub(crate) fn pool_sizes(&self) -> PoolSizes {
        let of = |connections: Connections| store::Connections { utility: connections.utility, all: connections.all };
        PoolSizes { reserved: of(self.reserved), interactive: of(self.interactive), heavy: of(self.heavy), background: of(self.background) }
    }

    /// Refuses numbers of connections that cannot work.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        if self.pool_max.is_some() {
            bail!(
                "database.pool_max is replaced by database.reserved, database.interactive, database.heavy and database.background, \
                 each with `utility` and `all`; remove it"
            );
        }
        if self.url.is_empty() && !self.replica_url.is_empty() {
            bail!("database.replica_url names a standby of database.url, which is empty: set both, or neither");
        }
        let classes =
            [("reserved", self.reserved), ("interactive", self.interactive), ("heavy", self.heavy), ("background", self.background)];
        for (class, connections) in classes {
            for (kind, number) in [("utility", connections.utility), ("all", connections.all)] {
                if !(1..=200).contains(&number) {
                    bail!("database.{class}.{kind} must lie between 1 and 200, it is {number}");
                }
            }
        }
        Ok(())
    }
}
