//! Errors of the database layer, and what a caller can do about each.

use std::error::Error as _;

use tokio_postgres::error::SqlState;

/// An error of a call into the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address of the database is not valid.
    #[error("the database address is not valid: {0}")]
    Address(String),
    /// No connection was available in the pool within the time limit.
    #[error("no database connection: {}", describe_pool(.0))]
    Pool(#[from] deadpool_postgres::PoolError),
    /// The server refused or failed the statement, or the connection was lost.
    #[error("database: {}", describe(.0))]
    Database(#[from] tokio_postgres::Error),
    /// An interactive read was ended by its time limit.
    #[error("the read took too long and was ended")]
    ReadTooLong,
    /// A migration failed.
    #[error("migration: {0}")]
    Migration(#[from] refinery::Error),
    /// The database was created by a version before the first release. It cannot be upgraded, because the migrations of that time were replaced by one
    /// baseline.
    #[error(
        "the database was created by a version before the first release, and this version cannot upgrade it. Nothing was changed. \
         To keep its data, export them with that version. Then start this version with an empty database; the demo seeds its data again"
    )]
    FormerSchema,
    /// The partitions of a table cannot be maintained. Nothing was stored.
    #[error("partitions: {0}")]
    Partitions(Box<Error>),
    /// The data cannot be stored. Another attempt fails too.
    #[error("{0}")]
    Data(String),
    /// A stored row has a number or text that this program does not know.
    #[error("unreadable row: {0}")]
    Unreadable(String),
    /// The registry has not been read from the database since the start of this process.
    #[error("the registry has not been read yet")]
    RegistryUnread,
    /// Another desk holds the area of what the user wants to change, or no desk does. Nothing was stored.
    #[error("{0}")]
    OutsideArea(grid::area::OutsideArea),
    /// Another process has become the leader, so this one must not commit. Nothing was stored.
    #[error("another process leads {name:?}: term {term} is over")]
    Deposed {
        /// The name of the leadership.
        name: String,
        /// The term that ended.
        term: grid::Term,
    },
}

impl Error {
    /// Returns whether the database is not reachable (refused, connection lost, restarting), or the registry has not been read yet. The same call succeeds
    /// later. Nothing was stored, unless the connection was lost during COMMIT. The call can be repeated in any case.
    pub fn is_connection(&self) -> bool {
        match self {
            Self::Pool(deadpool_postgres::PoolError::Backend(error)) | Self::Database(error) => lost(error),
            Self::Pool(_) | Self::RegistryUnread => true,
            Self::Partitions(cause) => cause.is_connection(),
            Self::ReadTooLong
            | Self::Migration(_)
            | Self::FormerSchema
            | Self::Address(_)
            | Self::Data(_)
            | Self::Unreadable(_)
            | Self::OutsideArea(_)
            | Self::Deposed { .. } => false,
        }
    }

    /// Returns whether the database was reachable but too slow: the statement or a lock took too long, or the statement was aborted because of a deadlock or
    /// conflict. Nothing was stored, and the same call can succeed a moment later.
    pub fn is_overdue(&self) -> bool {
        const OVERDUE: [SqlState; 5] = [
            SqlState::QUERY_CANCELED,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        ];
        let code = match self {
            Self::Partitions(cause) => return cause.is_overdue(),
            Self::Pool(deadpool_postgres::PoolError::Backend(error)) | Self::Database(error) => error.code(),
            _ => None,
        };
        code.is_some_and(|code| OVERDUE.contains(code))
    }

    /// Returns the sentence for users. The details are for the log only.
    pub fn sentence(&self) -> &'static str {
        if matches!(self, Self::ReadTooLong) {
            "This period takes too long. Choose a shorter period."
        } else if self.is_connection() {
            "the database does not answer, try again in a moment"
        } else if self.is_overdue() {
            "the database has too much to do for this now and nothing was changed, try again in a moment"
        } else {
            "something went wrong"
        }
    }

    /// Logs the cause. Call it once for each error whose [`Self::sentence`] is shown to a user.
    pub fn log(&self) {
        if self.is_connection() || self.is_overdue() || matches!(self, Self::ReadTooLong) {
            tracing::warn!("{self}");
        } else {
            tracing::error!("{self}");
        }
    }

    /// Returns whether the same data will always be refused (out of range, violates a constraint), so that it must not be stored again unchanged. Errors of the
    /// deployment, such as a missing table, do not count: the data are valid.
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Data(_) => true,
            Self::Pool(deadpool_postgres::PoolError::Backend(error)) | Self::Database(error) => refused(error),
            _ => false,
        }
    }
}

/// Describes an error. tokio-postgres itself displays only "db error"; the message of the server is its source.
fn describe(error: &tokio_postgres::Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(db), _) => format!("{} ({})", db.message(), db.code().code()),
        (None, Some(cause)) => format!("{error}: {cause}"),
        (None, None) => error.to_string(),
    }
}

fn describe_pool(error: &deadpool_postgres::PoolError) -> String {
    match error {
        deadpool_postgres::PoolError::Backend(error) => describe(error),
        other => other.to_string(),
    }
}

fn lost(error: &tokio_postgres::Error) -> bool {
    if let Some(code) = error.code() {
        // 08 connection exceptions, 57P01..57P05 shutdown, crash, starting up; 53300 too many connections.
        return code.code().starts_with("08") || code.code().starts_with("57P") || *code == SqlState::TOO_MANY_CONNECTIONS;
    }
    error.is_closed() || error.source().is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
}

fn refused(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        // 22 data exceptions, 23 constraint violations, 54 limits such as a key too long for an index.
        Some(code) => ["22", "23", "54"].iter().any(|class| code.code().starts_with(class)),
        // There is no SQL state and the connection works, so a value could not be converted to the type that the server expects.
        None => !lost(error),
    }
}
