//! GET /api/network/feeders and /api/network/feeders/{id}/diagram: the feeders of the active network, and their diagrams.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use analysis::served_drawing::resolve;
use axum::Json;
use axum::extract::{Path, Query, State};
use drawing::feeder::{FeederDiagram, FeederSummary};
use drawing::wiring::Wiring;
use grid::{Level, Point, PointId};
use identity::View;
use registry::{ActiveNetwork, EquipmentPoints};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::registry::NodeRecord;
use wire::Envelope;
use wire::network::NetworkFeeder;
use wire::sld::{PointInfo, SldFile};

use super::check::computed;
use crate::error::Error;
use crate::heavy::Slot;
use crate::state::Services;

/// Which feeders are returned.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Which {
    /// Id of a substation: returns its feeders only.
    location: Option<i64>,
}

/// Returns the feeders of the active network, with what they supply in the normal state.
///
/// A caller sees a feeder if they may see the substation of the breaker at its head, or the substation that its container belongs to. `station` is the first
/// of the two that the caller may see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/feeders", tag = "network", operation_id = "networkFeeders", security(("bearer" = [])), params(Which),
    responses((status = 200, description = "The feeders; empty if no version is active", body = Envelope<Vec<NetworkFeeder>>))
))]
pub(crate) async fn list(
    State(services): State<Services>,
    view: View,
    Query(which): Query<Which>,
) -> Result<Json<Envelope<Vec<NetworkFeeder>>>, Error> {
    let Some(network) = active(&services, &view).await? else { return Ok(Json(Envelope::ok(Vec::new()))) };
    let found = services.0.feeders.of(&network.active).await?;
    let substations = Substations::new(&view);
    let feeders = found.all().iter().filter_map(|feeder| {
        let station = substations.of_feeder(&network, feeder).filter(|station| which.location.is_none_or(|id| id == station.id.0))?;
        let points = network.points(&feeder.head).filter_map(|point| view.field.point(point));
        let seen = points.filter(|point| substations.at_asset_of(point).is_some_and(|node| view.sees(node)));
        let mut assets: Vec<i64> = seen.map(|point| point.asset.0).collect();
        assets.sort_unstable();
        assets.dedup();
        Some(NetworkFeeder {
            id: feeder.id.clone(),
            name: feeder.name.clone(),
            head: feeder.head.clone(),
            station: station.name.clone(),
            location_id: station.id.0,
            asset_ids: assets,
            customers: feeder.customers,
            load_kw: feeder.load_kw,
            transformers: feeder.transformers,
        })
    });
    Ok(Json(Envelope::ok(feeders.collect())))
}

