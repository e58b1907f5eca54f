//! GET /api/monitoring/dieventlog/{id} and diasseteventlog/{id}: the sequence of events of a node or an asset.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::extract::{Query, State};
use grid::{ClientId, Scope};
use serde::Deserialize;
use store::kept::Level;
use wire::Envelope;
use wire::rows::EventRow;

use crate::error::Error;
use crate::extract::{Asset, Node, Scoped};
use crate::routes::analytics::past::instant;
use crate::state::Services;

const LIMIT_DEFAULT: i64 = 500;
const LIMIT_MAX: i64 = 5_000;

/// The page of the log.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Page {
    /// Maximum of rows; default 500, at most 5000.
    limit: Option<i64>,
    /// The offset of the last row of the previous page: returns older rows.
    before: Option<i64>,
    /// Only events from this time on; ISO 8601.
    from: Option<String>,
    /// Only events before this time; ISO 8601, later than `from`.
    to: Option<String>,
    /// `division` or `location`, to state what the id is.
    kind: Option<String>,
}

/// Returns the event log of a division, a substation or another node, newest first.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/monitoring/dieventlog/{id}", tag = "monitoring", operation_id = "diEventLog", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A node"), Page),
    responses((status = 200, description = "Rows, and their position in the stream", body = Envelope<Vec<EventRow>>))
))]
pub(crate) async fn of_node(
    State(services): State<Services>,
    scoped: Scoped<Node>,
    Query(page): Query<Page>,
) -> Result<Json<Envelope<Vec<EventRow>>>, Error> {
    let Node(node) = &scoped.target;
    if page.kind.as_deref().is_some_and(|kind| !is_kind(kind, node.level)) {
        return Err(Error::NotFound);
    }
    read(&services, scoped.view.principal.client, Scope::Node(node.id), &page).await
}

/// Returns the event log of one asset, newest first.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/monitoring/diasseteventlog/{id}", tag = "monitoring", operation_id = "diAssetEventLog", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset"), Page),
    responses((status = 200, description = "Rows, and their position in the stream", body = Envelope<Vec<EventRow>>))
))]
pub(crate) async fn of_asset(
    State(services): State<Services>,
    scoped: Scoped<Asset>,
    Query(page): Query<Page>,
) -> Result<Json<Envelope<Vec<EventRow>>>, Error> {
    let Asset(asset) = &scoped.target;
    read(&services, scoped.view.principal.client, Scope::Asset(asset.id), &page).await
}

fn is_kind(kind: &str, level: grid::Level) -> bool {
    kind.eq_ignore_ascii_case(level.as_str())
}

async fn read(services: &Services, client: ClientId, scope: Scope, page: &Page) -> Result<Json<Envelope<Vec<EventRow>>>, Error> {
    let limit = page.limit.unwrap_or(LIMIT_DEFAULT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(Error::BadRequest(format!("limit must lie between 1 and {LIMIT_MAX}")));
    }
    let from = instant("from", page.from.as_deref())?;
    let to = instant("to", page.to.as_deref())?;
    if from.zip(to).is_some_and(|(from, to)| from >= to) {
        return Err(Error::BadRequest("from must lie before to".to_owned()));
    }
    let store = services.store();
    let (epoch, _) = store.event_stream(client).await?;
    let top = store.scope_top(client, scope).await?;
    let events = store.events_newest_within(client, scope, (from, to), page.before, limit).await?;
    // The page may have rows that were committed after `top` was read. The offset must include them, or the stream would send them again.
    let offset = events.iter().map(|event| event.offset).max().unwrap_or(0).max(top);
    // A log without a start ends at its last page where events have been deleted.
    let is_last = i64::try_from(events.len()).is_ok_and(|rows| rows < limit);
    let kept_since = if is_last { store.kept().await?.of(Level::Event).filter(|kept| from.is_none_or(|from| from < *kept)) } else { None };
    Ok(Json(Envelope::at(events.iter().map(EventRow::from).collect(), epoch, offset).kept_since(kept_since)))
}
