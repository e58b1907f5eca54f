//! Reports (specification 3, sections 2.5 and 7): one engine, and a definition a report. A new report is a file in `of`, a line in `ALL` and a test.
//!
//! A question is read and checked by [`request`], its days by [`period`]. What the definition brings runs through [`rows`], a bounded channel: who reads
//! slowly slows the database down, who goes away stops it. [`show`] answers with the rows, [`download`] makes a file of the same, and [`schedule`] has files made
//! by themselves.

pub(crate) mod definition;
pub(crate) mod download;
mod holds;
mod link_losses;
mod logged;
mod measured;
pub(crate) mod monthly;
mod of;
pub(crate) mod period;
pub(crate) mod request;
pub(crate) mod rows;
mod sampled;
pub(crate) mod schedule;
mod sending;
pub(crate) mod show;
mod stretches;
mod value_days;
mod violations;

use std::path::PathBuf;
use std::time::Duration;

use definition::Definition;

/// What the binary decides for reports.
#[derive(Debug, Clone)]
pub struct ReportSettings {
    /// Rows of a file at most; one that is cut says so.
    pub rows_max: u64,
    /// A folder for files without a name, which go when they are sent.
    pub folder: PathBuf,
    /// How long a piece of a file waits for its reader; who takes none for so long loses the rest.
    pub reader_patience: Duration,
}

/// By id.
static ALL: [&Definition; 23] = [
    &of::reliability::SAIDI_SAIFI,
    &of::event_log::EVENT_LOG,
    &of::limits::VIOLATIONS,
    &of::user_login::USER_LOGIN,
    &of::breakers::CB_TRIPPING,
    &of::breakers::HIGH_ACTIVITY,
    &of::log_sheets::SUBSTATION,
    &of::energy_feeders::DAILY,
    &of::energy_feeders::HOURLY,
    &of::faults::FAULT_DATA,
    &of::reliability::INDICES,
    &of::log_sheets::TRANSFORMER,
    &of::energy_loss::ENERGY_LOSS,
    &of::transformer_loss::TRANSFORMER_LOSS,
    &of::limits::ASSET_VIOLATIONS,
    &of::peak_demand::PEAK_DEMAND,
    &of::anomalies::ANOMALIES,
    &of::rtu_health::RTU_HEALTH,
    &of::power_quality::PQ,
    &of::point_stream::PDS,
    &of::asset_stream::PRODUCT_DATA_STREAM_INT,
    &of::stored_counts::DAILY_COUNT,
    &of::gds::GDS,
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

    use super::definition::Input;
    use super::*;

    #[test]
    fn ids_keys_and_columns_are_there_once() {
        let ids: HashSet<i64> = all().iter().map(|definition| definition.id).collect();
        let keys: HashSet<&str> = all().iter().map(|definition| definition.key).collect();
        assert_eq!((ids.len(), keys.len()), (all().len(), all().len()));
        for definition in all() {
            let names: HashSet<&str> = definition.columns.iter().map(|column| column.name).collect();
            assert_eq!(names.len(), definition.columns.len(), "{}", definition.key);
            assert_eq!(definition.frequencies.is_empty(), !definition.historic, "{}", definition.key);
            assert!(definition.historic || definition.real_time && definition.input == Input::None, "{}", definition.key);
        }
    }
}
