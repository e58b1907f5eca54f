//! The layout of rows. A row begins on the left. Lines and switches are in the row, transformers hang below it, and laterals are rows below or above it.
//!
//! This is an HV drawing of a tree (Crescenzi, Di Battista, Piperno 1992): each child is to the right of its parent or vertically from it, so nothing crosses.
//! Laterals are placed from right to left, each as near to the row as the elements that are already placed permit. A layered tree layout, such as that of
//! Reingold and Tilford, would bend the trunk at each unit.

use network::EquipmentKind;
use network::description::Electrical;

use super::block::{Area, Axis, Block, Drawn, Spot, width};
use super::graph::Graph;
use super::names::{Beyond, name_of};
use super::shape::{Shape, customers};
use super::tree::{Attached, Below, Child, Tree};
use crate::wiring::THIRD_WINDING;

/// The smallest scale at which all texts fit without overlap, pixels per drawing unit. The next constant is the size of the smallest text on the screen, px.
const SCALE: f64 = 0.75;
const TEXT_PX: f64 = 11.0;
/// The size of a text, and the distance of lines of text, drawing units.
const TEXT: f64 = TEXT_PX / SCALE;
const LINE: f64 = 13.0 / SCALE;
/// Space between two texts.
const SPACE: f64 = 4.0;
/// Length of the line between two symbols, of the line above the first symbol that hangs from a row, and of a line segment.
const STUB: f64 = 8.0;
const FIRST_STUB: f64 = 14.0;
const SEGMENT: f64 = 24.0;
const LONG_SEGMENT: f64 = 40.0;
/// Distance of two rows.
const GAP: f64 = 18.0;
/// Half the height of the busbar at the beginning.
const BAR: f64 = 70.0;
/// Distance between pieces of equipment that are side by side behind a transformer.
const BESIDE: f64 = 84.0;
/// Distance between the middle of a symbol and the first text above it.
const NAME: f64 = 12.0;
/// Half a transformer.
const WINDINGS: f64 = 26.0;

pub(super) struct Rows<'a> {
    pub(super) graph: &'a Graph<'a>,
    pub(super) tree: &'a Tree,
    pub(super) shape: &'a Shape,
    /// Whether a breaker has measured values.
    pub(super) has_values: &'a dyn Fn(usize) -> bool,
}

/// The sides on which laterals of a row may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    Both,
    Down,
    Up,
}

/// A row while it is made.
struct Row<'a> {
    rows: &'a Rows<'a>,
    sides: Sides,
    /// The position in the tree of the node where the row begins. This node is drawn as a part of another row, or as the busbar.
    start: usize,
    block: Block,
    /// The position at which the present node begins, and the position of its last connection.
    from: f64,
    x: f64,
    /// The right ends of the two lines of names above the row, and of the parts that hang below it.
    above: [f64; 2],
    below: f64,
    laterals: Vec<(f64, usize, usize, bool)>,
    /// Numbers of rows below and above.
    weight: [usize; 2],
}

/// Returns the width that a text needs.
fn room(text: &str) -> f64 {
    width(text) * TEXT
}

