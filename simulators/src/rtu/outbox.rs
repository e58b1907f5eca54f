//! Stores the outboxes of all RTUs of a process on disk, so that unacknowledged messages survive a crash of the RTU. There is one file, and one flush
//! for all messages of the same moment.

use std::path::Path;

use field::sparkplug::{Metric, Payload};
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use tokio::sync::{mpsc, oneshot};

/// Unacknowledged messages by RTU and number: the name of the device, a zero byte, the metrics as a Sparkplug payload.
const MESSAGES: TableDefinition<'_, (&str, u64), &[u8]> = TableDefinition::new("message");
/// Epoch of each RTU's numbers, and the number up to which they are acknowledged.
const STATES: TableDefinition<'_, &str, (u64, u64)> = TableDefinition::new("state");

/// Largest number of requests that wait for the disk. At this number senders wait.
const ORDERS: usize = 4_096;
/// Size of the page cache, bytes.
const CACHE: usize = 8 * 1024 * 1024;

/// The reason why an outbox cannot be stored.
#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    /// The database file failed.
    #[error("the outbox file: {0}")]
    Disk(#[from] redb::Error),
    /// The file system failed.
    #[error("the outbox file: {0}")]
    Io(#[from] std::io::Error),
    /// The writing thread has ended.
    #[error("the outbox file is closed")]
    Closed,
}

/// A message that waits for its acknowledgement.
#[derive(Debug, Clone, PartialEq)]
pub struct UnacknowledgedMessage {
    /// Its number.
    pub seq: u64,
    /// The device.
    pub device: String,
    /// Its values.
    pub metrics: Vec<Metric>,
}

/// The stored outbox of an RTU.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredOutbox {
    /// The epoch of its numbers.
    pub epoch: u64,
    /// The number up to which messages are acknowledged.
    pub acked: u64,
    /// Unacknowledged messages, oldest first.
    pub kept: Vec<UnacknowledgedMessage>,
}

enum Order {
    Put { rtu: String, seq: u64, record: Vec<u8>, done: oneshot::Sender<()> },
    Acknowledged { rtu: String, seq: u64 },
    Load { rtu: String, epoch: u64, found: oneshot::Sender<Result<StoredOutbox, OutboxError>> },
}

/// The outboxes; clones share one file.
#[derive(Debug, Clone)]
pub struct Outboxes {
    orders: mpsc::Sender<Order>,
}

impl Outboxes {
    /// Opens the file, or creates it.
    pub fn open(path: &Path) -> Result<Self, OutboxError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let database = open(path)?;
        let (orders, inbox) = mpsc::channel(ORDERS);
        std::thread::Builder::new().name("outbox".into()).spawn(move || serve(&database, inbox))?;
        Ok(Self { orders })
    }

    /// Returns the stored outbox of an RTU. A new outbox starts with this epoch.
    pub async fn load(&self, rtu: &str, epoch: u64) -> Result<StoredOutbox, OutboxError> {
        let (found, answer) = oneshot::channel();
        self.orders.send(Order::Load { rtu: rtu.to_owned(), epoch, found }).await.map_err(|_| OutboxError::Closed)?;
        answer.await.map_err(|_| OutboxError::Closed)?
    }

    /// Stores a message. On return it is on disk.
    pub async fn put(&self, rtu: &str, kept: &UnacknowledgedMessage) -> Result<(), OutboxError> {
        let mut record = kept.device.clone().into_bytes();
        record.push(0);
        record.extend(Payload { timestamp: None, seq: None, metrics: kept.metrics.clone() }.encode());
        let (done, written) = oneshot::channel();
        self.orders.send(Order::Put { rtu: rtu.to_owned(), seq: kept.seq, record, done }).await.map_err(|_| OutboxError::Closed)?;
        written.await.map_err(|_| OutboxError::Closed)
    }

    /// Removes acknowledged messages. If this is lost in a crash, they are acknowledged again.
    pub async fn acknowledged(&self, rtu: &str, seq: u64) {
        let _ = self.orders.send(Order::Acknowledged { rtu: rtu.to_owned(), seq }).await;
    }
}

fn open(path: &Path) -> Result<Database, redb::Error> {
    let database = Database::builder().set_cache_size(CACHE).create(path)?;
    let transaction = database.begin_write()?;
    transaction.open_table(MESSAGES)?;
    transaction.open_table(STATES)?;
    transaction.commit()?;
    Ok(database)
}

