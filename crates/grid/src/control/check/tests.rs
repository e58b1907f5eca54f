//! Tests of each precondition alone, then of their order.

use super::*;

const NOW: Micros = Micros(1_800_000_000_000_000);

fn ask(intent: Intent) -> Request {
    Request {
        intent,
        from: Some(Throw::Open),
        target: Some(Throw::Closed),
        requested: NOW.plus_millis(-200),
        scheduled: Some(NOW),
        test: false,
    }
}

/// Returns facts without any reason to refuse: an open breaker that reports every ten seconds.
fn well() -> Snapshot {
    Snapshot {
        now: NOW,
        authority: true,
        outside_area: None,
        control_enabled: true,
        audit_writable: true,
        support: Support { direct: true, sbo: true },
        link_up: true,
        live: Some(Live { position: Position::Open, quality: Quality::Good, source: NOW.plus_millis(-5_000), age_limit_ms: Some(30_000) }),
        local: Flag::Off,
        test_mode: Flag::Off,
        reservation: Reservation::Free,
        bay_busy: None,
        tags: Vec::new(),
        interlocks: Vec::new(),
        synchronism: Synchronism::NotMeasured,
        unfit: None,
        recent: Recent::default(),
        ticket: Ticket::Valid,
    }
}

fn causes(request: &Request, facts: &Snapshot) -> Vec<u8> {
    check(request, facts).into_iter().map(|refusal| refusal.cause.code()).collect()
}

/// Returns the causes for a direct operate when one fact differs from `well`.
fn with(change: impl FnOnce(&mut Request, &mut Snapshot)) -> Vec<u8> {
    let (mut request, mut facts) = (ask(Intent::Direct), well());
    change(&mut request, &mut facts);
    causes(&request, &facts)
}

/// No cause to refuse.
const NOTHING: [u8; 0] = [];

fn live(position: Position, quality: Quality, age_ms: i64) -> Live {
    Live { position, quality, source: NOW.plus_millis(-age_ms), age_limit_ms: Some(30_000) }
}

#[test]
fn when_all_is_well_nothing_is_refused() {
    for intent in [Intent::Preview, Intent::Select, Intent::Direct] {
        assert_eq!(causes(&ask(intent), &well()), NOTHING, "{intent:?}");
    }
    let selected = Snapshot { reservation: Reservation::Mine, ..well() };
    assert_eq!(causes(&ask(Intent::Execute), &selected), NOTHING);
}

#[test]
fn each_precondition_is_refused_by_its_cause() {
    assert_eq!(with(|_, facts| facts.authority = false), [20]);
    let outside = OutsideArea::Held { area: "Harbour".into(), by: Some("East".into()) };
    assert_eq!(with(|_, facts| facts.outside_area = Some(outside)), [2]);
    assert_eq!(with(|_, facts| facts.control_enabled = false), [8]);
    assert_eq!(with(|_, facts| facts.audit_writable = false), [13]);
    assert_eq!(with(|_, facts| facts.support = Support { direct: false, sbo: false }), [1]);
    assert_eq!(with(|_, facts| facts.support = Support { direct: false, sbo: true }), [18]);
    assert_eq!(with(|request, facts| (request.intent, facts.support) = (Intent::Select, Support { direct: true, sbo: false })), [1]);
    assert_eq!(with(|request, _| request.target = None), [26]);
    assert_eq!(with(|request, _| request.scheduled = Some(NOW.plus_millis(30_001))), [26]);
    assert_eq!(with(|request, _| request.scheduled = Some(NOW.plus_millis(-30_001))), [26]);
    assert_eq!(with(|request, _| request.scheduled = Some(NOW.plus_millis(-30_000))), NOTHING);
    assert_eq!(with(|request, _| request.scheduled = None), NOTHING);
    assert_eq!(with(|request, _| request.requested = NOW.plus_millis(-10_001)), [16]);
    assert_eq!(with(|request, _| request.requested = NOW.plus_millis(1)), [16], "the clock was set back");
    assert_eq!(with(|_, facts| facts.link_up = false), [23]);
    assert_eq!(with(|_, facts| facts.live = None), [4]);
    assert_eq!(with(|request, _| request.from = Some(Throw::Closed)), [26]);
    assert_eq!(with(|request, _| request.from = None), [26]);
    for flag in [Flag::Unknown, Flag::On] {
        assert_eq!(with(|_, facts| facts.local = flag), [2], "{flag:?}");
        assert_eq!(with(|_, facts| facts.test_mode = flag), [8], "{flag:?}");
    }
    assert_eq!(with(|request, _| request.test = true), [8]);
    assert_eq!(with(|request, facts| (request.test, facts.test_mode) = (true, Flag::On)), NOTHING);
    assert_eq!(with(|request, facts| (request.test, facts.test_mode) = (true, Flag::Unknown)), [8]);
    assert_eq!(with(|_, facts| facts.bay_busy = Some("F1IS".into())), [14]);
    assert_eq!(with(|_, facts| facts.synchronism = Synchronism::OutOfStep), [11]);
    assert_eq!(with(|_, facts| facts.synchronism = Synchronism::Unknown), [11]);
    assert_eq!(with(|_, facts| facts.synchronism = Synchronism::InStep), NOTHING);
    assert_eq!(with(|_, facts| facts.unfit = Some("SF6 low".into())), [13]);
    assert_eq!(with(|_, facts| facts.ticket = Ticket::Missing), [20]);
    assert_eq!(with(|_, facts| facts.ticket = Ticket::NotNeeded), NOTHING);
}

