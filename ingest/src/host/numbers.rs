//! The numbers that an ingest assigns, which define the order of its reports.

use grid::{LinkOrder, Ordinal};

/// The latest assigned numbers.
#[derive(Debug)]
pub(super) struct Numbers {
    /// The number of messages with values. It orders the readings of a point.
    pub(super) message: Ordinal,
    /// The number of link states of gateways and devices.
    pub(super) link: LinkOrder,
}
