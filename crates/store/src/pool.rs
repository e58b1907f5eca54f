//! Pooled connections for queries and small changes, two pools for each class of work.

use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{ClientWrapper, Hook, HookError, Manager, ManagerConfig, Pool, PoolBuilder, RecyclingMethod, Runtime, Timeouts};
use postgres_types::ToSql;
use tokio::sync::OnceCell;
use tokio_postgres::config::Host;
use tokio_postgres::{Config, NoTls, Row};

use crate::cancel::CancelOnDrop;
use crate::class::{PoolSizes, ReadClass};
use crate::control::Known;
use crate::engine::{self, Engine};
use crate::kept::Snapshot;
use crate::{Error, Result};

/// How long opening a connection may take.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// How long the kernel resends unacknowledged data before the connection counts as lost.
const LINK_PATIENCE: Duration = Duration::from_secs(10);

/// Maximum delay of a replica. If the delay is longer, a heavy read ends with an error.
const REPLICA_LAG_MAX: Duration = Duration::from_mins(1);

/// The role of connections for queries about one utility. It only reads.
const UTILITY_ROLE: &str = "-c role=switchyard_tenant";

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
    pub(crate) kept: Arc<Snapshot>,
    pub(crate) known: Arc<Known>,
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
        Self::connect_sized(url, None, PoolSizes::same(most)).await
    }

    /// Opens the pools and checks that the server answers. The handle is of class [`ReadClass::Interactive`].
    ///
    /// `replica` is the address of a standby of the same database for heavy queries about one utility, which only read. All other statements go to `url`. No
    /// connection to the standby is opened before the first of these queries, so a service can start while the standby is not available.
    ///
    /// If the options of an address contain time limits, these replace the limits of the classes.
    pub async fn connect_sized(url: &str, replica: Option<&str>, sizes: PoolSizes) -> Result<Self> {
        let (all, utility) = (address(url)?, bound(url, UTILITY_ROLE)?);
        let heavy = bound(replica.unwrap_or(url), &format!("{UTILITY_ROLE} -c default_transaction_read_only=on"))?;
        let pools = |class: ReadClass| -> Result<Pools> {
            let most = sizes.of(class);
            let utility = match (class, replica) {
                (ReadClass::Heavy, Some(_)) => replica_pool(&heavy, most.utility)?,
                (ReadClass::Heavy, None) => pool(&heavy, class, most.utility)?,
                _ => pool(&utility, class, most.utility)?,
            };
            Ok(Pools { class, all: pool(&all, class, most.all)?, utility })
        };
        let [reserved, interactive, heavy, background] = ReadClass::ALL.map(pools);
        let classes = Arc::new([reserved?, interactive?, heavy?, background?]);
        let store = Self::of_class(classes, ReadClass::Interactive, Arc::default(), Arc::default(), Arc::default());
        store.ping().await?;
        Ok(store)
    }

    /// Returns a handle to the same database whose statements use the connections and limits of a class.
    #[must_use]
    pub fn in_class(&self, class: ReadClass) -> Self {
        Self::of_class(self.classes.clone(), class, self.engine.clone(), self.kept.clone(), self.known.clone())
    }

    /// Returns the largest number of connections of this class for queries about one utility.
    pub fn utility_connections(&self) -> usize {
        self.tenants.status().max_size
    }

    fn of_class(
        classes: Arc<[Pools; ReadClass::ALL.len()]>,
        class: ReadClass,
        engine: Arc<OnceCell<Engine>>,
        kept: Arc<Snapshot>,
        known: Arc<Known>,
    ) -> Self {
        let [first, others @ ..] = &*classes;
        let pools = others.iter().find(|pools| pools.class == class).unwrap_or(first);
        Self { pool: pools.all.clone(), tenants: pools.utility.clone(), class, classes, engine, kept, known }
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
    built(builder(address, class, size))
}

/// Opens a pool of a replica. Each use of a connection first checks that the replica is not too far behind, because an answer without the latest history would
/// look complete.
fn replica_pool(address: &Config, size: usize) -> Result<Pool> {
    let hook = || Hook::async_fn(|client: &mut ClientWrapper, _| Box::pin(follows(client)));
    built(builder(address, ReadClass::Heavy, size).post_create(hook()).pre_recycle(hook()))
}

/// Returns an error unless the server of a connection is a standby that is at most [`REPLICA_LAG_MAX`] behind.
async fn follows(client: &mut ClientWrapper) -> std::result::Result<(), HookError> {
    let row = client.query_one(include_str!("../sql/replica/lag.sql"), &[]).await.map_err(HookError::Backend)?;
    match row.get::<_, Option<f64>>(0) {
        Some(lag_s) if lag_s <= REPLICA_LAG_MAX.as_secs_f64() => Ok(()),
        Some(lag_s) => Err(HookError::message(format!("the replica is {lag_s:.0} s behind, {} s are allowed", REPLICA_LAG_MAX.as_secs()))),
        None => Err(HookError::message("the replica is no standby, or has not received a transaction yet")),
    }
}

