//! Rules of forecasting: baselines without a model, the scores and bands of forecasts, and the energy budget of a month.
//!
//! Series are hourly, oldest first; `None` is an hour without data. They are in UTC hours, so "the same hour of the same weekday" is also the same in
//! local time, except in the weeks around a clock change.

use crate::enum_text;

pub mod band;
pub mod baseline;
pub mod budget;
pub mod score;

/// Hours of a day.
pub const DAY: usize = 24;
/// Hours of a week.
pub const WEEK: usize = 7 * DAY;

/// The quantity that is forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Measure {
    /// Active power, MW.
    Demand,
    /// Current, A: mean of the phases.
    Current,
}

enum_text! {
    /// The text in the database.
    Measure {
        Demand = "demand",
        Current = "current",
    }
}

impl Measure {
    /// Returns the codes of points. The quantity is the mean of these points; an asset may lack some of them.
    pub fn codes(self) -> &'static [&'static str] {
        match self {
            Self::Demand => &["P"],
            Self::Current => &["Ir", "Iy", "Ib"],
        }
    }
}

/// Asset types with forecasts: outgoing feeders, transformers, incomers and distribution transformers (specification 2, section 9), and low-carbon
/// sites, which are a type of this product.
pub const ASSET_TYPES: [i32; 5] = [1, 2, 4, 5, 13];

/// Returns the hourly mean of the known values of several points. It is as long as the longest series.
pub fn mean_of(lines: &[&[Option<f64>]]) -> Vec<Option<f64>> {
    let count = lines.iter().map(|line| line.len()).max().unwrap_or(0);
    let mean = |at: usize| {
        let known = lines.iter().filter_map(|line| line.get(at).copied().flatten());
        let (sum, count) = known.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    };
    (0..count).map(mean).collect()
}

/// The method of a forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// Daily and weekly seasons removed by LOESS (MSTL), the rest by exponential smoothing (ETS).
    MstlEts,
    /// The mean of the same hour of the same weekday of the last four weeks.
    FourWeeks,
    /// The same hour a week before.
    Week,
    /// The same hour a day before.
    Day,
}

enum_text! {
    /// The text in the database and in answers.
    Method {
        MstlEts = "mstl_ets",
        FourWeeks = "mean_of_4_weeks",
        Week = "last_week",
        Day = "yesterday",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        assert!(Method::ALL.into_iter().all(|method| Method::parse(method.as_str()) == Some(method)));
        assert!(Measure::ALL.into_iter().all(|measure| Measure::parse(measure.as_str()) == Some(measure)));
        assert_eq!((Method::parse("oracle"), Measure::parse("")), (None, None));
    }

    #[test]
    fn a_phase_that_is_not_known_is_left_out_of_the_mean() {
        let (r, y) = ([Some(10.0), None, None], [Some(20.0), Some(30.0)]);
        assert_eq!(mean_of(&[&r, &y]), [Some(15.0), Some(30.0), None]);
        assert_eq!(mean_of(&[]), []);
    }
}