impl Rows<'_> {
    /// Lays out the whole tree.
    pub(super) fn all(&self) -> Block {
        let mut row = Row::new(self, Sides::Both);
        let root = &self.tree.nodes[0];
        let busbar = root.attached.iter().find_map(|attached| match attached {
            Attached::Equipment(equipment) if self.graph.kind(*equipment) == EquipmentKind::BusbarSection => Some(*equipment),
            _ => None,
        });
        row.block.add([0.0, -BAR], Drawn::Bar { equipment: busbar, node: root.node, to: [0.0, 2.0 * BAR] });
        let name = room(&super::names::busbar_name(self.graph, root.node));
        row.block.take([-4.0, -BAR - LINE * 2.0, name.max(8.0), BAR]);
        (row.above, row.below) = ([8.0; 2], 8.0);
        row.run(0, root.children.first());
        row.finish()
    }

    /// Lays out a lateral from the node where it begins.
    fn lateral(&self, at: usize, child: &Child, sides: Sides) -> Block {
        let mut row = Row::new(self, sides);
        row.run(at, Some(child));
        row.finish()
    }

    /// Lays out a short branch that hangs from a node.
    fn hanging(&self, at: usize, child: &Child) -> Block {
        let mut block = Block::default();
        let (mut y, mut at, mut next) = (0.0, at, Some(child));
        let mut hangs_from_transformer = false;
        while let Some(child) = next.take() {
            let (graph, equipment, node) = (self.graph, child.equipment, self.tree.nodes[at].node);
            match graph.kind(equipment) {
                EquipmentKind::PowerTransformer => {
                    y = self.transformer(&mut block, y, child, node);
                    hangs_from_transformer = true;
                }
                kind if kind.is_switch() => {
                    let half = half_of(kind);
                    let middle = y + if y > 0.0 { STUB } else { FIRST_STUB } + half;
                    block.add([0.0, y], Drawn::Wire { equipment: None, node, path: vec![[0.0, 0.0], [0.0, middle - half - y]] });
                    block.add([0.0, middle], Drawn::Symbol { equipment, axis: Axis::Down, from: node });
                    let side = if kind == EquipmentKind::Fuse { 12.0 } else { 16.0 + room(&name_of(graph, graph.equipment(equipment))) };
                    block.take([-side, y, 12.0, middle + half]);
                    y = middle + half;
                }
                _ => {
                    block.add([0.0, y], Drawn::Wire { equipment: Some(equipment), node, path: vec![[0.0, 0.0], [0.0, SEGMENT]] });
                    block.take([-4.0, y, 4.0, y + SEGMENT]);
                    y += SEGMENT;
                }
            }
            match child.to.first() {
                Some(Below::Node(below)) => {
                    at = *below;
                    let below = &self.tree.nodes[at];
                    next = below.children.first();
                    self.leaves(&mut block, y, at, next.is_some(), hangs_from_transformer);
                    if next.is_some() && !below.attached.is_empty() {
                        // What comes next hangs below the equipment beside the line.
                        let end = block.taken.iter().fold(y, |end, area| end.max(area[3])) + SPACE;
                        block.add([0.0, y], Drawn::Wire { equipment: None, node: below.node, path: vec![[0.0, 0.0], [0.0, end - y]] });
                        block.take([-4.0, y, 4.0, end]);
                        y = end;
                    }
                }
                Some(Below::Beyond(beyond)) => {
                    let node = beyond.node;
                    block.add([0.0, y], Drawn::Wire { equipment: None, node, path: vec![[0.0, 0.0], [0.0, 12.0]] });
                    Self::end(&mut block, [0.0, y + 12.0], beyond, Axis::Down);
                }
                None => {}
            }
        }
        block
    }

    /// Adds a transformer below `y`, with its texts. Returns its lower end.
    fn transformer(&self, block: &mut Block, y: f64, child: &Child, node: usize) -> f64 {
        let (graph, equipment) = (self.graph, child.equipment);
        let stub = if y > 0.0 { STUB } else { FIRST_STUB };
        let middle = y + stub + WINDINGS;
        block.add([0.0, y], Drawn::Wire { equipment: None, node, path: vec![[0.0, 0.0], [0.0, stub]] });
        let behind = child.to.iter().map(|to| if let Below::Node(below) = to { customers(graph, self.tree, *below) } else { 0 });
        let customers: u64 = behind.sum();
        block.add([0.0, middle], Drawn::Hanging { equipment, from: node, customers });
        let texts = [name_of(graph, graph.equipment(equipment)), "1000 kVA".to_owned(), format!("{customers} cust.")];
        let half = texts.iter().map(|text| room(text)).fold(40.0, f64::max) / 2.0 + SPACE / 2.0;
        let lower = middle + WINDINGS;
        block.take([-20.0, y, 20.0, lower]);
        block.take([-half, lower + 28.0, half, lower + 34.0 + 3.0 * LINE]);
        if let Some(third) = child.to.get(1) {
            let foot = 44.0;
            let path = vec![[0.0, 0.0], [0.0, foot]];
            block.add([-THIRD_WINDING, middle], Drawn::Wire { equipment: None, node, path });
            block.insert(self.third(third), [-THIRD_WINDING, middle + foot]);
        }
        lower
    }

    /// Lays out the parts that hang from a third winding.
    fn third(&self, third: &Below) -> Block {
        let mut block = Block::default();
        match third {
            Below::Node(at) => self.leaves(&mut block, 0.0, *at, false, true),
            Below::Beyond(beyond) => Self::end(&mut block, [0.0, 0.0], beyond, Axis::Down),
        }
        block
    }

    /// Adds the equipment with one terminal at a node that hangs.
    fn leaves(&self, block: &mut Block, y: f64, at: usize, continues: bool, is_behind_transformer: bool) {
        let of = &self.tree.nodes[at];
        let mut attached: Vec<&Attached> = of.attached.iter().collect();
        // The consumers come first: the texts of the transformer are below them.
        attached.sort_by_key(|attached| !self.is_consumer(attached));
        let mut x = if continues { BESIDE } else { 0.0 };
        for (position, attached) in attached.into_iter().enumerate() {
            if x > 0.0 {
                let path = vec![[0.0, 0.0], [x, 0.0]];
                block.add([0.0, y], Drawn::Wire { equipment: None, node: of.node, path });
            }
            self.leaf(block, [x, y], attached, of.node, !is_behind_transformer || position > 0);
            x += BESIDE;
        }
    }

    fn is_consumer(&self, attached: &Attached) -> bool {
        match attached {
            Attached::Equipment(equipment) => self.graph.kind(*equipment) == EquipmentKind::EnergyConsumer,
            Attached::LowVoltage(_) => true,
            Attached::Elsewhere(_) => false,
        }
    }

    /// Adds the part that hangs from a place of a node.
    fn leaf(&self, block: &mut Block, [x, y]: Spot, attached: &Attached, node: usize, has_text: bool) {
        let wire = |block: &mut Block| block.add([x, y], Drawn::Wire { equipment: None, node, path: vec![[0.0, 0.0], [0.0, 14.0]] });
        let equipment = match attached {
            Attached::Elsewhere(beyond) => {
                wire(block);
                return Self::end(block, [x, y + 14.0], beyond, Axis::Down);
            }
            Attached::LowVoltage(sum) => {
                wire(block);
                block.add([x, y + 20.0], Drawn::LowVoltage(*sum));
                return block.take([x - 12.0, y, x + 12.0, y + 28.0]);
            }
            Attached::Equipment(equipment) => *equipment,
        };
        let name = room(&name_of(self.graph, self.graph.equipment(equipment))) / 2.0 + SPACE / 2.0;
        let symbol = |depth: f64| ([x, y + depth], Drawn::Symbol { equipment, axis: Axis::Down, from: node });
        let (half, depth) = match self.graph.kind(equipment) {
            EquipmentKind::EnergyConsumer => {
                wire(block);
                block.add([x, y + 20.0], Drawn::Consumer { equipment, has_text });
                if has_text { (name.max(room("10000 cust.") / 2.0), 28.0 + 2.0 * LINE) } else { (12.0, 28.0) }
            }
            EquipmentKind::BusbarSection => {
                block.add([x - 16.0, y], Drawn::Bar { equipment: Some(equipment), node, to: [32.0, 0.0] });
                (18.0, 4.0)
            }
            EquipmentKind::GroundDisconnector => {
                let (at, drawn) = symbol(0.0);
                block.add(at, drawn);
                (12.0, 54.0)
            }
            kind => {
                wire(block);
                let depth = match kind {
                    EquipmentKind::ShuntCompensator if self.is_reactor(equipment) => 30.0,
                    EquipmentKind::ShuntCompensator => 14.0,
                    EquipmentKind::EnergySource => 20.0,
                    _ => 28.0,
                };
                let (at, drawn) = symbol(depth);
                block.add(at, drawn);
                (name.max(16.0), 50.0 + LINE)
            }
        };
        block.take([x - half, y, x + half, y + depth]);
    }

    fn is_reactor(&self, equipment: usize) -> bool {
        matches!(self.graph.equipment(equipment).electrical, Electrical::Shunt(shunt) if shunt.b_s < 0.0)
    }

    /// Adds an end with the name of the part beyond it.
    fn end(block: &mut Block, [x, y]: Spot, beyond: &Beyond, axis: Axis) {
        block.add([x, y], Drawn::End { beyond: beyond.clone(), axis });
        let (half, whole) = (room(&beyond.name).max(room(&beyond.label)) / 2.0, room(&beyond.name).max(room(&beyond.label)));
        block.take(match axis {
            Axis::Across => [x, y - 16.0, x + 12.0 + whole, y + 8.0 + LINE],
            Axis::Down => [x - half.max(10.0), y, x + half.max(10.0), y + 12.0 + 2.0 * LINE],
        });
    }
}

