//! The scale of a drawing with coordinates: symbols and their names do not cover each other.

use super::model::{Device, Model};
use super::route::Spot;
use crate::labels::{Area, area_of};
use crate::layout::SymbolKind;
use crate::schema::Orientation;

/// Drawing units for one unit of a file with a grid, so that a grid cell is the distance between two symbols.
const GRID_CELL: f64 = 40.0;
/// Distance between neighbours from which coordinates are no grid but, for example, pixels; in units of the file.
const GRID_MAX: f64 = 4.0;
/// Most drawing units between neighbours.
const SPREAD_MAX: f64 = 160.0;
/// Left and upper margin, drawing units.
const MARGIN: f64 = 120.0;
/// Largest extent of a drawing, drawing units.
const EXTENT_MAX: f64 = 900_000.0;
/// Distance below which two devices are at one position, units of the file.
const SAME: f64 = 1e-3;
/// Largest number of devices that are compared in pairs.
const COMPARED_MAX: usize = 2_000;

/// Converts positions of the file to those of the drawing.
pub(super) struct Scale {
    least: (f64, f64),
    units: [f64; 2],
}

impl Scale {
    /// Chooses the scale of a substation.
    pub(super) fn of(model: &Model) -> Self {
        let all = || model.devices.iter().filter_map(|device| device.at).chain(model.nets.iter().filter_map(|net| net.at));
        let least = all().fold((f64::MAX, f64::MAX), |(x, y), at| (x.min(at.0), y.min(at.1)));
        let most = all().fold((f64::MIN, f64::MIN), |(x, y), at| (x.max(at.0), y.max(at.1)));
        let devices: Vec<(&Device, (f64, f64))> =
            model.devices.iter().take(COMPARED_MAX).filter_map(|device| Some((device, device.at?))).collect();
        let cell = (SPREAD_MAX / nearest(&devices)).min(GRID_CELL);
        let y_units = units(&devices, cell, |(a, (ax, ay)), (b, (bx, by))| {
            let is_column = (ax - bx).abs() * cell < GRID_CELL;
            is_column.then(|| ((ay - by).abs(), height(a) + height(b)))
        });
        let x_units = units(&devices, cell, |(a, (ax, ay)), (b, (bx, by))| {
            let is_row = (ay - by).abs() * y_units < GRID_CELL;
            let (left, right) = if ax < bx { (a, b) } else { (b, a) };
            is_row.then(|| ((ax - bx).abs(), area(left).right + area(right).left))
        });
        let limit = |from: f64, to: f64| EXTENT_MAX / (to - from).max(1.0);
        Self { least, units: [x_units.min(limit(least.0, most.0)), y_units.min(limit(least.1, most.1))] }
    }

    /// Returns the position in the drawing.
    pub(super) fn spot(&self, (x, y): (f64, f64)) -> Spot {
        [MARGIN + (x - self.least.0) * self.units[0], MARGIN + (y - self.least.1) * self.units[1]]
    }
}

/// Returns two devices at one position, if there are any.
pub(super) fn stacked(model: &Model) -> Option<(&Device, &Device)> {
    let mut devices: Vec<(&Device, (f64, f64))> = model.devices.iter().filter_map(|device| Some((device, device.at?))).collect();
    devices.sort_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let is_same = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() < SAME && (a.1 - b.1).abs() < SAME;
    devices.windows(2).find(|pair| is_same(pair[0].1, pair[1].1)).map(|pair| (pair[0].0, pair[1].0))
}

/// Returns the distance between the two nearest devices, at least the cell of a grid.
fn nearest(devices: &[(&Device, (f64, f64))]) -> f64 {
    let mut least: Option<f64> = None;
    for (at, (_, a)) in devices.iter().enumerate() {
        for (_, b) in &devices[at + 1..] {
            let distance = (a.0 - b.0).abs().max((a.1 - b.1).abs());
            least = Some(least.map_or(distance, |least| least.min(distance)));
        }
    }
    least.map_or(GRID_MAX, |least| least.max(GRID_MAX))
}

/// Returns the units that give each pair the room that it needs: the pair's distance in the file, and the room in drawing units.
fn units(
    devices: &[(&Device, (f64, f64))],
    cell: f64,
    pair: impl Fn((&Device, (f64, f64)), (&Device, (f64, f64))) -> Option<(f64, f64)>,
) -> f64 {
    let mut most = cell;
    for (at, a) in devices.iter().enumerate() {
        for b in &devices[at + 1..] {
            if let Some((distance, room)) = pair(*a, *b).filter(|(distance, _)| *distance > SAME) {
                most = most.max((room / distance).min(cell * SPREAD_MAX / GRID_CELL));
            }
        }
    }
    // Whole steps keep positions on the grid of the drawing.
    if (most - cell).abs() < f64::EPSILON { cell } else { (most / 10.0).ceil() * 10.0 }
}

fn area(device: &Device) -> Area {
    area_of(device.item.kind, device.lies, &device.item.name)
}

/// Returns half of the height of a symbol with its lines.
fn height(device: &Device) -> f64 {
    match (device.item.kind, device.lies) {
        (SymbolKind::Transformer, Orientation::Vertical) => 40.0,
        (SymbolKind::Transformer, Orientation::Horizontal) => 30.0,
        _ => 16.0,
    }
}
