//! Tests the state machine of the host with the RTU: both must agree, however the RTU behaves.

use std::time::Duration;

use field::command::Order;
use grid::control::machine::{self, Answer, Effect, Event, Now, Object, Timing};
use grid::control::{Action, CommandId, Holder, State, Support, Throw};
use grid::position::{Encoding, Position};
use grid::{MemberId, Micros, Quality};
use simulators::rtu::link::now_ms;
use simulators::rtu::panel::Behaviour;
use tokio::time::Instant;

use super::bench::{Field, Seen, id, order};

const OPERATOR: Holder = Holder { member: MemberId(1), session: 1 };
/// Short times, so that the test is short.
const TIMING: Timing = Timing { select: 3_000, feedback: 1_500, answer: 1_000 };

/// A control service for one point: it runs a step and then carries out its effects.
struct Service {
    field: Field,
    asset: &'static str,
    object: Object,
    began: Instant,
    states: Vec<State>,
    cause: Option<u8>,
    sent: Vec<Action>,
}

impl Service {
    fn new(field: Field, asset: &'static str) -> Self {
        let object = Object { support: Support { direct: true, sbo: true }, timing: TIMING, command: None };
        Self { field, asset, object, began: Instant::now(), states: Vec::new(), cause: None, sent: Vec::new() }
    }

    async fn step(&mut self, event: Event) -> Answer {
        let wall = Micros::from_millis(now_ms().cast_signed());
        let now = Now { wall, monotonic_ms: i64::try_from(self.began.elapsed().as_millis()).expect("a short test") };
        let step = machine::step(self.object, event, now);
        self.object = step.object;
        for change in step.changes {
            self.states.push(change.state);
            self.cause = change.refusal.map(|refusal| refusal.cause.code());
        }
        for effect in step.effects {
            if let Effect::Publish { action, id, from, target } = effect {
                self.sent.push(action);
                self.field.order(&Order { id, action, from, ..order(self.asset, target) }).await;
            }
        }
        step.answer
    }

    /// Passes messages of the field and ticks to the state machine, until the command has ended or `done` returns true.
    async fn attend(&mut self, done: impl Fn(&Self) -> bool) {
        let metric = format!("{}/Pos", self.asset);
        while !done(self) {
            let next = self.field.until(|seen| match seen {
                Seen::Answer(id, answer, cause) => Some(Event::Answered {
                    id: *id,
                    answer: *answer,
                    cause: cause.and_then(|code| grid::control::AddCause::from_code(code.into())),
                }),
                Seen::Value(name, value, at) if *name == metric => Some(Event::Position {
                    position: Position::decode(Encoding::DoublePoint, *value),
                    quality: Quality::Good,
                    source: Micros::from_millis(at.cast_signed()),
                }),
                Seen::Death => Some(Event::LinkLost),
                _ => None,
            });
            let event = tokio::time::timeout(Duration::from_millis(50), next).await.unwrap_or(Event::Tick);
            self.step(event).await;
        }
    }
}

/// Returns a new command of the operator: open the closed breaker.
fn intent(id: CommandId) -> machine::Order {
    machine::Order { id, holder: OPERATOR, from: Throw::Closed, target: Throw::Open, refusal: None }
}

/// Operates a breaker with this behaviour directly. Returns its states, the cause, and the duration.
async fn direct(behaviour: Behaviour) -> (Vec<State>, Option<u8>, Duration) {
    let field = Field::running().await;
    field.panel().behave("F1CB", behaviour).await;
    let mut service = Service::new(field, "F1CB");
    let order = intent(id());
    let began = Instant::now();
    assert_eq!(service.step(Event::Direct(order)).await, Answer::Taken(State::Sent));
    service.attend(|service| service.object.command.is_none()).await;
    assert_eq!(service.sent, [Action::Direct], "sent once, whatever came of it");
    (service.states, service.cause, began.elapsed())
}

#[tokio::test]
async fn a_breaker_that_moves_is_done_by_its_position() {
    use State::{Accepted, Done, Requested, Sent};
    let (states, cause, _) = direct(Behaviour::Normal).await;
    assert_eq!((states, cause), (vec![Requested, Sent, Accepted, Done], None));
    let (states, cause, took) = direct(Behaviour::Slow(Duration::from_millis(900))).await;
    assert_eq!((states, cause), (vec![Requested, Sent, Accepted, Done], None));
    assert!(took >= Duration::from_millis(900), "not before it has arrived: {took:?}");
}

#[tokio::test]
async fn a_breaker_that_does_not_move_in_time_ends_without_feedback() {
    use State::{Accepted, NoFeedback, Requested, Sent};
    let cases = [
        (Behaviour::Silent, vec![Requested, Sent, NoFeedback]),
        (Behaviour::Stuck, vec![Requested, Sent, Accepted, NoFeedback]),
        (Behaviour::Slow(Duration::from_secs(4)), vec![Requested, Sent, Accepted, NoFeedback]),
    ];
    for (behaviour, expected) in cases {
        let (states, cause, took) = direct(behaviour).await;
        assert_eq!((states, cause), (expected, Some(16)), "{behaviour:?}");
        assert!(took >= Duration::from_millis(1_500), "{behaviour:?}: {took:?}");
    }
}

#[tokio::test]
async fn an_rtu_that_dies_leaves_the_outcome_unknown() {
    use State::{Accepted, Requested, Sent, Unknown};
    let (states, cause, _) = direct(Behaviour::DiesHalfWay).await;
    assert_eq!((states, cause), (vec![Requested, Sent, Accepted, Unknown], Some(23)));
}

#[tokio::test]
async fn select_before_operate_ends_done_cancelled_or_expired() {
    use State::{Accepted, Cancelled, Done, Expired, Requested, Selected, Selecting, Sent};
    let mut service = Service::new(Field::running().await, "F2CB");
    let selected = |service: &Service| service.object.command.is_none_or(|command| command.state == Selected);
    // First cancelled, then left to expire: after each, the RTU is free for the next command.
    let order = intent(id());
    service.step(Event::Select(order)).await;
    service.attend(selected).await;
    assert_eq!(service.step(Event::Cancel { holder: OPERATOR, id: None }).await, Answer::Taken(Cancelled));
    let order = intent(id());
    service.step(Event::Select(order)).await;
    service.attend(|service| service.object.command.is_none()).await;
    assert_eq!(std::mem::take(&mut service.states), [Requested, Selecting, Selected, Cancelled, Requested, Selecting, Selected, Expired]);
    let order = intent(id());
    service.step(Event::Select(order.clone())).await;
    service.attend(selected).await;
    assert_eq!(service.field.positions("F2CB"), [] as [i64; 0]);
    assert_eq!(service.step(Event::Operate(order)).await, Answer::Taken(Sent));
    service.attend(|service| service.object.command.is_none()).await;
    assert_eq!(service.states, [Requested, Selecting, Selected, Sent, Accepted, Done]);
    let sent = [Action::Select, Action::Cancel, Action::Select, Action::Cancel, Action::Select, Action::Execute];
    assert_eq!(service.sent, sent);
}

#[tokio::test]
async fn a_refusal_of_the_rtu_ends_the_command_with_its_cause() {
    let field = Field::running().await;
    field.panel().local(true).await;
    let mut service = Service::new(field, "F1CB");
    for event in [Event::Direct(intent(id())), Event::Select(intent(id()))] {
        service.step(event).await;
        service.attend(|service| service.object.command.is_none()).await;
        assert_eq!((service.states.last(), service.cause), (Some(&State::Refused), Some(2)));
    }
}
