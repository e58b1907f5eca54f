//! Reports (specification 3, sections 2.5 and 7): one engine, and a definition a report. A new report is a file in `of`, a line in `ALL` and a test.
//!
//! A question is read and checked by [`request`], its days by [`period`]. What the definition brings runs through [`rows`], a bounded channel: who reads
//! slowly slows the database down, who goes away stops it. [`show`] answers with the rows, [`download`] makes a file of the same.

pub(crate) mod definition;
pub(crate) mod download;
mod measured;
mod of;
pub(crate) mod period;
pub(crate) mod request;
pub(crate) mod rows;
pub(crate) mod show;

use std::path::PathBuf;

use definition::Definition;

/// What the binary decides for reports.
#[derive(Debug, Clone)]
pub struct ReportSettings {
    /// Rows of a file at most; one that is cut says so.
    pub rows_max: u64,
    /// A folder for files without a name, which go when they are sent.
    pub folder: PathBuf,
}

/// By id.
static ALL: [&Definition; 11] = [
    &of::reliability::SAIDI_SAIFI,
    &of::event_log::EVENT_LOG,
    &of::user_login::USER_LOGIN,
    &of::breakers::CB_TRIPPING,
    &of::breakers::HIGH_ACTIVITY,
    &of::energy_feeders::DAILY,
    &of::energy_feeders::HOURLY,
    &of::faults::FAULT_DATA,
    &of::reliability::INDICES,
    &of::energy_loss::ENERGY_LOSS,
    &of::peak_demand::PEAK_DEMAND,
];

/// Every report that there is, by its id.
pub(crate) fn all() -> &'static [&'static Definition] {
    &ALL
}

/// The report of a key, as the specification spells it.
pub(crate) fn by_key(key: &str) -> Option<&'static Definition> {
    all().iter().copied().find(|definition| definition.key.eq_ignore_ascii_case(key))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_keys_and_columns_are_there_once() {
        let ids: HashSet<i64> = all().iter().map(|definition| definition.id).collect();
        let keys: HashSet<&str> = all().iter().map(|definition| definition.key).collect();
        assert_eq!((ids.len(), keys.len()), (all().len(), all().len()));
        for definition in all() {
            let names: HashSet<&str> = definition.columns.iter().map(|column| column.name).collect();
            assert_eq!(names.len(), definition.columns.len(), "{}", definition.key);
            assert!(!definition.frequencies.is_empty(), "{}", definition.key);
        }
    }
}
