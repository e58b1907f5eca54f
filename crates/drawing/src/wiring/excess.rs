//! What is too much to be wired, and how much that is: a drawing comes from a file, and a file may be made to take as long as it can.

use std::cell::Cell;
use std::fmt;

/// Elements that are wired: a drawing with more is not wired at all, since what is left out could be what feeds the rest.
pub const ELEMENTS_MAX: usize = 4_000;
/// Vertices of lines that are wired.
pub const VERTICES_MAX: usize = 16_000;
/// Pieces that lines may be cut into.
pub const PIECES_MAX: usize = 20_000;
/// Comparisons of places that a drawing may take. The largest sheets take a hundredth of it, and it is over within a second.
const WORK_MAX: usize = 40_000_000;

/// Why a drawing is not wired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    /// It has more elements that conduct than are wired.
    Elements,
    /// Its lines have more vertices than are wired.
    Vertices,
    /// Its devices cut its lines into more pieces than are wired.
    Pieces,
    /// So much of it lies in one place that finding what touches what would take too long.
    Crowd,
}

impl Excess {
    /// Whether no drawing of a substation comes to this, however large.
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

/// What has been spent on a drawing.
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
