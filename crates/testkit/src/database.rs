//! A fresh database for each test, cloned from a template that was migrated once.

use std::error::Error;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, NoTls};

use crate::services;

/// The engines that the schema runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// PostgreSQL with TimescaleDB preloaded.
    Timescale,
    /// PostgreSQL alone.
    Plain,
}

impl Flavour {
    /// Both, for a test that must hold on either.
    pub const ALL: [Self; 2] = [Self::Timescale, Self::Plain];

    fn server(self) -> String {
        services::url(match self {
            Self::Timescale => services::DATABASE,
            Self::Plain => services::PLAIN_DATABASE,
        })
    }
}

/// A database of one test. Dropping the handle drops the database, whoever is still connected.
#[derive(Debug)]
pub struct TestDatabase {
    server: String,
    name: String,
    url: String,
}

impl TestDatabase {
    /// Its address, with all rights on it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its name on the server.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A connection to look into it from a test; it closes with the client.
    pub async fn client(&self) -> Client {
        connect(&self.url).await.unwrap_or_else(|error| panic!("test database {}: {error}", self.url))
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), self.name.clone());
        // Drop cannot await, and the test's own runtime may be going down: a thread with a small one of its own does it.
        let dropped =
            thread::spawn(move || run(async move { execute(&server, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await }))
                .join();
        if !matches!(dropped, Ok(Ok(()))) {
            eprintln!("testkit: database {} is left behind: {dropped:?}", self.name);
        }
    }
}

/// A migrated, empty database on TimescaleDB.
pub async fn database() -> TestDatabase {
    database_on(Flavour::Timescale).await
}

/// A migrated, empty database on the engine asked for.
pub async fn database_on(flavour: Flavour) -> TestDatabase {
    let server = flavour.server();
    let template = template(&server).await.unwrap_or_else(|error| panic!("test database template on {server}: {error}"));
    create(server, &format!(" TEMPLATE {template}")).await
}

/// A database without a schema, for tests of the migrations themselves.
pub async fn empty_database(flavour: Flavour) -> TestDatabase {
    create(flavour.server(), "").await
}

async fn create(server: String, how: &str) -> TestDatabase {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let name = services::unique(&format!("test_{seconds}"));
    execute(&server, &format!("CREATE DATABASE {name}{how}")).await.unwrap_or_else(|error| panic!("test database on {server}: {error}"));
    let url = with_database(&server, &name);
    TestDatabase { server, name, url }
}

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Migrates the template unless another test of the same schema already did. Tests are processes: an advisory lock lets one of them work.
async fn template(server: &str) -> Outcome<String> {
    const LOCK: i64 = 0x7377_7463_6879;
    let name = concat!("template_", env!("STORE_FINGERPRINT")).to_owned();
    let admin = connect(server).await?;
    if is_finished(&admin, &name).await? {
        return Ok(name);
    }
    admin.execute("SELECT pg_advisory_lock($1)", &[&LOCK]).await?;
    if is_finished(&admin, &name).await? {
        return Ok(name);
    }
    // A half-made one is what a killed test left.
    admin.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await?;
    admin.batch_execute(&format!("CREATE DATABASE {name}")).await?;
    store::migrate(&with_database(server, &name)).await?;
    // Closed to connections: TimescaleDB's scheduler would hold it, and CREATE DATABASE … TEMPLATE wants it alone. This is also the mark of done.
    admin.batch_execute(&format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")).await?;
    admin.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1", &[&name]).await?;
    Ok(name)
}

async fn is_finished(admin: &Client, name: &str) -> Outcome<bool> {
    Ok(admin.query_opt("SELECT FROM pg_database WHERE datname = $1 AND NOT datallowconn", &[&name]).await?.is_some())
}

/// One statement on a connection of its own. CREATE DATABASE waits five seconds for others to leave its template; after that, again.
async fn execute(url: &str, statement: &str) -> Outcome<()> {
    let client = connect(url).await?;
    for _ in 0..3 {
        match client.batch_execute(statement).await {
            Err(error) if error.code() == Some(&SqlState::OBJECT_IN_USE) => {}
            done => return Ok(done?),
        }
    }
    Ok(client.batch_execute(statement).await?)
}

pub(crate) async fn connect(url: &str) -> Outcome<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

fn run<T>(work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}

/// The same server, user and options, another database.
fn with_database(url: &str, name: &str) -> String {
    let (address, options) = url.split_once('?').map_or((url, None), |(address, options)| (address, Some(options)));
    let host_starts = address.find("://").map_or(0, |at| at + 3);
    let server = address[host_starts..].find('/').map_or(address, |slash| &address[..host_starts + slash]);
    options.map_or_else(|| format!("{server}/{name}"), |options| format!("{server}/{name}?{options}"))
}

#[cfg(test)]
mod tests {
    use super::with_database;

    #[test]
    fn only_the_database_of_an_address_changes() {
        for (url, expected) in [
            ("postgres://u@h:1/postgres", "postgres://u@h:1/t"),
            ("postgres://u@h:1", "postgres://u@h:1/t"),
            ("postgres://u:p@h/a?sslmode=disable", "postgres://u:p@h/t?sslmode=disable"),
        ] {
            assert_eq!(with_database(url, "t"), expected);
        }
    }
}
