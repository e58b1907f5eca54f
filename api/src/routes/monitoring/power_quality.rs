//! GET /api/monitoring/getpqdata/location/{id} and /ast/{id}: present power quality values.

use axum::Json;
use axum::extract::State;
use grid::Scope;
use grid::table::Table;
use wire::Envelope;
use wire::tables::PqValues;

use crate::error::Error;
use crate::extract::{Asset, Location, Scoped};
use crate::routes::monitoring::table_answer;
use crate::state::Services;

/// Returns power quality data of a substation: a row for each asset that measures distortion, unbalance, flicker, dips or swells.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/monitoring/getpqdata/location/{id}", tag = "monitoring", operation_id = "pqDataOfLocation", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation")),
    responses((status = 200, description = "Rows by asset name; the columns depend on the points", body = Envelope<PqValues>))
))]
pub(crate) async fn of_location(State(services): State<Services>, scoped: Scoped<Location>) -> Result<Json<Envelope<PqValues>>, Error> {
    table_answer(&services, &scoped.view, Table::PowerQuality, Scope::Node(scoped.target.0.id)).await
}

/// Returns power quality data of one asset: one row, or none if it measures nothing of the kind.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/monitoring/getpqdata/ast/{id}", tag = "monitoring", operation_id = "pqDataOfAsset", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset")),
    responses((status = 200, description = "Its row, with its columns", body = Envelope<PqValues>))
))]
pub(crate) async fn of_asset(State(services): State<Services>, scoped: Scoped<Asset>) -> Result<Json<Envelope<PqValues>>, Error> {
    table_answer(&services, &scoped.view, Table::PowerQuality, Scope::Asset(scoped.target.0.id)).await
}
