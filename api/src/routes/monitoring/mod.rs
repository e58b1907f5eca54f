//! Rows for the monitoring screens.

pub(crate) mod assets;
pub(crate) mod energy;
pub(crate) mod event_log;
pub(crate) mod power_quality;

use analysis::asset_tables::table_rows;
use axum::Json;
use grid::Scope;
use grid::table::Table;
use identity::View;
use wire::Envelope;
use wire::tables::TableRows;

use crate::error::Error;
use crate::state::Services;

/// A table of a substation or of an asset, in the form that its call answers.
async fn table_answer<V: From<TableRows>>(
    services: &Services,
    view: &View,
    table: Table,
    scope: Scope,
) -> Result<Json<Envelope<V>>, Error> {
    Ok(Json(Envelope::ok(table_rows(services.store(), view, table, scope).await?.into())))
}
