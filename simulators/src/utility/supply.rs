//! Where the incoming lines of the demo's substations start, and the customers behind each feeder that follow from it.

use super::geography::{feeds, origin};
use super::{Client, Substation};

/// From this voltage on, a feeder supplies one industrial customer, kV.
const INDUSTRIAL_KV: f64 = 20.0;

/// Where an incoming line starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Start {
    /// At the last ring-main unit of a feeder: codes of the substation and of the feeder.
    FeederEnd(String, String),
    /// In the bay of a feeder: codes of the substation and of the feeder.
    FeederBay(String, String),
    /// At the higher-voltage busbar of a substation.
    Busbar(String),
}

/// Returns where an incoming line starts; `None` outside of the utility. `fed` are the feeders that supply another substation.
pub(super) fn start(client: &Client, fed: &[((String, String), String)], to: &Substation, incomer: &str) -> Option<Start> {
    let from = client.substations.iter().find(|substation| substation.code == origin(incomer) && substation.code != to.code)?;
    // `Orchard F1`: from the end of that feeder.
    if let Some((_, feeder)) = incomer.split_once(' ') {
        return Some(Start::FeederEnd(from.code.clone(), feeder.to_owned()));
    }
    if let Some(((station, feeder), _)) = fed.iter().find(|((station, _), fed)| *station == from.code && *fed == to.code) {
        return Some(Start::FeederBay(station.clone(), feeder.clone()));
    }
    Some(Start::Busbar(from.code.clone()))
}

/// Sets the customers of feeders at high voltages: none of their own if they supply another substation, else one. Then sets the customers of all feeder
/// assets to those behind the feeder in the normal state of the network, at any distance.
pub(super) fn set_customers(client: &mut Client) {
    let fed = feeds(client);
    for substation in &mut client.substations {
        for (index, feeder) in substation.plan.feeders.iter_mut().enumerate() {
            let key = (substation.code.clone(), format!("F{}", index + 1));
            if fed.iter().any(|(from, _)| *from == key) {
                feeder.customers = 0;
            } else if substation.plan.kv_low > INDUSTRIAL_KV {
                feeder.customers = i32::from(feeder.in_service);
            }
        }
    }
    // In the normal state, only the first incoming line is closed.
    let starts: Vec<Option<Start>> =
        client.substations.iter().map(|to| to.plan.incomers.first().and_then(|incomer| start(client, &fed, to, incomer))).collect();
    let totals: Vec<Vec<i32>> = (0..client.substations.len())
        .map(|station| (0..client.substations[station].plan.feeders.len()).map(|feeder| behind(client, &starts, station, feeder)).collect())
        .collect();
    for (substation, totals) in client.substations.iter_mut().zip(totals) {
        for (index, customers) in totals.into_iter().enumerate() {
            let codes = [format!("F{}", index + 1), format!("F{}CB", index + 1)];
            for asset in substation.assets.iter_mut().filter(|asset| codes.contains(&asset.code)) {
                asset.customers = customers;
            }
        }
    }
}

/// Returns the customers of a feeder and of the substations that it supplies.
fn behind(client: &Client, starts: &[Option<Start>], station: usize, feeder: usize) -> i32 {
    let substation = &client.substations[station];
    let (code, name) = (&substation.code, format!("F{}", feeder + 1));
    let supplied = starts.iter().enumerate().filter(|(_, start)| match start {
        Some(Start::FeederEnd(from, by) | Start::FeederBay(from, by)) => from == code && *by == name,
        _ => false,
    });
    substation.plan.feeders[feeder].customers + supplied.map(|(to, _)| of_substation(client, starts, to)).sum::<i32>()
}

/// Returns the customers of a substation and of those at its higher-voltage busbar.
fn of_substation(client: &Client, starts: &[Option<Start>], station: usize) -> i32 {
    let code = &client.substations[station].code;
    let own = (0..client.substations[station].plan.feeders.len()).map(|feeder| behind(client, starts, station, feeder));
    let beside = starts.iter().enumerate().filter(|(_, start)| matches!(start, Some(Start::Busbar(from)) if from == code));
    own.sum::<i32>() + beside.map(|(to, _)| of_substation(client, starts, to)).sum::<i32>()
}
