//! The items that a subscriber of the bus receives.

use std::sync::Arc;

use wire::bus::BusMessage;

/// An item of a subscription.
#[derive(Debug, Clone)]
pub enum Received {
    /// A message, shared by all subscribers.
    Message(Arc<BusMessage>),
    /// Messages were lost: read the current state from the database.
    Lagged,
}
