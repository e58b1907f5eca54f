//! The usual alarm rules for the points of the demo, with what its plans say is rated.

use std::collections::HashMap;

use grid::alarm::Rule;
use grid::alarm::usual::{Rated, rules};
use grid::{AssetId, ClientId, NodeId};
use simulators::utility::{Client, Substation};
use store::Store;

/// A feeder is built for this much more than its highest load.
const RESERVE: f64 = 1.3;
/// The power factor at the highest load.
const POWER_FACTOR: f64 = 0.9;

/// Rules that a point has already stay as they are.
pub(crate) async fn write(store: &Store, client: ClientId, from: &Client) -> anyhow::Result<()> {
    let registry = store.registry(Some(client)).await?;
    let substations: HashMap<&str, &Substation> =
        from.substations.iter().map(|substation| (substation.code.as_str(), substation)).collect();
    let plans: HashMap<NodeId, &Substation> =
        registry.nodes.iter().filter_map(|node| Some((node.id, *substations.get(node.code.as_str())?))).collect();
    let rated: HashMap<AssetId, Rated> = registry
        .assets
        .iter()
        .map(|asset| {
            let plan = plans.get(&asset.location);
            let current_a = plan.and_then(|substation| current(substation, &asset.code));
            // A spare feeder is dead, and nobody is to be called for that.
            let kv = asset.kv.filter(|_| !plan.is_some_and(|substation| is_spare(substation, &asset.code)));
            (asset.id, Rated { kv, current_a, battery_v: None })
        })
        .collect();
    let rules: Vec<Rule> =
        registry.points.iter().flat_map(|point| rules(point, rated.get(&point.asset).copied().unwrap_or_default())).collect();
    store.add_alarm_rules(client, &rules).await?;
    Ok(())
}

/// Whether a feeder is there for later.
fn is_spare(substation: &Substation, code: &str) -> bool {
    let index = code.strip_prefix('F').and_then(|number| number.parse::<usize>().ok()).and_then(|number| number.checked_sub(1));
    index.and_then(|at| substation.plan.feeders.get(at)).is_some_and(|feeder| !feeder.in_service)
}

/// What an asset is built for, A; by its code, which a plan gives it.
fn current(substation: &Substation, code: &str) -> Option<f64> {
    let plan = &substation.plan;
    let amperes = |mva: f64, kv: f64| mva / (3.0_f64.sqrt() * kv) * 1_000.0;
    let index = |prefix: &str| code.strip_prefix(prefix)?.parse::<usize>().ok()?.checked_sub(1);
    if let Some(feeder) = index("F").and_then(|at| plan.feeders.get(at)) {
        return (feeder.peak_mw > 0.0).then(|| amperes(feeder.peak_mw * RESERVE / POWER_FACTOR, plan.kv_low));
    }
    let units: f64 = plan.units.iter().map(|unit| unit.mva).sum();
    match (index("TX").and_then(|at| plan.units.get(at)), index("INC")) {
        // The current of a transformer is measured on its low side.
        (Some(unit), _) => Some(amperes(unit.mva, plan.kv_low)),
        (None, Some(_)) => Some(amperes(units, plan.kv_high)),
        (None, None) => None,
    }
}
