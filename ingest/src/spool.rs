//! The batches that a writer stores on the local disk while the database is unavailable, in order. Each is flushed to
//! the disk before any of its messages is acknowledged.
//!
//! Bounded by bytes. At the limit, or if the disk is full or broken, an append fails and the writer keeps its batch in
//! memory. Ingest then fills its hold, publishes STATE offline and stops reading; gateways keep messages in their
//! outboxes. A message that the spool has refused is not acknowledged.

pub mod record;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use grid::Micros;
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use store::writer::{Batch, DeadLetter};

const BATCHES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("batch");

/// Memory for pages of the file, bytes. It can be small, because each page is written once and read once, in order.
const CACHE: usize = 4 * 1024 * 1024;

/// The file is compacted when it is empty and has held more than this, bytes.
const WORTH_COMPACTING: u64 = 16 * 1024 * 1024;

/// Why an operation of the spool failed. Its content is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    /// Another process has the file open.
    #[error("{0} is in use by another process: two of one client id?")]
    InUse(PathBuf),
    /// The limit is reached.
    #[error("the spool holds {held} of {limit} bytes, and {more} more are to be added")]
    Full {
        /// Bytes in the spool.
        held: u64,
        /// Maximum bytes.
        limit: u64,
        /// Bytes of the refused batch.
        more: u64,
    },
    /// An error of the disk or the file.
    #[error("the spool at {0}: {1}")]
    Disk(PathBuf, Box<redb::Error>),
    /// An error of the file system.
    #[error("the spool at {0}: {1}")]
    Io(PathBuf, std::io::Error),
}

/// Batches on disk, oldest first.
#[derive(Debug)]
pub struct Spool {
    /// `None` after a disk error: redb refuses all operations until the file is opened again.
    database: Option<Arc<Database>>,
    path: PathBuf,
    limit: u64,
    /// The key of the next batch.
    next: u64,
    batches: u64,
    bytes: u64,
    /// The largest size since the last compaction, bytes.
    peak: u64,
}

/// The oldest batches, merged for one COMMIT.
#[derive(Debug)]
pub struct OldestBatches {
    /// The rows of all these batches.
    pub batch: Batch,
    /// The key of the last batch.
    pub through: u64,
    /// Number of batches.
    pub batches: u64,
    /// Size on the disk, bytes.
    pub bytes: u64,
}

/// The spool as writers use it. A simulation implements it with a simulated disk.
#[allow(async_fn_in_trait, reason = "the types behind it say whether their futures may change threads")]
pub trait Backlog {
    /// Returns whether there are no batches.
    fn is_empty(&self) -> bool;
    /// Returns the size of all batches, bytes.
    fn bytes(&self) -> u64;
    /// Appends a batch. When this returns, the batch is on the disk.
    async fn append(&mut self, batch: &Batch) -> Result<(), SpoolError>;
    /// Returns the oldest batches, at least one and up to about `rows` rows; `None` if there are none. An unreadable
    /// batch becomes a dead letter.
    async fn front(&mut self, rows: usize) -> Result<Option<OldestBatches>, SpoolError>;
    /// Removes the batches of [`Backlog::front`], once they are stored.
    async fn remove(&mut self, front: &OldestBatches) -> Result<(), SpoolError>;
}

impl Spool {
    /// Opens or creates the spool at `path`. An unreadable file is renamed and kept for inspection.
    pub fn open(path: &Path, limit: u64) -> Result<Self, SpoolError> {
        let Opened { database, next, batches, bytes } = open(path)?;
        Ok(Self { database: Some(Arc::new(database)), path: path.to_owned(), limit, next, batches, bytes, peak: bytes })
    }

    /// Returns the file, opened again after a disk error. Then it is known whether an append with an unknown outcome
    /// was stored.
    async fn database(&mut self) -> Result<Arc<Database>, SpoolError> {
        if let Some(database) = &self.database {
            return Ok(database.clone());
        }
        let path = self.path.clone();
        let opened = tokio::task::spawn_blocking(move || open_again(&path)).await;
        let Opened { database, next, batches, bytes } =
            opened.map_err(|error| SpoolError::Io(self.path.clone(), std::io::Error::other(error)))??;
        // Keys are never used twice in one process: batches held in memory meanwhile must come after those of the file.
        self.next = self.next.max(next);
        (self.batches, self.bytes) = (batches, bytes);
        let database = Arc::new(database);
        self.database = Some(database.clone());
        Ok(database)
    }

