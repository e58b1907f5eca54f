//! Tests rejected values, values whose type changes, and several values with one source time.

use super::*;

/// The points and values of the stored samples.
pub(super) fn stored(out: &Out) -> Vec<(PointId, Option<f64>)> {
    out.parcels.iter().flat_map(|parcel| &parcel.rows.samples).map(|sample| (sample.point, sample.reading.value)).collect()
}

/// What it leaves for `latest` alone: values in doubt.
fn doubts(out: &Out) -> Vec<(PointId, Option<f64>, Quality)> {
    let doubts = out.parcels.iter().flat_map(|parcel| &parcel.rows.doubts);
    doubts.map(|doubt| (doubt.point, doubt.reading.value, doubt.reading.quality)).collect()
}

/// What it changes on the screen: point, value and quality.
pub(super) fn shown(out: &Out) -> Vec<(i64, Option<f64>, u8)> {
    let changes = |message: &BusMessage| if let BusMessage::Changes { changes, .. } = message { changes.clone() } else { Vec::new() };
    out.live.iter().flat_map(changes).map(|change| (change.point, change.value, change.quality)).collect()
}

#[test]
fn metric_reborn_as_text_is_not_shown_with_its_old_number() {
    let mut host = host();
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 0);
    assert_eq!(shown(&take(&mut host, DBIRTH, 1, vec![current(12.5, 1)], 1)), [(CURRENT.0, Some(12.5), Quality::Good.code())]);
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 10);
    let text = Metric::new("F3/Ir", MetricValue::Text("12.5 A".into())).at((START + 11) as u64);
    let out = take(&mut host, DBIRTH, 1, vec![text], 11);
    assert_eq!(shown(&out), [(CURRENT.0, None, Quality::Invalid.code())]);
    assert_eq!((stored(&out), dead(&out)), (vec![(CURRENT, None)], vec!["not_a_number"]));
}

#[test]
fn switch_reborn_as_boolean_keeps_its_meaning() {
    let mut host = host();
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 0);
    let closed = Metric::new("F3CB/Pos", MetricValue::Boolean(true)).at(START as u64);
    assert_eq!(shown(&take(&mut host, DBIRTH, 1, vec![closed], 1)), [(SWITCH.0, Some(2.0), Quality::Good.code())]);
}

/// The positions 1, 2 and 0 are open, closed and intermediate of a double point. Read as a single point, 1 would mean
/// closed and 0 open.
#[test]
fn switch_reborn_with_two_contacts_is_not_believed() {
    for (first, doubted) in [(vec![1, 2, 0], vec![true, true, true]), (vec![0, 1, 0], vec![true, true, true])] {
        let mut host = host_with(Encoding::SinglePoint);
        let closed = Metric::new("F3CB/Pos", MetricValue::Boolean(true)).at((START + 1) as u64);
        take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 0);
        assert_eq!(shown(&take(&mut host, DBIRTH, 1, vec![closed], 1)), [(SWITCH.0, Some(1.0), Quality::Good.code())]);
        take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 10);
        for (step, (position, doubted)) in (1..).zip(first.into_iter().zip(doubted)) {
            let at = 10 + i64::from(step);
            let out = take(&mut host, if step == 1 { DBIRTH } else { DDATA }, step as u64, vec![switch(position, at)], at);
            let quality = if doubted { Quality::Invalid } else { Quality::Good };
            assert_eq!(shown(&out), [(SWITCH.0, Some(f64::from(position)), quality.code())], "{position} is shown, and not as live");
            assert_eq!((stored(&out), dead(&out)), (vec![(SWITCH, Some(f64::from(position)))], vec!["encoding"]), "{position} is kept");
        }
    }
}

#[test]
fn number_above_one_makes_the_numbers_of_one_contact_doubtful() {
    let mut host = host_with(Encoding::SinglePoint);
    let good = |position: i32, at: i64, host: &mut Host| {
        shown(&take(host, DDATA, at as u64, vec![switch(position, at)], at))[0].2 == Quality::Good.code()
    };
    let believed: Vec<bool> = [(1, 1), (0, 2), (2, 3), (1, 4)].map(|(position, at)| good(position, at, &mut host)).into();
    assert_eq!(believed, [true, true, false, false]);
    // A Boolean is unambiguous, so it is good.
    let closed = Metric::new("F3CB/Pos", MetricValue::Boolean(true)).at((START + 5) as u64);
    assert_eq!(shown(&take(&mut host, DDATA, 5, vec![closed], 5)), [(SWITCH.0, Some(1.0), Quality::Good.code())]);
}

