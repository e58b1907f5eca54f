//! Runs every case of the select-before-operate vectors (`vectors/control_sbo.json`) through the checks and the state machine, as the service does.

use grid::control::check::{Flag, Intent, Live, Recent, Request, Reservation, Snapshot, Synchronism, Ticket, check};
use grid::control::interlock::{self, Class, Switch};
use grid::control::machine::{Answer, Effect, Event, Now, Object, Order, Step, Timing, step};
use grid::control::tag::{Tag, TagKind};
use grid::control::{AddCause, CommandId, GatewayAnswer, Holder, Model, State, Support, Throw};
use grid::position::{Encoding, Position};
use grid::{AssetId, MemberId, Micros, Quality};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    add_cause: std::collections::BTreeMap<u8, String>,
    double_point: Vec<DoublePoint>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct DoublePoint {
    dpi: u8,
    operable: bool,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    expect: String,
    #[serde(rename = "addCause")]
    add_cause: Option<u8>,
    #[serde(rename = "addCauseName")]
    add_cause_name: Option<String>,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../vectors/control_sbo.json")).expect("the vectors")
}

/// Accepted, or the cause of the refusal.
type Outcome = Result<(), AddCause>;

const START: Micros = Micros(1_800_000_000_000_000);
const A: Holder = Holder { member: MemberId(1), session: 10 };
const B: Holder = Holder { member: MemberId(2), session: 20 };
const FIRST: CommandId = CommandId(1);
const SECOND: CommandId = CommandId(2);

fn now(ms: i64) -> Now {
    Now { wall: START.plus_millis(ms), monotonic_ms: 500 + ms }
}

fn free(model: Model) -> Object {
    Object { support: Support::new(true, true, Some(model)), timing: Timing::new(false), command: None }
}

