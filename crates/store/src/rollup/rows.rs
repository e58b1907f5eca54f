//! The packed rows of the rollups in the database.

use std::sync::LazyLock;

use futures_util::future::try_join_all;
use grid::downsample::packed::{Figures, Layout, Row as Packed, Values};
use grid::downsample::{Bucket, Resolution, packed};
use grid::{Micros, PointId};
use tokio_postgres::types::FromSqlOwned;
use tokio_postgres::{Row, Transaction};

use crate::convert::{Stamp, sql};
use crate::{Error, Result};

/// Number of rows that are sent before the first answer is awaited.
const SENT_MAX: usize = 256;

/// A statement for each packed table.
pub(crate) struct Statement(LazyLock<[String; 3]>);

impl Statement {
    /// Returns the statement for the table of a resolution. A resolution that is not packed is an [`Error::Data`].
    pub(crate) fn of(&self, of: Resolution) -> Result<&str> {
        let at = [Resolution::Minute, Resolution::TenMinutes, Resolution::Hour].into_iter().position(|packed| packed == of);
        at.map(|at| self.0[at].as_str()).ok_or_else(|| not_packed(of))
    }
}

/// Creates a statement for each table from the one for minutes.
macro_rules! statement {
    ($path:literal) => {
        Statement(LazyLock::new(|| ["rollup_1m", "rollup_10m", "rollup_1h"].map(|table| sql!($path).replace("rollup_1m", table))))
    };
}

pub(crate) static STORED: Statement = statement!("history/packed_stored_1m");
pub(crate) static WITHIN: Statement = statement!("history/packed_within_1m");
pub(super) static ROWS: Statement = statement!("history/packed_rows_1m");
pub(super) static COUNTS: Statement = statement!("history/packed_counts_1m");
static PUT: Statement = statement!("history/packed_put_1m");

/// The position of the first column after those of the packed row.
pub(crate) const NEXT_COLUMN: usize = 22;

/// Returns the layout of a packed resolution. Other resolutions return an [`Error::Data`].
pub(crate) fn layout(of: Resolution) -> Result<Layout> {
    Layout::of(of).ok_or_else(|| not_packed(of))
}

fn not_packed(of: Resolution) -> Error {
    Error::Data(format!("{} is no packed resolution", of.as_str()))
}

/// Reads a row: its point and its buckets with their starts. Columns are read by position and not by name, because long queries have many rows.
pub(crate) fn read(layout: Layout, row: &Row) -> Result<(PointId, Vec<(Micros, Bucket)>)> {
    fn array<T: FromSqlOwned>(row: &Row, place: usize) -> Result<Vec<Option<T>>> {
        Ok(row.try_get::<_, Option<Vec<Option<T>>>>(place)?.unwrap_or_default())
    }
    fn figures<T: FromSqlOwned>(row: &Row, place: usize) -> Result<Figures<T>> {
        Ok(Figures {
            last: array(row, place)?,
            first: array(row, place + 1)?,
            min: array(row, place + 2)?,
            max: array(row, place + 3)?,
            mean: array(row, place + 4)?,
        })
    }
    let scale = row.try_get::<_, Option<f64>>(2)?.zip(row.try_get::<_, Option<f64>>(3)?);
    let values = match scale {
        Some((base, step)) => Values::Steps { base, step, figures: figures(row, 12)? },
        None => Values::Exact(figures(row, 17)?),
    };
    let packed = Packed {
        start: row.try_get::<_, Stamp>(1)?.0,
        n: array(row, 4)?,
        bad: array(row, 5)?,
        worst: array(row, 6)?,
        last_at: array(row, 7)?,
        first_at: array(row, 8)?,
        received_first: array(row, 9)?,
        received_last: array(row, 10)?,
        held_ms: array(row, 11)?,
        values,
    };
    Ok((PointId(row.try_get(0)?), packed::unpack(layout, &packed)))
}