#[test]
fn two_changes_within_one_millisecond_are_two_events() {
    for in_one_message in [true, false] {
        let mut host = host();
        let outs = if in_one_message {
            vec![take(&mut host, DDATA, 1, vec![switch(2, 10), switch(1, 10)], 10)]
        } else {
            vec![take(&mut host, DDATA, 1, vec![switch(2, 10)], 10), take(&mut host, DDATA, 2, vec![switch(1, 10)], 10)]
        };
        let events: Vec<f64> = outs.iter().flat_map(event_values).collect();
        assert_eq!(events, [2.0, 1.0], "in one message: {in_one_message}");
        let last = outs.iter().flat_map(shown).next_back();
        assert_eq!(last, Some((SWITCH.0, Some(1.0), Quality::Good.code())), "in one message: {in_one_message}");
    }
}

/// Takes data messages of a node without an outbox. All positions have the same source time. Returns the stored samples
/// (source time as offset in µs, value), the value that was published last, and the values of the events.
fn take_in_one_millisecond(host: &mut Host, messages: &[(u64, &[i32])]) -> (Vec<(i64, f64)>, Option<f64>, Vec<f64>) {
    let metrics = |positions: &[i32]| positions.iter().map(|position| switch(*position, 10)).collect();
    let outs: Vec<Out> = messages.iter().map(|(seq, positions)| take(host, DDATA, *seq, metrics(positions), 10)).collect();
    let samples = outs.iter().flat_map(|out| &out.parcels).flat_map(|parcel| &parcel.rows.samples);
    let samples = samples.map(|sample| (sample.reading.source.0 - at(10).wall.0, sample.reading.value.expect("a value"))).collect();
    (samples, outs.iter().flat_map(shown).next_back().and_then(|(_, value, _)| value), outs.iter().flat_map(event_values).collect())
}

#[test]
fn changes_of_one_millisecond_in_several_messages_keep_their_order() {
    let born = || {
        let mut host = host();
        take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 0);
        take(&mut host, DBIRTH, 1, vec![], 1);
        host
    };
    let there_and_back = (vec![(0, 2.0), (1, 1.0), (2, 2.0)], Some(2.0), vec![2.0, 1.0, 2.0]);
    let cases: [&[(u64, &[i32])]; 4] =
        [&[(2, &[2]), (3, &[1]), (4, &[2])], &[(2, &[2, 1]), (3, &[2])], &[(2, &[2]), (3, &[1, 2])], &[(2, &[2, 1, 2])]];
    for messages in cases {
        let mut host = born();
        assert_eq!(take_in_one_millisecond(&mut host, messages), there_and_back, "{messages:?}");
        // Repeated messages, which QoS 1 allows, change nothing.
        let (_, shown, events) = take_in_one_millisecond(&mut host, messages);
        assert!((shown.is_none() || shown == Some(2.0)) && events.is_empty(), "{messages:?} again: {shown:?} {events:?}");
    }
    // A clock that does not advance still lets each new position be published.
    let mut host = born();
    for number in 0..3_000 {
        let position = 1 + (number + 1) % 2;
        let (_, shown, _) = take_in_one_millisecond(&mut host, &[((2 + number as u64) % 256, &[position])]);
        assert_eq!(shown, Some(f64::from(position)), "message {number}");
    }
}

#[test]
fn second_value_of_one_instant_in_a_message_is_the_latest() {
    for outbox in [true, false] {
        let mut host = host();
        let metrics = || vec![current(1.0, 10), current(2.0, 10), current(2.0, 10)];
        let send = |host: &mut Host| take(host, DDATA, 1, if outbox { boxed(1, 0, false, metrics()) } else { metrics() }, 10);
        let sources = |out: &Out| -> Vec<i64> {
            out.parcels.iter().flat_map(|parcel| &parcel.rows.samples).map(|sample| sample.reading.source.0 - at(10).wall.0).collect()
        };
        let out = send(&mut host);
        assert_eq!(shown(&out).last(), Some(&(CURRENT.0, Some(2.0), Quality::Good.code())));
        assert_eq!(sources(&out), [0, 1, 1]);
        assert_eq!(sources(&send(&mut host)), [0, 1, 1], "a resend comes to the same keys");
    }
}

