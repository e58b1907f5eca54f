//! The overview of substations: one row for each, the same over REST and in `overview/…` of the live socket.

use grid::Micros;
use grid::table::overview;
use serde::{Deserialize, Serialize};

use crate::time::iso;

/// A feeder without supply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeadFeeder {
    /// Id of the feeder.
    pub asset_id: i64,
    /// Its name.
    pub asset_name: String,
    /// Customers that it supplies; 0 if it supplies none, null if the number was not entered.
    pub customers: Option<i32>,
    /// Whether it supplies another substation. Its customers are then counted there and not here.
    pub feeds_substation: bool,
}

impl From<&overview::DeadFeeder> for DeadFeeder {
    fn from(dead: &overview::DeadFeeder) -> Self {
        Self { asset_id: dead.id.0, asset_name: dead.name.clone(), customers: dead.customers, feeds_substation: dead.feeds_substation }
    }
}

/// The present state of a substation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OverviewRow {
    /// Id of the substation, the key of the row.
    pub location_id: i64,
    /// Name of the substation.
    pub name: String,
    /// Nominal voltages, such as `33/11 kV`.
    pub kv: Option<String>,
    /// Latitude, degrees north; null if not known.
    pub lat: Option<f64>,
    /// Longitude, degrees east; null if not known.
    pub lon: Option<f64>,
    /// Names from the circle down to the substation, joined by ` › `.
    pub bread_crumb_name: String,
    /// Whether all gateways of the substation are online. A substation without gateways is offline.
    pub online: bool,
    /// When this state began, ISO 8601 UTC; null if not known.
    pub since: Option<String>,
    /// Active power of the incomers, or if that is not measured, of the feeders, MW; null while a value of the sum is missing.
    pub load_mw: Option<f64>,
    /// Frequency, Hz.
    pub hz: Option<f64>,
    /// Number of outgoing feeders.
    pub feeders: usize,
    /// Number of feeders that are dead: by the state of the node on their line side, or if it is not drawn, by their open breaker.
    pub feeders_dead: usize,
    /// Customers that are certainly without supply: those at consumers of the active network, of the feeders of this substation; and those of the dead feeders
    /// without consumers in the network, as far as their numbers are known, without feeders that supply another substation.
    pub customers_without_supply: i64,
    /// Whether the active network of the utility is not in memory: it is being loaded, or cannot be used. Until it is, the states of all nodes are unknown, and
    /// `customersWithoutSupply` counts only those of feeders with an open breaker that are not drawn.
    pub network_unavailable: bool,
    /// The dead feeders.
    pub dead_feeders: Vec<DeadFeeder>,
    /// State of the busbars: `energised` if one of them is, otherwise `unknown`, `dead` or `earthed`; null without a drawing.
    pub energised: Option<String>,
    /// The worst quality code of load and frequency, including values that were never received.
    pub quality: u8,
    /// Source time of the latest of load and frequency; ISO 8601 UTC, null before the first value.
    pub reported_date_time: Option<String>,
    /// Age at which the row is stale, ms; null for report by exception.
    pub age_limit_ms: Option<i64>,
}

/// The properties of a substation that do not depend on telemetry.
#[derive(Debug, Clone)]
pub struct SubstationFacts<'a> {
    /// Name of the substation.
    pub name: &'a str,
    /// Nominal voltages.
    pub kv: Option<&'a str>,
    /// Latitude, degrees north.
    pub lat: Option<f64>,
    /// Longitude, degrees east.
    pub lon: Option<f64>,
    /// Names from the circle down to the substation.
    pub path: Vec<&'a str>,
    /// Whether the active network of the utility is not in memory.
    pub network_unavailable: bool,
    /// For each gateway whether it is online, and since when.
    pub gateways: Vec<(bool, Option<Micros>)>,
}

impl OverviewRow {
    /// Builds the row of a substation from its properties and its values.
    pub fn of(station: &overview::Station, place: &SubstationFacts<'_>, row: &overview::SubstationRow) -> Self {
        let online = !place.gateways.is_empty() && place.gateways.iter().all(|(online_gateway, _)| *online_gateway);
        // If online: since the last gateway came online. If offline: since the first gateway went offline.
        let since = place.gateways.iter().filter(|(online_gateway, _)| *online_gateway == online).filter_map(|(_, since)| *since);
        let since = if online { since.max() } else { since.min() };
        Self {
            location_id: station.location.0,
            name: place.name.to_owned(),
            kv: place.kv.map(str::to_owned),
            lat: place.lat,
            lon: place.lon,
            bread_crumb_name: place.path.join(" › "),
            online,
            since: since.map(iso),
            load_mw: row.load_mw,
            hz: row.hz,
            feeders: row.feeders,
            feeders_dead: row.dead.len(),
            customers_without_supply: row.customers_without_supply,
            network_unavailable: place.network_unavailable,
            dead_feeders: row.dead.iter().map(DeadFeeder::from).collect(),
            energised: row.energised.map(|energised| energised.as_str().to_owned()),
            quality: row.quality.code(),
            reported_date_time: row.reported.map(iso),
            age_limit_ms: station.age_limit_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use grid::NodeId;

    use super::*;

    #[test]
    fn a_substation_is_heard_when_all_its_gateways_are() {
        let station = overview::station(NodeId(1), &[], [].iter());
        let row = overview::row(&station, None, Micros(0), |_| None);
        let of = |gateways: &[(bool, i64)]| {
            let gateways = gateways.iter().map(|(online_gateway, since)| (*online_gateway, Some(Micros::from_millis(*since)))).collect();
            let place =
                SubstationFacts { name: "S", kv: None, lat: None, lon: None, path: vec!["C", "S"], network_unavailable: false, gateways };
            let row = OverviewRow::of(&station, &place, &row);
            (row.online, row.since.map(|since| since[17..23].to_owned()))
        };
        assert_eq!(of(&[]), (false, None));
        assert_eq!(of(&[(true, 1_000), (true, 2_000)]), (true, Some("02.000".to_owned())));
        assert_eq!(of(&[(true, 9_000), (false, 4_000), (false, 3_000)]), (false, Some("03.000".to_owned())));
    }
}
