//! What can go wrong between the product and its database, and what a caller should do about it.

use std::error::Error as _;

use tokio_postgres::error::SqlState;

/// Everything that a call into the store can fail with.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address of the database cannot be read.
    #[error("the database address is not valid: {0}")]
    Address(String),
    /// No connection could be had from the pool in time.
    #[error("no database connection: {}", describe_pool(.0))]
    Pool(#[from] deadpool_postgres::PoolError),
    /// The server refused, failed or went away.
    #[error("database: {}", describe(.0))]
    Database(#[from] tokio_postgres::Error),
    /// The schema could not be brought up to date.
    #[error("migration: {0}")]
    Migration(#[from] refinery::Error),
    /// The data cannot be stored as it is, whatever the server says.
    #[error("{0}")]
    Data(String),
    /// A stored row has a number or word that this program does not know.
    #[error("unreadable row: {0}")]
    Unreadable(String),
    /// Another process has become the leader: this one may not commit any more. Nothing was stored.
    #[error("another process leads {name:?}: term {term} is over")]
    Deposed {
        /// What is led.
        name: String,
        /// The term that is over.
        term: grid::Term,
    },
}

impl Error {
    /// Whether the database is away (refused, cut, restarting): the same call will succeed once it is back, and nothing of it was stored
    /// except where the connection was lost while COMMIT was under way. A resend is harmless in that case too.
    pub fn is_connection(&self) -> bool {
        match self {
            Self::Pool(deadpool_postgres::PoolError::Backend(error)) | Self::Database(error) => lost(error),
            Self::Pool(_) => true,
            Self::Migration(_) | Self::Address(_) | Self::Data(_) | Self::Unreadable(_) | Self::Deposed { .. } => false,
        }
    }

    /// Whether the database is there and did not come to it in time: the statement took too long, waited too long for what somebody else has locked, or
    /// was given up so that others could go on. Nothing was stored, and the same call may well succeed in a moment.
    pub fn is_overdue(&self) -> bool {
        const OVERDUE: [SqlState; 5] = [
            SqlState::QUERY_CANCELED,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        ];
        let code = match self {
            Self::Pool(deadpool_postgres::PoolError::Backend(error)) | Self::Database(error) => error.code(),
            _ => None,
        };
        code.is_some_and(|code| OVERDUE.contains(code))
    }

    /// Returns what a user may be told of it; the rest is for the log.
    pub fn sentence(&self) -> &'static str {
        if self.is_connection() {
            "the database does not answer, try again in a moment"
        } else if self.is_overdue() {
            "the database has too much to do for this now and nothing was changed, try again in a moment"
        } else {
            "something went wrong"
        }
    }

    /// Logs the cause. Call it once for each error that a user sees as [`Self::sentence`].
    pub fn log(&self) {
        if self.is_connection() || self.is_overdue() {
            tracing::warn!("{self}");
        } else {
            tracing::error!("{self}");
        }
    }

    /// Whether the same data will be refused for ever (out of range, violates a constraint), so that it must not be tried again as it is.
    /// Faults of the deployment, such as a missing table, are not of this kind: the data is good.
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Data(_) => true,
            Self::Pool(deadpool_postgres::PoolError::Backend(error)) | Self::Database(error) => refused(error),
            _ => false,
        }
    }
}

/// tokio-postgres says only "db error"; what the server said stands behind it.
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
        // No code and not lost: the value could not be turned into what the server expects.
        None => !lost(error),
    }
}
