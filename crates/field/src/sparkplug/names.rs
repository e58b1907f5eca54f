//! Names of metrics and properties that the standard or the profile of this product defines.

/// The metric whose number shows to which birth a death belongs.
pub const BD_SEQ: &str = "bdSeq";
/// The metric by which a host requests new births.
pub const REBIRTH: &str = "Node Control/Rebirth";
/// If true in an NBIRTH, the node has an outbox and needs acknowledgements (docs/reference/mqtt.md, Outbox).
pub const OUTBOX: &str = "Node Control/Outbox";
/// In every data message of a node with an outbox: the epoch of the outbox. A new outbox has a new epoch.
pub const OUTBOX_EPOCH: &str = "Outbox/Epoch";
/// In every data message of a node with an outbox: the number of the message in the epoch, from 1 without a gap.
pub const OUTBOX_SEQ: &str = "Outbox/Seq";
/// In every data message of a node with an outbox: the last acknowledged number of the epoch; 0 if none. A host that
/// has just started uses it as the start of its cumulative acknowledgement.
pub const OUTBOX_ACKED: &str = "Outbox/Acked";
/// In the acknowledging NCMD: the epoch.
pub const ACK_EPOCH: &str = "Node Control/Ack/Epoch";
/// In the acknowledging NCMD: the last number of the durable messages.
pub const ACK_SEQ: &str = "Node Control/Ack/Seq";
/// The property that carries the quality: 192 good, 500 stale, 0 bad.
pub const QUALITY: &str = "Quality";
/// The property that carries the raw quality bits of IEC 60870-5-101.
pub const QDS: &str = "QDS";
/// The property that carries the unit, in births.
pub const UNIT: &str = "engUnit";
/// The property that carries the expected reporting interval in ms, in births.
pub const EXPECTED_MS: &str = "expectedMs";
