//! The files of the spools, one for each writer. Their names contain the client id, because two ingests must not share
//! a file.

use std::path::PathBuf;
use std::time::Duration;

use tokio::time::Instant;

use crate::IngestConfig;
use crate::spool::{Spool, SpoolError};

/// How long a new leader waits for a former leader on the same machine, which has the files open until it ends.
const PATIENCE: Duration = Duration::from_secs(15);

/// Pause between two attempts to open a file. The lock belongs to another process, so there is no event to wait for.
const PAUSE: Duration = Duration::from_millis(200);

/// Returns the path of a writer's file; `None` without a folder.
pub(super) fn path(config: &IngestConfig, writer: usize) -> Option<PathBuf> {
    config.spool_dir.as_ref().map(|folder| folder.join(format!("{}-{writer}.redb", config.client_id)))
}

/// Opens one file; `Err(InUse)` while another process has it open.
pub(super) fn open_one(config: &IngestConfig, path: &std::path::Path) -> Result<Spool, SpoolError> {
    Spool::open(path, config.spool_bytes / config.writers.max(1) as u64)
}

/// Opens all files.
pub(super) async fn open(config: &IngestConfig) -> Result<Vec<Option<Spool>>, SpoolError> {
    let deadline = Instant::now() + PATIENCE;
    let mut spools = Vec::new();
    for number in 0..config.writers.max(1) {
        let Some(path) = path(config, number) else {
            spools.push(None);
            continue;
        };
        let spool = loop {
            match open_one(config, &path) {
                Err(SpoolError::InUse(_)) if Instant::now() < deadline => tokio::time::sleep(PAUSE).await,
                opened => break opened?,
            }
        };
        spools.push(Some(spool));
    }
    Ok(spools)
}
