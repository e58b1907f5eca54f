//! A part of the sheet during the layout: its elements, and the areas that they occupy.

use super::names::Beyond;
use super::tree::LowVoltage;

/// A place on the sheet, in drawing units.
pub(super) type Spot = [f64; 2];

/// A rectangle: left, top, right, bottom.
pub(super) type Area = [f64; 4];

/// The direction in which a symbol lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Across,
    Down,
}

#[derive(Debug, Clone)]
pub(super) enum Drawn {
    /// Equipment with a symbol. `from` is the node from which it is reached.
    Symbol { equipment: usize, axis: Axis, from: usize },
    /// A transformer that hangs from a row, with the customers behind it.
    Hanging { equipment: usize, from: usize, customers: u64 },
    /// A consumer. It has its own texts, or the texts of the transformer before it.
    Consumer { equipment: usize, has_text: bool },
    /// A network of low voltage.
    LowVoltage(LowVoltage),
    /// A piece of a busbar. Contains its end, relative to its beginning.
    Bar { equipment: Option<usize>, node: usize, to: Spot },
    /// A line from the origin. Contains its corner points, relative to the origin.
    Wire { equipment: Option<usize>, node: usize, path: Vec<Spot> },
    /// An end with what is beyond.
    End { beyond: Beyond, axis: Axis },
    /// The measured values of a breaker.
    Values { equipment: usize },
}

#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) at: Spot,
    pub(super) drawn: Drawn,
}

#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) items: Vec<Item>,
    pub(super) taken: Vec<Area>,
}

impl Block {
    pub(super) fn add(&mut self, at: Spot, drawn: Drawn) {
        self.items.push(Item { at, drawn });
    }

    pub(super) fn take(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// Adds another block at a place.
    pub(super) fn insert(&mut self, block: Self, [dx, dy]: Spot) {
        self.items.extend(block.items.into_iter().map(|item| Item { at: [item.at[0] + dx, item.at[1] + dy], ..item }));
        self.taken.extend(block.taken.into_iter().map(|[left, top, right, bottom]| [left + dx, top + dy, right + dx, bottom + dy]));
    }

    /// Returns the distances by which the block extends from the origin to the left and to the right.
    pub(super) fn reach(&self) -> (f64, f64) {
        let (left, right) = self.taken.iter().fold((0.0_f64, 0.0_f64), |(left, right), area| (left.min(area[0]), right.max(area[2])));
        (-left, right)
    }

    /// Returns how far a block at `x` must be moved down, or up, so that it does not overlap this block.
    pub(super) fn clearance(&self, block: &Self, x: f64, is_down: bool, gap: f64) -> f64 {
        let mut dy = 0.0_f64;
        for [left, top, right, bottom] in &block.taken {
            for placed in &self.taken {
                if left + x >= placed[2] || placed[0] >= right + x {
                    continue;
                }
                dy = if is_down { dy.max(placed[3] + gap - top) } else { dy.min(placed[1] - gap - bottom) };
            }
        }
        dy
    }
}

/// Returns the width of a text relative to its font size, in the font of the screens.
pub(super) fn width(text: &str) -> f64 {
    text.chars()
        .map(|letter| match letter {
            ' ' | '.' | ',' | ':' | '\'' | 'i' | 'l' | 'j' | '|' | '/' => 0.31,
            'f' | 't' | 'r' | '(' | ')' | '-' => 0.42,
            'm' | 'w' | 'M' | 'W' | '…' => 0.95,
            'A'..='Z' => 0.72,
            _ => 0.63,
        })
        .sum()
}
