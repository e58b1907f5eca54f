//! Forecast and actual demand or current of an asset, by hour.

use std::collections::HashMap;

use grid::downsample::floor;
use grid::energy::kilo;
use grid::forecast::score::{LEAST_A, LEAST_KW, least, percent, score, skill};
use grid::forecast::{Measure, WEEK, mean_of};
use grid::{Micros, Point, PointId};
use identity::View;
use store::Store;
use store::forecast::ValidForecast;
use store::registry::AssetRecord;
use wire::flag::Flag;
use wire::forecast::{ForecastChart, ForecastRow};
use wire::time::{iso, now};

use crate::error::Error;

const HOUR_MS: i64 = 3_600_000;
const DAY_HOURS: i64 = 24;
/// Maximum number of days back. Together with the hours ahead, an answer has up to about 2,400 rows.
pub const DAYS_MAX: i64 = 92;
const KW_PER_MW: f64 = 1_000.0;
/// Minimum and maximum of the number of days ahead. Between these limits it equals the number of days back.
const AHEAD_DAYS: [i64; 2] = [2, 7];

/// Returns the answer for a measure of an asset.
pub async fn chart(store: &Store, view: &View, asset: &AssetRecord, measure: Measure, days: i64) -> Result<ForecastChart, Error> {
    let client = view.principal.client;
    let to = floor(now(), HOUR_MS);
    let back = days * DAY_HOURS;
    let from = to.plus_millis(-back * HOUR_MS);
    let end = to.plus_millis(days.clamp(AHEAD_DAYS[0], AHEAD_DAYS[1]) * DAY_HOURS * HOUR_MS);
    let (points, scale) = points(view, asset, measure);
    // One week more, because the naive forecast uses the hour one week before.
    let lines = store.hourly(client, &points, from.plus_millis(-(WEEK as i64) * HOUR_MS), to).await?;
    let measured: Vec<&[Option<f64>]> = points.iter().filter_map(|point| lines.get(point)).map(Vec::as_slice).collect();
    // Without a unit of power, there is no forecast either.
    let forecasts = if points.is_empty() { Vec::new() } else { store.foreseen(client, asset.id, measure, from, end).await? };
    let rating = match measure {
        Measure::Demand => store.rating(client, asset.id).await?.map(|record| record.rating.mva * KW_PER_MW),
        Measure::Current => None,
    };
    let hours = Hours { from, back: back as usize, measured: mean_of(&measured), forecasts, scale };
    let zone = view.field.client().time_zone.as_str();
    let mut chart = hours.chart(measure, rating, zone);
    if points.is_empty() {
        chart.flags.push(Flag::NotMetered);
    }
    Ok(chart)
}

/// Returns the points whose mean is the measure, as in the forecast, with the factor to the unit of the answer. Empty if the unit is not
/// one of power, as if it was not measured.
fn points(view: &View, asset: &AssetRecord, measure: Measure) -> (Vec<PointId>, f64) {
    let of_code = |code: &&str| {
        let own = view.field.points_at(asset.location).filter(|point: &&Point| point.asset == asset.id && point.code == **code);
        own.filter(|point| point.encoding().is_none()).min_by_key(|point| point.id)
    };
    let points: Vec<&Point> = measure.codes().iter().filter_map(of_code).collect();
    let scale = match measure {
        Measure::Demand => points.first().map_or(Some(1.0), |power| kilo(&power.unit)),
        Measure::Current => Some(1.0),
    };
    match scale {
        Some(scale) => (points.iter().map(|point| point.id).collect(), scale),
        None => (Vec::new(), 1.0),
    }
}

/// The data of an answer.
struct Hours {
    /// The time of the first row.
    from: Micros,
    /// Number of rows in the past.
    back: usize,
    /// Measured values, from one week before the first row on; empty if nothing is measured.
    measured: Vec<Option<f64>>,
    forecasts: Vec<ValidForecast>,
    /// Factor from measured and forecast values to the unit of the answer.
    scale: f64,
}

impl Hours {
    fn chart(&self, measure: Measure, rating_kw: Option<f64>, zone: &str) -> ForecastChart {
        let (unit, epsilon) = match measure {
            Measure::Demand => ("kW", LEAST_KW),
            Measure::Current => ("A", LEAST_A),
        };
        let scale = self.scale;
        let measured = |hour: usize| self.measured.get(hour).copied().flatten().map(|value| value * scale);
        let actual = |row: usize| (row < self.back).then(|| measured(row + WEEK)).flatten();
        let largest = (0..self.back).filter_map(actual).fold(0.0, |most: f64, value| most.max(value.abs()));
        let least = least(rating_kw, largest, epsilon);
        let forecasts: HashMap<i64, &ValidForecast> =
            self.forecasts.iter().map(|one| (one.hour.millis_since(self.from) / HOUR_MS, one)).collect();
        let last = forecasts.keys().max().map_or(self.back, |last| self.back.max(*last as usize + 1));
        // Forecasts are stored in single precision, so they are rounded to three decimals.
        let single = |value: Option<f32>| value.map(|value| (f64::from(value) * scale * 1_000.0).round() / 1_000.0);
        let row = |row: usize| {
            let time = self.from.plus_millis(row as i64 * HOUR_MS);
            let hour = forecasts.get(&(row as i64)).map(|one| one.forecast).unwrap_or_default();
            let (actual, forecast) = (actual(row), single(hour.value));
            ForecastRow {
                dt: iso(time),
                time_ms: time.millis(),
                actual,
                forecast,
                q10: single(hour.q10),
                q90: single(hour.q90),
                naive: measured(row),
                mape: percent(actual, forecast, least),
                kind: if row < self.back { "actual" } else { "forecast" }.to_owned(),
            }
        };
        let rows: Vec<ForecastRow> = (0..last).map(row).collect();
        let past = &rows[..self.back];
        let found = score(past.iter().map(|row| (row.actual, row.forecast)), least);
        let beside: Vec<&ForecastRow> = past.iter().filter(|row| row.forecast.is_some() && row.naive.is_some()).collect();
        let ours = score(beside.iter().map(|row| (row.actual, row.forecast)), least);
        let naive = score(beside.iter().map(|row| (row.actual, row.naive)), least);
        let newest = self.forecasts.iter().max_by_key(|one| one.issued);
        let known = past.iter().filter(|row| row.actual.is_some()).count();
        ForecastChart {
            unit: unit.to_owned(),
            time_zone: zone.to_owned(),
            from: iso(self.from),
            to: iso(self.from.plus_millis(self.back as i64 * HOUR_MS)),
            mape: found.mape,
            wape: found.wape,
            used: found.used,
            skipped: found.small,
            least,
            skill: skill(ours.wape, naive.wape),
            mape_naive: naive.mape,
            method: newest.map(|one| one.method.as_str().to_owned()),
            issued_at: newest.map(|one| iso(one.issued)),
            coverage: (!self.measured.is_empty()).then(|| 100.0 * known as f64 / self.back as f64),
            flags: self.flags(past, known),
            rows,
        }
    }

