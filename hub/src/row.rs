//! A row of a stream of which every row arrives: events, commands, alarms and faults.

use std::sync::Arc;

use serde::Serialize;
use wire::alarms::AlarmRow;
use wire::control::CommandRow;
use wire::faults::FaultRow;
use wire::rows::EventRow;

/// An event row with its place in the utility's stream.
pub(crate) type SharedRow = Arc<EventRow>;

/// A row of a stream of which every one arrives.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum Row {
    Event(SharedRow),
    Command(Arc<CommandRow>),
    Alarm(Arc<AlarmRow>),
    Fault(Arc<FaultRow>),
}

impl Row {
    /// Its place in the stream.
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
