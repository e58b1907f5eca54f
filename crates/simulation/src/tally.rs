//! Counts the events of a run.

use std::fmt;

/// Numbers of events. They show whether faults of each kind have occurred, because a simulation without a kind of fault
/// proves nothing about it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Runs, one for each seed.
    pub seeds: u64,
    /// Events of the simulated world.
    pub steps: u64,
    /// Started terms.
    pub leader_changes: u64,
    /// Committed transactions.
    pub commits: u64,
    /// Transactions refused because their term has ended.
    pub refused_commits: u64,
    /// Jumps of wall clocks.
    pub clock_steps: u64,
    /// Cut links between two parties.
    pub partitions: u64,
    /// Processes and gateways that crashed, and restarts of broker and database.
    pub crashes: u64,
    /// Connections to the broker after the first of each client.
    pub reconnects: u64,
    /// Sessions given to another client with the same id.
    pub takeovers: u64,
    /// Messages that the broker sent again.
    pub redeliveries: u64,
    /// Batches that were written to a spool.
    pub spooled: u64,
    /// Times at which a disk started to fail.
    pub disk_failures: u64,
    /// Messages of the bus that were lost.
    pub lost_messages: u64,
    /// Values in the history at the end.
    pub values: u64,
}

impl Tally {
    /// Returns each figure with its name.
    pub fn figures(&self) -> [(&'static str, u64); 15] {
        [
            ("seeds", self.seeds),
            ("steps", self.steps),
            ("leader changes", self.leader_changes),
            ("commits", self.commits),
            ("refused commits", self.refused_commits),
            ("clock steps", self.clock_steps),
            ("partitions", self.partitions),
            ("crashes", self.crashes),
            ("reconnects", self.reconnects),
            ("takeovers", self.takeovers),
            ("redeliveries", self.redeliveries),
            ("spooled batches", self.spooled),
            ("disk failures", self.disk_failures),
            ("lost messages of the bus", self.lost_messages),
            ("values", self.values),
        ]
    }

    /// Adds the figures of another run.
    pub fn add(&mut self, other: &Self) {
        self.seeds += other.seeds;
        self.steps += other.steps;
        self.leader_changes += other.leader_changes;
        self.commits += other.commits;
        self.refused_commits += other.refused_commits;
        self.clock_steps += other.clock_steps;
        self.partitions += other.partitions;
        self.crashes += other.crashes;
        self.reconnects += other.reconnects;
        self.takeovers += other.takeovers;
        self.redeliveries += other.redeliveries;
        self.spooled += other.spooled;
        self.disk_failures += other.disk_failures;
        self.lost_messages += other.lost_messages;
        self.values += other.values;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figures: Vec<String> = self.figures().iter().map(|(name, figure)| format!("{figure} {name}")).collect();
        f.write_str(&figures.join(", "))
    }
}
