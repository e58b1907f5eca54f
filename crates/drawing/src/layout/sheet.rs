//! Converts columns to coordinates: the height of each row, and the elements in it.

use super::columns::{Columns, high_side};
use super::plan::{Bay, Hang, Item, Plan, SymbolKind};
use crate::schema::{
    Align, Arrester, Battery, Breaker, Busbar, Capacitor, Category, Coordinate, Ct, Element, Feeder, Fuse, Generator, Id, Isolator, Kv,
    Line, Motor, Name, Nodes, Note, Orientation, Path, Pt, Reactor, Relay, Rows, Source, Text, Transformer, Values,
};
use crate::wiring::THIRD_WINDING;

/// Distance between columns, drawing units.
const PITCH: f64 = 160.0;
/// Distance between symbols of a bay, drawing units.
const STEP: f64 = 40.0;
/// Left and upper margin, drawing units.
const MARGIN: f64 = 120.0;
/// Distance from the middle of a transformer to the ends of its lines, drawing units.
const WINDINGS: f64 = 26.0;
/// Length of a busbar beyond its last bay, drawing units.
const OVERHANG: f64 = 40.0;
/// Largest number of relays in a row.
const RELAYS_A_ROW: usize = 2;
/// Largest number of symbols without a bay in a row.
const LOOSE_A_ROW: usize = 20;
/// Space below the end of a bay for a name and a table, drawing units.
const BELOW_END: f64 = 160.0;

/// Returns the elements of a plan.
pub(super) fn elements(plan: &Plan, columns: &Columns) -> Vec<Element> {
    let mut sheet = Sheet { plan, columns, tops: Vec::new(), bottoms: Vec::new(), elements: Vec::new() };
    let end = sheet.rows();
    sheet.busbars();
    for (bay, column) in plan.bays.iter().zip(&columns.of_bay) {
        if let Some(column) = column {
            sheet.bay(bay, x_of(*column));
        }
    }
    for (at, item) in plan.loose.iter().enumerate() {
        let (row, column) = (at / LOOSE_A_ROW, at % LOOSE_A_ROW);
        sheet.symbol(item, [x_of(column * 2), end + 120.0 * row as f64], Orientation::Vertical);
    }
    sheet.elements
}

fn x_of(column: usize) -> f64 {
    MARGIN + PITCH * column as f64
}

struct Sheet<'a> {
    plan: &'a Plan,
    columns: &'a Columns,
    /// The first row of each voltage.
    tops: Vec<f64>,
    /// The last row of each voltage.
    bottoms: Vec<f64>,
    elements: Vec<Element>,
}

/// Returns the additional height that a symbol's relays need, by which the following symbols are moved.
fn relay_room(item: &Item) -> f64 {
    item.relays.len().div_ceil(RELAYS_A_ROW).saturating_sub(1) as f64 * STEP
}

/// Returns the height of the symbols. The last symbol needs extra space, so that its line is visible.
fn depth(items: &[Item]) -> f64 {
    items.iter().map(|item| STEP + relay_room(item) + if item.kind.is_end() { 20.0 } else { 0.0 }).sum::<f64>()
}

