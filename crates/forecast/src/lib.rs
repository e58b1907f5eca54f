//! Forecasts of loads by the hour: up to a week ahead from up to eight weeks of hourly means, with bounds between which 80 of 100 hours should lie.
//!
//! The model is MSTL (seasons of a day and a week) with ETS on what is left; where the history is too short or has too many gaps for it, or it fails, the mean
//! of the same hour of the same weekday of four weeks takes its place, and with less history still a plainer one: each answer says how it was made. The same
//! history always gives the same forecast. It takes some ten milliseconds of processor for each fit and never waits: call it off the async threads.

mod gaps;
mod history;
mod model;

use grid::forecast::band::Bands;
use grid::forecast::baseline::{same_hour_mean, seasonal_naive};
use grid::forecast::{DAY, Method, WEEK};

pub use history::{HISTORY_MAX, History};

/// Hours ahead at most.
pub const AHEAD_MAX: usize = WEEK;
/// Weeks before the end from which the bounds are made: for each the method is asked what it would have said.
const TRIALS: usize = 2;

/// A forecast, an entry an hour from [`History::next`] on.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// How it was made.
    pub method: Method,
    /// What is expected; `None` of an hour that the method knows nothing of.
    pub hours: Vec<Option<f64>>,
}

/// What is expected of the next hours, at most [`AHEAD_MAX`]: by the model if it can be made, else by the best that there is enough history for. `None` where
/// there is not even a day of it.
pub fn forecast(history: History<'_>, ahead: usize) -> Option<Forecast> {
    Method::ALL.into_iter().filter(|method| *method != Method::Week).find_map(|method| by(method, history, ahead))
}

/// The same by one method; `None` where that cannot be done.
pub fn by(method: Method, history: History<'_>, ahead: usize) -> Option<Forecast> {
    let (history, ahead) = (history.recent(), ahead.min(AHEAD_MAX));
    let hours = match method {
        Method::MstlEts => model::mstl_ets(history, ahead)?.into_iter().map(Some).collect(),
        Method::FourWeeks => same_hour_mean(history.hours, history.dropped, ahead),
        Method::Week => seasonal_naive(history.hours, WEEK, ahead),
        Method::Day => seasonal_naive(history.hours, DAY, ahead),
    };
    // A method that says nothing of most hours is none.
    let known = hours.iter().flatten().count();
    (known > 0 && known * 2 >= hours.len()).then_some(Forecast { method, hours })
}

/// How far a method is off by the hour of the day: of each of the last two weeks, it is asked what it would have said before it. Hours are counted from 1970.
pub fn bands(method: Method, history: History<'_>) -> Bands {
    let history = history.recent();
    let mut errors = Vec::with_capacity(TRIALS * WEEK);
    for trial in 1..=TRIALS {
        let Some(past) = history.before(trial * WEEK) else { break };
        let Some(said) = by(method, past, WEEK) else { break };
        let was = &history.hours[past.hours.len()..past.hours.len() + WEEK];
        let off = was.iter().zip(&said.hours).enumerate();
        errors.extend(off.filter_map(|(hour, (was, said))| Some((past.next + hour as i64, (*was)? - (*said)?))));
    }
    Bands::of(&errors)
}