#[test]
fn what_is_not_known_says_so_and_what_to_do() {
    let message = |change: fn(&mut Snapshot)| {
        let mut facts = well();
        change(&mut facts);
        check(&ask(Intent::Direct), &facts).remove(0).message
    };
    let unknown: [fn(&mut Snapshot); 3] =
        [|facts| facts.local = Flag::Unknown, |facts| facts.test_mode = Flag::Unknown, |facts| facts.synchronism = Synchronism::Unknown];
    for message in unknown.map(message) {
        assert!(message.contains("not known") || message.contains("no valid value"), "{message}");
        assert!(message.contains("Wait for") && message.contains("on site"), "{message}");
    }
    assert_eq!(message(|facts| facts.local = Flag::On), "The local/remote switch is on local.");
    assert_eq!(message(|facts| facts.test_mode = Flag::On), "The device is in test mode.");
}

#[test]
fn opening_needs_no_synchronism() {
    let change = |request: &mut Request, facts: &mut Snapshot| {
        (request.from, request.target) = (Some(Throw::Closed), Some(Throw::Open));
        facts.live = Some(live(Position::Closed, Quality::Good, 0));
        facts.synchronism = Synchronism::OutOfStep;
    };
    assert_eq!(with(change), NOTHING);
}

#[test]
fn only_a_good_fresh_and_known_position_may_be_left() {
    let cases: [(_, _, _, &[u8]); 11] = [
        (Position::Open, Quality::Good, -2_000, &[]),
        (Position::Open, Quality::Good, -2_001, &[4]),
        (Position::Open, Quality::Good, 30_000, &[]),
        (Position::Open, Quality::Good, 30_001, &[4]),
        (Position::Open, Quality::Substituted, 0, &[4]),
        (Position::Open, Quality::Questionable, 0, &[4]),
        (Position::Open, Quality::Invalid, 0, &[4]),
        (Position::Open, Quality::Never, 0, &[4]),
        (Position::Intermediate, Quality::Good, 0, &[4]),
        (Position::Bad, Quality::Good, 0, &[4]),
        (Position::Closed, Quality::Good, 0, &[26, 5]),
    ];
    for (position, quality, age_ms, expected) in cases {
        assert_eq!(with(|_, facts| facts.live = Some(live(position, quality, age_ms))), expected, "{position:?} {quality:?} {age_ms}");
    }
    let by_exception = Live { age_limit_ms: None, ..live(Position::Open, Quality::Good, 86_400_000) };
    assert_eq!(with(|_, facts| facts.live = Some(by_exception)), NOTHING, "what reports by exception is as fresh as its link");
    assert_eq!(
        with(|request, facts| {
            facts.live = Some(live(Position::Closed, Quality::Good, 0));
            request.from = Some(Throw::Closed);
        }),
        [5]
    );
}

#[test]
fn a_doubtful_outcome_must_be_looked_at_first() {
    let doubt = |ms: i64| with(|_, facts| facts.recent.doubt_since = Some(NOW.plus_millis(-ms)));
    assert_eq!(doubt(4_000), [4], "the position is older than the doubt");
    assert_eq!(doubt(5_000), [4], "as old as the doubt is not newer");
    assert_eq!(doubt(6_000), NOTHING);
}

