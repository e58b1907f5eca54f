//! The starts of the incoming lines of the demo's substations, and the resulting numbers of customers behind each feeder.

use super::geography::{feeds, origin};
use super::{Client, Substation};

/// From this voltage on, a feeder supplies one industrial customer, kV.
const INDUSTRIAL_KV: f64 = 20.0;
/// Highest load of many feeders together, as a share of the sum of their highest loads, which do not occur at the same time.
const COINCIDENCE: f64 = 0.9;

/// Where an incoming line starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Start {
    /// At the last ring-main unit of a feeder. Contains the codes of the substation and the feeder.
    FeederEnd(String, String),
    /// In the bay of a feeder. Contains the codes of the substation and the feeder.
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

/// Sets customers and loads of feeders that supply another substation: they have no customers of their own, and the highest load of the parts behind them.
/// Other feeders at high voltages have one customer. Then sets the customers of all feeder assets to those behind the feeder in the normal state of the
/// network, at any distance.
pub(super) fn set_supplied(client: &mut Client) {
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
    let feeders: Vec<(usize, usize)> = client
        .substations
        .iter()
        .enumerate()
        .flat_map(|(station, substation)| (0..substation.plan.feeders.len()).map(move |feeder| (station, feeder)))
        .collect();
    for (station, feeder) in feeders {
        let behind = behind(client, &starts, station, feeder);
        let substation = &mut client.substations[station];
        let codes = [format!("F{}", feeder + 1), format!("F{}CB", feeder + 1)];
        for asset in substation.assets.iter_mut().filter(|asset| codes.contains(&asset.code)) {
            asset.customers = behind.customers;
        }
        if substation.plan.feeders[feeder].is_supply_line() {
            substation.plan.feeders[feeder].peak_mw = COINCIDENCE * behind.peak_mw;
        }
    }
}

/// What a feeder supplies.
#[derive(Debug, Clone, Copy, Default)]
struct Supplied {
    customers: i32,
    /// The sum of the highest loads of the feeders with customers.
    peak_mw: f64,
}

impl Supplied {
    fn sum(parts: impl Iterator<Item = Self>) -> Self {
        parts.fold(Self::default(), |sum, part| Self { customers: sum.customers + part.customers, peak_mw: sum.peak_mw + part.peak_mw })
    }
}

/// Returns the sums of the parts that a feeder supplies, including the substations behind it.
fn behind(client: &Client, starts: &[Option<Start>], station: usize, feeder: usize) -> Supplied {
    let substation = &client.substations[station];
    let (code, name) = (&substation.code, format!("F{}", feeder + 1));
    let supplied = starts.iter().enumerate().filter(|(_, start)| match start {
        Some(Start::FeederEnd(from, by) | Start::FeederBay(from, by)) => from == code && *by == name,
        _ => false,
    });
    let plan = &substation.plan.feeders[feeder];
    let own = Supplied { customers: plan.customers, peak_mw: if plan.is_supply_line() { 0.0 } else { plan.peak_mw } };
    Supplied::sum(supplied.map(|(to, _)| of_substation(client, starts, to)).chain([own]))
}

/// Returns the sums of the parts that a substation supplies, including the substations at its higher-voltage busbar.
fn of_substation(client: &Client, starts: &[Option<Start>], station: usize) -> Supplied {
    let code = &client.substations[station].code;
    let own = (0..client.substations[station].plan.feeders.len()).map(|feeder| behind(client, starts, station, feeder));
    let beside = starts.iter().enumerate().filter(|(_, start)| matches!(start, Some(Start::Busbar(from)) if from == code));
    Supplied::sum(own.chain(beside.map(|(to, _)| of_substation(client, starts, to))))
}
