//! Sparkplug B payloads as plain types (Sparkplug 3.0, chapter 6). The decoder tolerates deviations of real clients;
//! the encoder follows the standard exactly.

use prost::Message as _;
use srad_types::payload as proto;

mod names;
mod payload;
mod read;
mod write;

pub use names::{ACK_EPOCH, ACK_SEQ, BD_SEQ, EXPECTED_MS, OUTBOX, OUTBOX_ACKED, OUTBOX_EPOCH, OUTBOX_SEQ, QDS, QUALITY, REBIRTH, UNIT};
pub use payload::{Metric, MetricValue, Payload};
pub use proto::DataType;

/// Maximum number of metrics in one payload. The birth of a large substation has some hundred.
pub const METRIC_LIMIT: usize = 10_000;

impl Payload {
    /// Decodes a message. Never panics, whatever the bytes are. The memory is proportional to the number of bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        // Count before decoding: two encoded bytes can become some hundred in memory.
        if read::count_metrics(bytes).ok_or(DecodeError::Malformed)? > METRIC_LIMIT {
            return Err(DecodeError::TooManyMetrics);
        }
        let payload = proto::Payload::decode(bytes).map_err(|_| DecodeError::Malformed)?;
        Ok(read::payload(payload))
    }

    /// Encodes a message, each metric with its type (npm's sparkplug-client decodes null without it).
    pub fn encode(&self) -> Vec<u8> {
        write::payload(self).encode_to_vec()
    }
}

/// Why bytes are not a valid message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Not protobuf, or not of this schema.
    #[error("not a Sparkplug B payload")]
    Malformed,
    /// More than [`METRIC_LIMIT`].
    #[error("more than {METRIC_LIMIT} metrics in one message")]
    TooManyMetrics,
}

/// Encodes the JSON of a STATE message: whether a host application is online (Sparkplug 3.0, 6.4.28 and 6.4.29). The
/// will has the same time as the birth.
pub fn state(online: bool, timestamp_ms: i64) -> Vec<u8> {
    format!(r#"{{"online":{online},"timestamp":{timestamp_ms}}}"#).into_bytes()
}

/// Decodes a STATE message to (online, timestamp). The older form, plain ONLINE or OFFLINE, has no time.
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
