//! The way to the database for questions and small changes: a pool, cheap to clone.

use crate::{Engine, Result};

/// A handle on the database. Clones share one pool.
#[derive(Clone)]
pub struct Store {
    pub(crate) pool: deadpool_postgres::Pool,
}

impl Store {
    /// Opens a pool of at most `pool_max` connections and proves that the server answers.
    pub async fn connect(url: &str, pool_max: usize) -> Result<Self> {
        let _ = (url, pool_max);
        todo!()
    }

    /// What the connected database can do.
    pub async fn engine(&self) -> Result<Engine> {
        todo!()
    }

    /// One round trip, for readiness.
    pub async fn ping(&self) -> Result<()> {
        todo!()
    }
}
