//! GET /api/network/trace: what feeds a piece of equipment, and what it feeds.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use std::collections::{HashMap, HashSet};

use axum::Json;
use axum::extract::{Query, State};
use grid::measure::Quantity;
use grid::{AssetId, NodeId as LocationId, PointId, Quality, freshness};
use identity::View;
use network::live::Contradiction;
use network::{EquipmentId, EquipmentKind, NodeId, Phase, State as NodeState};
use serde::Deserialize;
use wire::Envelope;
use wire::network_present::{NetworkFeeds, NetworkLoad, NetworkSide, NetworkTrace};

use super::feeders::{PointedNetwork, active};
use super::present::{Seen, visible_point};
use super::trace_drawn::{Part, drawn};
use crate::error::Error;
use crate::state::Services;

/// The highest voltage of the low side of a distribution transformer, kV.
const LOW_VOLTAGE_KV: f32 = 1.0;

/// Maximum of power measurements whose values are read for a load. Beyond, the connected load counts.
const POWERS_MAX: usize = 5_000;
/// Units of power, with the factor to kW.
const POWER_UNITS: [(&str, f64); 3] = [("kW", 1.0), ("MW", 1_000.0), ("W", 0.001)];

/// The equipment: one of `point`, `asset` and `equipment`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Subject {
    /// Id of a point that reports the position of a switch.
    point: Option<i64>,
    /// Id of an asset that is equipment of the network.
    asset: Option<i64>,
    /// Id of the equipment in the network.
    equipment: Option<String>,
    /// Id of a substation: returns also where the trace is on its diagrams and on the map.
    location: Option<i64>,
}

/// Returns what feeds a piece of equipment, by the positions at the moment, and what it feeds. The sums include what the caller may not see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/trace", tag = "network", operation_id = "networkTrace", security(("bearer" = [])),
    params(Subject),
    responses(
        (status = 200, description = "The trace; null if no network is active, or if the point or the asset is no equipment of it", body = Envelope<Option<NetworkTrace>>),
        (status = 400, description = "None or several of `point`, `asset` and `equipment` are given", body = wire::envelope::Failure),
        (status = 404, description = "There is no such point, asset, equipment or substation", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    Query(subject): Query<Subject>,
) -> Result<Json<Envelope<Option<NetworkTrace>>>, Error> {
    let location = subject.location.map(|location| visible_location(&view, location)).transpose()?;
    let traced = match (subject.point, subject.asset, subject.equipment) {
        (Some(point), None, None) => {
            let point = visible_point(&view, point)?;
            let seen = Seen::read(&services, view).await?;
            seen.map(|seen| (seen.network().positions().equipment_of(point).to_vec(), seen))
        }
        (None, Some(asset), None) => {
            let (station, code) = visible_asset(&view, asset)?;
            let seen = Seen::read(&services, view).await?;
            seen.map(|seen| (seen.network().active().model().equipment(&format!("{station}/{code}")).into_iter().collect(), seen))
        }
        (None, None, Some(id)) => match Seen::read(&services, view).await? {
            Some(seen) => {
                let equipment = seen.network().active().model().equipment(&id);
                let equipment = equipment.filter(|equipment| seen.equipment(*equipment).is_some()).ok_or(Error::NotFound)?;
                Some((vec![equipment], seen))
            }
            None => None,
        },
        _ => return Err(Error::BadRequest("give one of point, asset and equipment".to_owned())),
    };
    Ok(Json(Envelope::ok(match traced {
        Some((equipment, seen)) => trace(&services, &seen, &equipment, location).await?,
        None => None,
    })))
}

fn visible_location(view: &View, location: i64) -> Result<LocationId, Error> {
    let found = view.field.node(LocationId(location)).filter(|node| view.sees(node));
    found.map(|node| node.id).ok_or(Error::NotFound)
}

/// Returns the codes of the substation and of an asset that the user may see.
fn visible_asset(view: &View, asset: i64) -> Result<(String, String), Error> {
    let asset = view.field.asset(AssetId(asset)).ok_or(Error::NotFound)?;
    let station = view.field.node(asset.location).filter(|node| view.sees(node)).ok_or(Error::NotFound)?;
    Ok((station.code.clone(), asset.code.clone()))
}

/// Traces equipment that moves together; `None` if there is none, or the user may not see it.
async fn trace(
    services: &Services,
    seen: &Seen,
    equipment: &[EquipmentId],
    location: Option<LocationId>,
) -> Result<Option<NetworkTrace>, Error> {
    let Some(own) = equipment.iter().find_map(|of| seen.equipment(*of)) else { return Ok(None) };
    let described = active(services, seen.view()).await?;
    let mut path = Part::of(equipment);
    let mut sides: Vec<NetworkSide> = Vec::new();
    for (node, _) in equipment.iter().flat_map(|of| seen.network().active().model().terminals_of(*of)) {
        let found = side(seen, equipment, *node, &mut path);
        if !sides.contains(&found) {
            sides.push(found);
        }
    }
    let (feeds, part) = feeds(services, seen, described.as_ref(), equipment).await?;
    let drawn = match location {
        Some(location) => Some(drawn(services, seen, described.as_ref(), location, [&path, &part]).await?),
        None => None,
    };
    Ok(Some(NetworkTrace { equipment: own, sides, feeds, drawn }))
}

/// Returns the first phase of a node that a known source feeds.
fn fed_phase(seen: &Seen, node: NodeId) -> Option<Phase> {
    let state = seen.network().state();
    Phase::ALL.into_iter().find(|phase| matches!(state.phase_state(node, *phase), Some(NodeState::Energised | NodeState::Conflict)))
}

/// Returns what feeds a side, and adds it to a part of the network.
fn side(seen: &Seen, equipment: &[EquipmentId], node: NodeId, part: &mut Part) -> NetworkSide {
    let (state, model) = (seen.network().state(), seen.network().active().model());
    let phase = fed_phase(seen, node);
    let mut path: Vec<EquipmentId> = Vec::new();
    part.nodes.extend(phase.map(|_| node));
    for step in phase.into_iter().flat_map(|phase| state.path_to_source(node, phase)) {
        let of = model.branch(step.branch).equipment;
        part.nodes.insert(step.node);
        part.equipment.insert(of);
        if !equipment.contains(&of) && path.last() != Some(&of) {
            path.push(of);
        }
    }
    let source = phase.and_then(|phase| state.source_of(node, phase)).map(|source| model.source_equipment(source));
    part.equipment.extend(source);
    // Without a known source there is no path.
    let own: Vec<EquipmentId> = equipment.iter().copied().filter(|_| phase.is_some()).chain(path.iter().copied()).collect();
    let feeder = own.iter().copied().find(|equipment| model.kind(*equipment) == EquipmentKind::Breaker);
    let on_path = |is_it: &dyn Fn(EquipmentId) -> bool| own.iter().filter(|of| is_it(**of)).count();
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
        assumed: on_path(&|of| seen.network().is_assumed(of)),
        entered: on_path(&|of| seen.network().is_entered(of)),
    }
}

