//! A validated request for a report: its areas, its days and its other parameters.

use std::collections::{BTreeSet, HashSet};

use analysis::calendar::{Calendar, Period};
use analysis::energy_meters::substations;
use analysis::reliability::feeders;
use grid::measure::Quantity;
use grid::{AssetId, ClientId, Micros, NodeId, Point, PointId, Scope};
use identity::{Area, View};
use store::registry::AssetRecord;

use crate::Reports;

/// A validated request for a report.
#[derive(Clone)]
pub struct ValidRequest {
    /// The service, with its database and settings.
    pub reports: Reports,
    /// The caller, with the part of the utility that they may see.
    pub view: View,
    /// The level, as the request spells it.
    pub level: String,
    /// The areas, at least one. All are of one level, so that none contains another.
    pub areas: Vec<Area>,
    /// The calendar of the utility.
    pub calendar: Calendar,
    /// Whether the report shows the present state in place of a period.
    pub real_time: bool,
    /// The days of the report; for the present state, today.
    pub period: Period,
    /// Start and end of the period; for the present state, both are the time of the request.
    pub span: (Micros, Micros),
    /// The time since which the history of the report is kept, if its period begins before it.
    pub kept_since: Option<Micros>,
    /// The frequency and its value, as shown in the answer.
    pub frequency: String,
    /// Whether momentary faults are excluded.
    pub exclude_momentary: bool,
    /// The smallest count that is listed.
    pub limit: i64,
    /// The quantity of the report: voltage or current; `None` for both.
    pub quantity: Option<Quantity>,
    /// Interval between rows, minutes.
    pub sample_minutes: i64,
}

impl ValidRequest {
    /// Returns the id of the utility.
    pub fn client(&self) -> ClientId {
        self.view.principal.client
    }

    /// Returns the points with these ids. Ids that the utility does not have are left out.
    pub(crate) fn points<'a>(&'a self, ids: &HashSet<PointId>) -> impl Iterator<Item = &'a Point> {
        ids.iter().filter_map(|id| self.view.field.point(*id))
    }

    /// Returns the name of an area.
    pub fn name_of(&self, area: Area) -> String {
        name_of(&self.view, area)
    }

    /// Returns the name of a substation.
    pub fn location_name(&self, location: NodeId) -> String {
        self.view.field.node(location).map(|location| location.name.clone()).unwrap_or_default()
    }

    /// Returns the substations of all areas; for an asset, its substation and the asset itself.
    pub fn place(&self) -> (Vec<NodeId>, Option<Vec<AssetId>>) {
        if let [Area(Some(Scope::Asset(asset)))] = self.areas[..] {
            let location = self.view.field.asset(asset).map(|asset| asset.location);
            return (location.into_iter().collect(), Some(vec![asset]));
        }
        (self.areas.iter().flat_map(|area| substations(&self.view, *area)).map(|substation| substation.id).collect(), None)
    }

    /// Like [`Self::place`], but for an asset, all assets of its bay are included. This is needed because the position of a feeder is that of the breaker in
    /// its bay.
    pub fn bays(&self) -> (Vec<NodeId>, Option<Vec<AssetId>>) {
        let (locations, assets) = self.place();
        let field = &self.view.field;
        let bay = |id: AssetId| {
            let own = field.asset(id);
            let beside = own
                .into_iter()
                .filter(|own| !own.device.is_empty())
                .flat_map(|own| field.assets_at(own.location).filter(move |other| other.device == own.device));
            beside.map(|other| other.id).chain([id]).collect::<BTreeSet<_>>()
        };
        (locations, assets.map(|assets| assets.into_iter().flat_map(bay).collect()))
    }

    /// Returns the feeders of all areas, sorted by substation and name.
    pub fn feeders(&self) -> Vec<AssetRecord> {
        let mut found: Vec<AssetRecord> = self.areas.iter().flat_map(|area| feeders(&self.view, *area)).cloned().collect();
        found.sort_by_cached_key(|asset| (self.location_name(asset.location), asset.name.clone(), asset.id));
        found
    }

    /// Returns the names of the areas as one line, which has ten names at most.
    pub fn names(&self) -> String {
        const NAMED_MAX: usize = 10;
        let names: Vec<String> = self.areas.iter().take(NAMED_MAX).map(|area| self.name_of(*area)).collect();
        let more = self.areas.len().saturating_sub(NAMED_MAX);
        if more == 0 { names.join(", ") } else { format!("{} and {more} more", names.join(", ")) }
    }

    /// Returns the ids of the areas, for the audit.
    pub fn ids(&self) -> Vec<i64> {
        self.areas.iter().map(|area| id_of(&self.view, *area)).collect()
    }
}

/// Returns the name of an area.
pub fn name_of(view: &View, area: Area) -> String {
    let name = match area.0 {
        None => Some(view.field.client().name.clone()),
        Some(Scope::Node(node)) => view.field.node(node).map(|node| node.name.clone()),
        Some(Scope::Asset(asset)) => view.field.asset(asset).map(|asset| asset.name.clone()),
    };
    name.unwrap_or_default()
}

/// Returns the id of an area.
pub fn id_of(view: &View, area: Area) -> i64 {
    match area.0 {
        None => view.principal.client.0,
        Some(Scope::Node(node)) => node.0,
        Some(Scope::Asset(asset)) => asset.0,
    }
}
