//! What a subscriber of the bus gets.

use std::sync::Arc;

use wire::bus::BusMessage;

/// What a subscriber gets.
#[derive(Debug, Clone)]
pub enum Received {
    /// A message; shared, since every subscriber gets the same.
    Message(Arc<BusMessage>),
    /// Messages were missed: read the present state again.
    Lagged,
}
