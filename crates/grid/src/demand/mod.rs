//! Demand: power averaged over blocks of time, and its peaks by time of day.
//!
//! A block is one demand-integration period of the utility ([`IntegrationPeriod`]), aligned to its clock. It is made of quarters of an hour ([`Quarter`]), which
//! are stored, so that a block is the same for a day and for a year.

mod integration;

use crate::Micros;

pub use integration::{IntegrationPeriod, QUARTER_MS, Quarter, QuarterSum, average};

/// A block can be a peak only if at least this share of its values is known, 0 to 1. With fewer values, the missing ones could dominate the average.
pub const SHARE_MIN: f64 = 0.75;

/// The average power over a block of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Start of the block.
    pub start: Micros,
    /// Average power, in the unit of the values; `None` if no value is known.
    pub demand: Option<f64>,
    /// Share of the values that are known, 0 to 1.
    pub share: f64,
}

/// A quarter of the day by local time; the start is included, the end is not (specification 3, section 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Band {
    /// From 0 to 6 h.
    Night,
    /// From 6 to 12 h.
    Morning,
    /// From 12 to 18 h.
    Day,
    /// From 18 to 24 h.
    Evening,
}

impl Band {
    /// All quarters, in the order of the day.
    pub const ALL: [Self; 4] = [Self::Night, Self::Morning, Self::Day, Self::Evening];

    /// Returns the quarter of a local hour, 0 to 23. On days with a clock change the displayed hour counts.
    pub fn of_hour(hour: u8) -> Self {
        match hour {
            0..=5 => Self::Night,
            6..=11 => Self::Morning,
            12..=17 => Self::Day,
            _ => Self::Evening,
        }
    }

    /// Returns the identifier used in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Night => "night",
            Self::Morning => "morning",
            Self::Day => "day",
            Self::Evening => "evening",
        }
    }
}

/// Returns the block with the largest demand, the first one if several are equal. Blocks with less than `share_min` of their values known are
/// ignored.
pub fn peak<'a>(blocks: impl IntoIterator<Item = &'a Block>, share_min: f64) -> Option<(Block, f64)> {
    let mut best: Option<(Block, f64)> = None;
    for block in blocks.into_iter().filter(|block| block.share >= share_min) {
        if let Some(demand) = block.demand
            && best.is_none_or(|(_, largest)| demand > largest)
        {
            best = Some((*block, demand));
        }
    }
    best
}

/// Returns the peak of each quarter of the day over all blocks. `hour` returns the local hour, 0 to 23, of a block's start.
pub fn peaks(blocks: &[Block], share_min: f64, hour: impl Fn(Micros) -> u8) -> [Option<(Block, f64)>; 4] {
    let bands: Vec<Band> = blocks.iter().map(|block| Band::of_hour(hour(block.start))).collect();
    Band::ALL.map(|band| peak(blocks.iter().zip(&bands).filter(|(_, of)| **of == band).map(|(block, _)| block), share_min))
}

/// Returns the energy of blocks of `block_ms` each, in their unit of power times hours.
pub fn energy(blocks: &[Block], block_ms: i64) -> f64 {
    blocks.iter().filter_map(|block| block.demand).sum::<f64>() * block_ms as f64 / 3_600_000.0
}

/// Averages values with equal weight into a block, with the share of values that are known.
pub fn block(start: Micros, values: impl IntoIterator<Item = Option<f64>>) -> Block {
    let (mut all, mut there, mut sum) = (0_u32, 0_u32, 0.0);
    for value in values {
        all += 1;
        if let Some(value) = value {
            there += 1;
            sum += value;
        }
    }
    let share = if all > 0 { f64::from(there) / f64::from(all) } else { 0.0 };
    Block { start, demand: (there > 0).then(|| sum / f64::from(there)), share }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_of(minute: i64, demand: Option<f64>, share: f64) -> Block {
        Block { start: Micros(minute * 60_000_000), demand, share }
    }

    #[test]
    fn of_equal_peaks_the_first_counts_and_half_a_block_is_none() {
        let blocks = [
            block_of(0, Some(5.0), 1.0),
            block_of(15, Some(9.0), 0.5),
            block_of(30, Some(7.0), 0.75),
            block_of(45, None, 1.0),
            block_of(60, Some(7.0), 1.0),
        ];
        assert_eq!(peak(&blocks, SHARE_MIN), Some((blocks[2], 7.0)));
        assert_eq!(peak(&blocks, 0.0), Some((blocks[1], 9.0)));
        assert_eq!(peak(&blocks[3..4], 0.0), None);
        let minus = [block_of(0, Some(-3.0), 1.0), block_of(15, Some(-2.0), 1.0)];
        assert_eq!(peak(&minus, SHARE_MIN).map(|(_, demand)| demand), Some(-2.0), "power that flows back has a peak too");
    }

    #[test]
    fn a_block_is_the_mean_of_what_is_there() {
        assert_eq!(block(Micros(5), [Some(1.0), None, Some(3.0), None]), Block { start: Micros(5), demand: Some(2.0), share: 0.5 });
        assert_eq!(block(Micros(5), [None, None]), Block { start: Micros(5), demand: None, share: 0.0 });
        assert_eq!(block(Micros(5), []), Block { start: Micros(5), demand: None, share: 0.0 });
    }

    #[test]
    fn bands_begin_with_their_hour() {
        assert_eq!(
            [0, 5, 6, 11, 12, 17, 18, 23].map(|hour| Band::of_hour(hour).as_str()),
            ["night", "night", "morning", "morning", "day", "day", "evening", "evening"]
        );
    }
}
