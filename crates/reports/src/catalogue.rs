//! The list of all reports, by id and by key.

use crate::definition::Definition;
use crate::of;

/// All reports, sorted by id.
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

/// Returns all reports, sorted by id.
pub fn all() -> &'static [&'static Definition] {
    &ALL
}

/// Returns the report of a key. Keys are defined in the specification; case is ignored.
pub fn by_key(key: &str) -> Option<&'static Definition> {
    all().iter().copied().find(|definition| definition.key.eq_ignore_ascii_case(key))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::definition::Input;

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
