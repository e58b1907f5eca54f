//! Alarms: when a value or a state becomes one, and how people deal with it (ISA-18.2, figure 3; EEMUA 191). Two machines, both pure:
//!
//! - [`judge`] says of one rule of one point when its condition has set in and when it is over, with deadband, delays and quality;
//! - [`life`] says what becomes of the alarm: raised, acknowledged, cleared, shelved.
//!
//! They are apart because the first belongs to whoever hears the values, and the second to the row that several people change at once.

pub mod command;
pub mod deviation;
pub mod judge;
pub mod life;
pub mod rated;
pub mod usual;

use crate::{AssetId, ClientId, NodeId, PointId};

pub use command::CommandFailure;
pub use judge::{Condition, Judge, Verdict};
pub use life::{Act, Life, Outcome, State};

/// What an alarm is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A value above its limit.
    High,
    /// A value below its limit.
    Low,
    /// A value above a second, worse limit.
    HighHigh,
    /// A value below a second, worse limit.
    LowLow,
    /// A status that means trouble.
    State,
    /// A breaker opened that nobody has ordered.
    Trip,
    /// A command failed after its order to operate.
    Command,
    /// A gateway or a device is not heard.
    Comm,
    /// A device says of its own value that it is not valid.
    Data,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 9] =
        [Self::High, Self::Low, Self::HighHigh, Self::LowLow, Self::State, Self::Trip, Self::Command, Self::Comm, Self::Data];

    /// The word in rows.
    pub fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Low => "low",
            Self::HighHigh => "high_high",
            Self::LowLow => "low_low",
            Self::State => "state",
            Self::Trip => "trip",
            Self::Command => "command",
            Self::Comm => "comm",
            Self::Data => "data",
        }
    }

    /// The kind of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether a person sets when it is raised; the others come from what the field does.
    pub fn is_set(self) -> bool {
        !matches!(self, Self::Trip | Self::Command | Self::Comm)
    }
}

/// The least and the most urgent priority; 1 is the most urgent (EEMUA 191 asks for three).
pub const PRIORITIES: std::ops::RangeInclusive<i16> = 1..=3;

/// When a point raises an alarm: one rule of it. At most one of a kind for each point.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The point.
    pub point: PointId,
    /// What it is about.
    pub kind: Kind,
    /// Whether it is in force.
    pub enabled: bool,
    /// The limit in the point's unit; `None` for kinds that have none.
    pub limit: Option<f64>,
    /// How far behind the limit the value has to go back for the alarm to clear, in the point's unit.
    pub deadband: f64,
    /// The raw status that is trouble, for [`Kind::State`].
    pub state_value: Option<f64>,
    /// How long the condition has to last before the alarm is raised, s.
    pub on_delay_s: i32,
    /// How long it has to be over before the alarm clears, s.
    pub off_delay_s: i32,
    /// 1 to 3.
    pub priority: i16,
    /// The sentence that people read; empty for the usual one.
    pub text: String,
}

impl Rule {
    /// What has to be the case; `None` for a rule that lacks what its kind needs.
    pub fn condition(&self) -> Option<Condition> {
        match self.kind {
            Kind::High | Kind::HighHigh => Some(Condition::Above { limit: self.limit?, deadband: self.deadband }),
            Kind::Low | Kind::LowLow => Some(Condition::Below { limit: self.limit?, deadband: self.deadband }),
            Kind::State => Some(Condition::Is(self.state_value?)),
            Kind::Data => Some(Condition::NotValid),
            Kind::Trip | Kind::Command | Kind::Comm => None,
        }
    }

    /// By what the alarm is known within its utility.
    pub fn source(&self) -> String {
        format!("point/{}/{}", self.point, self.kind.word())
    }
}

/// An alarm as it is told to people: a row of the list and of the stream.
#[derive(Debug, Clone, PartialEq)]
pub struct AlarmRecord {
    /// The utility.
    pub client: ClientId,
    /// Its id, the same each time it comes.
    pub id: i64,
    /// By what it is known within the utility, such as `point/17/high` or `gateway/3`.
    pub source: String,
    /// What it is about.
    pub kind: Kind,
    /// 1 to 3.
    pub priority: i16,
    /// The point, where it is about one.
    pub point: Option<PointId>,
    /// The asset, where it is about one.
    pub asset: Option<AssetId>,
    /// That asset's name.
    pub asset_name: Option<String>,
    /// The substation.
    pub location: NodeId,
    /// The substation's name.
    pub location_name: String,
    /// A sentence.
    pub text: String,
    /// The value that raised it, in `unit`.
    pub value: Option<f64>,
    /// The limit that it passed.
    pub limit: Option<f64>,
    /// The unit of both.
    pub unit: String,
    /// Customers fed through the asset.
    pub customers: i32,
    /// Where it stands.
    pub life: Life,
    /// Who acknowledged it, by name.
    pub acknowledged_by: Option<String>,
    /// Who shelved it, by name.
    pub shelved_by: Option<String>,
    /// And why.
    pub shelved_reason: Option<String>,
    /// Who takes care of it.
    pub owner: Option<String>,
    /// What people have noted.
    pub note: Option<String>,
    /// Place of its newest change in the utility's stream of alarms.
    pub offset: i64,
    /// Place of the change that raised it last.
    pub raised_offset: i64,
}

#[cfg(test)]
mod tests;
