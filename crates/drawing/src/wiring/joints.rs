//! The geometry: where devices cut lines, and which elements touch.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::columns::Columns;
use super::excess::{Excess, PIECES_MAX, Work};
use super::groups::Groups;
use super::shape::{REACH, Shape, Spot, THIRD_WINDING, TOLERANCE};

/// A piece of a line, or a busbar. Its slot is its index in the list.
#[derive(Debug)]
pub(super) struct Piece {
    /// The element that it belongs to.
    element: usize,
    pub(super) path: Vec<Spot>,
    /// The device at its start and at its end, if it was cut there, with the side of the device.
    cut: [Option<(usize, Side)>; 2],
}

/// The side of a device: A is top or left, B is bottom or right, C is the third winding of a transformer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    A,
    B,
    C,
}

/// All elements that have a node, as slots.
#[derive(Debug)]
pub(super) struct Sheet {
    /// The slots of each element.
    pub(super) slots: Vec<Range<usize>>,
    pub(super) pieces: Vec<Piece>,
    count: usize,
    /// Devices with a position.
    devices: Vec<Device>,
    devices_by_x: Columns,
    /// Pieces, with extents enlarged by the tolerance.
    pieces_by_x: Columns,
    /// Pairs of device and line that it cuts.
    cuts: BTreeSet<(usize, usize)>,
    work: Work,
}

/// Cost of an entry in the column index, in comparisons. It includes the memory, because a line can be in thousands of columns.
const ENTRY: usize = 40;
/// Cost of a result from the column index, in comparisons.
const FOUND: usize = 8;

#[derive(Debug, Clone, Copy)]
struct Device {
    element: usize,
    at: Spot,
    is_horizontal: bool,
    half: f64,
    has_third: bool,
}

/// An end of a piece, and the terminal there.
#[derive(Debug)]
struct End {
    slot: usize,
    spot: Spot,
    terminal: Option<(usize, Side)>,
}

impl Device {
    /// Returns a position relative to the middle: along the axis and across it.
    fn seen(&self, [x, y]: Spot) -> (f64, f64) {
        let (dx, dy) = (x - self.at[0], y - self.at[1]);
        if self.is_horizontal { (dx, dy) } else { (dy, dx) }
    }

    fn is_within_reach(&self, spot: Spot) -> bool {
        let (along, across) = self.seen(spot);
        let is_at_third = along.abs() <= TOLERANCE && (0.0..=THIRD_WINDING + TOLERANCE).contains(&self.towards_third(across));
        across.abs() <= TOLERANCE && along.abs() <= self.half + TOLERANCE || self.has_third && is_at_third
    }

    /// Converts a distance across the axis to a distance towards the third winding, which is on the left or at the bottom.
    fn towards_third(&self, across: f64) -> f64 {
        if self.is_horizontal { across } else { -across }
    }

    fn sides(&self) -> &'static [Side] {
        if self.has_third { &[Side::A, Side::B, Side::C] } else { &[Side::A, Side::B] }
    }

    fn terminal(&self, side: Side) -> Spot {
        let (along, across) = match side {
            Side::A => (-self.half, 0.0),
            Side::B => (self.half, 0.0),
            Side::C => (0.0, self.towards_third(THIRD_WINDING)),
        };
        let [x, y] = self.at;
        if self.is_horizontal { [x + along, y + across] } else { [x + across, y + along] }
    }

    /// Returns the side on which a path leaves the device, and how clearly, from the first point of the path outside of the device. Lines across the axis are
    /// included, because a device with the wrong orientation still cuts its line.
    fn side(&self, mut path: impl Iterator<Item = Spot>) -> (Side, f64) {
        let mut last = self.at;
        let outside = path.find(|spot| {
            last = *spot;
            distance(self.at, *spot) > self.half + TOLERANCE
        });
        let (along, across) = self.seen(outside.unwrap_or(last));
        if self.has_third && self.towards_third(across) > along.abs() {
            return (Side::C, across.abs() / distance(self.at, outside.unwrap_or(last)).max(1e-9));
        }
        let measure = if along.abs() > across.abs() * 1e-3 { along } else { across };
        (if measure < 0.0 { Side::A } else { Side::B }, along.abs() / distance(self.at, outside.unwrap_or(last)).max(1e-9))
    }
}