/// How far a clock is ahead, ms, before and after a step: a correction, and a change to a wrong time.
const STEPS: [(i64, i64); 2] = [(240_000, 0), (0, -240_000)];

#[test]
fn position_after_a_step_of_the_clock_is_shown_and_stored_as_latest() {
    for (before, after) in STEPS {
        for outbox in [true, false] {
            let mut host = host();
            take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0), Metric::new(OUTBOX, MetricValue::Boolean(outbox))], 0);
            let mut send = |seq, position, millis, ahead| {
                let metrics = vec![switch(position, millis + ahead)];
                take_ahead(&mut host, DDATA, seq, if outbox { boxed(seq, 0, false, metrics) } else { metrics }, millis, ahead)
            };
            send(1, 2, 1_000, before);
            let out = send(2, 1, 1_100, after);
            let why = format!("{before} then {after}, outbox {outbox}");
            assert_eq!(shown(&out), [(SWITCH.0, Some(1.0), Quality::Good.code())], "{why}");
            assert!(out.parcels[0].rows.samples.iter().all(|sample| !sample.historical), "{why}");
            assert_eq!(event_values(&out), [1.0], "{why}");
        }
    }
}

#[test]
fn buffered_value_without_a_flag_is_not_shown() {
    for outbox in [true, false] {
        let mut host = host();
        take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0), Metric::new(OUTBOX, MetricValue::Boolean(outbox))], 0);
        let data = |seq, metrics| if outbox { boxed(seq, 0, false, metrics) } else { metrics };
        take(&mut host, DDATA, 1, data(1, vec![current(1.0, 1_000)]), 1_000);
        let out = take(&mut host, DDATA, 2, data(2, vec![current(2.0, -3_600_000)]), 1_100);
        assert!(shown(&out).is_empty() && out.parcels[0].rows.samples[0].historical, "{out:?}");
    }
}

#[test]
fn birth_after_a_step_of_the_clock_is_the_present_state() {
    for (before, after) in STEPS {
        let mut host = host();
        born_with_outbox(&mut host);
        take_ahead(&mut host, DDATA, 2, boxed(1, 0, false, vec![switch(2, 1_000 + before)]), 1_000, before);
        take_ahead(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 1), Metric::new(OUTBOX, MetricValue::Boolean(true))], 2_000, after);
        let out = take_ahead(&mut host, DBIRTH, 1, vec![switch(1, 2_000 + after)], 2_000, after);
        assert_eq!(shown(&out), [(SWITCH.0, Some(1.0), Quality::Good.code())], "{before} then {after}");
        // No message of the outbox explains the change, so it becomes an event.
        let out = take_ahead(&mut host, DDATA, 2, boxed(2, 1, false, vec![current(1.0, 2_100 + after)]), 2_100, after);
        assert_eq!(event_values(&out), [1.0], "{before} then {after}");
    }
}

#[test]
fn message_of_an_outbox_that_comes_again_does_not_replace_the_next_one() {
    let mut host = host();
    born_with_outbox(&mut host);
    let first = || boxed(1, 0, false, vec![switch(2, 240_000)]);
    take(&mut host, DDATA, 2, first(), 1_000);
    take(&mut host, DDATA, 3, boxed(2, 0, false, vec![switch(1, 1_000)]), 1_100);
    // The broker repeats the message without a flag, first with its old sequence number and then with the one that is
    // due next.
    for seq in [2, 4] {
        assert!(shown(&take(&mut host, DDATA, seq, first(), 1_200)).is_empty(), "{seq}");
    }
}

#[test]
fn receive_time_of_a_value_without_a_time_blocks_no_later_value() {
    let mut host = host();
    let untimed = Metric { timestamp: Some(0), ..current(1.0, 0) };
    assert_eq!(shown(&take(&mut host, DDATA, 9, vec![untimed], 5_000)).len(), 1);
    let out = take(&mut host, DDATA, 9, vec![current(2.0, 4_000)], 5_100);
    assert_eq!(shown(&out), [(CURRENT.0, Some(2.0), Quality::Good.code())], "by a clock that is a second late");
}

