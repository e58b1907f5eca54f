//! Properties of the reliability indices for any interruptions.

use grid::Micros;
use grid::reliability::{CustomersWithoutSupply, Step, Sums, Threshold, sums};
use proptest::prelude::*;

fn step() -> impl Strategy<Value = Step> {
    let whom = prop_oneof![
        (0_i64..8).prop_map(|id| CustomersWithoutSupply::Feeder { id, weight: (id * 100 + 50) as f64 }),
        (0_u64..500, 1_u64..300).prop_map(|(first, count)| CustomersWithoutSupply::Range { first, end: first + count }),
    ];
    (0_i64..12, 0.0..400.0, any::<bool>(), whom).prop_map(|(interruption, minutes, lasts, whom)| Step {
        interruption,
        started: Micros(0),
        minutes,
        lasts,
        whom,
    })
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(1.0)
}

fn same(one: &Sums, other: &Sums) -> bool {
    near(one.interruptions, other.interruptions)
        && near(one.minutes, other.minutes)
        && near(one.momentary, other.momentary)
        && near(one.customers_interrupted(), other.customers_interrupted())
}

proptest! {
    #[test]
    fn the_indices_fit_each_other(steps in prop::collection::vec(step(), 0..40), served in 1.0..10_000.0) {
        let sums = sums(&steps, Threshold::default());
        let indices = sums.indices(served, 43_200.0).expect("somebody is served");
        prop_assert_eq!(indices.caidi.is_some(), sums.interruptions > 0.0);
        if let (Some(caidi), Some(caifi), Some(ctaidi)) = (indices.caidi, indices.caifi, indices.ctaidi) {
            prop_assert!(near(indices.saidi, caidi * indices.saifi));
            prop_assert!(near(ctaidi, caidi * caifi));
            prop_assert!(caifi >= 1.0 - 1e-12, "who was interrupted was at least once");
        }
        prop_assert!(sums.customers_interrupted() <= sums.interruptions + 1e-9);
    }

    #[test]
    fn a_step_in_two_parts_is_the_same_step(steps in prop::collection::vec(step(), 1..20), cut in 0.0..1.0_f64) {
        let mut parts = Vec::new();
        for step in &steps {
            match step.whom {
                CustomersWithoutSupply::Range { first, end } => {
                    let middle = first + ((end - first) as f64 * cut) as u64;
                    parts.push(Step { whom: CustomersWithoutSupply::Range { first, end: middle }, ..*step });
                    parts.push(Step { whom: CustomersWithoutSupply::Range { first: middle, end }, ..*step });
                }
                CustomersWithoutSupply::Feeder { .. } => parts.push(*step),
            }
        }
        prop_assert!(same(&sums(&steps, Threshold::default()), &sums(&parts, Threshold::default())));
    }

    #[test]
    fn the_order_does_not_matter_and_periods_add_up(steps in prop::collection::vec(step(), 0..30), at in 0_i64..12) {
        let all = sums(&steps, Threshold::default());
        let mut turned = steps.clone();
        turned.reverse();
        prop_assert!(same(&all, &sums(&turned, Threshold::default())));
        let (early, late): (Vec<_>, Vec<_>) = steps.iter().partition(|step| step.interruption < at);
        let mut both = sums(&early, Threshold::default());
        both.add(&sums(&late, Threshold::default()));
        prop_assert!(same(&all, &both));
    }

    #[test]
    fn a_higher_threshold_makes_no_more_of_what_is_sustained(steps in prop::collection::vec(step(), 0..30), low in 0.0..60.0, more in 0.0..60.0) {
        let of = |minutes| sums(&steps, Threshold { minutes, inclusive: true });
        let (low, high) = (of(low), of(low + more));
        prop_assert!(high.interruptions <= low.interruptions + 1e-9 && high.minutes <= low.minutes + 1e-9);
    }
}
