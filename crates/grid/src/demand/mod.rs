//! Demand: power averaged over blocks of time, and its peaks by the hours of the day.

use crate::Micros;

/// The share of a block's values that must be there for it to be a peak, 0 to 1: less of them, and what is missing may have been the larger part.
pub const SHARE_MIN: f64 = 0.75;

/// The average power over a block of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Where it begins.
    pub start: Micros,
    /// The average; `None` where nothing is known.
    pub demand: Option<f64>,
    /// The share of values that it is made of, 0 to 1.
    pub share: f64,
}

/// A quarter of the day by the clock on the wall; each begins with its first hour and ends before the next begins (specification 3, section 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Band {
    /// From 0 to 6.
    Night,
    /// From 6 to 12.
    Morning,
    /// From 12 to 18.
    Day,
    /// From 18 to 24.
    Evening,
}

impl Band {
    /// In the order of the day.
    pub const ALL: [Self; 4] = [Self::Night, Self::Morning, Self::Day, Self::Evening];

    /// That of an hour, 0 to 23. On a day that has an hour twice or not at all, hours are what the clock shows.
    pub fn of_hour(hour: u8) -> Self {
        match hour {
            0..=5 => Self::Night,
            6..=11 => Self::Morning,
            12..=17 => Self::Day,
            _ => Self::Evening,
        }
    }

    /// As it is told to clients.
    pub fn word(self) -> &'static str {
        match self {
            Self::Night => "night",
            Self::Morning => "morning",
            Self::Day => "day",
            Self::Evening => "evening",
        }
    }
}

/// The largest of some blocks in the order of time: of several the first. Blocks of which less than a share of values is there are none.
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

/// The peaks of the quarters of the day, in their order, over however many days the blocks are of. `hour` tells what the clock shows where a block begins.
pub fn peaks(blocks: &[Block], share_min: f64, hour: impl Fn(Micros) -> u8) -> [Option<(Block, f64)>; 4] {
    let bands: Vec<Band> = blocks.iter().map(|block| Band::of_hour(hour(block.start))).collect();
    Band::ALL.map(|band| peak(blocks.iter().zip(&bands).filter(|(_, of)| **of == band).map(|(block, _)| block), share_min))
}

/// The energy of blocks of so many ms, in their unit of power times an hour.
pub fn energy(blocks: &[Block], block_ms: i64) -> f64 {
    blocks.iter().filter_map(|block| block.demand).sum::<f64>() * block_ms as f64 / 3_600_000.0
}

/// What some values amount to over a block: the mean of them, each counting the same, and the share of them that is there.
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

/// The sum of the peaks of parts over the peak of the whole, 1 and more; its inverse is the coincidence factor. `None` where the whole has none above zero.
pub fn diversity_factor(peaks: &[f64], of_the_sum: f64) -> Option<f64> {
    (of_the_sum > 0.0).then(|| peaks.iter().sum::<f64>() / of_the_sum)
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
            [0, 5, 6, 11, 12, 17, 18, 23].map(|hour| Band::of_hour(hour).word()),
            ["night", "night", "morning", "morning", "day", "day", "evening", "evening"]
        );
    }

    #[test]
    fn parts_peak_at_different_times() {
        assert_eq!(diversity_factor(&[6.0, 9.0], 10.0), Some(1.5));
        assert_eq!(diversity_factor(&[6.0], 0.0), None);
    }
}
