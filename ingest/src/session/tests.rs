//! Tests sessions of edge nodes, message by message.

use super::*;

const NOW: Micros = Micros(1_000_000_000);
const COOLDOWN: Duration = Duration::from_mins(1);

fn later(seconds: u64) -> Micros {
    after(NOW, Duration::from_secs(seconds))
}

fn numbered(seq: u64) -> Payload {
    Payload { seq: Some(seq), ..Payload::default() }
}

fn birth(bd_seq: u64, metrics: Vec<Metric>) -> Payload {
    let mut all = vec![Metric::new(BD_SEQ, MetricValue::UInt64(bd_seq))];
    all.extend(metrics);
    Payload { seq: Some(0), timestamp: None, metrics: all }
}

fn death(bd_seq: u64) -> Payload {
    Payload { metrics: vec![Metric::new(BD_SEQ, MetricValue::UInt64(bd_seq))], ..Payload::default() }
}

const DIED: Step = Step { gone: Some(OfflineReason::Died), device: None, in_sequence: false, ignored: false };

/// Confirms a node that has no devices.
fn confirm(session: &mut Session, now: Micros) -> Option<bool> {
    session.confirm(std::iter::empty(), now)
}

/// A session of a node that was born and confirmed, without devices.
fn born() -> Session {
    let mut session = Session::default();
    assert_eq!(session.step(MessageKind::NBirth, "", &birth(3, vec![]), NOW), Step { in_sequence: true, ..Step::default() });
    assert_eq!(confirm(&mut session, NOW), Some(true));
    session
}

#[test]
fn numbers_that_follow_each_other_are_no_gap() {
    let mut session = born();
    for seq in (1..=255).chain(0..3) {
        assert_eq!(session.step(MessageKind::NData, "", &numbered(seq), NOW), Step { in_sequence: true, ..Step::default() }, "{seq}");
    }
    assert!(!session.take_rebirth(later(600), COOLDOWN));
}

#[test]
fn a_gap_asks_for_one_rebirth_per_cooldown() {
    let mut session = born();
    session.step(MessageKind::NData, "", &numbered(5), NOW);
    assert!(session.lost(NOW).is_empty(), "it may have been overtaken");
    assert_eq!(session.lost(later(2)), [1, 2, 3, 4]);
    assert!(session.take_rebirth(later(2), COOLDOWN));
    session.step(MessageKind::NData, "", &numbered(7), later(3));
    assert_eq!(session.lost(later(5)), [6]);
    assert!(!session.take_rebirth(later(61), COOLDOWN));
    assert!(session.take_rebirth(later(62), COOLDOWN));
    session.step(MessageKind::NBirth, "", &birth(3, vec![]), later(63));
    session.step(MessageKind::NData, "", &numbered(1), later(63));
    assert!(session.lost(later(99)).is_empty());
    assert!(!session.take_rebirth(later(600), COOLDOWN));
}

#[test]
fn clients_without_numbers_have_no_gaps() {
    let mut session = born();
    session.step(MessageKind::NData, "", &Payload::default(), NOW);
    session.step(MessageKind::NData, "", &numbered(1), NOW);
    assert!(session.lost(later(99)).is_empty());
}

#[test]
fn data_before_birth_is_taken_and_asks_for_one() {
    let mut session = Session::default();
    assert_eq!(session.step(MessageKind::DData, "F3", &numbered(77), NOW), Step::default());
    assert_eq!(confirm(&mut session, NOW), Some(true), "it was never heard, so nothing old is shown of it");
    assert!(session.take_rebirth(NOW, COOLDOWN));
    assert!(!session.step(MessageKind::DData, "F3", &numbered(78), NOW).in_sequence, "it may have been taken before an interruption");
    assert!(session.lost(later(99)).is_empty());
    assert!(!session.take_rebirth(NOW, COOLDOWN));
}

#[test]
fn death_needs_the_number_of_the_birth() {
    for (birth_number, death_number, is_death) in [(3, 3, true), (3, 2, false), (3, 4, false), (0, 255, false), (255, 0, false)] {
        let mut session = Session::default();
        session.step(MessageKind::NBirth, "", &birth(birth_number, vec![]), NOW);
        confirm(&mut session, NOW);
        let step = session.step(MessageKind::NDeath, "", &death(death_number), NOW);
        let expected = if is_death { DIED } else { Step { ignored: true, ..Step::default() } };
        assert_eq!(step, expected, "birth {birth_number}, death {death_number}");
        assert_eq!(session.take_rebirth(NOW, COOLDOWN), !is_death, "birth {birth_number}, death {death_number}");
    }
    let mut session = born();
    assert_eq!(session.step(MessageKind::NDeath, "", &Payload::default(), NOW), DIED, "a death without a number");
    assert!(session.take_rebirth(NOW, COOLDOWN), "which may be that of an earlier connection");
    assert_eq!(session.step(MessageKind::NDeath, "", &Payload::default(), NOW), Step::default(), "dead already");
}

