//! The durable path: one batch, one transaction, on a connection of its own. Whatever is acknowledged to the field has passed through here.

use grid::{ClientId, Event, GatewayId, Micros, PointId, Reading};

use crate::Result;

/// One value for the history, and for `latest` unless it is historical. A status change is a sample as well as an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The point.
    pub point: PointId,
    /// Its utility.
    pub client: ClientId,
    /// The value, after scaling.
    pub reading: Reading,
    /// Sent late by a gateway that had been cut off: to the history alone, never to `latest`.
    pub historical: bool,
}

/// A change of a status point, for the sequence of events.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewEvent {
    /// The point.
    pub point: PointId,
    /// Its utility.
    pub client: ClientId,
    /// Its place within its message: a message may carry a point twice.
    pub index: i16,
    /// The change.
    pub reading: Reading,
}

/// Input that could not be taken, kept for people to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// The utility, where it is known.
    pub client: Option<ClientId>,
    /// Where it came from.
    pub topic: String,
    /// Why, as a short code.
    pub reason: String,
    /// Why, as a sentence.
    pub detail: String,
    /// What arrived; the first 64 KiB are kept.
    pub payload: Vec<u8>,
    /// When.
    pub received: Micros,
}

/// Something heard of a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayMark {
    /// The gateway.
    pub gateway: GatewayId,
    /// Born or dead; `None` when it was only heard.
    pub online: Option<bool>,
    /// When.
    pub at: Micros,
}

/// What goes into one transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// Values.
    pub samples: Vec<Sample>,
    /// Status changes.
    pub events: Vec<NewEvent>,
    /// What was refused.
    pub dead: Vec<DeadLetter>,
    /// What was heard of gateways, in order of arrival.
    pub gateways: Vec<GatewayMark>,
}

/// What a transaction has stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Committed {
    /// Samples that were not there before.
    pub samples_new: u64,
    /// Samples that were there already, value for value.
    pub samples_duplicate: u64,
    /// Samples and events whose key was there with another value: what was stored stays, what came is in the dead letters.
    pub conflicts: u64,
    /// The new events, one entry a utility.
    pub events: Vec<CommittedEvents>,
}

/// The new events of one utility.
#[derive(Debug, Clone, PartialEq)]
pub struct CommittedEvents {
    /// The utility.
    pub client: ClientId,
    /// The epoch of its event stream.
    pub epoch: String,
    /// The offset before the first of these.
    pub from: i64,
    /// The offset of the last of these.
    pub offset: i64,
    /// The events, in offset order.
    pub rows: Vec<Event>,
}

/// The connection that telemetry is written through. After an error of connection make a new one.
pub struct Writer {
    client: tokio_postgres::Client,
}

impl Writer {
    /// Connects and prepares its statements. Says so in the log when the server does not flush commits to disk.
    pub async fn connect(url: &str) -> Result<Self> {
        let _ = url;
        todo!()
    }

    /// Stores a batch in one transaction: all of it or, on an error, nothing. Resending a batch doubles nothing.
    pub async fn commit(&mut self, batch: &Batch) -> Result<Committed> {
        let _ = batch;
        todo!()
    }

    /// Writes out what is held back for `latest`. For an orderly stop; a crash is healed at the next [`Writer::connect`].
    pub async fn flush(&mut self) -> Result<()> {
        todo!()
    }

    /// Whether the connection is gone.
    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }
}