#[test]
fn next_leader_numbers_readings_above_the_former_one() {
    let ordinal = |term| {
        let mut host = Host::new(IngestConfig::default(), at(0).wall, grid::Term(term));
        load(&mut host, &registry(Encoding::DoublePoint), &HashMap::new());
        let out = take(&mut host, DDATA, 1, vec![current(1.0, 1)], 1);
        out.parcels[0].rows.samples[0].reading
    };
    assert!(ordinal(4).supersedes(&ordinal(3)));
}

/// A message with an unacceptable source time makes the shown position questionable, until a value with a time arrives.
#[test]
fn value_that_cannot_be_dated_makes_the_one_before_questionable() {
    const HOUR: i64 = 3_600_000;
    let undated = [switch(1, HOUR), Metric::new("F3CB/Pos", MetricValue::Int32(1)).at(86_400_000)];
    for (undated, reason) in undated.into_iter().zip(["future", "ancient"]) {
        for has_outbox in [false, true] {
            let data = |seq, metrics| if has_outbox { boxed(seq, 0, false, metrics) } else { metrics };
            let mut host = host();
            take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0), Metric::new(OUTBOX, MetricValue::Boolean(has_outbox))], 0);
            take(&mut host, DBIRTH, 1, vec![switch(2, 1)], 1);
            take(&mut host, DDATA, 2, data(1, vec![switch(2, 10)]), 10);
            let out = take(&mut host, DDATA, 3, data(2, vec![undated.clone()]), 20);
            assert_eq!(shown(&out), [(SWITCH.0, Some(2.0), Quality::Questionable.code())], "{reason}: it may have moved");
            assert_eq!((stored(&out), event_values(&out), dead(&out)), (vec![], vec![], vec![reason]), "the history stays as it is");
            assert_eq!(doubts(&out), [(SWITCH, Some(2.0), Quality::Questionable)], "beside its dead letter");
            let again = take(&mut host, DDATA, 4, data(3, vec![undated.clone()]), 30);
            assert_eq!(shown(&again), [(SWITCH.0, Some(2.0), Quality::Questionable.code())], "for subscribers that came meanwhile");
            let dated = take(&mut host, DDATA, 5, data(4, vec![switch(2, 40)]), 40);
            assert_eq!(shown(&dated), [(SWITCH.0, Some(2.0), Quality::Good.code())], "until the next one with a time");
        }
    }
}

#[test]
fn value_that_cannot_be_dated_makes_the_one_before_it_in_its_message_questionable() {
    const HOUR: i64 = 3_600_000;
    let (good, questionable) = (Quality::Good.code(), Quality::Questionable.code());
    for has_outbox in [false, true] {
        for (values, quality, why) in [
            (vec![switch(2, 10), switch(1, HOUR)], questionable, "it may have moved again"),
            (vec![switch(1, HOUR), switch(2, 10)], good, "it was sent behind the refused one"),
            (vec![switch(2, 9), switch(1, HOUR), switch(2, 10)], good, "the last one is what is shown"),
        ] {
            let mut host = host();
            take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0), Metric::new(OUTBOX, MetricValue::Boolean(has_outbox))], 0);
            take(&mut host, DBIRTH, 1, vec![], 1);
            let out = take(&mut host, DDATA, 2, if has_outbox { boxed(1, 0, false, values) } else { values }, 20);
            assert_eq!(shown(&out).last(), Some(&(SWITCH.0, Some(2.0), quality)), "{why}");
            let samples = out.parcels.iter().flat_map(|parcel| &parcel.rows.samples);
            assert!(samples.into_iter().all(|sample| sample.reading.quality == Quality::Good), "the history keeps it as it was sent");
        }
    }
}

#[test]
fn value_that_cannot_be_dated_and_is_not_newer_changes_nothing() {
    const HOUR: i64 = 3_600_000;
    let mut host = host();
    born_with_outbox(&mut host);
    take(&mut host, DDATA, 2, boxed(5, 4, false, vec![switch(2, 10)]), 10);
    for (seq, metrics, why) in [
        (3, boxed(6, 4, true, vec![switch(1, HOUR)]), "history"),
        (4, boxed(4, 3, false, vec![switch(1, HOUR)]), "sent before the one that is shown"),
        (5, boxed(5, 4, false, vec![switch(1, HOUR)]), "the same message again"),
        (6, boxed(7, 4, false, vec![current(1.0, HOUR)]), "of a point that has no value"),
    ] {
        let out = take(&mut host, DDATA, seq, metrics, 20);
        assert_eq!((shown(&out), doubts(&out)), (vec![], vec![]), "{why}");
    }
}
