//! The part of a utility in which the cause of a loss of supply is searched: the network, or a single substation with
//! its drawing.

use std::collections::HashSet;
use std::sync::Arc;

use grid::{AssetId, Micros, PointId};

use crate::about::About;
use crate::network_supply::NetworkSupply;
use crate::supply::{Positions, Station};

/// A part of a utility with its present supply. [`Station`] and [`NetworkSupply`] describe the results of the methods.
pub(crate) enum Area<'a> {
    Station(&'a Station, &'a Positions),
    Network(&'a mut NetworkSupply),
}

impl Area<'_> {
    pub(crate) fn has(&self, switch: PointId) -> bool {
        match self {
            Self::Station(station, _) => station.has(switch),
            Self::Network(network) => network.bound().has_switch(switch),
        }
    }

    pub(crate) fn follows(&self, asset: AssetId) -> bool {
        match self {
            Self::Station(station, _) => station.follows(asset),
            Self::Network(network) => network.follows(asset),
        }
    }

    /// Returns the given parts that certainly have supply.
    pub(crate) fn supplied(&self, among: impl Iterator<Item = AssetId>) -> HashSet<AssetId> {
        match self {
            Self::Station(station, positions) => station.supplied(positions),
            Self::Network(network) => among.filter(|asset| network.is_supplied(*asset)).collect(),
        }
    }

    pub(crate) fn behind(&mut self, switch: PointId) -> HashSet<AssetId> {
        match self {
            Self::Station(station, positions) => station.behind(positions, switch),
            Self::Network(network) => network.behind(switch),
        }
    }

    pub(crate) fn interrupted(&mut self, switch: PointId) -> HashSet<AssetId> {
        match self {
            Self::Station(station, positions) => station.interrupted(positions, switch),
            Self::Network(network) => network.interrupted(switch),
        }
    }

    pub(crate) fn open(&self) -> Vec<PointId> {
        match self {
            Self::Station(station, positions) => station.open(positions),
            Self::Network(network) => network.open(),
        }
    }

    pub(crate) fn is_open(&self, switch: PointId) -> bool {
        match self {
            Self::Station(station, positions) => station.is_open(positions, switch),
            Self::Network(network) => network.is_open(switch),
        }
    }

    pub(crate) fn is_closed(&self, switch: PointId) -> bool {
        match self {
            Self::Station(station, positions) => station.is_closed(positions, switch),
            Self::Network(network) => network.is_closed(switch),
        }
    }

    /// Returns the time since which a switch has its position.
    pub(crate) fn since(&self, switch: PointId) -> Option<Micros> {
        match self {
            Self::Station(_, positions) => positions.get(&switch).map(|held| held.source),
            Self::Network(network) => network.since(switch),
        }
    }

    pub(crate) fn opened(&self, switch: PointId, behind: &HashSet<AssetId>) -> Option<Arc<About>> {
        match self {
            Self::Station(station, _) => station.opened(switch, behind),
            Self::Network(network) => network.opened(switch, behind),
        }
    }
}
