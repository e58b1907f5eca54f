//! Reports (specification 3, sections 2.5 and 7): one engine, and a definition a report. A new report is a file in `of`, a line in `ALL` and a test.
//!
//! A question is read and checked by [`request`], its days by [`period`]. What the definition brings runs through [`rows`], a bounded channel: who reads
//! slowly slows the database down, who goes away stops it. [`show`] answers with the rows, [`download`] makes a file of the same, and [`schedule`] has files made
//! by themselves.

pub mod asked;
pub mod catalogue;
pub mod definition;
pub mod download;
mod engine;
mod error;
mod holds;
mod link_losses;
mod logged;
mod measured;
pub mod monthly;
mod of;
pub mod period;
pub mod request;
pub mod rows;
mod sampled;
pub mod schedule;
pub mod sending;
pub mod show;
mod stretches;
mod value_days;
mod violations;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mail::Mailer;
use permits::Turns;
use registry::Fields;
use store::Store;

pub use error::Error;
pub use sending::SentFile;

/// What the binary decides for reports.
#[derive(Debug, Clone)]
pub struct ReportSettings {
    /// Rows of a file at most; one that is cut says so.
    pub rows_max: u64,
    /// A folder for files without a name, which go when they are sent.
    pub folder: PathBuf,
    /// How long a piece of a file waits for its reader; who takes none for so long loses the rest.
    pub reader_patience: Duration,
    /// Where people reach the web, without a slash at the end: links in mails begin with it.
    pub public_url: String,
    /// Faults that are over are kept for so long, days; 0 for ever.
    pub faults_kept_days: u32,
}

/// The page from which reports are shown and taken away, as the catalogue of pages names it. A role without it gets no report made.
pub const PAGE: &str = "reports.export";

/// Files of reports that are written at once, each on a thread; further ones are sent away.
const EXPORTS_MAX: usize = 8;

/// Kept files that are given out at once, each with some pieces in memory; further ones are sent away.
const KEPT_FILES_MAX: usize = 32;

/// Makes reports. Clones share the permits.
#[derive(Clone)]
pub struct Reports {
    store: Store,
    fields: Fields,
    mail: Mailer,
    settings: ReportSettings,
    /// Files of reports that may be written at once.
    exports: Arc<Turns>,
    /// Kept files of reports that may be given out at once.
    kept_files: Arc<Turns>,
}

impl Reports {
    /// Over the database. `mail` takes the mails of schedules.
    pub fn new(store: Store, fields: Fields, mail: Mailer, settings: ReportSettings) -> Self {
        Self { store, fields, mail, settings, exports: Turns::new(EXPORTS_MAX), kept_files: Turns::new(KEPT_FILES_MAX) }
    }

    /// The database.
    pub fn store(&self) -> &Store {
        &self.store
    }
}