fn half_of(kind: EquipmentKind) -> f64 {
    if kind == EquipmentKind::Breaker { 8.0 } else { 10.0 }
}

impl<'a> Row<'a> {
    fn new(rows: &'a Rows<'a>, sides: Sides) -> Self {
        let block = Block::default();
        Self { rows, sides, start: 0, block, from: 0.0, x: 0.0, above: [SPACE; 2], below: SPACE, laterals: Vec::new(), weight: [0; 2] }
    }

    /// Draws a row from a node through a child to its end.
    fn run(&mut self, at: usize, first: Option<&'a Child>) {
        self.start = at;
        let (mut at, mut next) = (at, first);
        while let Some(child) = next.take() {
            self.branch(at, child);
            match child.to.first() {
                Some(Below::Node(below)) => {
                    at = *below;
                    self.from = self.x;
                    self.node(at);
                    next = self.rows.shape.next(at).and_then(|position| self.rows.tree.nodes[at].children.get(position));
                }
                Some(Below::Beyond(beyond)) => {
                    self.wire(beyond.node, self.x, self.x + 14.0);
                    self.x += 14.0;
                    Rows::end(&mut self.block, [self.x, 0.0], beyond, Axis::Across);
                    return;
                }
                None => {}
            }
        }
        self.metal(at, self.x);
    }

