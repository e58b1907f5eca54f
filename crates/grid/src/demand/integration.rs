//! The demand-integration period of a utility, and the quarters of an hour from which its blocks are computed.

use crate::Micros;
use crate::downsample::{MINUTE_MS, floor};

/// Length of the stored parts of a block, ms.
pub const QUARTER_MS: i64 = 15 * MINUTE_MS;

/// The mean power of a quarter of an hour, of its known minutes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quarter {
    /// Mean of the known minutes, each with its own mean, in the unit of the point.
    pub mean: f64,
    /// Number of minutes with a value, 1 to 15.
    pub minutes: u8,
}

/// Minutes of a quarter of an hour that are added one by one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct QuarterSum {
    sum: f64,
    minutes: u8,
}

impl QuarterSum {
    /// Adds the mean of a minute.
    pub fn add(&mut self, mean: f64) {
        self.sum += mean;
        self.minutes = self.minutes.saturating_add(1);
    }

    /// Returns the quarter; `None` without a minute.
    pub fn quarter(self) -> Option<Quarter> {
        (self.minutes > 0).then(|| Quarter { mean: self.sum / f64::from(self.minutes), minutes: self.minutes })
    }
}

/// The demand-integration period: the length of the blocks over which a utility averages power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IntegrationPeriod {
    /// 15 minutes.
    #[default]
    Quarter,
    /// 30 minutes.
    HalfHour,
}

impl IntegrationPeriod {
    /// Returns the period of a length; `None` for any length but 15 and 30 minutes.
    pub fn of_minutes(minutes: i64) -> Option<Self> {
        match minutes {
            15 => Some(Self::Quarter),
            30 => Some(Self::HalfHour),
            _ => None,
        }
    }

    /// Returns the length, minutes.
    pub fn minutes(self) -> i64 {
        match self {
            Self::Quarter => 15,
            Self::HalfHour => 30,
        }
    }

    /// Returns the length, ms.
    pub fn ms(self) -> i64 {
        self.minutes() * MINUTE_MS
    }

    /// Returns the start of the block that contains an instant. Blocks are aligned to a clock that is `offset_ms` ahead of UTC. The offsets of all zones are
    /// multiples of a quarter of an hour.
    pub fn start(self, at: Micros, offset_ms: i64) -> Micros {
        let offset_ms = offset_ms.div_euclid(QUARTER_MS) * QUARTER_MS;
        floor(at.plus_millis(offset_ms), self.ms()).plus_millis(-offset_ms)
    }

    /// Returns the starts of the blocks that lie completely within a span, and the end of the last block; nothing if there is no such block. `offset_ms`
    /// returns by how much the clock is ahead of UTC at an instant.
    pub fn edges(self, (from, to): (Micros, Micros), offset_ms: impl Fn(Micros) -> i64) -> Vec<Micros> {
        let first = self.start(from, offset_ms(from));
        let mut start = if first < from { first.plus_millis(self.ms()) } else { first };
        let mut edges = Vec::new();
        while start.plus_millis(self.ms()) <= to {
            edges.push(start);
            start = start.plus_millis(self.ms());
        }
        if !edges.is_empty() {
            edges.push(start);
        }
        edges
    }
}

/// Averages the quarters of a block over their known minutes. Returns the mean, and the share of the block that is known, 0 to 1; `None` without a known quarter.
///
/// If the point reports less often than once a minute, each minute with a value counts as `expected_ms`.
pub fn average(quarters: &[Option<Quarter>], expected_ms: Option<i64>) -> Option<(f64, f64)> {
    let (mut sum, mut minutes) = (0.0, 0_i64);
    for quarter in quarters.iter().flatten() {
        sum += quarter.mean * f64::from(quarter.minutes);
        minutes += i64::from(quarter.minutes);
    }
    let mean = if let [Some(only)] = quarters { only.mean } else { sum / minutes as f64 };
    let known_ms = minutes * expected_ms.unwrap_or(0).max(MINUTE_MS);
    (minutes > 0).then(|| (mean, (known_ms as f64 / (quarters.len() as i64 * QUARTER_MS) as f64).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Micros {
        Micros(minute * 60_000_000)
    }

    #[test]
    fn blocks_begin_with_the_clock_of_the_utility() {
        let kathmandu = 345 * MINUTE_MS;
        let half = IntegrationPeriod::HalfHour;
        // 00:20 UTC is 06:05 in Kathmandu.
        assert_eq!((half.start(at(20), kathmandu), half.start(at(20), 0)), (at(15), at(0)));
        assert_eq!(half.start(at(-50), kathmandu), at(-75), "before 1970 too");
        assert_eq!(IntegrationPeriod::Quarter.start(at(20), kathmandu), at(15));
        assert_eq!(half.edges((at(0), at(100)), |_| kathmandu), [at(15), at(45), at(75)], "the last block has not ended");
        assert_eq!(half.edges((at(0), at(44)), |_| kathmandu), []);
        assert_eq!(
            [15, 30, 60, 0].map(|minutes| IntegrationPeriod::of_minutes(minutes).map(IntegrationPeriod::minutes)),
            [Some(15), Some(30), None, None]
        );
    }

    #[test]
    fn a_block_is_the_mean_of_its_known_minutes() {
        let quarter = |mean: f64, minutes: u8| Some(Quarter { mean, minutes });
        assert_eq!(average(&[quarter(4.0, 15), quarter(10.0, 5)], None), Some((5.5, 20.0 / 30.0)));
        assert_eq!(average(&[quarter(4.0, 3)], Some(5 * MINUTE_MS)), Some((4.0, 1.0)), "a value every five minutes");
        assert_eq!(average(&[None, quarter(2.0, 15)], Some(10_000)), Some((2.0, 0.5)));
        assert_eq!(average(&[None, None], None), None);
        let mut sum = QuarterSum::default();
        assert_eq!(sum.quarter(), None);
        for mean in [1.0, 2.0, 6.0] {
            sum.add(mean);
        }
        assert_eq!(sum.quarter(), quarter(3.0, 3));
    }
}
