//! Draws a substation that has coordinates: symbols at their positions, and lines along its connectivity nodes.

use std::collections::BTreeMap;

use super::bars::{self, Bar};
use super::model::{Model, one_terminal};
use super::route::{self, End, Spot};
use super::scale::Scale;
use crate::fault::LineIndex;
use crate::layout::{Asset, SymbolKind, symbol};
use crate::schema::{AssetCode, Busbar, Coordinate, Element, File, Id, Kv, Line, Name, Nodes, Orientation, Path};
use crate::wiring::THIRD_WINDING;

/// Distance from the middle of a transformer to the ends of its lines, drawing units.
const WINDINGS: f64 = 26.0;
/// Grid of the drawing, drawing units.
const GRID: f64 = 20.0;

/// A drawing with findings.
pub(super) struct Placed {
    pub file: File,
    pub notes: Vec<String>,
}

/// Returns the drawing.
pub(super) fn file(model: &Model, lines: &LineIndex, buses: &BTreeMap<usize, &Asset>) -> Placed {
    let scale = Scale::of(model);
    let spots: Vec<Spot> = model.devices.iter().map(|device| scale.spot(device.at.unwrap_or_default())).collect();
    let mut sheet = Sheet { model, elements: Vec::new(), spots, ends: vec![Vec::new(); model.nets.len()] };
    sheet.find_ends();
    let hubs: Vec<Option<Spot>> = model.nets.iter().map(|net| net.at.map(|at| scale.spot(at))).collect();
    let mut all: Vec<Bar> = (0..model.nets.len())
        .filter(|net| model.nets[*net].is_bus)
        .filter_map(|net| {
            let own = &model.nets[net];
            let is_upright = hubs[net].is_some() && own.lies == Orientation::Vertical;
            // Several busbars in one bay have one position, which says nothing about their extent.
            let is_shared = (0..model.nets.len()).any(|other| other != net && model.nets[other].is_bus && model.nets[other].at == own.at);
            Bar::new(net, is_upright, hubs[net], is_shared, &sheet.ends[net])
        })
        .collect();
    let mut notes = Vec::new();
    for net in bars::separate(&mut all) {
        let own = &model.nets[net];
        let what = format!("busbar {} would lie on another one and is drawn beside it", crate::fault::shown(&own.name));
        notes.push(lines.finding(own.byte, what));
    }
    for bar in &all {
        sheet.bus(bar, buses.get(&bar.net).copied());
    }
    for (net, hub) in hubs.iter().enumerate() {
        if !model.nets[net].is_bus {
            sheet.net(net, *hub);
        }
    }
    for device in 0..model.devices.len() {
        sheet.device(device);
    }
    Placed { file: File::new(Name::shortened(&model.name), sheet.elements), notes }
}

struct Sheet<'a> {
    model: &'a Model,
    elements: Vec<Element>,
    /// The middle of each device.
    spots: Vec<Spot>,
    /// For each net the ends of its lines.
    ends: Vec<Vec<End>>,
}

impl Sheet<'_> {
    fn id(&self) -> Id {
        Id::try_from(format!("e{}", self.elements.len() + 1)).expect("a letter and a number")
    }

    fn find_ends(&mut self) {
        for (device, spot) in self.model.devices.iter().zip(&self.spots) {
            for (terminal, net) in device.nets.iter().enumerate() {
                let end = if device.item.kind == SymbolKind::Transformer {
                    let upright = device.lies == Orientation::Vertical;
                    let (along, across) =
                        [(-WINDINGS, 0.0), (WINDINGS, 0.0), (0.0, if upright { -THIRD_WINDING } else { THIRD_WINDING })][terminal.min(2)];
                    let away = if upright { [across, along] } else { [along, across] };
                    End::outward(*spot, away)
                } else {
                    End::through(*spot, device.lies)
                };
                self.ends[*net].push(end);
            }
        }
    }

    fn line(&mut self, net: usize, path: &[Spot]) {
        let corners = route::without_repeats(path);
        if corners.len() > 1 {
            let net = &self.model.nets[net];
            let line = Line {
                id: self.id(),
                path: Path::through(&corners),
                kv: net.kv,
                asset: None,
                equipment: None,
                name: None,
                nodes: Nodes::named(&[&net.path]),
            };
            self.elements.push(line.into());
        }
    }

    /// Draws a busbar from its first to its last connection, and a line to each.
    fn bus(&mut self, bar: &Bar, asset: Option<&Asset>) {
        let own = &self.model.nets[bar.net];
        let [from, to] = bar.ends();
        let [x1, y1, x2, y2] = [from[0], from[1], to[0], to[1]].map(Coordinate::nearest);
        let element = Busbar {
            id: self.id(),
            x1,
            y1,
            x2,
            y2,
            kv: own.kv,
            asset: asset.and_then(|asset| AssetCode::try_from(asset.code.as_str()).ok()),
            equipment: None,
            name: Some(Name::shortened(&bus_name(&own.name, own.kv))),
            nodes: Nodes::named(&[&own.path]),
        };
        self.elements.push(element.into());
        for end in self.ends[bar.net].clone() {
            self.line(bar.net, &bar.route(&end));
        }
    }

    /// Draws the lines of a node: between two ends, or from each of several ends to a common middle.
    fn net(&mut self, net: usize, hub: Option<Spot>) {
        let ends = self.ends[net].clone();
        match &ends[..] {
            [] | [_] => {}
            [a, b] => {
                let path = route::between(a, b);
                self.line(net, &path);
            }
            many => {
                let middle = |axis: usize| many.iter().map(|end| end.spot[axis]).sum::<f64>() / many.len() as f64;
                // With the column of the first end, the line of a bay stays straight.
                let hub = hub.unwrap_or_else(|| [many[0].spot[0], (middle(1) / GRID).round() * GRID]);
                for end in many {
                    let path = route::to_point(end, hub);
                    self.line(net, &path);
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
        let own = self.spots[but];
        let is_own = |spot: Spot| spot.map(f64::to_bits) == own.map(f64::to_bits);
        let others: Vec<f64> = self.ends[net].iter().filter(|end| !is_own(end.device)).map(|end| end.device[axis]).collect();
        if others.is_empty() { own[axis] } else { others.iter().sum::<f64>() / others.len() as f64 }
    }
}

/// Returns the name of a busbar.
pub(super) fn bus_name(name: &str, kv: Option<Kv>) -> String {
    kv.map_or_else(|| name.to_owned(), |kv| format!("{} kV {name}", kv.get()))
}
