//! The network model of each utility: its versions, the times from which they are active, and their parts.
//!
//! Each change set creates a version. Versions are never changed, so that reliability and replay can read the network as it was at any time. A version is used
//! only after its activation. The activation has the time from which the version is used: now or later.

mod activate;
mod apply;
mod parts;
mod plan;
mod read;
mod version_number;

use grid::{MemberId, Micros};
use network::changes::ChangeError;
use network::findings::Findings;

pub use activate::Activated;
pub use parts::StoredPart;
pub use plan::Plan;
pub use read::ActiveVersion;
pub use version_number::VersionNumber;

use crate::Error;
use crate::temporary_record::UnfitChange;

/// Maximum number of characters of a note.
pub const NOTE_CHARACTERS_MAX: usize = 1_000;

/// A version of a network, without its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRecord {
    /// Its number.
    pub number: VersionNumber,
    /// What was changed.
    pub note: String,
    /// The user who made it; `None` at the console.
    pub member: Option<MemberId>,
    /// When it was made.
    pub created: Micros,
    /// Numbers of its parts.
    pub counts: PartCounts,
    /// When it was or will be active, oldest first.
    pub activations: Vec<ActivationRecord>,
}

/// Numbers of parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PartCounts {
    /// Number of containers.
    pub containers: i32,
    /// Number of nodes.
    pub nodes: i32,
    /// Number of pieces of equipment.
    pub equipment: i32,
    /// Number of measurements.
    pub measurements: i32,
}

/// A time in which a version was or will be active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActivationRecord {
    /// Its start.
    pub since: Micros,
    /// Its end, which is the next activation; `None` if there is no later activation.
    pub until: Option<Micros>,
    /// The user who activated it; `None` at the console.
    pub member: Option<MemberId>,
    /// When it was entered.
    pub entered: Micros,
}

/// Why a change of the network is refused. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] Error),
    /// Another user has stored a version meanwhile.
    #[error(
        "the change is based on version {based_on} of the network, but version {newest} is the newest. Nothing was changed. Read version {newest} and \
         make the change again"
    )]
    Outdated {
        /// The version that the change is based on; 0 if there was none.
        based_on: i32,
        /// The newest version; 0 if there is none.
        newest: i32,
    },
    /// The parts do not fit the network.
    #[error("{0}. Nothing was changed")]
    Change(#[from] ChangeError),
    /// The network is too large.
    #[error("the network has {found} {part}; allowed are {allowed}. Nothing was changed")]
    TooLarge {
        /// The kind of parts.
        part: &'static str,
        /// Their number.
        found: usize,
        /// The greatest number.
        allowed: usize,
    },
    /// A note is too long.
    #[error("the note has {0} characters; allowed are {NOTE_CHARACTERS_MAX}. Nothing was changed")]
    LongNote(usize),
    /// Findings prevent storing or activation.
    #[error("the network has {errors} errors. Nothing was changed. {first}", errors = .0.count_of(network::findings::Severity::Error), first = first(.0))]
    Findings(Box<Findings>),
    /// Temporary changes do not fit the version, and no reason was given for activating it all the same.
    #[error(
        "{count} of the temporary changes do not fit this version. Nothing was changed. The first: {first}. While a change has no place in the active \
         version, switches are not closed. Remove it first and place it again after the activation, or give a reason for activating the version all the same",
        count = .0.len(), first = .0.first().map(ToString::to_string).unwrap_or_default()
    )]
    Unfit(Vec<UnfitChange>),
    /// There is no such version.
    #[error("there is no version {0} of the network")]
    NoVersion(VersionNumber),
    /// An activation in the past would change figures that have been reported already.
    #[error("a version cannot become active in the past, because version {active} is active. Choose a time from now on")]
    Past {
        /// The active version.
        active: VersionNumber,
    },
}

fn first(findings: &Findings) -> String {
    let first = findings.listed().next();
    first.map(|first| format!("The first: {} {}: {}. {}", first.part.as_str(), first.id, first.problem, first.remedy())).unwrap_or_default()
}