/// Facts about an open breaker without any reason against closing it.
fn facts(support: Support) -> Snapshot {
    let live = Live { position: Position::Open, quality: Quality::Good, source: START.plus_millis(-1), age_limit_ms: Some(30_000) };
    Snapshot {
        now: START,
        authority: true,
        outside_area: None,
        control_enabled: true,
        audit_writable: true,
        support,
        link_up: true,
        live: Some(live),
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

fn order(id: CommandId, holder: Holder, target: Throw) -> Order {
    Order { id, holder, from: target.other(), target, refusal: None }
}

fn select(id: CommandId, holder: Holder) -> Event {
    Event::Select(order(id, holder, Throw::Closed))
}

/// An object selected by A for closing.
fn selected() -> Object {
    let requested = step(free(Model::SboEnhanced), select(FIRST, A), now(0)).object;
    let object = step(requested, Event::Answered { id: FIRST, answer: GatewayAnswer::Selected, cause: None }, now(50)).object;
    assert_eq!(object.command.map(|command| command.state), Some(State::Selected));
    object
}

/// An object in execution: commanded by A to close, accepted by the RTU.
fn executing() -> Object {
    let sent = step(selected(), Event::Operate(order(FIRST, A, Throw::Closed)), now(1_000));
    assert_eq!(sent.answer, Answer::Taken(State::Sent));
    step(sent.object, Event::Answered { id: FIRST, answer: GatewayAnswer::Accepted, cause: None }, now(1_050)).object
}

fn is_free(object: Object) {
    assert_eq!(object.command, None);
}

fn reject(step: &Step) -> Outcome {
    match &step.answer {
        Answer::Refused(refusal) => Err(refusal.cause),
        other => panic!("not rejected: {other:?}"),
    }
}

/// Checks that a free object refuses select and direct operate with the same cause and does not change. `only` limits the check to one intent.
fn precondition(only: Option<Intent>, change: impl Fn(&mut Request, &mut Snapshot)) -> Outcome {
    let mut causes = Vec::new();
    for (intent, model) in [(Intent::Select, Model::SboEnhanced), (Intent::Direct, Model::DirectEnhanced)] {
        if only.is_some_and(|only| only != intent) {
            continue;
        }
        let object = free(model);
        let mut facts = facts(object.support);
        let mut request =
            Request { intent, from: Some(Throw::Open), target: Some(Throw::Closed), requested: START, scheduled: None, test: false };
        assert_eq!(check(&request, &facts), [], "without the change nothing is refused");
        change(&mut request, &mut facts);
        let refusal = check(&request, &facts).into_iter().next();
        let order = Order { refusal, ..order(FIRST, A, Throw::Closed) };
        let event = if intent == Intent::Select { Event::Select(order) } else { Event::Direct(order) };
        let step = step(object, event, now(0));
        assert_eq!((step.object, step.effects.len()), (object, 0), "unchanged, and nothing sent");
        causes.push(reject(&step));
    }
    assert!(causes.windows(2).all(|pair| pair[0] == pair[1]));
    causes[0]
}

/// Checks the termination of an execution that fails.
fn ended(step: &Step, state: State) -> Outcome {
    is_free(step.object);
    assert_eq!(step.changes.len(), 1);
    assert_eq!((step.changes[0].id, step.changes[0].state), (FIRST, state));
    assert_eq!(step.effects, [Effect::Alarm { id: FIRST }, Effect::Interrogate], "told to everybody, looked at anew, never sent again");
    step.changes[0].refusal.as_ref().map_or(Ok(()), |refusal| Err(refusal.cause))
}

fn at(position: Position, ms: i64) -> Event {
    Event::Position { position, quality: Quality::Good, source: START.plus_millis(ms) }
}

/// Runs the case and checks the state after it. Returns the cause if the case is not accepted.
fn selecting_cases(id: &str) -> Option<Outcome> {
    let keeps = |step: &Step| {
        assert_eq!(step.object, selected(), "unchanged, with the same time left");
        assert_eq!(step.effects, []);
        reject(step)
    };
    Some(match id {
        "S1" => {
            let step = step(free(Model::SboEnhanced), select(FIRST, A), now(0));
            assert_eq!(step.answer, Answer::Taken(State::Selecting));
            assert_eq!(step.object.command.map(|command| command.holder), Some(A));
            assert_eq!(selected().command.map(|command| command.deadline_ms), Some(500 + 30_000), "the time runs from the request on");
            Ok(())
        }
        "S2" => keeps(&step(selected(), select(SECOND, B), now(5_000))),
        "S3" => keeps(&step(selected(), select(SECOND, A), now(5_000))),
        "S5" => {
            let step = step(free(Model::SboEnhanced), Event::Operate(order(FIRST, A, Throw::Closed)), now(0));
            is_free(step.object);
            // A direct operate of such an object violates the same rule.
            let direct = self::step(free(Model::SboEnhanced), Event::Direct(order(FIRST, A, Throw::Closed)), now(0));
            assert_eq!(reject(&direct), reject(&step));
            reject(&step)
        }
        "S6" => keeps(&step(selected(), Event::Operate(order(FIRST, B, Throw::Closed)), now(5_000))),
        "S7" => {
            let other_number = step(selected(), Event::Operate(order(SECOND, A, Throw::Closed)), now(5_000));
            is_free(other_number.object);
            let other_value = step(selected(), Event::Operate(order(FIRST, A, Throw::Open)), now(5_000));
            is_free(other_value.object);
            assert_eq!(reject(&other_number), reject(&other_value));
            reject(&other_value)
        }
        "S9" => {
            let before = executing();
            let requested = [A, B].map(|holder| step(before, Event::Operate(order(FIRST, holder, Throw::Closed)), now(2_000)));
            assert!(requested.iter().all(|step| step.object == before && step.effects.is_empty()));
            assert_eq!(reject(&requested[0]), reject(&requested[1]));
            reject(&requested[0])
        }
        "S10" => {
            let step = step(selected(), Event::Cancel { holder: A, id: Some(FIRST) }, now(5_000));
            is_free(step.object);
            assert_eq!(step.answer, Answer::Taken(State::Cancelled));
            Ok(())
        }
        "S11" => keeps(&step(selected(), Event::Cancel { holder: B, id: Some(FIRST) }, now(5_000))),
        "S13" => {
            let object = free(Model::StatusOnly);
            let steps = [select(FIRST, A), Event::Direct(order(FIRST, A, Throw::Closed))].map(|event| step(object, event, now(0)));
            assert!(steps.iter().all(|step| step.object == object));
            assert_eq!(reject(&steps[0]), reject(&steps[1]));
            reject(&steps[0])
        }
        "S14" => {
            let step = step(free(Model::DirectEnhanced), select(FIRST, A), now(0));
            is_free(step.object);
            reject(&step)
        }
        "S15" => {
            let refused = Order { refusal: Some(AddCause::BlockedByInterlocking.refusal()), ..order(FIRST, A, Throw::Closed) };
            let step = step(selected(), Event::Operate(refused), now(5_000));
            is_free(step.object);
            reject(&step)
        }
        _ => return None,
    })
}

fn executing_cases(id: &str) -> Option<Outcome> {
    Some(match id {
        "S17" => {
            let moving = step(executing(), at(Position::Intermediate, 1_100), now(1_120)).object;
            let step = step(moving, at(Position::Closed, 1_400), now(1_420));
            is_free(step.object);
            assert_eq!(step.changes[0].state, State::Done);
            Ok(())
        }
        "S18" => {
            let restated = step(executing(), at(Position::Open, 5_000), now(5_010)).object;
            assert_eq!(step(restated, Event::Tick, now(10_999)).object, restated, "the time is not over yet");
            ended(&step(restated, Event::Tick, now(11_000)), State::NoFeedback)
        }
        "S19" => {
            let moving = step(executing(), at(Position::Intermediate, 1_100), now(1_120)).object;
            let back = ended(&step(moving, at(Position::Open, 1_400), now(1_420)), State::NoFeedback);
            assert_eq!(ended(&step(executing(), at(Position::Bad, 1_400), now(1_420)), State::NoFeedback), back);
            back
        }
        "S21" => ended(&step(executing(), Event::LinkLost, now(2_000)), State::Unknown),
        _ => return None,
    })
}

fn precondition_cases(id: &str) -> Option<Outcome> {
    let earth = |class, asset, position| Switch {
        asset: AssetId(asset),
        name: format!("F1-{asset}"),
        bay: "F1".into(),
        class,
        position: Some(position),
        quality: Quality::Good,
    };
    Some(match id {
        "P1" => precondition(None, |_, facts| facts.local = Flag::On),
        "P2" => {
            let live = |position, quality, age_ms: i64| {
                let live = Live { position, quality, source: START.plus_millis(-age_ms), age_limit_ms: Some(30_000) };
                precondition(None, |_, facts| facts.live = Some(live))
            };
            let causes = [
                live(Position::Intermediate, Quality::Good, 0),
                live(Position::Bad, Quality::Good, 0),
                live(Position::Open, Quality::Invalid, 0),
                live(Position::Open, Quality::Good, 60_000),
            ];
            assert!(causes.windows(2).all(|pair| pair[0] == pair[1]));
            causes[0]
        }
        "P4" => precondition(Some(Intent::Select), |_, facts| facts.bay_busy = Some("F1IS".into())),
        "P5" => precondition(None, |_, facts| {
            facts.tags = vec![Tag { kind: TagKind::Inhibit, holder: "B".into(), reason: "hot line".into(), expires: None }];
        }),
        "P6" => {
            let right = precondition(None, |_, facts| facts.authority = false);
            assert_eq!(precondition(None, |_, facts| facts.ticket = Ticket::Missing), right);
            right
        }
        "P8" => precondition(None, |_, facts| {
            let switches = [earth(Class::Breaker, 1, Position::Open), earth(Class::EarthSwitch, 2, Position::Closed)];
            facts.interlocks = interlock::verdicts(AssetId(1), Throw::Closed, &switches);
        }),
        "P9" => precondition(None, |request, _| (request.from, request.target) = (Some(Throw::Closed), Some(Throw::Closed))),
        "P10" => precondition(None, |_, facts| facts.test_mode = Flag::On),
        _ => return None,
    })
}

#[test]
fn every_case_of_the_vectors_has_its_outcome() {
    let cases = vectors().cases;
    assert_eq!(cases.len(), 24);
    for case in cases {
        let outcome = selecting_cases(&case.id).or_else(|| executing_cases(&case.id)).or_else(|| precondition_cases(&case.id));
        let cause = outcome.unwrap_or_else(|| panic!("{} is not covered", case.id)).err();
        assert_eq!(cause.map(AddCause::code), case.add_cause, "{} {}", case.id, case.expect);
        assert_eq!(cause.map(AddCause::name), case.add_cause_name.as_deref(), "{}", case.id);
        assert_eq!(cause.is_none(), case.expect == "accept" || case.expect.ends_with('+'), "{}", case.id);
    }
}

#[test]
fn causes_and_positions_are_those_of_the_vectors() {
    let vectors = vectors();
    let own: Vec<(u8, &str)> = AddCause::ALL.iter().map(|cause| (cause.code(), cause.name())).collect();
    let theirs: Vec<(u8, &str)> = vectors.add_cause.iter().map(|(number, name)| (*number, name.as_str())).collect();
    assert_eq!(own, theirs);
    for point in vectors.double_point {
        let position = Position::decode(Encoding::DoublePoint, f64::from(point.dpi));
        assert_eq!(Throw::of(position).is_some(), point.operable, "{}", point.dpi);
    }
}
