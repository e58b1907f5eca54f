//! Derives a plan from the registry: assets with class, voltage and bay (device), and their points.
//!
//! The registry does not know the connections. Each device becomes a bay. Incoming lines are above the highest voltage, transformers between the voltages of
//! their breakers, and other bays below the busbar of their voltage. If a voltage has several sections, its bays are distributed over them from left to right.
//! The notes list the assumptions and the assets that were not drawn.

use std::collections::BTreeMap;

use super::{Bay, Hang, Item, Plan, Section, SymbolKind};
use crate::fault::shown;
use crate::schema::{Address, AssetCode, Kv, Point, Position, Unit, ValueRow};

/// An asset of a substation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asset {
    /// Its code.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Its class, such as `breaker`.
    pub class: String,
    /// Asset type (specification 2, section 9): 4 is an incoming line, 1 a feeder.
    pub type_id: i32,
    /// Its bay (Sparkplug device).
    pub device: String,
    /// Nominal voltage, kV.
    pub kv: Option<f64>,
    /// Its points.
    pub points: Vec<PointOfAsset>,
}

/// A point of an asset.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PointOfAsset {
    /// Address, `device/metric`.
    pub address: String,
    /// The last part of the metric name.
    pub code: String,
    /// Unit.
    pub unit: String,
    /// Number of decimals.
    pub decimals: u8,
    /// For a status point: whether it is a double point.
    pub double: Option<bool>,
}

/// Codes of values that are shown beside a symbol, by priority.
const WORTH: [&str; 12] = ["Ir", "I", "P", "V", "Hz", "Q", "Pf", "OTI", "WTI", "BatV", "BatA", "AmbT"];
/// Largest number of values beside a symbol.
const ROWS: usize = 3;

/// Returns the plan of a substation's assets, and notes about what was assumed or left out.
pub fn plan(name: &str, assets: &[Asset]) -> (Plan, Vec<String>) {
    let mut reading = Reading { plan: Plan { name: name.to_owned(), ..Plan::default() }, notes: Vec::new() };
    let mut left_out = BTreeMap::<&str, usize>::new();
    let mut bays: BTreeMap<Key, Vec<&Asset>> = BTreeMap::new();
    for asset in assets {
        match word(&asset.class) {
            Word::Busbar => reading.section(asset),
            Word::Item(SymbolKind::Battery) => {
                let item = item(asset, SymbolKind::Battery);
                reading.plan.loose.push(item);
            }
            Word::Item(_) => bays.entry(bay_of(asset)).or_default().push(asset),
            Word::None => *left_out.entry(asset.class.as_str()).or_default() += 1,
        }
    }
    let levels = reading.levels(assets);
    for (Key(_, device), assets) in bays {
        reading.bay(&device, &assets, &levels);
    }
    reading.spread(&levels);
    for (class, count) in left_out {
        reading.notes.push(format!("{count} of class {} not drawn", shown(class)));
    }
    (reading.plan, reading.notes)
}

enum Word {
    Busbar,
    Item(SymbolKind),
    None,
}

fn word(class: &str) -> Word {
    Word::Item(match class {
        "busbar" => return Word::Busbar,
        "breaker" | "recloser" => SymbolKind::Breaker,
        "isolator" | "disconnector" | "switch" => SymbolKind::Isolator,
        "earthSwitch" => SymbolKind::EarthSwitch,
        "relay" => SymbolKind::Relay,
        "transformer" => SymbolKind::Transformer,
        "feeder" => SymbolKind::Feeder,
        "source" | "incomer" => SymbolKind::Source,
        "capacitor" => SymbolKind::Capacitor,
        "reactor" => SymbolKind::Reactor,
        "generator" => SymbolKind::Generator,
        "motor" => SymbolKind::Motor,
        "ct" => SymbolKind::Ct,
        "pt" => SymbolKind::Pt,
        "arrester" => SymbolKind::Arrester,
        "fuse" => SymbolKind::Fuse,
        "battery" => SymbolKind::Battery,
        _ => return Word::None,
    })
}

/// The sort key of a bay: letters first, then the number as a number, so that F2 comes before F10.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key((String, u64), String);

fn bay_of(asset: &Asset) -> Key {
    let bay = if asset.device.is_empty() { &asset.code } else { &asset.device };
    let letters = bay.trim_end_matches(|letter: char| letter.is_ascii_digit());
    Key((letters.to_owned(), bay[letters.len()..].parse().unwrap_or(0)), bay.clone())
}

fn item(asset: &Asset, kind: SymbolKind) -> Item {
    let name = if matches!(kind, SymbolKind::Breaker | SymbolKind::Isolator | SymbolKind::EarthSwitch | SymbolKind::Relay) {
        &asset.code
    } else {
        &asset.name
    };
    let mut item = Item { kind, name: name.clone(), kv: kv(asset), ..Item::default() };
    fill(&mut item, asset);
    item
}

