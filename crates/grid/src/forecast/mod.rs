//! Rules of forecasting: baselines that need no model, how good a forecast was, how far it may be off, and the energy budget of a month.
//!
//! Series are by the hour, oldest first; `None` is an hour of which nothing is known. They are in UTC hours, so "the same hour of the same weekday" is the
//! same by the clock on the wall but for the weeks around a change of the clock.

pub mod band;
pub mod baseline;
pub mod budget;
pub mod score;

/// Hours of a day.
pub const DAY: usize = 24;
/// Hours of a week.
pub const WEEK: usize = 7 * DAY;

/// What is forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Measure {
    /// Active power, MW.
    Demand,
    /// Current, A: the mean of the phases.
    Current,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Demand, Self::Current];

    /// The word kept in the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Demand => "demand",
            Self::Current => "current",
        }
    }

    /// The measure of a stored word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|measure| measure.word() == word)
    }

    /// The codes of the points of an asset whose mean it is; those of them that there are.
    pub fn codes(self) -> &'static [&'static str] {
        match self {
            Self::Demand => &["P"],
            Self::Current => &["Ir", "Iy", "Ib"],
        }
    }
}

/// Asset types that are forecast (specification 2, section 9): outgoing feeders, transformers, incomers, and transformers of distribution; and low-carbon
/// sites, which are a type of our own.
pub const ASSET_TYPES: [i32; 5] = [1, 2, 4, 5, 13];

/// The mean of several points hour by hour, of those that are known; as long as the longest.
pub fn mean_of(lines: &[&[Option<f64>]]) -> Vec<Option<f64>> {
    let count = lines.iter().map(|line| line.len()).max().unwrap_or(0);
    let mean = |at: usize| {
        let known = lines.iter().filter_map(|line| line.get(at).copied().flatten());
        let (sum, count) = known.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    };
    (0..count).map(mean).collect()
}

/// How a forecast was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// Seasons of a day and a week taken out by LOESS (MSTL), the rest by exponential smoothing (ETS).
    MstlEts,
    /// The mean of the same hour of the same weekday of the last four weeks.
    FourWeeks,
    /// The same hour a week before.
    Week,
    /// The same hour a day before.
    Day,
}

impl Method {
    /// All of them, the most demanding first.
    pub const ALL: [Self; 4] = [Self::MstlEts, Self::FourWeeks, Self::Week, Self::Day];

    /// The word kept in the database and told to clients.
    pub fn word(self) -> &'static str {
        match self {
            Self::MstlEts => "mstl_ets",
            Self::FourWeeks => "mean_of_4_weeks",
            Self::Week => "last_week",
            Self::Day => "yesterday",
        }
    }

    /// The method of a stored word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        assert!(Method::ALL.into_iter().all(|method| Method::from_word(method.word()) == Some(method)));
        assert!(Measure::ALL.into_iter().all(|measure| Measure::from_word(measure.word()) == Some(measure)));
        assert_eq!((Method::from_word("oracle"), Measure::from_word("")), (None, None));
    }

    #[test]
    fn a_phase_that_is_not_known_is_left_out_of_the_mean() {
        let (r, y) = ([Some(10.0), None, None], [Some(20.0), Some(30.0)]);
        assert_eq!(mean_of(&[&r, &y]), [Some(15.0), Some(30.0), None]);
        assert_eq!(mean_of(&[]), []);
    }
}
