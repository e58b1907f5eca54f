//! The times in which points have values. A query of a long span reads them first. So its time depends on the amount of stored values and not on the length of
//! the span.

use grid::{ClientId, Micros, PointId};
use tokio_postgres::Row;

use super::limits::REGISTERS_MAX;
use crate::convert::{Stamp, micros_or_null, sql};
use crate::kept::Level;
use crate::{Result, Store};

/// The time in which a point has values within a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Presence {
    /// Id of the point.
    pub point: PointId,
    /// Start (inclusive) and end (exclusive) of the time with stored values, rounded to days; `None` if the span has no values.
    pub values: Option<(Micros, Micros)>,
    /// The source time of the value that is valid at the start of the span according to the rollups. Only for points that report by exception.
    pub held: Option<Micros>,
    /// Whether a newer value may be valid at the start of the span, because values of the day before are not in the rollups yet. Only for points that report by
    /// exception. As in all series, older values that are not in the rollups are ignored.
    pub is_unsettled: bool,
}

impl Store {
    /// Returns the times from `from` (inclusive) to `to` (exclusive) in which points have values, at any resolution, in no particular order. Dirty ranges are
    /// included. With `with_single_values`, single values are included even if they were never in a dirty range. Points of other utilities are left out.
    ///
    /// One statement reads up to [`REGISTERS_MAX`] points, which keeps it within its time limit. A returned day can be without values, because a dirty range
    /// covers a whole block of neighbouring points.
    pub async fn presence(
        &self,
        client: ClientId,
        points: &[PointId],
        (from, to): (Micros, Micros),
        with_single_values: bool,
    ) -> Result<Vec<Presence>> {
        let kept = self.kept().await?;
        let (raw, days) = (Stamp(kept.floor(Level::Raw)), Stamp(kept.floor(Level::Day)));
        let mut found = Vec::with_capacity(points.len());
        for some in points.chunks(REGISTERS_MAX) {
            let ids: Vec<i64> = some.iter().map(|point| point.0).collect();
            let params: crate::pool::Params<'_> = &[&client.0, &ids, &Stamp(from), &Stamp(to), &with_single_values, &raw, &days];
            for row in &self.of(client).query(sql!("history/presence"), params).await? {
                found.push(presence(row)?);
            }
        }
        Ok(found)
    }
}

fn presence(row: &Row) -> Result<Presence> {
    Ok(Presence {
        point: PointId(row.try_get("id")?),
        values: micros_or_null(row, "first")?.zip(micros_or_null(row, "until")?),
        held: micros_or_null(row, "held")?,
        is_unsettled: row.try_get("is_unsettled")?,
    })
}
