//! Commands that failed, as alarms.
//!
//! Only a command whose order to operate left, or should have left, raises an alarm. A request that a check refuses is answered to the operator at once, and a
//! selection that ends operates nothing.
//!
//! A failed command is an event and has no condition that ends later. Its alarm is raised and is over at the same instant: it stays in the state "returned to
//! normal, unacknowledged" until a user acknowledges it (ISA-18.2, figure 3).

use crate::PointId;
use crate::command::CommandRecord;
use crate::control::{State, Throw};

/// How a command failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandFailure {
    /// The device may have operated or not: nothing confirmed it in time.
    Doubtful,
    /// The device did not operate: it refused, or the order did not leave.
    NotExecuted,
}

impl CommandFailure {
    /// Returns how the command failed; `None` while it is under way, where it succeeded, and where it ended before its order to operate.
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

    /// Returns the priority of its alarm: a device whose position is in doubt needs somebody at once.
    pub fn priority(self) -> i16 {
        match self {
            Self::Doubtful => 1,
            Self::NotExecuted => 2,
        }
    }

    /// Returns the source of its alarm. The two failures of a device are two alarms, so that the lesser one never hides the worse one.
    pub fn source(self, point: PointId) -> String {
        match self {
            Self::Doubtful => format!("command/{point}/doubtful"),
            Self::NotExecuted => format!("command/{point}/not_executed"),
        }
    }

    /// Returns the text of its alarm: what was ordered, by whom, what came of it, and the reason that the field or the deadline gave.
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
        // State, whether the order to operate left, whether it is known not to have left.
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
