//! The state machine of one controllable point, from reservation to outcome: (object, event, now) to (object, changes, effects, answer).
//!
//! The caller keeps the object and this sequence. In one transaction it reads the object, calls `step`, and writes the object, the changes and the
//! audit record. It carries out the effects only after COMMIT. If the transaction fails, the step has not happened and nothing is sent. So nothing
//! is executed without a record. A crash between COMMIT and sending leaves a command in the state `Sent`; its outcome is then unknown, and it is
//! never repeated.

use super::check::mode_refusal;
use super::{Action, AddCause, CommandId, GatewayAnswer, Holder, Mode, Refusal, State, Support, Throw};
use crate::position::Position;
use crate::{Micros, Quality};

/// Duration of a selection, ms, unless the device gives another one.
pub const SELECT_MS: i64 = 30_000;
/// Feedback time of a breaker, ms.
pub const FEEDBACK_BREAKER_MS: i64 = 10_000;
/// Feedback time of an isolator, ms.
pub const FEEDBACK_ISOLATOR_MS: i64 = 25_000;
/// Time in which the RTU must answer a select, ms.
pub const SELECT_ANSWER_MS: i64 = 5_000;

/// The present time on two clocks. Deadlines use the monotonic clock, which no user can set; comparisons with source times use wall time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Wall time.
    pub wall: Micros,
    /// Milliseconds of a monotonic clock with arbitrary origin.
    pub monotonic_ms: i64,
}

/// The times of one object, ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Duration of a selection, from the request.
    pub select: i64,
    /// Feedback time, from the sending of the operate message.
    pub feedback: i64,
    /// Time in which the RTU must answer a select.
    pub answer: i64,
}

impl Timing {
    /// Returns the times of a breaker, or of a slow switch such as an isolator.
    pub fn new(slow: bool) -> Self {
        Self { select: SELECT_MS, feedback: if slow { FEEDBACK_ISOLATOR_MS } else { FEEDBACK_BREAKER_MS }, answer: SELECT_ANSWER_MS }
    }
}

/// A command in progress. It is the reservation of its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Its id.
    pub id: CommandId,
    /// The mode.
    pub mode: Mode,
    /// The user and session that gave it.
    pub holder: Holder,
    /// Position before the command.
    pub from: Throw,
    /// Commanded position.
    pub target: Throw,
    /// Its state: `Selecting`, `Selected`, `Sent` or `Accepted`.
    pub state: State,
    /// When its latest message was sent, wall time. Values that were measured before do not show the outcome of the command.
    pub issued: Micros,
    /// End of the selection or of the feedback time, wall time, for display.
    pub until: Micros,
    /// The same end on the monotonic clock, ms. Decisions use this field and not `until`.
    pub deadline_ms: i64,
    /// Whether the switch has reported an intermediate position.
    pub moving: bool,
}

/// A controllable point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Object {
    /// The modes that it supports.
    pub support: Support,
    /// Its times.
    pub timing: Timing,
    /// The command that reserves it. Both modes share this reservation.
    pub command: Option<Command>,
}

/// A request by a user, after the checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The command: a new id for a select or direct operate, the id of the select for an execute.
    pub id: CommandId,
    /// The requesting user and session.
    pub holder: Holder,
    /// Position before the command.
    pub from: Throw,
    /// Commanded position.
    pub target: Throw,
    /// The first refusal of [`super::check()`], computed in the same transaction.
    pub refusal: Option<Refusal>,
}

/// An event of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A user requests a select, the first of two steps.
    Select(Order),
    /// A user requests the execution, the second of two steps.
    Operate(Order),
    /// A user requests a direct operate.
    Direct(Order),
    /// A user cancels the selection.
    Cancel {
        /// The user and session.
        holder: Holder,
        /// The command, if the request names one.
        id: Option<CommandId>,
    },
    /// Time has passed.
    Tick,
    /// The RTU answered.
    Answered {
        /// The command that the answer is for.
        id: CommandId,
        /// The answer.
        answer: GatewayAnswer,
        /// The additional cause, if given.
        cause: Option<AddCause>,
    },
    /// A position of the point; live, never historical.
    Position {
        /// The position.
        position: Position,
        /// Its quality.
        quality: Quality,
        /// Its source time.
        source: Micros,
    },
    /// The protection tripped the switch.
    Trip {
        /// Time of the trip.
        source: Micros,
    },
    /// The gateway or its device died, or sent a new birth without a death. A birth that ingest requested within a session is not a loss of the link.
    LinkLost,
    /// A message of this command was not sent: sending failed, or it would have been too late.
    Unsent {
        /// The command.
        id: CommandId,
    },
    /// From now on operating is blocked for every user. A selection ends, unless its operate message was sent.
    Blocked(Refusal),
    /// This service has restarted and does not know what it sent.
    Restarted,
    /// A session has ended, by sign-out or because it was terminated.
    SessionEnded(Holder),
}

