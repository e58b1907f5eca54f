//! Reports (specification 3, sections 2.5 and 7): one engine, and a definition for each report. A new report is a file in `of`, a line in
//! `ALL` and a test.
//!
//! [`request`] parses and validates a request, [`period`] its days. The rows of the definition pass a bounded channel ([`rows`]): a slow
//! reader slows down the database, and dropping the reader stops the report. [`show`] answers with the rows, [`download`] sends them as a
//! file, and [`schedule`] creates files at regular times.

mod capital;
pub mod catalogue;
pub mod definition;
pub mod download;
mod engine;
mod error;
mod fill_forward;
pub mod imprint;
mod link_losses;
mod log_pages;
mod logged;
mod measured;
pub mod monthly;
mod of;
pub mod period;
pub mod purpose;
pub mod request;
pub mod rows;
mod sampled;
pub mod schedule;
pub mod sending;
pub mod show;
mod stretches;
pub mod valid_request;
mod value_days;
mod violations;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mail::Mailer;
use permits::{FairQueue, Permits};
use registry::Fields;
use store::{ReadClass, Store};

pub use error::Error;
pub use sending::SentFile;

/// Settings of reports, as the executable configures them.
#[derive(Debug, Clone)]
pub struct ReportSettings {
    /// Maximum number of rows of a file. A truncated file contains a note about it.
    pub rows_max: u64,
    /// A folder for temporary files without a name, which are deleted after sending.
    pub folder: PathBuf,
    /// Time for which a piece of a file waits for its reader. After this time the file is aborted.
    pub reader_patience: Duration,
    /// The folder of the web application, for logos.
    pub site: PathBuf,
    /// The address of the web application, without a slash at the end. Links in mails start with it.
    pub public_url: String,
}

/// The page for viewing and exporting reports, as the page catalogue names it. A role without this page cannot export reports.
pub const PAGE: &str = "reports.export";

/// Maximum number of stored files that are sent at once, each with some pieces in memory. Further requests are refused.
const KEPT_FILES_MAX: usize = 32;

/// Creates reports. Clones share the permits.
#[derive(Clone)]
pub struct Reports {
    store: Store,
    records: Store,
    fields: Fields,
    mail: Mailer,
    settings: ReportSettings,
    queue: FairQueue,
    /// Permits to send stored files of reports.
    kept_files: Arc<Permits>,
}

impl Reports {
    /// Creates the service over the database. `mail` receives the mails of schedules.
    pub fn new(store: &Store, fields: Fields, mail: Mailer, settings: ReportSettings) -> Self {
        let (store, records) = (store.in_class(ReadClass::Heavy), store.in_class(ReadClass::Background));
        let queue = FairQueue::new(store.utility_connections());
        Self { store, records, fields, mail, settings, queue, kept_files: Permits::new(KEPT_FILES_MAX) }
    }

    /// Returns the database for the rows of reports. Hold a slot of [`Self::queue`] meanwhile.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the queue of heavy reads of this process: one slot for each connection of the class.
    pub fn queue(&self) -> &FairQueue {
        &self.queue
    }

    /// Returns the database for the records of reports: schedules, runs, stored files, the audit.
    pub(crate) fn records(&self) -> &Store {
        &self.records
    }
}