    fn wire(&mut self, node: usize, from: f64, to: f64) {
        if to > from {
            self.block.add([from, 0.0], Drawn::Wire { equipment: None, node, path: vec![[0.0, 0.0], [to - from, 0.0]] });
            self.block.take([from, -4.0, to, 4.0]);
        }
    }

    /// Draws a node up to a place, as its busbar sections or as a line.
    fn metal(&mut self, at: usize, to: f64) {
        let of = &self.rows.tree.nodes[at];
        let is_bar = |equipment: &usize| self.rows.graph.kind(*equipment) == EquipmentKind::BusbarSection;
        let bars: Vec<usize> = of.attached.iter().filter_map(equipment_of).filter(is_bar).collect();
        if at == self.start || bars.is_empty() {
            return self.wire(of.node, self.from, to);
        }
        let length = (to - self.from) / bars.len() as f64;
        for (position, bar) in bars.into_iter().enumerate() {
            let from = self.from + length * position as f64;
            self.block.add([from, 0.0], Drawn::Bar { equipment: Some(bar), node: of.node, to: [length, 0.0] });
            self.block.take([from, -4.0, from + length, 4.0]);
        }
    }

    /// Draws the equipment that leads from a node to the next one.
    fn branch(&mut self, at: usize, child: &Child) {
        let (graph, equipment) = (self.rows.graph, child.equipment);
        let node = self.rows.tree.nodes[at].node;
        let kind = graph.kind(equipment);
        if kind.is_switch() {
            let half = half_of(kind);
            let name = room(&name_of(graph, graph.equipment(equipment))) / 2.0;
            let wished = self.x + STUB + half;
            let at_line = |line: usize| (self.above[line] + SPACE + name).max(wished);
            let line = usize::from(at_line(1) < at_line(0));
            let middle = at_line(line).ceil();
            self.above[line] = middle + name;
            self.metal(at, middle - half);
            self.block.add([middle, 0.0], Drawn::Symbol { equipment, axis: Axis::Across, from: node });
            self.block.take([middle - name, -NAME - LINE * (line + 1) as f64 - 4.0, middle + name, 12.0]);
            self.x = middle + half;
            if (self.rows.has_values)(equipment) {
                self.block.add([middle + 12.0, 34.0], Drawn::Values { equipment });
                let left = middle + 12.0 - 44.0 / SCALE;
                let shift = (self.below - left).max(0.0);
                if let Some(item) = self.block.items.last_mut() {
                    item.at[0] += shift;
                }
                self.below = middle + 12.0 + shift + 30.0 / SCALE;
                self.block.take([left + shift, 26.0, self.below, 30.0 + 3.0 * LINE]);
            }
            return;
        }
        if kind == EquipmentKind::PowerTransformer {
            let name = room(&name_of(graph, graph.equipment(equipment))).max(room("1000 kVA")) / 2.0;
            let middle = (self.x + STUB + WINDINGS).max(self.below + SPACE + name).ceil();
            self.metal(at, middle - WINDINGS);
            self.block.add([middle, 0.0], Drawn::Symbol { equipment, axis: Axis::Across, from: node });
            self.below = middle + name;
            self.block.take([middle - name, -20.0, middle + name, WINDINGS + 34.0 + 3.0 * LINE]);
            self.x = middle + WINDINGS;
            if let Some(third) = child.to.get(1) {
                self.block.insert(self.rows.third(third), [middle, THIRD_WINDING]);
            }
            return;
        }
        self.metal(at, self.x);
        let length = if kind == EquipmentKind::LineSegment { SEGMENT } else { LONG_SEGMENT };
        let path = vec![[0.0, 0.0], [length, 0.0]];
        self.block.add([self.x, 0.0], Drawn::Wire { equipment: Some(equipment), node, path });
        self.block.take([self.x, -4.0, self.x + length, 4.0]);
        self.x += length;
    }

