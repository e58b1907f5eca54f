//! Builds the rows of tables. A row is built only if its stream has subscribers.

use std::cell::OnceCell;
use std::collections::HashSet;

use grid::load_current::{self, Layout};
use grid::table::readings;
use grid::table::{self, Table, TableLayout, overview};
use grid::{AssetId, ClientId, Level, NodeId, Scope};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use store::registry::NodeRecord;
use wire::areas::AreaVersionRow;
use wire::live::NetworkNodeRow;
use wire::overview::{OverviewRow, SubstationFacts};
use wire::rows::{Column, LoadCurrentRow};
use wire::tables::{ReadingRow, TableRow, columns};

use crate::area::{Area, is_within};
use crate::image::Image;
use crate::stream::Stream;
use crate::table::{RowKey, key_of};

impl Image {
    /// Returns one row of a stream in the form that is sent; `None` if the stream has no such row.
    pub(crate) fn row(&self, stream: Stream, key: RowKey) -> Option<Box<RawValue>> {
        match stream {
            Stream::LoadCurrent(_) => {
                let layout = self.tables.load_current(AssetId(key))?;
                let row = load_current::row(layout, |point| self.shown(point));
                encoded(&LoadCurrentRow::from((layout, &row)))
            }
            Stream::Table(table, scope) => {
                let (sheet, asset) = self.sheet(table, scope)?;
                let layout = sheet.row_of(AssetId(key)).filter(|layout| asset.is_none_or(|asset| asset == layout.asset))?;
                self.table_row(sheet, layout, asset.is_some())
            }
            Stream::Readings(asset) => {
                let layouts = self.tables.readings(asset)?;
                let layout = layouts.iter().find(|layout| key_of(layout.parameter) == key)?;
                let row = readings::row(layout, |point| self.shown(point), |point| self.tables.days.of(asset, point));
                encoded(&ReadingRow::from((layout, &row)))
            }
            Stream::Overview(area) => self.overview(area, NodeId(key)).as_ref().and_then(encoded),
            Stream::Comms(area) => {
                let gateway = self.gateway_within(grid::GatewayId(key), area)?;
                encoded(&self.gateway_row(gateway))
            }
            Stream::Network(location, _) => {
                let (id, state) = self.diagrams.network(self.client_of(location)?)?.node(key)?;
                encoded(&NetworkNodeRow { id, state: state.code() })
            }
            Stream::Areas(client) => {
                let version = self.area_versions.get(&client).copied().unwrap_or_default();
                encoded(&AreaVersionRow { client_id: client.0, version })
            }
            Stream::Diagram(_) | Stream::Events(_) | Stream::Commands(_) | Stream::Alarms(_) | Stream::Faults(_) => None,
        }
    }

    /// Returns the keys of the rows of a stream, in display order.
    pub(crate) fn keys(&self, stream: Stream) -> Vec<RowKey> {
        match stream {
            Stream::LoadCurrent(scope) => {
                let within = |layout: &&Layout| self.within(scope, layout.location, layout.asset);
                self.tables.load_currents().filter(within).map(|layout| layout.asset.0).collect()
            }
            Stream::Table(table, scope) => self.sheet(table, scope).map_or_else(Vec::new, |(sheet, asset)| {
                let is_selected = |layout: &&table::RowLayout| asset.is_none_or(|asset| asset == layout.asset);
                sheet.rows.iter().filter(is_selected).map(|layout| layout.asset.0).collect()
            }),
            Stream::Readings(asset) => self.tables.reading_keys(asset).collect(),
            Stream::Overview(area) => self.substations_within(area).into_iter().map(|location| location.0).collect(),
            Stream::Comms(area) => self.gateways_within(area),
            Stream::Network(location, own) => self.network_keys(location, own).unwrap_or_default(),
            Stream::Areas(client) => vec![client.0],
            Stream::Diagram(_) | Stream::Events(_) | Stream::Commands(_) | Stream::Alarms(_) | Stream::Faults(_) => Vec::new(),
        }
    }

