//! Forecasts: the hourly history from which they are computed, the issued forecasts, and the valid forecast of each hour.

use std::collections::HashMap;

use grid::downsample::{Bucket, floor};
use grid::forecast::{Measure, Method};
use grid::{AssetId, ClientId, Micros, PointId};
use tokio_postgres::Row;

use crate::convert::{Stamp, micros, sql};
use crate::series::{BUCKETS_MAX, POINTS_MAX};
use crate::tenant::bind;
use crate::{Error, Result, Store};

const HOUR_MS: i64 = 3_600_000;
/// Maximum number of rows in a statement.
const EXPIRE_ROWS: i64 = 10_000;

/// A forecast to store.
#[derive(Debug, Clone, PartialEq)]
pub struct Issue {
    /// Id of the asset.
    pub asset: AssetId,
    /// The measure of the asset.
    pub measure: Measure,
    /// Start of its first hour. Values measured at or after it were not used.
    pub issued: Micros,
    /// Method of the forecast.
    pub method: Method,
    /// Whether it was computed afterwards (backcast).
    pub backcast: bool,
    /// Its hours, 1 to 168.
    pub hours: Vec<HourForecast>,
}

/// The forecast of one hour, in the unit of its points (usually MW or A); `None` for a value without a forecast.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HourForecast {
    /// Expected value.
    pub value: Option<f32>,
    /// The value below which the actual value is expected in one of ten hours (q10).
    pub q10: Option<f32>,
    /// The value that the actual value is expected to exceed in one of ten hours (q90).
    pub q90: Option<f32>,
}

/// The valid forecast of an hour: the newest one issued before it, or a backcast if there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValidForecast {
    /// Start of the hour.
    pub hour: Micros,
    /// When it was issued.
    pub issued: Micros,
    /// Method of the forecast.
    pub method: Method,
    /// Whether it was computed afterwards (backcast).
    pub backcast: bool,
    /// The values.
    pub forecast: HourForecast,
}

/// The stored forecasts of an asset and measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issued {
    /// Time of the newest issue.
    pub newest: Micros,
    /// Days (UTC) with an issue at their start.
    pub days: Vec<Micros>,
    /// Periods that were forecast before they began, in order and without overlap: start (inclusive) and end (exclusive).
    pub covered: Vec<(Micros, Micros)>,
}

impl Store {
    /// Returns the hourly means (UTC) of points of a utility, from the hour of `from` to before that of `to`, one entry for each hour; `None` for hours without
    /// good values. Any number of points; those that the utility does not have are left out.
    pub async fn hourly(
        &self,
        client: ClientId,
        points: &[PointId],
        from: Micros,
        to: Micros,
    ) -> Result<HashMap<PointId, Vec<Option<f64>>>> {
        let (from, to) = (floor(from, HOUR_MS), floor(to, HOUR_MS));
        let count = usize::try_from(to.millis_since(from) / HOUR_MS).unwrap_or(0);
        let mut found: HashMap<PointId, Vec<Option<Bucket>>> = HashMap::new();
        for points in points.chunks(POINTS_MAX) {
            let mut start = from;
            while start < to {
                let end = start.plus_millis((BUCKETS_MAX as i64 - 2) * HOUR_MS).min(to);
                // One more bucket, because a period that starts within an hour has a part of another hour.
                let most = end.millis_since(start) / HOUR_MS + 1;
                let series = self.series(client, points, start, end, most.max(2) as usize).await?;
                // Where only daily buckets are left, there are no hourly means. For points that report once an hour or less, the values themselves are used.
                let is_fine = series.bucket_ms.is_none_or(|ms| ms <= HOUR_MS);
                for line in &series.lines {
                    let hours: &mut Vec<Option<Bucket>> = found.entry(line.point).or_insert_with(|| vec![None; count]);
                    for (at, cell) in series.times.iter().zip(&line.cells).filter(|_| is_fine) {
                        let hour = usize::try_from(at.millis_since(from).div_euclid(HOUR_MS)).ok().and_then(|place| hours.get_mut(place));
                        match (hour, cell) {
                            (Some(Some(hour)), Some(cell)) => hour.merge(cell),
                            (Some(hour), Some(cell)) => *hour = Some(*cell),
                            _ => {}
                        }
                    }
                }
                start = end;
            }
        }
        let means = |hours: Vec<Option<Bucket>>| hours.iter().map(|hour| hour.as_ref()?.mean()).collect();
        Ok(found.into_iter().map(|(point, hours)| (point, means(hours))).collect())
    }

