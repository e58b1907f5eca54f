//! Alarms about failed commands.
//!
//! Only a command that reached its operate step raises an alarm. If a check refuses a request, the operator gets the refusal in the response. A
//! selection that expires operates nothing.
//!
//! A failed command is an event without a condition that ends later. Its alarm is raised and cleared at the same instant: it stays in the state
//! "returned to normal, unacknowledged" until a user acknowledges it (ISA-18.2, figure 3).

use crate::PointId;
use crate::command::CommandRecord;
use crate::control::{State, Throw};

/// How a command failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandFailure {
    /// The device may or may not have operated: no confirmation arrived before the deadline.
    Doubtful,
    /// The device did not operate: it refused the command, or the operate message was never sent.
    NotExecuted,
}

impl CommandFailure {
    /// Returns how the command failed. `None` if it is still running, succeeded, or ended before its operate step.
    pub fn of(state: State, was_sent: bool, never_left: bool) -> Option<Self> {
        match state {
            State::NoFeedback => Some(Self::Doubtful),
            State::Unknown => Some(if never_left { Self::NotExecuted } else { Self::Doubtful }),
            State::Refused => was_sent.then_some(Self::NotExecuted),
            State::Requested
            | State::Selecting
            | State::Selected
            | State::Sent
            | State::Accepted
            | State::Done
            | State::Expired
            | State::Cancelled => None,
        }
    }

    /// Returns the priority of the alarm. A device in a doubtful position is urgent.
    pub fn priority(self) -> i16 {
        match self {
            Self::Doubtful => 1,
            Self::NotExecuted => 2,
        }
    }

    /// Returns the source of the alarm. Each kind of failure has its own source, so that the less urgent alarm does not replace the urgent one.
    pub fn source(self, point: PointId) -> String {
        match self {
            Self::Doubtful => format!("command/{point}/doubtful"),
            Self::NotExecuted => format!("command/{point}/not_executed"),
        }
    }

    /// Returns the text of the alarm: the command, the operator, the outcome, and the reason from the device or the deadline.
    pub fn text(self, state: State, command: &CommandRecord) -> String {
        let verb = match Throw::from_code(command.to.into()) {
            Some(Throw::Open) => "open",
            Some(Throw::Closed) => "close",
            None => "operate",
        };
        let outcome = match (self, state) {
            (Self::NotExecuted, State::Refused) => "was refused by the device",
            (Self::NotExecuted, _) => "was not sent",
            (Self::Doubtful, State::NoFeedback) => "was not confirmed by the device",
            (Self::Doubtful, _) => "has an unknown outcome",
        };
        let sentence = format!("Command to {verb} by {} {outcome}.", command.operator);
        if command.message.is_empty() { sentence } else { format!("{sentence} {}", command.message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_that_failed_after_their_order_raise_alarms() {
        use CommandFailure::{Doubtful, NotExecuted};
        // State, whether the operate message was sent, whether it is known not to have been sent.
        let cases = [
            (State::NoFeedback, true, false, Some(Doubtful)),
            (State::Unknown, true, false, Some(Doubtful)),
            (State::Unknown, true, true, Some(NotExecuted)),
            (State::Refused, true, false, Some(NotExecuted)),
            (State::Refused, false, false, None),
            (State::Expired, false, false, None),
            (State::Cancelled, false, false, None),
            (State::Done, true, false, None),
            (State::Sent, true, false, None),
            (State::Accepted, true, false, None),
            (State::Requested, false, false, None),
        ];
        for (state, was_sent, never_left, expected) in cases {
            assert_eq!(CommandFailure::of(state, was_sent, never_left), expected, "{state:?} {was_sent} {never_left}");
        }
    }
}
