//! GET /api/faultdata/bytypeandid/{type}/{id} and /api/faultdata/faultsbyuserrole.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::extract::{Query, State};
use identity::{Area, View};
use serde::Deserialize;
use store::kept::Level;
use wire::Envelope;
use wire::faults::FaultRow;

use crate::error::Error;
use crate::extract::Scoped;
use crate::routes::analytics::past::instant;
use crate::state::Services;

const DAYS_DEFAULT: i64 = 30;
const DAYS_MAX: i64 = 366;
const ROWS_MAX: i64 = 5_000;

/// The period of the list.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Back {
    /// Days, up to 366; default 30. Open faults are always included.
    days: Option<i64>,
    /// Instead of `days`: only faults that began from this time on; ISO 8601. Open faults that began earlier are not included.
    from: Option<String>,
    /// With `from`: only faults that began before this time; ISO 8601. Default: now.
    to: Option<String>,
}

/// Returns the faults of an area or asset, newest first. The position is that of the stream `faults/{type}/{id}`.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/faultdata/bytypeandid/{type}/{id}", tag = "faultdata", operation_id = "faultsByTypeAndId", security(("bearer" = [])),
    params(
        ("type" = String, Path, description = "location or asset; also client, circle, division, town, subdivision or section"),
        ("id" = i64, Path, description = "The id of the area or asset"), Back
    ),
    responses((status = 200, description = "At most 5000 rows, and their position in the stream", body = Envelope<Vec<FaultRow>>))
))]
pub(crate) async fn by_place(
    State(services): State<Services>,
    scoped: Scoped<Area>,
    Query(back): Query<Back>,
) -> Result<Json<Envelope<Vec<FaultRow>>>, Error> {
    read(&services, &scoped.view, Some(scoped.target), &back).await
}

/// Returns the faults of everything that the caller can see, newest first.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/faultdata/faultsbyuserrole", tag = "faultdata", operation_id = "faultsByUserRole", security(("bearer" = [])), params(Back),
    responses((status = 200, description = "At most 5000 rows, and their position in the stream", body = Envelope<Vec<FaultRow>>))
))]
pub(crate) async fn of_caller(
    State(services): State<Services>,
    view: View,
    Query(back): Query<Back>,
) -> Result<Json<Envelope<Vec<FaultRow>>>, Error> {
    read(&services, &view, Area::of_caller(&view), &back).await
}

async fn read(services: &Services, view: &View, area: Option<Area>, back: &Back) -> Result<Json<Envelope<Vec<FaultRow>>>, Error> {
    let days = back.days.unwrap_or(DAYS_DEFAULT);
    if !(1..=DAYS_MAX).contains(&days) {
        return Err(Error::BadRequest(format!("days must lie between 1 and {DAYS_MAX}")));
    }
    let (store, client, now) = (services.store(), view.principal.client, Services::now());
    let (epoch, top) = store.fault_stream(client).await?;
    let start = instant("from", back.from.as_deref())?;
    let end = instant("to", back.to.as_deref())?;
    let from = start.unwrap_or_else(|| now.plus_millis(-days * 24 * 3_600_000));
    let records = match (area, start) {
        (None, _) => Vec::new(),
        (Some(Area(scope)), None) if end.is_none() => store.faults_since(client, scope, from, ROWS_MAX).await?,
        (Some(_), None) => return Err(Error::BadRequest("to needs from".to_owned())),
        (Some(Area(scope)), Some(from)) => {
            let to = end.unwrap_or(now);
            if !(1..=DAYS_MAX * 24 * 3_600_000).contains(&to.millis_since(from)) {
                return Err(Error::BadRequest(format!("from must lie before to, by at most {DAYS_MAX} days")));
            }
            store.faults_between(client, scope, (from, to), ROWS_MAX).await?
        }
    };
    let kept_since = services.kept_since(&[Level::Fault], from).await?;
    let rows = records.iter().map(|record| FaultRow::from((record, now))).collect();
    Ok(Json(Envelope::at(rows, epoch, top).kept_since(kept_since)))
}
