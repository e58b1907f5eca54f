//! What is metered below a node: energy goes into a substation through its incoming lines and out through its feeders.

use std::collections::HashMap;

use grid::energy::kilo;
use grid::{AssetId, NodeId, Point, PointId, Scope};
use identity::{Area, View};
use store::Store;
use store::registry::{AssetRecord, NodeRecord};

use crate::error::Error;

/// Asset types (specification 2, section 9).
pub const FEEDER: i32 = 1;
const INCOMER: i32 = 4;
/// Names that are told of what has no meter.
pub const MISSING_MAX: usize = 100;

/// A meter of active energy.
#[derive(Debug, Clone, PartialEq)]
pub struct Meter {
    /// The register that counts energy from the line to the load, and the kWh of one of its units.
    pub imported: (PointId, f64),
    /// The one that counts it the other way, if there is one.
    pub exported: Option<(PointId, f64)>,
    /// How far its readings are apart, ms; 0 where nobody has said.
    pub expected_ms: i64,
}

impl Meter {
    /// Its registers.
    pub fn points(&self) -> impl Iterator<Item = PointId> {
        [Some(self.imported), self.exported].into_iter().flatten().map(|(point, _)| point)
    }
}

/// A part of the network between meters: a substation, or a line alone, which has one side.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Station {
    /// Where energy comes in.
    pub ins: Vec<Meter>,
    /// Where it goes out.
    pub outs: Vec<Meter>,
}

impl Station {
    /// All its meters.
    pub fn meters(&self) -> impl Iterator<Item = &Meter> {
        self.ins.iter().chain(&self.outs)
    }
}

/// A feeder that leads from one substation to another of the same area: what it carries neither enters the area nor leaves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Where it comes from: which of the stations.
    pub from: usize,
    /// Which of the meters where energy goes out there.
    pub out: usize,
    /// Where it goes: which of the stations.
    pub to: usize,
}

/// What energy is summed over.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metered {
    /// What has its meters.
    pub stations: Vec<Station>,
    /// What stays within.
    pub transfers: Vec<Transfer>,
    /// What has not, by name. It is left out with its whole substation: half a balance is none.
    pub missing: Vec<String>,
}

impl Metered {
    /// Of an area as the caller sees it.
    pub async fn of(store: &Store, view: &View, area: Area) -> Result<Self, Error> {
        let meters = meters(view);
        let mut metered = Self::default();
        if let Some(Scope::Asset(asset)) = area.0 {
            let Some(asset) = view.field.asset(asset) else { return Ok(metered) };
            // What comes out of a feeder at its customers, or goes into a line at its other end, has no meter.
            metered.missing.push(asset.name.clone());
            metered.stations.extend(meters.get(&asset.id).and_then(|meter| match asset.type_id {
                FEEDER => Some(Station { ins: Vec::new(), outs: vec![meter.clone()] }),
                INCOMER => Some(Station { ins: vec![meter.clone()], outs: Vec::new() }),
                _ => None,
            }));
            return Ok(metered);
        }
        let feeds: HashMap<AssetId, NodeId> = store.feeds(view.principal.client).await?.into_iter().collect();
        let mut of: HashMap<_, Vec<&AssetRecord>> = HashMap::new();
        for asset in view.field.assets().iter().filter(|asset| [FEEDER, INCOMER].contains(&asset.type_id)) {
            of.entry(asset.location).or_default().push(asset);
        }
        let (mut places, mut leading) = (HashMap::new(), Vec::new());
        for substation in substations(view, area) {
            let assets = of.get(&substation.id).map_or(&[][..], Vec::as_slice);
            if metered.take(substation, assets, &meters) {
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

    /// Answers whether the substation has all its meters, and so is one of the stations, with its feeders in the order of the assets.
    fn take(&mut self, substation: &NodeRecord, assets: &[&AssetRecord], meters: &HashMap<AssetId, Meter>) -> bool {
        let of = |type_id: i32| assets.iter().filter(move |asset| asset.type_id == type_id);
        let unmetered: Vec<String> = (assets.iter().filter(|asset| !meters.contains_key(&asset.id)))
            .map(|asset| format!("{}, {}", asset.name, substation.name))
            .collect();
        if assets.is_empty() {
            // Nothing goes in and nothing out: no part of any balance.
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

    /// How long after an instant everything has surely been read again, ms.
    pub fn settles_ms(&self) -> i64 {
        const MINUTE_MS: i64 = 60_000;
        let slowest = self.stations.iter().flat_map(Station::meters).map(|meter| meter.expected_ms).max();
        slowest.unwrap_or(0).clamp(0, 60 * MINUTE_MS) + MINUTE_MS
    }
}

/// The substations of an area that the caller may see.
pub fn substations(view: &View, area: Area) -> Vec<&NodeRecord> {
    let below = match area.0 {
        None => None,
        Some(Scope::Node(node)) => Some(node),
        Some(Scope::Asset(_)) => return Vec::new(),
    };
    let within = |node: &&NodeRecord| {
        node.level == grid::Level::Substation && view.sees(node) && below.is_none_or(|below| node.path.contains(&below))
    };
    let mut found: Vec<&NodeRecord> = view.field.nodes().iter().filter(within).collect();
    found.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
    found
}

/// The meters of all assets. Of two points of one code the one with the lower id counts.
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
        // A register in a unit that is none of energy makes no meter: without it the net would be wrong.
        let exported = match exported {
            Some(point) => Some(register(point)?),
            None => None,
        };
        let meter = Meter { imported: register(imported)?, exported, expected_ms: apart.unwrap_or(0) };
        Some((asset, meter))
    };
    registers.into_iter().filter_map(meter).collect()
}
