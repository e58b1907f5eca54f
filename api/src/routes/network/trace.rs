//! GET /api/network/trace: what feeds a piece of equipment, and what it feeds.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use analysis::diagrams::in_network;
use axum::Json;
use axum::extract::{Query, State};
use grid::measure::Quantity;
use grid::{AssetId, NodeId as LocationId, PointId, Quality, Reading, freshness};
use identity::View;
use network::live::Contradiction;
use network::{EquipmentId, EquipmentKind, NodeId, Phase, State as NodeState};
use serde::Deserialize;
use wire::Envelope;
use wire::network_present::{NetworkFeeds, NetworkLoad, NetworkSide, NetworkTrace};

use super::check::computed;
use super::feeders::{PointedNetwork, active};
use super::present::{Seen, visible_point};
use super::trace_drawn::{Part, drawn};
use crate::error::Error;
use crate::heavy::slot;
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
        Some((equipment, seen)) => trace(&services, seen, equipment, location).await?,
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
    seen: Seen,
    equipment: Vec<EquipmentId>,
    location: Option<LocationId>,
) -> Result<Option<NetworkTrace>, Error> {
    let Some(own) = equipment.iter().find_map(|of| seen.equipment(*of)) else { return Ok(None) };
    let described = active(services, seen.view()).await?;
    let slot = slot(services, &seen.view().principal).await?;
    let traced = Arc::new(Traced { seen, described, equipment });
    let (of, held) = (Arc::clone(&traced), slot.clone());
    // An abandoned request keeps its slot until the computation ends.
    let search = computed(move || {
        let _slot = held;
        let mut path = Part::of(&of.equipment);
        let sides = of.sides(&mut path);
        let fed = of.fed();
        let powers = of.powers(&fed.behind);
        (path, sides, fed, powers)
    });
    let (path, sides, fed, powers) = search.await?;
    let points: Vec<PointId> = powers.values().map(|(point, _)| *point).collect();
    let view = traced.seen.view();
    let latest = services.store().latest_of_points(view.principal.client, &points).await?;
    let diagram = match location {
        Some(location) => in_network(&services.0.pictures, services.store(), view, location, traced.seen.network()).await?,
        None => None,
    };
    let summed = computed(move || {
        let _slot = slot;
        let load = traced.load(&powers, latest);
        let feeds = traced.feeds(&fed, load);
        let part = Part { equipment: fed.equipment, nodes: fed.nodes.into_iter().collect() };
        let drawn = location.map(|location| drawn(&traced.seen, traced.described.as_ref(), location, diagram, [&path, &part]));
        NetworkTrace { equipment: own, sides, feeds, drawn }
    });
    summed.await.map(Some)
}

/// Equipment that is traced, in the present network.
struct Traced {
    seen: Seen,
    described: Option<PointedNetwork>,
    equipment: Vec<EquipmentId>,
}

/// What equipment feeds.
struct Fed {
    nodes: Vec<NodeId>,
    /// The equipment through which the nodes are fed, without the traced one.
    behind: Vec<EquipmentId>,
    /// The same with the traced equipment.
    equipment: HashSet<EquipmentId>,
}

impl Traced {
    /// Returns what feeds each side, and adds it to a part of the network.
    fn sides(&self, path: &mut Part) -> Vec<NetworkSide> {
        let mut sides: Vec<NetworkSide> = Vec::new();
        let terminals = |of: &EquipmentId| self.seen.network().active().model().terminals_of(*of);
        for (node, _) in self.equipment.iter().flat_map(terminals) {
            let found = side(&self.seen, &self.equipment, *node, path);
            if !sides.contains(&found) {
                sides.push(found);
            }
        }
        sides
    }

    /// Finds what the equipment feeds.
    fn fed(&self) -> Fed {
        let (state, model) = (self.seen.network().state(), self.seen.network().active().model());
        let (mut nodes, mut behind) = (Vec::new(), Vec::new());
        let (mut is_known, mut equipment) = (HashSet::new(), self.equipment.iter().copied().collect::<HashSet<_>>());
        for phase in Phase::ALL {
            let mut fed = Vec::new();
            for end in self.equipment.iter().flat_map(|of| state.fed_ends(*of, phase)) {
                if !fed.contains(&end) {
                    state.fed_over(end, phase, &mut fed);
                }
            }
            for node in fed {
                behind.extend(state.fed_by(node, phase).map(|branch| model.branch(branch).equipment).filter(|of| equipment.insert(*of)));
                if is_known.insert(node) {
                    nodes.push(node);
                }
            }
        }
        Fed { nodes, behind, equipment }
    }

    /// Sums what the equipment feeds.
    fn feeds(&self, fed: &Fed, load: NetworkLoad) -> NetworkFeeds {
        let model = self.seen.network().active().model();
        let is_low = |node: NodeId| model.nominal_kv(node).is_some_and(|kv| kv <= LOW_VOLTAGE_KV);
        let is_distribution = |of: &&EquipmentId| {
            model.kind(**of) == EquipmentKind::PowerTransformer && model.terminals_of(**of).iter().any(|(node, _)| is_low(*node))
        };
        let transformers = fed.behind.iter().filter(is_distribution).count();
        NetworkFeeds { extent: self.seen.extent(&fed.nodes), transformers, equipment: self.seen.list(&fed.behind), load }
    }

    /// Returns the points that measure the active power at equipment, each with its factor to kW.
    fn powers(&self, behind: &[EquipmentId]) -> HashMap<EquipmentId, (PointId, f64)> {
        let (field, model) = (&self.seen.view().field, self.seen.network().active().model());
        let mut powers: HashMap<EquipmentId, (PointId, f64)> = HashMap::new();
        for of in self.equipment.iter().chain(behind).copied() {
            let points = self.described.iter().flat_map(|network| network.points(model.equipment_name(of)));
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
        powers
    }

    /// Returns the present load of what the equipment feeds, by the measured active powers that are good now.
    fn load(&self, powers: &HashMap<EquipmentId, (PointId, f64)>, latest: Vec<(PointId, Reading)>) -> NetworkLoad {
        let (field, now) = (&self.seen.view().field, Services::now());
        let latest = field.picture(latest, now);
        let measured = |of: EquipmentId| {
            let (point, factor) = powers.get(&of)?;
            let (reading, point) = (latest.get(point)?, field.point(*point)?);
            let quality = freshness::shown_quality(reading.quality, reading.source, now, point.age_limit_ms(), true);
            // What the equipment feeds is known from the network, so the sign of the measurement does not matter.
            reading.value.filter(|value| quality <= Quality::Substituted && value.is_finite()).map(|value| value.abs() * factor)
        };
        let load = self.seen.network().state().load_behind(&self.equipment, measured);
        NetworkLoad { measured_kw: load.measured_kw, measurements: load.measured_at.len(), unmeasured_kw: load.unmeasured_kw }
    }
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
