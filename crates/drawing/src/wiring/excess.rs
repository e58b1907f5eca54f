//! Limits of the wiring. Without them, a malicious file could take very long.

use std::cell::Cell;
use std::fmt;

/// Largest number of conducting elements. A larger drawing is not wired at all, because an element that is left out could supply the rest.
pub const ELEMENTS_MAX: usize = 4_000;
/// Largest number of vertices of lines.
pub const VERTICES_MAX: usize = 16_000;
/// Largest number of pieces into which lines are cut.
pub const PIECES_MAX: usize = 20_000;
/// Largest number of comparisons. The largest real drawings need one hundredth of this number. A computation reaches the limit within a second.
const WORK_MAX: usize = 40_000_000;

/// The reason why a drawing is not wired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    /// Too many conducting elements.
    Elements,
    /// Too many vertices of lines.
    Vertices,
    /// Devices cut the lines into too many pieces.
    Pieces,
    /// Too many elements are close together, so that the search for connections would take too long.
    Crowd,
}

impl Excess {
    /// Whether this limit is so high that no real drawing of a substation exceeds it.
    pub fn is_odd(self) -> bool {
        matches!(self, Self::Pieces | Self::Crowd)
    }
}

impl fmt::Display for Excess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elements => write!(formatter, "more than {ELEMENTS_MAX} elements that conduct"),
            Self::Vertices => write!(formatter, "more than {VERTICES_MAX} vertices of lines and busbars"),
            Self::Pieces => write!(formatter, "lines that devices cut into more than {PIECES_MAX} pieces"),
            Self::Crowd => formatter.write_str("so much in one place that what touches what cannot be found out"),
        }
    }
}

/// The number of comparisons made for a drawing.
#[derive(Debug, Default)]
pub(super) struct Work(Cell<usize>);

impl Work {
    pub(super) fn add(&self, comparisons: usize) {
        self.0.set(self.0.get().saturating_add(comparisons));
    }

    pub(super) fn check(&self) -> Result<(), Excess> {
        if self.0.get() > WORK_MAX { Err(Excess::Crowd) } else { Ok(()) }
    }
}
