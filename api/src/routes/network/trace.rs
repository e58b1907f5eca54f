//! GET /api/network/trace: what feeds a piece of equipment, and what it feeds.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use std::collections::HashSet;

use axum::Json;
use axum::extract::{Query, State};
use identity::View;
use network::live::Contradiction;
use network::{EquipmentId, EquipmentKind, NodeId, Phase, State as NodeState};
use serde::Deserialize;
use wire::Envelope;
use wire::network_present::{NetworkFeeds, NetworkSide, NetworkTrace};

use super::present::{Seen, visible_point};
use crate::error::Error;
use crate::state::Services;

/// The highest voltage of the low side of a distribution transformer, kV.
const LOW_VOLTAGE_KV: f32 = 1.0;

/// The equipment: one of both.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Subject {
    /// Id of a point that reports the position of a switch.
    point: Option<i64>,
    /// Id of the equipment in the network.
    equipment: Option<String>,
}

/// Returns what feeds a piece of equipment, by the positions at the moment, and what it feeds. The sums include what the caller may not see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/trace", tag = "network", operation_id = "networkTrace", security(("bearer" = [])),
    params(Subject),
    responses(
        (status = 200, description = "The trace; null if no network is active, or if the point is not the position of a switch in it", body = Envelope<Option<NetworkTrace>>),
        (status = 400, description = "Neither or both of `point` and `equipment` are given", body = wire::envelope::Failure),
        (status = 404, description = "There is no such point or equipment", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    Query(subject): Query<Subject>,
) -> Result<Json<Envelope<Option<NetworkTrace>>>, Error> {
    let traced = match (subject.point, subject.equipment) {
        (Some(point), None) => {
            let point = visible_point(&view, point)?;
            let seen = Seen::read(&services, view).await?;
            seen.and_then(|seen| trace(&seen, seen.network().equipment_of(point)?))
        }
        (None, Some(id)) => match Seen::read(&services, view).await? {
            Some(seen) => {
                let equipment = seen.network().active().model().equipment(&id);
                Some(equipment.and_then(|equipment| trace(&seen, equipment)).ok_or(Error::NotFound)?)
            }
            None => None,
        },
        _ => return Err(Error::BadRequest("give either point or equipment".to_owned())),
    };
    Ok(Json(Envelope::ok(traced)))
}

/// Traces equipment; `None` if the user may not see it.
fn trace(seen: &Seen, equipment: EquipmentId) -> Option<NetworkTrace> {
    let own = seen.equipment(equipment)?;
    let model = seen.network().active().model();
    let mut sides: Vec<NetworkSide> = Vec::new();
    for (node, _) in model.terminals_of(equipment) {
        let found = side(seen, equipment, *node);
        if !sides.contains(&found) {
            sides.push(found);
        }
    }
    Some(NetworkTrace { equipment: own, sides, feeds: feeds(seen, equipment) })
}

/// Returns the first phase of a node that a known source feeds.
fn fed_phase(seen: &Seen, node: NodeId) -> Option<Phase> {
    let state = seen.network().state();
    Phase::ALL.into_iter().find(|phase| matches!(state.phase_state(node, *phase), Some(NodeState::Energised | NodeState::Conflict)))
}

fn side(seen: &Seen, equipment: EquipmentId, node: NodeId) -> NetworkSide {
    let (state, model) = (seen.network().state(), seen.network().active().model());
    let phase = fed_phase(seen, node);
    let mut path: Vec<EquipmentId> = Vec::new();
    for step in phase.into_iter().flat_map(|phase| state.path_to_source(node, phase)) {
        let of = model.branch(step.branch).equipment;
        if of != equipment && path.last() != Some(&of) {
            path.push(of);
        }
    }
    let source = phase.and_then(|phase| state.source_of(node, phase)).map(|source| model.source_equipment(source));
    let own = phase.map(|_| equipment);
    let feeder = own.into_iter().chain(path.iter().copied()).find(|equipment| model.kind(*equipment) == EquipmentKind::Breaker);
    let text = match state.state(node) {
        NodeState::Energised => "energised",
        NodeState::Dead => "dead",
        NodeState::Earthed => "earthed",
        NodeState::Conflict => "conflict",
        NodeState::Unknown => "unknown",
    };
    NetworkSide {
        state: text.to_owned(),
        is_fed: phase.is_some(),
        is_live_by_measurement: state.is_live_by_measurement(node),
        contradiction: seen.network().contradiction(node).map(|of| contradiction_text(of).to_owned()),
        source: source.and_then(|source| seen.equipment(source)),
        feeder: feeder.and_then(|feeder| seen.equipment(feeder)),
        path: seen.list(&path),
    }
}

fn contradiction_text(of: Contradiction) -> &'static str {
    match of {
        Contradiction::MeasuredDead => "measuredDead",
        Contradiction::MeasuredLive => "measuredLive",
    }
}

fn feeds(seen: &Seen, equipment: EquipmentId) -> NetworkFeeds {
    let (state, model) = (seen.network().state(), seen.network().active().model());
    let (mut nodes, mut behind) = (Vec::new(), Vec::new());
    let (mut is_known, mut is_listed) = (HashSet::new(), HashSet::from([equipment]));
    for phase in Phase::ALL {
        let mut fed = Vec::new();
        if model.branches_of(equipment).len() == 0 {
            model.terminals_of(equipment).iter().for_each(|(node, _)| state.fed_over(*node, phase, &mut fed));
        }
        model.branches_of(equipment).for_each(|branch| state.downstream(branch, phase, &mut fed));
        for node in fed {
            behind.extend(state.fed_by(node, phase).map(|branch| model.branch(branch).equipment).filter(|of| is_listed.insert(*of)));
            if is_known.insert(node) {
                nodes.push(node);
            }
        }
    }
    let is_low = |node: NodeId| model.nominal_kv(node).is_some_and(|kv| kv <= LOW_VOLTAGE_KV);
    let is_distribution = |of: &&EquipmentId| {
        model.kind(**of) == EquipmentKind::PowerTransformer && model.terminals_of(**of).iter().any(|(node, _)| is_low(*node))
    };
    let transformers = behind.iter().filter(is_distribution).count();
    NetworkFeeds { extent: seen.extent(&nodes), transformers, equipment: seen.list(&behind) }
}
