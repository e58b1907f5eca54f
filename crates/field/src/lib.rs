//! MQTT and what is spoken over it. The only crate that knows the MQTT client and the Sparkplug protobuf.
//!
//! - [`topic`]: Sparkplug topics, read and written.
//! - [`sparkplug`]: Sparkplug B payloads as plain types, decoded liberally (live.md section 1) and encoded to the letter.
//! - [`client`]: a connection that heals itself, with bounded queues and acknowledgement by hand.
//! - [`command`]: orders to operate and their answers, as metrics.
//! - [`json`]: foreign payloads by a table of mappings, as the same metrics.

pub mod client;
pub mod command;
pub mod json;
pub mod sparkplug;
pub mod topic;
