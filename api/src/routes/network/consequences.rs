//! GET /api/network/consequences: what a switch would change if it moved.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::extract::{Query, State};
use identity::View;
use network::Contact;
use serde::Deserialize;
use wire::Envelope;
use wire::network_present::NetworkConsequences;

use super::present::{Seen, visible_point};
use crate::error::Error;
use crate::state::Services;

/// The switch and its new position.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Move {
    /// Id of the position point of the switch.
    point: i64,
    /// `open` or `closed`.
    to: String,
}

/// Returns what would change if a switch moved, by the positions at the moment. All equipment whose position the point reports moves together. Nothing is moved. The sums include what the caller may not see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/consequences", tag = "network", operation_id = "networkConsequences", security(("bearer" = [])),
    params(Move),
    responses(
        (status = 200, description = "The consequences; null if no network is active, or if the point is not the position of a switch in it", body = Envelope<Option<NetworkConsequences>>),
        (status = 400, description = "The position is neither `open` nor `closed`", body = wire::envelope::Failure),
        (status = 404, description = "There is no such point", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    Query(Move { point, to }): Query<Move>,
) -> Result<Json<Envelope<Option<NetworkConsequences>>>, Error> {
    let point = visible_point(&view, point)?;
    let contact = match to.as_str() {
        "open" => Contact::Open,
        "closed" => Contact::Closed,
        _ => return Err(Error::BadRequest("to must be open or closed".to_owned())),
    };
    let seen = Seen::read(&services, view).await?;
    Ok(Json(Envelope::ok(seen.and_then(|seen| consequences(&seen, point, to, contact)))))
}

fn consequences(seen: &Seen, point: grid::PointId, to: String, contact: Contact) -> Option<NetworkConsequences> {
    let (network, state) = (seen.network(), seen.network().state());
    let moving = network.positions().equipment_of(point);
    let found = state.joint_consequences(moving, contact);
    let sources = found.joins.into_iter().flatten().filter_map(|source| seen.equipment(state.model().source_equipment(source)));
    Some(NetworkConsequences {
        equipment: moving.iter().find_map(|of| seen.equipment(*of))?,
        to,
        goes_dead: seen.extent(&found.loses_supply),
        goes_live: seen.extent(&found.gains_supply),
        may_go_dead: seen.extent(&found.possibly_loses_supply),
        may_go_live: seen.extent(&found.possibly_gains_supply),
        joins_sources: found.joins.is_some(),
        sources: sources.collect(),
        live_on_earth: found.energised_on_earth.len(),
        may_be_live_on_earth: found.possibly_energised_on_earth.len(),
        closes_loop: found.closes_loop,
        may_close_loop: found.possibly_closes_loop,
    })
}
