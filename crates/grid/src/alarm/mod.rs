//! Alarms: when a value or a state raises one, and how users handle it (ISA-18.2, figure 3; EEMUA 191). Two pure state machines:
//!
//! - [`judge`] evaluates one rule of one point: when its condition becomes true and when it ends, with deadband, delays and quality.
//! - [`life`] holds the life cycle of an alarm: raised, acknowledged, cleared, shelved.
//!
//! They are separate because `judge` runs where values arrive, and `life` runs on the database row that several users change at once.

use crate::enum_text;

pub mod command;
pub mod deviation;
pub mod judge;
pub mod life;
pub mod rated;
pub mod usual;

use crate::{AssetId, ClientId, NodeId, PointId};

pub use command::CommandFailure;
pub use judge::{Condition, Judge, Verdict};
pub use life::{Act, Change, Life, Outcome, State};

/// The kind of an alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AlarmKind {
    /// A value above its limit.
    High,
    /// A value below its limit.
    Low,
    /// A value above a second, worse limit.
    HighHigh,
    /// A value below a second, worse limit.
    LowLow,
    /// A status that indicates trouble.
    State,
    /// A breaker opened without a command.
    Trip,
    /// A switch was opened, by a command or by hand, and a part of the network behind it is without supply.
    Opened,
    /// The voltage of an infeed is lost, and a part of the network that it feeds is without supply.
    Infeed,
    /// A command failed at or after its operate step.
    Command,
    /// A gateway or a device is offline.
    Comm,
    /// A device marks its own value as invalid.
    Data,
}

enum_text! {
    /// The text in rows.
    AlarmKind {
        High = "high",
        Low = "low",
        HighHigh = "high_high",
        LowLow = "low_low",
        State = "state",
        Trip = "trip",
        Opened = "opened",
        Infeed = "infeed",
        Command = "command",
        Comm = "comm",
        Data = "data",
    }
}

impl AlarmKind {
    /// Whether a user configures rules of this kind. Alarms of the other kinds are derived from events of the field.
    pub fn is_set(self) -> bool {
        !matches!(self, Self::Trip | Self::Opened | Self::Infeed | Self::Command | Self::Comm)
    }
}

/// Priorities from the most urgent (1) to the least urgent (3); EEMUA 191 recommends three.
pub const PRIORITIES: std::ops::RangeInclusive<i16> = 1..=3;

/// A rule that raises an alarm for a point. A point has at most one rule of each kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The point.
    pub point: PointId,
    /// The kind of alarm.
    pub kind: AlarmKind,
    /// Whether the rule is active.
    pub enabled: bool,
    /// The limit in the point's unit; `None` for kinds that have none.
    pub limit: Option<f64>,
    /// Distance from the limit that the value must pass before the alarm clears, in the point's unit.
    pub deadband: f64,
    /// The raw status that raises the alarm, for [`AlarmKind::State`].
    pub state_value: Option<f64>,
    /// How long the condition must be present before the alarm is raised, s.
    pub on_delay_s: i32,
    /// How long the condition must be absent before the alarm clears, s.
    pub off_delay_s: i32,
    /// Priority, 1 to 3.
    pub priority: i16,
    /// The text of the alarm; empty for the default text.
    pub text: String,
}

impl Rule {
    /// Returns the condition to evaluate. `None` if the rule lacks a limit or status that its kind needs, or if its kind has no
    /// condition.
    pub fn condition(&self) -> Option<Condition> {
        match self.kind {
            AlarmKind::High | AlarmKind::HighHigh => Some(Condition::Above { limit: self.limit?, deadband: self.deadband }),
            AlarmKind::Low | AlarmKind::LowLow => Some(Condition::Below { limit: self.limit?, deadband: self.deadband }),
            AlarmKind::State => Some(Condition::Is(self.state_value?)),
            AlarmKind::Data => Some(Condition::NotValid),
            AlarmKind::Trip | AlarmKind::Opened | AlarmKind::Infeed | AlarmKind::Command | AlarmKind::Comm => None,
        }
    }

    /// Returns the source, the key of the alarm within its utility.
    pub fn source(&self) -> String {
        format!("point/{}/{}", self.point, self.kind.as_str())
    }
}

/// An alarm as clients see it: a row of the list and of the stream.
#[derive(Debug, Clone, PartialEq)]
pub struct AlarmRecord {
    /// The utility.
    pub client: ClientId,
    /// Its id, the same for each occurrence.
    pub id: i64,
    /// Its key within the utility, such as `point/17/high` or `gateway/3`.
    pub source: String,
    /// The kind.
    pub kind: AlarmKind,
    /// Priority, 1 to 3.
    pub priority: i16,
    /// The point, if the alarm is about one.
    pub point: Option<PointId>,
    /// The asset, if the alarm is about one.
    pub asset: Option<AssetId>,
    /// Name of the asset.
    pub asset_name: Option<String>,
    /// The substation.
    pub location: NodeId,
    /// The substation's name.
    pub location_name: String,
    /// The text, one sentence.
    pub text: String,
    /// The value that raised it, in `unit`.
    pub value: Option<f64>,
    /// The limit that the value passed.
    pub limit: Option<f64>,
    /// The unit of `value` and `limit`.
    pub unit: String,
    /// Customers fed through the asset.
    pub customers: i32,
    /// State and times.
    pub life: Life,
    /// The source of the alarm that is the cause of a suppressed alarm.
    pub cause: Option<String>,
    /// Its id.
    pub cause_id: Option<i64>,
    /// Name of the user that acknowledged it.
    pub acknowledged_by: Option<String>,
    /// Name of the user that shelved it.
    pub shelved_by: Option<String>,
    /// Reason for the shelving.
    pub shelved_reason: Option<String>,
    /// Name of the user who is responsible for the alarm.
    pub owner: Option<String>,
    /// Note of a user.
    pub note: Option<String>,
    /// Offset of its newest change in the utility's stream of alarms.
    pub offset: i64,
    /// Offset of the change that last raised it.
    pub raised_offset: i64,
}

#[cfg(test)]
mod tests;
