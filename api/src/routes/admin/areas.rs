//! PUT /api/admin/areas: the areas of responsibility and the desks of the caller's utility.

use axum::Json;
use axum::extract::State;
use control::AreaAct;
use grid::area::plan::{Plan, PlannedArea, PlannedDesk};
use grid::area::{Part, Parts};
use grid::{AreaId, DeskId, NodeId};
use identity::{RequestOrigin, View};
use network::description::ContainerKind;
use wire::Envelope;
use wire::areas::{AreaPlan, AreasRow, PlannedPart};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Administration, Writes};
use crate::routes::admin::Administrator;
use crate::routes::areas;
use crate::state::Services;

/// The refusal of a change without confirmed credentials.
const CONFIRM: &str = "Confirm your user name and password to change areas and desks.";

/// Replaces the areas and desks of the utility. It needs a ticket: the caller confirms their credentials with `validatecredentialsfordocontrol` without
/// `assetId` in the minute before. A new area has no holder, so any desk can take it. A desk that holds an area and the default desk cannot be deleted.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/admin/areas", tag = "admin", operation_id = "changeAreas", security(("bearer" = [])), request_body = AreaPlan,
    responses(
        (status = 200, description = "The areas and desks after the change", body = Envelope<AreasRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission, or has not confirmed the credentials", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn put(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    view: View,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Body(plan): Body<AreaPlan>,
) -> Result<Json<Envelope<AreasRow>>, Error> {
    let stored = services.store().areas(principal.client, principal.session).await?;
    let plan = checked(&view, plan, &stored.parts)?;
    if !services.store().spend_ticket(principal.session, Services::now()).await? {
        return Err(Error::Forbidden(CONFIRM));
    }
    areas::change(&services, &view, AreaAct::Replace(plan), trail.origin).await
}

/// Checks that all parts exist. A container that is stored already may be missing in the active version: other versions can have it.
fn checked(view: &View, plan: AreaPlan, stored: &Parts) -> Result<Plan, Error> {
    let part = |PlannedPart { node_id, container }: PlannedPart| match (node_id, container) {
        (Some(id), None) => {
            let node = view.field.node(NodeId(id)).filter(|node| view.sees(node));
            let node = node.ok_or_else(|| Error::BadRequest(format!("nodeId: there is no node {id}")))?;
            Ok(Part::Node(node.id))
        }
        (None, Some(id)) => {
            let part = Part::Container(id.clone());
            let network = view.field.active_network().filter(|_| view.principal.node.is_none());
            let is_there = |kind| network.is_some_and(|network| network.container(&id, kind).is_some());
            if is_there(ContainerKind::Substation) {
                return Err(Error::BadRequest(format!("container: {id} is a substation; name its node of the hierarchy in nodeId")));
            }
            let kinds = [ContainerKind::Feeder, ContainerKind::Line, ContainerKind::Bay, ContainerKind::VoltageLevel];
            if !stored.contains(&part) && !kinds.into_iter().any(is_there) {
                return Err(Error::BadRequest(format!("container: the active network has no feeder, line, bay or voltage level {id}")));
            }
            Ok(part)
        }
        _ => Err(Error::BadRequest("each part needs either nodeId or container".to_owned())),
    };
    let mut areas = Vec::with_capacity(plan.areas.len());
    for area in plan.areas {
        let parts = area.parts.into_iter().map(part).collect::<Result<_, Error>>()?;
        areas.push(PlannedArea { id: area.id.map(AreaId), name: area.name.trim().to_owned(), parts });
    }
    let desk = |desk: wire::areas::PlannedDesk| PlannedDesk { id: desk.id.map(DeskId), name: desk.name.trim().to_owned() };
    Ok(Plan { desks: plan.desks.into_iter().map(desk).collect(), areas })
}
