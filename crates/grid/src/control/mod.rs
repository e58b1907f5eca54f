//! Operating a switch: preconditions, progress and outcome of a command (IEC 61850-7-2, control model; docs/reference/operating.md). Pure
//! functions, like all of `grid`.
//!
//! - [`check`]: all preconditions over one snapshot, each refusal with its cause.
//! - [`machine`]: the state machine of one controllable point, from reservation to outcome.
//! - [`interlock`] and [`tag`]: reasons of the bay, or of a user, that block an operation.

use crate::enum_text;

pub mod add_cause;
pub mod check;
pub mod interlock;
pub mod machine;
pub mod tag;

pub use add_cause::{AddCause, Refusal};
pub use check::check;
pub use machine::{Object, step};

use crate::MemberId;
use crate::position::Position;

/// The id of a command, a UUID. A select and the execute or cancel that follow have the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommandId(pub u128);

impl std::fmt::Display for CommandId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hex = format!("{:032x}", self.0);
        write!(f, "{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }
}

impl std::str::FromStr for CommandId {
    type Err = NoCommandId;

    /// Parses the form 8-4-4-4-12 and no other.
    fn from_str(text: &str) -> Result<Self, NoCommandId> {
        let hyphens = [8, 13, 18, 23];
        let fits = |(place, byte): (usize, u8)| if hyphens.contains(&place) { byte == b'-' } else { byte.is_ascii_hexdigit() };
        if text.len() != 36 || !text.bytes().enumerate().all(fits) {
            return Err(NoCommandId);
        }
        u128::from_str_radix(&text.replace('-', ""), 16).map(Self).map_err(|_| NoCommandId)
    }
}

/// The error for a text that is no UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoCommandId;

impl std::fmt::Display for NoCommandId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not a UUID of the form 8-4-4-4-12")
    }
}

impl std::error::Error for NoCommandId {}

/// The holder of a reservation: a user in one session. The same user in another session is another holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Holder {
    /// The user.
    pub member: MemberId,
    /// The user's session.
    pub session: i64,
}

/// The two control modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Select before operate.
    Select,
    /// Direct operate, in one step.
    Direct,
}

enum_text! {
    /// The text in messages and in the database.
    Mode {
        Select = "select",
        Direct = "direct",
    }
}

/// The state of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Requested; nothing has been sent.
    Requested,
    /// A select was sent to the RTU.
    Selecting,
    /// The RTU confirmed the selection.
    Selected,
    /// The operate message was sent.
    Sent,
    /// The RTU accepted the command: in execution, not finished.
    Accepted,
    /// The new position has been reported.
    Done,
    /// No new position in time, or a wrong one. A user must check the device.
    NoFeedback,
    /// Refused.
    Refused,
    /// The selection expired; never executed.
    Expired,
    /// Cancelled before execution.
    Cancelled,
    /// It is not known whether it was executed.
    Unknown,
}

enum_text! {
    /// The text in messages and in the database.
    State {
        Requested = "REQUESTED",
        Selecting = "SELECTING",
        Selected = "SELECTED",
        Sent = "SENT",
        Accepted = "ACCEPTED",
        Done = "DONE",
        NoFeedback = "NO_FEEDBACK",
        Refused = "REFUSED",
        Expired = "EXPIRED",
        Cancelled = "CANCELLED",
        Unknown = "UNKNOWN",
    }
}

impl State {
    /// Whether no other state can follow.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Requested | Self::Selecting | Self::Selected | Self::Sent | Self::Accepted)
    }

    /// Whether the operate message was sent and the outcome is open.
    pub fn is_executing(self) -> bool {
        matches!(self, Self::Sent | Self::Accepted)
    }

    /// Whether `next` can follow this state.
    pub fn may_become(self, next: Self) -> bool {
        use State as S;
        match self {
            S::Requested => matches!(next, S::Selecting | S::Sent | S::Refused | S::Cancelled),
            S::Selecting => matches!(next, S::Selected | S::Refused | S::Expired | S::Cancelled),
            S::Selected => matches!(next, S::Sent | S::Refused | S::Expired | S::Cancelled),
            S::Sent => matches!(next, S::Accepted | S::Done | S::NoFeedback | S::Refused | S::Unknown),
            S::Accepted => matches!(next, S::Done | S::NoFeedback | S::Unknown),
            S::Done | S::NoFeedback | S::Refused | S::Expired | S::Cancelled | S::Unknown => false,
        }
    }
}

/// The control model of an object (IEC 61850-7-2 ctlModel). A gateway with only three models sends 0, 1 and 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Model {
    /// Cannot be operated.
    StatusOnly,
    /// In one step, with normal security.
    Direct,
    /// Select before operate, with normal security.
    Sbo,
    /// In one step, with enhanced security.
    DirectEnhanced,
    /// Select before operate, with enhanced security.
    SboEnhanced,
}

impl Model {
    /// Returns the model of a number.
    pub fn from_code(code: i64) -> Option<Self> {
        [Self::StatusOnly, Self::Direct, Self::Sbo, Self::DirectEnhanced, Self::SboEnhanced].get(usize::try_from(code).ok()?).copied()
    }
}

/// The modes that an object supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Support {
    /// Direct operate.
    pub direct: bool,
    /// Select before operate.
    pub sbo: bool,
}

