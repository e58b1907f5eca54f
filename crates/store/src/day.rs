//! Smallest and largest values of a day in the utility's time zone, and stored values of an asset.

use std::collections::HashMap;

use grid::downsample::{Buckets, MINUTE_MS, Resolution};
use grid::table::readings::Extremes;
use grid::{AssetId, ClientId, Micros, PointId};

use crate::convert::{Stamp, micros, micros_or_null, quality, sql};
use crate::kept::Level;
use crate::samples::StoredSample;
use crate::series::POINTS_MAX;
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
    ///
    /// The single values of a point can begin later than the day, because earlier values were imported as buckets or have expired. Then the earlier buckets are
    /// used too.
    pub async fn day_extremes(&self, client: ClientId, points: &[PointId], at: Micros) -> Result<Option<DayExtremes>> {
        let tenant = self.of(client);
        let Some(day) = tenant.query_opt(sql!("samples/day"), &[&client.0, &Stamp(at)]).await? else { return Ok(None) };
        let (from, until) = (micros(&day, "day_from")?, micros(&day, "day_until")?);
        let ids: Vec<i64> = points.iter().map(|point| point.0).collect();
        let rows = tenant.query(sql!("samples/extremes"), &[&client.0, &ids, &Stamp(from), &Stamp(until)]).await?;
        let (mut of, mut later) = (HashMap::with_capacity(rows.len()), HashMap::new());
        for row in &rows {
            let point = PointId(row.try_get("point_id")?);
            let extremes = row.try_get::<_, Option<f64>>("least")?.zip(row.try_get("most")?);
            of.extend(extremes.map(|(min, max)| (point, Extremes { min, max })));
            let since = micros_or_null(row, "since")?.unwrap_or(until);
            if since > from.plus_millis(MINUTE_MS) {
                later.insert(point, since);
            }
        }
        self.add_buckets(client, (from, until.min(at.plus_millis(1))), &later, &mut of).await?;
        Ok(Some(DayExtremes { from, until, of }))
    }

    /// Adds the buckets of a day that begin before the first single value of a point.
    async fn add_buckets(
        &self,
        client: ClientId,
        (from, to): (Micros, Micros),
        since: &HashMap<PointId, Micros>,
        of: &mut HashMap<PointId, Extremes>,
    ) -> Result<()> {
        let points: Vec<PointId> = since.keys().copied().collect();
        for some in points.chunks(POINTS_MAX) {
            if from >= to {
                break;
            }
            // Five minutes at most divide every day of every zone.
            let series = self.stepped(client, some, (from, to), Buckets { of: Resolution::Minute, times: 5 }).await?;
            for line in &series.lines {
                let before = |start: &Micros| since.get(&line.point).is_some_and(|since| start < since);
                for bucket in line.cells.iter().zip(&series.times).filter(|(_, start)| before(start)).filter_map(|(cell, _)| cell.as_ref())
                {
                    let Some((min, max)) = bucket.min.zip(bucket.max) else { continue };
                    let own = Extremes { min, max };
                    of.entry(line.point).and_modify(|known| *known = known.and(own)).or_insert(own);
                }
            }
        }
        Ok(())
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