/// Returns the single-line diagram of a feeder, laid out from the active network: from its busbar to its normally-open points.
///
/// Elements name their `equipment`, and switches their `normal` position. `networkNodes` has for each node of the diagram a node of the network. Elements at
/// substations outside of the caller's area have no name, equipment, position, values or numbers of customers, and their nodes are null.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/feeders/{id}/diagram", tag = "network", operation_id = "networkFeederDiagram", security(("bearer" = [])),
    params(("id" = String, Path, description = "The id of a feeder, or of the breaker at its head")),
    responses(
        (status = 200, description = "The diagram as JSON text (schema Drawing)", body = Envelope<SldFile>),
        (status = 404, description = "The active network has no such feeder in a substation that the caller may see", body = wire::envelope::Failure),
        (status = 422, description = "The feeder is too large to be drawn", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn diagram(
    State(services): State<Services>,
    view: View,
    slot: Slot,
    Path(id): Path<String>,
) -> Result<Json<Envelope<SldFile>>, Error> {
    let network = active(&services, &view).await?.ok_or(Error::NotFound)?;
    let found = services.0.feeders.of(&network.active).await?;
    let feeder = found.all().iter().find(|feeder| feeder.id == id || feeder.head == id).ok_or(Error::NotFound)?;
    let substations = Substations::new(&view);
    let station = substations.of_feeder(&network, feeder).ok_or(Error::NotFound)?;
    let (of, feeders, id) = (Arc::clone(&network.active), Arc::clone(&found), feeder.id.clone());
    // An abandoned request keeps its slot until the computation ends.
    let made = computed(move || {
        let _slot = slot;
        let FeederDiagram { file, nodes, stations, .. } = feeders.diagram(&of, &id)?;
        let file = serde_json::to_value(file).unwrap_or_default();
        let wiring = Wiring::of_value(&file);
        Ok::<_, drawing::feeder::Error>((file, nodes, stations, wiring))
    });
    let (mut file, mut nodes, stations, wiring) = made.await?.map_err(|error| match error {
        drawing::feeder::Error::NoFeeder(_) => Error::NotFound,
        drawing::feeder::Error::TooLarge { .. } => Error::Impossible(error.to_string()),
    })?;
    let area = FeederArea { network: &network, substations: &substations, feeder, station };
    area.hide_others(&mut file, &mut nodes, &stations);
    let mut served = resolve(file, &wiring, &view.field, station.id);
    bind(&mut served, &network, &view);
    if let Some(served) = served.as_object_mut() {
        served.insert("networkNodes".to_owned(), json!(network_nodes(&wiring, nodes)));
    }
    Ok(Json(Envelope::ok(SldFile { sld_file_contents: served.to_string() })))
}

/// The active network of the caller's utility, with the points of its equipment.
pub(crate) struct PointedNetwork {
    pub(crate) active: Arc<ActiveNetwork>,
    points: Arc<EquipmentPoints>,
}

impl PointedNetwork {
    /// Returns the points of a piece of equipment.
    pub(super) fn points(&self, equipment: &str) -> impl Iterator<Item = PointId> {
        self.active.model().equipment(equipment).into_iter().flat_map(|equipment| self.points.all(equipment))
    }

    /// Returns the point that reports the position of a switch.
    fn position(&self, equipment: &str) -> Option<PointId> {
        self.points.position(self.active.model().equipment(equipment)?)
    }
}

/// Returns the active network of the caller's utility.
pub(super) async fn active(services: &Services, view: &View) -> Result<Option<PointedNetwork>, Error> {
    let client = view.principal.client;
    let Some(version) = services.store().active_network(client, Services::now()).await? else { return Ok(None) };
    let Some(active) = services.0.deps.fields.network(client, version).await? else { return Ok(None) };
    let points = view.field.equipment_points(&active);
    Ok(Some(PointedNetwork { active, points }))
}

/// The substations of the caller's utility.
struct Substations<'a> {
    view: &'a View,
    by_code: HashMap<&'a str, &'a NodeRecord>,
}

impl<'a> Substations<'a> {
    fn new(view: &'a View) -> Self {
        let substations = view.field.nodes().filter(|node| node.level == Level::Substation);
        Self { view, by_code: substations.map(|node| (node.code.as_str(), node)).collect() }
    }

    /// Returns the substation of a feeder that the caller may see: that of the points at its breaker, or else the one with the code of its container. A feeder
    /// with neither is visible to nobody.
    fn of_feeder(&self, network: &PointedNetwork, feeder: &FeederSummary) -> Option<&'a NodeRecord> {
        let point = network.points(&feeder.head).find_map(|point| self.view.field.point(point));
        let by_point = point.and_then(|point| self.at_asset_of(point));
        let by_code = feeder.station.as_deref().and_then(|id| self.of_id(network, id));
        by_point.into_iter().chain(by_code).find(|node| self.view.sees(node))
    }

    /// Returns the substation with an id in the network.
    fn of_id(&self, network: &PointedNetwork, id: &str) -> Option<&'a NodeRecord> {
        network.active.codes_of_station(id).find_map(|code| self.by_code.get(code).copied())
    }

    /// Returns the substation of the asset that a point belongs to.
    fn at_asset_of(&self, point: &Point) -> Option<&'a NodeRecord> {
        self.view.field.asset(point.asset).and_then(|asset| self.view.field.node(asset.location))
    }
}

/// What the caller may see of a feeder's diagram.
struct FeederArea<'a> {
    network: &'a PointedNetwork,
    substations: &'a Substations<'a>,
    feeder: &'a FeederSummary,
    /// The substation of the feeder.
    station: &'a NodeRecord,
}