#[test]
fn data_after_a_death_confirms_only_a_client_that_is_never_born() {
    let mut session = born();
    session.step(MessageKind::NDeath, "", &death(3), NOW);
    session.step(MessageKind::DData, "F3", &numbered(8), later(1));
    assert_eq!(confirm(&mut session, later(1)), None, "what its other points are now is not known");
    assert!(session.take_rebirth(later(1), COOLDOWN) && session.take_rebirth(later(4), COOLDOWN));
    assert_eq!(confirm(&mut session, later(6)), None, "it may still answer");
    assert_eq!(confirm(&mut session, later(7)), Some(true), "it does not answer");
}

#[test]
fn node_is_confirmed_when_it_and_its_devices_are_born() {
    let known = ["", "F3", "F4", "F5"];
    let mut session = Session::remembered(Some(true));
    session.remember_offline("F5");
    session.interrupted();
    session.step(MessageKind::NBirth, "", &birth(3, vec![]), NOW);
    session.step(MessageKind::DBirth, "F3", &numbered(1), NOW);
    assert_eq!(session.confirm(known.into_iter(), NOW), None, "F4 may have moved meanwhile");
    session.step(MessageKind::DBirth, "F4", &numbered(2), NOW);
    assert_eq!(session.confirm(known.into_iter(), NOW), Some(false), "it was online before");
    assert_eq!(session.confirm(known.into_iter(), NOW), None, "once");
    session.interrupted();
    session.step(MessageKind::NBirth, "", &birth(3, vec![]), later(1));
    session.step(MessageKind::DBirth, "F4", &numbered(1), later(1));
    assert_eq!(session.confirm(known.into_iter(), later(10)), None);
    assert_eq!(session.end_roll_call(known.into_iter()), ["F3"]);
    assert_eq!(session.confirm(known.into_iter(), later(11)), Some(false), "F3 is gone");
}

#[test]
fn repeated_death_requests_nothing() {
    // In MQTT 5, a node can send its death and the broker its will, both with the same number.
    let mut session = born();
    session.step(MessageKind::NDeath, "", &death(3), NOW);
    assert_eq!(session.step(MessageKind::NDeath, "", &death(3), NOW), Step::default());
    assert!(!session.take_rebirth(NOW, COOLDOWN));
}

#[test]
fn death_during_our_interruption_requests_a_rebirth() {
    // The node was born again during the interruption. The broker kept only the will of its previous connection.
    let mut session = born();
    session.interrupted();
    assert!(session.take_rebirth(NOW, COOLDOWN));
    session.interrupted();
    assert_eq!(session.step(MessageKind::NDeath, "", &death(3), later(1)), DIED);
    assert!(session.take_rebirth(later(1), COOLDOWN), "it may live");
}

#[test]
fn doubtful_death_is_accepted_after_unanswered_requests_only() {
    let mut quiet = born();
    quiet.step(MessageKind::NDeath, "", &death(2), NOW);
    assert!(!quiet.settle_doubt(later(600)), "silence is no death: nobody has asked");
    assert!(quiet.take_rebirth(later(600), COOLDOWN));
    assert!(!quiet.take_rebirth(later(602), COOLDOWN) && !quiet.settle_doubt(later(602)));
    assert!(quiet.take_rebirth(later(603), COOLDOWN), "one request may get lost");
    assert!(!quiet.settle_doubt(later(605)) && quiet.settle_doubt(later(606)) && !quiet.settle_doubt(later(607)));
    assert_eq!(quiet.online(), Some(false));

    let answers: [(&str, MessageKind, Payload); 2] =
        [("a birth", MessageKind::NBirth, birth(3, vec![])), ("data", MessageKind::NData, numbered(1))];
    for (why, kind, payload) in answers {
        let mut alive = born();
        alive.step(MessageKind::NDeath, "", &death(2), NOW);
        assert!(alive.take_rebirth(NOW, COOLDOWN));
        assert_eq!(alive.step(kind, "", &payload, later(1)), Step { in_sequence: true, ..Step::default() }, "{why}");
        assert!(!alive.take_rebirth(later(50), COOLDOWN) && !alive.settle_doubt(later(50)), "{why}");
        // Within the cool-down of the request before.
        alive.step(MessageKind::NDeath, "", &death(2), later(51));
        assert!(alive.take_rebirth(later(51), COOLDOWN), "{why}: each doubt is settled by a request of its own");
    }
}