    /// Returns the nodes of a substation and of its feeders. For users who are confined to the node `own`, nodes at substations outside of it are left out.
    fn network_keys(&self, location: NodeId, own: Option<NodeId>) -> Option<Vec<RowKey>> {
        let station = self.node(location)?;
        let network = self.diagrams.network(station.client)?;
        let Some(own) = own else { return Some(network.keys_of_station(&station.code, |_| true)) };
        let within = OnceCell::new();
        // Most substations have no node at another one.
        let is_within = |code: &str| {
            let within: &HashSet<&str> = within.get_or_init(|| self.substation_codes_within(station.client, own));
            code == station.code || within.contains(code)
        };
        Some(network.keys_of_station(&station.code, is_within))
    }

    fn substation_codes_within(&self, client: ClientId, own: NodeId) -> HashSet<&str> {
        let area = Area::Client(client, Some(own));
        let substations = self.registry.nodes().filter(|node| node.level == Level::Substation && is_within(area, node));
        substations.map(|node| node.code.as_str()).collect()
    }

    fn client_of(&self, location: NodeId) -> Option<ClientId> {
        self.node(location).map(|node| node.client)
    }

    /// Returns all rows of a stream with their keys, in display order.
    pub(crate) fn rows(&self, stream: Stream) -> Vec<(RowKey, Box<RawValue>)> {
        self.keys(stream).into_iter().filter_map(|key| Some((key, self.row(stream, key)?))).collect()
    }

    /// Returns the columns of a stream whose columns depend on the data.
    pub(crate) fn columns(&self, stream: Stream) -> Option<Vec<Column>> {
        let Stream::Table(table, scope) = stream else { return None };
        let Some((sheet, asset)) = self.sheet(table, scope) else { return Some(columns(&TableLayout::of(table, [].iter()), None)) };
        let Some(asset) = asset else { return Some(columns(sheet, None)) };
        // An asset that is not in the table has no columns in it.
        Some(sheet.row_of(asset).map_or_else(|| columns(&sheet.emptied(), None), |layout| columns(sheet, Some(layout))))
    }

    /// Returns the table of a substation, or the table that contains an asset.
    fn sheet(&self, table: Table, scope: Scope) -> Option<(&TableLayout, Option<AssetId>)> {
        let (location, asset) = match scope {
            Scope::Node(location) => (location, None),
            Scope::Asset(asset) => (self.place_of(scope)?.1.id, Some(asset)),
        };
        Some((self.tables.sheet(table, location)?, asset))
    }

    fn table_row(&self, sheet: &TableLayout, layout: &table::RowLayout, alone: bool) -> Option<Box<RawValue>> {
        let row = table::row(layout, |point| self.shown(point));
        encoded(&TableRow { sheet, layout, row, alone })
    }

    /// Returns the overview row of a substation, if it is within an area.
    fn overview(&self, area: Area, location: NodeId) -> Option<OverviewRow> {
        let station = self.tables.station(location)?;
        let node = self.node(location).filter(|node| is_within(area, node))?;
        let lines = self.diagrams.lines(location);
        let row = overview::row(station, lines, crate::clock::now(), |point| self.shown(point));
        let row = match self.diagrams.network(node.client) {
            Some(network) => network.count(row, location),
            None => row,
        };
        let path = node.path.iter().filter_map(|above| self.node(*above)).map(|above| above.name.as_str()).collect();
        let gateways = self.link_states_at(location);
        let network_unavailable = self.diagrams.is_network_unavailable(node.client);
        let place =
            SubstationFacts { name: &node.name, kv: node.kv.as_deref(), lat: node.lat, lon: node.lon, path, network_unavailable, gateways };
        Some(OverviewRow::of(station, &place, &row))
    }

    /// Returns the substations of an area, sorted by name.
    fn substations_within(&self, area: Area) -> Vec<NodeId> {
        let stations = self.tables.stations().filter_map(|(location, _)| self.node(location));
        let mut within: Vec<&NodeRecord> = stations.filter(|node| is_within(area, node)).collect();
        within.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        within.iter().map(|node| node.id).collect()
    }
}

fn encoded(row: &impl Serialize) -> Option<Box<RawValue>> {
    to_raw_value(row).ok()
}

#[cfg(test)]
mod tests;