    /// Stores an issue for a utility, completely or not at all. Earlier issues of the same hour are not changed.
    pub async fn put_forecasts(&self, client: ClientId, issues: &[Issue]) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        let put = transaction.prepare_cached(sql!("forecast_work/put")).await?;
        for issue in issues {
            let column = |of: fn(&HourForecast) -> Option<f32>| issue.hours.iter().map(of).collect::<Vec<_>>();
            let (value, q10, q90) = (column(|hour| hour.value), column(|hour| hour.q10), column(|hour| hour.q90));
            let (measure, method) = (issue.measure.as_str(), issue.method.as_str());
            transaction
                .execute(&put, &[&client.0, &issue.asset.0, &measure, &Stamp(issue.issued), &method, &issue.backcast, &value, &q10, &q90])
                .await?;
        }
        Ok(transaction.commit().await?)
    }

    /// Returns the valid forecasts of the hours from `from` (inclusive) to `to` (exclusive), in order; hours without a forecast are left out. A backcast is
    /// valid only where no forecast was issued before the hour. Methods that this program does not know are ignored.
    pub async fn foreseen(
        &self,
        client: ClientId,
        asset: AssetId,
        measure: Measure,
        from: Micros,
        to: Micros,
    ) -> Result<Vec<ValidForecast>> {
        let methods = Method::ALL.map(Method::as_str);
        let methods = methods.as_slice();
        let params: [&(dyn postgres_types::ToSql + Sync); 6] = [&client.0, &asset.0, &measure.as_str(), &Stamp(from), &Stamp(to), &methods];
        self.of(client).query(sql!("forecast/newest"), &params).await?.iter().map(foreseen).collect()
    }

    /// Returns the forecasts of a utility issued since `since`, by asset and measure.
    pub async fn issued(&self, client: ClientId, since: Micros) -> Result<HashMap<(AssetId, Measure), Issued>> {
        let rows = self.of(client).query(sql!("forecast_work/issued"), &[&client.0, &Stamp(since)]).await?;
        let read = |row: &Row| {
            let measure: &str = row.try_get("measure")?;
            let measure = Measure::parse(measure).ok_or_else(|| Error::Unreadable(format!("measure {measure}")))?;
            let days: Vec<Stamp> = row.try_get("days")?;
            let (covered_from, covered_to): (Vec<Stamp>, Vec<Stamp>) = (row.try_get("covered_from")?, row.try_get("covered_to")?);
            let issued = Issued {
                newest: micros(row, "newest")?,
                days: days.into_iter().map(|day| day.0).collect(),
                covered: covered_from.into_iter().zip(covered_to).map(|(from, to)| (from.0, to.0)).collect(),
            };
            Ok(((AssetId(row.try_get("asset_id")?), measure), issued))
        };
        rows.iter().map(read).collect()
    }

    /// Deletes forecasts issued before a time, in statements of at most 10,000 rows. Returns their number.
    pub async fn expire_forecasts(&self, before: Micros) -> Result<u64> {
        let mut gone = 0;
        loop {
            let rows = self.execute(sql!("forecast_work/expire"), &[&Stamp(before), &EXPIRE_ROWS]).await?;
            gone += rows;
            if rows < EXPIRE_ROWS as u64 {
                return Ok(gone);
            }
        }
    }
}

fn foreseen(row: &Row) -> Result<ValidForecast> {
    let method: &str = row.try_get("method")?;
    Ok(ValidForecast {
        hour: micros(row, "hour")?,
        issued: micros(row, "issued")?,
        method: Method::parse(method).ok_or_else(|| Error::Unreadable(format!("method {method}")))?,
        backcast: row.try_get("backcast")?,
        forecast: HourForecast { value: row.try_get("value")?, q10: row.try_get("q10")?, q90: row.try_get("q90")? },
    })
}
