//! The log of changes of the registry, for services that hold the registry in memory. It returns the changes since a position in the log, and sends a notice
//! after each change.
//!
//! A transaction gets its id at its begin and becomes visible at its commit, so ids do not become visible in order. A position in the log is therefore a
//! snapshot of the database: the changes since then are those of transactions that were not visible in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::StreamExt;
use grid::{AssetId, ClientId, GatewayId, NodeId, Point, PointId};
use tokio::sync::Notify;
use tokio_postgres::{AsyncMessage, NoTls, Row};

use crate::convert::sql;
use crate::registry::{AssetRecord, ClientRecord, GatewayRecord, NodeRecord, asset, client_record, gateway, node, point};
use crate::{Error, Result, Store, pool};

/// Maximum number of changes that one read returns. With more changes, loading the whole registry is faster.
const CHANGES_MAX: i64 = 20_000;

/// A position in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPosition {
    /// The transactions that were visible (`pg_snapshot`).
    snapshot: String,
    /// The oldest transaction that was open at the time of the snapshot. The changes of earlier transactions were visible.
    oldest_open: i64,
    /// Epochs of the streams. After a restore they are different.
    epochs: String,
}

/// The ids of changed rows, which must be read again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changed {
    /// Utilities whose whole registry must be read again.
    pub whole: BTreeSet<ClientId>,
    /// Utilities.
    pub clients: BTreeSet<ClientId>,
    /// Nodes of the hierarchy, including those of which only the drawing changed.
    pub nodes: BTreeSet<NodeId>,
    /// Assets.
    pub assets: BTreeSet<AssetId>,
    /// Gateways.
    pub gateways: BTreeSet<GatewayId>,
    /// Points.
    pub points: BTreeSet<PointId>,
}

impl Changed {
    /// Returns whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The result of a read of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogRead {
    /// The changes since the given position, and the position after these changes.
    Changes(Changed, LogPosition),
    /// The log does not reach back to the given position, or there are too many changes since then. Read the whole registry.
    TooFar,
}

/// The present rows of [`Changed`]. Missing rows have been deleted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChangedRows {
    /// Utilities.
    pub clients: Vec<ClientRecord>,
    /// Nodes, without their paths.
    pub nodes: Vec<NodeRecord>,
    /// Assets.
    pub assets: Vec<AssetRecord>,
    /// Gateways.
    pub gateways: Vec<GatewayRecord>,
    /// Points that have changed, and all points of assets that have changed.
    pub points: Vec<Point>,
}

impl Store {
    /// Returns the end of the log.
    pub async fn registry_position(&self) -> Result<LogPosition> {
        let rows = self.query(sql!("registry_log/position"), &[]).await?;
        let row = rows.first().ok_or_else(|| Error::Unreadable("the position in the log of the registry".to_owned()))?;
        position(row)
    }

    /// Reads what has changed since `since`, of all utilities.
    pub async fn registry_changes(&self, since: &LogPosition) -> Result<LogRead> {
        let rows = self.query(sql!("registry_log/changes"), &[&since.oldest_open, &since.snapshot, &CHANGES_MAX]).await?;
        let row = rows.first().ok_or_else(|| Error::Unreadable("the log of the registry".to_owned()))?;
        let now = position(row)?;
        // After a restore to an earlier state, changes that were read may not have happened, and transaction ids are assigned again.
        if now.epochs != since.epochs || now.oldest_open < since.oldest_open || rows.len() as i64 >= CHANGES_MAX {
            return Ok(LogRead::TooFar);
        }
        let mut changed = Changed::default();
        for row in &rows {
            if row.try_get::<_, Option<i64>>("id")?.is_some() {
                changed.add(row)?;
            }
        }
        Ok(LogRead::Changes(changed, now))
    }

