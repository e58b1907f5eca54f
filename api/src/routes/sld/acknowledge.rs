//! POST /api/sld/acknowledge.

use std::collections::{BTreeSet, HashSet};

use axum::Json;
use axum::extract::State;
use grid::{AssetId, Level, NodeId, PointId};
use identity::{RequestOrigin, View};
use wire::Envelope;
use wire::bus::BusMessage;
use wire::sld::{Acknowledge, Acknowledged};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Page, Writes};
use crate::state::Services;

/// The diagram with read and write access.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Diagram;

impl Page for Diagram {
    const KEY: &'static str = "dashboard.sld";
}

/// Acknowledges the changes in a substation up to now. Their points stop flashing on all diagrams. The desk must hold the areas of all of them; else none is
/// acknowledged.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/sld/acknowledge", tag = "sld", operation_id = "acknowledge", security(("bearer" = [])), request_body = Acknowledge,
    responses(
        (status = 200, description = "The number of points that were acknowledged", body = Envelope<Acknowledged>),
        (status = 400, description = "The body cannot be parsed", body = wire::envelope::Failure),
        (status = 403, description = "The caller's page is read-only, or the caller's desk does not hold the areas of all changed points", body = wire::envelope::Failure),
        (status = 404, description = "There is no such substation, or it has no such status point", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Body(Acknowledge { location_id, point_ids }): Body<Acknowledge>,
) -> Result<Json<Envelope<Acknowledged>>, Error> {
    let location = view.field.node(NodeId(location_id)).filter(|node| node.level == Level::Substation && view.sees(node));
    let location = location.ok_or(Error::NotFound)?.id;
    let points: Option<Vec<PointId>> = point_ids.map(|ids| ids.into_iter().map(PointId).collect());
    let known: HashSet<PointId> = view.field.points_at(location).filter(|point| point.encoding().is_some()).map(|point| point.id).collect();
    if points.iter().flatten().any(|point| !known.contains(point)) {
        return Err(Error::NotFound);
    }
    let (client, member) = (view.principal.client, view.principal.member);
    let places = |points: &[PointId]| {
        let assets: BTreeSet<AssetId> = points.iter().filter_map(|point| view.field.point(*point)).map(|point| point.asset).collect();
        assets.into_iter().filter_map(|asset| view.field.asset(asset)).flat_map(|asset| view.field.places_of_asset(asset)).collect()
    };
    let done = services.store().acknowledge(client, location, points.as_deref(), member, &trail.origin, places).await?;
    if !done.is_empty() {
        services.0.deps.bus.publish(BusMessage::Acknowledged { client: client.0, location: location.0 });
    }
    Ok(Json(Envelope::ok(Acknowledged { acknowledged: done.len() })))
}
