//! Properties of every cable: an older one is no healthier, a less healthy one fails more often, and the matrix includes
//! every section.

use grid::cable_health::{
    Bands, Choice, Condition, Conductor, Consequence, Criticality, Discharge, FaultHistory, Forecast, HealthIndex, Insulation, Leakage,
    Matrix, Metal, Section, Sheath, Voltage, by_group, failure_rate, probability,
};
use proptest::prelude::*;
use proptest::sample::select;

fn condition() -> impl Strategy<Value = Condition> {
    let leakage = select(&Leakage::ALL[..]);
    let faults = prop_oneof![Just(FaultHistory::Unknown), Just(FaultHistory::NoneRecorded), (1e-4..2.0_f64).prop_map(FaultHistory::Rate)];
    prop_oneof![
        (select(&Sheath::ALL[..]), select(&Discharge::ALL[..]), faults).prop_map(|(sheath, discharge, faults)| Condition::NonPressurised {
            sheath,
            discharge,
            faults
        }),
        leakage.clone().prop_map(Condition::Oil),
        leakage.prop_map(Condition::Gas),
    ]
}

fn percent() -> impl Strategy<Value = Option<f64>> {
    proptest::option::of(0.0..150.0_f64)
}

fn section() -> impl Strategy<Value = Section> {
    let build = (
        select(Voltage::ALL.to_vec()),
        select(vec![Metal::Aluminium, Metal::Lead]),
        select(vec![Conductor::Aluminium, Conductor::Copper]),
        condition(),
    );
    let life = (0.0..=150.0_f64, 0.0..=30.0_f64, percent(), percent(), 0.6..=1.5_f64);
    let place = (0.0..5.0_f64, 0.0..5.0_f64, 0.0..5.0_f64, proptest::option::of(0.0..200.0_f64), any::<bool>());
    (build, life, place).prop_map(|((voltage, sheath, conductor, condition), life, place)| {
        let (age_years, length_km, utilisation_percent, voltage_percent, reliability) = life;
        let (financial, safety, environmental, load_mva, secure) = place;
        let consequence = Consequence { financial, safety, environmental, load_mva, secure };
        Section {
            voltage,
            sheath,
            conductor,
            age_years,
            length_km,
            utilisation_percent,
            voltage_percent,
            condition,
            reliability,
            consequence,
        }
    })
}

