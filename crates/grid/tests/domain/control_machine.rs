//! Cases that the vectors do not cover: times, sessions, restarts, repeated requests, unexpected answers.

use grid::control::machine::{Answer, Effect, Event, Now, Object, Order, Step, Timing, step};
use grid::control::{Action, AddCause, CommandId, GatewayAnswer, Holder, State, Support, Throw};
use grid::position::Position;
use grid::{MemberId, Micros, Quality};

const START: Micros = Micros(1_800_000_000_000_000);
const A: Holder = Holder { member: MemberId(1), session: 10 };
const A_ELSEWHERE: Holder = Holder { member: MemberId(1), session: 11 };
const B: Holder = Holder { member: MemberId(2), session: 20 };
const ID: CommandId = CommandId(7);
const OTHER: CommandId = CommandId(8);

fn now(ms: i64) -> Now {
    Now { wall: START.plus_millis(ms), monotonic_ms: ms }
}

fn free() -> Object {
    Object { support: Support { direct: true, sbo: true }, timing: Timing::new(false), command: None }
}

fn order(id: CommandId, holder: Holder) -> Order {
    Order { id, holder, from: Throw::Closed, target: Throw::Open, refusal: None }
}

fn answered(answer: GatewayAnswer, cause: Option<AddCause>) -> Event {
    Event::Answered { id: ID, answer, cause }
}

fn at(position: Position, ms: i64) -> Event {
    Event::Position { position, quality: Quality::Good, source: START.plus_millis(ms) }
}

fn selecting() -> Object {
    step(free(), Event::Select(order(ID, A)), now(0)).object
}

fn selected() -> Object {
    step(selecting(), answered(GatewayAnswer::Selected, None), now(100)).object
}

fn sent() -> Object {
    step(free(), Event::Direct(order(ID, A)), now(0)).object
}

fn last(step: &Step) -> Option<(State, Option<u8>)> {
    step.changes.last().map(|change| (change.state, change.refusal.as_ref().map(|refusal| refusal.cause.code())))
}

fn cause(step: &Step) -> Option<u8> {
    if let Answer::Refused(refusal) = &step.answer { Some(refusal.cause.code()) } else { None }
}

fn publishes(step: &Step) -> Vec<Action> {
    let actions = step.effects.iter().filter_map(|effect| if let Effect::Publish { action, .. } = effect { Some(*action) } else { None });
    actions.collect()
}

#[test]
fn a_select_holds_for_its_time_whatever_the_wall_clock_does() {
    let jump = |ms: i64, jump_ms: i64| Now { wall: START.plus_millis(ms + jump_ms), monotonic_ms: ms };
    for jump_ms in [-600_000, 0, 3_600_000] {
        let operate = |ms| step(selected(), Event::Operate(order(ID, A)), jump(ms, jump_ms));
        assert_eq!(operate(29_999).answer, Answer::Taken(State::Sent), "{jump_ms}");
        let late = operate(30_000);
        assert_eq!((cause(&late), last(&late)), (Some(18), Some((State::Expired, Some(16)))), "{jump_ms}");
        assert_eq!(publishes(&late), [Action::Cancel]);
    }
}

#[test]
fn a_select_that_nobody_answers_is_given_up_early() {
    assert_eq!(step(selecting(), Event::Tick, now(4_999)).object, selecting());
    let silent = step(selecting(), Event::Tick, now(5_000));
    assert_eq!((last(&silent), silent.object.command), (Some((State::Expired, Some(3))), None));
    let hasty = step(selecting(), Event::Operate(order(ID, A)), now(50));
    assert_eq!((cause(&hasty), hasty.object), (Some(18), selecting()), "the RTU has not confirmed yet");
    // The answer arrives after the timeout and selects nothing.
    assert_eq!(step(silent.object, answered(GatewayAnswer::Selected, None), now(5_100)).object, free());
}

