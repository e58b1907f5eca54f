//! GET /api/sld/sldgenericdatavalues/location/{id}.

use axum::Json;
use axum::extract::State;
use wire::Envelope;
use wire::from_grid::generic_row;
use wire::rows::{Column, GenericRow, GenericValues};

use crate::error::Error;
use crate::extract::{Location, Scoped};
use crate::state::Services;

/// The columns, each with its field and heading.
const COLUMNS: [(&str, &str); 5] =
    [("assetName", "Asset"), ("pointName", "Point"), ("value", "Value"), ("unit", "Unit"), ("sourceTime", "Measured")];

/// Returns every point of a substation, including discovered points that are on no diagram.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/sld/sldgenericdatavalues/location/{id}", tag = "sld", operation_id = "sldGenericDataValues", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation")),
    responses((status = 200, description = "A row for each point", body = Envelope<GenericValues>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Location>) -> Result<Json<Envelope<GenericValues>>, Error> {
    let (view, Location(location)) = (&scoped.view, &scoped.target);
    let picture = super::picture(services.store(), view, location.id).await?;
    let mut gds_data: Vec<GenericRow> = view.field.points_at(location.id).map(|point| generic_row(point, picture.get(&point.id))).collect();
    gds_data.sort_by(|a, b| (&a.asset_name, &a.point_name).cmp(&(&b.asset_name, &b.point_name)));
    let gds_columns = COLUMNS.map(|(name, alias)| Column::plain(name, alias)).into();
    Ok(Json(Envelope::ok(GenericValues { gds_data, gds_columns })))
}
