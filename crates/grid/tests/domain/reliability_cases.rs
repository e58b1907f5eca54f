//! Checks every figure of the reliability vectors (vectors/reliability.json): cases computed by hand after IEEE 1366, and monthly figures published
//! by an Indian utility (PGVCL).

use grid::Micros;
use grid::reliability::{CustomersWithoutSupply, Step, Threshold, availability, major_event_limit, sums};
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../vectors/reliability.json")).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn close(what: &str, ours: f64, theirs: &Value) {
    let theirs = number(theirs);
    assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0), "{what}: {ours}, expected {theirs}");
}

fn steps() -> Vec<Step> {
    let vectors = vectors();
    let events = vectors["indices_case"]["inputs"]["events"].as_array().expect("events");
    let step = |(interruption, event): (usize, &Value)| Step {
        interruption: interruption as i64,
        started: Micros(0),
        minutes: number(&event["duration_min"]),
        lasts: false,
        whom: CustomersWithoutSupply::Range {
            first: event["first_customer"].as_u64().expect("a number"),
            end: event["last_customer_exclusive"].as_u64().expect("a number"),
        },
    };
    events.iter().enumerate().map(step).collect()
}

#[test]
fn the_indices_of_a_hand_case_with_either_threshold() {
    let (steps, vectors) = (steps(), vectors());
    let served = number(&vectors["indices_case"]["inputs"]["customers_served"]);
    for (minutes, key) in [(5.0, "outputs"), (3.0, "outputs_with_3_min_threshold")] {
        let (out, sums) = (&vectors["indices_case"][key], sums(&steps, Threshold { minutes, inclusive: true }));
        let indices = sums.indices(served, 525_600.0).expect("somebody is served");
        for (name, ours) in [
            ("CI", sums.interruptions),
            ("CMI", sums.minutes),
            ("CN_distinct", sums.customers_interrupted()),
            ("SAIFI", indices.saifi),
            ("SAIDI_min", indices.saidi),
            ("CAIDI_min", indices.caidi.expect("interruptions")),
            ("CAIFI", indices.caifi.expect("interruptions")),
            ("CTAIDI_min", indices.ctaidi.expect("interruptions")),
            ("ASAI", indices.asai.expect("a period")),
            ("MAIFI", indices.maifi),
        ] {
            close(&format!("{key} {name}"), ours, &out[name]);
        }
    }
    let outside = sums(&steps, Threshold { minutes: 5.0, inclusive: false });
    assert!((outside.interruptions - 2_725.0).abs() < 1e-9, "the 300 of exactly five minutes are sustained then");
}

#[test]
fn stepwise_restoration_counts_everybody_once_and_every_step_by_its_minutes() {
    let out = &vectors()["stepwise_restoration"]["outputs"];
    let step = |first, end, minutes| Step {
        interruption: 1,
        started: Micros(0),
        minutes,
        lasts: false,
        whom: CustomersWithoutSupply::Range { first, end },
    };
    let sums = sums(&[step(0, 400, 30.0), step(400, 750, 75.0), step(750, 1_000, 200.0)], Threshold::default());
    let indices = sums.indices(5_000.0, 43_200.0).expect("somebody is served");
    close("CI", sums.interruptions, &out["CI"]);
    close("CMI", sums.minutes, &out["CMI"]);
    close("CAIDI", indices.caidi.expect("interruptions"), &out["CAIDI_min"]);
    close("SAIDI", indices.saidi, &out["SAIDI_min_for_NT_5000"]);
    assert_eq!(sums.events, 1);
}

#[test]
fn availability_is_of_the_minutes_of_the_period_alone() {
    const DAY: i64 = 86_400_000;
    let day = |day: i64| Micros::from_millis(day * DAY);
    let step = |interruption, since: i64, days: f64, lasts| Step {
        interruption,
        started: day(since),
        minutes: days * 1_440.0,
        lasts,
        whom: CustomersWithoutSupply::Feeder { id: interruption, weight: 100.0 },
    };
    // Interruptions: began before and continues beyond; began within and continues beyond; ended before; after the period; within.
    let steps =
        [step(1, -50, 100.0, true), step(2, 15, 90.0, false), step(3, -9, 3.0, false), step(4, 31, 2.0, false), step(5, 3, 3.0, false)];
    // Of 30 days: 30 of the first, 15 of the second, 3 of the fifth, for 100 of 1000 customers each.
    let of = |steps: &[Step]| availability(steps, Threshold::default(), 1_000.0, (day(0), day(30))).expect("a period");
    assert!((of(&steps) - (1.0 - 48.0 / 300.0)).abs() < 1e-12, "{}", of(&steps));
    let alone = availability(&steps[..1], Threshold::default(), 100.0, (day(0), day(30)));
    assert_eq!(alone, Some(0.0), "more than everything cannot be missing");
    let momentary = Step { minutes: 4.0, ..steps[4] };
    assert_eq!(availability(&[momentary], Threshold::default(), 1_000.0, (day(0), day(30))), Some(1.0));
    assert_eq!(availability(&steps, Threshold::default(), 0.0, (day(0), day(30))), None);
    assert_eq!(availability(&steps, Threshold::default(), 1.0, (day(1), day(1))), None);
}

#[test]
fn the_limit_of_major_event_days() {
    let case = &vectors()["major_event_day"];
    let limit = major_event_limit(case["daily_saidi_min"].as_array().expect("days").iter().map(number)).expect("enough days");
    close("alpha", limit.alpha, &case["alpha"]);
    close("beta", limit.beta, &case["beta_sample_n_minus_1"]);
    close("T_MED", limit.minutes, &case["TMED_sample"]);
    assert_eq!(limit.days as u64, case["n"].as_u64().expect("a number"));
    assert!(limit.is_major(60.0) && !limit.is_major(limit.minutes));
    assert_eq!(major_event_limit([0.0, 3.0, 0.0]), None, "one day has no deviation");
}

#[test]
fn published_monthly_figures() {
    for row in vectors()["published_india_pgvcl"].as_array().expect("rows") {
        // The published SAIDI in hours is a sum of hours, the other figures are sums of interruptions.
        let ours = number(&row["numerator"]) / number(&row["customers"]);
        close("computed", ours, &row["computed"]);
        let agrees = (ours - number(&row["published"])).abs() <= 0.006;
        assert_eq!(agrees, row["agrees"].as_bool().expect("a truth value"), "{row}");
        let step = Step {
            interruption: 1,
            started: Micros(0),
            minutes: 60.0,
            lasts: false,
            whom: CustomersWithoutSupply::Feeder { id: 1, weight: number(&row["numerator"]) },
        };
        let indices = sums(&[step], Threshold::default()).indices(number(&row["customers"]), 43_200.0).expect("customers");
        close("as an index", indices.saifi, &row["computed"]);
    }
}
