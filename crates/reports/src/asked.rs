//! A request for a report that has been checked: of which places, over which days, and what else.

use std::collections::BTreeSet;

use analysis::calendar::{Calendar, Period};
use analysis::energy_meters::substations;
use analysis::reliability::feeders;
use grid::measure::Quantity;
use grid::{AssetId, ClientId, Micros, NodeId, Scope};
use identity::{Area, View};
use store::registry::AssetRecord;

use crate::Reports;

/// A question that can be answered.
#[derive(Clone)]
pub struct Asked {
    /// What it is answered with.
    pub reports: Reports,
    /// Who asks.
    pub view: View,
    /// The level as it was named.
    pub level: String,
    /// Of one level, so that none lies within another; at least one.
    pub areas: Vec<Area>,
    /// The days of the utility.
    pub calendar: Calendar,
    /// Whether it is about now.
    pub real_time: bool,
    /// The days; about now it is today.
    pub period: Period,
    /// The instants between which the days lie; about now twice the instant.
    pub span: (Micros, Micros),
    /// The frequency and its value as they are told.
    pub frequency: String,
    /// Whether momentary faults are left out.
    pub exclude_momentary: bool,
    /// The least of what is counted.
    pub limit: i64,
    /// Voltage or current; `None` for both.
    pub quantity: Option<Quantity>,
    /// Minutes between rows.
    pub sample_minutes: i64,
}

impl Asked {
    /// The utility.
    pub fn client(&self) -> ClientId {
        self.view.principal.client
    }

    /// The name of a place.
    pub fn name_of(&self, area: Area) -> String {
        name_of(&self.view, area)
    }

    /// The name of a substation.
    pub fn location_name(&self, location: NodeId) -> String {
        self.view.field.node(location).map(|location| location.name.clone()).unwrap_or_default()
    }

    /// The substations of all its places, and of an asset its own; beside them the assets, if not all of them are meant.
    pub fn place(&self) -> (Vec<NodeId>, Option<Vec<AssetId>>) {
        if let [Area(Some(Scope::Asset(asset)))] = self.areas[..] {
            let location = self.view.field.asset(asset).map(|asset| asset.location);
            return (location.into_iter().collect(), Some(vec![asset]));
        }
        (self.areas.iter().flat_map(|area| substations(&self.view, *area)).map(|substation| substation.id).collect(), None)
    }

    /// The same, of an asset with all of its bay: positions and relays of a feeder are told by its breaker and what else stands beside it.
    pub fn bays(&self) -> (Vec<NodeId>, Option<Vec<AssetId>>) {
        let (locations, assets) = self.place();
        let field = &self.view.field;
        let bay = |id: AssetId| {
            let own = field.asset(id);
            let beside = field.assets().iter().filter(move |other| {
                own.is_some_and(|own| other.location == own.location && other.device == own.device && !own.device.is_empty())
            });
            beside.map(|other| other.id).chain([id]).collect::<BTreeSet<_>>()
        };
        (locations, assets.map(|assets| assets.into_iter().flat_map(bay).collect()))
    }

    /// The feeders of all its places, by substation and name.
    pub fn feeders(&self) -> Vec<AssetRecord> {
        let mut found: Vec<AssetRecord> = self.areas.iter().flat_map(|area| feeders(&self.view, *area)).cloned().collect();
        found.sort_by_cached_key(|asset| (self.location_name(asset.location), asset.name.clone(), asset.id));
        found
    }

    /// The names of its places, as many as one line takes.
    pub fn names(&self) -> String {
        const NAMED_MAX: usize = 10;
        let names: Vec<String> = self.areas.iter().take(NAMED_MAX).map(|area| self.name_of(*area)).collect();
        let more = self.areas.len().saturating_sub(NAMED_MAX);
        if more == 0 { names.join(", ") } else { format!("{} and {more} more", names.join(", ")) }
    }

    /// The ids of its places, for the audit.
    pub fn ids(&self) -> Vec<i64> {
        self.areas.iter().map(|area| id_of(&self.view, *area)).collect()
    }
}

/// The name of a place.
pub fn name_of(view: &View, area: Area) -> String {
    let name = match area.0 {
        None => view.field.client().map(|client| client.name.clone()),
        Some(Scope::Node(node)) => view.field.node(node).map(|node| node.name.clone()),
        Some(Scope::Asset(asset)) => view.field.asset(asset).map(|asset| asset.name.clone()),
    };
    name.unwrap_or_default()
}

/// Its id.
pub fn id_of(view: &View, area: Area) -> i64 {
    match area.0 {
        None => view.principal.client.0,
        Some(Scope::Node(node)) => node.0,
        Some(Scope::Asset(asset)) => asset.0,
    }
}
