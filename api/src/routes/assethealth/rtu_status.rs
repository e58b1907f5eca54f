//! GET /api/assethealth/realtimertustatusbydate/{date}/{id} and realtimertucommstatusbydate/{date}: the communication of RTUs on a day, and
//! in its hours.

use analysis::communication::{self, rows};
use analysis::days::day;
use analysis::link_history::Under;
use axum::Json;
use axum::extract::{Path, State};
use identity::View;
use wire::Envelope;
use wire::comms::{RtuHoursRow, RtuStatusRow};

use crate::error::Error;
use crate::extract::Scoped;
use crate::state::Services;

/// Returns the communication of each RTU on a day.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/assethealth/realtimertustatusbydate/{date}/{id}", tag = "assethealth", operation_id = "rtuStatusByDate", security(("bearer" = [])),
    params(("date" = String, Path, description = "`YYYY-MM-DD` in the utility's zone, or 0 for today"), ("id" = i64, Path, description = "A circle or a node below one, or 0 for everything")),
    responses((status = 200, description = "A row for each gateway, by substation and name", body = Envelope<Vec<RtuStatusRow>>))
))]
pub(crate) async fn by_date(
    State(services): State<Services>,
    scoped: Scoped<Under>,
    Path((date, _node)): Path<(String, String)>,
) -> Result<Json<Envelope<Vec<RtuStatusRow>>>, Error> {
    let view = &scoped.view;
    let day = day(&date, view, Services::now())?;
    let rows = rows(services.store(), view, &scoped.target, &[day]).await?;
    Ok(Json(Envelope::ok(rows)))
}

/// Returns the share of each hour of a day in which each RTU was online.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/assethealth/realtimertucommstatusbydate/{date}", tag = "assethealth", operation_id = "rtuCommStatusByDate", security(("bearer" = [])),
    params(("date" = String, Path, description = "`YYYY-MM-DD` in the utility's zone, or 0 for today")),
    responses((status = 200, description = "A row for each gateway, by substation and name", body = Envelope<Vec<RtuHoursRow>>))
))]
pub(crate) async fn by_hour(
    State(services): State<Services>,
    view: View,
    Path(date): Path<String>,
) -> Result<Json<Envelope<Vec<RtuHoursRow>>>, Error> {
    let day = day(&date, &view, Services::now())?;
    Ok(Json(Envelope::ok(communication::by_hour(services.store(), &view, &day).await?)))
}
