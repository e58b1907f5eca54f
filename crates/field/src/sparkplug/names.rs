//! Names of metrics and properties that the standard fixes, or the profile of this product.

/// The metric that ties a death to its birth.
pub const BD_SEQ: &str = "bdSeq";
/// The metric by which a host asks for new births.
pub const REBIRTH: &str = "Node Control/Rebirth";
/// In an NBIRTH, true: the node keeps an outbox and wants acknowledgements (live.md section 1).
pub const OUTBOX: &str = "Node Control/Outbox";
/// In every data message of such a node: the epoch of its outbox, new at each boot.
pub const OUTBOX_EPOCH: &str = "Outbox/Epoch";
/// In every data message of such a node: the number within the epoch, contiguous from 1.
pub const OUTBOX_SEQ: &str = "Outbox/Seq";
/// In every data message of such a node: up to which number of the epoch it has been acknowledged, 0 for none. From it a host that has just started
/// knows where its own cumulative acknowledgement may begin.
pub const OUTBOX_ACKED: &str = "Outbox/Acked";
/// In the acknowledging NCMD: the epoch.
pub const ACK_EPOCH: &str = "Node Control/Ack/Epoch";
/// In the acknowledging NCMD: everything up to here is durable.
pub const ACK_SEQ: &str = "Node Control/Ack/Seq";
/// The property that carries the quality: 192 good, 500 stale, 0 bad.
pub const QUALITY: &str = "Quality";
/// The property that carries the raw quality bits of IEC 60870-5-101.
pub const QDS: &str = "QDS";
/// The property that carries the unit, in births.
pub const UNIT: &str = "engUnit";
/// The property that carries the expected reporting interval in ms, in births.
pub const EXPECTED_MS: &str = "expectedMs";
