//! Tests of the two state machines: tables of literal cases, and generated schedules.

#![allow(clippy::type_complexity, reason = "tables of cases")]

use proptest::prelude::*;

use super::*;
use crate::{Micros, Ordinal, Quality, Reading, Term};

fn s(second: i64) -> Micros {
    Micros::from_millis(second * 1_000)
}

fn reading(second: i64, value: Option<f64>, quality: Quality) -> Reading {
    Reading { value, quality, source: s(second), received: s(second), ordinal: Ordinal { epoch: 1, seq: second } }
}

/// Returns the verdicts of a judge, in seconds: positive where the condition becomes true, negative where it ends.
fn changes_after(judge: &mut Judge, values: &[(i64, f64)], end: i64) -> Vec<i64> {
    let mut verdicts: Vec<Verdict> =
        values.iter().flat_map(|(second, value)| judge.value(&reading(*second, Some(*value), Quality::Good))).flatten().collect();
    verdicts.extend(judge.time(s(end)));
    verdicts.iter().map(|verdict| verdict.at.millis() / 1_000 * if verdict.active { 1 } else { -1 }).collect()
}

#[test]
fn limits_with_deadband_and_delays() {
    let above = Condition::Above { limit: 85.0, deadband: 3.0 };
    let below = Condition::Below { limit: 110.0, deadband: 2.0 };
    let cases: [(Condition, i32, i32, &[(i64, f64)], &[i64], &str); 12] = [
        (above, 0, 0, &[(1, 84.0), (2, 85.0)], &[], "the limit itself is within"),
        (above, 0, 0, &[(1, 85.1), (2, 84.0), (3, 82.1), (4, 82.0)], &[1, -4], "over only behind the deadband"),
        (above, 0, 0, &[(1, 86.0), (2, 81.0), (3, 86.0), (4, 80.0)], &[1, -2, 3, -4], "each time"),
        (below, 0, 0, &[(1, 109.9), (2, 111.9), (3, 112.0)], &[1, -3], "low"),
        (above, 10, 0, &[(1, 86.0), (5, 80.0)], &[], "not long enough"),
        (above, 10, 0, &[(1, 86.0)], &[1], "long enough by a tick, raised when it began"),
        (above, 10, 0, &[(1, 86.0), (12, 80.0)], &[1, -12], "long enough by the next value, then over"),
        (above, 10, 0, &[(1, 86.0), (5, 84.0), (9, 83.0)], &[1], "within the deadband it lasts"),
        (above, 10, 0, &[(1, 86.0), (5, 80.0), (6, 86.0), (11, 86.0)], &[6], "the delay begins anew"),
        (above, 0, 10, &[(1, 86.0), (2, 80.0), (8, 86.0)], &[1], "back before it was over"),
        (above, 0, 10, &[(1, 86.0), (2, 80.0)], &[1, -2], "over since it began to be"),
        (Condition::Is(1.0), 0, 0, &[(1, 0.0), (2, 1.0), (3, 1.0), (4, 0.0)], &[2, -4], "a status"),
    ];
    for (condition, on, off, values, expected, name) in cases {
        assert_eq!(changes_after(&mut Judge::new(condition, on, off, false), values, 100), expected, "{name}");
    }
}

