//! GET /api/sld/slddivaluesbyastpt/{id}.

use axum::Json;
use axum::extract::State;
use wire::Envelope;
use wire::from_grid::di_row;
use wire::rows::DiValues;

use crate::error::Error;
use crate::extract::{Location, Scoped};
use crate::state::Services;

/// Returns the digital inputs of a substation: positions, relays, alarm contacts.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/sld/slddivaluesbyastpt/{id}", tag = "sld", operation_id = "sldDiValues", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation")),
    responses((status = 200, description = "A row for each status point", body = Envelope<DiValues>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Location>) -> Result<Json<Envelope<DiValues>>, Error> {
    let (view, Location(location)) = (&scoped.view, &scoped.target);
    let picture = super::picture(services.store(), view, location.id).await?;
    let rows = view.field.points_at(location.id).filter_map(|point| {
        let asset = view.field.asset(point.asset)?;
        di_row(point, picture.get(&point.id), asset.control_asset_req, asset.is_sbo_supported)
    });
    Ok(Json(Envelope::ok(DiValues { di_data: rows.collect() })))
}