fn serve(database: &Database, mut inbox: mpsc::Receiver<Order>) {
    let mut orders = Vec::new();
    while inbox.blocking_recv_many(&mut orders, ORDERS) > 0 {
        let mut waiting = Vec::new();
        if let Err(error) = write(database, &mut orders, &mut waiting) {
            // Waiting requests fail with `Closed`: an RTU that cannot store values must not send them either.
            tracing::error!(%error, "the outbox file cannot be written");
            return;
        }
        for done in waiting {
            let _ = done.send(());
        }
    }
}

fn write(database: &Database, orders: &mut Vec<Order>, waiting: &mut Vec<oneshot::Sender<()>>) -> Result<(), redb::Error> {
    let transaction = database.begin_write()?;
    let mut loads = Vec::new();
    {
        let mut messages = transaction.open_table(MESSAGES)?;
        let mut states = transaction.open_table(STATES)?;
        for order in orders.drain(..) {
            match order {
                Order::Put { rtu, seq, record, done } => {
                    messages.insert((rtu.as_str(), seq), record.as_slice())?;
                    waiting.push(done);
                }
                Order::Acknowledged { rtu, seq } => {
                    messages.retain_in((rtu.as_str(), 0)..=(rtu.as_str(), seq), |_, _| false)?;
                    let epoch = states.get(rtu.as_str())?.map_or(0, |state| state.value().0);
                    states.insert(rtu.as_str(), (epoch, seq))?;
                }
                Order::Load { rtu, epoch, found } => {
                    if states.get(rtu.as_str())?.is_none() {
                        states.insert(rtu.as_str(), (epoch, 0))?;
                    }
                    loads.push((rtu, found));
                }
            }
        }
    }
    transaction.commit()?;
    for (rtu, found) in loads {
        let _ = found.send(read(database, &rtu).map_err(OutboxError::Disk));
    }
    Ok(())
}

fn read(database: &Database, rtu: &str) -> Result<StoredOutbox, redb::Error> {
    let transaction = database.begin_read()?;
    let (epoch, acked) = transaction.open_table(STATES)?.get(rtu)?.map_or((0, 0), |state| state.value());
    let mut kept = Vec::new();
    for entry in transaction.open_table(MESSAGES)?.range((rtu, 0)..=(rtu, u64::MAX))? {
        let (key, record) = entry?;
        let record = record.value();
        let end = record.iter().position(|byte| *byte == 0).unwrap_or(record.len());
        let device = String::from_utf8_lossy(&record[..end]).into_owned();
        let metrics = Payload::decode(record.get(end + 1..).unwrap_or_default()).map(|payload| payload.metrics).unwrap_or_default();
        kept.push(UnacknowledgedMessage { seq: key.value().1, device, metrics });
    }
    Ok(StoredOutbox { epoch, acked, kept })
}

#[cfg(test)]
mod tests {
    use field::sparkplug::MetricValue;

    use super::*;

    fn kept(seq: u64) -> UnacknowledgedMessage {
        let mut metric = Metric::new("F1/Ir", MetricValue::Double(seq as f64)).at(seq);
        metric.quality = Some(192);
        // Every value has a data type.
        metric.datatype = Some(field::sparkplug::DataType::Double);
        UnacknowledgedMessage { seq, device: "F1".into(), metrics: vec![metric] }
    }

    #[tokio::test]
    async fn what_is_not_acknowledged_is_found_after_a_restart() {
        let path = std::env::temp_dir().join(format!("switchyard-outbox-{:x}.redb", rand::random::<u64>()));
        let outboxes = Outboxes::open(&path).unwrap();
        assert_eq!(outboxes.load("A", 7).await.unwrap(), StoredOutbox { epoch: 7, acked: 0, kept: vec![] });
        outboxes.load("B", 8).await.unwrap();
        for seq in 1..=4 {
            outboxes.put("A", &kept(seq)).await.unwrap();
        }
        outboxes.put("B", &kept(1)).await.unwrap();
        outboxes.acknowledged("A", 2).await;
        // A request after it: when this one is answered, the acknowledgement has been written.
        outboxes.load("A", 0).await.unwrap();
        drop(outboxes);
        let outboxes = loop {
            // The thread that holds the file ends on its own.
            if let Ok(outboxes) = Outboxes::open(&path) {
                break outboxes;
            }
            tokio::task::yield_now().await;
        };
        assert_eq!(outboxes.load("A", 99).await.unwrap(), StoredOutbox { epoch: 7, acked: 2, kept: vec![kept(3), kept(4)] });
        assert_eq!(outboxes.load("B", 99).await.unwrap().kept, [kept(1)]);
        drop(outboxes);
        std::fs::remove_file(path).unwrap();
    }
}