#[test]
fn what_is_bad_stale_absent_or_late_says_nothing() {
    let above = Condition::Above { limit: 85.0, deadband: 0.0 };
    for quality in [Quality::Stale, Quality::Invalid, Quality::CommLost, Quality::Never] {
        let mut judge = Judge::new(above, 0, 0, false);
        assert_eq!(judge.value(&reading(1, Some(99.0), quality)), [None, None], "{quality:?} raises nothing");
        assert!(judge.value(&reading(2, Some(99.0), Quality::Good))[1].is_some_and(|verdict| verdict.active));
        assert_eq!(judge.value(&reading(3, Some(20.0), quality)), [None, None], "{quality:?} clears nothing");
        assert!(judge.is_active());
    }
    let mut judge = Judge::new(above, 0, 0, false);
    assert_eq!(judge.value(&reading(1, None, Quality::Good)), [None, None], "no value");
    assert_eq!(judge.value(&reading(1, Some(f64::NAN), Quality::Good)), [None, None], "no number");
    assert!(judge.value(&reading(5, Some(99.0), Quality::Questionable))[1].is_some(), "a clock out of step hides no temperature");
    assert_eq!(judge.value(&reading(4, Some(20.0), Quality::Good)), [None, None], "late");
    let numbered = |second, count, value| {
        let ordinal = Ordinal::of_term(Term(1), count);
        Reading { ordinal, ..reading(second, Some(value), Quality::Good) }
    };
    assert!(judge.value(&numbered(6, 58, 99.0))[1].is_none_or(|verdict| verdict.active));
    let mut set_back = judge;
    assert!(
        set_back.value(&numbered(1, 60, 20.0))[1].is_some_and(|verdict| !verdict.active),
        "later by its number: the clock was set back"
    );
    assert_eq!(set_back.value(&numbered(1, 59, 99.0)), [None, None], "late by its number");
    assert_eq!(judge.value(&reading(5, Some(20.0), Quality::Good)), [None, None], "the same instant again");
    assert!(judge.is_active());
    let mut validity = Judge::new(Condition::NotValid, 0, 0, false);
    assert!(validity.value(&reading(1, Some(1.0), Quality::Invalid))[1].is_some_and(|verdict| verdict.active));
    assert_eq!(validity.value(&reading(2, Some(1.0), Quality::CommLost)), [None, None], "a link that is down says nothing of the device");
    assert!(validity.value(&reading(3, Some(1.0), Quality::Good))[1].is_some_and(|verdict| !verdict.active));
}

#[test]
fn a_judge_takes_over_where_the_alarm_stands() {
    let mut judge = Judge::new(Condition::Above { limit: 85.0, deadband: 3.0 }, 0, 0, true);
    assert_eq!(judge.value(&reading(1, Some(84.0), Quality::Good)), [None, None], "still within the deadband");
    assert!(judge.value(&reading(2, Some(80.0), Quality::Good))[1].is_some_and(|verdict| !verdict.active));
}

