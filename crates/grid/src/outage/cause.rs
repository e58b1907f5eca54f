//! The cause of an outage, derived from stored events and commands.

/// The cause of an outage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The feeder's protection opened its breaker.
    Fault,
    /// A command of this system, while the device or bay had a tag.
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

impl Cause {
    /// All causes.
    pub const ALL: [Self; 6] = [Self::Fault, Self::Planned, Self::Switching, Self::LoadShedding, Self::Upstream, Self::Unknown];

    /// Returns the identifier used in rows and in the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Planned => "planned",
            Self::Switching => "switching",
            Self::LoadShedding => "load_shedding",
            Self::Upstream => "upstream",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the cause of an identifier.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.word() == word)
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
    /// Returns the cause of a loss of supply by this event. `own` is whether the event is in the feeder's own bay, not in its
    /// supply.
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
