//! The extents of busbars. A busbar extends from its first to its last connection, and does not touch other busbars.

use super::route::{End, Spot, to_bar};
use crate::schema::Orientation;

/// Length of a busbar beyond its last connection, drawing units.
const OVERHANG: f64 = 40.0;
/// Smallest gap between two busbars at one height, drawing units.
const GAP: f64 = 20.0;
/// Distance between the middle of a coupler and the end of its busbar, drawing units.
const COUPLER: f64 = 20.0;
/// Two busbars that are nearer to each other than this count as drawn over each other, drawing units.
const NEAR: f64 = 14.0;
/// Distance by which a busbar is moved away from another one, drawing units.
const STEP: f64 = 20.0;
/// Largest number of steps.
const STEPS_MAX: usize = 200;

/// A busbar.
#[derive(Debug)]
pub(super) struct Bar {
    pub net: usize,
    pub is_upright: bool,
    /// Its coordinate across.
    level: f64,
    /// First and last connection.
    extent: [f64; 2],
    /// Length beyond the first and the last connection.
    overhang: [f64; 2],
}

impl Bar {
    /// Creates the busbar of a net from its position and its connections. `None` if it has neither. A position that it shares with another busbar is not used
    /// for its extent.
    pub(super) fn new(net: usize, is_upright: bool, hub: Option<Spot>, is_shared: bool, ends: &[End]) -> Option<Self> {
        // Axis along the busbar, and axis across it.
        let (along, across) = if is_upright { (1, 0) } else { (0, 1) };
        let mean = |axis: usize| ends.iter().map(|end| end.spot[axis]).sum::<f64>() / ends.len().max(1) as f64;
        let level = hub.map_or_else(|| mean(across), |hub| hub[across]);
        let is_inline = |end: &End| is_inline(end, level, is_upright);
        let others: Vec<f64> = ends
            .iter()
            .filter(|end| !is_inline(end))
            .map(|end| to_bar(end, level, across).last().map_or(end.spot[along], |foot| foot[along]))
            .chain(hub.filter(|_| !is_shared || ends.is_empty()).map(|hub| hub[along]))
            .collect();
        let middle = if others.is_empty() { mean(along) } else { others.iter().sum::<f64>() / others.len() as f64 };
        let mut bar = Self { net, is_upright, level, extent: [f64::MAX, f64::MIN], overhang: [OVERHANG; 2] };
        for foot in &others {
            bar.include(*foot);
        }
        for spot in ends.iter().filter(|end| is_inline(end)).map(|end| end.spot[along]) {
            // A coupler is at the end of its busbar.
            if spot < middle && spot <= bar.extent[0] {
                bar.include(spot + COUPLER);
                (bar.extent[0], bar.overhang[0]) = (spot + COUPLER, 0.0);
            } else if spot > middle && spot >= bar.extent[1] {
                (bar.extent[1], bar.overhang[1]) = (spot - COUPLER, 0.0);
                bar.extent[0] = bar.extent[0].min(spot - COUPLER);
            } else {
                bar.include(spot);
            }
        }
        (bar.extent[0] <= bar.extent[1]).then_some(bar)
    }

    fn include(&mut self, foot: f64) {
        self.extent = [self.extent[0].min(foot), self.extent[1].max(foot)];
    }

    /// Returns its two ends.
    pub(super) fn ends(&self) -> [Spot; 2] {
        let [from, to] = [self.extent[0] - self.overhang[0], self.extent[1] + self.overhang[1]];
        [from, to].map(|along| if self.is_upright { [self.level, along] } else { [along, self.level] })
    }

    /// Returns the route of a connection. It ends on the busbar.
    pub(super) fn route(&self, end: &End) -> Vec<Spot> {
        let (along, across) = if self.is_upright { (1, 0) } else { (0, 1) };
        let mut path = to_bar(end, self.level, across);
        if let Some(foot) = path.last().copied() {
            let [from, to] = self.ends();
            let mut onto = foot;
            onto[along] = foot[along].clamp(from[along], to[along]);
            path.push(onto);
        }
        path
    }

    fn is_near(&self, other: &Self) -> bool {
        self.is_upright == other.is_upright && (self.level - other.level).abs() < NEAR
    }
}

/// Whether a device is on the line of the busbar, such as a coupler between two sections.
fn is_inline(end: &End, level: f64, is_upright: bool) -> bool {
    let (across, lies) = if is_upright { (0, Orientation::Vertical) } else { (1, Orientation::Horizontal) };
    !end.is_outward && end.lies == lies && (end.spot[across] - level).abs() < NEAR
}

/// Separates busbars at one height. Their ends are shortened; if they still cover each other, one of them is moved. Returns the nets of the moved busbars.
pub(super) fn separate(bars: &mut [Bar]) -> Vec<usize> {
    bars.sort_by(|a, b| a.extent[0].total_cmp(&b.extent[0]).then(a.net.cmp(&b.net)));
    let mut moved = Vec::new();
    for at in 1..bars.len() {
        let (before, rest) = bars.split_at_mut(at);
        let bar = &mut rest[0];
        for step in 0..STEPS_MAX {
            if before.iter().all(|other| !other.is_near(bar) || bar.extent[0] - other.extent[1] >= GAP) {
                if step > 0 {
                    moved.push(bar.net);
                }
                break;
            }
            bar.level += STEP;
        }
        for other in before.iter_mut() {
            if !other.is_near(bar) {
                continue;
            }
            let room = ((bar.extent[0] - other.extent[1] - GAP) / 2.0).max(0.0);
            (other.overhang[1], bar.overhang[0]) = (other.overhang[1].min(room), bar.overhang[0].min(room));
        }
    }
    moved
}
