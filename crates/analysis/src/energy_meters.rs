//! The meters below a node. Energy enters a substation through its incomers and leaves through its feeders.

use std::collections::HashMap;

use grid::energy::{bound, kilo};
use grid::register::Bound;
use grid::{AssetId, NodeId, Point, PointId, Scope};
use identity::{Area, View};
use store::Store;
use store::registry::{AssetRecord, NodeRecord};

use crate::error::Error;

/// Asset types (specification 2, section 9).
pub const FEEDER: i32 = 1;
const INCOMER: i32 = 4;
/// Maximum number of names of assets without a meter in an answer.
pub const MISSING_MAX: usize = 100;

/// A meter of active energy.
#[derive(Debug, Clone, PartialEq)]
pub struct Meter {
    /// The register of energy from the line to the load, with its factor to kWh.
    pub imported: (PointId, f64),
    /// The register of the opposite direction, if present, with its factor to kWh.
    pub exported: Option<(PointId, f64)>,
    /// Interval between readings, ms; 0 if unknown.
    pub expected_ms: i64,
    /// The largest energy that the line can carry, kWh. A larger step of a register is refused.
    pub bound: Bound<'static>,
}

impl Meter {
    /// Returns the points of its registers.
    pub fn points(&self) -> impl Iterator<Item = PointId> {
        [Some(self.imported), self.exported].into_iter().flatten().map(|(point, _)| point)
    }
}

/// A part of the network between meters: a substation, or a single line, which has meters at one end only.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Station {
    /// Meters at which energy enters.
    pub ins: Vec<Meter>,
    /// Meters at which energy leaves.
    pub outs: Vec<Meter>,
}

impl Station {
    /// Returns all meters.
    pub fn meters(&self) -> impl Iterator<Item = &Meter> {
        self.ins.iter().chain(&self.outs)
    }
}

/// A feeder between two substations of the same area. Its energy neither enters nor leaves the area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Index of the station at which it begins.
    pub from: usize,
    /// Index of its meter among the outgoing meters of that station.
    pub out: usize,
    /// Index of the station at which it ends.
    pub to: usize,
}

/// The stations over which energy is summed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metered {
    /// The stations whose meters are complete.
    pub stations: Vec<Station>,
    /// Feeders between two of the stations.
    pub transfers: Vec<Transfer>,
    /// Names of assets without a meter. The whole substation is left out, because its balance would be wrong.
    pub missing: Vec<String>,
}

impl Metered {
    /// Returns the meters of the part of an area that the caller may see.
    pub async fn of(store: &Store, view: &View, area: Area) -> Result<Self, Error> {
        let meters = meters(view);
        let mut metered = Self::default();
        if let Some(Scope::Asset(asset)) = area.0 {
            let Some(asset) = view.field.asset(asset) else { return Ok(metered) };
            // The other end of a single feeder or incomer has no meter.
            metered.missing.push(asset.name.clone());
            metered.stations.extend(meters.get(&asset.id).and_then(|meter| match asset.type_id {
                FEEDER => Some(Station { ins: Vec::new(), outs: vec![meter.clone()] }),
                INCOMER => Some(Station { ins: vec![meter.clone()], outs: Vec::new() }),
                _ => None,
            }));
            return Ok(metered);
        }
        let feeds: HashMap<AssetId, NodeId> = store.feeds(view.principal.client).await?.into_iter().collect();
        let (mut places, mut leading) = (HashMap::new(), Vec::new());
        for substation in substations(view, area) {
            let assets = view.field.assets_at(substation.id).filter(|asset| [FEEDER, INCOMER].contains(&asset.type_id));
            let assets: Vec<&AssetRecord> = assets.collect();
            if metered.take(substation, &assets, &meters) {
                let from = metered.stations.len() - 1;
                places.insert(substation.id, from);
                let feeders = assets.iter().filter(|asset| asset.type_id == FEEDER).enumerate();
                leading.extend(feeders.filter_map(|(out, asset)| Some((from, out, *feeds.get(&asset.id)?))));
            }
        }
        let within = |(from, out, fed): (usize, usize, NodeId)| Some(Transfer { from, out, to: *places.get(&fed)? });
        metered.transfers = leading.into_iter().filter_map(within).collect();
        metered.missing.truncate(MISSING_MAX);
        Ok(metered)
    }

