//! What a process does while another one leads: it waits, and stores what it spooled when it was the leader itself.

use std::time::Duration;

use store::lead::Lead;
use tokio_util::sync::CancellationToken;

use super::{Deps, lead, spools};
use crate::IngestConfig;
use crate::publish::event_messages;
use crate::spool::SpoolError;
use crate::writer::drain::Drain;

/// Between two looks at a file that another process of this machine has open.
const PAUSE: Duration = Duration::from_secs(5);

/// Waits until this process leads; `None` when it is to end. The spools are closed then.
pub(super) async fn wait(config: &IngestConfig, deps: &Deps, shutdown: &CancellationToken) -> Option<Lead> {
    let stop = CancellationToken::new();
    let leading = async {
        let lead = lead::wait(&deps.database_url, &config.client_id, config.lead_pause, &deps.readiness, shutdown).await;
        stop.cancel();
        lead
    };
    tokio::join!(leading, drain(config, deps, &stop)).0
}

/// Takes each spool to the database, and closes it: another process of this machine may lead and need the file.
async fn drain(config: &IngestConfig, deps: &Deps, stop: &CancellationToken) {
    let publish =
        |events: &store::writer::CommittedEvents| event_messages(events).into_iter().for_each(|message| deps.bus.publish(message));
    let mut files: Vec<_> = spools::paths(config).into_iter().enumerate().filter_map(|(number, path)| Some((number, path?))).collect();
    while !files.is_empty() && !stop.is_cancelled() {
        let mut in_use = Vec::new();
        for (number, path) in files {
            if !path.exists() {
                continue;
            }
            match spools::open_one(config, &path) {
                Ok(spool) => {
                    let drain = Drain { number, spool, database_url: deps.database_url.clone(), config };
                    drain.run(stop, publish).await;
                }
                Err(SpoolError::InUse(_)) => in_use.push((number, path)),
                Err(error) => tracing::error!(%error, "the spool of a former leader is not read"),
            }
        }
        files = in_use;
        if !files.is_empty() {
            // Cancelled or not is looked at above.
            let _ = tokio::time::timeout(PAUSE, stop.cancelled()).await;
        }
    }
}
