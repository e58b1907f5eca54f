//! GET /api/report/currentprofile, frequencyprofile and voltageforecast: the profiles of the V-I screen, from the history.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use analysis::lines as chart;
use analysis::lines::Lines;
use analysis::measure::Measure;
use axum::Json;
use axum::extract::{FromRequestParts, Path, Query, RawPathParams, State};
use axum::http::request::Parts;
use grid::{AssetId, Micros};
use identity::View;
use serde::Deserialize;
use wire::Envelope;
use wire::history::{CurrentProfileRow, FrequencyProfileRow, VoltageProfileRow};
use wire::time::iso;

use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::state::Services;

/// Maximum number of rows.
const ROWS_MAX: usize = 2_000;
const DAY_MS: i64 = 24 * 3_600_000;

/// The period: one month (31 days) or six months (184 days).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Months(i64);

impl Months {
    /// Parses the number of months from a path or query.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        match text {
            "1" => Ok(Self(31)),
            "6" => Ok(Self(184)),
            _ => Err(Error::BadRequest("months must be 1 or 6".to_owned())),
        }
    }

    /// Returns the period, which ends now.
    fn span(self) -> (Micros, Micros) {
        let to = Services::now();
        (to.plus_millis(-self.0 * DAY_MS), to)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Months {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let params = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Error::NotFound)?;
        Self::parse(params.iter().find(|(name, _)| *name == "months").map_or("", |(_, text)| text))
    }
}

/// Reads the lines of measures of an asset over the period.
pub(crate) async fn lines(services: &Services, view: &View, asset: AssetId, months: Months, measures: &[Measure]) -> Result<Lines, Error> {
    Ok(chart::lines(services.store(), view, asset, measures, months.span(), ROWS_MAX).await?)
}

/// Returns a row for each time from the first to the last value.
pub(crate) fn rows<T>(lines: &Lines, row: impl Fn(String, usize) -> T) -> Json<Envelope<Vec<T>>> {
    let rows: Vec<T> = lines.reported_range().map(|place| row(iso(lines.times[place]), place)).collect();
    Json(Envelope::ok(rows).kept_since(lines.kept_since))
}

/// Returns a measure by its name in the code.
pub(crate) fn measure(word: &str) -> Result<Measure, Error> {
    Measure::named(word).ok_or(Error::Internal)
}

/// Returns the currents of an asset's phases over one month or six: mean, minimum and maximum of each half hour or three hours.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/report/currentprofile/{id}/{months}", tag = "report", operation_id = "currentProfile", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset"), ("months" = i64, Path, description = "1 or 6")),
    responses((status = 200, description = "Rows, oldest first", body = Envelope<Vec<CurrentProfileRow>>), (status = 400, description = "`months` is neither 1 nor 6"))
))]
pub(crate) async fn current(
    State(services): State<Services>,
    scoped: Scoped<Asset>,
    months: Months,
) -> Result<Json<Envelope<Vec<CurrentProfileRow>>>, Error> {
    let lines = lines(&services, &scoped.view, scoped.target.0.id, months, &[measure("current")?]).await?;
    Ok(rows(&lines, |time, place| {
        let [r, y, b] = ["Ir", "Iy", "Ib"].map(|code| lines.at(code, place));
        CurrentProfileRow {
            time,
            current1: r[0],
            current2: y[0],
            current3: b[0],
            min1: r[1],
            min2: y[1],
            min3: b[1],
            max1: r[2],
            max2: y[2],
            max3: b[2],
        }
    }))
}

/// The asset and the period.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Frequency {
    /// The asset.
    device_id: i64,
    /// Months: 1 or 6; default 1.
    sze: Option<String>,
    /// Ignored.
    #[allow(dead_code, reason = "documented, and says nothing here")]
    status: Option<String>,
}

/// Returns the frequency that an asset's meter measured over one month or six.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/report/frequencyprofile/", tag = "report", operation_id = "frequencyProfile", security(("bearer" = [])),
    params(Frequency),
    responses(
        (status = 200, description = "Rows, oldest first", body = Envelope<Vec<FrequencyProfileRow>>),
        (status = 404, description = "The asset does not exist, or the caller cannot see it", body = wire::envelope::Failure)
    )
))]
pub(crate) async fn frequency(
    State(services): State<Services>,
    view: View,
    Query(query): Query<Frequency>,
) -> Result<Json<Envelope<Vec<FrequencyProfileRow>>>, Error> {
    let asset = chart::seen(&view, query.device_id)?;
    let months = Months::parse(query.sze.as_deref().unwrap_or("1"))?;
    let lines = lines(&services, &view, asset.id, months, &[measure("frequency")?]).await?;
    Ok(rows(&lines, |time, place| {
        let [mean, min, max] = lines.at("Hz", place);
        let status = lines.each.first().and_then(|line| line.quality[place]);
        FrequencyProfileRow { time, frequency1: mean, frequency2: None, frequency3: None, status, min1: min, max1: max }
    }))
}

/// The asset.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Voltage {
    /// The asset.
    device_id: i64,
}

/// Returns the voltages of an asset's phases over one month or six. It contains no forecast, despite its name.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/report/voltageforecast/{range}", tag = "report", operation_id = "voltageForecast", security(("bearer" = [])),
    params(("range" = String, Path, description = "`{status}-{months}`: any text, and 1 or 6"), Voltage),
    responses((status = 200, description = "Rows, oldest first", body = Envelope<Vec<VoltageProfileRow>>))
))]
pub(crate) async fn voltage(
    State(services): State<Services>,
    view: View,
    Path(range): Path<String>,
    Query(query): Query<Voltage>,
) -> Result<Json<Envelope<Vec<VoltageProfileRow>>>, Error> {
    let asset = chart::seen(&view, query.device_id)?;
    let months = range.rsplit_once('-').map(|(_, months)| Months::parse(months));
    let months = months.ok_or_else(|| Error::BadRequest("The path must end in {status}-{months}, such as 1-6.".to_owned()))??;
    let lines = lines(&services, &view, asset.id, months, &[measure("voltage")?]).await?;
    let unit = lines.each.first().map_or("kV", |line| line.point.unit.as_str()).to_owned();
    Ok(rows(&lines, |time, place| {
        let [r, y, b] = ["Vr", "Vy", "Vb"].map(|code| lines.at(code, place));
        VoltageProfileRow {
            time,
            r: r[0],
            y: y[0],
            b: b[0],
            r_min: r[1],
            y_min: y[1],
            b_min: b[1],
            r_max: r[2],
            y_max: y[2],
            b_max: b[2],
            unit: unit.clone(),
        }
    }))
}