/// Packs and stores the buckets of some points, for each point all buckets of one block. Replaces stored rows.
pub(super) async fn put(transaction: &Transaction<'_>, of: Resolution, rows: &[(PointId, &[(Micros, Bucket)])]) -> Result<()> {
    let layout = layout(of)?;
    let statement = transaction.prepare(PUT.of(of)?).await?;
    for some in rows.chunks(SENT_MAX) {
        let packed = some.iter().map(|(point, buckets)| Ok((*point, packed::pack(layout, buckets)?)));
        let packed: Vec<(PointId, Packed)> =
            packed.collect::<Result<_, packed::Unpackable>>().map_err(|error| Error::Data(error.to_string()))?;
        let mut sent = Vec::with_capacity(packed.len());
        for (point, row) in &packed {
            sent.push(put_row(transaction, &statement, *point, row));
        }
        try_join_all(sent).await?;
    }
    Ok(())
}

async fn put_row(transaction: &Transaction<'_>, statement: &tokio_postgres::Statement, point: PointId, row: &Packed) -> Result<()> {
    fn array<T>(entries: &[Option<T>]) -> Option<&[Option<T>]> {
        Some(entries).filter(|entries| !entries.is_empty())
    }
    let no_steps = Figures::<i16> { last: Vec::new(), first: Vec::new(), min: Vec::new(), max: Vec::new(), mean: Vec::new() };
    let no_values = Figures::<f64> { last: Vec::new(), first: Vec::new(), min: Vec::new(), max: Vec::new(), mean: Vec::new() };
    let (scale, steps, exact) = match &row.values {
        Values::Absent => (None, &no_steps, &no_values),
        Values::Steps { base, step, figures } => (Some((*base, *step)), figures, &no_values),
        Values::Exact(figures) => (None, &no_steps, figures),
    };
    let (base, step) = scale.unzip();
    transaction
        .execute(
            statement,
            &[
                &point.0,
                &Stamp(row.start),
                &base,
                &step,
                &row.n,
                &array(&row.bad),
                &array(&row.worst),
                &array(&row.last_at),
                &array(&row.first_at),
                &array(&row.received_first),
                &array(&row.received_last),
                &array(&row.held_ms),
                &array(&steps.last),
                &array(&steps.first),
                &array(&steps.min),
                &array(&steps.max),
                &array(&steps.mean),
                &array(&exact.last),
                &array(&exact.first),
                &array(&exact.min),
                &array(&exact.max),
                &array(&exact.mean),
            ],
        )
        .await?;
    Ok(())
}

/// Returns the parameters for reading the blocks of some points.
pub(super) fn parameters(keys: &[(PointId, Micros)], block_ms: i64) -> (Vec<i64>, Vec<Stamp>, Vec<Stamp>) {
    (
        keys.iter().map(|(point, _)| point.0).collect(),
        keys.iter().map(|(_, start)| Stamp(*start)).collect(),
        keys.iter().map(|(_, start)| Stamp(start.plus_millis(block_ms))).collect(),
    )
}

/// Returns the place of a row's range in the parameters.
pub(super) fn place(row: &Row, column: usize) -> Result<usize> {
    let nth: i64 = row.try_get(column)?;
    usize::try_from(nth - 1).map_err(|_| Error::Unreadable(format!("range {nth}")))
}

/// Returns the buckets of blocks, in the order of `keys`: points and starts of blocks.
pub(super) async fn stored(
    transaction: &Transaction<'_>,
    of: Resolution,
    keys: &[(PointId, Micros)],
) -> Result<Vec<Vec<(Micros, Bucket)>>> {
    let mut found = vec![Vec::new(); keys.len()];
    let layout = layout(of)?;
    let (points, starts, ends) = parameters(keys, layout.block_ms());
    for row in transaction.query(ROWS.of(of)?, &[&points, &starts, &ends]).await? {
        found[place(&row, NEXT_COLUMN)?] = read(layout, &row)?.1;
    }
    Ok(found)
}
