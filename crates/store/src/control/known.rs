//! What the last decision of a utility has read and a later one would read again: the manual entries and the doubts. Both grow with the utility and change seldom.
//!
//! They are kept only if they were read under the lock of the utility's commands. A later decision reads, under the same lock, what has changed since then. So it
//! knows exactly what the database has.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grid::{ClientId, Micros, PointId};

use crate::manual_entry_record::ManualEntry;

/// What is known of each utility. Its size is bounded by the number of current entries and of switches.
#[derive(Debug, Default)]
pub(crate) struct Known {
    utilities: Mutex<HashMap<ClientId, Utility>>,
}

#[derive(Debug, Default)]
pub(super) struct Utility {
    /// Epoch of the stream of commands. The database is another one if it differs.
    pub(super) epoch: String,
    pub(super) entries: Option<Entries>,
    pub(super) doubts: Option<Doubts>,
}

/// The current manual entries.
#[derive(Debug, Clone)]
pub(super) struct Entries {
    pub(super) list: Arc<Vec<ManualEntry>>,
    /// The last number that an entry had got. Later entries have greater ones, because the utility's entries are made under its lock.
    pub(super) last: i64,
}

/// The switches whose newest operation ended without a known outcome, and when.
#[derive(Debug, Clone)]
pub(super) struct Doubts {
    pub(super) list: Arc<BTreeMap<PointId, Micros>>,
    /// The newest offset of the stream of commands, which each change of a command raises.
    pub(super) top: i64,
}

impl Known {
    pub(super) fn lock(&self) -> MutexGuard<'_, HashMap<ClientId, Utility>> {
        self.utilities.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
