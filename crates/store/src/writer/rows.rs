//! The content of a writer's transaction, and the result of a commit.

use grid::{ClientId, Event, GatewayId, LinkOrder, Micros, PointId, Reading};

/// A value for the history, and for `latest` unless it is historical. A status change is both a sample and an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Id of the point.
    pub point: PointId,
    /// Id of the utility.
    pub client: ClientId,
    /// The value, after scaling.
    pub reading: Reading,
    /// Whether the value is stored in the history only and not in `latest`: a late value, or one that a gateway buffered while it was disconnected.
    pub historical: bool,
    /// Whether the message was received before, so that the value is probably stored already. This determines which statement is tried first, but not which
    /// rows are stored.
    pub repeated: bool,
}

/// A change of a status point, to be stored as an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewEvent {
    /// Id of the point.
    pub point: PointId,
    /// Id of the utility.
    pub client: ClientId,
    /// Index within its message, because a message can contain a point twice.
    pub index: i16,
    /// The change.
    pub reading: Reading,
}

/// The value that is shown for a point after a newer value was refused. It is stored in `latest` only, never in the history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Doubt {
    /// The point.
    pub point: PointId,
    /// Its utility.
    pub client: ClientId,
    /// The value with a quality that is no better than questionable. Its ordinal is that of the message with the refused value.
    pub reading: Reading,
}

/// Input that cannot be used, stored for administrators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// Id of the utility, if known.
    pub client: Option<ClientId>,
    /// MQTT topic of the message.
    pub topic: String,
    /// Reason as a short code.
    pub reason: String,
    /// Reason as a sentence.
    pub detail: String,
    /// Payload of the message; the first 64 KiB are stored.
    pub payload: Vec<u8>,
    /// Receive time.
    pub received: Micros,
}

/// A report about a gateway: a link state, or only that a message was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayMark {
    /// Id of the gateway.
    pub gateway: GatewayId,
    /// The reported state; `None` for a message that reports no state.
    pub online: Option<bool>,
    /// Time of the report.
    pub at: Micros,
    /// Position of the state among the gateway's states, if it is a state.
    pub order: LinkOrder,
    /// Whether the state is added to the history of the link. False if it only confirms the previous state.
    pub entered: bool,
}

/// A link state of a device, as reported by its gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceMark {
    /// Id of the gateway.
    pub gateway: GatewayId,
    /// Name of the Sparkplug device.
    pub device: String,
    /// Whether the device is online.
    pub online: bool,
    /// Time of the report.
    pub at: Micros,
    /// Position of the state among the device's states.
    pub order: LinkOrder,
}

/// Counts of a gateway's messages since the previous counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayCount {
    /// Id of the gateway.
    pub gateway: GatewayId,
    /// End of the counted time. The counts are added to the day of this time in the utility's time zone.
    pub at: Micros,
    /// Number of accepted values.
    pub taken: i64,
    /// Number of accepted values that were received more than a minute after their source time.
    pub late: i64,
    /// Number of messages missing by their sequence numbers.
    pub missing: i64,
    /// How far the gateway's clock was ahead of ours, ms; negative if behind; `None` if it sent no time.
    pub skew_ms: Option<i64>,
    /// Whether any message was received; false if messages were only missing.
    pub heard: bool,
}

/// The content of one transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// Values for the history.
    pub samples: Vec<Sample>,
    /// Status changes.
    pub events: Vec<NewEvent>,
    /// Input that cannot be used.
    pub dead: Vec<DeadLetter>,
    /// Present values in doubt, because of values that were refused.
    pub doubts: Vec<Doubt>,
    /// Reports about gateways, in the order of receipt.
    pub gateways: Vec<GatewayMark>,
    /// Reports about devices, in the order of receipt.
    pub devices: Vec<DeviceMark>,
    /// Counts of gateways.
    pub counts: Vec<GatewayCount>,
}

/// The result of a commit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Committed {
    /// Number of new samples.
    pub samples_new: u64,
    /// Number of samples that were stored already with the same value.
    pub samples_duplicate: u64,
    /// Number of samples and events whose key was stored with another value. The stored value is kept; the new one is in the dead letters.
    pub conflicts: u64,
    /// The new events, one entry for each utility; after [`Writer::salvage`] possibly several for one utility, in order.
    pub events: Vec<CommittedEvents>,
}

/// The new events of one utility.
#[derive(Debug, Clone, PartialEq)]
pub struct CommittedEvents {
    /// Id of the utility.
    pub client: ClientId,
    /// The epoch of its event stream.
    pub epoch: String,
    /// The offset before the first event.
    pub from: i64,
    /// The offset of the last event.
    pub offset: i64,
    /// The events in the order of the offsets.
    pub rows: Vec<Event>,
}
