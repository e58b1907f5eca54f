//! Separates telemetry from the control metrics of a message.

use field::topic::MessageKind;

/// Returns whether a metric belongs to Sparkplug itself or to commands, and is not telemetry.
pub(super) fn is_control(name: &str) -> bool {
    name == field::sparkplug::BD_SEQ
        || field::command::is_oper(name)
        || ["Node Control/", "Device Control/", "Outbox/"].iter().any(|prefix| name.starts_with(prefix))
}

/// Returns whether the metrics of a message are values.
pub(super) fn carries_values(kind: MessageKind) -> bool {
    matches!(kind, MessageKind::NBirth | MessageKind::NData | MessageKind::DBirth | MessageKind::DData)
}
