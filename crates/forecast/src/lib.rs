//! Hourly load forecasts: up to a week ahead, from up to eight weeks of hourly means, with a band that should contain 80 of 100 hours.
//!
//! The model is MSTL (daily and weekly seasons) with ETS for the remainder. If the history is too short or has too many gaps, or if the model fails, the
//! forecast is the mean of the same hour of the same weekday of four weeks. With less history, a simpler method is used. Each forecast names its method. The
//! same history always gives the same forecast. A fit takes about ten milliseconds of CPU time and does not block: call it outside of the async threads.

mod gaps;
mod history;
mod model;

use grid::forecast::band::Bands;
use grid::forecast::baseline::{same_hour_mean, seasonal_naive};
use grid::forecast::{DAY, Method, WEEK};

pub use history::{HISTORY_MAX, History};

/// Longest forecast, hours.
pub const AHEAD_MAX: usize = WEEK;
/// Number of past weeks whose backcasts give the band.
const TRIALS: usize = 2;

/// A forecast with one entry per hour from [`History::next`] on.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// The method.
    pub method: Method,
    /// Expected values; `None` for an hour without a forecast.
    pub hours: Vec<Option<f64>>,
}

/// Forecasts the next hours, at most [`AHEAD_MAX`], with the best method for which the history is sufficient. `None` if it has less than a day.
pub fn forecast(history: History<'_>, ahead: usize) -> Option<Forecast> {
    Method::ALL.into_iter().filter(|method| *method != Method::Week).find_map(|method| by(method, history, ahead))
}

/// Forecasts with one method; `None` if that is not possible.
pub fn by(method: Method, history: History<'_>, ahead: usize) -> Option<Forecast> {
    let (history, ahead) = (history.recent(), ahead.min(AHEAD_MAX));
    let hours = match method {
        Method::MstlEts => model::mstl_ets(history, ahead)?.into_iter().map(Some).collect(),
        Method::FourWeeks => same_hour_mean(history.hours, history.dropped, ahead),
        Method::Week => seasonal_naive(history.hours, WEEK, ahead),
        Method::Day => seasonal_naive(history.hours, DAY, ahead),
    };
    // A method without values for most hours is not used.
    let known = hours.iter().flatten().count();
    (known > 0 && known * 2 >= hours.len()).then_some(Forecast { method, hours })
}

/// Returns the errors of a method by hour of the day, from backcasts of each of the last two weeks. Hours are counted from 1970-01-01 UTC.
pub fn bands(method: Method, history: History<'_>) -> Bands {
    let history = history.recent();
    let mut errors = Vec::with_capacity(TRIALS * WEEK);
    for trial in 1..=TRIALS {
        let Some(past) = history.before(trial * WEEK) else { break };
        let Some(predicted) = by(method, past, WEEK) else { break };
        let was = &history.hours[past.hours.len()..past.hours.len() + WEEK];
        let off = was.iter().zip(&predicted.hours).enumerate();
        errors.extend(off.filter_map(|(hour, (was, predicted))| Some((past.next + hour as i64, (*was)? - (*predicted)?))));
    }
    Bands::of(&errors)
}
