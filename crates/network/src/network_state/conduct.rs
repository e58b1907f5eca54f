//! The phases of a branch that conduct, stored in one byte, because the searches read it for each branch on their path.

use crate::{Branch, Contact, Phase, Phases};

const POSSIBLE: u32 = 3;
const WINDING: u8 = 1 << 6;
const ASYNCHRONOUS: u8 = 1 << 7;

/// The contacts of the phases of a branch. A phase that the branch does not have is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Conduct(u8);

impl Conduct {
    pub(crate) fn new(branch: &Branch) -> Self {
        let winding = if branch.is_winding { WINDING } else { 0 };
        let asynchronous = if branch.is_asynchronous { ASYNCHRONOUS } else { 0 };
        Self(winding | asynchronous).with(branch.phases, branch.normal)
    }

    /// Returns a copy in which some phases have a different contact.
    pub(crate) fn with(self, phases: Phases, contact: Contact) -> Self {
        phases.iter().fold(self, |held, phase| {
            let (certain, possible) = (1 << phase as u8, 1 << (phase as u32 + POSSIBLE));
            let without = held.0 & !(certain | possible);
            Self(match contact {
                Contact::Closed => without | certain | possible,
                Contact::Unknown => without | possible,
                Contact::Open => without,
            })
        })
    }

    pub(crate) fn contact(self, phase: Phase) -> Contact {
        match (self.is_closed(phase), self.may_be_closed(phase)) {
            (true, _) => Contact::Closed,
            (false, true) => Contact::Unknown,
            (false, false) => Contact::Open,
        }
    }

    pub(crate) fn is_closed(self, phase: Phase) -> bool {
        self.0 & (1 << phase as u8) != 0
    }

    pub(crate) fn may_be_closed(self, phase: Phase) -> bool {
        self.0 & (1 << (phase as u32 + POSSIBLE)) != 0
    }

    pub(crate) fn is_asynchronous(self) -> bool {
        self.0 & ASYNCHRONOUS != 0
    }

    pub(crate) fn is_winding(self) -> bool {
        self.0 & WINDING != 0
    }
}
