//! GET /api/analytics/loadcurrentvalues/{type}/{id}.

use axum::Json;
use axum::extract::State;
use grid::{Scope, load_current};
use store::registry::NodeRecord;
use wire::Envelope;
use wire::rows::LoadCurrentRow;

use crate::error::Error;
use crate::extract::{Scoped, Subject};
use crate::state::Services;

/// Returns the load current table: a row for each feeder below a node, or the row of one feeder.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/loadcurrentvalues/{type}/{id}", tag = "analytics", operation_id = "loadCurrentValues", security(("bearer" = [])),
    params(("type" = String, Path, description = "`division`, `location`, another level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset")),
    responses((status = 200, description = "Rows by substation and feeder", body = Envelope<Vec<LoadCurrentRow>>))
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    scoped: Scoped<Subject>,
) -> Result<Json<Envelope<Vec<LoadCurrentRow>>>, Error> {
    let (view, Subject(subject)) = (&scoped.view, scoped.target);
    let location = match subject {
        Scope::Asset(asset) => view.field.asset(asset).map(|asset| asset.location),
        Scope::Node(node) => view.field.node(node).filter(|node| node.level == grid::Level::Substation).map(|node| node.id),
    };
    let picture = view.field.picture(services.store().latest_of(view.principal.client, location).await?, Services::now());
    // Of an asset its substation: the battery is that of the substation.
    let is_within = |at: &&NodeRecord| match subject {
        Scope::Node(node) => at.path.contains(&node),
        Scope::Asset(_) => location == Some(at.id),
    };
    let points = view.field.nodes().filter(is_within).flat_map(|at| view.field.points_at(at.id));
    let layouts = load_current::layouts(points);
    let selected = layouts.iter().filter(|layout| !matches!(subject, Scope::Asset(asset) if asset != layout.asset));
    let rows = selected.map(|layout| LoadCurrentRow::from((layout, &load_current::row(layout, |point| picture.get(&point).copied()))));
    Ok(Json(Envelope::ok(rows.collect())))
}
