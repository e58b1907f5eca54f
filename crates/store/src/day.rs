//! Smallest and largest values of a day in the utility's time zone, and stored values of an asset.

use std::collections::HashMap;

use grid::table::readings::Extremes;
use grid::{AssetId, ClientId, Micros, PointId};

use crate::convert::{Stamp, micros, quality, sql};
use crate::kept::Level;
use crate::samples::StoredSample;
use crate::{Result, Store};

/// Smallest and largest values of a day.
#[derive(Debug, Clone, PartialEq)]
pub struct DayExtremes {
    /// Start of the day.
    pub from: Micros,
    /// Start of the next day.
    pub until: Micros,
    /// Values by point. Points without a valid value are left out.
    pub of: HashMap<PointId, Extremes>,
}

/// A stored value of an asset.
#[derive(Debug, Clone, PartialEq)]
pub struct AssetSample {
    /// The last part of the point's metric name.
    pub code: String,
    /// Unit of the value.
    pub unit: String,
    /// The value.
    pub sample: StoredSample,
}

impl Store {
    /// Returns the smallest and largest values of points in the day that contains `at`. It reads all values of the day, so call it for the points of one asset.
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

    /// Returns stored values of an asset with some codes, from `from` (inclusive) to `to` (exclusive), oldest first, at most `limit`.
    pub async fn samples_of_asset(
        &self,
        client: ClientId,
        asset: AssetId,
        codes: &[String],
        (from, to): (Micros, Micros),
        limit: i64,
    ) -> Result<Vec<AssetSample>> {
        let from = from.max(self.kept().await?.floor(Level::Raw));
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
