//! Classes of database work. Each class has connections and time limits of its own, so that slow reads of one user do not delay a command of another.

use std::time::Duration;

/// A class of database work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadClass {
    /// Sign-in, sessions, permissions, commands, acknowledgements, readiness, and the audit of these.
    Reserved,
    /// Reads for which a user waits: lists, latest values, events, charts of moderate size.
    Interactive,
    /// Reads that may take minutes: long charts, sums of many points, reports, exports.
    Heavy,
    /// Work of the services themselves, without a user: the registry, alarms, analytics, cleaning up.
    Background,
}

impl ReadClass {
    /// All classes.
    pub const ALL: [Self; 4] = [Self::Reserved, Self::Interactive, Self::Heavy, Self::Background];

    /// Returns the settings of a connection: the time limits of a statement, of a wait for a lock, and of an idle transaction, because other connections may
    /// wait for its locks.
    ///
    /// While a statement runs, the server checks once a second whether the client is connected. If not, it ends the statement.
    pub(crate) fn options(self) -> &'static str {
        match self {
            Self::Reserved => {
                "-c statement_timeout=10s -c lock_timeout=5s -c idle_in_transaction_session_timeout=30s -c client_connection_check_interval=1s"
            }
            Self::Interactive => {
                "-c statement_timeout=5s -c lock_timeout=4s -c idle_in_transaction_session_timeout=30s -c client_connection_check_interval=1s"
            }
            Self::Heavy | Self::Background => {
                "-c statement_timeout=120s -c lock_timeout=10s -c idle_in_transaction_session_timeout=30s -c client_connection_check_interval=1s"
            }
        }
    }

    /// Returns how long a caller waits for a connection before it gets a connection error.
    pub(crate) fn wait_max(self) -> Duration {
        match self {
            Self::Reserved => Duration::from_secs(2),
            Self::Interactive | Self::Heavy | Self::Background => Duration::from_secs(5),
        }
    }
}

/// The largest number of connections of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connections {
    /// For queries about one utility, in the role that only reads.
    pub utility: usize,
    /// For everything else.
    pub all: usize,
}

/// The largest number of connections of each class. Connections are opened when they are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSizes {
    /// Connections of [`ReadClass::Reserved`].
    pub reserved: Connections,
    /// Connections of [`ReadClass::Interactive`].
    pub interactive: Connections,
    /// Connections of [`ReadClass::Heavy`].
    pub heavy: Connections,
    /// Connections of [`ReadClass::Background`].
    pub background: Connections,
}

impl PoolSizes {
    /// Returns the same number for each class and kind.
    pub fn same(most: usize) -> Self {
        let same = Connections { utility: most, all: most };
        Self { reserved: same, interactive: same, heavy: same, background: same }
    }

    /// Returns the number of a class.
    pub fn of(&self, class: ReadClass) -> Connections {
        match class {
            ReadClass::Reserved => self.reserved,
            ReadClass::Interactive => self.interactive,
            ReadClass::Heavy => self.heavy,
            ReadClass::Background => self.background,
        }
    }
}