    /// Adds a substation if all its meters are present, and returns whether it was added. Its outgoing meters are in the order of its
    /// assets.
    fn take(&mut self, substation: &NodeRecord, assets: &[&AssetRecord], meters: &HashMap<AssetId, Meter>) -> bool {
        let of = |type_id: i32| assets.iter().filter(move |asset| asset.type_id == type_id);
        let unmetered: Vec<String> = (assets.iter().filter(|asset| !meters.contains_key(&asset.id)))
            .map(|asset| format!("{}, {}", asset.name, substation.name))
            .collect();
        if assets.is_empty() {
            // A substation without lines has no energy to balance.
        } else if of(FEEDER).next().is_none() || of(INCOMER).next().is_none() {
            self.missing.push(substation.name.clone());
        } else if !unmetered.is_empty() {
            self.missing.extend(unmetered);
        } else {
            let all = |type_id| of(type_id).filter_map(|asset| meters.get(&asset.id)).cloned().collect();
            self.stations.push(Station { ins: all(INCOMER), outs: all(FEEDER) });
            return true;
        }
        false
    }

    /// Returns the time after which all meters have certainly reported a reading, ms.
    pub fn settles_ms(&self) -> i64 {
        const MINUTE_MS: i64 = 60_000;
        let slowest = self.stations.iter().flat_map(Station::meters).map(|meter| meter.expected_ms).max();
        slowest.unwrap_or(0).clamp(0, 60 * MINUTE_MS) + MINUTE_MS
    }
}

/// Returns the substations of an area that the caller may see.
pub fn substations(view: &View, area: Area) -> Vec<&NodeRecord> {
    let below = match area.0 {
        None => None,
        Some(Scope::Node(node)) => Some(node),
        Some(Scope::Asset(_)) => return Vec::new(),
    };
    let within = |node: &&NodeRecord| {
        node.level == grid::Level::Substation && view.sees(node) && below.is_none_or(|below| node.path.contains(&below))
    };
    let mut found: Vec<&NodeRecord> = view.field.nodes().filter(within).collect();
    found.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
    found
}

/// Returns the meters of all assets. If an asset has two points of one code, the one with the lower id is used.
pub fn meters(view: &View) -> HashMap<AssetId, Meter> {
    let mut registers: HashMap<AssetId, [Option<&Point>; 2]> = HashMap::new();
    for point in view.field.points() {
        let Some(at) = ["EImp", "EExp"].iter().position(|code| *code == point.code) else { continue };
        let known = &mut registers.entry(point.asset).or_default()[at];
        if known.is_none_or(|known| point.id < known.id) {
            *known = Some(point);
        }
    }
    let meter = |(asset, [imported, exported]): (AssetId, [Option<&Point>; 2])| {
        let imported = imported?;
        let apart = [Some(imported), exported].into_iter().flatten().filter_map(|point| point.expected_ms).max();
        let register = |point: &Point| Some((point.id, kilo(&point.unit)?));
        // If the export register has a unit that is not one of energy, the asset has no meter: without it the net energy would be wrong.
        let exported = match exported {
            Some(point) => Some(register(point)?),
            None => None,
        };
        let (expected_ms, record) = (apart.unwrap_or(0), view.field.asset(asset));
        let bound = bound(record.and_then(|asset| asset.kv), record.is_some_and(|asset| asset.type_id == FEEDER), expected_ms);
        let meter = Meter { imported: register(imported)?, exported, expected_ms, bound };
        Some((asset, meter))
    };
    registers.into_iter().filter_map(meter).collect()
}
