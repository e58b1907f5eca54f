//! A decoded message of the JSON lane, or the reason why it cannot be decoded.

use crate::sparkplug::Metric;

/// Maximum payload that is decoded, bytes.
pub const PAYLOAD_LIMIT: usize = 256 * 1024;
/// Maximum number of values in one message.
pub const RECORD_LIMIT: usize = 10_000;

/// A decoded message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The utility's code.
    pub group: String,
    /// The gateway's code.
    pub node: String,
    /// The values of each device, in the order of the message.
    pub devices: Vec<(String, Vec<Metric>)>,
}

/// Why a message of the JSON lane is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The payload is too long.
    #[error("{0} bytes, {PAYLOAD_LIMIT} are allowed")]
    Long(usize),
    /// Not UTF-8, or not in the format of the mapping.
    #[error("{0}")]
    Malformed(String),
    /// More values than one message may have.
    #[error("more than {RECORD_LIMIT} values in one message")]
    Many,
    /// Only negative confirmations, whose values are not from the process.
    #[error("a negative confirmation: its value is none of the process")]
    Negative,
    /// The mapping finds nothing in the payload.
    #[error("mapping `{mapping}`: {what}")]
    Missing {
        /// The mapping.
        mapping: String,
        /// The missing part and its position.
        what: String,
    },
}