    /// Shrinks the file, which is fast when it is empty. A failure has no effect.
    fn compact(&mut self) {
        self.peak = 0;
        if let Some(database) = self.database.as_mut().and_then(Arc::get_mut)
            && let Err(error) = database.compact()
        {
            tracing::warn!(%error, "the spool's file keeps its size");
        }
    }

    async fn on_disk<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&Database) -> Result<T, redb::Error> + Send + 'static,
    ) -> Result<T, SpoolError> {
        let database = self.database().await?;
        let done = tokio::task::spawn_blocking(move || work(&database)).await;
        let done = done.map_err(|error| SpoolError::Io(self.path.clone(), std::io::Error::other(error)))?;
        done.map_err(|error| {
            if matches!(error, redb::Error::Io(_) | redb::Error::PreviousIo) {
                self.database = None;
            }
            match error {
                redb::Error::Io(error) => SpoolError::Io(self.path.clone(), error),
                error => SpoolError::Disk(self.path.clone(), Box::new(error)),
            }
        })
    }
}

impl Backlog for Spool {
    fn is_empty(&self) -> bool {
        self.batches == 0
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    async fn append(&mut self, batch: &Batch) -> Result<(), SpoolError> {
        let record = record::encode(batch);
        let more = record.len() as u64;
        if self.bytes + more > self.limit {
            return Err(SpoolError::Full { held: self.bytes, limit: self.limit, more });
        }
        let key = self.next;
        self.on_disk(move |database| {
            let transaction = database.begin_write()?;
            transaction.open_table(BATCHES)?.insert(key, record.as_slice())?;
            Ok(transaction.commit()?)
        })
        .await?;
        self.next += 1;
        self.batches += 1;
        self.bytes += more;
        self.peak = self.peak.max(self.bytes);
        Ok(())
    }

    async fn front(&mut self, rows: usize) -> Result<Option<OldestBatches>, SpoolError> {
        self.on_disk(move |database| {
            let table = database.begin_read()?.open_table(BATCHES)?;
            let mut front: Option<OldestBatches> = None;
            let mut count = 0;
            for entry in table.iter()? {
                let (key, value) = entry?;
                let mut batch = record::decode(value.value()).unwrap_or_else(|unreadable| put_aside(unreadable, value.value()));
                count += batch.row_count();
                let front = front.get_or_insert_with(|| OldestBatches { batch: Batch::default(), through: 0, batches: 0, bytes: 0 });
                front.through = key.value();
                front.batches += 1;
                front.bytes += value.value().len() as u64;
                front.batch.append(&mut batch);
                if count >= rows {
                    break;
                }
            }
            Ok(front)
        })
        .await
    }

    async fn remove(&mut self, front: &OldestBatches) -> Result<(), SpoolError> {
        let through = front.through;
        self.on_disk(move |database| {
            let transaction = database.begin_write()?;
            transaction.open_table(BATCHES)?.retain_in(..=through, |_, _| false)?;
            Ok(transaction.commit()?)
        })
        .await?;
        self.batches = self.batches.saturating_sub(front.batches);
        self.bytes = self.bytes.saturating_sub(front.bytes);
        if self.batches == 0 && self.peak > WORTH_COMPACTING {
            self.compact();
        }
        Ok(())
    }
}

/// Decodes bytes as a record; if that succeeds, encodes and decodes it again.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_anything(bytes: &[u8]) {
    if let Ok(batch) = record::decode(bytes) {
        assert!(record::decode(&record::encode(&batch)).is_ok(), "what we write can be read");
    }
}

/// An opened file and its content.
struct Opened {
    database: Database,
    next: u64,
    batches: u64,
    bytes: u64,
}

