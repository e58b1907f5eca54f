//! MSTL with ETS by augurs: nothing else of the house knows that library.

use std::panic::{AssertUnwindSafe, catch_unwind};

use augurs::ets::AutoETS;
use augurs::mstl::MSTLModel;
use augurs::{Fit, Predict};
use grid::forecast::{DAY, WEEK};

use crate::gaps::filled;
use crate::history::History;

/// Three weeks: the seasons of a week need two to be told from what is left, and one more to be worth anything.
const HOURS_MIN: usize = 3 * WEEK;

/// What the model expects. `None` where there is too little history or too many gaps in it, or where the model fails or says what cannot be.
pub(crate) fn mstl_ets(history: History<'_>, ahead: usize) -> Option<Vec<f64>> {
    let hours = filled(history).filter(|hours| hours.len() >= HOURS_MIN)?;
    let (low, high) = hours.iter().fold((f64::MAX, f64::MIN), |(low, high), hour| (low.min(*hour), high.max(*hour)));
    if high - low <= f64::EPSILON * high.abs() {
        // What never changes has no seasons, and the fit would divide by nothing.
        return None;
    }
    // A fault of the library is its own: the plainer method does as well.
    let said = catch_unwind(AssertUnwindSafe(|| fitted(&hours, ahead))).ok().flatten()?;
    let (is_never_negative, reach) = (low >= 0.0, high - low);
    let said: Vec<f64> = said.into_iter().map(|hour| if is_never_negative { hour.max(0.0) } else { hour }).collect();
    // A trend that runs away leaves the range of everything that was, by more than that range.
    let holds = said.len() == ahead && said.iter().all(|hour| (low - reach..=high + reach).contains(hour));
    holds.then_some(said)
}

fn fitted(hours: &[f64], ahead: usize) -> Option<Vec<f64>> {
    let model = MSTLModel::new(vec![DAY, WEEK], AutoETS::non_seasonal().into_trend_model());
    let forecast = model.fit(hours).ok()?.predict(ahead, None).ok()?;
    Some(forecast.point)
}
