//! Operating a switch: what must hold before, how a command goes on, how it ends (domain.md section 8, trust.md 2.6). Pure, like all of `grid`.
//!
//! - [`check`]: every precondition over one snapshot, each refusal with its cause.
//! - [`machine`]: one controllable point, from the reservation to the outcome.
//! - [`interlock`] and [`tag`]: what forbids a switching for the bay's or a person's sake.

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

/// One command; a UUID. A select and the execute or cancel that follows carry the same.
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

    /// Reads the form 8-4-4-4-12 and no other.
    fn from_str(text: &str) -> Result<Self, NoCommandId> {
        let hyphens = [8, 13, 18, 23];
        let fits = |(place, byte): (usize, u8)| if hyphens.contains(&place) { byte == b'-' } else { byte.is_ascii_hexdigit() };
        if text.len() != 36 || !text.bytes().enumerate().all(fits) {
            return Err(NoCommandId);
        }
        u128::from_str_radix(&text.replace('-', ""), 16).map(Self).map_err(|_| NoCommandId)
    }
}

/// A text that is no UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoCommandId;

impl std::fmt::Display for NoCommandId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not a UUID of the form 8-4-4-4-12")
    }
}

impl std::error::Error for NoCommandId {}

/// Who has a point reserved: a person in one session. The same person in another session is another holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Holder {
    /// The person.
    pub member: MemberId,
    /// Their session.
    pub session: i64,
}

/// The two ways to operate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Select before operate.
    Select,
    /// In one step.
    Direct,
}

impl Mode {
    /// The word on the wire and in the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Direct => "direct",
        }
    }

    /// The mode of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Select, Self::Direct].into_iter().find(|mode| mode.word() == word)
    }
}

/// How far a command has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Asked for; nothing has left the house.
    Requested,
    /// The RTU has been asked to select.
    Selecting,
    /// The RTU holds the select.
    Selected,
    /// The order to operate is out.
    Sent,
    /// The RTU has taken it: in execution, not done.
    Accepted,
    /// The new position has been reported.
    Done,
    /// No new position in time, or a wrong one: somebody must look.
    NoFeedback,
    /// Not taken.
    Refused,
    /// Never executed: its select ran out.
    Expired,
    /// Given up before it was executed.
    Cancelled,
    /// Nobody knows whether it was executed.
    Unknown,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Requested,
        Self::Selecting,
        Self::Selected,
        Self::Sent,
        Self::Accepted,
        Self::Done,
        Self::NoFeedback,
        Self::Refused,
        Self::Expired,
        Self::Cancelled,
        Self::Unknown,
    ];

    /// The word on the wire and in the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Requested => "REQUESTED",
            Self::Selecting => "SELECTING",
            Self::Selected => "SELECTED",
            Self::Sent => "SENT",
            Self::Accepted => "ACCEPTED",
            Self::Done => "DONE",
            Self::NoFeedback => "NO_FEEDBACK",
            Self::Refused => "REFUSED",
            Self::Expired => "EXPIRED",
            Self::Cancelled => "CANCELLED",
            Self::Unknown => "UNKNOWN",
        }
    }

    /// The state of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }

    /// No state follows.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Requested | Self::Selecting | Self::Selected | Self::Sent | Self::Accepted)
    }

    /// The order to operate is out and its outcome is open.
    pub fn is_executing(self) -> bool {
        matches!(self, Self::Sent | Self::Accepted)
    }

    /// Whether `next` may follow.
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

/// The control model of an object (IEC 61850-7-2 ctlModel). A gateway that knows three only sends 0, 1 and 2.
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
    /// The model of its number.
    pub fn from_code(code: i64) -> Option<Self> {
        [Self::StatusOnly, Self::Direct, Self::Sbo, Self::DirectEnhanced, Self::SboEnhanced].get(usize::try_from(code).ok()?).copied()
    }
}

/// The modes that an object takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Support {
    /// In one step.
    pub direct: bool,
    /// Select before operate.
    pub sbo: bool,
}