    /// Places the parts that hang from a node of the row.
    fn node(&mut self, at: usize) {
        let rows = self.rows;
        let of = &rows.tree.nodes[at];
        for attached in &of.attached {
            if equipment_of(attached).is_some_and(|equipment| rows.graph.kind(equipment) == EquipmentKind::BusbarSection) {
                self.x = self.x.max(self.from + 24.0);
                continue;
            }
            let mut block = Block::default();
            rows.leaf(&mut block, [0.0, 0.0], attached, of.node, true);
            self.hang(block);
        }
        let next = rows.shape.next(at);
        for (position, child) in of.children.iter().enumerate().filter(|(position, _)| Some(*position) != next) {
            if rows.shape.hangs(child) {
                self.hang(rows.hanging(at, child));
                continue;
            }
            let is_down = match self.sides {
                Sides::Down => true,
                Sides::Up => false,
                Sides::Both => self.weight[0] <= self.weight[1],
            };
            self.weight[usize::from(!is_down)] += rows.shape.rows(child);
            let free = if is_down { self.below } else { self.above[0].max(self.above[1]) };
            let x = (self.x + STUB).max(free + SPACE).ceil();
            if is_down {
                self.below = x + SPACE;
            } else {
                self.above = [x + SPACE; 2];
            }
            self.x = x;
            self.laterals.push((x, at, position, is_down));
        }
    }

    /// Places a block at the next place of the row where there is room for it.
    fn hang(&mut self, block: Block) {
        let (left, right) = block.reach();
        let x = (self.x + STUB).max(self.below + SPACE + left).ceil();
        self.below = x + right;
        self.x = x;
        self.block.insert(block, [x, 0.0]);
    }

    /// Places the laterals from right to left, and returns the row.
    fn finish(mut self) -> Block {
        for (x, at, position, is_down) in std::mem::take(&mut self.laterals).into_iter().rev() {
            let of = &self.rows.tree.nodes[at];
            let sides = if is_down { Sides::Down } else { Sides::Up };
            let lateral = self.rows.lateral(at, &of.children[position], sides);
            let dy = self.block.clearance(&lateral, x, is_down, GAP);
            let dy = if is_down { dy.max(3.0 * GAP).ceil() } else { dy.min(-3.0 * GAP).floor() };
            self.block.add([x, 0.0], Drawn::Wire { equipment: None, node: of.node, path: vec![[0.0, 0.0], [0.0, dy]] });
            let area: Area = [x - SPACE, dy.min(0.0), x + SPACE, dy.max(0.0)];
            self.block.insert(lateral, [x, dy]);
            self.block.take(area);
        }
        self.block
    }
}

fn equipment_of(attached: &Attached) -> Option<usize> {
    if let Attached::Equipment(equipment) = attached { Some(*equipment) } else { None }
}
