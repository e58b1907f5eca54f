//! The tables of the live socket: which rows there are, what changes them, and how they read now. A row is worked out only where somebody listens to it.

mod extremes;

use std::collections::HashMap;

use grid::load_current::{self, Layout};
use grid::table::readings::{self, Parameter};
use grid::table::{self, Sheet, Table, overview};
use grid::{AssetId, ClientId, NodeId, Point, PointId, Scope};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use store::registry::{AssetRecord, NodeRecord};
use wire::overview::{OverviewRow, Place};
use wire::rows::{Column, LoadCurrentRow};
use wire::tables::{ReadingRow, TableRow, columns};

use crate::image::Image;
use crate::stream::{Area, Stream};
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

fn key_of(parameter: Parameter) -> RowKey {
    parameter as RowKey
}

fn encoded(row: &impl Serialize) -> Option<Box<RawValue>> {
    to_raw_value(row).ok()
}

impl Image {
    /// One row of a stream, as it is sent; `None` when there is no such row in it.
    pub(crate) fn row(&self, stream: Stream, key: RowKey) -> Option<Box<RawValue>> {
        match stream {
            Stream::LoadCurrent(_) => {
                let layout = &self.tables.layouts[*self.tables.layout_of.get(&AssetId(key))?];
                let row = load_current::row(layout, |point| self.shown(point));
                encoded(&LoadCurrentRow::from((layout, &row)))
            }
            Stream::Table(table, scope) => {
                let (sheet, asset) = self.sheet(table, scope)?;
                let layout = sheet.row_of(AssetId(key)).filter(|layout| asset.is_none_or(|asset| asset == layout.asset))?;
                self.table_row(sheet, layout, asset.is_some())
            }
            Stream::Readings(asset) => {
                let layouts = self.tables.readings.get(&asset)?;
                let layout = layouts.iter().find(|layout| key_of(layout.parameter) == key)?;
                let row = readings::row(layout, |point| self.shown(point), |point| self.tables.days.of(asset, point));
                encoded(&ReadingRow::from((layout, &row)))
            }
            Stream::Overview(area) => self.overview(area, NodeId(key)).as_ref().and_then(encoded),
            Stream::Comms(area) => {
                let gateway = self.gateway_within(grid::GatewayId(key), area)?;
                encoded(&self.gateway_row(gateway))
            }
            Stream::Diagram(_) | Stream::Events(_) | Stream::Commands(_) | Stream::Alarms(_) | Stream::Faults(_) => None,
        }
    }

    /// All rows of a stream with their keys, in their order.
    pub(crate) fn rows(&self, stream: Stream) -> Vec<(RowKey, Box<RawValue>)> {
        let keys: Vec<RowKey> = match stream {
            Stream::LoadCurrent(scope) => {
                let within = |layout: &&Layout| self.within(scope, layout.location, layout.asset);
                self.tables.layouts.iter().filter(within).map(|layout| layout.asset.0).collect()
            }
            Stream::Table(table, scope) => self.sheet(table, scope).map_or_else(Vec::new, |(sheet, asset)| {
                let is_asked = |layout: &&table::Layout| asset.is_none_or(|asset| asset == layout.asset);
                sheet.rows.iter().filter(is_asked).map(|layout| layout.asset.0).collect()
            }),
            Stream::Readings(asset) => self.tables.reading_keys(asset).collect(),
            Stream::Overview(area) => self.substations_within(area).into_iter().map(|location| location.0).collect(),
            Stream::Comms(area) => self.gateways_within(area),
            Stream::Diagram(_) | Stream::Events(_) | Stream::Commands(_) | Stream::Alarms(_) | Stream::Faults(_) => Vec::new(),
        };
        keys.into_iter().filter_map(|key| Some((key, self.row(stream, key)?))).collect()
    }

    /// What to show of the rows of a stream whose columns come from the data.
    pub(crate) fn columns(&self, stream: Stream) -> Option<Vec<Column>> {
        let Stream::Table(table, scope) = stream else { return None };
        let Some((sheet, asset)) = self.sheet(table, scope) else { return Some(columns(&Sheet::of(table, [].iter()), None)) };
        let Some(asset) = asset else { return Some(columns(sheet, None)) };
        // An asset that is not in the table has no columns in it.
        Some(sheet.row_of(asset).map_or_else(|| columns(&sheet.emptied(), None), |layout| columns(sheet, Some(layout))))
    }

    /// The sheet of a substation, or that in which an asset stands.
    fn sheet(&self, table: Table, scope: Scope) -> Option<(&Sheet, Option<AssetId>)> {
        let (location, asset) = match scope {
            Scope::Node(location) => (location, None),
            Scope::Asset(asset) => (self.place_of(scope)?.1.id, Some(asset)),
        };
        Some((self.tables.sheets.get(&(table, location))?, asset))
    }

    fn table_row(&self, sheet: &Sheet, layout: &table::Layout, alone: bool) -> Option<Box<RawValue>> {
        let row = table::row(layout, |point| self.shown(point));
        encoded(&TableRow { sheet, layout, row, alone })
    }

    /// A substation at one glance, if it lies within an area.
    fn overview(&self, area: Area, location: NodeId) -> Option<OverviewRow> {
        let station = self.tables.stations.get(&location)?;
        let node = self.node(location).filter(|node| is_within(area, node))?;
        let lines = self.diagrams.lines(location);
        let row = overview::row(station, lines, crate::session::now(), |point| self.shown(point));
        let path = node.path.iter().filter_map(|above| self.node(*above)).map(|above| above.name.as_str()).collect();
        let gateways = self.heard_at(location);
        let place = Place { name: &node.name, kv: node.kv.as_deref(), lat: node.lat, lon: node.lon, path, gateways };
        Some(OverviewRow::of(station, &place, &row))
    }

    /// The substations of an area, by name.
    fn substations_within(&self, area: Area) -> Vec<NodeId> {
        let stations = self.tables.stations.keys().filter_map(|location| self.node(*location));
        let mut within: Vec<&NodeRecord> = stations.filter(|node| is_within(area, node)).collect();
        within.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        within.iter().map(|node| node.id).collect()
    }
}

/// Whether a node lies within an area; none does within an asset.
pub(crate) fn is_within(area: Area, node: &NodeRecord) -> bool {
    match area {
        Area::Scope(Scope::Node(wanted)) => node.path.contains(&wanted),
        Area::Scope(Scope::Asset(_)) => false,
        Area::Client(client, below) => node.client == client && below.is_none_or(|below| node.path.contains(&below)),
    }
}

/// Every area that a substation lies in.
pub(crate) fn areas_of(client: ClientId, path: &[NodeId]) -> impl Iterator<Item = Area> + '_ {
    let below = path.iter().flat_map(move |node| [Area::Scope(Scope::Node(*node)), Area::Client(client, Some(*node))]);
    below.chain([Area::Client(client, None)])
}

#[cfg(test)]
mod tests;
