//! The disk of a machine with an ingest: one spool for each writer. It survives crashes, and rejects writes while it
//! fails.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::rc::Rc;

use ingest::spool::{Backlog, OldestBatches, SpoolError, record};
use store::writer::Batch;

use crate::desk::Desk;

/// Maximum size of a spool, bytes. It is so small that runs reach it.
const LIMIT: u64 = 40_000;

/// The file of one spool.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) records: VecDeque<(u64, Vec<u8>)>,
    next: u64,
    /// Writes fail.
    pub(crate) is_failing: bool,
}

impl File {
    fn bytes(&self) -> u64 {
        self.records.iter().map(|(_, record)| record.len() as u64).sum()
    }

    fn put(&mut self, record: Vec<u8>) {
        self.next += 1;
        self.records.push_back((self.next, record));
    }

    /// Returns the batches, encoded and decoded by the functions of the product.
    pub(crate) fn batches(&self) -> impl Iterator<Item = Batch> + '_ {
        self.records.iter().map(|(_, bytes)| record::decode(bytes).expect("what ingest has written it can read"))
    }
}

/// The open spool of a writer.
pub(crate) struct Spool {
    pub(crate) file: Rc<RefCell<File>>,
    pub(crate) desk: Desk,
}

impl Spool {
    fn failure(&self) -> Option<SpoolError> {
        self.file.borrow().is_failing.then(|| SpoolError::Io(PathBuf::new(), ErrorKind::StorageFull.into()))
    }
}

impl Backlog for Spool {
    fn is_empty(&self) -> bool {
        self.file.borrow().records.is_empty()
    }

    fn bytes(&self) -> u64 {
        self.file.borrow().bytes()
    }

    async fn append(&mut self, batch: &Batch) -> Result<(), SpoolError> {
        let record = record::encode(batch);
        let (held, more) = (self.bytes(), record.len() as u64);
        if held + more > LIMIT {
            return Err(SpoolError::Full { held, limit: LIMIT, more });
        }
        if let Some(failure) = self.failure() {
            return Err(failure);
        }
        // A crash during the flush leaves the batch on the disk, or does not.
        let is_early = self.desk.toss();
        if is_early {
            self.file.borrow_mut().put(record.clone());
        }
        self.desk.flush().await;
        if !is_early {
            self.file.borrow_mut().put(record);
        }
        Ok(())
    }

    async fn front(&mut self, rows: usize) -> Result<Option<OldestBatches>, SpoolError> {
        if let Some(failure) = self.failure() {
            return Err(failure);
        }
        let file = self.file.borrow();
        let mut front: Option<OldestBatches> = None;
        for ((key, bytes), mut batch) in file.records.iter().zip(file.batches()) {
            let front = front.get_or_insert_with(|| OldestBatches { batch: Batch::default(), through: 0, batches: 0, bytes: 0 });
            front.through = *key;
            front.batches += 1;
            front.bytes += bytes.len() as u64;
            front.batch.append(&mut batch);
            if front.batch.row_count() >= rows {
                break;
            }
        }
        Ok(front)
    }

    async fn remove(&mut self, front: &OldestBatches) -> Result<(), SpoolError> {
        self.desk.flush().await;
        if let Some(failure) = self.failure() {
            return Err(failure);
        }
        self.file.borrow_mut().records.retain(|(key, _)| *key > front.through);
        Ok(())
    }
}
