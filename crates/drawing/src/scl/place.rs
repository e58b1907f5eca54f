//! Draws a substation that has coordinates: symbols at their positions, and lines along its connectivity nodes.

use std::collections::BTreeMap;

use super::model::{Model, one_terminal};
use crate::layout::{Asset, SymbolKind, symbol};
use crate::schema::{AssetCode, Busbar, Coordinate, Element, File, Id, Kv, Line, Name, Nodes, Orientation, Path};

/// Drawing units per unit of the file, so that one grid cell of the file is the distance between two symbols.
const SCALE: f64 = 40.0;
/// Left and upper margin, drawing units.
const MARGIN: f64 = 120.0;
/// Distance from the middle of a transformer to the ends of its lines, drawing units.
const WINDINGS: f64 = 26.0;
/// Length of a busbar beyond its last connection, drawing units.
const OVERHANG: f64 = 40.0;

type Spot = [f64; 2];

/// Returns the drawing.
pub(super) fn file(model: &Model, buses: &BTreeMap<usize, &Asset>) -> File {
    let all = model.devices.iter().filter_map(|device| device.at).chain(model.nets.iter().filter_map(|net| net.at));
    let least = all.fold((f64::MAX, f64::MAX), |(x, y), at| (x.min(at.0), y.min(at.1)));
    let spot = |(x, y): (f64, f64)| [MARGIN + (x - least.0) * SCALE, MARGIN + (y - least.1) * SCALE];
    let mut sheet =
        Sheet { model, elements: Vec::new(), spots: model.devices.iter().map(|device| device.at.map_or([MARGIN, MARGIN], spot)).collect() };
    let hubs: Vec<Option<Spot>> = model.nets.iter().map(|net| net.at.map(spot)).collect();
    for (net, hub) in hubs.iter().enumerate() {
        if model.nets[net].is_bus { sheet.bus(net, *hub, buses.get(&net).copied()) } else { sheet.net(net, *hub) }
    }
    for device in 0..model.devices.len() {
        sheet.device(device);
    }
    File::new(Name::shortened(&model.name), sheet.elements)
}

struct Sheet<'a> {
    model: &'a Model,
    elements: Vec<Element>,
    /// The middle of each device.
    spots: Vec<Spot>,
}

