//! MSTL with ETS, by the library augurs. No other module uses that library.

use std::panic::{AssertUnwindSafe, catch_unwind};

use augurs::ets::AutoETS;
use augurs::mstl::MSTLModel;
use augurs::{Fit, Predict};
use grid::forecast::{DAY, WEEK};

use crate::gaps::filled;
use crate::history::History;

/// Smallest history, hours: three weeks. The weekly season needs two weeks to be distinguished from the remainder, and a third one to be
/// useful.
const HOURS_MIN: usize = 3 * WEEK;

/// Returns the forecast of the model. `None` if there is too little history or too many gaps, or if the model fails or returns impossible
/// values.
pub(crate) fn mstl_ets(history: History<'_>, ahead: usize) -> Option<Vec<f64>> {
    let hours = filled(history).filter(|hours| hours.len() >= HOURS_MIN)?;
    let (low, high) = hours.iter().fold((f64::MAX, f64::MIN), |(low, high), hour| (low.min(*hour), high.max(*hour)));
    if high - low <= f64::EPSILON * high.abs() {
        // A constant series has no seasons, and the fit would divide by zero.
        return None;
    }
    // A panic of the library is caught here; a simpler method is used instead.
    let predicted = catch_unwind(AssertUnwindSafe(|| fitted(&hours, ahead))).ok().flatten()?;
    let (is_never_negative, reach) = (low >= 0.0, high - low);
    let predicted: Vec<f64> = predicted.into_iter().map(|hour| if is_never_negative { hour.max(0.0) } else { hour }).collect();
    // A diverging trend leaves the range of all past values by more than the size of that range.
    let holds = predicted.len() == ahead && predicted.iter().all(|hour| (low - reach..=high + reach).contains(hour));
    holds.then_some(predicted)
}

fn fitted(hours: &[f64], ahead: usize) -> Option<Vec<f64>> {
    let model = MSTLModel::new(vec![DAY, WEEK], AutoETS::non_seasonal().into_trend_model());
    let forecast = model.fit(hours).ok()?.predict(ahead, None).ok()?;
    Some(forecast.point)
}