impl Support {
    /// What the asset's row says (ControlAssetReq, IsSBOSupported), narrowed by the model that its gateway reports, if it reports one.
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

/// The two positions that may be commanded, and the only ones from which a switch may be operated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Throw {
    /// Contacts apart.
    Open,
    /// Contacts together.
    Closed,
}

impl Throw {
    /// The double-point number: 1 open, 2 closed. 0 (intermediate) and 3 (bad; the specification's "ready") are none.
    pub fn code(self) -> i32 {
        match self {
            Self::Open => 1,
            Self::Closed => 2,
        }
    }

    /// The position of a double-point number that may be commanded.
    pub fn from_code(code: i64) -> Option<Self> {
        match code {
            1 => Some(Self::Open),
            2 => Some(Self::Closed),
            _ => None,
        }
    }

    /// A position from which a switch may be operated; intermediate, bad and a relay's are none.
    pub fn of(position: Position) -> Option<Self> {
        match position {
            Position::Open => Some(Self::Open),
            Position::Closed => Some(Self::Closed),
            Position::Intermediate | Position::Bad | Position::Inactive | Position::Active => None,
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Open => Self::Closed,
            Self::Closed => Self::Open,
        }
    }

    /// As a position.
    pub fn position(self) -> Position {
        match self {
            Self::Open => Position::Open,
            Self::Closed => Position::Closed,
        }
    }
}

/// What a gateway is told to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Select, the first of two steps.
    Select,
    /// Operate what is selected.
    Execute,
    /// Give the select up.
    Cancel,
    /// Operate in one step.
    Direct,
}

impl Action {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Select => "SELECT",
            Self::Execute => "EXECUTE",
            Self::Cancel => "CANCEL",
            Self::Direct => "DIRECT",
        }
    }

    /// The action of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Select, Self::Execute, Self::Cancel, Self::Direct].into_iter().find(|action| action.word() == word)
    }
}

/// What a gateway answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Said {
    /// The select is held.
    Selected,
    /// Not taken.
    Refused,
    /// In execution.
    Accepted,
    /// The select is given up.
    Cancelled,
    /// The gateway was restarted in the middle and does not know.
    Unknown,
    /// The execution is over; its cause says how.
    Terminated,
}

impl Said {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Selected => "SELECTED",
            Self::Refused => "REFUSED",
            Self::Accepted => "ACCEPTED",
            Self::Cancelled => "CANCELLED",
            Self::Unknown => "UNKNOWN",
            Self::Terminated => "TERMINATED",
        }
    }

    /// The answer of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Selected, Self::Refused, Self::Accepted, Self::Cancelled, Self::Unknown, Self::Terminated]
            .into_iter()
            .find(|said| said.word() == word)
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
            assert_eq!(State::from_word(state.word()), Some(state));
        }
        assert_eq!(State::from_word("done"), None);
        assert_eq!(Action::from_word("DIRECT"), Some(Action::Direct));
        assert_eq!(Said::from_word("TERMINATED"), Some(Said::Terminated));
        assert_eq!(Mode::from_word("select"), Some(Mode::Select));
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
    fn commands_use_the_position_itself_however_it_is_drawn() {
        // A client may draw open as closed (zerosColor, onesColor). What is commanded and compared stays the position (domain.md section 8).
        for throw in [Throw::Open, Throw::Closed] {
            assert_eq!(Throw::of(throw.position()), Some(throw));
            assert_eq!(Throw::of(throw.position().displayed(true)), Some(throw.other()), "drawn inverted it looks like the other one");
            assert_eq!(Throw::from_code(throw.code().into()), Some(throw));
        }
        for position in [Position::Intermediate, Position::Bad, Position::Active, Position::Inactive] {
            assert_eq!(Throw::of(position), None);
        }
        assert_eq!((Throw::from_code(0), Throw::from_code(3)), (None, None));
    }
}
