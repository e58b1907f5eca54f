//! The file of a run in pieces: kept while it is written, and given out one by one. Neither way is it ever whole in memory.

use std::io::{self, Write};

use bytes::Bytes;
use grid::ClientId;
use permits::Of;
use store::audit::Entry;
use store::report::{Appended, Claimed, PIECE_MAX};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::Reports;
use crate::error::Error;
use crate::sending::{self, PIECE, SentFile};

/// Why a file is kept no further.
#[derive(Debug)]
pub enum Stopped {
    /// The utility would keep more than it may.
    Full,
    /// Its owner would, of what the utility may.
    FullOfOne,
    /// Somebody else makes it, or it is not wanted any more.
    Lost,
    /// The database did not take it.
    Failed(store::Error),
}

/// Of the bytes that a utility may keep those that one person may: half of them.
pub fn of_one(most: i64) -> i64 {
    most / 2
}

/// Where the file of a run is written to. Only for threads that may wait.
pub struct Pieces {
    reports: Reports,
    handle: Handle,
    of: Claimed,
    /// Cancelled when this process is not the one that makes reports any more.
    end: CancellationToken,
    /// Bytes that the utility may keep.
    most: i64,
    number: usize,
    held: Vec<u8>,
    /// Why nothing more is kept.
    pub stopped: Option<Stopped>,
}

impl Pieces {
    /// Keeps the file of a run in the database, as long as the utility has room for it.
    pub fn new(reports: Reports, of: Claimed, most: i64, end: CancellationToken) -> Self {
        let held = Vec::with_capacity(PIECE_MAX);
        Self { reports, handle: Handle::current(), of, end, most, number: 0, held, stopped: None }
    }

    /// Keeps what is left.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.held.is_empty() { Ok(()) } else { self.keep() }
    }

    fn keep(&mut self) -> io::Result<()> {
        let appended = if self.end.is_cancelled() {
            Ok(Appended::Lost)
        } else {
            self.handle.block_on(self.reports.store().append_report_piece(
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
            Ok(Appended::Full) => Stopped::Full,
            Ok(Appended::FullOfOne) => Stopped::FullOfOne,
            Ok(Appended::Lost) => Stopped::Lost,
            Err(error) => Stopped::Failed(error),
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

    /// Small pieces would be many rows: what is left is kept at the end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How long to wait where too many files are being given out, s.
const BUSY_S: u64 = 10;
/// Of the files that are given out at once, those of one utility, and those of one run: who has a link to it may be anybody.
const OF_UTILITY_MAX: usize = 16;
const OF_ONE_MAX: usize = 4;

fn crowded() -> Error {
    let what = "As many files are being fetched as may be at once. Please try again in a few seconds.";
    Error::Crowded { what, retry_after_s: BUSY_S }
}

/// A file that is kept.
#[derive(Debug)]
pub struct Kept {
    /// The utility.
    pub client: ClientId,
    /// The run that made it.
    pub run: i64,
    /// What it is called.
    pub name: String,
    /// Its `Content-Type`.
    pub media_type: String,
    /// How long it is.
    pub bytes: i64,
}

/// Gives out a file while it is read. One that goes meanwhile, or is not read for a while, breaks off before the length that was told. Before the first byte
/// leaves it is entered: what is not entered is not sent, and what is not sent is not entered.
pub async fn given(reports: &Reports, file: Kept, entry: &Entry<'_>) -> Result<SentFile, Error> {
    let Kept { client, run, name, media_type, bytes } = file;
    let turn = reports.kept_files.take(&[(Of::Run(run), OF_ONE_MAX), (Of::Utility(client), OF_UTILITY_MAX)]).map_err(|_| crowded())?;
    let mut piece = reports.store().report_piece(client, run, 0).await?;
    if piece.is_none() {
        return Err(Error::NotFound);
    }
    reports.store().audit(entry).await?;
    let (reports, (mut to, body)) = (reports.clone(), sending::file(reports.settings.reader_patience));
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
            piece = match reports.store().report_piece(client, run, number).await {
                Ok(piece) => piece,
                Err(error) => return tracing::warn!(run, %error, "a kept report was not given out to its end"),
            };
        }
        to.whole();
    });
    Ok(SentFile { name, media_type, bytes: Some(bytes), body })
}