#[test]
fn the_way_of_an_alarm() {
    use Act::{Acknowledge, Clear, Raise, Shelve, Suppress, Time, Unshelve};
    use Outcome::{Acknowledged, Cleared, Newer, Nothing, Raised, Shelved, Suppressed, Unshelved};
    use State::{ActiveAcked, ActiveUnacked, ClearedUnacked, Normal};
    let ack = |seen| Acknowledge { seen, at: s(50) };
    let cases: [(&[Act], Outcome, State, i32, &str); 26] = [
        (&[Raise(s(1))], Raised, ActiveUnacked, 1, "raised"),
        (&[Raise(s(1)), Raise(s(2))], Nothing, ActiveUnacked, 1, "there already"),
        (&[Clear(s(1))], Nothing, Normal, 0, "nothing to clear"),
        (&[Raise(s(1)), ack(1)], Acknowledged, ActiveAcked, 1, "seen"),
        (&[Raise(s(1)), ack(1), ack(1)], Nothing, ActiveAcked, 1, "once is enough"),
        (&[Raise(s(1)), ack(1), Clear(s(2))], Cleared, Normal, 1, "seen and over"),
        (&[Raise(s(1)), Clear(s(2))], Cleared, ClearedUnacked, 1, "over, and nobody has seen it"),
        (&[Raise(s(1)), Clear(s(2)), ack(1)], Acknowledged, Normal, 1, "seen later"),
        (&[Raise(s(1)), Clear(s(2)), Raise(s(3))], Raised, ActiveUnacked, 2, "again, the same alarm"),
        (&[Raise(s(1)), Clear(s(2)), Raise(s(3)), ack(1)], Newer, ActiveUnacked, 2, "what they saw was the first time"),
        (&[Raise(s(1)), Clear(s(2)), Raise(s(3)), Clear(s(4)), ack(1)], Newer, ClearedUnacked, 2, "the same when it is over"),
        (&[Raise(s(1)), ack(1), Clear(s(2)), Raise(s(3))], Raised, ActiveUnacked, 1, "a new one after it was normal"),
        (&[Raise(s(1)), Shelve(s(9))], Shelved, ActiveUnacked, 1, "laid aside, and still there"),
        (&[Shelve(s(9)), Raise(s(1)), Clear(s(2))], Cleared, ClearedUnacked, 1, "it goes on in the shelf"),
        (&[Raise(s(1)), Shelve(s(9)), Time(s(9))], Unshelved, ActiveUnacked, 1, "back when the time is over"),
        (&[Raise(s(1)), Shelve(s(9)), Time(s(8)), Unshelve, Unshelve], Nothing, ActiveUnacked, 1, "taken back once"),
        (&[Suppress(s(1))], Suppressed, State::Suppressed, 1, "a consequence"),
        (&[Suppress(s(1)), ack(1)], Nothing, State::Suppressed, 1, "a consequence needs no acknowledgement"),
        (&[Suppress(s(1)), Clear(s(2))], Cleared, Normal, 1, "a consequence that ended"),
        (&[Suppress(s(1)), Raise(s(2))], Raised, ActiveUnacked, 1, "it outlasts its cause"),
        (&[Raise(s(1)), Suppress(s(2))], Suppressed, State::Suppressed, 1, "the cause was reported later"),
        (&[Raise(s(1)), ack(1), Suppress(s(2))], Nothing, ActiveAcked, 1, "acknowledged before the cause was known"),
        (&[Raise(s(1)), Clear(s(2)), Suppress(s(3))], Nothing, ClearedUnacked, 1, "an earlier occurrence still waits"),
        (
            &[Raise(s(1)), Clear(s(2)), Raise(s(3)), Suppress(s(3))],
            Suppressed,
            ClearedUnacked,
            2,
            "an earlier occurrence waits, in whatever order the cause is reported",
        ),
        (&[Raise(s(1)), Clear(s(2)), Suppress(s(3)), Raise(s(40))], Raised, ActiveUnacked, 2, "it outlasts its cause, and is a second one"),
        (&[Suppress(s(1)), Shelve(s(9)), Time(s(9))], Unshelved, State::Suppressed, 1, "back from the shelf as it was"),
    ];
    for (acts, outcome, state, count, name) in cases {
        let mut life = Life::default();
        let last = acts.iter().map(|act| life.step(*act)).last().expect("an act");
        assert_eq!((last, life.state, life.count), (outcome, state, count), "{name}");
    }
    let mut life = Life::default();
    for act in [Raise(s(1)), Clear(s(2)), Raise(s(3))] {
        life.step(act);
    }
    let times = (life.first_raised, life.raised, life.cleared);
    assert_eq!(times, (Some(s(1)), Some(s(3)), None), "it has the time of its newest occurrence, and is not over");
}

#[test]
fn words_round_trip() {
    assert!(AlarmKind::ALL.into_iter().all(|kind| AlarmKind::parse(kind.as_str()) == Some(kind)));
    assert!(State::ALL.into_iter().all(|state| State::parse(state.as_str()) == Some(state)));
    assert_eq!((AlarmKind::parse("none"), State::parse("")), (None, None));
}

/// A step of a schedule: after a number of seconds, a value or an action of a user who sees the alarm as it was some changes ago.
#[derive(Debug, Clone, Copy)]
enum AlarmInput {
    Value(f64, Quality),
    Acknowledge { changes_ago: usize },
    Shelve(i64),
    Tick,
}

