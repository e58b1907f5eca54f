//! Flags that qualify figures: why a figure is missing, incomplete or may still change.

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
    /// Gateways were offline for a part of the time.
    Silent,
    /// The meters of the substation were used.
    StationMeters,
}

impl Flag {
    /// Returns the flag as it is written in answers and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Backcast => "backcast",
            Self::Coarse => "coarse",
            Self::Late => "late",
            Self::NegativeLoss => "negative_loss",
            Self::NoCustomers => "no_customers",
            Self::NoData => "no_data",
            Self::NoFeeder => "no_feeder",
            Self::NotMetered => "not_metered",
            Self::Open => "open",
            Self::Partial => "partial",
            Self::Provisional => "provisional",
            Self::RegisterReset => "register_reset",
            Self::Silent => "silent",
            Self::StationMeters => "station_meters",
        }
    }

    /// Returns the flags whose condition is met, in the given order.
    pub fn that_apply<const N: usize>(conditions: [(bool, Self); N]) -> Vec<Self> {
        conditions.into_iter().filter(|(is_met, _)| *is_met).map(|(_, flag)| flag).collect()
    }

    /// Returns flags as a text, separated by commas, for the remarks of a report.
    pub fn list(flags: impl IntoIterator<Item = Self>) -> String {
        flags.into_iter().map(Self::as_str).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn flags_are_written_as_in_json_and_sorted_by_name() {
        use Flag::{
            Backcast, Coarse, Late, NegativeLoss, NoCustomers, NoData, NoFeeder, NotMetered, Open, Partial, Provisional, RegisterReset,
            Silent, StationMeters,
        };
        let all = [
            Backcast,
            Coarse,
            Late,
            NegativeLoss,
            NoCustomers,
            NoData,
            NoFeeder,
            NotMetered,
            Open,
            Partial,
            Provisional,
            RegisterReset,
            Silent,
            StationMeters,
        ];
        assert!(all.iter().all(|flag| json!(flag) == json!(flag.as_str())));
        assert!(all.is_sorted() && all.is_sorted_by_key(|flag| flag.as_str()));
        assert_eq!(Flag::list(Flag::that_apply([(true, Late), (false, Open), (true, Coarse)])), "late, coarse");
    }
}
