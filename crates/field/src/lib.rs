//! MQTT and the payloads that gateways send over it. The only crate that uses the MQTT client and the Sparkplug
//! protobuf.
//!
//! - [`topic`]: parses and formats Sparkplug topics.
//! - [`sparkplug`]: Sparkplug B payloads as plain types. The decoder tolerates deviations (docs/reference/mqtt.md,
//!   Unusual messages); the encoder follows the standard exactly.
//! - [`client`]: a connection that reconnects by itself, with bounded queues and manual acknowledgement.
//! - [`command`]: commands to switches and their answers, as metrics.
//! - [`json`]: payloads of other formats, converted to the same metrics by a table of mappings.

pub mod client;
pub mod command;
pub mod json;
pub mod sparkplug;
pub mod topic;