fn alarm_input() -> impl Strategy<Value = (i64, AlarmInput)> {
    let quality = prop_oneof![4 => Just(Quality::Good), 1 => Just(Quality::Invalid), 1 => Just(Quality::Stale)];
    let value = (prop_oneof![Just(70.0), Just(83.0), Just(84.5), Just(86.0), Just(99.0)], quality);
    let what = prop_oneof![
        5 => value.prop_map(|(value, quality)| AlarmInput::Value(value, quality)),
        2 => (0_usize..3).prop_map(|changes_ago| AlarmInput::Acknowledge { changes_ago }),
        1 => (1_i64..30).prop_map(AlarmInput::Shelve),
        1 => Just(AlarmInput::Tick),
    ];
    (0_i64..20, what)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// In any order of events: an active alarm is in the list, an alarm not acknowledged since it was last raised stays in the list, and a user
    /// acknowledges only what they saw.
    #[test]
    fn unseen_alarms_stay_in_the_list(
        schedule in proptest::collection::vec(alarm_input(), 1..60), on in 0_i32..15, off in 0_i32..15,
    ) {
        let condition = Condition::Above { limit: 85.0, deadband: 2.0 };
        let (mut judge, mut life) = (Judge::new(condition, on, off, false), Life::default());
        // What users have seen, and whether there is an occurrence that no user has seen.
        let mut seen = vec![life];
        let mut unseen = false;
        let mut now = 0;
        for (after, what) in schedule {
            now += after;
            let mut acts: Vec<Act> = Vec::new();
            let changes_after = |verdict: Verdict| if verdict.active { Act::Raise(verdict.at) } else { Act::Clear(verdict.at) };
            match what {
                AlarmInput::Value(value, quality) => acts.extend(judge.value(&reading(now, Some(value), quality)).into_iter().flatten().map(changes_after)),
                AlarmInput::Tick => acts.extend(judge.time(s(now)).map(changes_after).into_iter().chain([Act::Time(s(now))])),
                AlarmInput::Shelve(seconds) => acts.push(Act::Shelve(s(now + seconds))),
                AlarmInput::Acknowledge { changes_ago } => {
                    let shown = seen[seen.len().saturating_sub(1 + changes_ago)];
                    // A user that saw an earlier occurrence has the count of that one; within one occurrence counts only rise.
                    if shown.first_raised == life.first_raised {
                        acts.push(Act::Acknowledge { seen: shown.count, at: s(now) });
                    }
                }
            }
            for act in acts {
                let before = life;
                let outcome = life.step(act);
                match outcome {
                    Outcome::Raised => unseen = true,
                    Outcome::Acknowledged => {
                        let Act::Acknowledge { seen, .. } = act else { panic!("{act:?}") };
                        prop_assert_eq!(seen, before.count, "acknowledged more than was seen");
                        unseen = false;
                    }
                    Outcome::Nothing | Outcome::Newer => prop_assert_eq!(before, life),
                    _ => {}
                }
                if outcome.change().is_some() {
                    seen.push(life);
                }
                prop_assert_eq!(unseen, matches!(life.state, State::ActiveUnacked | State::ClearedUnacked), "{:?}", life);
            }
            prop_assert_eq!(judge.is_active(), life.state.is_active());
        }
    }

    /// Evaluating more often does not change the verdicts.
    #[test]
    fn verdicts_do_not_depend_on_when_somebody_looks(
        values in proptest::collection::vec((1_i64..12, prop_oneof![Just(70.0), Just(84.0), Just(90.0)]), 1..40), on in 0_i32..15, off in 0_i32..15,
    ) {
        let condition = Condition::Above { limit: 85.0, deadband: 2.0 };
        let (mut lazy, mut eager) = (Judge::new(condition, on, off, false), Judge::new(condition, on, off, false));
        let (mut few, mut many, mut now) = (Vec::new(), Vec::new(), 0);
        for (after, value) in values {
            for second in now..now + after {
                many.extend(eager.time(s(second)));
            }
            now += after;
            many.extend(eager.value(&reading(now, Some(value), Quality::Good)).into_iter().flatten());
            few.extend(lazy.value(&reading(now, Some(value), Quality::Good)).into_iter().flatten());
        }
        prop_assert_eq!(few, many);
    }
}
