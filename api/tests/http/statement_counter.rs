//! A proxy to the database that counts how often each statement of the store is executed and how many rows it returns: the deterministic cost of a request.
//!
//! It knows the messages of the protocol that the store's client uses (PostgreSQL's documentation, chapter "Frontend/Backend Protocol").

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use testkit::{TestDatabase, statements};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::unfiltered::{read, write};

/// How often a statement was executed, and how many rows it returned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) executions: usize,
    pub(crate) rows: usize,
}

/// Costs by statement, such as `history/scope`.
pub(crate) type Costs = BTreeMap<String, Cost>;

/// Counts the statements of all connections through its proxy.
#[derive(Debug)]
pub(crate) struct StatementCounter {
    /// Names by text.
    names: HashMap<String, String>,
    costs: Mutex<Costs>,
}

/// The prepared statements of one connection, and the answers that it waits for.
#[derive(Debug, Default)]
struct Connection {
    /// By the name of the prepared statement.
    prepared: HashMap<Vec<u8>, String>,
    bound: Option<String>,
    /// A statement, or something else, for each answer that is still to come.
    awaited: VecDeque<Option<String>>,
}

impl StatementCounter {
    /// Creates a counter for the statements of the store.
    pub(crate) fn of_store() -> Arc<Self> {
        let of_file = |(name, statement): (String, String)| (statement, name.trim_end_matches(".sql").to_owned());
        let names = statements().into_iter().map(of_file).collect();
        Arc::new(Self { names, costs: Mutex::default() })
    }

    /// Returns the costs since the last call.
    pub(crate) fn take(&self) -> Costs {
        std::mem::take(&mut self.costs.lock().expect("no panic"))
    }

    /// Starts a proxy, which ends with the test's runtime, and returns the address of a database through it.
    pub(crate) async fn proxy(self: &Arc<Self>, database: &TestDatabase) -> String {
        let mut url = url::Url::parse(database.url()).expect("an address");
        let server = format!("{}:{}", url.host_str().expect("a host"), url.port().unwrap_or(5432));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        url.set_host(Some("127.0.0.1")).expect("a host");
        url.set_port(Some(port)).expect("a port");
        let counter = Arc::clone(self);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (counter, server) = (Arc::clone(&counter), server.clone());
                tokio::spawn(async move {
                    let Ok(database) = TcpStream::connect(server).await else { return };
                    if client.set_nodelay(true).and(database.set_nodelay(true)).is_err() {
                        return;
                    }
                    let ((from_client, to_client), (from_database, to_database)) = (client.into_split(), database.into_split());
                    // The first answer is to the start of the connection.
                    let connection = Arc::new(Mutex::new(Connection { awaited: [None].into(), ..Connection::default() }));
                    let back = tokio::spawn(Arc::clone(&counter).backend(from_database, to_client, Arc::clone(&connection)));
                    // When either side ends, both are closed.
                    let _ = counter.frontend(from_client, to_database, &connection).await;
                    back.abort();
                });
            }
        });
        url.to_string()
    }

    async fn frontend<R, W>(&self, mut from: R, mut to: W, connection: &Mutex<Connection>) -> std::io::Result<()>
    where
        R: AsyncReadExt + Unpin,
        W: AsyncWriteExt + Unpin,
    {
        let start = read(&mut from).await?;
        write(&mut to, &[], &start).await?;
        loop {
            let kind = from.read_u8().await?;
            let body = read(&mut from).await?;
            connection.lock().expect("no panic").note_request(kind, &body, &self.names);
            write(&mut to, &[kind], &body).await?;
        }
    }

    async fn backend<R, W>(self: Arc<Self>, mut from: R, mut to: W, connection: Arc<Mutex<Connection>>) -> std::io::Result<()>
    where
        R: AsyncReadExt + Unpin,
        W: AsyncWriteExt + Unpin,
    {
        loop {
            let kind = from.read_u8().await?;
            let body = read(&mut from).await?;
            self.note_answer(kind, &connection);
            write(&mut to, &[kind], &body).await?;
        }
    }

    fn note_answer(&self, kind: u8, connection: &Mutex<Connection>) {
        let mut connection = connection.lock().expect("no panic");
        let mut costs = self.costs.lock().expect("no panic");
        match kind {
            // DataRow
            b'D' => {
                if let Some(Some(name)) = connection.awaited.front() {
                    costs.entry(name.clone()).or_default().rows += 1;
                }
            }
            // ReadyForQuery
            b'Z' => {
                if let Some(Some(name)) = connection.awaited.pop_front() {
                    costs.entry(name).or_default().executions += 1;
                }
            }
            _ => {}
        }
    }
}

impl Connection {
    fn note_request(&mut self, kind: u8, body: &[u8], names: &HashMap<String, String>) {
        let mut parts = body.split(|byte| *byte == 0);
        let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        match kind {
            // Parse: the name of the prepared statement and its text.
            b'P' => {
                let name = std::str::from_utf8(second).ok().and_then(|text| names.get(text));
                self.prepared.extend(name.map(|name| (first.to_vec(), name.clone())));
            }
            // Bind: the name of the portal and that of the prepared statement.
            b'B' => self.bound = self.prepared.get(second).cloned(),
            // Sync
            b'S' => self.awaited.push_back(self.bound.take()),
            // Query
            b'Q' => self.awaited.push_back(None),
            _ => {}
        }
    }
}
