//! The numbers that an ingest gives itself, by which others order what it reports.

use grid::{LinkOrder, Ordinal};

/// What an ingest numbers itself.
#[derive(Debug)]
pub(super) struct Numbers {
    /// Messages with values. It orders the readings of a point for all who take them from here.
    pub(super) message: Ordinal,
    /// Link states of gateways and devices.
    pub(super) link: LinkOrder,
}
