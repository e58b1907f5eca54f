//! Sessions, message by message.

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

fn born() -> Session {
    let mut session = Session::default();
    let step = session.step(Kind::NBirth, "", &birth(3, vec![]), NOW);
    assert_eq!(step, Step { online: Some(true), ..Step::default() });
    session
}

#[test]
fn numbers_that_follow_each_other_are_no_gap() {
    let mut session = born();
    for seq in (1..=255).chain(0..3) {
        assert_eq!(session.step(Kind::NData, "", &numbered(seq), NOW), Step::default(), "{seq}");
    }
    assert!(!session.take_rebirth(later(600), COOLDOWN));
}

#[test]
fn a_gap_asks_for_one_rebirth_per_cooldown() {
    let mut session = born();
    session.step(Kind::DData, "F3", &numbered(5), NOW);
    assert!(session.lost(NOW).is_empty(), "it may have been overtaken");
    assert_eq!(session.lost(later(2)), [1, 2, 3, 4]);
    assert!(session.take_rebirth(later(2), COOLDOWN));
    session.step(Kind::DData, "F3", &numbered(7), later(3));
    assert_eq!(session.lost(later(5)), [6]);
    assert!(!session.take_rebirth(later(61), COOLDOWN));
    assert!(session.take_rebirth(later(62), COOLDOWN));
    session.step(Kind::NBirth, "", &birth(3, vec![]), later(63));
    session.step(Kind::NData, "", &numbered(1), later(63));
    assert!(session.lost(later(99)).is_empty());
    assert!(!session.take_rebirth(later(600), COOLDOWN));
}

#[test]
fn clients_without_numbers_have_no_gaps() {
    let mut session = born();
    session.step(Kind::NData, "", &Payload::default(), NOW);
    session.step(Kind::NData, "", &numbered(1), NOW);
    assert!(session.lost(later(99)).is_empty());
}

#[test]
fn data_before_birth_is_taken_and_asks_for_one() {
    let mut session = Session::default();
    let step = session.step(Kind::DData, "F3", &numbered(77), NOW);
    assert_eq!(step, Step { online: Some(true), ..Step::default() });
    assert!(session.take_rebirth(NOW, COOLDOWN));
    session.step(Kind::DData, "F3", &numbered(78), NOW);
    assert!(session.lost(later(99)).is_empty());
    assert!(!session.take_rebirth(NOW, COOLDOWN));
}

#[test]
fn deaths() {
    for (birth_number, death_number, is_death) in [
        (3, 3, true),
        // A client that counts on before it says goodbye.
        (3, 4, true),
        (255, 0, true),
        // The will of the connection before.
        (3, 2, false),
        (0, 255, false),
    ] {
        let mut session = Session::default();
        session.step(Kind::NBirth, "", &birth(birth_number, vec![]), NOW);
        let step = session.step(Kind::NDeath, "", &death(death_number), NOW);
        let expected = if is_death { Step { online: Some(false), ..Step::default() } } else { Step { ignored: true, ..Step::default() } };
        assert_eq!(step, expected, "birth {birth_number}, death {death_number}");
    }
    let mut session = born();
    assert_eq!(session.step(Kind::NDeath, "", &Payload::default(), NOW).online, Some(false), "a death without a number");
    assert_eq!(session.step(Kind::NDeath, "", &Payload::default(), NOW).online, None, "dead already");
    assert_eq!(session.step(Kind::DData, "F3", &numbered(8), NOW).online, Some(true), "data after death");
}

