//! GET /api/report/feederinstantaneousdata/{assetId}: live readings.

use analysis::latest::picture;
use axum::Json;
use axum::extract::State;
use grid::PointId;
use grid::table::readings::{self, Extremes};
use wire::Envelope;
use wire::tables::ReadingRow;

use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::state::Services;

/// Returns live readings of an asset: a row for each quantity with its phases, and its minimum and maximum since midnight in the utility's zone.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/report/feederinstantaneousdata/{id}", tag = "report", operation_id = "feederInstantaneousData", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset")),
    responses((status = 200, description = "Rows in a fixed order, for the quantities that the asset measures", body = Envelope<Vec<ReadingRow>>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Asset>) -> Result<Json<Envelope<Vec<ReadingRow>>>, Error> {
    let (view, Asset(asset)) = (&scoped.view, &scoped.target);
    let client = view.principal.client;
    let layouts = readings::layouts(view.field.points_of(asset.id));
    let points: Vec<PointId> = layouts.iter().flat_map(readings::Layout::points_with_day_extremes).collect();
    let latest = picture(services.store(), view, asset.location).await?;
    let day = services.store().day_extremes(client, &points, Services::now()).await?;
    let of_day = |point: PointId| {
        let day = day.as_ref()?;
        // The newest value is used even if it is not in the history yet.
        let newest = latest.get(&point).filter(|reading| (day.from..day.until).contains(&reading.source)).and_then(Extremes::counts);
        let newest = newest.map(Extremes::of);
        match (day.of.get(&point).copied(), newest) {
            (Some(stored), Some(newest)) => Some(stored.and(newest)),
            (stored, newest) => stored.or(newest),
        }
    };
    let row = |layout| ReadingRow::from((layout, &readings::row(layout, |point| latest.get(&point).copied(), of_day)));
    Ok(Json(Envelope::ok(layouts.iter().map(row).collect())))
}
