//! Pooled connections for queries and small changes, two pools for each class of work.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts};
use postgres_types::ToSql;
use tokio::sync::OnceCell;
use tokio_postgres::{Config, NoTls, Row};

use crate::cancel::CancelOnDrop;
use crate::class::{PoolSizes, ReadClass};
use crate::engine::{self, Engine};
use crate::{Error, Result};

/// How long opening a connection may take.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// How long the kernel repeats unacknowledged data before the connection counts as lost.
const LINK_PATIENCE: Duration = Duration::from_secs(10);

/// Parameters of a statement.
pub(crate) type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

/// A handle to the database, for one class of work. Clones share its pools.
#[derive(Clone)]
pub struct Store {
    /// Connections of the class for queries about all utilities.
    pub(crate) pool: Pool,
    /// Connections of the class for queries about one utility, see [`crate::tenant`].
    pub(crate) tenants: Pool,
    pub(crate) class: ReadClass,
    classes: Arc<[Pools; ReadClass::ALL.len()]>,
    engine: Arc<OnceCell<Engine>>,
}

/// The pools of a class.
struct Pools {
    class: ReadClass,
    all: Pool,
    utility: Pool,
}

impl Store {
    /// Opens pools of at most `most` connections for each class and kind of query; see [`Self::connect_sized`].
    pub async fn connect(url: &str, most: usize) -> Result<Self> {
        Self::connect_sized(url, PoolSizes::same(most)).await
    }

    /// Opens the pools and checks that the server answers. The handle is of class [`ReadClass::Interactive`].
    ///
    /// Time limits in the options of the address replace those of the classes.
    pub async fn connect_sized(url: &str, sizes: PoolSizes) -> Result<Self> {
        let (all, utility) = (address(url)?, bound(url, "-c role=switchyard_tenant")?);
        let pools = |class: ReadClass| -> Result<Pools> {
            let most = sizes.of(class);
            Ok(Pools { class, all: pool(&all, class, most.all)?, utility: pool(&utility, class, most.utility)? })
        };
        let [reserved, interactive, heavy, background] = ReadClass::ALL.map(pools);
        let classes = Arc::new([reserved?, interactive?, heavy?, background?]);
        let store = Self::of_class(classes, ReadClass::Interactive, Arc::default());
        store.ping().await?;
        Ok(store)
    }

    /// Returns a handle to the same database whose statements use the connections and limits of a class.
    #[must_use]
    pub fn in_class(&self, class: ReadClass) -> Self {
        Self::of_class(self.classes.clone(), class, self.engine.clone())
    }

    /// Returns the largest number of connections of this class for queries about one utility.
    pub fn utility_connections(&self) -> usize {
        self.tenants.status().max_size
    }

    fn of_class(classes: Arc<[Pools; ReadClass::ALL.len()]>, class: ReadClass, engine: Arc<OnceCell<Engine>>) -> Self {
        let [first, others @ ..] = &*classes;
        let pools = others.iter().find(|pools| pools.class == class).unwrap_or(first);
        Self { pool: pools.all.clone(), tenants: pools.utility.clone(), class, classes, engine }
    }

    /// Returns the engine of the connected database.
    pub async fn engine(&self) -> Result<Engine> {
        let ask = async { engine::engine(&**self.pool.get().await?).await };
        self.engine.get_or_try_init(|| ask).await.copied()
    }

    /// Checks both reserved pools with one round trip each, for readiness.
    pub async fn ping(&self) -> Result<()> {
        let reserved = self.in_class(ReadClass::Reserved);
        for pool in [&reserved.pool, &reserved.tenants] {
            let connection = CancelOnDrop::new(pool.get().await?);
            let answer = connection.simple_query("").await;
            connection.finish();
            answer?;
        }
        Ok(())
    }

    pub(crate) async fn query(&self, statement: &str, params: Params<'_>) -> Result<Vec<Row>> {
        let connection = CancelOnDrop::new(self.pool.get().await?);
        let rows = async { connection.query(&connection.prepare_cached(statement).await?, params).await };
        let rows = rows.await;
        connection.finish();
        Ok(rows?)
    }

    pub(crate) async fn query_opt(&self, statement: &str, params: Params<'_>) -> Result<Option<Row>> {
        let connection = CancelOnDrop::new(self.pool.get().await?);
        let row = async { connection.query_opt(&connection.prepare_cached(statement).await?, params).await };
        let row = row.await;
        connection.finish();
        Ok(row?)
    }

    pub(crate) async fn execute(&self, statement: &str, params: Params<'_>) -> Result<u64> {
        let connection = CancelOnDrop::new(self.pool.get().await?);
        let changed = async { connection.execute(&connection.prepare_cached(statement).await?, params).await };
        let changed = changed.await;
        connection.finish();
        Ok(changed?)
    }
}

fn pool(address: &Config, class: ReadClass, size: usize) -> Result<Pool> {
    let mut config = address.clone();
    // Of two options with the same name the later one is valid.
    config.options(format!("{} {}", class.options(), address.get_options().unwrap_or_default()));
    let manager = Manager::from_config(config, NoTls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
    let timeouts = Timeouts { wait: Some(class.wait_max()), create: Some(CONNECT_MAX), recycle: Some(CONNECT_MAX) };
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
        config.connect_timeout(CONNECT_MAX);
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
    async fn connections_have_the_time_limits_of_their_class() {
        let database = testkit::database().await;
        let names = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "client_connection_check_interval"];
        let query = format!("SELECT {}", names.map(|name| format!("current_setting('{name}')")).join(", "));
        let found = |row: Row| [0, 1, 2, 3].map(|at| row.get::<_, String>(at));
        let limits = async |url: &str, class: ReadClass| {
            let store = Store::connect(url, 1).await.unwrap().in_class(class);
            let all = found(store.pool.get().await.unwrap().query_one(&query, &[]).await.unwrap());
            let utility = found(store.tenants.get().await.unwrap().query_one(&query, &[]).await.unwrap());
            assert_eq!(all, utility, "{class:?}");
            all
        };
        for (class, expected) in [
            (ReadClass::Reserved, ["10s", "5s", "30s", "1s"]),
            (ReadClass::Interactive, ["5s", "4s", "30s", "1s"]),
            (ReadClass::Heavy, ["2min", "10s", "30s", "1s"]),
            (ReadClass::Background, ["2min", "10s", "30s", "1s"]),
        ] {
            assert_eq!(limits(database.url(), class).await, expected, "{class:?}");
        }
        let joint = if database.url().contains('?') { '&' } else { '?' };
        let own = format!("{}{joint}options=-c%20lock_timeout%3D250ms", database.url());
        assert_eq!(limits(&own, ReadClass::Heavy).await, ["2min", "250ms", "30s", "1s"], "the address has its own limit");
        let unlimited = found(connect(database.url()).await.unwrap().query_one(&query, &[]).await.unwrap());
        assert_eq!(unlimited[..3], ["0", "0", "0"], "a connection of the writer");
    }

    #[tokio::test]
    async fn classes_do_not_wait_for_each_other() {
        let database = testkit::database().await;
        let store = Store::connect(database.url(), 1).await.unwrap();
        let mut held = Vec::new();
        for class in [ReadClass::Interactive, ReadClass::Heavy, ReadClass::Background] {
            let store = store.in_class(class);
            held.push(store.pool.get().await.unwrap());
            held.push(store.tenants.get().await.unwrap());
        }
        store.ping().await.unwrap();
        store.in_class(ReadClass::Reserved).query("SELECT 1", &[]).await.unwrap();
    }
}
