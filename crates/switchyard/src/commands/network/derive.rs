//! `switchyard network derive`: derives the network of substations that have a drawing and no model.

use std::collections::HashMap;

use drawing::model::{Derived, Station, StationAsset, StationPoint, compare};
use grid::{ClientId, Level, NodeId};
use network::Description;
use network::changes::{ChangeSet, PartChanges, PartIds};
use network::description::ContainerKind;
use store::Store;
use store::network::VersionNumber;
use store::registry::Registry;

use super::import::{StoreOptions, store_change};
use super::source;
use crate::cli::NetworkDeriveArgs;
use crate::console::{self, say};
use crate::progress;
use crate::settings::Settings;

/// Maximum number of notes and differences that are printed.
const LINES_MAX: usize = 200;

/// Stores the network of the substations without a model, or prints what storing it would change.
pub(super) async fn run(settings: &Settings, arguments: NetworkDeriveArgs) -> anyhow::Result<()> {
    let NetworkDeriveArgs { dry_run, utility, note, activate } = arguments;
    let store = crate::commands::store(settings).await?;
    let utility = source::utility(&store, utility.as_deref()).await?;
    let newest = store.newest_network(utility.id).await?;
    let present = match newest {
        Some(version) => store.network(utility.id, version).await?.unwrap_or_default(),
        None => Description::default(),
    };
    let mut put = Description::default();
    let (mut derived, mut kept) = (0, 0);
    for (station, drawing) in progress::of("reading drawings", drawn_stations(&store, utility.id)).await? {
        if has_model(&present, &station) {
            kept += 1;
            continue;
        }
        let Derived { description, notes } = Derived::new(&station, &drawing);
        print_lines(&notes);
        derived += 1;
        put.containers.extend(description.containers);
        put.nodes.extend(description.nodes);
        put.equipment.extend(description.equipment);
        put.measurements.extend(description.measurements);
    }
    say(&format!("{derived} substations are derived from their drawings; {kept} have a model already."));
    let change = ChangeSet::Parts(PartChanges { put, remove: PartIds::default() });
    let based_on = newest.map_or(0, |VersionNumber(number)| number);
    store_change(&store, &utility, Some(based_on), change, StoreOptions { dry_run, note, activate }).await
}

/// Prints each difference between the drawings of a utility and its model. Returns their number.
pub(super) async fn print_differences(store: &Store, client: ClientId, model: &Description) -> anyhow::Result<usize> {
    let mut found = Vec::new();
    for (station, drawing) in progress::of("reading drawings", drawn_stations(store, client)).await? {
        if !has_model(model, &station) {
            found.push(format!("{} has a drawing, but no model: `switchyard network derive` makes one", station.code));
            continue;
        }
        let Derived { description, .. } = Derived::new(&station, &drawing);
        found.extend(compare(&description, model).differences.into_iter().map(|difference| format!("{}: {difference}", station.code)));
    }
    for line in found.iter().take(LINES_MAX) {
        say(&format!("drawing: {line}"));
    }
    if found.len() > LINES_MAX {
        say(&format!("drawing: … and {} more", found.len() - LINES_MAX));
    }
    Ok(found.len())
}

/// Whether the model has a substation. It does if a container has the code of the substation as its id, or the code or
/// the name as its name.
fn has_model(model: &Description, station: &Station) -> bool {
    let substations = model.containers.iter().filter(|container| container.kind == ContainerKind::Substation);
    let mut named = substations.filter(|found| found.id == station.code || found.name == station.code || found.name == station.name);
    named.next().is_some()
}

/// Returns the substations with a drawing, in the order of their codes.
async fn drawn_stations(store: &Store, client: ClientId) -> anyhow::Result<Vec<(Station, serde_json::Value)>> {
    let registry = store.registry(Some(client)).await?;
    let drawn: Vec<NodeId> = registry.nodes.iter().filter(|node| node.level == Level::Substation).map(|node| node.id).collect();
    let mut stations = stations(&registry);
    let drawings = store.drawings_of(&drawn).await?;
    let mut found: Vec<(Station, serde_json::Value)> =
        drawings.into_iter().filter_map(|record| Some((stations.remove(&record.location)?, record.body))).collect();
    found.sort_by(|(one, _), (other, _)| one.code.cmp(&other.code));
    Ok(found)
}

fn stations(registry: &Registry) -> HashMap<NodeId, Station> {
    let mut stations: HashMap<NodeId, Station> = registry
        .nodes
        .iter()
        .filter(|node| node.level == Level::Substation)
        .map(|node| {
            let place = node.lon.zip(node.lat).map(|(lon, lat)| [lon, lat]);
            (node.id, Station { code: node.code.clone(), name: node.name.clone(), place, ..Station::default() })
        })
        .collect();
    for asset in &registry.assets {
        let Some(station) = stations.get_mut(&asset.location) else { continue };
        station.assets.push(StationAsset {
            code: asset.code.clone(),
            name: asset.name.clone(),
            kv: asset.kv,
            // Those of a feeder to another substation are counted there.
            customers: if asset.feeds.is_some() { 0 } else { u64::try_from(asset.customers).unwrap_or(0) },
        });
    }
    let gateways: HashMap<_, &str> = registry.gateways.iter().map(|gateway| (gateway.id, gateway.code.as_str())).collect();
    let assets: HashMap<_, &str> = registry.assets.iter().map(|asset| (asset.id, asset.code.as_str())).collect();
    for point in &registry.points {
        let (Some(gateway), Some(asset)) = (gateways.get(&point.gateway), assets.get(&point.asset)) else { continue };
        let Some(station) = stations.get_mut(&point.location) else { continue };
        station.points.push(StationPoint {
            gateway: (*gateway).to_owned(),
            address: point.address(),
            code: point.code.clone(),
            asset: (*asset).to_owned(),
            is_measurand: point.encoding().is_none(),
        });
    }
    stations
}

fn print_lines(lines: &[String]) {
    for line in lines.iter().take(LINES_MAX) {
        console::note(line);
    }
    if lines.len() > LINES_MAX {
        console::note(&format!("… and {} more", lines.len() - LINES_MAX));
    }
}
