//! A message of the JSON lane as it was read, or why it cannot be read.

use crate::sparkplug::Metric;

/// Longer payloads are not looked into, bytes.
pub const PAYLOAD_LIMIT: usize = 256 * 1024;
/// Values in one message.
pub const RECORD_LIMIT: usize = 10_000;

/// A foreign message, understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The utility's code.
    pub group: String,
    /// The gateway's code.
    pub node: String,
    /// The values of each device, in the order of the message.
    pub devices: Vec<(String, Vec<Metric>)>,
}

/// Why a message of the JSON lane cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Too long.
    #[error("{0} bytes, {PAYLOAD_LIMIT} are allowed")]
    Long(usize),
    /// Not UTF-8, or not what the mapping takes.
    #[error("{0}")]
    Malformed(String),
    /// More values than one message may have.
    #[error("more than {RECORD_LIMIT} values in one message")]
    Many,
    /// Nothing but negative confirmations, which carry no value of the process.
    #[error("a negative confirmation: its value is none of the process")]
    Negative,
    /// Nothing stands where the mapping looks.
    #[error("mapping `{mapping}`: {what}")]
    Missing {
        /// The mapping.
        mapping: String,
        /// What was looked for, and where.
        what: String,
    },
}
