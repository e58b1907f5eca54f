//! What one message leaves to be stored, with everything that must wait until it is.

use bytes::Bytes;
use field::client::Ack;
use grid::{ClientId, Micros};
use store::writer::{Batch, DeadLetter, DeviceMark, GatewayCount, GatewayMark, NewEvent, Sample};

use crate::ack::Place;
use crate::decode::Reason;
use crate::host::NodeIndex;

/// What one message leaves to be stored. It is stored whole or not at all.
#[derive(Debug, Default)]
pub struct Parcel {
    /// Rows to store.
    pub rows: Batch,
    /// The node that sent it, where it is known; keeps a node's parcels on one connection.
    pub node: Option<NodeIndex>,
    /// Its place in the node's outbox, to be acknowledged to the node.
    pub place: Option<Place>,
    /// To be acknowledged to the broker.
    pub ack: Option<Ack>,
    /// What it was counted with when it was taken into the hold, bytes.
    pub held: usize,
    /// When it was handed on to a writer.
    pub handed_on: Micros,
}

/// Where a message came from, as its dead letter tells it.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// The utility, where it is known.
    pub client: Option<ClientId>,
    /// The topic.
    pub topic: String,
    /// The message.
    pub payload: Bytes,
    /// When it came.
    pub received: Micros,
}

impl Origin {
    /// The message as a dead letter.
    pub fn dead_letter(&self, reason: Reason, detail: impl Into<String>) -> DeadLetter {
        metrics::counter!("ingest_dead_letters_total", "reason" => reason.word()).increment(1);
        // A topic with a control character is one of the reasons, and PostgreSQL keeps no NUL.
        let topic = self.topic.replace('\0', "\u{fffd}");
        let kept = self.payload.len().min(64 * 1024);
        DeadLetter {
            client: self.client,
            topic,
            reason: reason.word().into(),
            detail: detail.into(),
            payload: self.payload[..kept].to_vec(),
            received: self.received,
        }
    }
}

impl Parcel {
    /// Rows that it adds to a batch.
    pub fn row_count(&self) -> usize {
        self.rows.row_count()
    }

    /// What it takes, bytes.
    pub fn size(&self) -> usize {
        let rows = self.rows.samples.len() * size_of::<Sample>()
            + self.rows.events.len() * size_of::<NewEvent>()
            + self.rows.gateways.len() * size_of::<GatewayMark>()
            + self.rows.counts.len() * size_of::<GatewayCount>()
            + self.rows.devices.iter().map(|mark| size_of::<DeviceMark>() + mark.device.len()).sum::<usize>()
            + self.rows.dead.iter().map(|dead| size_of::<DeadLetter>() + dead.payload.len() + dead.detail.len()).sum::<usize>();
        size_of::<Self>() + rows
    }

    /// Whether nothing needs to be stored before whatever waits for it may go on.
    pub fn is_empty(&self) -> bool {
        self.row_count() == 0
    }

    /// Whether its rows include one that must keep its order among all connections.
    pub fn has_events(&self) -> bool {
        !self.rows.events.is_empty()
    }
}

/// All rows of some parcels, in order.
pub fn merge<'a>(parcels: impl Iterator<Item = &'a Parcel>) -> Batch {
    let mut batch = Batch::default();
    for parcel in parcels {
        batch.samples.extend_from_slice(&parcel.rows.samples);
        batch.events.extend_from_slice(&parcel.rows.events);
        batch.dead.extend_from_slice(&parcel.rows.dead);
        batch.gateways.extend_from_slice(&parcel.rows.gateways);
        batch.devices.extend_from_slice(&parcel.rows.devices);
        batch.counts.extend_from_slice(&parcel.rows.counts);
    }
    batch
}
