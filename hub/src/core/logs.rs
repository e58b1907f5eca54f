//! The logs of alarms and faults by utility, and the logs that have held rows for too long.

use std::collections::HashMap;

use grid::ClientId;
use tokio::time::Instant;
use wire::alarms::AlarmRow;
use wire::faults::FaultRow;

use crate::log::{AppendResult, EventLog};
use crate::placed::Placed;

/// Logs of alarms and faults. Each keeps the newest rows of a utility in memory.
#[derive(Default)]
pub(super) struct AlarmLogs {
    pub(super) alarms: HashMap<ClientId, EventLog<AlarmRow>>,
    pub(super) faults: HashMap<ClientId, EventLog<FaultRow>>,
}

impl AlarmLogs {
    /// Sets the logs of a utility as read from the database, unless they exist already.
    pub(super) fn begin(&mut self, client: ClientId, alarms: EventLog<AlarmRow>, faults: EventLog<FaultRow>) {
        self.alarms.entry(client).or_insert(alarms);
        self.faults.entry(client).or_insert(faults);
    }
}

/// Returns the logs that have held rows for too long because an earlier row is missing, each with the action to take.
pub(super) fn expired<R: Placed>(logs: &mut HashMap<ClientId, EventLog<R>>, now: Instant) -> Vec<(ClientId, AppendResult<R>)> {
    let expired = logs.iter_mut().map(|(client, log)| (*client, log.expire(now)));
    expired.filter(|(_, taken)| !matches!(taken, AppendResult::Nothing)).collect()
}
