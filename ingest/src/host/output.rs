//! The output of the host: rows, bus messages, commands and discoveries.

use store::Discovery;
use wire::bus::BusMessage;

use crate::node_index::NodeIndex;
use crate::parcel::Parcel;

/// The output of the host. The caller may handle the parts in any order.
#[derive(Debug, Default)]
pub struct Out {
    /// Rows to store.
    pub parcels: Vec<Parcel>,
    /// Values to publish at once.
    pub live: Vec<BusMessage>,
    /// Messages to nodes: topic and payload. If such a message is lost, a later tick repeats it.
    pub commands: Vec<(String, Vec<u8>)>,
    /// Gateways and points to enter in the database; pass the results to [`Host::discovered`].
    pub discoveries: Vec<(NodeIndex, Discovery)>,
}
