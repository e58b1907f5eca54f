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

/// Whether the database of heavy reads runs on the machine of the services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SharesMachine {
    /// It is decided by whether its address is local.
    Auto,
    /// It runs on this machine, although its address does not show it, for example in another container.
    Yes,
    /// It does not run on this machine, although its address is local, for example the address of a tunnel.
    No,
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
    /// Whether the database of heavy reads runs on this machine.
    pub shares_machine: SharesMachine,
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
        let mut heavy = of(self.heavy);
        if self.heavy_reads_share_cores() {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            heavy.utility = heavy.utility.min(cores.saturating_sub(1).max(1));
        }
        PoolSizes { reserved: of(self.reserved), interactive: of(self.interactive), heavy, background: of(self.background) }
    }

    /// Whether the database of heavy reads runs on this machine. In this case their number must be limited, because they would take all cores from sign-in and
    /// commands.
    fn heavy_reads_share_cores(&self) -> bool {
        match self.shares_machine {
            SharesMachine::Auto => store::is_on_this_machine(self.replica().unwrap_or(&self.url)),
            SharesMachine::Yes => true,
            SharesMachine::No => false,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heavy_reads_leave_a_core_free_where_the_database_is_on_this_machine() {
        let same = Connections { utility: 200, all: 2 };
        let of = |url: &str, replica: &str, shares_machine: SharesMachine| Database {
            url: url.into(),
            replica_url: replica.into(),
            shares_machine,
            reserved: same,
            interactive: same,
            heavy: same,
            background: same,
            pool_max: None,
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let few = cores.saturating_sub(1).max(1);
        let (here, elsewhere) = ("postgres://u@127.0.0.1:5432/d", "postgres://u@db.example:5432/d");
        let (named, hidden) = ("host=db.example hostaddr=127.0.0.1 user=u", "host=localhost hostaddr=192.0.2.1 user=u");
        for (url, replica, shares_machine, slots) in [
            (here, "", SharesMachine::Auto, few),
            ("postgres://u@localhost/d", "", SharesMachine::Auto, few),
            ("postgres://u@[::1]/d", "", SharesMachine::Auto, few),
            (elsewhere, "", SharesMachine::Auto, 200),
            (here, elsewhere, SharesMachine::Auto, 200),
            (elsewhere, here, SharesMachine::Auto, few),
            (named, "", SharesMachine::Auto, few),
            (hidden, "", SharesMachine::Auto, 200),
            (elsewhere, "", SharesMachine::Yes, few),
            (here, "", SharesMachine::No, 200),
        ] {
            let sizes = of(url, replica, shares_machine).pool_sizes();
            let found = (sizes.heavy.utility, sizes.heavy.all, sizes.interactive.utility);
            assert_eq!(found, (slots, 2, 200), "{url} {replica} {shares_machine:?}");
        }
    }

    /// The database of compose.yaml is on the machine of the services, which its name does not show.
    #[test]
    fn compose_file_says_that_the_database_shares_the_machine() {
        let compose = include_str!("../../../../compose.yaml");
        let (_, common) = compose.split_once("x-database: &database").expect("the settings of all services");
        let common = common.split("\n\n").next().expect("a block");
        assert!(common.contains("@database:5432") && common.contains("SWITCHYARD__DATABASE__SHARES_MACHINE: \"yes\""), "{common}");
    }
}