#[test]
fn device_birth_before_node_birth_requests_it_and_sets_nothing_online() {
    let mut session = Session::remembered(Some(false));
    assert_eq!(session.step(MessageKind::DBirth, "F3", &numbered(1), NOW), Step::default());
    assert_eq!(session.online(), Some(false));
    assert!(session.take_rebirth(NOW, COOLDOWN));
    assert_eq!(confirm(&mut session, NOW), None);
    session.step(MessageKind::NBirth, "", &birth(0, vec![]), later(1));
    assert_eq!(confirm(&mut session, later(1)), Some(true));
}

#[test]
fn data_of_unborn_device_requests_a_rebirth() {
    let historical = Payload { metrics: vec![Metric { historical: true, ..Metric::default() }], ..numbered(1) };
    let mut session = born();
    session.step(MessageKind::DData, "F3", &historical, NOW);
    assert!(!session.take_rebirth(NOW, COOLDOWN), "history may be of a device that is not there any more");
    session.step(MessageKind::DData, "F3", &numbered(2), NOW);
    assert!(session.take_rebirth(NOW, COOLDOWN));
    session.step(MessageKind::NBirth, "", &birth(3, vec![]), later(70));
    session.step(MessageKind::DBirth, "F3", &numbered(1), later(70));
    session.step(MessageKind::DData, "F3", &numbered(2), later(70));
    assert!(!session.take_rebirth(later(70), COOLDOWN), "born");
    session.step(MessageKind::DDeath, "F3", &numbered(3), later(71));
    session.step(MessageKind::DData, "F3", &numbered(4), later(72));
    assert!(session.take_rebirth(later(72), COOLDOWN), "data after its death");
}

fn named(name: &str, alias: u64, datatype: DataType) -> Metric {
    Metric { name: Some(name.into()), alias: Some(alias), datatype: Some(datatype), ..Metric::default() }
}

fn aliased(alias: u64, value: MetricValue) -> Metric {
    Metric { alias: Some(alias), value, ..Metric::default() }
}

#[test]
fn aliases_and_types_hold_from_birth_to_birth() {
    let mut session = Session::default();
    session.step(MessageKind::NBirth, "", &birth(0, vec![named("Uptime", 1, DataType::Int64)]), NOW);
    let device = Payload { seq: Some(1), metrics: vec![named("F3/P", 2, DataType::Int32)], ..Payload::default() };
    session.step(MessageKind::DBirth, "F3", &device, NOW);

    let negative = aliased(2, MetricValue::UInt32(u32::MAX));
    assert_eq!(session.resolve("F3", &negative), Ok(("F3/P", MetricValue::Int32(-1))));
    assert_eq!(session.resolve("F4", &negative), Err(Undeclared));
    // The node's own aliases are valid for its devices too.
    assert_eq!(session.resolve("F3", &aliased(1, MetricValue::UInt64(5))), Ok(("Uptime", MetricValue::UInt64(5))));
    assert_eq!(session.resolve("", &aliased(1, MetricValue::UInt64(5))), Ok(("Uptime", MetricValue::Int64(5))));
    let by_name = Metric::new("F3/P", MetricValue::UInt32(7));
    assert_eq!(session.resolve("F3", &by_name), Ok(("F3/P", MetricValue::Int32(7))));
    assert!(session.declares_number("F3", "F3/P"));

    session.step(MessageKind::NBirth, "", &birth(1, vec![]), NOW);
    assert_eq!(session.resolve("F3", &negative), Err(Undeclared));
}

#[test]
fn the_outbox_is_declared_at_birth_and_marked_in_data() {
    let mut session = Session::default();
    session.step(MessageKind::NBirth, "", &birth(0, vec![Metric::new(OUTBOX, MetricValue::Boolean(true))]), NOW);
    assert!(session.keeps_outbox());
    let number = |name: &str, value| Metric::new(name, MetricValue::UInt64(value));
    let mut data = Payload { metrics: vec![number(OUTBOX_EPOCH, 9), number(OUTBOX_SEQ, 4)], ..Payload::default() };
    assert_eq!(session.outbox_mark("F3", &data), Some(OutboxMark { place: OutboxPosition { epoch: 9, seq: 4 }, acked: None }));
    data.metrics.push(number(OUTBOX_ACKED, 3));
    assert_eq!(session.outbox_mark("F3", &data).and_then(|mark| mark.acked), Some(3));
    assert_eq!(session.outbox_mark("F3", &Payload::default()), None);
    session.step(MessageKind::NBirth, "", &birth(1, vec![]), NOW);
    assert!(!session.keeps_outbox());
}