/// Returns an unused name for an unreadable file: `.unreadable`, `.unreadable-2`, …
fn free_name(path: &Path) -> PathBuf {
    let names = std::iter::once("unreadable".to_owned()).chain((2..).map(|number| format!("unreadable-{number}")));
    names.map(|name| path.with_extension(name)).find(|name| !name.exists()).unwrap_or_else(|| path.with_extension("unreadable"))
}

/// Opens an existing file; creates and renames nothing.
fn open_again(path: &Path) -> Result<Opened, SpoolError> {
    if !path.exists() {
        return Err(SpoolError::Io(path.to_owned(), ErrorKind::NotFound.into()));
    }
    let disk = |error| SpoolError::Disk(path.to_owned(), Box::new(error));
    let database = create(path).map_err(disk)?;
    let (next, batches, bytes) = contents(&database).map_err(disk)?;
    Ok(Opened { database, next, batches, bytes })
}

fn open(path: &Path) -> Result<Opened, SpoolError> {
    let io = |error| SpoolError::Io(path.to_owned(), error);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(io)?;
    }
    let database = match create(path) {
        Ok(database) => database,
        Err(redb::Error::DatabaseAlreadyOpen) => return Err(SpoolError::InUse(path.to_owned())),
        Err(redb::Error::Io(error)) if !matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) => return Err(io(error)),
        Err(error) => {
            let aside = free_name(path);
            tracing::error!(%error, path = %path.display(), aside = %aside.display(), "the spool cannot be read and is put aside");
            metrics::counter!("ingest_spool_unreadable_total").increment(1);
            std::fs::rename(path, aside).map_err(io)?;
            create(path).map_err(|error| SpoolError::Disk(path.to_owned(), Box::new(error)))?
        }
    };
    let (next, batches, bytes) = contents(&database).map_err(|error| SpoolError::Disk(path.to_owned(), Box::new(error)))?;
    Ok(Opened { database, next, batches, bytes })
}

fn create(path: &Path) -> Result<Database, redb::Error> {
    let database = Database::builder().set_cache_size(CACHE).create(path)?;
    let transaction = database.begin_write()?;
    transaction.open_table(BATCHES)?;
    transaction.commit()?;
    Ok(database)
}

/// Returns the next key, the number of batches, and their bytes.
fn contents(database: &Database) -> Result<(u64, u64, u64), redb::Error> {
    let table = database.begin_read()?.open_table(BATCHES)?;
    let (mut next, mut batches, mut bytes) = (0, 0, 0);
    for entry in table.iter()? {
        let (key, value) = entry?;
        next = key.value() + 1;
        batches += 1;
        bytes += value.value().len() as u64;
    }
    Ok((next, batches, bytes))
}

fn put_aside(unreadable: record::Unreadable, record: &[u8]) -> Batch {
    metrics::counter!("ingest_dead_letters_total", "reason" => "spool").increment(1);
    let letter = DeadLetter {
        client: None,
        topic: "spool".into(),
        reason: "spool".into(),
        detail: unreadable.to_string(),
        payload: record[..record.len().min(64 * 1024)].to_vec(),
        received: Micros(0),
    };
    Batch { dead: vec![letter], ..Batch::default() }
}

#[cfg(test)]
mod tests {
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::TestRunner;
    use store::writer::GatewayMark;

    use super::*;

    fn folder() -> PathBuf {
        std::env::temp_dir().join(testkit::unique("spool"))
    }

    /// A batch with a number that identifies it.
    fn marked(number: i64) -> Batch {
        Batch {
            gateways: vec![GatewayMark {
                gateway: grid::GatewayId(number),
                online: Some(true),
                at: Micros(number),
                order: grid::LinkOrder::default(),
                entered: true,
            }],
            ..Batch::default()
        }
    }

    fn marks(batch: &Batch) -> Vec<i64> {
        batch.gateways.iter().map(|mark| mark.gateway.0).collect()
    }

