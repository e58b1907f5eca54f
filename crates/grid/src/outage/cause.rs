//! Why feeders lose their supply, as far as what is stored tells.

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// Its protection opened its breaker.
    Fault,
    /// We ordered it while a tag hung there.
    Planned,
    /// We ordered it.
    Switching,
    /// An under-frequency relay (81) opened it.
    LoadShedding,
    /// What feeds it was lost.
    Upstream,
    /// Nothing tells.
    Unknown,
}

impl Cause {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Fault, Self::Planned, Self::Switching, Self::LoadShedding, Self::Upstream, Self::Unknown];

    /// The word in rows and in the database.
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

    /// Of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.word() == word)
    }
}

/// An event that may have taken or given supply, with what its bay and our orders say about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "one for each thing that is known or not")]
pub struct Trigger {
    /// Its place in the utility's stream.
    pub offset: i64,
    /// A relay of its bay operated in the seconds before.
    pub by_protection: bool,
    /// That relay watches the frequency (81).
    pub under_frequency: bool,
    /// We had ordered it.
    pub ordered: bool,
    /// Something hung on the device or its bay that says that people work there.
    pub tagged: bool,
}

impl Trigger {
    /// Why a feeder lost its supply by this: `own` tells whether it happened in the feeder's own bay, or else in what feeds it.
    pub fn cause(&self, own: bool) -> Cause {
        match self {
            Self { by_protection: true, under_frequency: true, .. } => Cause::LoadShedding,
            // A relay that operates opens the breaker whatever else was ordered.
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
