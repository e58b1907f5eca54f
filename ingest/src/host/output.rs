//! What follows from what came in: to be stored, shown, sent and entered.

use store::Discovery;
use wire::bus::BusMessage;

use super::index::NodeIndex;
use crate::parcel::Parcel;

/// What is to be done about what came in. Whoever calls does it, in any order.
#[derive(Debug, Default)]
pub struct Out {
    /// To be stored.
    pub parcels: Vec<Parcel>,
    /// To be shown at once.
    pub live: Vec<BusMessage>,
    /// To be sent to nodes: topic and payload. Lost ones are made up for by the next tick's.
    pub commands: Vec<(String, Vec<u8>)>,
    /// To be entered in the database, with [`Host::discovered`] as the answer.
    pub discoveries: Vec<(NodeIndex, Discovery)>,
    /// Something unknown was named: the registry may have changed.
    pub reload: bool,
}
