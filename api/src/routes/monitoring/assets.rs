//! GET /api/monitoring/getadsdata/location/{id} and /ast/{id}: the present values of batteries and transformers.

use axum::Json;
use axum::extract::State;
use grid::Scope;
use grid::table::Table;
use wire::Envelope;
use wire::tables::AdsValues;

use crate::error::Error;
use crate::extract::{Asset, Location, Scoped};
use crate::routes::monitoring::table_answer;
use crate::state::Services;

/// Returns asset data of a substation: a row for each battery, transformer, and RTU with its own battery.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/monitoring/getadsdata/location/{id}", tag = "monitoring", operation_id = "adsDataOfLocation", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation")),
    responses((status = 200, description = "Rows by asset name, with fixed columns", body = Envelope<AdsValues>))
))]
pub(crate) async fn of_location(State(services): State<Services>, scoped: Scoped<Location>) -> Result<Json<Envelope<AdsValues>>, Error> {
    table_answer(&services, &scoped.view, Table::Assets, Scope::Node(scoped.target.0.id)).await
}

/// Returns asset data of one asset: one row, or none if it measures nothing of the kind.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/monitoring/getadsdata/ast/{id}", tag = "monitoring", operation_id = "adsDataOfAsset", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset")),
    responses((status = 200, description = "Its row", body = Envelope<AdsValues>))
))]
pub(crate) async fn of_asset(State(services): State<Services>, scoped: Scoped<Asset>) -> Result<Json<Envelope<AdsValues>>, Error> {
    table_answer(&services, &scoped.view, Table::Assets, Scope::Asset(scoped.target.0.id)).await
}