#[test]
fn interruption_makes_aliases_unknown_and_keeps_types() {
    let mut session = born();
    let declared = Payload { seq: Some(1), metrics: vec![named("F3/P", 2, DataType::Int32)], ..Payload::default() };
    session.step(MessageKind::DBirth, "F3", &declared, NOW);
    let negative = Metric::new("F3/P", MetricValue::UInt32(u32::MAX));
    assert_eq!(session.resolve("F3", &negative), Ok(("F3/P", MetricValue::Int32(-1))));
    session.interrupted();
    // The node may have been born again, with this alias for another name.
    assert_eq!(session.resolve("F3", &aliased(2, MetricValue::Double(1.0))), Err(Undeclared));
    assert_eq!(session.resolve("F3", &negative), Ok(("F3/P", MetricValue::Int32(-1))), "a name means what it meant");
    let typed = Metric { datatype: Some(DataType::UInt32), ..negative.clone() };
    assert_eq!(session.resolve("F3", &typed), Ok(("F3/P", MetricValue::UInt32(u32::MAX))), "it carries its type");
    session.step(MessageKind::NBirth, "", &birth(4, vec![]), later(1));
    session.step(MessageKind::DBirth, "F3", &Payload { seq: Some(1), metrics: vec![], ..Payload::default() }, later(1));
    assert_eq!(session.resolve("F3", &negative), Ok(("F3/P", MetricValue::UInt32(u32::MAX))), "born, and declared as nothing");
}

#[test]
fn death_makes_aliases_unknown() {
    let mut session = Session::default();
    session.step(MessageKind::NBirth, "", &birth(3, vec![named("Uptime", 1, DataType::Int64)]), NOW);
    session.step(MessageKind::NDeath, "", &death(3), NOW);
    assert_eq!(session.resolve("", &aliased(1, MetricValue::Double(1.0))), Err(Undeclared));
}

#[test]
fn node_that_reconnected_during_our_interruption_is_reported() {
    let mut session = born();
    session.interrupted();
    assert_eq!(
        session.step(MessageKind::NBirth, "", &birth(3, vec![]), later(1)),
        Step { in_sequence: true, ..Step::default() },
        "the same connection"
    );
    assert_eq!(confirm(&mut session, later(1)), Some(false));
    session.interrupted();
    assert_eq!(
        session.step(MessageKind::NBirth, "", &birth(4, vec![]), later(2)),
        Step { gone: Some(OfflineReason::Replaced), in_sequence: true, ..Step::default() },
        "another one"
    );
    assert_eq!(confirm(&mut session, later(2)), Some(true));
}

#[test]
fn interruption_requests_a_rebirth_within_the_cooldown() {
    let mut session = born();
    session.want_rebirth();
    assert!(session.take_rebirth(NOW, COOLDOWN));
    session.interrupted();
    assert!(session.take_rebirth(later(1), COOLDOWN), "the request, or its answer, may be lost");
}

#[test]
fn after_an_interruption_of_ours_numbers_begin_anew() {
    let mut session = born();
    session.interrupted();
    session.step(MessageKind::NData, "", &numbered(50), NOW);
    assert!(session.lost(later(99)).is_empty());
    assert!(session.take_rebirth(NOW, COOLDOWN));
    assert!(session.fall_silent());
    assert!(!session.fall_silent());
}

#[test]
fn devices_come_and_go() {
    let historical =
        Payload { metrics: vec![Metric { historical: true, ..Metric::new("F3/Ir", MetricValue::Double(1.0)) }], ..Payload::default() };
    let mut session = born();
    for (seq, kind, payload, expected, why) in [
        (1, MessageKind::DBirth, Payload::default(), None, "it was not gone"),
        (2, MessageKind::DDeath, Payload::default(), Some(false), "told to be gone"),
        (3, MessageKind::DDeath, Payload::default(), None, "gone already"),
        (4, MessageKind::DData, historical, None, "from before it went"),
        (5, MessageKind::DData, Payload::default(), None, "it talks, and what its other points are now is not known"),
        (6, MessageKind::DDeath, Payload::default(), None, "it was not back"),
        (7, MessageKind::DBirth, Payload::default(), Some(true), "born again"),
    ] {
        let step = session.step(kind, "F3", &Payload { seq: Some(seq), ..payload }, NOW);
        assert_eq!(step.device, expected, "{why}");
    }
    assert!(session.lost(later(99)).is_empty());
    let mut session = Session::remembered(Some(true));
    session.remember_offline("F3");
    assert_eq!(session.step(MessageKind::DBirth, "F3", &Payload::default(), NOW).device, Some(true), "gone in the database");
}

