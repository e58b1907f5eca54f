//! A row of a class `every` stream: an event, a command, an alarm or a fault.

use std::sync::Arc;

use serde::Serialize;
use wire::alarms::AlarmRow;
use wire::control::CommandRow;
use wire::faults::FaultRow;
use wire::rows::EventRow;

/// An event row with its offset in the utility's stream.
pub(crate) type SharedRow = Arc<EventRow>;

/// A row of a class `every` stream.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum Row {
    Event(SharedRow),
    Command(Arc<CommandRow>),
    Alarm(Arc<AlarmRow>),
    Fault(Arc<FaultRow>),
}

impl Row {
    /// Returns the offset of the row in its stream.
    pub(crate) fn offset(&self) -> i64 {
        match self {
            Self::Event(row) => row.offset,
            Self::Command(row) => row.offset,
            Self::Alarm(row) => row.offset,
            Self::Fault(row) => row.offset,
        }
    }
}

impl From<SharedRow> for Row {
    fn from(row: SharedRow) -> Self {
        Self::Event(row)
    }
}