fn built(builder: PoolBuilder) -> Result<Pool> {
    builder.build().map_err(|error| Error::Address(error.to_string()))
}

fn builder(address: &Config, class: ReadClass, size: usize) -> PoolBuilder {
    let mut config = address.clone();
    // Of two options with the same name the later one is valid.
    config.options(format!("{} {}", class.options(), address.get_options().unwrap_or_default()));
    let manager = Manager::from_config(config, NoTls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
    let timeouts = Timeouts { wait: Some(class.wait_max()), create: Some(CONNECT_MAX), recycle: Some(CONNECT_MAX) };
    Pool::builder(manager).max_size(size.max(1)).runtime(Runtime::Tokio1).timeouts(timeouts)
}

/// Whether the server of an address runs on this machine: the name localhost, a loopback address, or a socket in the file system. An address in `hostaddr` has
/// priority, because the connection uses it instead of the name.
pub fn is_on_this_machine(url: &str) -> bool {
    let is_here = |host: &Host| match host {
        Host::Tcp(name) => name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    address(url).is_ok_and(|address| match address.get_hostaddrs() {
        [] => address.get_hosts().iter().any(is_here),
        addresses => addresses.iter().any(IpAddr::is_loopback),
    })
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

    /// Returns an address of a database that says of itself what a standby would say. `last` is the time of its last transaction.
    async fn standby(url: &str, name: &str, last: &str) -> String {
        let functions = format!(
            "CREATE SCHEMA {name}; GRANT USAGE ON SCHEMA {name} TO switchyard_tenant;
             CREATE FUNCTION {name}.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true';
             CREATE FUNCTION {name}.pg_last_xact_replay_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT {last}'"
        );
        connect(url).await.unwrap().batch_execute(&functions).await.unwrap();
        let joint = if url.contains('?') { '&' } else { '?' };
        format!("{url}{joint}options=-c%20search_path%3D{name},pg_catalog")
    }

    #[tokio::test]
    async fn heavy_queries_of_a_utility_alone_go_to_the_replica_and_only_read() {
        let (database, replica) = (testkit::database().await, testkit::database().await);
        let address = standby(replica.url(), "near", "now()").await;
        let store = Store::connect_sized(database.url(), Some(&address), PoolSizes::same(1)).await.unwrap();
        let place = async |pool: &Pool| {
            let row = pool
                .get()
                .await
                .unwrap()
                .query_one("SELECT current_database(), current_setting('transaction_read_only')", &[])
                .await
                .unwrap();
            (row.get::<_, String>(0), row.get::<_, String>(1))
        };
        let name =
            async |url: &str| connect(url).await.unwrap().query_one("SELECT current_database()", &[]).await.unwrap().get::<_, String>(0);
        let (own, other) = (name(database.url()).await, name(replica.url()).await);
        assert_ne!(own, other);
        for class in ReadClass::ALL {
            let store = store.in_class(class);
            let of_utility = if class == ReadClass::Heavy { (other.clone(), "on".to_owned()) } else { (own.clone(), "off".to_owned()) };
            assert_eq!(place(&store.tenants).await, of_utility, "{class:?}");
            assert_eq!(place(&store.pool).await, (own.clone(), "off".to_owned()), "{class:?}");
        }
    }

    #[tokio::test]
    async fn replica_that_is_behind_is_not_read() {
        let database = testkit::database().await;
        let standby = async |name: &str, last: &str| {
            let url = standby(database.url(), name, last).await;
            let store = Store::connect_sized(database.url(), Some(&url), PoolSizes::same(1)).await.unwrap();
            store.in_class(ReadClass::Heavy).query_in_tenants().await
        };
        let primary = Store::connect_sized(database.url(), Some(database.url()), PoolSizes::same(1)).await.unwrap();
        assert!(primary.in_class(ReadClass::Heavy).query_in_tenants().await.unwrap_err().contains("is no standby"));
        assert_eq!(standby("near", "now() - interval ''59 s''").await, Ok(()));
        let late = standby("late", "now() - interval ''61 s''").await.unwrap_err();
        assert!(late.contains("the replica is 61 s behind, 60 s are allowed"), "{late}");
        let new = standby("new", "NULL::timestamptz").await.unwrap_err();
        assert!(new.contains("is no standby, or has not received a transaction yet"), "{new}");
    }

    impl Store {
        /// Takes a connection for a query about one utility, twice, as a pool does.
        async fn query_in_tenants(&self) -> std::result::Result<(), String> {
            for _ in 0..2 {
                drop(self.tenants.get().await.map_err(|error| error.to_string())?);
            }
            Ok(())
        }
    }

    #[tokio::test]
    async fn service_starts_without_its_replica() {
        let database = testkit::database().await;
        let store = Store::connect_sized(database.url(), Some("postgres://127.0.0.1:1/none"), PoolSizes::same(1)).await.unwrap();
        store.ping().await.unwrap();
        assert!(store.in_class(ReadClass::Heavy).tenants.get().await.is_err(), "no statement of a heavy read goes to the primary instead");
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