/// A state that a command reached, for its record and for subscribers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The command.
    pub id: CommandId,
    /// The state.
    pub state: State,
    /// The reason, if it failed.
    pub refusal: Option<Refusal>,
    /// The command ends because its message was not sent. So the position that the device reports now is not a result of the command.
    pub never_left: bool,
}

/// An action to take after the step is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Send this message to the RTU, once, without retry.
    Publish {
        /// The action.
        action: Action,
        /// The command.
        id: CommandId,
        /// Position before the command.
        from: Throw,
        /// Commanded position.
        target: Throw,
    },
    /// Raise an alarm: a command did not end as expected.
    Alarm {
        /// The command.
        id: CommandId,
    },
    /// Request all values from the RTU, because the position must be checked again.
    Interrogate,
}

/// The answer to the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Accepted; the command is now in this state.
    Taken(State),
    /// The same request was repeated: nothing was done, the command is in this state.
    Repeated(State),
    /// Nothing to do.
    Nothing,
    /// Refused.
    Refused(Refusal),
}

/// The result of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The new state of the object.
    pub object: Object,
    /// States that commands reached, in order.
    pub changes: Vec<Change>,
    /// The actions to take after the commit, in order.
    pub effects: Vec<Effect>,
    /// The answer to the request; `Nothing` for events that are not requests.
    pub answer: Answer,
}

/// Processes an event. Deadlines that ended by `now` are processed first, so that no deadline depends on the timing of ticks.
#[must_use]
pub fn step(object: Object, event: Event, now: Now) -> Step {
    let mut run = Run { step: Step { object, changes: Vec::new(), effects: Vec::new(), answer: Answer::Nothing }, now };
    run.expire();
    match event {
        Event::Select(order) => run.begin(Mode::Select, &order),
        Event::Direct(order) => run.begin(Mode::Direct, &order),
        Event::Operate(order) => run.operate(&order),
        Event::Cancel { holder, id } => run.cancel(holder, id),
        Event::Unsent { id } if run.command().is_some_and(|held| held.id == id) => {
            run.cut(&AddCause::AbortionByCommunicationLoss.because("The order could not leave in time and was not sent."), true);
            run.step.changes.iter_mut().for_each(|change| change.never_left = true);
        }
        // A message of a command that has already ended changes nothing.
        Event::Tick | Event::Unsent { .. } => {}
        Event::Answered { id, answer, cause } => run.answered(id, answer, cause),
        Event::Position { position, quality, source } => run.position(position, quality, source),
        Event::Trip { source } => run.trip(source),
        Event::LinkLost => run.cut(&AddCause::AbortionByCommunicationLoss.because("The link to the device was lost meanwhile."), false),
        Event::Blocked(refusal) => {
            if let Some(held) = run.command().filter(|held| !held.state.is_executing()) {
                run.drop_select(&held, State::Cancelled, Some(refusal));
            }
        }
        Event::Restarted => run.cut(&AddCause::AbortionByCommunicationLoss.because("The service was restarted meanwhile."), true),
        Event::SessionEnded(holder) => run.session_ended(holder),
    }
    run.step
}

struct Run {
    step: Step,
    now: Now,
}

impl Run {
    fn command(&self) -> Option<Command> {
        self.step.object.command
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.step.answer = Answer::Refused(refusal);
    }

    fn record(&mut self, id: CommandId, state: State, refusal: Option<Refusal>) {
        self.step.changes.push(Change { id, state, refusal, never_left: false });
    }

    fn publish(&mut self, action: Action, command: &Command) {
        self.step.effects.push(Effect::Publish { action, id: command.id, from: command.from, target: command.target });
    }

    /// Ends the command in progress.
    fn end(&mut self, command: &Command, state: State, refusal: Option<Refusal>) {
        self.step.object.command = None;
        self.record(command.id, state, refusal);
        if matches!(state, State::NoFeedback | State::Unknown) {
            self.step.effects.extend([Effect::Alarm { id: command.id }, Effect::Interrogate]);
        }
    }

    /// Ends a selection that was not executed. The RTU gets a cancel, in case it holds the selection.
    fn drop_select(&mut self, command: &Command, state: State, refusal: Option<Refusal>) {
        self.end(command, state, refusal);
        self.publish(Action::Cancel, command);
    }

