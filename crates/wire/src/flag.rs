//! Flags that qualify figures: why a figure is missing, incomplete or may still change.

use grid::enum_text;
use serde::{Deserialize, Serialize};

/// A flag of an answer, a row or a remark in a report. They are declared in alphabetical order, in which sets of them are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// Forecasts of the past were computed afterwards.
    Backcast,
    /// The resolution is lower than usual.
    Coarse,
    /// The newest values or events are not included yet.
    Late,
    /// More energy leaves than enters.
    NegativeLoss,
    /// The number of customers is unknown.
    NoCustomers,
    /// Nothing is known.
    NoData,
    /// No feeder counts.
    NoFeeder,
    /// A meter is missing.
    NotMetered,
    /// An outage or a fault is still open.
    Open,
    /// Only a part is known.
    Partial,
    /// The figure may still change.
    Provisional,
    /// A register of a meter was set back.
    RegisterReset,
    /// A reading of a register was refused, because the line cannot carry so much.
    RegisterStep,
    /// Gateways were offline for a part of the time.
    Silent,
    /// The meters of the substation were used.
    StationMeters,
}

enum_text! {
    /// Returns the flag as it is written in answers and files.
    Flag {
        Backcast = "backcast",
        Coarse = "coarse",
        Late = "late",
        NegativeLoss = "negative_loss",
        NoCustomers = "no_customers",
        NoData = "no_data",
        NoFeeder = "no_feeder",
        NotMetered = "not_metered",
        Open = "open",
        Partial = "partial",
        Provisional = "provisional",
        RegisterReset = "register_reset",
        RegisterStep = "register_step",
        Silent = "silent",
        StationMeters = "station_meters",
    }
}

impl Flag {
    /// Returns the flags whose condition is met, in the given order.
    pub fn that_apply<const N: usize>(conditions: [(bool, Self); N]) -> Vec<Self> {
        conditions.into_iter().filter(|(is_met, _)| *is_met).map(|(_, flag)| flag).collect()
    }

    /// Returns the flag as the screens explain it (`web/src/words/en/analytics.ts`).
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Backcast => "Made afterwards, from nothing but what was known at its time.",
            Self::Coarse => "Summarised, because the span is long or finer values are not kept.",
            Self::Late => "The newest reading is older than it should be.",
            Self::NegativeLoss => "More energy went out than came in: a meter or its ratio is wrong.",
            Self::NoCustomers => "No customers are known here.",
            Self::NoData => "There are no readings.",
            Self::NoFeeder => "There is no feeder that counts here.",
            Self::NotMetered => "A part of it has no meter at its input or output.",
            Self::Open => "An outage lasts.",
            Self::Partial => "Readings are missing.",
            Self::Provisional => "It may still change.",
            Self::RegisterReset => "A register was reset or replaced; that interval does not count.",
            Self::RegisterStep => "A reading of a register was refused: the line cannot carry so much energy in that time.",
            Self::Silent => "Gateways were offline for a part of the time.",
            Self::StationMeters => "Computed from the meters of lines and feeders of the substation.",
        }
    }

    /// Returns the sentence for figures of outages, which are made of events and not of readings.
    pub fn sentence_for_outages(self) -> &'static str {
        match self {
            Self::Late => "The newest events are not included yet.",
            Self::NoCustomers => "No customers are supplied.",
            Self::NoData => "Nothing is known of the period.",
            Self::NoFeeder => "No feeder counts: it supplies another substation, or the utility's rules leave it out.",
            Self::Partial => "Known in part.",
            other => other.sentence(),
        }
    }

    /// Returns flags as a text, for the remarks of a report.
    pub fn list(flags: impl IntoIterator<Item = Self>) -> String {
        flags.into_iter().map(Self::sentence).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_sentence_is_a_code() {
        for flag in Flag::ALL {
            for sentence in [flag.sentence(), flag.sentence_for_outages()] {
                assert!(sentence.ends_with('.') && !sentence.contains('_'), "{flag:?}: {sentence}");
            }
        }
    }

    #[test]
    fn flags_are_written_as_in_json_and_sorted_by_name() {
        assert!(Flag::ALL.iter().all(|flag| json!(flag) == json!(flag.as_str())));
        assert!(Flag::ALL.is_sorted() && Flag::ALL.is_sorted_by_key(|flag| flag.as_str()));
        let listed = Flag::list(Flag::that_apply([(true, Flag::Late), (false, Flag::Open), (true, Flag::Partial)]));
        assert_eq!(listed, "The newest reading is older than it should be. Readings are missing.");
    }
}
