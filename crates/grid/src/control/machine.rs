//! One controllable point from the reservation to the outcome: (object, event, now) to (object, changes, effects, answer).
//!
//! Who calls it keeps the object, and keeps this order: in one transaction take the object, step, write object, changes and audit; COMMIT; only then
//! do the effects. If that fails, the step has not happened and nothing is sent. So nothing is executed that is not on record, and a crash between
//! COMMIT and sending leaves a command that reads as sent: its outcome is unknown then, never repeated.

use super::check::mode_refusal;
use super::{Action, AddCause, CommandId, Holder, Mode, Refusal, Said, State, Support, Throw};
use crate::position::Position;
use crate::{Micros, Quality};

/// How long a select holds unless the device says otherwise.
pub const SELECT_MS: i64 = 30_000;
/// How long a breaker has for its new position, and an isolator.
pub const FEEDBACK_BREAKER_MS: i64 = 10_000;
/// See [`FEEDBACK_BREAKER_MS`].
pub const FEEDBACK_ISOLATOR_MS: i64 = 25_000;
/// How long the RTU has to answer a select.
pub const SELECT_ANSWER_MS: i64 = 5_000;

/// A time, twice: deadlines run on a clock that nobody can set, what is compared with the field's times is wall time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Wall time.
    pub wall: Micros,
    /// Milliseconds of a monotonic clock with any origin.
    pub monotonic_ms: i64,
}

/// The times that hold for one object, ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// How long a select holds, from the request on.
    pub select: i64,
    /// How long the new position may take, from the sending on.
    pub feedback: i64,
    /// How long the RTU has to answer a select.
    pub answer: i64,
}

impl Timing {
    /// The times of a breaker, or of what moves as slowly as an isolator.
    pub fn new(slow: bool) -> Self {
        Self { select: SELECT_MS, feedback: if slow { FEEDBACK_ISOLATOR_MS } else { FEEDBACK_BREAKER_MS }, answer: SELECT_ANSWER_MS }
    }
}

/// A command under way. It is the reservation of its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Its id.
    pub id: CommandId,
    /// The mode.
    pub mode: Mode,
    /// Whose it is.
    pub holder: Holder,
    /// From where.
    pub from: Throw,
    /// To where.
    pub target: Throw,
    /// How far it is: `Selecting`, `Selected`, `Sent` or `Accepted`.
    pub state: State,
    /// When its newest order went out, wall time. What was measured before says nothing of its outcome.
    pub issued: Micros,
    /// When the select or the time for the feedback is over, wall time, for people.
    pub until: Micros,
    /// The same on the monotonic clock; this one counts.
    pub deadline_ms: i64,
    /// The switch has been seen on its way.
    pub moving: bool,
}

/// A controllable point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Object {
    /// The modes it takes.
    pub support: Support,
    /// Its times.
    pub timing: Timing,
    /// The command that has it reserved; both modes share this one place.
    pub command: Option<Command>,
}

/// What somebody asks for, after the checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The command: new for a select and a direct operate, that of the select for an execute.
    pub id: CommandId,
    /// Who asks.
    pub holder: Holder,
    /// From where.
    pub from: Throw,
    /// To where.
    pub target: Throw,
    /// The first refusal of [`super::check()`], made in the same transaction.
    pub refusal: Option<Refusal>,
}

/// What happens to an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The first of two steps is asked for.
    Select(Order),
    /// The second of two steps is asked for.
    Operate(Order),
    /// One step is asked for.
    Direct(Order),
    /// The select is given up.
    Cancel {
        /// By whom.
        holder: Holder,
        /// The command, if named.
        id: Option<CommandId>,
    },
    /// Time goes by.
    Tick,
    /// The RTU answers.
    Answered {
        /// Which command.
        id: CommandId,
        /// What.
        said: Said,
        /// Why.
        cause: Option<AddCause>,
    },
    /// A position of the point, live and never historical.
    Position {
        /// Which.
        position: Position,
        /// How far it may be believed.
        quality: Quality,
        /// When it was measured.
        source: Micros,
    },
    /// The protection of the switch tripped.
    Trip {
        /// When.
        source: Micros,
    },
    /// The gateway or its device died, or was born again without a death that was heard. Births that were asked for on a living session are none.
    LinkLost,
    /// An order of this command stayed here: it could not leave, or would have left too late.
    Unsent {
        /// Which command.
        id: CommandId,
    },
    /// Something stands against operating from now on, and for everybody: what is only selected is dropped.
    Blocked(Refusal),
    /// This service has started again and does not know what it sent.
    Restarted,
    /// A session has ended, by logout or by force.
    SessionEnded(Holder),
}

/// A state that a command reached, for its record and for those who watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The command.
    pub id: CommandId,
    /// The state.
    pub state: State,
    /// Why, if it did not go well.
    pub refusal: Option<Refusal>,
    /// The command ends because its order stayed here: what the device does now was not ordered.
    pub never_left: bool,
}

/// What is to be done once the step is on record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Send this to the RTU, once; if that fails, nobody tries again.
    Publish {
        /// What.
        action: Action,
        /// The command.
        id: CommandId,
        /// From where.
        from: Throw,
        /// To where.
        target: Throw,
    },
    /// Tell everybody that a command did not end as it should.
    Alarm {
        /// The command.
        id: CommandId,
    },
    /// Ask the RTU for all it knows: the position must be looked at anew.
    Interrogate,
}