    fn flags(&self, past: &[ForecastRow], known: usize) -> Vec<Flag> {
        let is_late = known > 0 && past.last().is_some_and(|row| row.actual.is_none());
        let to = self.from.plus_millis(self.back as i64 * HOUR_MS);
        let is_backcast = self.forecasts.iter().any(|one| one.backcast && one.hour < to);
        Flag::that_apply([
            (known == 0, Flag::NoData),
            ((1..self.back).contains(&known), Flag::Partial),
            (is_late, Flag::Late),
            (is_backcast, Flag::Backcast),
        ])
    }
}

#[cfg(test)]
mod tests {
    use grid::forecast::Method;
    use store::forecast::HourForecast;

    use super::*;

    fn forecast_of(hour: i64, value: f32, backcast: bool) -> ValidForecast {
        let at = |hour: i64| Micros::from_millis(hour * HOUR_MS);
        let forecast = HourForecast { value: Some(value), q10: None, q90: Some(value + 0.5) };
        ValidForecast { hour: at(hour), issued: at(hour - 1), method: Method::MstlEts, backcast, forecast }
    }

    #[test]
    fn rows_are_one_an_hour_and_figures_are_of_what_has_happened() {
        let mut measured = vec![Some(2.0); WEEK];
        measured.extend([Some(1.0), Some(0.001), None, Some(4.0)]);
        let forecasts = vec![
            forecast_of(0, 1.1, true),
            forecast_of(1, 1.0, false),
            forecast_of(2, 1.0, false),
            forecast_of(3, 3.0, false),
            forecast_of(5, 2.5, false),
        ];
        let hours = Hours { from: Micros(0), back: 4, measured, forecasts, scale: 1_000.0 };
        let chart = hours.chart(Measure::Demand, None, "UTC");
        let rows: Vec<_> =
            chart.rows.iter().map(|row| (row.time_ms / HOUR_MS, row.actual, row.forecast, row.naive, row.kind.as_str())).collect();
        assert_eq!(
            rows,
            [
                (0, Some(1_000.0), Some(1_100.0), Some(2_000.0), "actual"),
                (1, Some(1.0), Some(1_000.0), Some(2_000.0), "actual"),
                (2, None, Some(1_000.0), Some(2_000.0), "actual"),
                (3, Some(4_000.0), Some(3_000.0), Some(2_000.0), "actual"),
                (4, None, None, Some(2_000.0), "forecast"),
                (5, None, Some(2_500.0), Some(2_000.0), "forecast"),
            ]
        );
        // The least value is 1 % of 4000 kW. The errors are 100 of 1000 and 1000 of 4000.
        assert_eq!((chart.least, chart.used, chart.skipped), (40.0, 2, 1));
        assert!((chart.mape.unwrap() - 17.5).abs() < 1e-9 && (chart.mape_naive.unwrap() - 75.0).abs() < 1e-9);
        assert!((chart.wape.unwrap() - 100.0 * 2_099.0 / 5_001.0).abs() < 1e-9);
        assert!((chart.skill.unwrap() - (1.0 - 2_099.0 / 4_999.0)).abs() < 1e-9);
        assert_eq!((chart.flags, chart.coverage), (vec![Flag::Partial, Flag::Backcast], Some(75.0)));
        assert_eq!((chart.method.as_deref(), chart.issued_at.as_deref()), (Some("mstl_ets"), Some("1970-01-01T04:00:00.000Z")));
        assert_eq!((chart.rows[5].q90, chart.rows[5].q10), (Some(3_000.0), None));
        let rated = hours.chart(Measure::Demand, Some(200_000.0), "UTC");
        assert_eq!((rated.least, rated.used, rated.skipped), (2_000.0, 1, 2));
    }

    #[test]
    fn nothing_is_no_zero() {
        let chart = Hours { from: Micros(0), back: 24, measured: Vec::new(), forecasts: Vec::new(), scale: 1.0 }.chart(
            Measure::Current,
            None,
            "UTC",
        );
        assert_eq!((chart.rows.len(), chart.mape, chart.wape, chart.skill, chart.coverage), (24, None, None, None, None));
        assert_eq!((chart.flags, chart.method, chart.unit.as_str()), (vec![Flag::NoData], None, "A"));
    }
}
