//! The links that are watched.

use grid::GatewayId;

/// A watched link.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Link {
    Gateway(GatewayId),
    Device(GatewayId, String),
}