#[test]
fn devices_that_are_not_born_with_their_node_are_gone() {
    let mut session = born();
    session.step(MessageKind::DBirth, "F3", &numbered(1), NOW);
    session.step(MessageKind::DDeath, "F4", &numbered(2), NOW);
    session.step(MessageKind::DData, "F5", &numbered(3), NOW);
    assert!(!session.roll_call_due(later(9)) && session.roll_call_due(later(10)));
    assert_eq!(session.end_roll_call(["", "F3", "F4", "F5", "F6"].into_iter()), ["F5", "F6"], "data is no birth");
    assert!(!session.roll_call_due(later(99)), "called once");
    assert_eq!(session.step(MessageKind::DBirth, "F6", &numbered(4), later(11)).device, Some(true));
    session.step(MessageKind::NBirth, "", &birth(4, vec![]), later(20));
    session.interrupted();
    assert!(!session.roll_call_due(later(99)), "what was born meanwhile is unknown");
}

#[test]
fn data_of_a_device_confirms_nothing_before_its_birth() {
    let known = ["F3"];
    let mut session = born();
    session.step(MessageKind::DBirth, "F3", &numbered(1), NOW);
    session.interrupted();
    session.step(MessageKind::NBirth, "", &birth(3, vec![]), later(1));
    assert_eq!(session.step(MessageKind::DData, "F3", &numbered(1), later(2)).device, None);
    assert_eq!(session.confirm(known.into_iter(), later(2)), None, "it was born before the interruption");
    assert!(session.take_rebirth(later(2), COOLDOWN), "its birth is requested");
    assert_eq!(session.end_roll_call(known.into_iter()), ["F3"]);
    assert_eq!(session.step(MessageKind::DData, "F3", &numbered(2), later(12)).device, None, "what its other points are now is not known");
    assert_eq!(session.step(MessageKind::DBirth, "F3", &numbered(3), later(13)).device, Some(true));
}

#[test]
fn device_of_a_client_that_answers_no_request_returns_by_its_data() {
    let mut session = born();
    session.step(MessageKind::DBirth, "F3", &numbered(1), NOW);
    confirm(&mut session, NOW);
    session.step(MessageKind::DDeath, "F3", &numbered(2), NOW);
    assert_eq!(session.step(MessageKind::DData, "F3", &numbered(3), later(1)).device, None);
    assert!(session.take_rebirth(later(1), COOLDOWN));
    assert_eq!(session.step(MessageKind::DData, "F3", &numbered(4), later(5)).device, None, "once may be a lost request");
    assert!(session.take_rebirth(later(70), COOLDOWN));
    assert_eq!(session.step(MessageKind::DData, "F3", &numbered(5), later(72)).device, None, "it may still answer");
    assert_eq!(session.step(MessageKind::DData, "F3", &numbered(6), later(73)).device, Some(true));
}

#[test]
fn device_does_not_return_by_data_that_no_birth_declares() {
    let mut session = born();
    session.step(MessageKind::DBirth, "F3", &numbered(1), NOW);
    confirm(&mut session, NOW);
    session.step(MessageKind::DDeath, "F3", &numbered(2), NOW);
    for (seq, seconds) in [(3, 1), (4, 70)] {
        session.step(MessageKind::DData, "F3", &numbered(seq), later(seconds));
        assert!(session.take_rebirth(later(seconds), COOLDOWN));
    }
    let undeclared = Payload { metrics: vec![aliased(77, MetricValue::Double(1.0))], ..numbered(5) };
    assert_eq!(session.step(MessageKind::DData, "F3", &undeclared, later(80)).device, None, "it may be of any point");
    let declared = Payload { metrics: vec![Metric::new("F3/Ir", MetricValue::Double(1.0))], ..numbered(6) };
    assert_eq!(session.step(MessageKind::DData, "F3", &declared, later(81)).device, Some(true));
}
