//! What goes into one transaction of a writer, and what it has stored.

use grid::{ClientId, Event, GatewayId, LinkOrder, Micros, PointId, Reading};

/// One value for the history, and for `latest` unless it is historical. A status change is a sample as well as an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The point.
    pub point: PointId,
    /// Its utility.
    pub client: ClientId,
    /// The value, after scaling.
    pub reading: Reading,
    /// Sent late by a gateway that had been cut off, or older than the present value when it arrived: to the history alone, never to `latest`.
    pub historical: bool,
    /// Came in a message that has come before: most likely it is stored. A hint for the way it is tried, never for what is stored.
    pub repeated: bool,
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
    /// The place of the state among the gateway's states, where it is one.
    pub order: LinkOrder,
    /// Whether the state is entered in the history of the link; not where it only confirms that the state before still holds.
    pub entered: bool,
}

/// A gateway has said that one of its devices has come or gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceMark {
    /// The gateway.
    pub gateway: GatewayId,
    /// The device.
    pub device: String,
    /// Come or gone.
    pub online: bool,
    /// When.
    pub at: Micros,
    /// The place of the state among the device's states.
    pub order: LinkOrder,
}

/// What was counted of a gateway's messages since the last time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayCount {
    /// The gateway.
    pub gateway: GatewayId,
    /// Until when; it counts for the day of this instant in the utility's zone.
    pub at: Micros,
    /// Values that were taken.
    pub taken: i64,
    /// Those of them that came more than a minute after their time.
    pub late: i64,
    /// Messages whose numbers never came.
    pub missing: i64,
    /// How far its clock was ahead of ours, ms; `None` when it sent no time of its own.
    pub skew_ms: Option<i64>,
    /// Whether anything was heard of it, or only missed.
    pub heard: bool,
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
    /// What was heard of devices, in order of arrival.
    pub devices: Vec<DeviceMark>,
    /// What was counted of gateways.
    pub counts: Vec<GatewayCount>,
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
    /// The new events, one entry a utility; after [`Writer::salvage`] possibly several, in order.
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