proptest! {
    #[test]
    fn scores_stay_in_their_range_and_grow_with_age(section in section(), more in 0.0..50.0_f64) {
        let younger = section.assess(Bands::V2_1).unwrap();
        let older = Section { age_years: section.age_years + more, ..section }.assess(Bands::V2_1).unwrap();
        prop_assert!((0.5..=10.0).contains(&younger.health.score()) && (0.5..=5.5).contains(&younger.health.initial()));
        prop_assert!(older.health.score() >= younger.health.score() && older.band >= younger.band);
        prop_assert!(older.failures_per_km >= younger.failures_per_km && older.risk >= younger.risk);
    }

    #[test]
    fn the_future_is_no_healthier(section in section(), years in 0.0..100.0_f64, more in 0.0..50.0_f64) {
        let assessed = section.assess(Bands::V2_1).unwrap();
        let (soon, late) = (assessed.health.after(years), assessed.health.after(years + more));
        prop_assert!((0.5..=15.0).contains(&soon) && late >= soon && soon >= assessed.health.score());
        prop_assert!(assessed.failures_per_km_after(years + more) >= assessed.failures_per_km_after(years));
        let remaining = assessed.health.remaining_years();
        prop_assert!((0.0..=999.0).contains(&remaining));
        if remaining > 0.0 && remaining < 999.0 {
            prop_assert!((assessed.health.after(remaining) - 8.0).abs() < 1e-6);
        }
    }

    #[test]
    // The replacement of a pressurised cable has another insulation, whose failures are rarer but cost more.
    fn replacing_solid_insulation_never_raises_the_risk_of_any_year(sections in proptest::collection::vec((section(), any::<bool>()), 0..20), years in 1..=40_u32) {
        let assessed: Vec<_> = sections.iter().map(|(section, on_list)| (section.assess(Bands::V2_1).unwrap(), *on_list)).collect();
        let is_solid = |section: &grid::cable_health::Assessed| section.kind.insulation == Insulation::NonPressurised;
        let choice = |section, on_list: bool| Choice { replaced: on_list && is_solid(section), compared: is_solid(section) };
        let forecast = Forecast::of(assessed.iter().map(|(section, on_list)| (section, choice(section, *on_list))), years);
        prop_assert_eq!((forecast.do_nothing.len(), forecast.replaced.len()), (years as usize + 1, years as usize + 1));
        let near = |one: f64, other: f64| (one - other).abs() <= 1e-9 * one.abs().max(1.0);
        let matrix = Matrix::of(assessed.iter().map(|(section, _)| section)).total().risk;
        prop_assert!(near(forecast.do_nothing[0], matrix) && near(forecast.replaced[0], matrix), "{forecast:?}, not {matrix}");
        for (nothing, replaced) in forecast.do_nothing.iter().zip(&forecast.replaced) {
            prop_assert!(*replaced <= nothing * (1.0 + 1e-12), "{replaced} after replacing, {nothing} before");
        }
        prop_assert!(forecast.do_nothing.windows(2).all(|years| years[1] >= years[0]), "what is left gets no better");
        // One more section on the list does not raise the risk.
        prop_assert!(forecast.compared.iter().zip(&forecast.replaced).all(|(all, some)| *all <= some * (1.0 + 1e-12)));
    }

    #[test]
    fn a_worse_score_fails_more_often(score in 0.5..15.0_f64, worse in 0.01..5.0_f64) {
        for insulation in Insulation::ALL {
            let (one, other) = (failure_rate(insulation.k_percent(), score), failure_rate(insulation.k_percent(), score + worse));
            prop_assert!(other >= one && (score + worse <= 4.0 || other > one));
            prop_assert!((0.0..=1.0).contains(&probability(one)) && probability(other) >= probability(one));
        }
    }

    #[test]
    fn more_load_is_more_duty_and_more_cost(
        section in section(), percent in 0.0..150.0_f64, more in 0.0..100.0_f64, mva in 0.0..100.0_f64,
    ) {
        let loaded = |percent, mva| {
            let consequence = Consequence { load_mva: Some(mva), ..section.consequence };
            Section { utilisation_percent: Some(percent), consequence, ..section }.assess(Bands::V2_1).unwrap()
        };
        let (less, rather) = (loaded(percent, mva), loaded(percent + more, mva + more));
        prop_assert!(rather.expected_life_years <= less.expected_life_years && rather.health.score() >= less.health.score());
        prop_assert!(rather.cost.total() >= less.cost.total() && rather.criticality >= less.criticality);
    }

    #[test]
    fn the_matrix_holds_every_section_once(
        sections in proptest::collection::vec((section(), 0..5_u8), 0..60), first_version in any::<bool>(),
    ) {
        let bands = if first_version { Bands::V1_1 } else { Bands::V2_1 };
        let assessed: Vec<_> = sections.iter().map(|(section, feeder)| (*feeder, section.assess(bands).unwrap())).collect();
        let matrix = Matrix::of(assessed.iter().map(|(_, assessed)| assessed));
        let (km, risk): (Vec<f64>, Vec<f64>) = assessed.iter().map(|(_, assessed)| (assessed.length_km, assessed.risk)).unzip();
        let near = |ours: f64, all: &[f64]| { let sum: f64 = all.iter().sum(); (ours - sum).abs() <= 1e-9 * sum.max(1.0) };
        let total = matrix.total();
        prop_assert!(total.sections == assessed.len() && near(total.km, &km) && near(total.risk, &risk));
        for (criticality, row) in matrix.rows() {
            for (health, cell) in HealthIndex::ALL.into_iter().zip(row) {
                let listed = assessed.iter().filter(|(_, one)| one.criticality == criticality && one.band == health).count();
                prop_assert!(cell.sections == listed && matrix.cell(criticality, health) == *cell);
            }
        }
        let feeders = by_group(assessed.iter().map(|(feeder, assessed)| (feeder, assessed)));
        prop_assert_eq!(feeders.values().flatten().map(|cell| cell.sections).sum::<usize>(), assessed.len());
        for health in HealthIndex::ALL {
            let column: usize = Criticality::ALL.into_iter().map(|criticality| matrix.cell(criticality, health).sections).sum();
            prop_assert_eq!(feeders.values().map(|row| row[health as usize].sections).sum::<usize>(), column);
        }
    }

    #[test]
    fn whatever_the_figures_are_nothing_comes_out_that_is_no_number(
        base in section(),
        age in any::<f64>(),
        length in any::<f64>(),
        load in any::<f64>(),
        reliability in any::<f64>(),
        rate in any::<f64>(),
    ) {
        let faults = FaultHistory::Rate(rate);
        let condition = Condition::NonPressurised { sheath: Sheath::Unknown, discharge: Discharge::Unknown, faults };
        let consequence = Consequence { load_mva: Some(load), ..base.consequence };
        for wild in [
            Section { age_years: age, ..base },
            Section { length_km: length, ..base },
            Section { utilisation_percent: Some(load), ..base },
            Section { voltage_percent: Some(load), ..base },
            Section { reliability, ..base },
            Section { condition, ..base },
            Section { consequence, ..base },
        ] {
            if let Ok(assessed) = wild.assess(Bands::V2_1) {
                prop_assert!(assessed.risk.is_finite() && assessed.health.after(1_000.0).is_finite(), "{wild:?}");
            }
        }
    }
}
