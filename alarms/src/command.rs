//! Alarms for commands that failed: their text and their time. Pure functions.

use std::sync::Arc;

use grid::Micros;
use grid::alarm::{AlarmKind, CommandFailure};
use grid::control::State;
use store::alarm::FieldCommand;

use crate::about::About;

/// A command that failed.
#[derive(Debug, Clone)]
pub(crate) struct FailedCommand {
    pub(crate) about: Arc<About>,
    /// When the failure was stored, by the database's clock.
    pub(crate) at: Micros,
}

/// Returns the failure that a state of a command represents; `None` if the state is not a failure.
pub(crate) fn failure(command: &FieldCommand) -> Option<FailedCommand> {
    let FieldCommand { record, location_name, customers, was_sent, never_left } = command;
    let state = State::parse(&record.state)?;
    let failure = CommandFailure::of(state, *was_sent, *never_left)?;
    let about = About {
        source: failure.source(record.point),
        kind: AlarmKind::Command,
        priority: failure.priority(),
        point: Some(record.point),
        asset: Some(record.asset),
        asset_name: Some(record.asset_name.clone()),
        location: record.location,
        location_name: location_name.clone(),
        text: failure.text(state, record),
        limit: None,
        unit: String::new(),
        customers: *customers,
    };
    Some(FailedCommand { about: Arc::new(about), at: record.changed })
}