/// Sets the asset of a symbol, with its points.
pub(crate) fn fill(item: &mut Item, asset: &Asset) {
    let point = |code: &str| asset.points.iter().find(|point| point.code == code);
    let status = point("Pos").or_else(|| point("Op")).or_else(|| asset.points.iter().find(|point| point.double.is_some()));
    let position = status.and_then(|point| {
        let double_point = Some(point.double.unwrap_or(false));
        Some(Position { point: Address::try_from(point.address.as_str()).ok()?, double_point, zeros_color: None, ones_color: None })
    });
    item.asset = AssetCode::try_from(asset.code.as_str()).ok();
    item.position = position.filter(|_| {
        matches!(item.kind, SymbolKind::Breaker | SymbolKind::Isolator | SymbolKind::EarthSwitch | SymbolKind::Relay | SymbolKind::Fuse)
    });
    item.tap = point("Tap").and_then(|point| Some(Point { point: Address::try_from(point.address.as_str()).ok()? }));
    item.rows = rows(asset);
}

fn rows(asset: &Asset) -> Vec<ValueRow> {
    let row = |point: &PointOfAsset| {
        Some(ValueRow {
            point: Address::try_from(point.address.as_str()).ok()?,
            unit: Unit::try_from(point.unit.as_str()).ok(),
            decimals: Some(point.decimals.min(9)),
        })
    };
    let of = |code: &&str| asset.points.iter().find(|point| point.code == **code && point.double.is_none());
    WORTH.iter().filter_map(of).filter_map(row).take(ROWS).collect()
}

fn kv(asset: &Asset) -> Option<Kv> {
    asset.kv.and_then(|kv| Kv::try_from(kv).ok())
}

fn is_earth(asset: &Asset) -> bool {
    asset.code.ends_with("ES") || asset.name.to_lowercase().contains("earth")
}

/// Returns the order of symbols in a bay, starting at the busbar.
fn place(kind: SymbolKind) -> usize {
    match kind {
        SymbolKind::Isolator => 0,
        SymbolKind::Breaker => 1,
        SymbolKind::Fuse => 2,
        SymbolKind::Ct => 3,
        SymbolKind::Pt => 4,
        SymbolKind::Arrester => 5,
        SymbolKind::EarthSwitch => 6,
        _ => 7,
    }
}

struct Reading {
    plan: Plan,
    notes: Vec<String>,
}

impl Reading {
    fn section(&mut self, asset: &Asset) {
        let code = AssetCode::try_from(asset.code.as_str()).ok();
        self.plan.sections.push(Section { asset: code, name: asset.name.clone(), kv: kv(asset), rows: rows(asset), nodes: None });
    }

    /// Returns the voltages, the highest first. A voltage without a busbar gets one.
    fn levels(&mut self, assets: &[Asset]) -> Vec<f64> {
        let of_bays = assets.iter().filter(|asset| matches!(word(&asset.class), Word::Busbar | Word::Item(_)));
        let mut levels: Vec<f64> = of_bays.filter_map(|asset| kv(asset).map(Kv::get)).collect();
        levels.sort_by(|a, b| b.total_cmp(a));
        levels.dedup();
        for level in &levels {
            if !self.plan.sections.iter().any(|section| section.kv.map(Kv::get) == Some(*level)) {
                let name = format!("{level} kV");
                self.notes.push(format!("no busbar of {name} is known: one is drawn without an asset"));
                self.plan.sections.push(Section { asset: None, name, kv: Some(Kv::nearest(*level)), ..Section::default() });
            }
        }
        levels
    }

    fn sections(&self, level: f64) -> Vec<usize> {
        (0..self.plan.sections.len()).filter(|section| self.plan.sections[*section].kv.map(Kv::get) == Some(level)).collect()
    }

    /// Distributes the bays of each voltage over its sections, from left to right.
    fn spread(&mut self, levels: &[f64]) {
        for level in levels {
            let sections = self.sections(*level);
            for above in [true, false] {
                let hangs = |bay: &Bay| match bay.hang {
                    Hang::Above(section) => above && sections.contains(&section),
                    Hang::Below(section) => !above && sections.contains(&section),
                    _ => false,
                };
                let bays: Vec<usize> = (0..self.plan.bays.len()).filter(|bay| hangs(&self.plan.bays[*bay])).collect();
                for (at, bay) in bays.iter().enumerate() {
                    let section = sections[at * sections.len() / bays.len()];
                    self.plan.bays[*bay].hang = if above { Hang::Above(section) } else { Hang::Below(section) };
                }
                if sections.len() > 1 && !bays.is_empty() {
                    let kind = if above { "incoming lines" } else { "bays" };
                    self.notes.push(format!(
                        "which section of {level} kV its {kind} hang on is not known: they are shared out from left to right"
                    ));
                }
            }
        }
    }

