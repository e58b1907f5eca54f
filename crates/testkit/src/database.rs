//! A new database for each test, cloned from a template that is migrated once.

use std::error::Error;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, NoTls};

use crate::services;

/// The database engines that the schema supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// PostgreSQL with TimescaleDB preloaded.
    Timescale,
    /// PostgreSQL alone.
    Plain,
}

impl Flavour {
    /// Both engines, for a test that covers both.
    pub const ALL: [Self; 2] = [Self::Timescale, Self::Plain];

    fn server(self) -> String {
        services::url(match self {
            Self::Timescale => services::DATABASE,
            Self::Plain => services::PLAIN_DATABASE,
        })
    }
}

/// The database of one test. Dropping the handle drops the database and closes all its connections.
#[derive(Debug)]
pub struct TestDatabase {
    server: String,
    name: String,
    url: String,
}

impl TestDatabase {
    /// Returns its address, with all permissions.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns its name on the server.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Opens a connection for the test. It is closed when the client is dropped.
    pub async fn client(&self) -> Client {
        connect(&self.url).await.unwrap_or_else(|error| panic!("test database {}: {error}", self.url))
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), self.name.clone());
        // Drop cannot await, and the test's runtime may be ending, so a thread with its own runtime drops the database.
        let dropped =
            thread::spawn(move || run(async move { execute(&server, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await }))
                .join();
        if !matches!(dropped, Ok(Ok(()))) {
            eprintln!("testkit: database {} is left behind: {dropped:?}", self.name);
        }
    }
}

/// Creates a migrated, empty database on TimescaleDB.
pub async fn database() -> TestDatabase {
    database_on(Flavour::Timescale).await
}

/// Creates a migrated, empty database on the given engine.
pub async fn database_on(flavour: Flavour) -> TestDatabase {
    let server = flavour.server();
    let template = template(&server).await.unwrap_or_else(|error| panic!("test database template on {server}: {error}"));
    create(server, &format!(" TEMPLATE {template}")).await
}

/// Creates a database without a schema, for tests of the migrations.
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

/// Returns the name of the migrated template and creates it if necessary. Tests are separate processes: an advisory lock lets only one of them create it.
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
    // A killed test can leave an incomplete template.
    admin.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await?;
    admin.batch_execute(&format!("CREATE DATABASE {name}")).await?;
    store::migrate(&with_database(server, &name)).await?;
    // The template accepts no connections, because `CREATE DATABASE … TEMPLATE` requires that none exists and TimescaleDB's scheduler would open one. This also
    // marks the template as complete.
    admin.batch_execute(&format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")).await?;
    admin.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1", &[&name]).await?;
    Ok(name)
}

async fn is_finished(admin: &Client, name: &str) -> Outcome<bool> {
    Ok(admin.query_opt("SELECT FROM pg_database WHERE datname = $1 AND NOT datallowconn", &[&name]).await?.is_some())
}

/// Executes a statement on a new connection. `CREATE DATABASE` waits five seconds for connections to the template to end; after that it is executed again, up
/// to three times.
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

/// Returns the URL with another database name; server, user and options stay.
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
