//! The logs of alarms and faults, by utility, and logs that have held rows for too long.

use std::collections::HashMap;

use grid::ClientId;
use tokio::time::Instant;
use wire::alarms::AlarmRow;
use wire::faults::FaultRow;

use crate::log::{EventLog, Taken};
use crate::placed::Placed;

/// The changes of both, the newest of each utility in memory.
#[derive(Default)]
pub(super) struct AlarmLogs {
    pub(super) alarms: HashMap<ClientId, EventLog<AlarmRow>>,
    pub(super) faults: HashMap<ClientId, EventLog<FaultRow>>,
}

impl AlarmLogs {
    /// Takes the logs of a utility as the database has them, unless it has them already.
    pub(super) fn begin(&mut self, client: ClientId, alarms: EventLog<AlarmRow>, faults: EventLog<FaultRow>) {
        self.alarms.entry(client).or_insert(alarms);
        self.faults.entry(client).or_insert(faults);
    }
}

/// The logs that have held rows for too long.
pub(super) fn expired<R: Placed>(logs: &mut HashMap<ClientId, EventLog<R>>, now: Instant) -> Vec<(ClientId, Taken<R>)> {
    let expired = logs.iter_mut().map(|(client, log)| (*client, log.expire(now)));
    expired.filter(|(_, taken)| !matches!(taken, Taken::Nothing)).collect()
}
