//! Stores samples in the history: by COPY, or row by row if some of them are stored already.

use std::pin::pin;

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::SinkExt;
use tokio_postgres::{CopyInSink, Transaction};

use super::rows::{DeadLetter, Sample};
use super::statements::Statements;
use crate::Result;
use crate::convert::Stamp;

/// The result of storing the samples of a batch.
pub(super) struct Stored {
    pub(super) new: u64,
    pub(super) conflicts: Vec<DeadLetter>,
}

impl Stored {
    const NOTHING: Self = Self { new: 0, conflicts: Vec::new() };

    pub(super) fn add(&mut self, more: Self) {
        self.new += more.new;
        self.conflicts.extend(more.conflicts);
    }
}

/// Stores all rows. If one key is stored already, it fails with a unique violation and stores none.
pub(super) async fn copy(transaction: &Transaction<'_>, with: &Statements, rows: &[&Sample]) -> Result<Stored> {
    if rows.is_empty() {
        return Ok(Stored::NOTHING);
    }
    let data = binary(rows)?;
    let mut sink: std::pin::Pin<&mut CopyInSink<Bytes>> = pin!(transaction.copy_in(&with.copy_samples).await?);
    sink.send(data).await?;
    Ok(Stored { new: sink.finish().await?, conflicts: Vec::new() })
}

/// Encodes rows in the binary format of COPY (PostgreSQL manual, COPY, "Binary Format"). The writer of the client library checks the type of each value and
/// sends 4 KiB at a time; encoding all rows at once takes a third of its time.
fn binary(rows: &[&Sample]) -> Result<Bytes> {
    const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";
    const COLUMNS: i16 = 5;
    const ROW: usize = 2 + 4 * (4 + 8) + (4 + 2);
    let mut out = BytesMut::with_capacity(SIGNATURE.len() + 8 + rows.len() * ROW + 2);
    out.put_slice(SIGNATURE);
    out.put_i64(0);
    for sample in rows {
        let reading = &sample.reading;
        out.put_i16(COLUMNS);
        for number in [sample.point.0, Stamp(reading.source).encoded()?, Stamp(reading.received).encoded()?] {
            out.put_i32(8);
            out.put_i64(number);
        }
        match reading.value {
            Some(value) => {
                out.put_i32(8);
                out.put_f64(value);
            }
            None => out.put_i32(-1),
        }
        out.put_i32(2);
        out.put_i16(i16::from(reading.quality.code()));
    }
    out.put_i16(-1);
    Ok(out.freeze())
}

/// The rows as arrays, for statements.
struct Columns {
    points: Vec<i64>,
    sources: Vec<Stamp>,
    received: Vec<Stamp>,
    values: Vec<Option<f64>>,
    qualities: Vec<i16>,
    span: (Stamp, Stamp),
}

impl Columns {
    /// Returns the arrays; `None` without rows.
    fn of(rows: &[&Sample]) -> Option<Self> {
        let sources = || rows.iter().map(|sample| sample.reading.source);
        Some(Self {
            points: rows.iter().map(|sample| sample.point.0).collect(),
            sources: sources().map(Stamp).collect(),
            received: rows.iter().map(|sample| Stamp(sample.reading.received)).collect(),
            values: rows.iter().map(|sample| sample.reading.value).collect(),
            qualities: rows.iter().map(|sample| i16::from(sample.reading.quality.code())).collect(),
            span: (Stamp(sources().min()?), Stamp(sources().max()?)),
        })
    }
}

/// Returns the rows that are not stored with the same value.
pub(super) async fn unknown<'a>(transaction: &Transaction<'_>, with: &Statements, rows: &[&'a Sample]) -> Result<Vec<&'a Sample>> {
    let Some(Columns { points, sources, values, qualities, span, .. }) = Columns::of(rows) else { return Ok(Vec::new()) };
    let known = transaction.query(&with.known_samples, &[&points, &sources, &values, &qualities, &span.0, &span.1]).await?;
    let mut unknown: Vec<Option<&Sample>> = rows.iter().copied().map(Some).collect();
    for row in &known {
        let number: i64 = row.try_get("n")?;
        // The statement numbers its input rows from 1, so the index is valid.
        if let Some(place) = unknown.get_mut(number as usize - 1) {
            *place = None;
        }
    }
    Ok(unknown.into_iter().flatten().collect())
}

/// Maximum number of values of a point with the same source time. Source times have a resolution of 1 ms, so there is room for a thousand values. More values
/// than this maximum come from a stopped clock and are conflicts.
const VALUES_PER_INSTANT: i64 = 16;

/// Inserts new rows. A different value with a stored key is stored one microsecond later: it is a later value with the same source time, such as the second of
/// two changes within a millisecond, and it must follow the first one in the history too. If a value is stored already at one of these times, its time is used,
/// so a repeated message gets the same times. If no time is free, the value is a conflict.
pub(super) async fn insert(transaction: &Transaction<'_>, with: &Statements, rows: &[&Sample]) -> Result<Stored> {
    let mut stored = Stored::NOTHING;
    let mut left: Vec<Sample> = rows.iter().map(|sample| **sample).collect();
    for distance in 0..VALUES_PER_INSTANT {
        let (new, refused) = insert_once(transaction, with, &left).await?;
        stored.new += new;
        let is_last = distance + 1 == VALUES_PER_INSTANT;
        let mut behind = Vec::with_capacity(refused.len());
        for (number, detail) in refused {
            let Some(mut sample) = left.get(number).copied() else { continue };
            if is_last {
                stored.conflicts.push(DeadLetter::conflict(sample.client, sample.point, sample.reading.received, detail));
            } else {
                sample.reading.source.0 += 1;
                behind.push(sample);
            }
        }
        if behind.is_empty() {
            break;
        }
        left = behind;
    }
    Ok(stored)
}

/// Inserts the rows whose keys are new. Returns their number, and the rows that are stored with another value: index and the stored value.
async fn insert_once(transaction: &Transaction<'_>, with: &Statements, rows: &[Sample]) -> Result<(u64, Vec<(usize, String)>)> {
    let rows: Vec<&Sample> = rows.iter().collect();
    let Some(Columns { points, sources, received, values, qualities, span }) = Columns::of(&rows) else { return Ok((0, Vec::new())) };
    let new = transaction.execute(&with.insert_samples, &[&points, &sources, &received, &values, &qualities]).await?;
    if new == rows.len() as u64 {
        return Ok((new, Vec::new()));
    }
    let refused = transaction.query(&with.sample_conflicts, &[&points, &sources, &values, &qualities, &span.0, &span.1]).await?;
    // The statement numbers its input rows from 1.
    let refused = refused.iter().map(|row| Ok((row.try_get::<_, i64>("n")? as usize - 1, row.try_get("detail")?)));
    Ok((new, refused.collect::<Result<_>>()?))
}
