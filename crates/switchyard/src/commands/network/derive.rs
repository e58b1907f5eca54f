//! `switchyard network derive`: derives the network of substations that have a drawing and no model.

use std::collections::{HashMap, HashSet};

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
    let DrawnStations { drawn, hierarchy } = progress::of("reading drawings", drawn_stations(&store, utility.id)).await?;
    let modelled = ModelledStations::new(&present, &hierarchy);
    for (station, drawing) in drawn {
        if modelled.has(&station) {
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
    let DrawnStations { drawn, hierarchy } = progress::of("reading drawings", drawn_stations(store, client)).await?;
    let modelled = ModelledStations::new(model, &hierarchy);
    for (station, drawing) in drawn {
        if !modelled.has(&station) {
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

/// The codes and names of the substations of a utility.
#[derive(Debug, Default)]
struct Hierarchy {
    codes: HashSet<String>,
    /// The number of substations with each name.
    names: HashMap<String, usize>,
}

impl Hierarchy {
    fn new<'s>(stations: impl Iterator<Item = &'s Station>) -> Self {
        let mut hierarchy = Self::default();
        for station in stations {
            hierarchy.codes.insert(station.code.clone());
            *hierarchy.names.entry(station.name.clone()).or_default() += 1;
        }
        hierarchy
    }
}

/// The substations of a model, as those of the hierarchy.
struct ModelledStations<'m> {
    hierarchy: &'m Hierarchy,
    ids: HashSet<&'m str>,
    /// The ids of the substations with each name.
    ids_by_name: HashMap<&'m str, Vec<&'m str>>,
}

impl<'m> ModelledStations<'m> {
    fn new(model: &'m Description, hierarchy: &'m Hierarchy) -> Self {
        let mut modelled = Self { hierarchy, ids: HashSet::new(), ids_by_name: HashMap::new() };
        for station in model.containers.iter().filter(|container| container.kind == ContainerKind::Substation) {
            modelled.ids.insert(&station.id);
            modelled.ids_by_name.entry(&station.name).or_default().push(&station.id);
        }
        modelled
    }

    /// Whether the model has a substation: its id is the code, or the code or the name of the substation is a name that only one substation has.
    fn has(&self, station: &Station) -> bool {
        let only = |name: &str| match self.ids_by_name.get(name).map(Vec::as_slice) {
            // A substation whose id is a code is that one, whatever its name.
            Some([id]) => !self.hierarchy.codes.contains(*id),
            _ => false,
        };
        let is_name_unique = self.hierarchy.names.get(&station.name) == Some(&1);
        self.ids.contains(station.code.as_str()) || only(&station.code) || is_name_unique && only(&station.name)
    }
}

/// The substations with a drawing, in the order of their codes, and all substations.
struct DrawnStations {
    drawn: Vec<(Station, serde_json::Value)>,
    hierarchy: Hierarchy,
}

async fn drawn_stations(store: &Store, client: ClientId) -> anyhow::Result<DrawnStations> {
    let registry = store.registry(Some(client)).await?;
    let all: Vec<NodeId> = registry.nodes.iter().filter(|node| node.level == Level::Substation).map(|node| node.id).collect();
    let mut stations = stations(&registry);
    let hierarchy = Hierarchy::new(stations.values());
    let drawings = store.drawings_of(&all).await?;
    let mut drawn: Vec<(Station, serde_json::Value)> =
        drawings.into_iter().filter_map(|record| Some((stations.remove(&record.location)?, record.body))).collect();
    drawn.sort_by(|(one, _), (other, _)| one.code.cmp(&other.code));
    Ok(DrawnStations { drawn, hierarchy })
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

#[cfg(test)]
mod tests {
    use network::description::Container;

    use super::*;

    fn station(code: &str, name: &str) -> Station {
        Station { code: code.to_owned(), name: name.to_owned(), ..Station::default() }
    }

    /// Returns which of the substations have a model that has these ids and names.
    fn modelled(stations: &[Station], model: &[(&str, &str)]) -> Vec<bool> {
        let containers = model.iter().map(|(id, name)| Container {
            id: (*id).to_owned(),
            name: (*name).to_owned(),
            kind: ContainerKind::Substation,
            parent: None,
            nominal_kv: None,
            place: None,
        });
        let model = Description { containers: containers.collect(), ..Description::default() };
        let hierarchy = Hierarchy::new(stations.iter());
        let modelled = ModelledStations::new(&model, &hierarchy);
        stations.iter().map(|station| modelled.has(station)).collect()
    }

    #[test]
    fn substation_with_the_name_of_another_has_no_model() {
        let same = [station("A", "Main"), station("B", "Main")];
        assert_eq!(modelled(&same, &[("A", "Main")]), [true, false]);
        assert_eq!(modelled(&same, &[("_1", "Main")]), [false, false], "it is not known which one it is");
        assert_eq!(modelled(&same, &[("_1", "A"), ("_2", "B")]), [true, true]);
        let other = [station("A", "Main"), station("B", "Harbour")];
        assert_eq!(modelled(&other, &[("_1", "Main"), ("_2", "Harbour")]), [true, true]);
        assert_eq!(modelled(&other, &[("A", "Harbour")]), [true, false]);
        assert_eq!(modelled(&other, &[("_1", "Main"), ("_2", "Main")]), [false, false]);
    }
}