    #[tokio::test]
    async fn a_disk_that_was_full_is_written_to_again() {
        let folder = folder();
        let Ok(mut disk) = testkit::SmallDisk::mount(&folder, 16) else {
            return eprintln!("not tried: one may not mount disks here");
        };
        let mut spool = Spool::open(&folder.join("spool"), 1 << 30).unwrap();
        // Large enough to make the file grow.
        let large = |number| {
            let letter = DeadLetter {
                client: None,
                topic: String::new(),
                reason: String::new(),
                detail: String::new(),
                payload: vec![7; 1 << 20],
                received: Micros(0),
            };
            Batch { dead: vec![letter], ..marked(number) }
        };
        spool.append(&large(1)).await.unwrap();
        disk.fill(true).unwrap();
        let mut number = 2;
        while spool.append(&large(number)).await.is_ok() {
            number += 1;
            assert!(number < 100, "the disk is not full");
        }
        assert!(spool.append(&large(number)).await.is_err(), "it is full still");
        disk.fill(false).unwrap();
        spool.append(&large(number)).await.unwrap();
        assert_eq!(spool.batches, number as u64);
        let mut seen = Vec::new();
        while let Some(front) = spool.front(1).await.unwrap() {
            seen.extend(marks(&front.batch));
            spool.remove(&front).await.unwrap();
        }
        seen.dedup();
        assert_eq!(seen, (1..=number).collect::<Vec<_>>(), "in order, and nothing is missing");
        drop((spool, disk));
        let _ = std::fs::remove_dir(&folder);
    }

    #[tokio::test]
    async fn batches_come_back_in_order_also_after_a_restart() {
        let folder = folder();
        let path = folder.join("a.redb");
        let mut spool = Spool::open(&path, 1 << 20).unwrap();
        assert!(spool.is_empty() && spool.front(1).await.unwrap().is_none());
        for number in 0..5 {
            spool.append(&marked(number)).await.unwrap();
        }
        let first = spool.front(2).await.unwrap().unwrap();
        assert_eq!(marks(&first.batch), [0, 1]);
        spool.remove(&first).await.unwrap();
        let bytes = spool.bytes();
        drop(spool);

        let mut spool = Spool::open(&path, 1 << 20).unwrap();
        assert_eq!(spool.bytes(), bytes);
        spool.append(&marked(5)).await.unwrap();
        let rest = spool.front(100).await.unwrap().unwrap();
        assert_eq!(marks(&rest.batch), [2, 3, 4, 5]);
        spool.remove(&rest).await.unwrap();
        assert!(spool.is_empty() && spool.bytes() == 0);
        drop(spool);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn a_spooled_batch_is_the_batch() {
        let folder = folder();
        let mut spool = Spool::open(&folder.join("a.redb"), 1 << 20).unwrap();
        let mut runner = TestRunner::deterministic();
        for _ in 0..20 {
            let batch = record::tests::batch().new_tree(&mut runner).unwrap().current();
            spool.append(&batch).await.unwrap();
            let front = spool.front(0).await.unwrap().unwrap();
            assert_eq!(front.batch, batch);
            spool.remove(&front).await.unwrap();
        }
        drop(spool);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn at_the_limit_nothing_is_taken_and_nothing_lost() {
        let folder = folder();
        let mut spool = Spool::open(&folder.join("a.redb"), 40).unwrap();
        let mut taken = 0;
        let error = loop {
            match spool.append(&marked(taken)).await {
                Ok(()) => taken += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, SpoolError::Full { limit: 40, .. }), "{error}");
        let front = spool.front(100).await.unwrap().unwrap();
        assert_eq!(marks(&front.batch), (0..taken).collect::<Vec<_>>());
        spool.remove(&front).await.unwrap();
        spool.append(&marked(9)).await.unwrap();
        drop(spool);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn one_process_at_a_time_and_a_broken_file_is_put_aside() {
        let folder = folder();
        let path = folder.join("a.redb");
        let spool = Spool::open(&path, 1 << 20).unwrap();
        let error = Spool::open(&path, 1 << 20).unwrap_err();
        assert!(matches!(error, SpoolError::InUse(_)), "{error}");
        drop(spool);
        std::fs::write(&path, b"no database at all, and long enough to be looked at as one").unwrap();
        assert!(Spool::open(&path, 1 << 20).unwrap().is_empty());
        assert!(path.with_extension("unreadable").exists());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
