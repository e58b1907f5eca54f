//! Tests with loads of a known shape, and with a real load if SWITCHYARD_TEST_FORECAST_JSON names a file (see
//! grid/tests/domain/forecast_cases.rs).

use forecast::{AHEAD_MAX, HISTORY_MAX, History, bands, by, forecast};
use grid::forecast::score::{score, skill};
use grid::forecast::{DAY, Method, WEEK};
use proptest::prelude::*;
use serde_json::Value;

/// Returns a load in MW: higher by day, lower on the last two days of each week, growing slowly, with reproducible noise.
fn load(hours: usize) -> Vec<Option<f64>> {
    let mut state = 33_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1_u32 << 24) - 0.5
    };
    let at = |hour: usize, noise: f64| {
        let day = ((hour % DAY) as f64 / DAY as f64 * std::f64::consts::TAU).sin();
        let week = if hour / DAY % 7 < 5 { 1.0 } else { 0.6 };
        (3.0 + day) * week + hour as f64 * 2e-4 + noise * 0.2
    };
    (0..hours).map(|hour| Some(at(hour, noise()))).collect()
}

fn of(hours: &[Option<f64>]) -> History<'_> {
    History { hours, dropped: &[], next: hours.len() as i64 }
}

#[test]
fn the_model_beats_last_week_and_the_band_holds_what_it_says() {
    let all = load(8 * WEEK);
    let (past, week) = all.split_at(7 * WEEK);
    let made = forecast(of(past), WEEK).expect("a forecast");
    assert_eq!(made.method, Method::MstlEts);
    let naive = by(Method::Week, of(past), WEEK).expect("a week");
    let wape = |hours: &[Option<f64>]| score(week.iter().copied().zip(hours.iter().copied()), 0.1).wape;
    let gain = skill(wape(&made.hours), wape(&naive.hours)).expect("both have errors");
    assert!(gain > 0.1, "skill {gain}");
    let bands = bands(made.method, of(past));
    let within = |(hour, value): (usize, &Option<f64>)| {
        let [low, high] = bands.around((past.len() + hour) as i64, value.expect("an hour with a value")).expect("a band");
        (low..=high).contains(&week[hour].expect("there"))
    };
    let share = made.hours.iter().enumerate().filter(|hour| within(*hour)).count() as f64 / WEEK as f64;
    assert!((0.65..0.95).contains(&share), "{share} of the hours lie within");
    assert_eq!(forecast(of(past), WEEK), Some(made), "the same again");
}

#[test]
fn with_less_history_the_method_is_plainer_and_says_so() {
    let all = load(4 * WEEK);
    for (hours, method) in [
        (3 * WEEK, Some(Method::MstlEts)),
        (3 * WEEK - 1, Some(Method::FourWeeks)),
        (WEEK, Some(Method::FourWeeks)),
        (2 * DAY, Some(Method::Day)),
        (DAY / 2 - 1, None),
    ] {
        assert_eq!(forecast(of(&all[..hours]), WEEK).map(|made| made.method), method, "{hours} h");
    }
    let mut holey = load(4 * WEEK);
    holey[2 * WEEK..2 * WEEK + 4 * DAY].fill(None);
    assert_eq!(forecast(of(&holey), DAY).map(|made| made.method), Some(Method::FourWeeks), "four days are missing");
    let flat = vec![Some(2.0); 4 * WEEK];
    let made = forecast(of(&flat), DAY).expect("a forecast");
    assert!(made.hours.iter().all(|hour| hour.is_some_and(|hour| (hour - 2.0).abs() < 1e-3)), "what never changes goes on");
    assert_eq!(forecast(of(&[None; WEEK]), DAY), None);
}

#[test]
fn what_lies_further_back_than_eight_weeks_changes_nothing_and_more_than_a_week_is_not_told() {
    let all = load(HISTORY_MAX + WEEK);
    let mut other = all.clone();
    other[..WEEK].fill(Some(1e6));
    assert_eq!(forecast(of(&all), WEEK), forecast(of(&other), WEEK));
    assert_eq!(forecast(of(&all), 10 * WEEK).map(|made| made.hours.len()), Some(AHEAD_MAX));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// For any input the forecast is finite, and not negative if the history is not.
    #[test]
    fn nothing_impossible_is_said(hours in prop::collection::vec(prop::option::weighted(0.9, 0.0..1e6_f64), 0..5 * WEEK)) {
        if let Some(predicted) = forecast(of(&hours), WEEK) {
            prop_assert!(predicted.hours.iter().flatten().all(|hour| hour.is_finite() && *hour >= 0.0));
        }
    }
}

#[test]
fn a_real_week_is_told_about_as_well_as_it_was_when_the_method_was_chosen() {
    let Some(file) = std::env::var_os("SWITCHYARD_TEST_FORECAST_JSON") else {
        println!("skipped: SWITCHYARD_TEST_FORECAST_JSON names no file");
        return;
    };
    let vectors: Value = serde_json::from_slice(&std::fs::read(file).expect("readable")).expect("JSON");
    let series =
        |name: &str| -> Vec<Option<f64>> { vectors["inputs"][name].as_array().expect("a list").iter().map(Value::as_f64).collect() };
    let (train, week) = (series("train_kw"), series("test_kw"));
    let mape = |method| {
        let made = by(method, of(&train), WEEK).expect("a forecast");
        score(week.iter().copied().zip(made.hours), 1.0).mape.expect("an error")
    };
    // 10.8 % with the library version at the time of writing, 11.8 % for the week before.
    assert!((mape(Method::MstlEts) - 10.8).abs() < 0.5, "{}", mape(Method::MstlEts));
    assert!((mape(Method::Week) - 11.809_987_58).abs() < 1e-6);
}
