//! GET /api/monitoring/getpdsdata/location/{id} and /ast/{id}, and getgdsdata/asset/{id}: the present values of a substation or an asset.

use analysis::latest::picture;
use axum::Json;
use axum::extract::State;
use grid::Scope;
use grid::table::Table;
use wire::Envelope;
use wire::from_grid::generic_row;
use wire::rows::{Column, GenericRow};
use wire::tables::{GdsValues, PdsValues};

use crate::error::Error;
use crate::extract::{Asset, Location, Scoped};
use crate::routes::monitoring::table_answer;
use crate::state::Services;

/// The columns, each with its field and heading.
const COLUMNS: [(&str, &str); 4] = [("pointName", "Point"), ("value", "Value"), ("unit", "Unit"), ("sourceTime", "Measured")];

/// Returns energy data of a substation: a row for each asset.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/monitoring/getpdsdata/location/{id}", tag = "monitoring", operation_id = "pdsDataOfLocation", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation")),
    responses((status = 200, description = "Rows by asset name; the columns depend on the points", body = Envelope<PdsValues>))
))]
pub(crate) async fn of_location(State(services): State<Services>, scoped: Scoped<Location>) -> Result<Json<Envelope<PdsValues>>, Error> {
    table_answer(&services, &scoped.view, Table::Energy, Scope::Node(scoped.target.0.id)).await
}

/// Returns energy data of one asset: one row, or none if it measures nothing of the kind.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/monitoring/getpdsdata/ast/{id}", tag = "monitoring", operation_id = "pdsDataOfAsset", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset")),
    responses((status = 200, description = "Its row, with its columns", body = Envelope<PdsValues>))
))]
pub(crate) async fn of_asset(State(services): State<Services>, scoped: Scoped<Asset>) -> Result<Json<Envelope<PdsValues>>, Error> {
    table_answer(&services, &scoped.view, Table::Energy, Scope::Asset(scoped.target.0.id)).await
}

/// Returns all points of an asset, for utilities with the flag showGDSData.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/monitoring/getgdsdata/asset/{id}", tag = "monitoring", operation_id = "gdsDataOfAsset", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset")),
    responses((status = 200, description = "A row for each point, by name", body = Envelope<GdsValues>))
))]
pub(crate) async fn generic(State(services): State<Services>, scoped: Scoped<Asset>) -> Result<Json<Envelope<GdsValues>>, Error> {
    let (view, Asset(asset)) = (&scoped.view, &scoped.target);
    let latest = picture(services.store(), view, asset.location).await?;
    let points = view.field.points_of(asset.id);
    let mut gds_data: Vec<GenericRow> = points.map(|point| generic_row(point, latest.get(&point.id))).collect();
    gds_data.sort_by(|a, b| (&a.point_name, a.point_id).cmp(&(&b.point_name, b.point_id)));
    let gds_columns = COLUMNS.map(|(name, alias)| Column::plain(name, alias)).into();
    Ok(Json(Envelope::ok(GdsValues { gds_data, gds_columns })))
}
