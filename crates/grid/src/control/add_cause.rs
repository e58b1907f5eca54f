//! Reasons why a command was not carried out: the additional causes of IEC 61850-7-2, each with its number, its name and a sentence for
//! users.

use crate::area::OutsideArea;

macro_rules! causes {
    ($($number:literal $variant:ident $name:literal $sentence:literal)*) => {
        /// An additional cause (AddCause).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum AddCause {
            $(#[doc = $name] $variant = $number,)*
        }

        impl AddCause {
            /// All causes, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the name in the standard.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the meaning as a sentence for users.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $sentence,)* }
            }
        }
    };
}

causes! {
    0 Unknown "Unknown" "The command was not carried out, and no cause was given."
    1 NotSupported "Not-supported" "This device cannot be operated in this way."
    2 BlockedBySwitchingHierarchy "Blocked-by-switching-hierarchy" "The local/remote switch is on local."
    3 SelectFailed "Select-failed" "The device could not be selected."
    4 InvalidPosition "Invalid-position" "The device does not report a valid position."
    5 PositionReached "Position-reached" "The device is already in this position."
    6 ParameterChangeInExecution "Parameter-change-in-execution" "A parameter of the device is being changed."
    7 StepLimit "Step-limit" "The device stands at its last step."
    8 BlockedByMode "Blocked-by-Mode" "The mode of the device or of the system does not allow it."
    9 BlockedByProcess "Blocked-by-process" "The state of the process does not allow it."
    10 BlockedByInterlocking "Blocked-by-interlocking" "An interlock does not allow it."
    11 BlockedBySynchrocheck "Blocked-by-synchrocheck" "The voltages on both sides are not in step."
    12 CommandAlreadyInExecution "Command-already-in-execution" "A command to this device is being carried out."
    13 BlockedByHealth "Blocked-by-health" "The device or the system is not fit to operate."
    14 OneOfNControl "1-of-n-control" "Another device of the bay is being operated."
    15 AbortionByCancel "Abortion-by-cancel" "The command was cancelled."
    16 TimeLimitOver "Time-limit-over" "The time for it is over."
    17 AbortionByTrip "Abortion-by-trip" "The protection tripped."
    18 ObjectNotSelected "Object-not-selected" "The device is not selected."
    19 ObjectAlreadySelected "Object-already-selected" "The device is already selected."
    20 NoAccessAuthority "No-access-authority" "You may not operate this device, or have not confirmed who you are."
    21 EndedWithOvershoot "Ended-with-overshoot" "The device went beyond the position that was asked for."
    22 AbortionDueToDeviation "Abortion-due-to-deviation" "The device differs too far from what was commanded."
    23 AbortionByCommunicationLoss "Abortion-by-communication-loss" "The link to the device is lost."
    24 BlockedByCommand "Blocked-by-command" "A tag or an earlier command blocks the device."
    25 None "None" "No cause."
    26 InconsistentParameters "Inconsistent-parameters" "The command does not agree with the state of the device."
    27 LockedByOtherClient "Locked-by-other-client" "Somebody else has the device reserved."
}

impl AddCause {
    /// Returns its number.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the cause with a number.
    pub fn from_code(code: i64) -> Option<Self> {
        usize::try_from(code).ok().and_then(|code| Self::ALL.get(code)).copied()
    }

    /// Returns a refusal with the general sentence.
    pub fn refusal(self) -> Refusal {
        Refusal { cause: self, message: self.sentence().to_owned(), wait_s: None, is_outside_area: false }
    }

    /// Returns a refusal with a specific message.
    pub fn because(self, message: impl Into<String>) -> Refusal {
        Refusal { cause: self, message: message.into(), wait_s: None, is_outside_area: false }
    }
}

/// The refusal of a command or of one of its steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, for programs.
    pub cause: AddCause,
    /// The reason, for users.
    pub message: String,
    /// After this time the reason has passed by itself, s; `None` if something must be done.
    pub wait_s: Option<i64>,
    /// Whether another desk holds the area of the device, so that the user may not operate it from the own desk.
    pub is_outside_area: bool,
}

impl From<&OutsideArea> for Refusal {
    fn from(outside: &OutsideArea) -> Self {
        Self { is_outside_area: true, ..AddCause::BlockedBySwitchingHierarchy.because(outside.to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_each_other_and_go_both_ways() {
        assert_eq!(AddCause::ALL.len(), 28);
        for (number, cause) in AddCause::ALL.iter().enumerate() {
            assert_eq!(usize::from(cause.code()), number);
            assert_eq!(AddCause::from_code(number as i64), Some(*cause));
            assert!(cause.sentence().ends_with('.') && !cause.name().is_empty());
        }
        assert_eq!((AddCause::from_code(28), AddCause::from_code(-1)), (None, None));
    }
}
