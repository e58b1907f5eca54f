//! Sparkplug B payloads as plain types (Sparkplug 3.0, chapter 6). Reading is liberal, since real clients break the letter; writing is not.

use prost::Message as _;
use srad_types::payload as proto;

pub use proto::DataType;

mod read;
mod write;

/// The most metrics in one payload. A large substation's birth has some hundred.
pub const METRIC_LIMIT: usize = 10_000;

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

/// One message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Payload {
    /// When it was sent, epoch ms.
    pub timestamp: Option<u64>,
    /// The number of the message within its session, 0 to 255.
    pub seq: Option<u64>,
    /// What it says.
    pub metrics: Vec<Metric>,
}

/// One metric of a message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metric {
    /// Its name within node or device. Absent where an alias stands for it.
    pub name: Option<String>,
    /// A number that stands for the name after the birth that paired them.
    pub alias: Option<u64>,
    /// When it was measured, epoch ms.
    pub timestamp: Option<u64>,
    /// The declared type. When writing, absent means that of the value.
    pub datatype: Option<DataType>,
    /// The value.
    pub value: MetricValue,
    /// Sent late, out of a store: for the history only.
    pub historical: bool,
    /// The property `Quality`.
    pub quality: Option<i32>,
    /// The property `QDS`.
    pub qds: Option<u16>,
    /// All other properties that are plain values.
    pub properties: Vec<(String, MetricValue)>,
}

/// The value of a metric or property.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum MetricValue {
    /// Explicitly or implicitly absent.
    #[default]
    Null,
    /// Boolean.
    Boolean(bool),
    /// Int8, Int16 and Int32.
    Int32(i32),
    /// Int64.
    Int64(i64),
    /// UInt8, UInt16, UInt32, and a 32-bit integer without a declared type.
    UInt32(u32),
    /// UInt64, and a 64-bit integer without a declared type.
    UInt64(u64),
    /// Float.
    Float(f32),
    /// Double.
    Double(f64),
    /// String, Text and UUID.
    Text(String),
    /// DateTime, epoch ms.
    DateTime(u64),
    /// A kind that this product does not use: data set, template, bytes, array.
    Other,
}

impl MetricValue {
    /// As a number; booleans are 0 and 1. Everything that is no number is `None`.
    pub fn as_number(&self) -> Option<f64> {
        match *self {
            Self::Boolean(value) => Some(f64::from(u8::from(value))),
            Self::Int32(value) => Some(value.into()),
            Self::Int64(value) => Some(value as f64),
            Self::UInt32(value) => Some(value.into()),
            Self::UInt64(value) | Self::DateTime(value) => Some(value as f64),
            Self::Float(value) => Some(value.into()),
            Self::Double(value) => Some(value),
            Self::Null | Self::Text(_) | Self::Other => None,
        }
    }

    /// As an unsigned whole number; `None` when it is none.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Self::UInt64(value) | Self::DateTime(value) => Some(value),
            Self::UInt32(value) => Some(value.into()),
            Self::Int64(value) => value.try_into().ok(),
            Self::Int32(value) => value.try_into().ok(),
            _ => None,
        }
    }
}

impl Metric {
    /// A metric by name.
    pub fn new(name: impl Into<String>, value: MetricValue) -> Self {
        Self { name: Some(name.into()), value, ..Self::default() }
    }

    /// A metric by name that has a type and no value, as a birth declares what may follow.
    pub fn absent(name: impl Into<String>, datatype: DataType) -> Self {
        Self { datatype: Some(datatype), ..Self::new(name, MetricValue::Null) }
    }

    /// The same, measured at an epoch millisecond.
    #[must_use]
    pub fn at(mut self, timestamp: u64) -> Self {
        self.timestamp = Some(timestamp);
        self
    }

    /// A plain property other than quality, by its exact key.
    pub fn property(&self, key: &str) -> Option<&MetricValue> {
        self.properties.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl Payload {
    /// The metric of a name.
    pub fn metric(&self, name: &str) -> Option<&Metric> {
        self.metrics.iter().find(|metric| metric.name.as_deref() == Some(name))
    }

    /// Reads a message. Never panics, whatever the bytes are; costs memory in proportion to them.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        // Counted before decoding: two bytes on the wire become some hundred in memory.
        if read::count_metrics(bytes).ok_or(DecodeError::Malformed)? > METRIC_LIMIT {
            return Err(DecodeError::TooManyMetrics);
        }
        let payload = proto::Payload::decode(bytes).map_err(|_| DecodeError::Malformed)?;
        Ok(read::payload(payload))
    }

    /// Writes a message, each metric with its type (npm's sparkplug-client reads null without it).
    pub fn encode(&self) -> Vec<u8> {
        write::payload(self).encode_to_vec()
    }
}

/// Why bytes are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// No protobuf, or not of this schema.
    #[error("not a Sparkplug B payload")]
    Malformed,
    /// More than [`METRIC_LIMIT`].
    #[error("more than {METRIC_LIMIT} metrics in one message")]
    TooManyMetrics,
}

/// Whether a host application is there: the JSON of a STATE message (Sparkplug 3.0, 6.4.28 and 6.4.29). The will carries the same time as the birth.
pub fn state(online: bool, timestamp_ms: i64) -> Vec<u8> {
    format!(r#"{{"online":{online},"timestamp":{timestamp_ms}}}"#).into_bytes()
}

/// Reads a STATE message into (online, timestamp). The older form, plain ONLINE or OFFLINE, has no time.
pub fn read_state(payload: &[u8]) -> Option<(bool, Option<i64>)> {
    match payload {
        b"ONLINE" => return Some((true, None)),
        b"OFFLINE" => return Some((false, None)),
        _ => {}
    }
    let json: serde_json::Value = serde_json::from_slice(payload).ok()?;
    Some((json.get("online")?.as_bool()?, json.get("timestamp").and_then(serde_json::Value::as_i64)))
}

#[cfg(test)]
mod tests;
