//! The rows of one message, with the acknowledgements that must wait until the rows are stored.

use bytes::Bytes;
use field::client::Ack;
use grid::{ClientId, Micros};
use store::writer::{Batch, DeadLetter, DeviceMark, Doubt, GatewayCount, GatewayMark, NewEvent, Sample};

use crate::ack::OutboxPosition;
use crate::decode::Reason;
use crate::node_index::NodeIndex;

/// The rows of one message. They are stored together or not at all.
#[derive(Debug, Default)]
pub struct Parcel {
    /// Rows to store.
    pub rows: Batch,
    /// The sending node, if known; the parcels of a node use one connection.
    pub node: Option<NodeIndex>,
    /// The position in the node's outbox, which is acknowledged to the node.
    pub place: Option<OutboxPosition>,
    /// The acknowledgement to the broker.
    pub ack: Option<Ack>,
    /// The number of bytes that are counted as held for it.
    pub held: usize,
    /// When it was passed to a writer.
    pub handed_on: Micros,
}

/// The origin of a message, for its dead letter.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// The utility, if known.
    pub client: Option<ClientId>,
    /// The topic.
    pub topic: String,
    /// The payload.
    pub payload: Bytes,
    /// Receive time.
    pub received: Micros,
}

impl Origin {
    /// Returns the message as a dead letter.
    pub fn dead_letter(&self, reason: Reason, detail: impl Into<String>) -> DeadLetter {
        metrics::counter!("ingest_dead_letters_total", "reason" => reason.as_str()).increment(1);
        // The topic may contain a NUL, which PostgreSQL cannot store.
        let topic = self.topic.replace('\0', "\u{fffd}");
        let kept = self.payload.len().min(64 * 1024);
        DeadLetter {
            client: self.client,
            topic,
            reason: reason.as_str().into(),
            detail: detail.into(),
            payload: self.payload[..kept].to_vec(),
            received: self.received,
        }
    }
}

impl Parcel {
    /// Returns the number of rows.
    pub fn row_count(&self) -> usize {
        self.rows.row_count()
    }

    /// Returns the size in memory, bytes.
    pub fn size(&self) -> usize {
        let rows = self.rows.samples.len() * size_of::<Sample>()
            + self.rows.events.len() * size_of::<NewEvent>()
            + self.rows.doubts.len() * size_of::<Doubt>()
            + self.rows.gateways.len() * size_of::<GatewayMark>()
            + self.rows.counts.len() * size_of::<GatewayCount>()
            + self.rows.devices.iter().map(|mark| size_of::<DeviceMark>() + mark.device.len()).sum::<usize>()
            + self.rows.dead.iter().map(|dead| size_of::<DeadLetter>() + dead.payload.len() + dead.detail.len()).sum::<usize>();
        size_of::<Self>() + rows
    }

    /// Returns whether there are no rows to store.
    pub fn is_empty(&self) -> bool {
        self.row_count() == 0
    }

    /// Returns whether it has events, whose order matters across all connections.
    pub fn has_events(&self) -> bool {
        !self.rows.events.is_empty()
    }
}

/// Returns the rows of all parcels, in order.
pub fn merge<'a>(parcels: impl Iterator<Item = &'a Parcel>) -> Batch {
    let mut batch = Batch::default();
    for parcel in parcels {
        batch.samples.extend_from_slice(&parcel.rows.samples);
        batch.events.extend_from_slice(&parcel.rows.events);
        batch.dead.extend_from_slice(&parcel.rows.dead);
        batch.doubts.extend_from_slice(&parcel.rows.doubts);
        batch.gateways.extend_from_slice(&parcel.rows.gateways);
        batch.devices.extend_from_slice(&parcel.rows.devices);
        batch.counts.extend_from_slice(&parcel.rows.counts);
    }
    batch
}