    fn bay(&mut self, device: &str, assets: &[&Asset], levels: &[f64]) {
        let mut items: Vec<Item> = Vec::new();
        let mut relays = Vec::new();
        for asset in assets {
            match word(&asset.class) {
                Word::Item(SymbolKind::Relay) => relays.push(item(asset, SymbolKind::Relay)),
                Word::Item(SymbolKind::Isolator) if is_earth(asset) => items.push(item(asset, SymbolKind::EarthSwitch)),
                Word::Item(SymbolKind::Feeder) if asset.type_id == 4 => items.push(item(asset, SymbolKind::Source)),
                Word::Item(kind) => items.push(item(asset, kind)),
                Word::Busbar | Word::None => {}
            }
        }
        // Relays are drawn beside the breaker; without a breaker they are not drawn.
        match items.iter_mut().find(|item| item.kind == SymbolKind::Breaker) {
            Some(breaker) => breaker.relays = relays,
            None if relays.is_empty() => {}
            None => self.notes.push(format!("bay {}: its relays have no breaker to stand at and are not drawn", shown(device))),
        }
        items.sort_by_key(|item| place(item.kind));
        let Some(level) = items.iter().filter_map(|item| item.kv).map(Kv::get).max_by(f64::total_cmp).or_else(|| levels.last().copied())
        else {
            self.notes.push(format!("bay {}: nothing tells its voltage, and it is not drawn", shown(device)));
            return;
        };
        if items.is_empty() {
            return;
        }
        if items.iter().any(|item| item.kind == SymbolKind::Transformer) {
            self.transformers(device, items, level, levels);
            return;
        }
        let sections = self.sections(level);
        if !items.iter().any(|item| item.kind.is_end()) && sections.len() > 1 && items.iter().any(|item| item.kind == SymbolKind::Breaker) {
            let pair = sections.windows(2).find(|pair| !self.plan.bays.iter().any(|bay| bay.hang == Hang::Couple(pair[0], pair[1])));
            if let Some(pair) = pair {
                self.notes.push(format!("bay {} has no end and is drawn as a coupler", shown(device)));
                self.plan.bays.push(Bay::new(Hang::Couple(pair[0], pair[1]), items));
                return;
            }
        }
        self.ends(items, level);
    }

    /// Creates one bay for each end. Shared switches go into the first bay.
    fn ends(&mut self, items: Vec<Item>, level: f64) {
        let (ends, mut line): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|item| item.kind.is_end());
        for end in ends.into_iter().map(Some).chain([None]) {
            if end.is_none() && line.is_empty() {
                break;
            }
            let section = self.sections(level)[0];
            let above = end.as_ref().is_some_and(|end| matches!(end.kind, SymbolKind::Source | SymbolKind::Generator));
            let hang = if above { Hang::Above(section) } else { Hang::Below(section) };
            self.plan.bays.push(Bay::new(hang, std::mem::take(&mut line).into_iter().chain(end).collect()));
        }
    }

    fn transformers(&mut self, device: &str, items: Vec<Item>, level: f64, levels: &[f64]) {
        let rated = items.iter().filter_map(|item| item.kv).map(Kv::get).filter(|kv| *kv < level).max_by(f64::total_cmp);
        let Some(low) = rated.or_else(|| levels.iter().copied().find(|other| *other < level)) else {
            self.notes.push(format!("bay {}: its transformer has no lower voltage to feed, and it is not drawn", shown(device)));
            return;
        };
        let (units, line): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|item| item.kind == SymbolKind::Transformer);
        let (lower, mut upper): (Vec<Item>, Vec<Item>) =
            line.into_iter().filter(|item| !item.kind.is_end()).partition(|item| item.kv.is_some_and(|kv| kv.get() <= low));
        let mut lower: Vec<Item> = lower.into_iter().rev().collect();
        for mut unit in units {
            (unit.kv, unit.kv_low) = (Some(Kv::nearest(level)), Some(Kv::nearest(low)));
            let (high_sections, low_sections) = (self.sections(level), self.sections(low));
            let done = self.plan.bays.iter().filter(|bay| matches!(bay.hang, Hang::Between(_, low) if low_sections.contains(&low))).count();
            let hang = Hang::Between(high_sections[done.min(high_sections.len() - 1)], low_sections[done.min(low_sections.len() - 1)]);
            let items = std::mem::take(&mut upper).into_iter().chain([unit]).chain(std::mem::take(&mut lower)).collect();
            self.plan.bays.push(Bay::new(hang, items));
        }
    }
}
