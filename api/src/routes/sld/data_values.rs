//! GET /api/sld/slddatavaluesbyastpt/{id}.

use analysis::asset_tables::data_values;
use axum::Json;
use axum::extract::State;
use wire::Envelope;
use wire::rows::DataValues;

use crate::error::Error;
use crate::extract::{Location, Scoped};
use crate::state::Services;

/// Returns the measured values of a substation: electrical, asset and battery, each with its columns.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/sld/slddatavaluesbyastpt/{id}", tag = "sld", operation_id = "sldDataValues", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation")),
    responses((status = 200, description = "Three tables", body = Envelope<DataValues>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Location>) -> Result<Json<Envelope<DataValues>>, Error> {
    let (view, Location(location)) = (&scoped.view, &scoped.target);
    let picture = super::picture(services.store(), view, location.id).await?;
    Ok(Json(Envelope::ok(data_values(&view.field.points_at(location.id), &picture))))
}
