//! Routes of lines between symbols: straight pieces that leave a transformer at its terminal and go around its windings.

use crate::schema::Orientation;

pub(super) type Spot = [f64; 2];

/// Length of the first piece of a line at a transformer, drawing units.
const STUB: f64 = 14.0;
/// Distance at which a line passes a transformer, drawing units.
const ASIDE: f64 = 60.0;

/// The end of a line at a device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct End {
    /// Where the line ends.
    pub spot: Spot,
    /// The middle of the device.
    pub device: Spot,
    /// The axis of the terminal.
    pub lies: Orientation,
    /// Whether the line must leave the device in the direction from its middle.
    pub is_outward: bool,
}

impl End {
    /// Returns an end at the middle of a device, from which lines leave in both directions of its axis.
    pub(super) fn through(device: Spot, lies: Orientation) -> Self {
        Self { spot: device, device, lies, is_outward: false }
    }

    /// Returns an end at a terminal, `away` from the middle of its device.
    pub(super) fn outward(device: Spot, away: Spot) -> Self {
        let lies = if away[0].abs() > away[1].abs() { Orientation::Horizontal } else { Orientation::Vertical };
        Self { spot: [device[0] + away[0], device[1] + away[1]], device, lies, is_outward: true }
    }

    /// Returns the beginning of a line to a target: the end itself, and for a terminal the corners until the line is clear of its device.
    fn begin(&self, target: Spot) -> Vec<Spot> {
        if !self.is_outward {
            return vec![self.spot];
        }
        let (along, across) = if self.lies == Orientation::Vertical { (1, 0) } else { (0, 1) };
        let way = (self.spot[along] - self.device[along]).signum();
        let mut stub = self.spot;
        stub[along] += way * STUB;
        let mut begin = vec![self.spot, stub];
        if (target[along] - stub[along]) * way < 0.0 {
            let mut aside = stub;
            let side = target[across] - self.device[across];
            // Away from the third winding, which is on the left or at the bottom.
            let free = if across == 0 { ASIDE } else { -ASIDE };
            aside[across] = if side.abs() >= ASIDE { self.device[across] + side.signum() * ASIDE } else { self.device[across] + free };
            begin.push(aside);
        }
        begin
    }
}

/// Returns the route between two ends.
pub(super) fn between(a: &End, b: &End) -> Vec<Spot> {
    let (begin, end) = (a.begin(b.spot), b.begin(a.spot));
    let (from, to) = (begin[begin.len() - 1], end[end.len() - 1]);
    let corners = match (a.lies, b.lies) {
        (Orientation::Vertical, Orientation::Vertical) => {
            let y = f64::midpoint(from[1], to[1]);
            if is_same(from[0], to[0]) { Vec::new() } else { vec![[from[0], y], [to[0], y]] }
        }
        (Orientation::Horizontal, Orientation::Horizontal) => {
            let x = f64::midpoint(from[0], to[0]);
            if is_same(from[1], to[1]) { Vec::new() } else { vec![[x, from[1]], [x, to[1]]] }
        }
        (Orientation::Vertical, Orientation::Horizontal) => vec![[from[0], to[1]]],
        (Orientation::Horizontal, Orientation::Vertical) => vec![[to[0], from[1]]],
    };
    begin.into_iter().chain(corners).chain(end.into_iter().rev()).collect()
}

/// Returns the route from an end to a point.
pub(super) fn to_point(end: &End, point: Spot) -> Vec<Spot> {
    let begin = end.begin(point);
    let from = begin[begin.len() - 1];
    let corner = if end.lies == Orientation::Vertical { [from[0], point[1]] } else { [point[0], from[1]] };
    begin.into_iter().chain([corner, point]).collect()
}

/// Returns the route from an end straight to a busbar, which is at `level` on the axis `across`.
pub(super) fn to_bar(end: &End, level: f64, across: usize) -> Vec<Spot> {
    let mut target = end.spot;
    target[across] = level;
    let mut path = end.begin(target);
    let mut foot = path[path.len() - 1];
    foot[across] = level;
    path.push(foot);
    path
}

/// Returns a path without corners at one position.
pub(super) fn without_repeats(path: &[Spot]) -> Vec<Spot> {
    let mut corners: Vec<Spot> = Vec::new();
    for corner in path {
        if corners.last() != Some(corner) {
            corners.push(*corner);
        }
    }
    corners
}

fn is_same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}
