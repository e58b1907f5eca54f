//! Why a feeder has no diagram.

/// Why a feeder has no diagram.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The network has no such feeder.
    #[error("the network has no feeder {0:?} that a breaker feeds. Give the id of a feeder or of the breaker at its head")]
    NoFeeder(String),
    /// The feeder is too large.
    #[error(
        "the feeder has more than {allowed} pieces of equipment in its normal state, so that it cannot be drawn. Check its normally-open points"
    )]
    TooLarge {
        /// The greatest number.
        allowed: usize,
    },
}
