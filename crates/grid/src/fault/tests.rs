//! Tests of sequences of a bay's events and the faults derived from them.

#![allow(clippy::type_complexity, reason = "tables of cases")]

use super::*;

fn ms(ms: i64) -> Micros {
    Micros::from_millis(ms)
}

const TRIP: BayEvent = BayEvent::Opened { by_protection: true, ordered: false };
const LOST: BayEvent = BayEvent::Opened { by_protection: false, ordered: false };
const ORDER: BayEvent = BayEvent::Opened { by_protection: false, ordered: true };
const CLOSE: BayEvent = BayEvent::Closed;

/// Returns the faults of a sequence, oldest first.
fn faults(events: &[(i64, BayEvent)]) -> Vec<Fault> {
    let mut faults: Vec<Fault> = Vec::new();
    for (at, bay_event) in events {
        match step(faults.last(), ms(*at), *bay_event) {
            Effect::Begins(fault) => faults.push(fault),
            Effect::Goes(fault) => *faults.last_mut().expect("one") = fault,
            Effect::Nothing => {}
        }
    }
    faults
}

#[test]
fn sequences_and_what_they_amount_to() {
    // Events, then for each fault: start, end, trips, momentary, trip type.
    type ExpectedFault = (i64, Option<i64>, i32, bool, Option<&'static str>);
    let cases: [(&[(i64, BayEvent)], &[ExpectedFault], &str); 11] = [
        (&[(1_000, ORDER), (9_000, CLOSE)], &[], "an order is no fault"),
        (&[(1_000, TRIP), (1_400, CLOSE)], &[(1_000, Some(1_400), 1, true, Some("79 success"))], "reclosed at once"),
        (&[(1_000, LOST), (1_400, CLOSE)], &[(1_000, Some(1_400), 1, true, Some("79 success"))], "opened by nobody that we know of"),
        (
            &[(1_000, TRIP), (1_400, CLOSE), (1_520, TRIP), (16_600, CLOSE), (16_700, TRIP)],
            &[(1_000, None, 3, false, None)],
            "three shots are one",
        ),
        (
            &[(1_000, TRIP), (1_400, CLOSE), (1_520, TRIP), (16_600, CLOSE)],
            &[(1_000, Some(16_600), 2, true, Some("79 success"))],
            "the second shot succeeds",
        ),
        (
            &[(1_000, TRIP), (1_400, CLOSE), (1_520, TRIP), (200_000, CLOSE)],
            &[(1_000, Some(200_000), 2, true, Some("lockout"))],
            "locked out, and closed within five minutes",
        ),
        (
            &[(1_000, TRIP), (1_400, CLOSE), (1_520, TRIP), (900_000, CLOSE)],
            &[(1_000, Some(900_000), 2, false, Some("lockout"))],
            "sustained counts from the first",
        ),
        (
            &[(0, TRIP), (400, CLOSE), (300_000, TRIP), (300_400, CLOSE)],
            &[(0, Some(300_400), 2, false, Some("79 success"))],
            "what begins within five minutes belongs to it",
        ),
        (
            &[(0, TRIP), (400, CLOSE), (300_001, TRIP), (300_400, CLOSE)],
            &[(0, Some(400), 1, true, Some("79 success")), (300_001, Some(300_400), 1, true, Some("79 success"))],
            "later is another",
        ),
        (&[(5_000, TRIP), (5_000, TRIP), (4_000, CLOSE), (3_000, TRIP)], &[(5_000, None, 1, false, None)], "again and late change nothing"),
        (
            &[(0, CLOSE), (1_000, TRIP), (1_400, CLOSE), (2_000, ORDER)],
            &[(1_000, Some(1_400), 1, true, Some("79 success"))],
            "an order after it",
        ),
    ];
    for (events, expected, name) in cases {
        let late = ms(10_000_000);
        let found: Vec<(i64, Option<i64>, i32, bool, Option<String>)> = faults(events)
            .iter()
            .map(|fault| (fault.start.millis(), fault.end.map(Micros::millis), fault.trips, fault.is_momentary(late), fault.trip_type()))
            .collect();
        let expected: Vec<_> = expected.iter().map(|(a, b, c, d, e)| (*a, *b, *c, *d, e.map(str::to_owned))).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn the_type_by_phases() {
    let cases: [([Option<f64>; 3], Option<&str>, &str); 8] = [
        ([Some(1_800.0), Some(120.0), Some(118.0)], Some("LG"), "one"),
        ([Some(120.0), Some(2_900.0), Some(2_880.0)], Some("LL"), "two that are equal"),
        ([Some(120.0), Some(2_900.0), Some(2_300.0)], Some("LLG"), "two that are not"),
        ([Some(4_000.0), Some(3_500.0), Some(3_900.0)], Some("LLL"), "all"),
        ([Some(4_000.0), None, Some(3_900.0)], None, "one that is not known"),
        ([None; 3], None, "nothing known"),
        ([Some(0.0); 3], None, "no current"),
        ([Some(f64::NAN), Some(1.0), Some(f64::INFINITY)], None, "no numbers"),
    ];
    for (currents, expected, name) in cases {
        assert_eq!(FaultType::of(currents).map(FaultType::as_str), expected, "{name}");
    }
}

#[test]
fn trip_lockout_severity_and_duration() {
    let Effect::Begins(mut fault) = step(None, ms(0), TRIP) else { panic!("it begins") };
    assert_eq!((fault.trip_type(), fault.fault_type()), (None, None), "nothing is known yet");
    assert!(fault.take_currents([Some(2_500.0), Some(100.0), Some(100.0)]));
    assert!(!fault.take_currents([Some(2_500.0), Some(100.0), Some(100.0)]), "no news");
    assert!(!fault.take_currents([Some(900.0), Some(100.0), Some(100.0)]), "the largest counts");
    assert!(!fault.take_currents([None, Some(9_000.0), None]), "less is no news");
    assert_eq!(fault.trip_type().as_deref(), Some("50"));
    assert!(!fault.time(ms(LOCKOUT_MS)) && fault.time(ms(LOCKOUT_MS + 1)) && !fault.time(ms(LOCKOUT_MS + 2)), "told once");
    assert_eq!(fault.trip_type().as_deref(), Some("50, lockout"));
    assert_eq!((fault.severity(1_200, ms(1)), fault.severity(12, ms(1))), (Severity::High, Severity::Medium));
    let Effect::Goes(ended) = step(Some(&fault), ms(90_000), CLOSE) else { panic!("it ends") };
    assert_eq!((ended.severity(1_200, ms(1)), ended.trip_type().as_deref()), (Severity::Low, Some("50, lockout")));
    assert!((ended.minutes(ms(9_000_000)) - 1.5).abs() < 1e-9 && ended.is_momentary(ms(9_000_000)));
}