fn contradiction_text(of: Contradiction) -> &'static str {
    match of {
        Contradiction::MeasuredDead => "measuredDead",
        Contradiction::MeasuredLive => "measuredLive",
    }
}

/// Returns what equipment feeds, also as a part of the network.
async fn feeds(
    services: &Services,
    seen: &Seen,
    described: Option<&PointedNetwork>,
    equipment: &[EquipmentId],
) -> Result<(NetworkFeeds, Part), Error> {
    let (state, model) = (seen.network().state(), seen.network().active().model());
    let (mut nodes, mut behind) = (Vec::new(), Vec::new());
    let (mut is_known, mut is_listed) = (HashSet::new(), equipment.iter().copied().collect::<HashSet<_>>());
    for phase in Phase::ALL {
        let mut fed = Vec::new();
        for end in equipment.iter().flat_map(|of| state.fed_ends(*of, phase)) {
            if !fed.contains(&end) {
                state.fed_over(end, phase, &mut fed);
            }
        }
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
    let load = load(services, seen, described, equipment, &behind).await?;
    let feeds = NetworkFeeds { extent: seen.extent(&nodes), transformers, equipment: seen.list(&behind), load };
    Ok((feeds, Part { equipment: is_listed, nodes: is_known }))
}

/// Returns the present load of what equipment feeds, by the measured active powers that are good now.
async fn load(
    services: &Services,
    seen: &Seen,
    described: Option<&PointedNetwork>,
    equipment: &[EquipmentId],
    behind: &[EquipmentId],
) -> Result<NetworkLoad, Error> {
    let (field, model, now) = (&seen.view().field, seen.network().active().model(), Services::now());
    let mut powers: HashMap<EquipmentId, (PointId, f64)> = HashMap::new();
    for of in equipment.iter().chain(behind).copied() {
        let points = described.into_iter().flat_map(|network| network.points(model.equipment_name(of)));
        let power =
            points.filter_map(|point| field.point(point)).find(|point| point.quantity == Quantity::ActivePower && point.code == "P");
        let factor = power.and_then(|power| POWER_UNITS.into_iter().find(|(unit, _)| *unit == power.unit));
        if let Some((power, (_, factor))) = power.zip(factor) {
            powers.insert(of, (power.id, factor));
        }
        if powers.len() >= POWERS_MAX {
            break;
        }
    }
    let points: Vec<PointId> = powers.values().map(|(point, _)| *point).collect();
    let latest = services.store().latest_of_points(seen.view().principal.client, &points).await?;
    let latest = field.picture(latest, now);
    let measured = |of: EquipmentId| {
        let (point, factor) = powers.get(&of)?;
        let (reading, point) = (latest.get(point)?, field.point(*point)?);
        let quality = freshness::shown_quality(reading.quality, reading.source, now, point.age_limit_ms(), true);
        // What the equipment feeds is known from the network, so the sign of the measurement does not matter.
        reading.value.filter(|value| quality <= Quality::Substituted && value.is_finite()).map(|value| value.abs() * factor)
    };
    let load = seen.network().state().load_behind(equipment, measured);
    Ok(NetworkLoad { measured_kw: load.measured_kw, measurements: load.measured_at.len(), unmeasured_kw: load.unmeasured_kw })
}