impl Sheet {
    /// Cuts the lines and assigns slots to all elements.
    pub(super) fn cut(shapes: &[Shape]) -> Result<Self, Excess> {
        let device = |(element, shape): (usize, &Shape)| match shape {
            Shape::Device { at: Some(at), is_horizontal, half, has_third, .. } => {
                Some(Device { element, at: *at, is_horizontal: *is_horizontal, half: *half, has_third: *has_third })
            }
            _ => None,
        };
        let devices: Vec<Device> = shapes.iter().enumerate().filter_map(device).collect();
        let slots = vec![0..0; shapes.len()];
        let (devices_by_x, pieces_by_x) = <(Columns, Columns)>::default();
        let (cuts, work) = (BTreeSet::new(), Work::default());
        let mut sheet = Self { slots, pieces: Vec::new(), count: 0, devices, devices_by_x, pieces_by_x, cuts, work };
        for (index, device) in sheet.devices.iter().enumerate() {
            sheet.devices_by_x.enter(index, (device.at[0], device.at[0]));
        }
        for (element, shape) in shapes.iter().enumerate() {
            let first = sheet.pieces.len();
            match shape {
                Shape::Line { path, names } => sheet.cut_line(element, path, names),
                Shape::Busbar { path, .. } => sheet.pieces.push(Piece { element, path: path.clone(), cut: [None, None] }),
                _ => continue,
            }
            sheet.slots[element] = first..sheet.pieces.len();
            if sheet.pieces.len() > PIECES_MAX {
                return Err(Excess::Pieces);
            }
            sheet.work.check()?;
        }
        for (slot, piece) in sheet.pieces.iter().enumerate().filter(|(_, piece)| !piece.path.is_empty()) {
            let entries = sheet.pieces_by_x.enter(slot, extent(&piece.path, TOLERANCE));
            sheet.work.add(entries * ENTRY);
            sheet.work.check()?;
        }
        sheet.count = sheet.pieces.len();
        for (element, shape) in shapes.iter().enumerate() {
            let terminals = match shape {
                Shape::Device { has_third: true, .. } => 3,
                Shape::Device { .. } => 2,
                Shape::Terminal { .. } => 1,
                _ => continue,
            };
            sheet.slots[element] = sheet.count..sheet.count + terminals;
            sheet.count += terminals;
        }
        Ok(sheet)
    }

    fn cut_line(&mut self, element: usize, path: &[Spot], names: &[String]) {
        let cuts = if names.len() == 1 { Vec::new() } else { self.cuts_of(path) };
        let mut begun = vec![path[0]];
        let mut came_from = None;
        let mut at_segment = 0;
        for (segment, _, index) in cuts {
            let device = self.devices[index];
            begun.extend(&path[at_segment + 1..=segment]);
            begun.push(device.at);
            let ahead = path[segment + 1..].iter().copied();
            let (mut before, clearly_before) = device.side(begun.iter().rev().copied());
            let (mut after, clearly_after) = device.side(ahead);
            if before == after {
                // The two pieces are on opposite sides, whatever their directions.
                let flipped = if before == Side::A { Side::B } else { Side::A };
                if clearly_before >= clearly_after { after = flipped } else { before = flipped }
            }
            let path = std::mem::replace(&mut begun, vec![device.at]);
            self.pieces.push(Piece { element, path, cut: [came_from, Some((device.element, before))] });
            self.cuts.insert((device.element, element));
            came_from = Some((device.element, after));
            at_segment = segment;
        }
        begun.extend(&path[at_segment + 1..]);
        self.pieces.push(Piece { element, path: begun, cut: [came_from, None] });
    }

