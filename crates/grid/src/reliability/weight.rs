//! Who is without supply: the customers of a feeder as a whole, or a range of numbered ones where single customers are known.

use std::collections::{BTreeMap, BTreeSet};

/// Who.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Whom {
    /// All that a feeder supplies: what is known where only feeders are watched (the feeder is the unit in the Indian standards of performance).
    Feeder {
        /// Which one.
        id: i64,
        /// Its customers, its connected kVA, or 1, as the utility counts.
        weight: f64,
    },
    /// Customers by their numbers, the last not included.
    Range {
        /// The first.
        first: u64,
        /// The one behind the last.
        end: u64,
    },
}

/// How many there are, each counted once. A feeder counts with the largest of the weights that are told of it.
pub fn distinct(whom: impl IntoIterator<Item = Whom>) -> f64 {
    let mut feeders: BTreeMap<i64, f64> = BTreeMap::new();
    let mut ranges: BTreeSet<(u64, u64)> = BTreeSet::new();
    for one in whom {
        match one {
            Whom::Feeder { id, weight } => {
                let held = feeders.entry(id).or_insert(weight);
                *held = held.max(weight);
            }
            Whom::Range { first, end } => {
                if first < end {
                    ranges.insert((first, end));
                }
            }
        }
    }
    let mut covered = 0_u64;
    let mut reached = 0_u64;
    for (first, end) in ranges {
        covered += end.saturating_sub(first.max(reached));
        reached = reached.max(end);
    }
    feeders.values().sum::<f64>() + covered as f64
}

impl Whom {
    /// How many.
    pub fn weight(self) -> f64 {
        match self {
            Self::Feeder { weight, .. } => weight,
            Self::Range { first, end } => end.saturating_sub(first) as f64,
        }
    }
}
