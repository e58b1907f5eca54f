//! What of a message is telemetry.

use field::topic::Kind;

/// Whether a metric speaks of Sparkplug itself or of commands, and is no value of the grid.
pub(super) fn is_control(name: &str) -> bool {
    name == field::sparkplug::BD_SEQ
        || field::command::is_oper(name)
        || ["Node Control/", "Device Control/", "Outbox/"].iter().any(|prefix| name.starts_with(prefix))
}

/// Whether the metrics of a message are values.
pub(super) fn carries_values(kind: Kind) -> bool {
    matches!(kind, Kind::NBirth | Kind::NData | Kind::DBirth | Kind::DData)
}