    /// Returns where devices cut a path: segment, position along the path, device; in the order of the path.
    fn cuts_of(&self, path: &[Spot]) -> Vec<(usize, f64, usize)> {
        let lengths: Vec<f64> = path.windows(2).map(|ends| distance(ends[0], ends[1])).collect();
        let whole: f64 = lengths.iter().sum();
        let mut cuts = Vec::new();
        for index in self.devices_by_x.within(extent(path, TOLERANCE)) {
            self.work.add(path.len() + FOUND);
            let device = self.devices[index];
            let mut nearest: Option<(f64, usize, f64)> = None;
            let mut before = 0.0;
            for (segment, ends) in path.windows(2).enumerate() {
                let (away, along) = nearest_on(ends[0], ends[1], device.at);
                if away <= TOLERANCE && nearest.is_none_or(|(held, ..)| away < held) {
                    nearest = Some((away, segment, before + along * lengths[segment]));
                }
                before += lengths[segment];
            }
            // A line that ends inside the symbol ends at a terminal of it.
            if let Some((_, segment, place)) = nearest.filter(|(.., place)| place.min(whole - place) > device.half + TOLERANCE) {
                cuts.push((segment, place, index));
            }
        }
        cuts.sort_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).unwrap_or(Ordering::Equal));
        // Two devices at one position would give a piece of length zero.
        cuts.dedup_by(|a, b| (a.1 - b.1).abs() < TOLERANCE);
        cuts
    }

    /// Returns the sets that are given by the node names of elements.
    pub(super) fn named(&self, shapes: &[Shape]) -> Groups {
        let mut groups = Groups::new(self.count);
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for (shape, slots) in shapes.iter().zip(&self.slots) {
            let names = match shape {
                Shape::None => continue,
                Shape::Line { names, .. } | Shape::Busbar { names, .. } | Shape::Device { names, .. } | Shape::Terminal { names, .. } => {
                    names
                }
            };
            if names.len() != slots.len() {
                continue;
            }
            for (name, slot) in names.iter().zip(slots.clone()) {
                let first = *known.entry(name).or_insert(slot);
                groups.name(slot, first);
                groups.merge(first, slot);
            }
        }
        groups
    }

    /// Joins elements that touch.
    pub(super) fn join(&self, shapes: &[Shape], groups: &mut Groups) -> Result<(), Excess> {
        let mut ends: Vec<End> = Vec::new();
        for (slot, piece) in self.pieces.iter().enumerate() {
            ends.extend(self.ends_of(slot, piece));
            self.work.check()?;
        }
        // Pairs of device and line that are already connected: the line joins a terminal and no other line within the symbol.
        let mut attached = self.cuts.clone();
        attached.extend(ends.iter().filter_map(|end| Some((end.terminal?.0, self.pieces[end.slot].element))));
        for (slot, piece) in self.pieces.iter().enumerate() {
            for (device, side) in piece.cut.into_iter().flatten() {
                groups.merge(slot, self.terminal_slot(device, side));
            }
        }
        for end in &ends {
            if let Some((device, side)) = end.terminal {
                groups.merge(end.slot, self.terminal_slot(device, side));
            }
            for other in self.pieces_by_x.at(end.spot[0]).filter(|other| *other != end.slot) {
                let there = &self.pieces[other];
                self.work.add(there.path.len());
                let meets_in_device = end.terminal.is_some_and(|(device, _)| attached.contains(&(device, there.element)));
                if !meets_in_device && touches(&there.path, end.spot) {
                    groups.merge(end.slot, other);
                }
            }
            self.work.check()?;
        }
        self.join_terminals(&attached, groups)?;
        for (shape, slots) in shapes.iter().zip(&self.slots) {
            if let Shape::Terminal { at: Some(at), .. } = shape
                && let Some(other) = self.under(*at)
            {
                groups.merge(slots.start, other);
            }
            self.work.check()?;
        }
        Ok(())
    }

    /// Returns the ends of a piece at which it was not cut.
    fn ends_of(&self, slot: usize, piece: &Piece) -> Vec<End> {
        let (Some(first), Some(last)) = (piece.path.first(), piece.path.last()) else { return Vec::new() };
        let end = |(end, spot): (usize, Spot)| {
            let closer =
                |a: &&Device, b: &&Device| distance(a.at, spot).total_cmp(&distance(b.at, spot)).then_with(|| compare(&[a.at], &[b.at]));
            let device = self.devices_near(spot, 0.0).filter(|device| device.is_within_reach(spot)).min_by(closer);
            let side = |device: &Device| {
                let (side, _) =
                    if end == 0 { device.side(piece.path.iter().copied()) } else { device.side(piece.path.iter().rev().copied()) };
                (device.element, side)
            };
            End { slot, spot, terminal: device.map(side) }
        };
        [(0, *first), (1, *last)].into_iter().filter(|(end, _)| piece.cut[*end].is_none()).map(end).collect()
    }

    /// Returns the devices that may have a terminal within this distance.
    fn devices_near(&self, spot: Spot, away: f64) -> impl Iterator<Item = &Device> {
        let away = away + THIRD_WINDING + TOLERANCE;
        let near = self.devices_by_x.within((spot[0] - away, spot[0] + away));
        self.work.add(near.len() * FOUND);
        near.into_iter().map(|index| &self.devices[index])
    }

    fn terminal_slot(&self, device: usize, side: Side) -> usize {
        self.slots[device].start + side as usize
    }

    /// Connects terminals with the busbars and lines that pass them, and with each other.
    fn join_terminals(&self, attached: &BTreeSet<(usize, usize)>, groups: &mut Groups) -> Result<(), Excess> {
        let mut terminals: Vec<(Spot, usize)> = Vec::with_capacity(self.devices.len() * 2);
        for device in &self.devices {
            for side in device.sides().iter().copied() {
                let spot = device.terminal(side);
                let slot = self.terminal_slot(device.element, side);
                for other in self.pieces_by_x.at(spot[0]) {
                    let piece = &self.pieces[other];
                    self.work.add(piece.path.len());
                    if !attached.contains(&(device.element, piece.element)) && touches(&piece.path, spot) {
                        groups.merge(slot, other);
                    }
                }
                terminals.push((spot, slot));
            }
            self.work.check()?;
        }
        terminals.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]).then(a.1.cmp(&b.1)));
        for (index, (spot, slot)) in terminals.iter().enumerate() {
            for (there, other) in terminals[index + 1..].iter().take_while(|(there, _)| there[0] - spot[0] <= TOLERANCE) {
                self.work.add(1);
                if distance(*spot, *there) <= TOLERANCE {
                    groups.merge(*slot, *other);
                }
            }
            self.work.check()?;
        }
        Ok(())
    }

    /// Returns the part on which an element with one terminal is placed: the nearest piece, otherwise the nearest end of a piece or terminal within reach. If
    /// distances are equal, the position on the sheet decides, not the order in the file.
    fn under(&self, spot: Spot) -> Option<usize> {
        let on = |slot: usize| {
            self.work.add(self.pieces[slot].path.len());
            Some((away(&self.pieces[slot].path, spot), slot)).filter(|(away, _)| *away <= TOLERANCE)
        };
        let by_place = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then_with(|| compare(self.place(a.1), self.place(b.1)));
        if let Some((_, slot)) = self.pieces_by_x.at(spot[0]).filter_map(on).min_by(by_place) {
            return Some(slot);
        }
        let ends = self.pieces_by_x.within((spot[0] - REACH, spot[0] + REACH)).into_iter().flat_map(|slot| {
            let piece = &self.pieces[slot];
            let ends = [(0, piece.path.first()), (1, piece.path.last())];
            ends.into_iter().filter(|(end, _)| piece.cut[*end].is_none()).filter_map(move |(_, end)| Some((*end?, slot)))
        });
        let terminal = |device: &Device, side| (device.terminal(side), self.terminal_slot(device.element, side));
        let terminals = self.devices_near(spot, REACH).flat_map(|device| device.sides().iter().map(move |side| terminal(device, *side)));
        let nearby = ends.chain(terminals).filter(|(there, _)| distance(spot, *there) <= REACH);
        let by_place = |a: &(Spot, usize), b: &(Spot, usize)| {
            let near = distance(spot, a.0).total_cmp(&distance(spot, b.0));
            near.then_with(|| compare(&[a.0], &[b.0])).then_with(|| compare(self.place(a.1), self.place(b.1)))
        };
        nearby.min_by(by_place).map(|(_, slot)| slot)
    }

    /// Returns the path of a piece; empty for a terminal.
    fn place(&self, slot: usize) -> &[Spot] {
        self.pieces.get(slot).map(|piece| piece.path.as_slice()).unwrap_or_default()
    }
}

