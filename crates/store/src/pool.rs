//! The pool of database connections for queries and small changes.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts};
use postgres_types::ToSql;
use tokio::sync::OnceCell;
use tokio_postgres::{Config, NoTls, Row};

use crate::engine::{self, Engine};
use crate::{Error, Result};

/// How long a caller waits for a connection from the pool, and a new connection for the server, before the call fails.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the kernel repeats unacknowledged data before the connection counts as lost.
const LINK_PATIENCE: Duration = Duration::from_secs(10);

/// Time limits of the pool's connections for statements, locks, and pauses within a transaction, which keeps its locks meanwhile. The writer and migrations
/// have no such limits, because they may take long. Options in the address override these.
const LIMITS: &str = "-c statement_timeout=30s -c lock_timeout=10s -c idle_in_transaction_session_timeout=30s";

/// Parameters of a statement.
pub(crate) type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

/// A handle to the database. Clones share one pool.
#[derive(Clone)]
pub struct Store {
    /// Connections for queries about all utilities.
    pub(crate) pool: Pool,
    /// Connections for queries about one utility, see [`crate::tenant`].
    pub(crate) tenants: Pool,
    engine: Arc<OnceCell<Engine>>,
}

impl Store {
    /// Opens two pools of at most `pool_max` connections each, for queries about one and about all utilities, and checks that the server answers. Further
    /// callers wait up to 5 s for a connection and then get [`Error::Pool`].
    pub async fn connect(url: &str, pool_max: usize) -> Result<Self> {
        let store = Self {
            pool: pool(limited(address(url)?), pool_max)?,
            tenants: pool(limited(bound(url, "-c role=switchyard_tenant")?), pool_max)?,
            engine: Arc::default(),
        };
        store.ping().await?;
        Ok(store)
    }

    /// Returns the engine of the connected database.
    pub async fn engine(&self) -> Result<Engine> {
        let ask = async { engine::engine(&**self.pool.get().await?).await };
        self.engine.get_or_try_init(|| ask).await.copied()
    }

    /// Checks the connection with one round trip, for readiness.
    pub async fn ping(&self) -> Result<()> {
        self.pool.get().await?.simple_query("").await?;
        self.ping_tenants().await
    }

    pub(crate) async fn query(&self, statement: &str, params: Params<'_>) -> Result<Vec<Row>> {
        let client = self.pool.get().await?;
        let prepared = client.prepare_cached(statement).await?;
        Ok(client.query(&prepared, params).await?)
    }

    pub(crate) async fn query_opt(&self, statement: &str, params: Params<'_>) -> Result<Option<Row>> {
        let client = self.pool.get().await?;
        let prepared = client.prepare_cached(statement).await?;
        Ok(client.query_opt(&prepared, params).await?)
    }

    pub(crate) async fn execute(&self, statement: &str, params: Params<'_>) -> Result<u64> {
        let client = self.pool.get().await?;
        let prepared = client.prepare_cached(statement).await?;
        Ok(client.execute(&prepared, params).await?)
    }
}

fn pool(config: Config, size: usize) -> Result<Pool> {
    let manager = Manager::from_config(config, NoTls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
    let timeouts = Timeouts { wait: Some(PATIENCE), create: Some(PATIENCE), recycle: Some(PATIENCE) };
    let builder = Pool::builder(manager).max_size(size.max(1)).runtime(Runtime::Tokio1).timeouts(timeouts);
    builder.build().map_err(|error| Error::Address(error.to_string()))
}

/// Returns the settings of connections that can access all utilities.
pub(crate) fn address(url: &str) -> Result<Config> {
    bound(url, "-c app.client_id=every")
}

/// Parses an address, adds the scope of its connections, and sets defaults by which a lost server is detected.
fn bound(url: &str, options: &str) -> Result<Config> {
    let mut config = Config::from_str(url).map_err(|error| Error::Address(error.to_string()))?;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(PATIENCE);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(LINK_PATIENCE);
    }
    if config.get_application_name().is_none() {
        config.application_name("switchyard");
    }
    config.keepalives_idle(LINK_PATIENCE);
    let given = config.get_options().unwrap_or_default();
    let options = format!("{given} {options}");
    config.options(options);
    Ok(config)
}

/// Adds the time limits of connections on which a caller waits.
fn limited(mut config: Config) -> Config {
    let options = format!("{LIMITS} {}", config.get_options().unwrap_or_default());
    config.options(options);
    config
}

/// Opens a connection outside of the pool. A task drives it until the client is dropped.
pub(crate) async fn connect(url: &str) -> Result<tokio_postgres::Client> {
    let (client, connection) = address(url)?.connect(NoTls).await?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::warn!(%error, "database connection lost");
        }
    });
    Ok(client)
}

#[cfg(test)]
mod with_servers {
    use super::*;

    #[tokio::test]
    async fn pooled_connections_have_time_limits() {
        let database = testkit::database().await;
        let asked = "SELECT current_setting('statement_timeout'), current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout')";
        let limits = async |url: &str| {
            let store = Store::connect(url, 1).await.unwrap();
            let mut found = Vec::new();
            for pool in [&store.pool, &store.tenants] {
                let row = pool.get().await.unwrap().query_one(asked, &[]).await.unwrap();
                found.push([0, 1, 2].map(|at| row.get::<_, String>(at)));
            }
            found
        };
        let usual = ["30s", "10s", "30s"].map(str::to_owned);
        assert_eq!(limits(database.url()).await, [usual.clone(), usual]);
        let joint = if database.url().contains('?') { '&' } else { '?' };
        let own = ["30s", "250ms", "30s"].map(str::to_owned);
        assert_eq!(limits(&format!("{}{joint}options=-c%20lock_timeout%3D250ms", database.url())).await, [own.clone(), own]);
        let unlimited = connect(database.url()).await.unwrap().query_one(asked, &[]).await.unwrap();
        assert_eq!([0, 1, 2].map(|at| unlimited.get::<_, String>(at)), ["0", "0", "0"], "the writer's");
    }
}
