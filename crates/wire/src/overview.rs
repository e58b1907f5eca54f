//! Substations at one glance: a row a substation, over REST and over `overview/…` of the live socket the same.

use grid::Micros;
use grid::table::overview;
use serde::{Deserialize, Serialize};

use crate::time::iso;

/// A substation now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OverviewRow {
    /// The substation; rows are replaced by it.
    pub location_id: i64,
    /// Its name.
    pub name: String,
    /// Its voltages, such as `33/11 kV`.
    pub kv: Option<String>,
    /// Degrees north; null if it is not known.
    pub lat: Option<f64>,
    /// Degrees east.
    pub lon: Option<f64>,
    /// The names from the circle down to it.
    pub bread_crumb_name: String,
    /// Whether all its gateways are online. A substation without gateways is not online.
    pub online: bool,
    /// Since when, if it is known; ISO 8601 UTC.
    pub since: Option<String>,
    /// Active power of its incoming lines, or if that is not measured, of its feeders, MW; null while a value of the sum is missing.
    pub load_mw: Option<f64>,
    /// Frequency, Hz.
    pub hz: Option<f64>,
    /// Outgoing feeders.
    pub feeders: usize,
    /// Feeders that are certainly dead: by the node on their line side, or if that is not drawn, by their open breaker.
    pub feeders_dead: usize,
    /// Customers of those.
    pub customers_without_supply: i64,
    /// Its busbars: `energised` if one of them is, otherwise `unknown`, `dead` or `earthed`; null without a drawing.
    pub energised: Option<String>,
    /// The worst quality code of load and frequency, including values that were never received.
    pub quality: u8,
    /// Source time of the latest of them; ISO 8601 UTC, null before the first.
    pub reported_date_time: Option<String>,
    /// Age at which the row is stale, ms; null for report by exception.
    pub age_limit_ms: Option<i64>,
}

/// What of a row does not change with the field's values.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    /// The substation's name.
    pub name: &'a str,
    /// Its voltages.
    pub kv: Option<&'a str>,
    /// Degrees north.
    pub lat: Option<f64>,
    /// Degrees east.
    pub lon: Option<f64>,
    /// The names from the circle down to it.
    pub path: Vec<&'a str>,
    /// Its gateways: whether each is heard, and since when.
    pub gateways: Vec<(bool, Option<Micros>)>,
}

impl OverviewRow {
    /// From what is known of the place and of its values.
    pub fn of(station: &overview::Station, place: &Place<'_>, row: &overview::Row) -> Self {
        let online = !place.gateways.is_empty() && place.gateways.iter().all(|(heard, _)| *heard);
        // Heard since the last of them came, or not heard since the first of them went.
        let since = place.gateways.iter().filter(|(heard, _)| *heard == online).filter_map(|(_, since)| *since);
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
            feeders_dead: row.feeders_dead,
            customers_without_supply: row.customers_without_supply,
            energised: row.energised.map(|energised| energised.word().to_owned()),
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
            let gateways = gateways.iter().map(|(heard, since)| (*heard, Some(Micros::from_millis(*since)))).collect();
            let place = Place { name: "S", kv: None, lat: None, lon: None, path: vec!["C", "S"], gateways };
            let row = OverviewRow::of(&station, &place, &row);
            (row.online, row.since.map(|since| since[17..23].to_owned()))
        };
        assert_eq!(of(&[]), (false, None));
        assert_eq!(of(&[(true, 1_000), (true, 2_000)]), (true, Some("02.000".to_owned())));
        assert_eq!(of(&[(true, 9_000), (false, 4_000), (false, 3_000)]), (false, Some("03.000".to_owned())));
    }
}
