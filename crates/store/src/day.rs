//! The day of a utility, in its own time zone, and what its values have been at least and at most since it began.

use std::collections::HashMap;

use grid::table::readings::Extremes;
use grid::{AssetId, ClientId, Micros, PointId};

use crate::convert::{Stamp, micros, quality, sql};
use crate::samples::StoredSample;
use crate::{Result, Store};

/// Lowest and highest values of a day.
#[derive(Debug, Clone, PartialEq)]
pub struct DayExtremes {
    /// When the day began.
    pub from: Micros,
    /// When the next one begins.
    pub until: Micros,
    /// By point; those without a value that counts are left out.
    pub of: HashMap<PointId, Extremes>,
}

/// A stored value of an asset.
#[derive(Debug, Clone, PartialEq)]
pub struct AssetSample {
    /// What it is of.
    pub code: String,
    /// Its unit.
    pub unit: String,
    /// The value.
    pub sample: StoredSample,
}

impl Store {
    /// What points of a utility have been at least and at most in the day of an instant. Reads the day's values of these points: ask for those of one asset.
    pub async fn day_extremes(&self, client: ClientId, points: &[PointId], at: Micros) -> Result<Option<DayExtremes>> {
        let tenant = self.of(client);
        let Some(day) = tenant.query_opt(sql!("samples/day"), &[&client.0, &Stamp(at)]).await? else { return Ok(None) };
        let (from, until) = (micros(&day, "day_from")?, micros(&day, "day_until")?);
        let ids: Vec<i64> = points.iter().map(|point| point.0).collect();
        let rows = tenant.query(sql!("samples/extremes"), &[&client.0, &ids, &Stamp(from), &Stamp(until)]).await?;
        let of = rows.iter().map(|row| {
            let extremes = Extremes { min: row.try_get("least")?, max: row.try_get("most")? };
            Ok((PointId(row.try_get("point_id")?), extremes))
        });
        Ok(Some(DayExtremes { from, until, of: of.collect::<Result<_>>()? }))
    }

    /// Stored values of an asset by their codes, from `from` (inclusive) to `to` (exclusive), oldest first; at most `limit`.
    pub async fn samples_of_asset(
        &self,
        client: ClientId,
        asset: AssetId,
        codes: &[String],
        (from, to): (Micros, Micros),
        limit: i64,
    ) -> Result<Vec<AssetSample>> {
        let rows = self
            .of(client)
            .query(sql!("samples/of_asset"), &[&client.0, &asset.0, &codes, &Stamp(from), &Stamp(to), &limit.max(0)])
            .await?;
        let sample = |row: &tokio_postgres::Row| {
            let (source, received) = (micros(row, "ts")?, micros(row, "recv_ts")?);
            let sample = StoredSample { source, value: row.try_get("value")?, quality: quality(row)?, received };
            Ok(AssetSample { code: row.try_get("code")?, unit: row.try_get("unit")?, sample })
        };
        rows.iter().map(sample).collect()
    }
}