/// What who asked is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The command is in this state now.
    Taken(State),
    /// The same request once more: nothing was done, the command is in this state.
    Repeated(State),
    /// There was nothing to do.
    Nothing,
    /// Not taken.
    Refused(Refusal),
}

/// What a step gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The object from here on.
    pub object: Object,
    /// States that commands reached, in order.
    pub changes: Vec<Change>,
    /// What to do after all that is on record, in order.
    pub effects: Vec<Effect>,
    /// What to tell who asked; `Nothing` for events nobody asked for.
    pub answer: Answer,
}

/// One step. What has run out by `now` is ended before the event is looked at, so no deadline depends on ticks being on time.
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
        // An order of a command that is over has nothing left to end.
        Event::Tick | Event::Unsent { .. } => {}
        Event::Answered { id, said, cause } => run.answered(id, said, cause),
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

    /// Ends the command under way.
    fn end(&mut self, command: &Command, state: State, refusal: Option<Refusal>) {
        self.step.object.command = None;
        self.record(command.id, state, refusal);
        if matches!(state, State::NoFeedback | State::Unknown) {
            self.step.effects.extend([Effect::Alarm { id: command.id }, Effect::Interrogate]);
        }
    }

    /// Ends a select that was not executed. The RTU is told, in case it holds one.
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
        // It ran out a moment ago, in this very step: a late retry must not begin it anew.
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
            // Until the RTU has answered it has less time; after that the select holds as if the answer had come at once.
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

    /// Somebody asks for a point that is reserved.
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
        // One command's id names one command: a foreign one under the id of this must leave no trace in its record.
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
            // The command that is named is over; the one that has the point is another and stays.
            return;
        }
        if held.state.is_executing() {
            return self
                .refuse(AddCause::CommandAlreadyInExecution.because("The command is being carried out and cannot be cancelled any more."));
        }
        self.drop_select(&held, State::Cancelled, None);
        self.step.answer = Answer::Taken(State::Cancelled);
    }

    fn answered(&mut self, id: CommandId, said: Said, cause: Option<AddCause>) {
        let Some(held) = self.command().filter(|held| held.id == id) else { return };
        let cause_or = |other: AddCause| cause.filter(|cause| *cause != AddCause::None).unwrap_or(other);
        match (held.state, said) {
            (State::Selecting, Said::Selected) => {
                // The RTU's own timer began later than this, so it still holds what we believe it holds.
                let left = self.step.object.timing.select - self.step.object.timing.answer.min(self.step.object.timing.select);
                self.step.object.command =
                    Some(Command { state: State::Selected, deadline_ms: held.deadline_ms.saturating_add(left), ..held });
                self.record(id, State::Selected, None);
            }
            (State::Selecting, Said::Refused) => self.end(&held, State::Refused, Some(cause_or(AddCause::SelectFailed).refusal())),
            (State::Selecting | State::Selected, Said::Cancelled | Said::Unknown | Said::Refused | Said::Terminated) => {
                let refusal = cause_or(AddCause::AbortionByCancel).because("The device gave the select up.");
                self.end(&held, State::Cancelled, Some(refusal));
            }
            (State::Sent, Said::Refused) => self.end(&held, State::Refused, Some(cause_or(AddCause::Unknown).refusal())),
            (State::Sent, Said::Accepted) => {
                self.step.object.command = Some(Command { state: State::Accepted, ..held });
                self.record(id, State::Accepted, None);
            }
            (State::Sent | State::Accepted, Said::Unknown) => {
                let refusal = cause_or(AddCause::Unknown).because("The device was restarted meanwhile and does not know the outcome.");
                self.end(&held, State::Unknown, Some(refusal));
            }
            // Over, and not well. Without a cause it is over and well, as far as the RTU knows; only the position makes it done.
            (State::Sent | State::Accepted, Said::Terminated) | (State::Accepted, Said::Refused)
                if cause.is_some_and(|cause| cause != AddCause::None) =>
            {
                self.end(&held, State::NoFeedback, Some(cause_or(AddCause::Unknown).refusal()));
            }
            // Late or doubled answers, and such as do not fit: the position decides.
            _ => {}
        }
    }

    fn position(&mut self, position: Position, quality: Quality, source: Micros) {
        let Some(held) = self.command().filter(|held| held.state.is_executing()) else { return };
        // Field times are whole milliseconds.
        if quality != Quality::Good || source.millis() < held.issued.millis() {
            return;
        }
        let wrong = |message: &str| Some(AddCause::InvalidPosition.because(message));
        match Throw::of(position) {
            Some(stands) if stands == held.target => self.end(&held, State::Done, None),
            // The old position once more says that nothing has happened yet, unless it was left already.
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

    /// Nothing more will be heard of the command under way. A select is dropped; `tell` says whether the RTU can hear of that.
    fn cut(&mut self, refusal: &Refusal, tell: bool) {
        let Some(held) = self.command() else { return };
        if held.state.is_executing() {
            return self.end(&held, State::Unknown, Some(refusal.clone()));
        }
        self.end(&held, State::Cancelled, Some(refusal.clone()));
        if tell {
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
