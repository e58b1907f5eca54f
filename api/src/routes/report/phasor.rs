//! GET /api/report/phasordiagram/{assetId}.

use analysis::latest::picture;
use axum::Json;
use axum::extract::State;
use grid::table::phasor;
use wire::Envelope;
use wire::tables::PhasorDiagram;

use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::state::Services;

/// Returns voltages and currents of an asset as magnitudes with angles, their phase sequence, and their unbalance.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/report/phasordiagram/{id}", tag = "report", operation_id = "phasorDiagram", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset")),
    responses((status = 200, description = "The present phasors; null for what is not measured", body = Envelope<PhasorDiagram>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Asset>) -> Result<Json<Envelope<PhasorDiagram>>, Error> {
    let (view, Asset(asset)) = (&scoped.view, &scoped.target);
    let layout = phasor::layout(view.field.points_of(asset.id));
    let latest = picture(services.store(), view, asset.location).await?;
    let now = phasor::row(&layout, |point| latest.get(&point).copied());
    Ok(Json(Envelope::ok(PhasorDiagram::from((&layout, &now)))))
}