#[test]
fn the_same_person_in_another_session_is_somebody_else() {
    let step_of = |event| step(selected(), event, now(1_000));
    assert_eq!(cause(&step_of(Event::Operate(order(ID, A_ELSEWHERE)))), Some(27));
    assert_eq!(cause(&step_of(Event::Cancel { holder: A_ELSEWHERE, id: None })), Some(27));
    assert_eq!(step_of(Event::SessionEnded(A_ELSEWHERE)).object, selected());
    let ended = step_of(Event::SessionEnded(A));
    assert_eq!((last(&ended), publishes(&ended)), (Some((State::Cancelled, Some(15))), vec![Action::Cancel]));
}

#[test]
fn both_modes_share_the_reservation() {
    let by_b = step(selected(), Event::Direct(order(OTHER, B)), now(1_000));
    assert_eq!((cause(&by_b), by_b.object), (Some(27), selected()));
    let by_a = step(selected(), Event::Direct(order(OTHER, A)), now(1_000));
    assert_eq!((cause(&by_a), by_a.object), (Some(19), selected()));
    for event in [Event::Select(order(OTHER, B)), Event::Direct(order(OTHER, A))] {
        let step = step(sent(), event, now(1_000));
        assert_eq!((cause(&step), step.object, publishes(&step)), (Some(12), sent(), vec![]));
        assert_eq!(step.changes.len(), 2, "the refused command is on record too");
    }
}

#[test]
fn a_repeated_request_gets_the_first_answer_and_sends_nothing() {
    let again = step(sent(), Event::Direct(order(ID, A)), now(200));
    assert_eq!((again.answer, again.object, again.changes.len(), again.effects.len()), (Answer::Repeated(State::Sent), sent(), 0, 0));
    let again = step(selected(), Event::Select(order(ID, A)), now(200));
    assert_eq!((again.answer, again.object), (Answer::Repeated(State::Selected), selected()));
    let late = step(sent(), Event::Direct(order(ID, A)), now(10_000));
    assert_eq!((late.answer, late.object.command), (Answer::Repeated(State::NoFeedback), None), "it is not begun anew");
    let foreign = step(selected(), Event::Select(order(ID, B)), now(200));
    assert_eq!(
        (cause(&foreign), foreign.changes.len()),
        (Some(19), 0),
        "a foreign request under this id leaves this command's record alone"
    );
}

#[test]
fn success_needs_a_good_position_that_is_newer_than_the_order() {
    let accepted = step(sent(), answered(GatewayAnswer::Accepted, None), now(50)).object;
    assert_eq!(step(accepted, at(Position::Open, -1), now(100)).object, accepted, "measured before the order");
    let doubtful = Event::Position { position: Position::Open, quality: Quality::Questionable, source: START.plus_millis(90) };
    assert_eq!(step(accepted, doubtful, now(100)).object, accepted);
    assert_eq!(last(&step(accepted, answered(GatewayAnswer::Terminated, None), now(100))), None, "the RTU's word alone is no success");
    assert_eq!(last(&step(accepted, at(Position::Open, 90), now(100))), Some((State::Done, None)));
    assert_eq!(last(&step(sent(), at(Position::Open, 90), now(100))), Some((State::Done, None)), "the position may overtake the answer");
    let late = step(accepted, at(Position::Open, 10_000), now(10_000));
    assert_eq!(last(&late), Some((State::NoFeedback, Some(16))), "after its time even the right position is too late");
}