    /// Reads the present rows, of all utilities. The caller handles `changed.whole`.
    pub async fn changed_registry_rows(&self, changed: &Changed) -> Result<ChangedRows> {
        let ids = |ids: &mut dyn Iterator<Item = i64>| ids.collect::<Vec<i64>>();
        let clients = ids(&mut changed.clients.iter().map(|id| id.0));
        let nodes = ids(&mut changed.nodes.iter().map(|id| id.0));
        let assets = ids(&mut changed.assets.iter().map(|id| id.0));
        let gateways = ids(&mut changed.gateways.iter().map(|id| id.0));
        let points = ids(&mut changed.points.iter().map(|id| id.0));
        let mut rows = ChangedRows::default();
        if !clients.is_empty() {
            rows.clients = read(&self.query(sql!("registry_log/clients"), &[&clients]).await?, client_record)?;
        }
        if !nodes.is_empty() {
            rows.nodes = read(&self.query(sql!("registry_log/nodes"), &[&nodes]).await?, node)?;
        }
        if !assets.is_empty() {
            rows.assets = read(&self.query(sql!("registry_log/assets"), &[&assets]).await?, asset)?;
        }
        if !gateways.is_empty() {
            rows.gateways = read(&self.query(sql!("registry_log/gateways"), &[&gateways]).await?, gateway)?;
        }
        if !points.is_empty() || !assets.is_empty() {
            rows.points = read(&self.query(sql!("registry_log/points"), &[&points, &assets]).await?, point)?;
        }
        Ok(rows)
    }

    /// Deletes changes that are older than `kept_s` seconds, at most 100,000 at once.
    pub async fn trim_registry_log(&self, kept_s: f64) -> Result<u64> {
        self.execute(sql!("registry_log/trim"), &[&kept_s]).await
    }
}

fn position(row: &Row) -> Result<LogPosition> {
    Ok(LogPosition { snapshot: row.try_get("snapshot")?, oldest_open: row.try_get("oldest_open")?, epochs: row.try_get("epochs")? })
}

fn read<T>(rows: &[Row], record: impl Fn(&Row) -> Result<T>) -> Result<Vec<T>> {
    rows.iter().map(record).collect()
}

impl Changed {
    fn add(&mut self, row: &Row) -> Result<()> {
        let client = ClientId(row.try_get("client_id")?);
        let Some(subject) = row.try_get::<_, Option<i64>>("subject_id")? else {
            self.whole.insert(client);
            return Ok(());
        };
        match row.try_get("kind")? {
            "client" => self.clients.insert(ClientId(subject)),
            "node" => self.nodes.insert(NodeId(subject)),
            "asset" => self.assets.insert(AssetId(subject)),
            "gateway" => self.gateways.insert(GatewayId(subject)),
            "point" => self.points.insert(PointId(subject)),
            kind => return Err(Error::Unreadable(format!("kind {kind} in the log of the registry"))),
        };
        Ok(())
    }
}

/// A connection that receives a notice after each transaction that has changed the registry.
pub struct RegistryNotices {
    notify: Arc<Notify>,
    // The server ends the subscription with the connection.
    client: tokio_postgres::Client,
}

impl RegistryNotices {
    /// Connects and subscribes.
    pub async fn connect(url: &str) -> Result<Self> {
        let (client, mut connection) = pool::address(url)?.connect(NoTls).await?;
        let notify = Arc::new(Notify::new());
        let received = Arc::clone(&notify);
        let mut messages = futures_util::stream::poll_fn(move |context| connection.poll_message(context));
        tokio::spawn(async move {
            // Also notify at the end of the connection, so that the owner checks it and connects again.
            while let Some(Ok(message)) = messages.next().await {
                if matches!(message, AsyncMessage::Notification(_)) {
                    received.notify_one();
                }
            }
            received.notify_one();
        });
        client.batch_execute(sql!("registry_log/listen")).await?;
        Ok(Self { notify, client })
    }

    /// Waits for the next notice, or for the end of the connection. If a notice has arrived since the last call, it returns at once.
    pub async fn next(&self) {
        self.notify.notified().await;
    }

    /// Returns whether the connection is lost.
    pub fn is_lost(&self) -> bool {
        self.client.is_closed()
    }
}