    fn expire(&mut self) {
        let Some(command) = self.command().filter(|command| self.now.monotonic_ms >= command.deadline_ms) else { return };
        match command.state {
            State::Selecting => {
                let refusal = AddCause::SelectFailed.because("The device did not answer the select.");
                self.drop_select(&command, State::Expired, Some(refusal));
            }
            State::Selected => {
                let refusal = AddCause::TimeLimitOver.because("The select ran out before it was used.");
                self.drop_select(&command, State::Expired, Some(refusal));
            }
            _ => {
                let refusal = AddCause::TimeLimitOver.because("No new position was reported in time. Look before you try again.");
                self.end(&command, State::NoFeedback, Some(refusal));
            }
        }
    }

    fn begin(&mut self, mode: Mode, order: &Order) {
        if let Some(held) = self.command() {
            return self.held(&held, mode, order);
        }
        // It expired in this step: a late repetition of the request must not start it again.
        if let Some(over) = self.step.changes.iter().find(|change| change.id == order.id) {
            self.step.answer = Answer::Repeated(over.state);
            return;
        }
        let refusal = mode_refusal(mode, self.step.object.support).or_else(|| order.refusal.clone());
        if let Some(refusal) = refusal {
            self.record(order.id, State::Requested, None);
            self.record(order.id, State::Refused, Some(refusal.clone()));
            return self.refuse(refusal);
        }
        let timing = self.step.object.timing;
        let (state, action, wait) = match mode {
            // Until the RTU answers, the shorter answer time applies. After that the selection lasts as if the answer had come immediately.
            Mode::Select => (State::Selecting, Action::Select, timing.answer.min(timing.select)),
            Mode::Direct => (State::Sent, Action::Direct, timing.feedback),
        };
        let shown = if mode == Mode::Select { timing.select } else { timing.feedback };
        let command = Command {
            id: order.id,
            mode,
            holder: order.holder,
            from: order.from,
            target: order.target,
            state,
            issued: self.now.wall,
            until: self.now.wall.plus_millis(shown),
            deadline_ms: self.now.monotonic_ms.saturating_add(wait),
            moving: false,
        };
        self.step.object.command = Some(command);
        self.record(order.id, State::Requested, None);
        self.record(order.id, state, None);
        self.publish(action, &command);
        self.step.answer = Answer::Taken(state);
    }

    /// Handles a request for a point that is reserved.
    fn held(&mut self, held: &Command, mode: Mode, order: &Order) {
        if held.id == order.id && held.holder == order.holder && held.mode == mode {
            self.step.answer = Answer::Repeated(held.state);
            return;
        }
        let cause = match mode {
            _ if held.state.is_executing() => AddCause::CommandAlreadyInExecution,
            Mode::Direct if held.holder != order.holder => AddCause::LockedByOtherClient,
            Mode::Select | Mode::Direct => AddCause::ObjectAlreadySelected,
        };
        // An id names one command: another user's request with the id of this command must not write to its record.
        if held.id != order.id {
            self.record(order.id, State::Requested, None);
            self.record(order.id, State::Refused, Some(cause.refusal()));
        }
        self.refuse(cause.refusal());
    }

    fn operate(&mut self, order: &Order) {
        let Some(held) = self.command() else { return self.refuse(AddCause::ObjectNotSelected.refusal()) };
        if held.state.is_executing() {
            return self.refuse(AddCause::CommandAlreadyInExecution.refusal());
        }
        if held.holder != order.holder {
            return self.refuse(AddCause::LockedByOtherClient.refusal());
        }
        if held.state != State::Selected {
            return self.refuse(AddCause::ObjectNotSelected.because("The device has not confirmed the select yet."));
        }
        let agrees = held.id == order.id && held.target == order.target && held.from == order.from;
        let mismatch =
            || AddCause::InconsistentParameters.because("What is to be operated is not what was selected. The select is dropped.");
        if let Some(refusal) = if agrees { order.refusal.clone() } else { Some(mismatch()) } {
            self.drop_select(&held, State::Refused, Some(refusal.clone()));
            return self.refuse(refusal);
        }
        let feedback = self.step.object.timing.feedback;
        let command = Command {
            state: State::Sent,
            issued: self.now.wall,
            until: self.now.wall.plus_millis(feedback),
            deadline_ms: self.now.monotonic_ms.saturating_add(feedback),
            ..held
        };
        self.step.object.command = Some(command);
        self.record(command.id, State::Sent, None);
        self.publish(Action::Execute, &command);
        self.step.answer = Answer::Taken(State::Sent);
    }

    fn cancel(&mut self, holder: Holder, id: Option<CommandId>) {
        let Some(held) = self.command() else { return };
        if held.holder != holder {
            return self.refuse(AddCause::LockedByOtherClient.refusal());
        }
        if id.is_some_and(|id| id != held.id) {
            // The named command has ended; the command that now reserves the point stays.
            return;
        }
        if held.state.is_executing() {
            return self
                .refuse(AddCause::CommandAlreadyInExecution.because("The command is being carried out and cannot be cancelled any more."));
        }
        self.drop_select(&held, State::Cancelled, None);
        self.step.answer = Answer::Taken(State::Cancelled);
    }