impl Support {
    /// Returns the modes of the asset's row (ControlAssetReq, IsSBOSupported), limited by the control model if the gateway reports one.
    pub fn new(control_asset_req: bool, is_sbo_supported: bool, model: Option<Model>) -> Self {
        let (direct, sbo) = match model {
            None => (true, true),
            Some(Model::StatusOnly) => (false, false),
            Some(Model::Direct | Model::DirectEnhanced) => (true, false),
            Some(Model::Sbo | Model::SboEnhanced) => (false, true),
        };
        Self { direct: direct && control_asset_req, sbo: sbo && is_sbo_supported }
    }
}

/// The two positions that can be commanded. A switch can only be operated from one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Throw {
    /// Contacts open.
    Open,
    /// Contacts closed.
    Closed,
}

impl Throw {
    /// Returns the double-point value: 1 open, 2 closed. 0 (intermediate) and 3 (bad; "ready" in the specification) cannot be commanded.
    pub fn code(self) -> i32 {
        match self {
            Self::Open => 1,
            Self::Closed => 2,
        }
    }

    /// Returns the position of a double-point value; `None` if it cannot be commanded.
    pub fn from_code(code: i64) -> Option<Self> {
        match code {
            1 => Some(Self::Open),
            2 => Some(Self::Closed),
            _ => None,
        }
    }

    /// Converts a position; `None` for intermediate, bad and the positions of a relay.
    pub fn of(position: Position) -> Option<Self> {
        match position {
            Position::Open => Some(Self::Open),
            Position::Closed => Some(Self::Closed),
            Position::Intermediate | Position::Bad | Position::Inactive | Position::Active => None,
        }
    }

    /// Returns the opposite position.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Open => Self::Closed,
            Self::Closed => Self::Open,
        }
    }

    /// Converts to a position.
    pub fn position(self) -> Position {
        match self {
            Self::Open => Position::Open,
            Self::Closed => Position::Closed,
        }
    }
}

/// A message to a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Select, the first of two steps.
    Select,
    /// Execute the selected operation.
    Execute,
    /// Cancel the selection.
    Cancel,
    /// Operate in one step.
    Direct,
}

enum_text! {
    /// The text in messages.
    Action {
        Select = "SELECT",
        Execute = "EXECUTE",
        Cancel = "CANCEL",
        Direct = "DIRECT",
    }
}

/// The answer of a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GatewayAnswer {
    /// The selection is confirmed.
    Selected,
    /// Refused.
    Refused,
    /// Accepted, in execution.
    Accepted,
    /// The selection is cancelled.
    Cancelled,
    /// The gateway restarted during the command and does not know the outcome.
    Unknown,
    /// The execution has ended; the additional cause gives the result.
    Terminated,
}

enum_text! {
    /// The text in messages.
    GatewayAnswer {
        Selected = "SELECTED",
        Refused = "REFUSED",
        Accepted = "ACCEPTED",
        Cancelled = "CANCELLED",
        Unknown = "UNKNOWN",
        Terminated = "TERMINATED",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_form() {
        let text = "0189c9a5-3c21-7d04-b1f2-00000000a001";
        let id: CommandId = text.parse().unwrap();
        assert_eq!(id.to_string(), text);
        assert_eq!(CommandId(1).to_string(), "00000000-0000-0000-0000-000000000001");
        let long = format!("{text}0");
        for wrong in
            ["", "0189c9a53c217d04b1f200000000a001", &long, "+189c9a5-3c21-7d04-b1f2-00000000a001", "0189c9a5-3c21-7d04-b1f2-00000000aä1"]
        {
            assert_eq!(wrong.parse::<CommandId>(), Err(NoCommandId), "{wrong}");
        }
    }

    #[test]
    fn words_and_numbers_go_both_ways() {
        for state in State::ALL {
            assert_eq!(State::parse(state.as_str()), Some(state));
        }
        assert_eq!(State::parse("done"), None);
        assert_eq!(Action::parse("DIRECT"), Some(Action::Direct));
        assert_eq!(GatewayAnswer::parse("TERMINATED"), Some(GatewayAnswer::Terminated));
        assert_eq!(Mode::parse("select"), Some(Mode::Select));
        assert_eq!(Model::from_code(2), Some(Model::Sbo));
        assert_eq!((Model::from_code(5), Model::from_code(-1)), (None, None));
    }

    #[test]
    fn a_final_state_is_followed_by_none() {
        for state in State::ALL {
            assert_eq!(state.is_final(), State::ALL.iter().all(|next| !state.may_become(*next)), "{state:?}");
        }
    }

    #[test]
    fn the_gateway_narrows_what_the_row_allows_and_never_widens_it() {
        let cases = [
            (true, true, None, true, true),
            (true, false, None, true, false),
            (true, true, Some(Model::StatusOnly), false, false),
            (true, true, Some(Model::Direct), true, false),
            (true, true, Some(Model::SboEnhanced), false, true),
            (false, true, Some(Model::Direct), false, false),
        ];
        for (control, supported, model, direct, sbo) in cases {
            assert_eq!(Support::new(control, supported, model), Support { direct, sbo });
        }
    }

    #[test]
    fn only_open_and_closed_are_positions_of_commands() {
        for throw in [Throw::Open, Throw::Closed] {
            assert_eq!(Throw::of(throw.position()), Some(throw));
            assert_eq!(Throw::from_code(throw.code().into()), Some(throw));
        }
        for position in [Position::Intermediate, Position::Bad, Position::Active, Position::Inactive] {
            assert_eq!(Throw::of(position), None);
        }
        assert_eq!((Throw::from_code(0), Throw::from_code(3)), (None, None));
    }
}