fn compare(a: &[Spot], b: &[Spot]) -> Ordering {
    a.iter().flatten().partial_cmp(b.iter().flatten()).unwrap_or(Ordering::Equal)
}

/// Returns the extent of a path in x, enlarged by `more` on both sides.
fn extent(path: &[Spot], more: f64) -> (f64, f64) {
    let xs = || path.iter().map(|spot| spot[0]);
    (xs().fold(f64::INFINITY, f64::min) - more, xs().fold(f64::NEG_INFINITY, f64::max) + more)
}

fn distance(a: Spot, b: Spot) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// Returns the distance of a point from a segment, and the position along it (0 to 1) of the nearest point.
fn nearest_on(from: Spot, to: Spot, spot: Spot) -> (f64, f64) {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let square = dx * dx + dy * dy;
    let along = if square > 0.0 { (((spot[0] - from[0]) * dx + (spot[1] - from[1]) * dy) / square).clamp(0.0, 1.0) } else { 0.0 };
    (distance(spot, [from[0] + along * dx, from[1] + along * dy]), along)
}

fn away(path: &[Spot], spot: Spot) -> f64 {
    path.windows(2).map(|ends| nearest_on(ends[0], ends[1], spot).0).fold(f64::INFINITY, f64::min)
}

fn touches(path: &[Spot], spot: Spot) -> bool {
    path.windows(2).any(|ends| {
        let [low, high] = [0, 1].map(|axis| (ends[0][axis].min(ends[1][axis]) - TOLERANCE, ends[0][axis].max(ends[1][axis]) + TOLERANCE));
        let is_near = (low.0..=low.1).contains(&spot[0]) && (high.0..=high.1).contains(&spot[1]);
        is_near && nearest_on(ends[0], ends[1], spot).0 <= TOLERANCE
    })
}
