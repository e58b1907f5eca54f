//! Properties for every transformer, load and temperature.

use grid::Micros;
use grid::thermal::limits::continuous;
use grid::thermal::loading::{HORIZON_MINUTES, k_continuous, k_for};
use grid::thermal::{Cooling, Paper, Parameters, PresentState, Rating, Regime, State, UsedLife};
use proptest::prelude::*;

fn parameters() -> impl Strategy<Value = Parameters> {
    let nameplate = (2.0..12.0, 35.0..65.0, 12.0..28.0);
    (prop::sample::select(Cooling::ALL.to_vec()), nameplate).prop_map(|(cooling, (loss_ratio, oil_rise_k, gradient_k))| Parameters {
        loss_ratio,
        oil_rise_k,
        gradient_k,
        ..Parameters::typical(cooling)
    })
}

fn paper() -> impl Strategy<Value = Paper> {
    prop::sample::select(vec![Paper::Normal, Paper::Upgraded])
}

proptest! {
    #[test]
    fn hotter_ages_faster(paper in paper(), cooler in -20.0..180.0_f64, by in 0.01..50.0_f64) {
        prop_assert!(paper.rate(cooler + by) > paper.rate(cooler));
    }

    #[test]
    fn used_life_never_decreases_and_nothing_is_lost_of_time(
        paper in paper(),
        samples in prop::collection::vec((0..7_200_000_i64, -30.0..200.0_f64), 1..60),
    ) {
        let mut life = UsedLife::new(paper, 0.5);
        let (mut at, mut before) = (Micros(0), 0.5);
        for (after, hot) in samples {
            at = at.plus_millis(after);
            life.add(at, 0, hot);
            prop_assert!(life.years() >= before);
            before = life.years();
        }
        prop_assert!(life.missing_hours() * 3_600_000.0 <= at.millis() as f64);
    }

    #[test]
    fn more_load_is_hotter_at_every_minute(parameters in parameters(), ambient in -20.0..50.0_f64, load in 0.0..1.8_f64, by in 0.01..0.5_f64) {
        let mut one = State::steady(&parameters, 0.6, ambient);
        let mut other = one;
        for _ in 0..HORIZON_MINUTES {
            one.step(&parameters, load, ambient, 1.0);
            other.step(&parameters, load + by, ambient, 1.0);
            prop_assert!(other.top_oil() > one.top_oil() && other.hot_spot() > one.hot_spot());
        }
    }

    #[test]
    fn one_long_step_is_many_short_ones(parameters in parameters(), ambient in -20.0..50.0_f64, load in 0.0..2.0_f64, minutes in 2..600_u32) {
        let mut long = State::steady(&parameters, 0.4, ambient);
        let mut short = long;
        long.step(&parameters, load, ambient, f64::from(minutes));
        for _ in 0..minutes {
            short.step(&parameters, load, ambient, 1.0);
        }
        prop_assert!((long.top_oil() - short.top_oil()).abs() < 1e-6 && (long.hot_spot() - short.hot_spot()).abs() < 1e-6);
    }

    #[test]
    fn two_hours_allow_what_is_allowed_for_ever_to_one_that_is_not_overloaded(
        parameters in parameters(),
        paper in paper(),
        ambient in -20.0..50.0_f64,
        loaded in 0.0..1.0_f64,
        mva in 0.2..90.0_f64,
    ) {
        let rating = Rating { mva, paper, regime: Regime::NormalCyclic, parameters };
        let forever = k_continuous(&parameters, ambient, continuous(paper)).unwrap().min(1.5);
        let state = State::steady(&parameters, loaded * forever, ambient);
        let permissible = rating.permissible(PresentState { ambient, state, mva: Some(loaded * forever * mva) });
        prop_assert!(permissible.two_hours_mva >= permissible.continuous_mva - 1e-6, "{permissible:?}");
        prop_assert!((permissible.continuous - forever).abs() < 1e-9);
    }

    #[test]
    fn no_capability_is_negative_and_what_it_allows_breaks_no_limit(
        parameters in parameters(),
        ambient in -20.0..60.0_f64,
        oil in 0.0..120.0_f64,
        gradient in 0.0..60.0_f64,
        regime in prop::sample::select(Regime::ALL.to_vec()),
    ) {
        let limits = regime.limits(5.0);
        let start = State::measured(&parameters, oil, gradient);
        let Some(load) = k_for(&parameters, start, ambient, limits, HORIZON_MINUTES) else { return Ok(()) };
        prop_assert!((0.0..=limits.load).contains(&load));
        let mut state = start;
        for _ in 0..HORIZON_MINUTES {
            state.step(&parameters, load, ambient, 1.0);
            prop_assert!(state.top_oil() <= limits.top_oil + 1e-9 && state.hot_spot() <= limits.hot_spot + 1e-9);
        }
    }
}
