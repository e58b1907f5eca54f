//! Diagrams of substations with their topology, for requests that need many at once. A drawing is read again, and its topology computed again, only after a new
//! version was stored.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ::drawing::picture::{Drawn, Picture};
use dashmap::DashMap;
use grid::{ClientId, Micros, NodeId};
use identity::View;
use network::EquipmentId;
use network::live::Sight;
use registry::PresentNetwork;
use store::Store;
use wire::time::now;

use crate::error::Error;
use crate::latest as tables;

/// The diagrams of one utility. They have one lock, because all of them are compared with one list from the database, and simultaneous callers share this read.
type Slot = Arc<tokio::sync::Mutex<HashMap<NodeId, Arc<Drawn>>>>;

/// Cached diagrams with their topology. Bounded by the drawings of the utilities for which diagrams were requested.
#[derive(Debug, Default)]
pub struct Pictures {
    slots: DashMap<ClientId, Slot>,
}

impl Pictures {
    /// Returns the diagrams of some substations of a utility, in their stored version.
    async fn of(&self, store: &Store, client: ClientId, locations: &HashSet<NodeId>) -> Result<HashMap<NodeId, Arc<Drawn>>, Error> {
        // Copied out of the map, which must not be locked during a read.
        let slot = Arc::clone(&self.slots.entry(client).or_default());
        let stamps: HashMap<NodeId, Micros> = store.drawing_stamps(client).await?.into_iter().collect();
        let mut held = slot.lock().await;
        held.retain(|location, _| stamps.contains_key(location));
        for (location, stored) in stamps.iter().filter(|(location, _)| locations.contains(location)) {
            if held.get(location).is_some_and(|drawn| drawn.updated >= *stored) {
                continue;
            }
            let Some(record) = store.drawing_record(client, *location).await? else { continue };
            // A large drawing takes long to process, so it runs on a thread for blocking work.
            let wired = tokio::task::spawn_blocking(move || Drawn::new(record.location, record.updated, &record.body)).await;
            match wired {
                Ok(drawn) => drop(held.insert(*location, Arc::new(drawn))),
                Err(error) => {
                    tracing::error!(%error, %location, "a drawing cannot be wired: nothing is known of its nodes");
                    held.remove(location);
                }
            }
        }
        Ok(held
            .iter()
            .filter(|(location, _)| locations.contains(location))
            .map(|(location, drawn)| (*location, Arc::clone(drawn)))
            .collect())
    }
}

/// The diagram of a substation in the network of its utility.
#[derive(Debug, Clone, PartialEq)]
pub struct InNetwork {
    /// The identifier of the wiring to which the node numbers belong.
    pub wiring: String,
    /// The ids of elements, each with its equipment. An element can be several pieces of equipment.
    pub elements: Vec<(String, EquipmentId)>,
    /// The numbers of nodes, each with its node of the network.
    pub nodes: Vec<(usize, network::NodeId)>,
}

/// Finds the diagram of a substation in the network; `None` if the substation has no diagram or is not part of the network.
pub async fn in_network(
    pictures: &Pictures,
    store: &Store,
    view: &View,
    location: NodeId,
    network: &PresentNetwork,
) -> Result<Option<InNetwork>, Error> {
    let drawn = pictures.of(store, view.principal.client, &HashSet::from([location])).await?.remove(&location);
    let Some((drawn, station)) = drawn.zip(view.field.node(location).map(|node| node.code.as_str())) else { return Ok(None) };
    let positions = view.field.points_at(location).filter(|point| point.encoding().is_some());
    let points: HashMap<String, _> = positions.map(|point| (point.address(), point.id)).collect();
    let of_point = |address: &str| points.get(address).map_or(&[][..], |point| network.positions().equipment_of(*point));
    let model = network.active().stored().model();
    Ok(drawn.places(station, model, of_point).map(|places| InNetwork {
        wiring: drawn.mark().to_owned(),
        elements: drawn.elements(station, model, of_point).map(|(id, equipment)| (id.to_owned(), equipment)).collect(),
        nodes: places.iter().collect(),
    }))
}

/// Returns the diagrams of some substations with the current states of their nodes.
#[allow(clippy::implicit_hasher, reason = "the callers have this one")]
pub async fn settled(
    pictures: &Pictures,
    store: &Store,
    view: &View,
    locations: &HashSet<NodeId>,
    latest: &tables::Picture,
) -> Result<HashMap<NodeId, Picture>, Error> {
    let drawn = pictures.of(store, view.principal.client, locations).await?;
    let now = now();
    let mut points: HashMap<NodeId, HashMap<String, _>> = HashMap::new();
    let mut known = HashMap::new();
    for point in drawn.keys().flat_map(|location| view.field.points_at(*location)) {
        if let Some(encoding) = point.encoding() {
            points.entry(point.location).or_default().insert(point.address(), point.id);
            known.insert(point.id, (Some(encoding), point.age_limit_ms()));
        }
    }
    let sight = |point| {
        let (encoding, age_limit_ms) = *known.get(&point)?;
        Some(Sight { encoding, age_limit_ms, reading: latest.get(&point).copied() })
    };
    let network = if drawn.is_empty() { None } else { view.field.present_network(store, now).await? };
    let settle = |(location, drawn): (NodeId, Arc<Drawn>)| {
        let mut picture = Picture::new(Drawn::clone(&drawn));
        let (none, station) = (HashMap::new(), view.field.node(location).map(|node| node.code.as_str()));
        let points = points.get(&location).unwrap_or(&none);
        let places = network.as_ref().zip(station).and_then(|(network, station)| {
            let of_point = |address: &str| points.get(address).map_or(&[][..], |point| network.positions().equipment_of(*point));
            drawn.places(station, network.active().stored().model(), of_point)
        });
        match places {
            _ if view.field.is_network_unavailable() => picture.forget(),
            Some(places) => picture.join(places),
            None => picture.bind(points),
        }
        picture.settle(now, sight, network.as_ref().map(PresentNetwork::state));
        (location, picture)
    };
    Ok(drawn.into_iter().map(settle).collect())
}
