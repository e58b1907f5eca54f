//! Samples into the history: by COPY, or the careful way when some of them are there already.

use std::pin::pin;

use postgres_types::Type;
use tokio_postgres::Transaction;
use tokio_postgres::binary_copy::BinaryCopyInWriter;

use super::{DeadLetter, Sample, Statements};
use crate::Result;
use crate::convert::Stamp;

/// What became of the samples of a batch.
pub(super) struct Stored {
    pub(super) new: u64,
    pub(super) conflicts: Vec<DeadLetter>,
}

impl Stored {
    pub(super) fn add(&mut self, more: Self) {
        self.new += more.new;
        self.conflicts.extend(more.conflicts);
    }
}

const COLUMNS: [Type; 5] = [Type::INT8, Type::TIMESTAMPTZ, Type::TIMESTAMPTZ, Type::FLOAT8, Type::INT2];

/// All rows or, when one key is known already, a unique violation and none.
pub(super) async fn copy(transaction: &Transaction<'_>, with: &Statements, rows: &[&Sample]) -> Result<Stored> {
    if rows.is_empty() {
        return Ok(Stored { new: 0, conflicts: Vec::new() });
    }
    let sink = transaction.copy_in(&with.copy_samples).await?;
    let mut writer = pin!(BinaryCopyInWriter::new(sink, &COLUMNS));
    for sample in rows {
        let reading = &sample.reading;
        writer
            .as_mut()
            .write(&[&sample.point.0, &Stamp(reading.source), &Stamp(reading.received), &reading.value, &i16::from(reading.quality.code())])
            .await?;
    }
    let new = writer.as_mut().finish().await?;
    Ok(Stored { new, conflicts: Vec::new() })
}

/// The rows that are new; of the others, those that contradict what is stored.
pub(super) async fn insert(transaction: &Transaction<'_>, with: &Statements, rows: &[&Sample]) -> Result<Stored> {
    if rows.is_empty() {
        return Ok(Stored { new: 0, conflicts: Vec::new() });
    }
    let points: Vec<i64> = rows.iter().map(|sample| sample.point.0).collect();
    let sources: Vec<Stamp> = rows.iter().map(|sample| Stamp(sample.reading.source)).collect();
    let received: Vec<Stamp> = rows.iter().map(|sample| Stamp(sample.reading.received)).collect();
    let values: Vec<Option<f64>> = rows.iter().map(|sample| sample.reading.value).collect();
    let qualities: Vec<i16> = rows.iter().map(|sample| i16::from(sample.reading.quality.code())).collect();
    let new = transaction.execute(&with.insert_samples, &[&points, &sources, &received, &values, &qualities]).await?;
    if new == rows.len() as u64 {
        return Ok(Stored { new, conflicts: Vec::new() });
    }
    let refused = transaction.query(&with.sample_conflicts, &[&points, &sources, &values, &qualities]).await?;
    let mut conflicts = Vec::with_capacity(refused.len());
    for row in &refused {
        let number: i64 = row.try_get("n")?;
        // The statement counts from 1 what it was given, so the row is there.
        let Some(sample) = rows.get(number as usize - 1) else { continue };
        conflicts.push(DeadLetter::conflict(sample.client, sample.point, sample.reading.received, row.try_get("detail")?));
    }
    Ok(Stored { new, conflicts })
}
