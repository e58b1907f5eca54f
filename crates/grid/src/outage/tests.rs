//! Tests of series of supply states and the outages derived from them.

use super::*;

const FEEDER: AssetId = AssetId(7);
const FIVE_MINUTES_MS: i64 = 300_000;

/// Seconds and the supply from then on; the events are numbered 1, 2, 3 …
fn course(supplies: &[(i64, Supply)]) -> Vec<Outage> {
    course_within(FIVE_MINUTES_MS, supplies)
}

/// The same with another momentary threshold.
fn course_within(together_ms: i64, supplies: &[(i64, Supply)]) -> Vec<Outage> {
    let ((first, initial), rest) = supplies.split_first().expect("an initial supply");
    let mut course = Course::begin(FEEDER, together_ms, second(*first), *initial, None);
    for (number, (at, supply)) in rest.iter().enumerate() {
        course.observe(second(*at), *supply, number as i64 + 1, || Cause::Fault);
    }
    course.finish()
}

fn second(second: i64) -> Micros {
    Micros::from_millis(second * 1_000)
}

/// Start, end in seconds, trips, provisional.
fn outages_of(supplies: &[(i64, Supply)]) -> Vec<(i64, Option<i64>, i32, bool)> {
    let seconds = |at: Micros| at.millis() / 1_000;
    course(supplies).iter().map(|outage| (seconds(outage.started), outage.ended.map(seconds), outage.trips, outage.provisional)).collect()
}

#[test]
fn what_belongs_together_is_one_outage() {
    use Supply::{Off, On, Unknown};
    for (why, supplies, expected) in [
        ("nothing happens", vec![(0, On), (10, On), (20, Unknown), (30, On)], vec![]),
        ("lost and back", vec![(0, On), (10, Off), (1_000, On)], vec![(10, Some(1_000), 1, false)]),
        ("it lasts", vec![(0, On), (10, Off)], vec![(10, None, 1, false)]),
        ("a reclosing that holds", vec![(0, On), (10, Off), (11, On)], vec![(10, Some(11), 1, false)]),
        (
            "two shots and a lockout: a sustained interruption is one of its own",
            vec![(0, On), (10, Off), (11, On), (12, Off), (27, On), (28, Off), (4_000, On)],
            vec![(10, Some(27), 2, false), (28, Some(4_000), 1, false)],
        ),
        (
            "back within five minutes of the first",
            vec![(0, On), (10, Off), (20, On), (300, Off), (309, On)],
            vec![(10, Some(309), 2, false)],
        ),
        (
            "over exactly five minutes after the first",
            vec![(0, On), (10, Off), (20, On), (100, Off), (310, On)],
            vec![(10, Some(310), 2, false)],
        ),
        (
            "a short loss that ends later is another one",
            vec![(0, On), (10, Off), (20, On), (100, Off), (311, On)],
            vec![(10, Some(20), 1, false), (100, Some(311), 1, false)],
        ),
        (
            "what follows the other one within five minutes belongs to that",
            vec![(0, On), (10, Off), (20, On), (100, Off), (311, On), (320, Off), (330, On)],
            vec![(10, Some(20), 1, false), (100, Some(330), 2, false)],
        ),
        (
            "while a loss lasts it is no part of a series",
            vec![(0, On), (10, Off), (11, On), (12, Off)],
            vec![(10, Some(11), 1, false), (12, None, 1, false)],
        ),
        (
            "later it is another one",
            vec![(0, On), (10, Off), (20, On), (311, Off), (400, On)],
            vec![(10, Some(20), 1, false), (311, Some(400), 1, false)],
        ),
        ("dead since nobody knows when", vec![(0, Off), (10, On), (20, Off), (30, On)], vec![(20, Some(30), 1, false)]),
        ("dead before the first word, through what is unknown", vec![(0, Unknown), (10, Unknown)], vec![]),
        ("on its way", vec![(0, On), (10, Off), (20, Unknown), (21, On)], vec![(10, Some(21), 1, false)]),
        (
            "unknown for long before it is known to be back",
            vec![(0, On), (10, Off), (20, Unknown), (900, On)],
            vec![(10, Some(900), 1, true)],
        ),
        ("unknown to the end", vec![(0, On), (10, Off), (20, Unknown)], vec![(10, None, 1, true)]),
        ("unknown, and dead again", vec![(0, On), (10, Off), (20, Unknown), (30, Off), (2_000, On)], vec![(10, Some(2_000), 1, false)]),
        (
            "of what was not known before, not known again is all there can be",
            vec![(0, Unknown), (10, Off), (800, Unknown)],
            vec![(10, Some(800), 1, true)],
        ),
    ] {
        assert_eq!(outages_of(&supplies), expected, "{why}");
    }
}

#[test]
fn series_ends_with_the_momentary_threshold_of_the_utility() {
    use Supply::{Off, On};
    let starts = |minutes: i64, supplies: &[(i64, Supply)]| -> Vec<i64> {
        course_within(minutes * 60_000, supplies).iter().map(|outage| outage.started.millis() / 1_000).collect()
    };
    let two_shots = [(0, On), (10, Off), (40, On), (130, Off), (160, On)];
    assert_eq!(
        (starts(5, &two_shots), starts(1, &two_shots)),
        (vec![10], vec![10, 130]),
        "two momentary events for a threshold of one minute"
    );
    let far_apart = [(0, On), (10, Off), (130, On), (370, Off), (490, On)];
    assert_eq!((starts(5, &far_apart), starts(10, &far_apart)), (vec![10, 370], vec![10]), "one event for a threshold of ten minutes");
}

