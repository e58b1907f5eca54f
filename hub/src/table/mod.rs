//! The tables of the live socket: which rows there are, and what changes them.

mod extremes;

use std::collections::HashMap;

use grid::load_current::{self, Layout};
use grid::table::readings::{self, Parameter};
use grid::table::{Sheet, Table, overview};
use grid::{AssetId, NodeId, Point, PointId};
use store::registry::{AssetRecord, NodeRecord};

pub(crate) use extremes::Days;

/// By what a row of a stream is replaced: an asset, a gateway, a substation, or the place of a quantity among the live readings.
pub(crate) type RowKey = i64;

/// The tables that streams show; diagrams have theirs over REST alone.
const SHOWN: [Table; 3] = [Table::Energy, Table::PowerQuality, Table::Assets];

/// What a point changes besides its diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// The load current row of a feeder.
    LoadCurrent(AssetId),
    /// The row of its own asset.
    Table(Table),
    /// A live reading of its own asset.
    Reading(RowKey),
    /// Its substation at one glance.
    Station,
}

/// Every row of every table, laid out. Takes some hundred bytes a point.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    layouts: Vec<Layout>,
    layout_of: HashMap<AssetId, usize>,
    sheets: HashMap<(Table, NodeId), Sheet>,
    readings: HashMap<AssetId, Vec<readings::Layout>>,
    stations: HashMap<NodeId, overview::Station>,
    uses: HashMap<PointId, Vec<Use>>,
    /// What the points of assets whose readings somebody watches have been at least and at most today.
    pub(crate) days: Days,
}

impl Tables {
    /// Lays everything out anew; what is known of days is kept.
    pub(crate) fn describe(&mut self, nodes: &[NodeRecord], assets: &[AssetRecord], points: &[Point]) {
        let mut at: HashMap<NodeId, Vec<&Point>> = HashMap::new();
        let mut of: HashMap<AssetId, Vec<&Point>> = HashMap::new();
        for point in points {
            at.entry(point.location).or_default().push(point);
            of.entry(point.asset).or_default().push(point);
        }
        let mut standing: HashMap<NodeId, Vec<overview::Asset<'_>>> = HashMap::new();
        for asset in assets {
            let AssetRecord { id, location, code, type_id, device, customers, .. } = asset;
            let asset = overview::Asset { id: *id, code, asset_type: *type_id, device, customers: *customers };
            standing.entry(*location).or_default().push(asset);
        }
        self.layouts = load_current::layouts(points.iter());
        self.layout_of = self.layouts.iter().enumerate().map(|(index, layout)| (layout.asset, index)).collect();
        let sheets =
            at.iter().flat_map(|(location, points)| SHOWN.map(|table| ((table, *location), Sheet::of(table, points.iter().copied()))));
        self.sheets = sheets.collect();
        self.readings = of.iter().map(|(asset, points)| (*asset, readings::layouts(points.iter().copied()))).collect();
        let substations = nodes.iter().filter(|node| node.level == grid::Level::Substation).map(|node| node.id);
        let station = |location| {
            let (assets, points) = (standing.get(&location), at.get(&location).into_iter().flatten().copied());
            (location, overview::station(location, assets.map(Vec::as_slice).unwrap_or_default(), points))
        };
        self.stations = substations.map(station).collect();
        self.index();
    }

    fn index(&mut self) {
        let mut uses: HashMap<PointId, Vec<Use>> = HashMap::new();
        let mut enter = |point: PointId, usage: Use| {
            let uses = uses.entry(point).or_default();
            if !uses.contains(&usage) {
                uses.push(usage);
            }
        };
        for layout in &self.layouts {
            layout.points().for_each(|point| enter(point, Use::LoadCurrent(layout.asset)));
        }
        for sheet in self.sheets.values() {
            for point in sheet.rows.iter().flat_map(|layout| layout.cells.iter().flatten()) {
                enter(*point, Use::Table(sheet.table));
            }
        }
        for layout in self.readings.values().flatten() {
            layout.points().for_each(|point| enter(point, Use::Reading(key_of(layout.parameter))));
        }
        for station in self.stations.values() {
            station.points().for_each(|point| enter(point, Use::Station));
        }
        self.uses = uses;
    }

    /// The load current rows, in their order.
    pub(crate) fn load_currents(&self) -> &[Layout] {
        &self.layouts
    }

    /// The load current row of a feeder.
    pub(crate) fn load_current(&self, feeder: AssetId) -> Option<&Layout> {
        Some(&self.layouts[*self.layout_of.get(&feeder)?])
    }

    /// The sheet of a substation.
    pub(crate) fn sheet(&self, table: Table, location: NodeId) -> Option<&Sheet> {
        self.sheets.get(&(table, location))
    }

    /// The live readings of an asset.
    pub(crate) fn readings(&self, asset: AssetId) -> Option<&[readings::Layout]> {
        self.readings.get(&asset).map(Vec::as_slice)
    }

    /// A substation at one glance.
    pub(crate) fn station(&self, location: NodeId) -> Option<&overview::Station> {
        self.stations.get(&location)
    }

    /// What a point changes.
    pub(crate) fn uses(&self, point: PointId) -> &[Use] {
        self.uses.get(&point).map(Vec::as_slice).unwrap_or_default()
    }

    /// Every point that the live readings of an asset rest on.
    pub(crate) fn watched(&self, asset: AssetId) -> Vec<PointId> {
        self.readings.get(&asset).into_iter().flatten().flat_map(readings::Layout::told_by_day).collect()
    }

    /// The rows of an asset's live readings.
    pub(crate) fn reading_keys(&self, asset: AssetId) -> impl Iterator<Item = RowKey> + '_ {
        self.readings.get(&asset).into_iter().flatten().map(|layout| key_of(layout.parameter))
    }

    /// All substations, and whether time alone may change their rows.
    pub(crate) fn stations(&self) -> impl Iterator<Item = (NodeId, bool)> + '_ {
        self.stations.values().map(|station| (station.location, station.ages()))
    }
}

/// The key of a live reading.
pub(crate) fn key_of(parameter: Parameter) -> RowKey {
    parameter as RowKey
}
