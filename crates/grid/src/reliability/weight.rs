//! The customers without supply: all customers of a feeder, or a range of numbered customers if single customers are known.

use std::collections::{BTreeMap, BTreeSet};

/// Customers without supply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CustomersWithoutSupply {
    /// All customers of a feeder, if only feeders are monitored (the feeder is the unit in the Indian standards of performance).
    Feeder {
        /// Id of the feeder.
        id: i64,
        /// Its customers, its connected kVA, or 1, as configured by the utility.
        weight: f64,
    },
    /// Customers by number.
    Range {
        /// First number.
        first: u64,
        /// Number after the last.
        end: u64,
    },
}

/// Returns the number of customers, each counted once. If a feeder occurs with different weights, the largest counts.
pub fn distinct(whom: impl IntoIterator<Item = CustomersWithoutSupply>) -> f64 {
    let mut feeders: BTreeMap<i64, f64> = BTreeMap::new();
    let mut ranges: BTreeSet<(u64, u64)> = BTreeSet::new();
    for one in whom {
        match one {
            CustomersWithoutSupply::Feeder { id, weight } => {
                let held = feeders.entry(id).or_insert(weight);
                *held = held.max(weight);
            }
            CustomersWithoutSupply::Range { first, end } => {
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

impl CustomersWithoutSupply {
    /// Returns the number of customers.
    pub fn weight(self) -> f64 {
        match self {
            Self::Feeder { weight, .. } => weight,
            Self::Range { first, end } => end.saturating_sub(first) as f64,
        }
    }
}
