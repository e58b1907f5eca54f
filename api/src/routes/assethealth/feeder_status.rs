//! GET /api/assethealth/realtimefeederonstatusbydate/{date} and realtimefeederoutagestatus/{date}/{id}: the feeders with their state of supply, and the times
//! in which breakers were open.

use analysis::days::day;
use analysis::feeder_status;
use analysis::link_history::Under;
use axum::Json;
use axum::extract::{Path, State};
use identity::View;
use store::kept::Level;
use wire::Envelope;
use wire::comms::{FeederOnRow, FeederOutageRow};

use crate::error::Error;
use crate::extract::Scoped;
use crate::state::Services;

/// Returns whether each feeder is on, by its breaker and its currents, at the end of the day; for today, now.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/assethealth/realtimefeederonstatusbydate/{date}", tag = "assethealth", operation_id = "feederOnStatusByDate", security(("bearer" = [])),
    params(("date" = String, Path, description = "`YYYY-MM-DD` in the utility's zone, or 0 for today")),
    responses((status = 200, description = "A row for each feeder, by substation and name", body = Envelope<Vec<FeederOnRow>>))
))]
pub(crate) async fn on(
    State(services): State<Services>,
    view: View,
    Path(date): Path<String>,
) -> Result<Json<Envelope<Vec<FeederOnRow>>>, Error> {
    let day = day(&date, &view, Services::now())?;
    // The currents are single values.
    let kept_since = services.kept_since(&[Level::Event, Level::Raw], day.from).await?;
    Ok(Json(Envelope::ok(feeder_status::on(services.store(), &view, &day).await?).kept_since(kept_since)))
}

/// Returns the times of a day in which breakers of feeders were open, open ones first.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/assethealth/realtimefeederoutagestatus/{date}/{id}", tag = "assethealth", operation_id = "feederOutageStatus", security(("bearer" = [])),
    params(("date" = String, Path, description = "`YYYY-MM-DD` in the utility's zone, or 0 for today"), ("id" = i64, Path, description = "A circle or a node below one, or 0 for everything")),
    responses((status = 200, description = "A row for each time, open ones first, then the newest", body = Envelope<Vec<FeederOutageRow>>))
))]
pub(crate) async fn outages(
    State(services): State<Services>,
    scoped: Scoped<Under>,
    Path((date, _node)): Path<(String, String)>,
) -> Result<Json<Envelope<Vec<FeederOutageRow>>>, Error> {
    let day = day(&date, &scoped.view, Services::now())?;
    let kept_since = services.kept_since(&[Level::Event], day.from).await?;
    Ok(Json(Envelope::ok(feeder_status::outages(services.store(), &scoped.view, &scoped.target, &day).await?).kept_since(kept_since)))
}