#[test]
fn reservation_holder_decides_the_refusal() {
    let other = Reservation::Other { holder: "B. Das".into(), left_ms: 21_900 };
    let executing = Reservation::Executing { holder: "B. Das".into() };
    let cases: [(Intent, &Reservation, &[u8]); 12] = [
        (Intent::Select, &Reservation::Mine, &[19]),
        (Intent::Select, &other, &[19]),
        (Intent::Select, &executing, &[12]),
        (Intent::Direct, &Reservation::Mine, &[19]),
        (Intent::Direct, &other, &[27]),
        (Intent::Direct, &executing, &[12]),
        (Intent::Execute, &Reservation::Free, &[18]),
        (Intent::Execute, &other, &[27]),
        (Intent::Execute, &executing, &[12]),
        (Intent::Preview, &other, &[27]),
        (Intent::Preview, &executing, &[12]),
        (Intent::Preview, &Reservation::Mine, &[]),
    ];
    for (intent, reservation, expected) in cases {
        let facts = Snapshot { reservation: reservation.clone(), ..well() };
        assert_eq!(causes(&ask(intent), &facts), expected, "{intent:?} {reservation:?}");
    }
    let facts = Snapshot { reservation: other, ..well() };
    assert_eq!(check(&ask(Intent::Select), &facts)[0].message, "Selected by B. Das, 21 s left.");
}

#[test]
fn a_switch_does_not_pump() {
    let last = |ms: i64| with(|_, facts| facts.recent.last = Some(NOW.plus_millis(-ms)));
    assert_eq!(last(9_999), [24]);
    assert_eq!(last(10_000), NOTHING);
    let often = |ms: i64, position: Position, throw: (Throw, Throw)| {
        let (mut request, mut facts) = (ask(Intent::Direct), well());
        facts.recent.often_until = Some(NOW.plus_millis(ms));
        facts.live = Some(live(position, Quality::Good, 0));
        (request.from, request.target) = (Some(throw.0), Some(throw.1));
        check(&request, &facts)
    };
    let opening = |ms: i64| often(ms, Position::Closed, (Throw::Closed, Throw::Open));
    assert_eq!(opening(0), []);
    let refused = opening(33_001);
    assert_eq!((refused[0].cause.code(), refused[0].wait_s), (24, Some(34)));
    assert_eq!(refused[0].message, "The device was operated as often as is allowed within this time: wait 34 s.", "waiting is enough");
    let closing = often(33_001, Position::Open, (Throw::Open, Throw::Closed));
    assert_eq!(closing, [], "the limit never delays an operator who closes a feeder that is out");
    let resting =
        check(&ask(Intent::Direct), &Snapshot { recent: Recent { last: Some(NOW.plus_millis(-7_500)), ..Recent::default() }, ..well() });
    assert_eq!(resting.iter().map(|refusal| refusal.wait_s).collect::<Vec<_>>(), [Some(3)]);
}

#[test]
fn the_menu_asks_nothing_that_only_a_request_can_have() {
    let mut facts = well();
    facts.ticket = Ticket::Missing;
    let looking = Request { intent: Intent::Preview, from: None, target: None, requested: Micros(0), scheduled: None, test: false };
    assert_eq!(causes(&looking, &facts), NOTHING);
    facts.local = Flag::On;
    assert_eq!(causes(&looking, &facts), [2]);
}

#[test]
fn all_refusals_are_told_in_their_order() {
    let facts = Snapshot {
        authority: false,
        control_enabled: false,
        audit_writable: false,
        support: Support { direct: false, sbo: false },
        link_up: false,
        live: Some(live(Position::Closed, Quality::Good, 40_000)),
        local: Flag::On,
        test_mode: Flag::On,
        reservation: Reservation::Executing { holder: "B".into() },
        bay_busy: Some("F1IS".into()),
        tags: vec![Tag { kind: tag::TagKind::Inhibit, holder: "C".into(), reason: "men at work".into(), expires: None }],
        interlocks: vec![
            Verdict { rule: "r", message: "m".into(), fulfilled: false },
            Verdict { rule: "s", message: "n".into(), fulfilled: true },
        ],
        synchronism: Synchronism::OutOfStep,
        unfit: Some("SF6 low".into()),
        recent: Recent { last: Some(NOW), often_until: Some(NOW.plus_millis(1)), doubt_since: Some(NOW) },
        ticket: Ticket::Missing,
        ..well()
    };
    let request = Request { requested: NOW.plus_millis(-20_000), scheduled: Some(Micros(0)), ..ask(Intent::Direct) };
    let expected = [20, 8, 13, 1, 16, 26, 23, 4, 4, 26, 5, 2, 8, 12, 14, 24, 10, 11, 13, 24, 24, 20];
    assert_eq!(causes(&request, &facts), expected);
}