impl FeederArea<'_> {
    /// Removes what names elements and nodes at substations that the caller may not see. `nodes` has the node of each element, and `stations` the substation.
    fn hide_others(&self, file: &mut Value, nodes: &mut [String], stations: &[Option<String>]) {
        let elements = file.get_mut("elements").and_then(Value::as_array_mut).map(Vec::as_mut_slice).unwrap_or_default();
        // No element has such a number as its id.
        let free = 2 * elements.len() + 2;
        for (number, ((element, node), station)) in elements.iter_mut().zip(nodes).zip(stations).enumerate() {
            let Some(element) = element.as_object_mut() else { continue };
            let is_seen = self.sees_equipment(element.get("equipment").and_then(Value::as_str), station.as_deref());
            if !self.sees_node(node).unwrap_or(is_seen) {
                node.clear();
            }
            if is_seen {
                continue;
            }
            for key in ["equipment", "name", "label", "position", "customers", "kw", "mva"] {
                element.remove(key);
            }
            if let Some(rows) = element.get_mut("rows") {
                *rows = json!([]);
            }
            element.insert("id".to_owned(), json!(format!("#{}", free + number)));
        }
    }

    /// Returns whether the caller may see equipment: by the asset of its position, or by its substation in the network.
    fn sees_equipment(&self, equipment: Option<&str>, station: Option<&str>) -> bool {
        let view = self.substations.view;
        let point = equipment.and_then(|equipment| self.network.position(equipment)).and_then(|point| view.field.point(point));
        let by_point = point.and_then(|point| self.substations.at_asset_of(point));
        match (by_point, station) {
            (Some(at), _) => view.sees(at),
            (None, Some(station)) => self.sees_station(station),
            (None, None) => view.principal.may_see_all(view.principal.client),
        }
    }

    fn sees_station(&self, station: &str) -> bool {
        let view = self.substations.view;
        match self.substations.of_id(self.network, station) {
            Some(node) => view.sees(node),
            // The registry knows the substation of the feeder by the breaker at its head only.
            None if self.feeder.station.as_deref() == Some(station) => view.sees(self.station),
            None => view.principal.may_see_all(view.principal.client),
        }
    }

    /// Returns whether the caller may see a node between substations; `None` for other nodes.
    fn sees_node(&self, node: &str) -> Option<bool> {
        let active = &self.network.active;
        let mut stations = active.substations_between(active.model().node(node)?)?;
        Some(stations.any(|station| self.sees_station(station)))
    }
}

/// Sets the points and assets of the elements from the network, which also has those of other substations.
fn bind(served: &mut Value, network: &PointedNetwork, view: &View) {
    let mut used: BTreeMap<i64, PointInfo> = BTreeMap::new();
    for element in served.get_mut("elements").and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut) {
        bind_rows(element, view);
        let Some(equipment) = element.get("equipment").and_then(Value::as_str) else { continue };
        let point = network.position(equipment).and_then(|point| view.field.point(point));
        let asset = point.and_then(|point| view.field.asset(point.asset));
        let is_seen = asset.and_then(|asset| view.field.node(asset.location)).is_some_and(|location| view.sees(location));
        match (point.filter(|_| is_seen), element.get_mut("position").and_then(Value::as_object_mut)) {
            (Some(point), Some(position)) => {
                position.insert("pointId".to_owned(), point.id.0.into());
                used.insert(point.id.0, PointInfo::from(point));
                element.insert("assetId".to_owned(), point.asset.0.into());
            }
            // A point that does not exist or may not be seen reports nothing here.
            _ => drop(element.remove("position")),
        }
    }
    if let Some(points) = served.get_mut("points").and_then(Value::as_object_mut) {
        points.extend(used.into_iter().filter_map(|(id, info)| Some((id.to_string(), serde_json::to_value(info).ok()?))));
    }
}

/// Adds the units and decimals of measured values.
fn bind_rows(element: &mut Map<String, Value>, view: &View) {
    for row in element.get_mut("rows").and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut) {
        let point = row.get("pointId").and_then(Value::as_i64).and_then(|id| view.field.point(PointId(id)));
        if let Some(info) = point.map(PointInfo::from) {
            row.insert("unit".to_owned(), info.unit.into());
            row.insert("decimals".to_owned(), info.decimals.into());
        }
    }
}

/// Returns for each node of the diagram a node of the network.
fn network_nodes(wiring: &Wiring, elements: Vec<String>) -> Vec<Option<String>> {
    let mut nodes: Vec<Option<String>> = vec![None; wiring.node_count];
    for (wired, node) in wiring.elements.iter().zip(elements) {
        // Lines and busbars are at one node of the network at least; symbols are between two.
        let here = match (wired.parts.first(), wired.nodes.as_slice()) {
            (Some(part), _) => part.node,
            (None, [only]) => *only,
            _ => continue,
        };
        if !node.is_empty() {
            nodes[here].get_or_insert(node);
        }
    }
    nodes
}
