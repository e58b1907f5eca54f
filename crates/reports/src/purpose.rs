//! The purposes of reports: their groups in lists, and the assets for which they are offered.

use crate::definition::Definition;
use crate::logged::TRANSFORMERS;
use crate::of::log_sheets::LOGGED;

/// Asset types without customers of their own (specification 2, section 9): transformers, incoming lines, busbars.
const WITHOUT_CUSTOMERS: [i32; 4] = [2, 4, 5, 12];

/// The groups, in the order of the list, each with the ids of its reports.
const GROUPS: [(&str, &[i64]); 6] = [
    ("Operation", &[10, 15, 2, 6, 9, 13]),
    ("Energy and demand", &[11, 12, 16, 17, 19]),
    ("Reliability", &[1, 14]),
    ("Limits and power quality", &[4, 18, 22]),
    ("Communication and data", &[21, 20, 33, 31, 32, 37]),
    ("Users", &[5]),
];

/// Returns the group of a report.
pub fn purpose(definition: &Definition) -> &'static str {
    GROUPS.iter().find(|(_, ids)| ids.contains(&definition.id)).map_or("Other", |(name, _)| name)
}

/// Returns whether a report can have rows for an asset of a type.
pub fn is_offered(definition: &Definition, asset_type: i32) -> bool {
    match definition.id {
        // Log sheets and losses of transformers.
        15 | 17 => TRANSFORMERS.contains(&asset_type),
        10 => LOGGED.contains(&asset_type),
        // Trips, faults, interruptions and energy of feeders.
        1 | 6 | 11 | 12 | 13 | 14 => !WITHOUT_CUSTOMERS.contains(&asset_type),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{all, by_key};

    #[test]
    fn each_report_has_one_group() {
        for definition in all() {
            let groups = GROUPS.iter().filter(|(_, ids)| ids.contains(&definition.id)).count();
            assert_eq!(groups, 1, "{}", definition.key);
        }
    }

    #[test]
    fn reports_are_offered_for_the_assets_that_they_are_about() {
        let offered = |key: &str| [1, 2, 4].map(|asset_type| is_offered(by_key(key).expect("a report"), asset_type));
        assert_eq!(offered("SS_TRANSFORMER_LOSS"), [false, true, false]);
        assert_eq!(offered("EE_DAILY_FEEDER_DATA"), [true, false, false]);
        assert_eq!(offered("SS_DAILY_LOG_SHEET"), [true, true, true]);
        assert_eq!(offered("EVENT_LOG"), [true, true, true]);
    }
}
