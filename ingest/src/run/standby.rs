//! A process on standby. It waits for the leadership, and stores the rows that it spooled in its own former term.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::dependencies::Deps;
use super::lead::{self, Leases};
use super::spools;
use crate::IngestConfig;
use crate::clock::Timer;
use crate::publish::event_messages;
use crate::readiness::Readiness;
use crate::spool::{Backlog, Spool, SpoolError};
use crate::writer::Database;
use crate::writer::connection::Connection;
use crate::writer::drain::Drain;
use wire::bus::BusMessage;

/// Pause between two attempts to open a file that another process of this machine has open.
const PAUSE: Duration = Duration::from_secs(5);

/// The interface of a standby to its spools, the database and the bus.
pub trait FormerLeadership {
    /// A spool.
    type Spool: Backlog;
    /// A connection to the database.
    type Database: Database;

    /// Opens the spool of a writer; `None` if it does not exist, `Err(InUse)` while another process has it open.
    fn open(&self, writer: usize) -> Option<Result<Self::Spool, SpoolError>>;
    /// Returns a connection that connects when it is first used.
    fn connect(&self) -> Self::Database;
    /// Sends a message to the hubs.
    fn broadcast(&self, message: BusMessage);
}

/// The spools on the disk.
pub(super) struct Files<'a> {
    pub(super) config: &'a IngestConfig,
    pub(super) deps: &'a Deps,
}

impl FormerLeadership for Files<'_> {
    type Spool = Spool;
    type Database = Connection;

    fn open(&self, writer: usize) -> Option<Result<Spool, SpoolError>> {
        let path = spools::path(self.config, writer).filter(|path| path.exists())?;
        Some(spools::open_one(self.config, &path))
    }

    fn connect(&self) -> Connection {
        Connection::new(self.deps.database_url.clone(), self.config.commit_timeout)
    }

    fn broadcast(&self, message: BusMessage) {
        self.deps.bus.publish(message);
    }
}

/// Waits until this process is the leader; `None` on shutdown. The spools are closed then.
pub async fn wait<L: Leases>(
    config: &IngestConfig,
    leases: &L,
    former: &impl FormerLeadership,
    timer: &impl Timer,
    readiness: &Readiness,
    shutdown: &CancellationToken,
) -> Option<L::Lead> {
    let stop = CancellationToken::new();
    let leading = async {
        let lead = lead::wait(leases, timer, &config.client_id, config.lead_pause, readiness, shutdown).await;
        stop.cancel();
        lead
    };
    tokio::join!(leading, drain(config, former, timer, &stop)).0
}

/// Stores each spool in the database and closes it: another process of this machine may become leader and need the
/// file.
async fn drain(config: &IngestConfig, former: &impl FormerLeadership, timer: &impl Timer, stop: &CancellationToken) {
    let publish =
        |events: &store::writer::CommittedEvents| event_messages(events).into_iter().for_each(|message| former.broadcast(message));
    let mut numbers: Vec<usize> = (0..config.writers.max(1)).collect();
    while !numbers.is_empty() && !stop.is_cancelled() {
        let mut in_use = Vec::new();
        for number in numbers {
            match former.open(number) {
                None => {}
                Some(Ok(spool)) => {
                    let drain = Drain { number, spool, database: former.connect(), timer, config };
                    drain.run(stop, publish).await;
                }
                Some(Err(SpoolError::InUse(_))) => in_use.push(number),
                Some(Err(error)) => tracing::error!(%error, "the spool of a former leader is not read"),
            }
        }
        numbers = in_use;
        if !numbers.is_empty() {
            // The caller checks for the cancellation.
            timer.within(PAUSE, stop.cancelled()).await;
        }
    }
}
