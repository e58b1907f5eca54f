//! Number, length and risk of cable sections in each cell of the risk matrix, and by feeder and health index.

use std::collections::BTreeMap;

use super::bands::{Criticality, HealthIndex};
use super::section::Assessed;

/// Sums of one cell.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cell {
    /// Number of sections.
    pub sections: usize,
    /// Their length, km.
    pub km: f64,
    /// Their risk, GBP a year.
    pub risk: f64,
}

impl Cell {
    fn add(&mut self, assessed: &Assessed) {
        self.sections += 1;
        self.km += assessed.length_km;
        self.risk += assessed.risk;
    }

    fn plus(self, other: &Self) -> Self {
        Self { sections: self.sections + other.sections, km: self.km + other.km, risk: self.risk + other.risk }
    }
}

/// The risk matrix: criticality by health.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Matrix([[Cell; HealthIndex::ALL.len()]; Criticality::ALL.len()]);

impl Matrix {
    /// Builds the matrix of these sections; each section is in one cell.
    pub fn of<'a>(sections: impl IntoIterator<Item = &'a Assessed>) -> Self {
        let mut matrix = Self::default();
        for section in sections {
            matrix.0[section.criticality as usize][section.band as usize].add(section);
        }
        matrix
    }

    /// Returns one cell.
    pub fn cell(&self, criticality: Criticality, health: HealthIndex) -> Cell {
        self.0[criticality as usize][health as usize]
    }

    /// Returns the rows from C1 to C4, each with its cells from HI1 to HI5.
    pub fn rows(&self) -> impl Iterator<Item = (Criticality, &[Cell; HealthIndex::ALL.len()])> {
        Criticality::ALL.into_iter().zip(&self.0)
    }

    /// Returns the sums of all cells.
    pub fn total(&self) -> Cell {
        self.0.iter().flatten().fold(Cell::default(), Cell::plus)
    }
}

/// Returns the sums of each group, such as a feeder, by health index.
pub fn by_group<'a, G: Ord>(sections: impl IntoIterator<Item = (G, &'a Assessed)>) -> BTreeMap<G, [Cell; HealthIndex::ALL.len()]> {
    let mut groups: BTreeMap<G, [Cell; HealthIndex::ALL.len()]> = BTreeMap::new();
    for (group, section) in sections {
        groups.entry(group).or_default()[section.band as usize].add(section);
    }
    groups
}
