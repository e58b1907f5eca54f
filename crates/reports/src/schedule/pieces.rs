//! The file of a run in pieces: stored while it is written, and sent piece by piece. It is never completely in memory.

use std::io::{self, Write};

use bytes::Bytes;
use grid::ClientId;
use permits::LimitOwner;
use store::audit::Entry;
use store::report::{Appended, Claimed, PIECE_MAX};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::Reports;
use crate::error::Error;
use crate::sending::{self, PIECE, SentFile};

/// Why the rest of a file is not stored.
#[derive(Debug)]
pub enum StoreError {
    /// The utility would exceed its limit.
    Full,
    /// The owner would exceed their share of the utility's limit.
    FullOfOne,
    /// Another process has taken the run over, or it was stopped.
    Lost,
    /// The database failed.
    Failed(store::Error),
}

/// Returns the limit of one user, bytes: half of the limit of the utility.
pub fn of_one(most: i64) -> i64 {
    most / 2
}

/// Stores the file of a run. `write` blocks, so it must run on a thread for blocking work.
pub struct Pieces {
    reports: Reports,
    handle: Handle,
    of: Claimed,
    /// Cancelled when this process is no longer the leader.
    end: CancellationToken,
    /// Maximum number of stored bytes of the utility.
    most: i64,
    number: usize,
    held: Vec<u8>,
    /// Why nothing more is stored.
    pub stopped: Option<StoreError>,
}

impl Pieces {
    /// Stores the file of a run in the database, up to the limit of the utility.
    pub fn new(reports: Reports, of: Claimed, most: i64, end: CancellationToken) -> Self {
        let held = Vec::with_capacity(PIECE_MAX);
        Self { reports, handle: Handle::current(), of, end, most, number: 0, held, stopped: None }
    }

    /// Stores the last piece.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.held.is_empty() { Ok(()) } else { self.keep() }
    }

    fn keep(&mut self) -> io::Result<()> {
        let appended = if self.end.is_cancelled() {
            Ok(Appended::Lost)
        } else {
            self.handle.block_on(self.reports.records().append_report_piece(
                &self.of,
                self.number,
                &self.held,
                (self.most, of_one(self.most)),
            ))
        };
        let stopped = match appended {
            Ok(Appended::Kept) => {
                self.number += 1;
                self.held.clear();
                return Ok(());
            }
            Ok(Appended::Full) => StoreError::Full,
            Ok(Appended::FullOfOne) => StoreError::FullOfOne,
            Ok(Appended::Lost) => StoreError::Lost,
            Err(error) => StoreError::Failed(error),
        };
        self.stopped = Some(stopped);
        Err(io::ErrorKind::BrokenPipe.into())
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(PIECE_MAX - self.held.len());
        self.held.extend_from_slice(&bytes[..taken]);
        if self.held.len() == PIECE_MAX {
            self.keep()?;
        }
        Ok(taken)
    }

    /// Does nothing, because small pieces would be many rows. The rest is stored at the end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Time after which a client may retry when too many files are being sent, s.
const BUSY_S: u64 = 10;
/// Maximum number of files that are sent at once for one utility. The next constant is the maximum for one run, because any number of recipients may have its
/// link.
const OF_UTILITY_MAX: usize = 16;
const OF_ONE_MAX: usize = 4;

fn crowded() -> Error {
    let what = "As many files are being fetched as may be at once. Please try again in a few seconds.";
    Error::Crowded { what, retry_after_s: BUSY_S }
}

/// A stored file.
#[derive(Debug)]
pub struct StoredFile {
    /// The utility.
    pub client: ClientId,
    /// The run that made it.
    pub run: i64,
    /// The file name.
    pub name: String,
    /// Its `Content-Type`.
    pub media_type: String,
    /// The size, bytes.
    pub bytes: i64,
}

/// Sends a file while it is read. If it is deleted meanwhile, or the reader takes no data for too long, sending stops before the announced length. The audit
/// entry is written before the first byte is sent; if it fails, nothing is sent.
pub async fn send(reports: &Reports, file: StoredFile, entry: &Entry<'_>) -> Result<SentFile, Error> {
    let StoredFile { client, run, name, media_type, bytes } = file;
    let turn = reports
        .kept_files
        .take(&[(LimitOwner::Run(run), OF_ONE_MAX), (LimitOwner::Utility(client), OF_UTILITY_MAX)])
        .map_err(|_| crowded())?;
    let mut piece = reports.records().report_piece(client, run, 0).await?;
    if piece.is_none() {
        return Err(Error::NotFound);
    }
    reports.records().audit(entry).await?;
    let (reports, (mut to, body)) = (reports.clone(), sending::file(reports.settings.reader_patience, None));
    tokio::spawn(async move {
        let _turn = turn;
        let mut number = 0;
        while let Some(mut rest) = piece.map(Bytes::from) {
            while !rest.is_empty() {
                if to.send(rest.split_to(rest.len().min(PIECE))).await.is_err() {
                    return;
                }
            }
            number += 1;
            piece = match reports.records().report_piece(client, run, number).await {
                Ok(piece) => piece,
                Err(error) => return tracing::warn!(run, %error, "a kept report was not send out to its end"),
            };
        }
        to.whole();
    });
    Ok(SentFile { name, media_type, bytes: Some(bytes), body })
}