    fn answered(&mut self, id: CommandId, answer: GatewayAnswer, cause: Option<AddCause>) {
        let Some(held) = self.command().filter(|held| held.id == id) else { return };
        let cause_or = |other: AddCause| cause.filter(|cause| *cause != AddCause::None).unwrap_or(other);
        match (held.state, answer) {
            (State::Selecting, GatewayAnswer::Selected) => {
                // The RTU's timer started later than ours, so the RTU still holds the selection when ours ends.
                let left = self.step.object.timing.select - self.step.object.timing.answer.min(self.step.object.timing.select);
                self.step.object.command =
                    Some(Command { state: State::Selected, deadline_ms: held.deadline_ms.saturating_add(left), ..held });
                self.record(id, State::Selected, None);
            }
            (State::Selecting, GatewayAnswer::Refused) => self.end(&held, State::Refused, Some(cause_or(AddCause::SelectFailed).refusal())),
            (
                State::Selecting | State::Selected,
                GatewayAnswer::Cancelled | GatewayAnswer::Unknown | GatewayAnswer::Refused | GatewayAnswer::Terminated,
            ) => {
                let refusal = cause_or(AddCause::AbortionByCancel).because("The device gave the select up.");
                self.end(&held, State::Cancelled, Some(refusal));
            }
            (State::Sent, GatewayAnswer::Refused) => self.end(&held, State::Refused, Some(cause_or(AddCause::Unknown).refusal())),
            (State::Sent, GatewayAnswer::Accepted) => {
                self.step.object.command = Some(Command { state: State::Accepted, ..held });
                self.record(id, State::Accepted, None);
            }
            (State::Sent | State::Accepted, GatewayAnswer::Unknown) => {
                let refusal = cause_or(AddCause::Unknown).because("The device was restarted meanwhile and does not know the outcome.");
                self.end(&held, State::Unknown, Some(refusal));
            }
            // The execution ended with an error. Without a cause it ended successfully as far as the RTU knows; only the reported position makes it
            // `Done`.
            (State::Sent | State::Accepted, GatewayAnswer::Terminated) | (State::Accepted, GatewayAnswer::Refused)
                if cause.is_some_and(|cause| cause != AddCause::None) =>
            {
                self.end(&held, State::NoFeedback, Some(cause_or(AddCause::Unknown).refusal()));
            }
            // Late, repeated or unexpected answers are ignored: the position decides.
            _ => {}
        }
    }

    fn position(&mut self, position: Position, quality: Quality, source: Micros) {
        let Some(held) = self.command().filter(|held| held.state.is_executing()) else { return };
        // Source times have a resolution of whole milliseconds.
        if quality != Quality::Good || source.millis() < held.issued.millis() {
            return;
        }
        let wrong = |message: &str| Some(AddCause::InvalidPosition.because(message));
        match Throw::of(position) {
            Some(stands) if stands == held.target => self.end(&held, State::Done, None),
            // The old position means that nothing has moved yet, unless the switch had already left it.
            Some(_) if held.moving => self.end(&held, State::NoFeedback, wrong("The device went back to its old position.")),
            Some(_) => {}
            None if position == Position::Intermediate => self.step.object.command = Some(Command { moving: true, ..held }),
            None => self.end(&held, State::NoFeedback, wrong("The device reports no valid position.")),
        }
    }

    fn trip(&mut self, source: Micros) {
        let closing = |held: &Command| held.state.is_executing() && held.target == Throw::Closed && source.millis() >= held.issued.millis();
        if let Some(held) = self.command().filter(closing) {
            self.end(
                &held,
                State::NoFeedback,
                Some(AddCause::AbortionByTrip.because("The protection tripped while the device was closing.")),
            );
        }
    }

    /// Handles the loss of the link during a command. A selection is dropped; `is_reachable` is whether a cancel can still reach the RTU.
    fn cut(&mut self, refusal: &Refusal, is_reachable: bool) {
        let Some(held) = self.command() else { return };
        if held.state.is_executing() {
            return self.end(&held, State::Unknown, Some(refusal.clone()));
        }
        self.end(&held, State::Cancelled, Some(refusal.clone()));
        if is_reachable {
            self.publish(Action::Cancel, &held);
        }
    }

    fn session_ended(&mut self, holder: Holder) {
        if let Some(held) = self.command().filter(|held| held.holder == holder && !held.state.is_executing()) {
            let refusal = AddCause::AbortionByCancel.because("The session that selected the device has ended.");
            self.drop_select(&held, State::Cancelled, Some(refusal));
        }
    }
}
