//! The cause of an outage, derived from stored events and commands.

use crate::enum_text;

/// The cause of an outage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The feeder's protection opened its breaker.
    Fault,
    /// A command of this system opened the switch while the device or its bay had a tag.
    Planned,
    /// A command of this system.
    Switching,
    /// An under-frequency relay (81) opened the breaker.
    LoadShedding,
    /// The supply of the feeder was lost.
    Upstream,
    /// No known cause.
    Unknown,
}

enum_text! {
    /// The text in rows and in the database.
    Cause {
        Fault = "fault",
        Planned = "planned",
        Switching = "switching",
        LoadShedding = "load_shedding",
        Upstream = "upstream",
        Unknown = "unknown",
    }
}

/// An event that may have changed the supply, with the facts of its bay and of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "one for each thing that is known or not")]
pub struct Trigger {
    /// Its offset in the utility's stream of events.
    pub offset: i64,
    /// Whether a relay of its bay operated in the seconds before.
    pub by_protection: bool,
    /// Whether that relay is an under-frequency relay (81).
    pub under_frequency: bool,
    /// Whether a command of this system caused it.
    pub ordered: bool,
    /// Whether the device or its bay had a tag, which indicates planned work.
    pub tagged: bool,
}

impl Trigger {
    /// Returns the cause of a loss of supply by this event. `own` is whether the event is in the feeder's own bay; otherwise it is between the bay and the
    /// source.
    pub fn cause(&self, own: bool) -> Cause {
        match self {
            Self { by_protection: true, under_frequency: true, .. } => Cause::LoadShedding,
            // A relay that operates opens the breaker regardless of commands.
            Self { by_protection: true, .. } => {
                if own {
                    Cause::Fault
                } else {
                    Cause::Upstream
                }
            }
            Self { ordered: true, tagged: true, .. } => Cause::Planned,
            Self { ordered: true, .. } => Cause::Switching,
            _ => {
                if own {
                    Cause::Unknown
                } else {
                    Cause::Upstream
                }
            }
        }
    }
}