#[test]
fn longest_momentary_interruption_is_up_to_the_threshold() {
    let of = |minutes, inclusive| crate::reliability::Threshold { minutes, inclusive }.longest_momentary_ms();
    assert_eq!((of(5.0, true), of(1.0, false), of(2.5, true), of(0.0, true)), (300_000, 59_999, 150_000, 0));
}

#[test]
fn an_outage_that_was_found_before_goes_on() {
    let open = course(&[(0, Supply::On), (10, Supply::Off)]).remove(0);
    let mut later = Course::begin(FEEDER, FIVE_MINUTES_MS, second(5_000), Supply::Off, Some(open.clone()));
    later.observe(second(6_000), Supply::On, 9, || Cause::Unknown);
    let over = later.finish();
    assert_eq!(over, [Outage { ended: Some(second(6_000)), evidence: vec![1, 9], ..open.clone() }]);
    let contradicted = Course::begin(FEEDER, FIVE_MINUTES_MS, second(5_000), Supply::On, Some(open.clone())).finish();
    assert_eq!((contradicted[0].ended, contradicted[0].provisional), (Some(second(5_000)), true));
    let doubtful = Course::begin(FEEDER, FIVE_MINUTES_MS, second(5_000), Supply::Unknown, Some(open)).finish();
    assert_eq!((doubtful[0].ended, doubtful[0].provisional), (None, true));
}

/// Returns the incident and cause of each outage. The first loss is switched, the others are of unknown cause.
fn incidents(supplies: &[(i64, Supply)]) -> Vec<(i64, Cause)> {
    let mut course = Course::begin(FEEDER, FIVE_MINUTES_MS, second(0), Supply::On, None);
    for (number, (at, supply)) in supplies.iter().enumerate() {
        course.observe(second(*at), *supply, number as i64 + 1, || if number == 0 { Cause::Fault } else { Cause::Unknown });
    }
    course.finish().iter().map(|outage| (outage.incident, outage.cause)).collect()
}

#[test]
fn a_lockout_has_the_incident_of_its_reclosings() {
    use Supply::{Off, On};
    let shots = [(10, Off), (11, On), (12, Off)];
    assert_eq!(incidents(&[shots.as_slice(), &[(4_000, On)]].concat()), [(1, Cause::Fault), (1, Cause::Fault)]);
    assert_eq!(incidents(&shots), [(1, Cause::Fault), (1, Cause::Fault)], "while it lasts it may become one");
    let short = incidents(&[(10, Off), (11, On), (100, Off), (311, On)]);
    assert_eq!(short, [(1, Cause::Fault), (3, Cause::Fault)], "two momentary events are two");
    assert_eq!(incidents(&[(10, Off), (11, On), (311, Off), (4_000, On)]), [(1, Cause::Fault), (3, Cause::Unknown)], "too late for a shot");
}

#[test]
fn an_outage_that_goes_on_ends_as_if_all_were_computed_at_once() {
    use Supply::{Off, On};
    let whole = |end| course(&[(0, On), (10, Off), (11, On), (12, Off), (end, On)]);
    for end in [311, 312, 313, 4_000] {
        let open = course(&[(0, On), (10, Off), (11, On), (12, Off)]).pop();
        let mut later = Course::begin(FEEDER, FIVE_MINUTES_MS, second(311), Off, open);
        later.observe(second(end), On, 4, || Cause::Unknown);
        assert_eq!(later.finish(), whole(end)[1..], "{end}");
    }
}

#[test]
fn a_breaker_that_flaps_names_no_more_events_than_a_row_holds() {
    let flaps = (0..=200).map(|flap| (flap, if flap % 2 == 0 { Supply::On } else { Supply::Off }));
    let all = course(&flaps.collect::<Vec<_>>());
    assert_eq!((all.len(), all[0].trips, all[0].evidence.len()), (1, 100, EVIDENCE_MAX));
}

#[test]
fn a_line_is_dead_below_a_tenth_of_its_voltage() {
    for (code, kv, dead) in
        [("Vry", 3.4, false), ("Vry", 3.2, true), ("Vr", 2.0, false), ("Vr", 1.8, true), ("V", 0.0, true), ("Vbr", 33.0, false)]
    {
        assert_eq!(is_dead_voltage(code, 33.0, kv), dead, "{code} {kv}");
    }
    assert!(!is_dead_voltage("V", 33.0, f64::NAN), "what is no number is not dead");
}

#[test]
fn causes() {
    let none = Trigger::default();
    let relay = Trigger { by_protection: true, ..none };
    let ordered = Trigger { ordered: true, ..none };
    for (trigger, own, beyond) in [
        (none, Cause::Unknown, Cause::Upstream),
        (relay, Cause::Fault, Cause::Upstream),
        (Trigger { under_frequency: true, ..relay }, Cause::LoadShedding, Cause::LoadShedding),
        (ordered, Cause::Switching, Cause::Switching),
        (Trigger { tagged: true, ..ordered }, Cause::Planned, Cause::Planned),
        (Trigger { tagged: true, ..none }, Cause::Unknown, Cause::Upstream),
        (Trigger { ordered: true, ..relay }, Cause::Fault, Cause::Upstream),
    ] {
        assert_eq!((trigger.cause(true), trigger.cause(false)), (own, beyond), "{trigger:?}");
    }
    assert!(Cause::ALL.into_iter().all(|cause| Cause::parse(cause.as_str()) == Some(cause)));
}
