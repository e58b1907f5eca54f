//! The tables of the live socket: their rows, and which points change them.

mod extremes;

use std::collections::{BTreeMap, HashMap};

use grid::load_current::{self, Layout};
use grid::table::readings::{self, Parameter};
use grid::table::{Table, TableLayout, overview};
use grid::{AssetId, NodeId, Point, PointId};

pub(crate) use extremes::Days;

/// The key by which a row of a stream is replaced: the id of an asset, a gateway or a substation, or the position of a
/// quantity in the live readings.
pub(crate) type RowKey = i64;

/// The tables with streams; the tables of diagrams are served over REST only.
const SHOWN: [Table; 3] = [Table::Energy, Table::PowerQuality, Table::Assets];

/// What a point changes besides its diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// The load current row of a feeder.
    LoadCurrent(AssetId),
    /// The row of the point's asset.
    Table(Table),
    /// A live reading of the point's asset.
    Reading(RowKey),
    /// The overview row of the point's substation.
    Station,
}

/// The layout of every row of every table. Takes some hundred bytes for each point.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// By substation, in the order of their ids.
    laid_out: BTreeMap<NodeId, OfStation>,
    /// The substation of each asset, and the index of its load current row there.
    assets: HashMap<AssetId, (NodeId, Option<usize>)>,
    uses: HashMap<PointId, Vec<Use>>,
    /// Extremes of today for assets whose readings have subscribers.
    pub(crate) days: Days,
}

/// The rows of one substation.
#[derive(Debug, Default)]
struct OfStation {
    load_currents: Vec<Layout>,
    sheets: Vec<TableLayout>,
    readings: HashMap<AssetId, Vec<readings::Layout>>,
    /// `None` for a node that is not a substation.
    overview: Option<overview::Station>,
}

impl OfStation {
    /// Returns what each point changes.
    fn uses(&self) -> impl Iterator<Item = (PointId, Use)> + '_ {
        let load_currents =
            self.load_currents.iter().flat_map(|layout| layout.points().map(|point| (point, Use::LoadCurrent(layout.asset))));
        let cells =
            |sheet: &TableLayout| -> Vec<PointId> { sheet.rows.iter().flat_map(|layout| layout.cells.iter().flatten()).copied().collect() };
        let sheets = self.sheets.iter().flat_map(move |sheet| cells(sheet).into_iter().map(|point| (point, Use::Table(sheet.table))));
        let readings = self.readings.values().flatten();
        let readings = readings.flat_map(|layout| layout.points().map(|point| (point, Use::Reading(key_of(layout.parameter)))));
        let overview = self.overview.iter().flat_map(|station| station.points().map(|point| (point, Use::Station)));
        load_currents.chain(sheets).chain(readings).chain(overview)
    }
}

impl Tables {
    /// Removes the rows of a node; extremes are kept.
    pub(crate) fn take_away(&mut self, location: NodeId) {
        let Some(before) = self.laid_out.remove(&location) else { return };
        before.uses().for_each(|(point, _)| drop(self.uses.remove(&point)));
        for asset in before.readings.keys() {
            self.assets.remove(asset);
        }
    }

    /// Adds the rows of a node that has none, from the registry.
    pub(crate) fn lay_out(&mut self, registry: &registry::Image, location: NodeId) {
        let Some(node) = registry.node(location) else { return };
        let points: Vec<&Point> = registry.points_at(location).map(AsRef::as_ref).collect();
        let assets: Vec<overview::Asset<'_>> = registry.assets_at(location).map(|asset| asset.for_overview()).collect();
        let mut of: HashMap<AssetId, Vec<&Point>> = HashMap::new();
        for point in &points {
            of.entry(point.asset).or_default().push(point);
        }
        let is_substation = node.level == grid::Level::Substation;
        let laid_out = OfStation {
            load_currents: load_current::layouts(points.iter().copied()),
            sheets: if points.is_empty() { Vec::new() } else { SHOWN.map(|table| TableLayout::of(table, points.iter().copied())).into() },
            readings: of.iter().map(|(asset, points)| (*asset, readings::layouts(points.iter().copied()))).collect(),
            overview: is_substation.then(|| overview::station(location, &assets, points.iter().copied())),
        };
        if assets.is_empty() && !is_substation {
            return;
        }
        self.assets.extend(of.keys().map(|asset| (*asset, (location, None))));
        let rows = laid_out.load_currents.iter().enumerate();
        self.assets.extend(rows.map(|(index, layout)| (layout.asset, (location, Some(index)))));
        for (point, usage) in laid_out.uses() {
            let uses = self.uses.entry(point).or_default();
            if !uses.contains(&usage) {
                uses.push(usage);
            }
        }
        self.laid_out.insert(location, laid_out);
    }

    /// Returns the load current rows, in display order.
    pub(crate) fn load_currents(&self) -> impl Iterator<Item = &Layout> + '_ {
        self.laid_out.values().flat_map(|station| &station.load_currents)
    }

    /// Returns the load current row of a feeder.
    pub(crate) fn load_current(&self, feeder: AssetId) -> Option<&Layout> {
        let (location, index) = *self.assets.get(&feeder)?;
        self.laid_out.get(&location)?.load_currents.get(index?)
    }

    /// Returns the table of a substation.
    pub(crate) fn sheet(&self, table: Table, location: NodeId) -> Option<&TableLayout> {
        self.laid_out.get(&location)?.sheets.iter().find(|sheet| sheet.table == table)
    }

    /// Returns the live readings of an asset.
    pub(crate) fn readings(&self, asset: AssetId) -> Option<&[readings::Layout]> {
        let (location, _) = self.assets.get(&asset)?;
        self.laid_out.get(location)?.readings.get(&asset).map(Vec::as_slice)
    }

    /// Returns the overview row of a substation.
    pub(crate) fn station(&self, location: NodeId) -> Option<&overview::Station> {
        self.laid_out.get(&location)?.overview.as_ref()
    }

    /// Returns what a point changes.
    pub(crate) fn uses(&self, point: PointId) -> &[Use] {
        self.uses.get(&point).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns every point that the live readings of an asset use.
    pub(crate) fn watched(&self, asset: AssetId) -> Vec<PointId> {
        self.readings(asset).into_iter().flatten().flat_map(readings::Layout::points_with_day_extremes).collect()
    }

    /// Returns the keys of an asset's live readings.
    pub(crate) fn reading_keys(&self, asset: AssetId) -> impl Iterator<Item = RowKey> + '_ {
        self.readings(asset).into_iter().flatten().map(|layout| key_of(layout.parameter))
    }

    /// Returns all substations, and whether time alone can change their rows.
    pub(crate) fn stations(&self) -> impl Iterator<Item = (NodeId, bool)> + '_ {
        self.laid_out.values().filter_map(|laid_out| laid_out.overview.as_ref()).map(|station| (station.location, station.ages()))
    }
}

/// Returns the key of a live reading.
pub(crate) fn key_of(parameter: Parameter) -> RowKey {
    parameter as RowKey
}