impl Sheet<'_> {
    fn level_of(&self, section: usize) -> usize {
        self.columns.levels.iter().position(|sections| sections.contains(&section)).unwrap_or(0)
    }

    fn y_of(&self, section: usize) -> f64 {
        self.tops[self.level_of(section)] + self.columns.row[section] as f64 * self.row_pitch(self.level_of(section))
    }

    /// Returns the distance between sections below each other, with space for a coupler.
    fn row_pitch(&self, level: usize) -> f64 {
        let couplers = self.plan.bays.iter().filter_map(|bay| match bay.hang {
            Hang::Couple(a, _) if self.columns.levels[level].contains(&a) => Some(bay.items.len()),
            _ => None,
        });
        (couplers.max().unwrap_or(0) + 1).max(2) as f64 * STEP
    }

    /// Assigns heights to the rows from the top. Returns the first free height below them.
    fn rows(&mut self) -> f64 {
        let mut y = MARGIN;
        let levels = self.columns.levels.len();
        for zone in 0..=levels {
            let need = self.plan.bays.iter().filter_map(|bay| self.need(bay, zone)).fold(0.0_f64, f64::max);
            y += if zone == 0 || zone == levels { need } else { need.max(160.0) };
            if zone < levels {
                self.tops.push(y);
                let rows = self.columns.levels[zone].iter().map(|section| self.columns.row[*section]).max().unwrap_or(0);
                y += rows as f64 * self.row_pitch(zone);
                self.bottoms.push(y);
            }
        }
        y + 60.0
    }

    /// Returns the height that a bay needs in a zone, which is the space between the rows of two voltages; `None` if
    /// the bay is not in the zone.
    fn need(&self, bay: &Bay, zone: usize) -> Option<f64> {
        match bay.hang {
            Hang::Above(section) => (self.level_of(section) == zone).then(|| depth(&bay.items) + STEP * 2.0),
            Hang::Below(section) => (self.level_of(section) + 1 == zone).then(|| depth(&bay.items) + BELOW_END),
            Hang::Between(high, low) => {
                let (upper, lower) = bay.items.split_at(high_side(bay));
                let (first, last) = (self.level_of(high) + 1 == zone, self.level_of(low) == zone);
                let high_room = if first { self.highest_side(zone).max(depth(upper)) + STEP * 2.0 } else { 0.0 };
                let low_room = if last { depth(lower) + STEP } else { 0.0 };
                (first || last).then_some(high_room + low_room)
            }
            Hang::Couple(..) => None,
        }
    }

    /// Returns the largest height of a high side of the zone's transformers. All transformers are drawn below this
    /// height, so that they are side by side.
    fn highest_side(&self, zone: usize) -> f64 {
        let deep = self.plan.bays.iter().filter_map(|bay| match bay.hang {
            Hang::Between(high, _) if self.level_of(high) + 1 == zone => Some(depth(&bay.items[..high_side(bay)])),
            _ => None,
        });
        deep.fold(0.0, f64::max)
    }

    fn id(&self) -> Id {
        Id::try_from(format!("e{}", self.elements.len() + 1)).expect("a letter and a number")
    }

    fn line(&mut self, kv: Option<Kv>, path: &[[f64; 2]]) {
        let line = Line { id: self.id(), path: Path::through(path), kv, asset: None, equipment: None, name: None, nodes: None };
        self.elements.push(line.into());
    }

    fn busbars(&mut self) {
        for at in 0..self.plan.sections.len() {
            let section = &self.plan.sections[at];
            let (y, (left, right)) = (self.y_of(at), self.columns.extent[at]);
            let (x1, x2) = (x_of(left) - OVERHANG, x_of(right) + OVERHANG);
            let [x1, x2, y1, y2] = [x1, x2, y, y].map(Coordinate::nearest);
            let name = (!section.name.is_empty()).then(|| Name::shortened(&section.name));
            self.elements.push(
                Busbar {
                    id: self.id(),
                    x1,
                    y1,
                    x2,
                    y2,
                    kv: section.kv,
                    asset: section.asset.clone(),
                    equipment: None,
                    name,
                    nodes: section.nodes.clone(),
                }
                .into(),
            );
            self.values([x2.get() - 60.0, y - 20.0 * section.rows.len() as f64], section.asset.as_ref(), &section.rows);
        }
    }

    fn values(&mut self, [x, y]: [f64; 2], asset: Option<&crate::schema::AssetCode>, rows: &[crate::schema::ValueRow]) {
        if let (false, Ok(rows)) = (rows.is_empty(), Rows::try_from(rows.to_vec())) {
            let mut values = Values::new(self.id(), x, y, rows);
            values.asset = asset.cloned();
            self.elements.push(values.into());
        }
    }

    fn bay(&mut self, bay: &Bay, x: f64) {
        match bay.hang {
            Hang::Above(section) => {
                let kv = self.plan.sections[section].kv;
                self.run(bay, [x, self.y_of(section)], self.tops[self.level_of(section)], -1.0, kv);
            }
            Hang::Below(section) => {
                let kv = self.plan.sections[section].kv;
                self.run(bay, [x, self.y_of(section)], self.bottoms[self.level_of(section)], 1.0, kv);
            }
            Hang::Between(high, low) => self.between(bay, x, high, low),
            Hang::Couple(a, b) => self.couple(bay, x, a, b),
        }
    }

    /// Adds the symbols of a bay, starting at a busbar, downwards (`way` 1) or upwards (-1), and their line.
    fn run(&mut self, bay: &Bay, [x, from]: [f64; 2], begin: f64, way: f64, kv: Option<Kv>) {
        let items = &bay.items;
        let mut units = Vec::new();
        let mut y = begin;
        let at = self.elements.len();
        for item in items {
            y += way * (STEP + if item.kind.is_end() { 20.0 } else { 0.0 });
            // Relays extend downwards from their breaker, so upwards their space comes first.
            if way < 0.0 {
                y += way * relay_room(item);
            }
            if way < 0.0 {
                self.symbol(&turned(item), [x, y], Orientation::Vertical);
            } else {
                self.symbol(item, [x, y], Orientation::Vertical);
            }
            if item.kind == SymbolKind::Transformer {
                units.push((item, y));
                self.third_winding(item, [x, y]);
            }
            if way > 0.0 {
                y += way * relay_room(item);
            }
        }
        // A bay without an end symbol: extend the line, so that it is visible.
        let mut kv = kv;
        let ended = items.last().is_some_and(|item| item.kind.is_end());
        let end = if ended { y } else { y + way * STEP };
        // Transformers divide the line: their windings have voltages of their own.
        let (mut begin, mut lines) = (from, 0);
        for (unit, at) in units {
            self.line(kv, &[[x, begin], [x, at - way * WINDINGS]]);
            (begin, lines) = (at + way * WINDINGS, lines + 1);
            kv = unit.kv_low;
        }
        self.line(kv, &[[x, begin], [x, end]]);
        // Lines come before their symbols in the file, so that they are drawn underneath.
        self.elements[at..].rotate_right(lines + 1);
        self.renumber(at);
        if let Some(text) = bay.end_text.as_deref().and_then(|text| Note::try_from(text).ok()) {
            let mut text = Text::new(self.id(), x, end + way * 14.0, text);
            text.align = Some(Align::Center);
            self.elements.push(text.into());
        }
    }

    fn renumber(&mut self, from: usize) {
        let rest = self.elements.split_off(from);
        for element in rest {
            let id = self.id();
            self.elements.push(element.with_id(id));
        }
    }

    fn between(&mut self, bay: &Bay, x: f64, high: usize, low: usize) {
        let at = high_side(bay);
        let (upper, unit, lower) = (&bay.items[..at], &bay.items[at], &bay.items[at + 1..]);
        let zone = self.level_of(high) + 1;
        let top = self.bottoms[zone - 1];
        let y = top + self.highest_side(zone) + STEP;
        self.line(self.plan.sections[high].kv, &[[x, self.y_of(high)], [x, y - WINDINGS]]);
        let mut down = top;
        for item in upper {
            down += STEP;
            self.symbol(item, [x, down], Orientation::Vertical);
            down += relay_room(item);
        }
        self.symbol(unit, [x, y], Orientation::Vertical);
        self.third_winding(unit, [x, y]);
        self.line(self.plan.sections[low].kv, &[[x, y + WINDINGS], [x, self.y_of(low)]]);
        let mut up = self.tops[self.level_of(low)];
        for item in lower.iter().rev() {
            up -= STEP + relay_room(item);
            self.symbol(item, [x, up], Orientation::Vertical);
        }
    }

    /// Adds the beginning of the line at a third winding. The line itself would cross other bays.
    fn third_winding(&mut self, unit: &Item, [x, y]: [f64; 2]) {
        let Some(node) = unit.nodes.as_ref().and_then(Nodes::third) else { return };
        let path = Path::through(&[[x - THIRD_WINDING, y], [x - THIRD_WINDING - STEP / 2.0, y]]);
        let line = Line { id: self.id(), path, kv: unit.kv_tertiary, asset: None, equipment: None, name: None, nodes: Some(node) };
        self.elements.push(line.into());
        if let Some(text) = unit.kv_tertiary.and_then(|kv| Note::try_from(format!("{} kV", kv.get())).ok()) {
            let mut text = Text::new(self.id(), x - THIRD_WINDING - STEP / 2.0, y - 10.0, text);
            text.align = Some(Align::Right);
            self.elements.push(text.into());
        }
    }

    fn couple(&mut self, bay: &Bay, x: f64, a: usize, b: usize) {
        let kv = self.plan.sections[a].kv;
        let (ya, yb) = (self.y_of(a), self.y_of(b));
        if ya.to_bits() == yb.to_bits() {
            let (left, right) = if self.columns.extent[a] < self.columns.extent[b] { (a, b) } else { (b, a) };
            let (x1, x2) = (x_of(self.columns.extent[left].1) + OVERHANG, x_of(self.columns.extent[right].0) - OVERHANG);
            self.line(kv, &[[x1, ya], [x2, ya]]);
            let first = x - ((bay.items.len().saturating_sub(1)) as f64 * STEP / 2.0 / 20.0).floor() * 20.0;
            let items: Vec<Item> = if left == a { bay.items.clone() } else { bay.items.iter().rev().map(turned).collect() };
            for (at, item) in items.iter().enumerate() {
                self.symbol(item, [first + at as f64 * STEP, ya], Orientation::Horizontal);
            }
        } else {
            // The sections are below each other; extend both up to this column.
            for (section, y) in [(a, ya), (b, yb)] {
                let (left, right) = self.columns.extent[section];
                let (x1, x2) = (x_of(left) - OVERHANG, x_of(right) + OVERHANG);
                if x < x1 {
                    self.line(kv, &[[x, y], [x1, y]]);
                } else if x > x2 {
                    self.line(kv, &[[x2, y], [x, y]]);
                }
            }
            self.line(kv, &[[x, ya.min(yb)], [x, ya.max(yb)]]);
            let items: Vec<Item> = if ya < yb { bay.items.clone() } else { bay.items.iter().rev().map(turned).collect() };
            for (at, item) in items.iter().enumerate() {
                self.symbol(item, [x, ya.min(yb) + STEP * (at + 1) as f64], Orientation::Vertical);
            }
        }
    }

    /// Adds a symbol with its values and the relays beside it.
    fn symbol(&mut self, item: &Item, [x, y]: [f64; 2], lies: Orientation) {
        let element = symbol(item, self.id(), [x, y], lies);
        self.elements.push(element);
        let at = match item.kind {
            SymbolKind::Transformer => [x + 90.0, y + 40.0],
            kind if kind.is_end() && kind != SymbolKind::Source => [x + 20.0, y + 60.0],
            SymbolKind::Battery => [x + 200.0, y - 20.0],
            _ => [x - 60.0, y + 40.0],
        };
        self.values(at, item.asset.as_ref(), &item.rows);
        for (index, relay) in item.relays.iter().enumerate() {
            let (row, column) = (index / RELAYS_A_ROW, index % RELAYS_A_ROW);
            let element = symbol(relay, self.id(), [x + STEP * (column + 1) as f64, y + STEP * row as f64], Orientation::Vertical);
            self.elements.push(element);
        }
    }
}