impl Sheet<'_> {
    fn id(&self) -> Id {
        Id::try_from(format!("e{}", self.elements.len() + 1)).expect("a letter and a number")
    }

    /// Returns the ends of a net: the position where a line ends, and the orientation of the device there.
    fn ends(&self, net: usize) -> Vec<(Spot, Orientation)> {
        let mut ends = Vec::new();
        for (device, spot) in self.model.devices.iter().zip(&self.spots) {
            for at in device.nets.iter().enumerate().filter(|(_, other)| **other == net).map(|(at, _)| at) {
                let away = if device.item.kind == SymbolKind::Transformer { [-WINDINGS, WINDINGS][at] } else { 0.0 };
                let spot = if device.lies == Orientation::Vertical { [spot[0], spot[1] + away] } else { [spot[0] + away, spot[1]] };
                ends.push((spot, device.lies));
            }
        }
        ends
    }

    fn line(&mut self, net: usize, path: &[Spot]) {
        let mut corners: Vec<Spot> = Vec::new();
        for corner in path {
            if corners.last() != Some(corner) {
                corners.push(*corner);
            }
        }
        if corners.len() > 1 {
            let net = &self.model.nets[net];
            let line = Line {
                id: self.id(),
                path: Path::through(&corners),
                kv: net.kv,
                asset: None,
                name: None,
                nodes: Nodes::named(&[&net.path]),
            };
            self.elements.push(line.into());
        }
    }

    /// Draws a busbar from its first to its last connection, and a line to each.
    fn bus(&mut self, net: usize, hub: Option<Spot>, asset: Option<&Asset>) {
        let ends = self.ends(net);
        let own = &self.model.nets[net];
        let upright = hub.is_some() && own.lies == Orientation::Vertical;
        // Axis along the busbar, and axis across it.
        let (along, across) = if upright { (1, 0) } else { (0, 1) };
        let middle = |axis: usize| ends.iter().map(|(spot, _)| spot[axis]).sum::<f64>() / ends.len().max(1) as f64;
        let level = hub.map_or_else(|| middle(across), |hub| hub[across]);
        let begin = hub.into_iter().chain(ends.iter().map(|(spot, _)| *spot)).map(|spot| spot[along]).fold(f64::MAX, f64::min);
        let end = hub.into_iter().chain(ends.iter().map(|(spot, _)| *spot)).map(|spot| spot[along]).fold(f64::MIN, f64::max);
        if begin > end {
            return;
        }
        let (begin, end) = (begin - OVERHANG, end + OVERHANG);
        let [x1, y1, x2, y2] = if upright { [level, begin, level, end] } else { [begin, level, end, level] }.map(Coordinate::nearest);
        let bar = Busbar {
            id: self.id(),
            x1,
            y1,
            x2,
            y2,
            kv: own.kv,
            asset: asset.and_then(|asset| AssetCode::try_from(asset.code.as_str()).ok()),
            name: Some(Name::shortened(&bus_name(&own.name, own.kv))),
            nodes: Nodes::named(&[&own.path]),
        };
        self.elements.push(bar.into());
        for (spot, _) in ends {
            let foot = if upright { [level, spot[1]] } else { [spot[0], level] };
            self.line(net, &[spot, foot]);
        }
    }

    /// Draws the lines of a node: between two ends, or from each of several ends to a common middle.
    fn net(&mut self, net: usize, hub: Option<Spot>) {
        let ends = self.ends(net);
        match &ends[..] {
            [] | [_] => {}
            [(a, a_lies), (b, b_lies)] => {
                let (a, b) = (*a, *b);
                let path = match (a_lies, b_lies) {
                    (Orientation::Vertical, Orientation::Vertical) => {
                        let y = f64::midpoint(a[1], b[1]);
                        if a[0].to_bits() == b[0].to_bits() { vec![a, b] } else { vec![a, [a[0], y], [b[0], y], b] }
                    }
                    (Orientation::Horizontal, Orientation::Horizontal) => {
                        let x = f64::midpoint(a[0], b[0]);
                        if a[1].to_bits() == b[1].to_bits() { vec![a, b] } else { vec![a, [x, a[1]], [x, b[1]], b] }
                    }
                    (Orientation::Vertical, Orientation::Horizontal) => vec![a, [a[0], b[1]], b],
                    (Orientation::Horizontal, Orientation::Vertical) => vec![a, [b[0], a[1]], b],
                };
                self.line(net, &path);
            }
            many => {
                let middle = |axis: usize| many.iter().map(|(spot, _)| spot[axis]).sum::<f64>() / many.len() as f64;
                // With the column of the first end, the line of a bay stays straight.
                let hub = hub.unwrap_or_else(|| [many[0].0[0], (middle(1) / 20.0).round() * 20.0]);
                for (spot, lies) in many {
                    let spot = *spot;
                    let corner = if *lies == Orientation::Vertical { [spot[0], hub[1]] } else { [hub[0], spot[1]] };
                    self.line(net, &[spot, corner, hub]);
                }
            }
        }
    }

    fn device(&mut self, at: usize) {
        let device = &self.model.devices[at];
        let mut item = device.item.clone();
        // Nodes are listed from top to bottom or left to right. The position of the other devices of each node
        // determines the order.
        if let ([a, b], false) = (&device.nets[..], item.kind == SymbolKind::Transformer || one_terminal(item.kind)) {
            let axis = usize::from(device.lies == Orientation::Vertical);
            if self.rest(*a, at, axis) > self.rest(*b, at, axis) {
                item.nodes = item.nodes.map(Nodes::reversed);
            }
        }
        let element = symbol(&item, self.id(), self.spots[at], device.lies);
        self.elements.push(element);
    }

    /// Returns the mean position of a node's devices on an axis, without one device.
    fn rest(&self, net: usize, but: usize, axis: usize) -> f64 {
        let others = self
            .model
            .devices
            .iter()
            .enumerate()
            .filter(|(at, device)| *at != but && device.nets.contains(&net))
            .map(|(at, _)| self.spots[at][axis]);
        let others: Vec<f64> = others.collect();
        if others.is_empty() { self.spots[but][axis] } else { others.iter().sum::<f64>() / others.len() as f64 }
    }
}

/// Returns the name of a busbar.
pub(super) fn bus_name(name: &str, kv: Option<Kv>) -> String {
    kv.map_or_else(|| name.to_owned(), |kv| format!("{} kV {name}", kv.get()))
}
