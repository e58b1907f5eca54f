//! A connection to the database without the filters by utility in the statements: a proxy rewrites each statement when it is prepared, and
//! records it.
//!
//! The product is unchanged; only the statements that the database receives differ. Whatever is still separated then is separated by the
//! database itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use testkit::statements;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// The comparison of a row's utility with the requested one in the statements.
const COLUMN: &str = "client_id = $";
/// Statements on the table of utilities, which is filtered by its own key.
const OF_CLIENT: [&str; 3] = ["registry/clients.sql", "client/lock.sql", "client/update.sql"];
const KEY: &str = " id = $";
/// Limit of a message of the frontend; longer ones are not from the product, bytes.
const MESSAGE_MAX: usize = 16 * 1024 * 1024;

/// The statements of the product that filter by utility, by their text.
#[derive(Debug)]
pub(crate) struct Filtered {
    rewritten: BTreeMap<String, String>,
    names: BTreeMap<String, String>,
    prepared: Mutex<BTreeSet<String>>,
}

impl Filtered {
    /// Reads the files from which the product is built.
    pub(crate) fn of_store() -> Arc<Self> {
        let (mut rewritten, mut names) = (BTreeMap::new(), BTreeMap::new());
        for (name, statement) in statements() {
            let open = unfiltered(&name, &statement);
            if open != statement {
                names.insert(statement.clone(), name);
                rewritten.insert(statement, open);
            }
        }
        Arc::new(Self { rewritten, names, prepared: Mutex::default() })
    }

    /// Returns their names.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        self.names.values().cloned().collect()
    }

    /// Returns the statements that were prepared through a proxy without their filter.
    pub(crate) fn prepared(&self) -> BTreeSet<String> {
        self.prepared.lock().expect("no panic").clone()
    }

    /// Opens a proxy to the server of an address and returns its port. It ends with the test's runtime.
    pub(crate) async fn proxy(self: &Arc<Self>, server: String) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let filtered = Arc::clone(self);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (filtered, server) = (Arc::clone(&filtered), server.clone());
                tokio::spawn(async move {
                    let Ok(database) = TcpStream::connect(server).await else { return };
                    // Messages are written one by one; otherwise the kernel would delay each until the previous one is acknowledged.
                    if client.set_nodelay(true).and(database.set_nodelay(true)).is_err() {
                        return;
                    }
                    let ((from_client, mut to_client), (mut from_database, to_database)) = (client.into_split(), database.into_split());
                    let back = tokio::spawn(async move { tokio::io::copy(&mut from_database, &mut to_client).await });
                    // When either side ends, both are closed.
                    let _ = filtered.forward(from_client, to_database).await;
                    back.abort();
                });
            }
        });
        port
    }

    /// Forwards messages of the frontend (PostgreSQL's documentation, chapter "Frontend/Backend Protocol"). The first message has no type;
    /// each other one starts with a type of one byte. Then follows the length including itself, big-endian.
    async fn forward(&self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) -> std::io::Result<()> {
        let body = read(&mut from).await?;
        write(&mut to, &[], &body).await?;
        loop {
            let kind = from.read_u8().await?;
            let body = read(&mut from).await?;
            let body = if kind == b'P' { self.parse(body) } else { body };
            write(&mut to, &[kind], &body).await?;
        }
    }

    /// Rewrites a Parse message: the name of the statement and its text, each ended by a zero, and the types of its parameters.
    fn parse(&self, body: Vec<u8>) -> Vec<u8> {
        let mut parts = body.splitn(3, |byte| *byte == 0);
        let (Some(name), Some(text), Some(types)) = (parts.next(), parts.next(), parts.next()) else { return body };
        let Some((statement, open)) = std::str::from_utf8(text).ok().and_then(|text| self.rewritten.get_key_value(text)) else {
            return body;
        };
        self.prepared.lock().expect("no panic").insert(self.names[statement].clone());
        [name, b"\0", open.as_bytes(), b"\0", types].concat()
    }
}

pub(crate) async fn read(from: &mut (impl AsyncReadExt + Unpin)) -> std::io::Result<Vec<u8>> {
    let length = from.read_u32().await? as usize;
    assert!((4..MESSAGE_MAX).contains(&length), "{length} bytes");
    let mut body = vec![0; length - 4];
    from.read_exact(&mut body).await?;
    Ok(body)
}

pub(crate) async fn write(to: &mut (impl AsyncWriteExt + Unpin), kind: &[u8], body: &[u8]) -> std::io::Result<()> {
    let length = u32::try_from(body.len() + 4).expect("read as one").to_be_bytes();
    to.write_all(&[kind, &length, body].concat()).await
}

/// Returns a statement whose comparisons with the requested utility are all true. The parameters and their types stay. Assignments are not
/// changed.
fn unfiltered(name: &str, statement: &str) -> String {
    let key = if OF_CLIENT.contains(&name) { KEY } else { COLUMN };
    let mut open = String::new();
    let mut rest = statement;
    while let Some(at) = rest.find(key) {
        let digits = rest[at + key.len()..].bytes().take_while(u8::is_ascii_digit).count();
        let end = at + key.len() + digits;
        // The column with the table's alias, if it has one.
        let start = rest[..at].rfind([' ', '(', '\n']).map_or(0, |before| before + 1);
        let start = if key == KEY { at + 1 } else { start };
        if rest[..start].ends_with("SET ") {
            open.push_str(&rest[..end]);
        } else {
            open += &rest[..start];
            open += "(";
            open += &rest[start..end];
            open += " OR true)";
        }
        rest = &rest[end..];
    }
    open + rest
}

#[test]
fn every_comparison_with_the_utility_comes_true_and_nothing_else_changes() {
    for (name, statement, expected) in [
        ("a/b.sql", "SELECT a FROM t WHERE client_id = $1 AND id = $2", "SELECT a FROM t WHERE (client_id = $1 OR true) AND id = $2"),
        ("a/b.sql", "WHERE $1::bigint IS NULL OR p.client_id = $12", "WHERE $1::bigint IS NULL OR (p.client_id = $12 OR true)"),
        ("a/b.sql", "AND (a.client_id = $1\nOR b.client_id = $1)", "AND ((a.client_id = $1 OR true)\nOR (b.client_id = $1 OR true))"),
        ("a/b.sql", "UPDATE t SET client_id = $2 WHERE client_id = $1", "UPDATE t SET client_id = $2 WHERE (client_id = $1 OR true)"),
        ("client/lock.sql", "SELECT id FROM client WHERE id = $1 FOR UPDATE", "SELECT id FROM client WHERE (id = $1 OR true) FOR UPDATE"),
        ("a/b.sql", "SELECT m.client_id FROM t m WHERE id = $1", "SELECT m.client_id FROM t m WHERE id = $1"),
    ] {
        assert_eq!(unfiltered(name, statement), expected);
    }
    let filtered = Filtered::of_store();
    let all: usize = filtered.rewritten.values().map(|open| open.matches(" OR true)").count()).sum();
    // Counted another way: every place in the statements where a row's utility meets a parameter.
    let mut counted = 0;
    for (name, text) in statements() {
        let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches(['(', ')', ','])).collect();
        let of_client = OF_CLIENT.contains(&name.as_str());
        counted += words
            .windows(4)
            .filter(|words| {
                let [before, column, "=", parameter] = words else { return false };
                let column = column.rsplit(['.', '(']).next();
                *before != "SET" && parameter.starts_with('$') && column == Some(if of_client { "id" } else { "client_id" })
            })
            .count();
    }
    assert!(all == counted && all > 40, "{all} of {counted} places");
}