/// Returns the item with its nodes in reverse order.
fn turned(item: &Item) -> Item {
    let mut item = item.clone();
    item.nodes = item.nodes.map(Nodes::reversed);
    item
}

/// Sets the fields that all classes have.
macro_rules! made {
    ($class:ident, $item:expr, $id:expr, $place:expr $(, $field:ident: $value:expr)*) => {{
        let mut element = $class::new($id, $place[0], $place[1]);
        (element.kv, element.asset) = ($item.kv, $item.asset.clone());
        element.name = (!$item.name.is_empty()).then(|| Name::shortened(&$item.name));
        $(element.$field = $value;)*
        element.into()
    }};
}

/// Returns the element of an item.
pub(crate) fn symbol(item: &Item, id: Id, place: [f64; 2], lies: Orientation) -> Element {
    let position = || item.position.clone();
    match item.kind {
        SymbolKind::Breaker => made!(Breaker, item, id, place, nodes: item.nodes.clone(), orientation: Some(lies), position: position()),
        SymbolKind::Isolator => {
            made!(Isolator, item, id, place, nodes: item.nodes.clone(), orientation: Some(lies), position: position(), category: Some(Category::Isolator))
        }
        SymbolKind::EarthSwitch => {
            let side = if lies == Orientation::Vertical { Category::EarthSwitchRight } else { Category::EarthSwitchDown };
            made!(Isolator, item, id, place, nodes: item.nodes.clone(), orientation: Some(lies), position: position(), category: Some(side))
        }
        SymbolKind::Relay => made!(Relay, item, id, place, position: position(), category: Some(crate::schema::RelayCategory::Relay)),
        SymbolKind::Transformer => {
            made!(Transformer, item, id, place, nodes: item.nodes.clone(), orientation: Some(lies), kv: None, kv_high: item.kv, kv_low: item.kv_low, kv_tertiary: item.kv_tertiary, tap: item.tap.clone())
        }
        SymbolKind::Ct => made!(Ct, item, id, place, nodes: item.nodes.clone(), orientation: Some(lies)),
        SymbolKind::Pt => made!(Pt, item, id, place, nodes: item.nodes.clone(), orientation: Some(lies)),
        SymbolKind::Arrester => made!(Arrester, item, id, place, nodes: item.nodes.clone(), orientation: Some(lies)),
        SymbolKind::Fuse => made!(Fuse, item, id, place, nodes: item.nodes.clone(), position: position(), orientation: Some(lies)),
        SymbolKind::Capacitor => made!(Capacitor, item, id, place, nodes: item.nodes.clone()),
        SymbolKind::Reactor => made!(Reactor, item, id, place, nodes: item.nodes.clone()),
        SymbolKind::Generator => made!(Generator, item, id, place, nodes: item.nodes.clone(), position: position()),
        SymbolKind::Motor => made!(Motor, item, id, place),
        SymbolKind::Source => made!(Source, item, id, place, nodes: item.nodes.clone()),
        SymbolKind::Feeder => made!(Feeder, item, id, place, nodes: item.nodes.clone()),
        SymbolKind::Battery => made!(Battery, item, id, place),
    }
}