#[test]
fn how_an_execution_ends_badly() {
    let accepted = step(sent(), answered(GatewayAnswer::Accepted, None), now(50)).object;
    let cases = [
        (sent(), answered(GatewayAnswer::Refused, Some(AddCause::BlockedByInterlocking)), State::Refused, 10),
        (sent(), answered(GatewayAnswer::Refused, None), State::Refused, 0),
        (sent(), answered(GatewayAnswer::Unknown, None), State::Unknown, 0),
        (accepted, answered(GatewayAnswer::Unknown, None), State::Unknown, 0),
        (accepted, answered(GatewayAnswer::Terminated, Some(AddCause::TimeLimitOver)), State::NoFeedback, 16),
        (accepted, answered(GatewayAnswer::Refused, Some(AddCause::BlockedByHealth)), State::NoFeedback, 13),
        (sent(), Event::LinkLost, State::Unknown, 23),
        (sent(), Event::Unsent { id: ID }, State::Unknown, 23),
        (accepted, Event::Restarted, State::Unknown, 23),
        (sent(), Event::Tick, State::NoFeedback, 16),
    ];
    for (object, event, state, cause) in cases {
        let time = if event == Event::Tick { 10_000 } else { 1_000 };
        let step = step(object, event.clone(), now(time));
        assert_eq!((last(&step), step.object), (Some((state, Some(cause))), free()), "{event:?}");
        assert_eq!(publishes(&step), [], "{event:?}: nothing is sent again");
    }
    for ignored in [answered(GatewayAnswer::Selected, None), answered(GatewayAnswer::Cancelled, None), Event::SessionEnded(A)] {
        assert_eq!(step(accepted, ignored, now(1_000)).object, accepted);
    }
    let stranger = Event::Answered { id: OTHER, answer: GatewayAnswer::Refused, cause: None };
    assert_eq!(step(accepted, stranger, now(1_000)).object, accepted, "an answer to another command says nothing of this one");
}

#[test]
fn a_trip_while_closing_ends_it() {
    let closing = Order { from: Throw::Open, target: Throw::Closed, ..order(ID, A) };
    let object = step(free(), Event::Direct(closing), now(0)).object;
    let trip = |object, ms| step(object, Event::Trip { source: START.plus_millis(ms) }, now(500));
    assert_eq!(last(&trip(object, 400)), Some((State::NoFeedback, Some(17))));
    assert_eq!(trip(object, -1).object, object, "a trip from before");
    assert_eq!(trip(sent(), 400).object, sent(), "an opening breaker opens");
}

#[test]
fn before_the_execution_all_that_goes_wrong_drops_the_select() {
    for event in [Event::LinkLost, Event::Restarted] {
        for object in [selecting(), selected()] {
            let step = step(object, event.clone(), now(1_000));
            assert_eq!((last(&step), step.object), (Some((State::Cancelled, Some(23))), free()));
        }
    }
    assert_eq!(publishes(&step(selected(), Event::LinkLost, now(1_000))), [], "there is nobody to tell");
    assert_eq!(publishes(&step(selected(), Event::Restarted, now(1_000))), [Action::Cancel]);
    assert_eq!(last(&step(selected(), answered(GatewayAnswer::Cancelled, None), now(1_000))), Some((State::Cancelled, Some(15))));
    assert_eq!(
        last(&step(selecting(), answered(GatewayAnswer::Refused, Some(AddCause::BlockedBySwitchingHierarchy)), now(1_000))),
        Some((State::Refused, Some(2)))
    );
}

#[test]
fn what_is_over_or_executing_cannot_be_cancelled() {
    let nothing = step(free(), Event::Cancel { holder: A, id: Some(ID) }, now(0));
    assert_eq!((nothing.answer, nothing.changes.len()), (Answer::Nothing, 0), "cancelling nothing is all right");
    assert_eq!(cause(&step(sent(), Event::Cancel { holder: A, id: Some(ID) }, now(0))), Some(12));
    let stale = step(selected(), Event::Cancel { holder: A, id: Some(OTHER) }, now(1_000));
    assert_eq!((stale.answer, stale.object), (Answer::Nothing, selected()), "the one named is over, the one that stands is another");
}

#[test]
fn an_isolator_has_more_time() {
    let object = Object { timing: Timing::new(true), ..free() };
    let object = step(object, Event::Direct(order(ID, A)), now(0)).object;
    assert_eq!(step(object, Event::Tick, now(24_999)).object, object);
    assert_eq!(last(&step(object, Event::Tick, now(25_000))), Some((State::NoFeedback, Some(16))));
}