#[test]
fn a_doubted_death_is_believed_after_silence() {
    let mut silent = born();
    silent.step(Kind::NDeath, "", &death(2), NOW);
    assert!(silent.take_rebirth(NOW, COOLDOWN));
    assert!(!silent.settle_doubt(later(4)));
    assert!(silent.settle_doubt(later(5)));
    assert!(!silent.settle_doubt(later(6)));
    assert_eq!(silent.online(), Some(false));

    let mut alive = born();
    alive.step(Kind::NDeath, "", &death(2), NOW);
    alive.step(Kind::NData, "", &numbered(1), later(1));
    assert!(!alive.settle_doubt(later(60)));
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
    session.step(Kind::NBirth, "", &birth(0, vec![named("Uptime", 1, DataType::Int64)]), NOW);
    let device = Payload { seq: Some(1), metrics: vec![named("F3/P", 2, DataType::Int32)], ..Payload::default() };
    session.step(Kind::DBirth, "F3", &device, NOW);

    let negative = aliased(2, MetricValue::UInt32(u32::MAX));
    assert_eq!(session.resolve("F3", &negative), Ok(("F3/P", MetricValue::Int32(-1))));
    assert_eq!(session.resolve("F4", &negative), Err(UnknownAlias));
    // The node's own aliases hold for its devices too.
    assert_eq!(session.resolve("F3", &aliased(1, MetricValue::UInt64(5))), Ok(("Uptime", MetricValue::UInt64(5))));
    assert_eq!(session.resolve("", &aliased(1, MetricValue::UInt64(5))), Ok(("Uptime", MetricValue::Int64(5))));
    let by_name = Metric::new("F3/P", MetricValue::UInt32(7));
    assert_eq!(session.resolve("F3", &by_name), Ok(("F3/P", MetricValue::Int32(7))));
    assert!(session.declares_number("F3", "F3/P"));

    session.step(Kind::NBirth, "", &birth(1, vec![]), NOW);
    assert_eq!(session.resolve("F3", &negative), Err(UnknownAlias));
}

#[test]
fn the_outbox_is_declared_at_birth_and_marked_in_data() {
    let mut session = Session::default();
    session.step(Kind::NBirth, "", &birth(0, vec![Metric::new(OUTBOX, MetricValue::Boolean(true))]), NOW);
    assert!(session.keeps_outbox());
    let number = |name: &str, value| Metric::new(name, MetricValue::UInt64(value));
    let mut data = Payload { metrics: vec![number(OUTBOX_EPOCH, 9), number(OUTBOX_SEQ, 4)], ..Payload::default() };
    assert_eq!(session.outbox_mark("F3", &data), Some(OutboxMark { place: Place { epoch: 9, seq: 4 }, acked: None }));
    data.metrics.push(number(OUTBOX_ACKED, 3));
    assert_eq!(session.outbox_mark("F3", &data).and_then(|mark| mark.acked), Some(3));
    assert_eq!(session.outbox_mark("F3", &Payload::default()), None);
    session.step(Kind::NBirth, "", &birth(1, vec![]), NOW);
    assert!(!session.keeps_outbox());
}

#[test]
fn after_an_interruption_of_ours_numbers_begin_anew() {
    let mut session = born();
    session.interrupted();
    session.step(Kind::NData, "", &numbered(50), NOW);
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
        (1, Kind::DBirth, Payload::default(), None, "it was not gone"),
        (2, Kind::DDeath, Payload::default(), Some(false), "told to be gone"),
        (3, Kind::DDeath, Payload::default(), None, "gone already"),
        (4, Kind::DData, historical, None, "from before it went"),
        (5, Kind::DData, Payload::default(), Some(true), "it talks"),
        (6, Kind::DDeath, Payload::default(), Some(false), "gone again"),
        (7, Kind::DBirth, Payload::default(), Some(true), "born again"),
    ] {
        let step = session.step(kind, "F3", &Payload { seq: Some(seq), ..payload }, NOW);
        assert_eq!(step.device, expected, "{why}");
    }
    assert!(session.lost(later(99)).is_empty());
    let mut session = Session::remembered(Some(true));
    session.remember_gone("F3");
    assert_eq!(session.step(Kind::DBirth, "F3", &Payload::default(), NOW).device, Some(true), "gone in the database");
}

#[test]
fn devices_that_are_not_born_with_their_node_are_gone() {
    let mut session = born();
    session.step(Kind::DBirth, "F3", &numbered(1), NOW);
    session.step(Kind::DDeath, "F4", &numbered(2), NOW);
    session.step(Kind::DData, "F5", &numbered(3), NOW);
    assert!(!session.roll_call_due(later(9)) && session.roll_call_due(later(10)));
    assert_eq!(session.end_roll_call(["", "F3", "F4", "F5", "F6"].into_iter()), ["F6"]);
    assert!(!session.roll_call_due(later(99)), "called once");
    assert_eq!(session.step(Kind::DBirth, "F6", &numbered(4), later(11)).device, Some(true));
    session.step(Kind::NBirth, "", &birth(4, vec![]), later(20));
    session.interrupted();
    assert!(!session.roll_call_due(later(99)), "what was born meanwhile is unknown");
}
