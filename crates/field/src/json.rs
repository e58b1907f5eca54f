//! The JSON lane: foreign payloads as the same metrics that Sparkplug brings, by a table of mappings (topic pattern, JSON pointers, quality rule).
//!
//! A mapping says which gateway and device a message is of, and where in it the points, values, times and qualities stand. Five are shipped; a site
//! takes one of them and says which topics and whose they are, or writes its own in the same form.

mod filter;
mod mapping;
mod read;

use crate::sparkplug::Metric;
use filter::Filter;
pub use mapping::MappingError;
use mapping::{Mapping, MappingFile};

/// Longer payloads are not looked into, bytes.
pub const PAYLOAD_LIMIT: usize = 256 * 1024;
/// Values in one message.
pub const RECORD_LIMIT: usize = 10_000;
/// Mappings at once; each is a subscription.
pub const MAPPING_LIMIT: usize = 100;

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

/// All mappings of an ingest.
#[derive(Debug, Clone, Default)]
pub struct Mappings {
    mappings: Vec<Mapping>,
}

impl Mappings {
    /// Reads a file of mappings (TOML). What can never work is refused, with the mapping's name.
    pub fn from_toml(text: &str) -> Result<Self, MappingError> {
        let file: MappingFile = toml::from_str(text).map_err(|error| MappingError::Syntax(error.to_string()))?;
        let mappings = file.mappings.into_iter().map(mapping::resolve).collect::<Result<Vec<_>, _>>()?;
        if mappings.len() > MAPPING_LIMIT {
            return Err(MappingError::Many(mappings.len()));
        }
        let sparkplug = Filter::parse("spBv1.0/#").ok_or_else(|| MappingError::Syntax("no filter".into()))?;
        for (index, mapping) in mappings.iter().enumerate() {
            if mapping.topic.filter().overlaps(&sparkplug) {
                return Err(MappingError::Overlap(mapping.name.clone(), "Sparkplug".into()));
            }
            // A broker delivers once for each overlapping subscription: a message would come twice.
            if let Some(other) = mappings[..index].iter().find(|other| mapping.topic.filter().overlaps(other.topic.filter())) {
                return Err(MappingError::Overlap(mapping.name.clone(), other.name.clone()));
            }
        }
        Ok(Self { mappings })
    }

    /// The names of the shipped mappings.
    pub fn builtin_names() -> Vec<&'static str> {
        mapping::BUILTIN.iter().map(|(name, _)| *name).collect()
    }

    /// What to subscribe to; none overlaps another.
    pub fn filters(&self) -> Vec<String> {
        self.mappings.iter().map(|mapping| mapping.topic.filter().to_string()).collect()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.mappings.is_empty()
    }

    /// Reads a message; `None` when its topic is of no mapping. Never panics, whatever the bytes are.
    pub fn read(&self, topic: &str, payload: &[u8]) -> Option<Result<Message, ReadError>> {
        let (mapping, segments) = self.mappings.iter().find_map(|mapping| Some((mapping, mapping.topic.segments(topic)?)))?;
        Some(read::message(mapping, &segments, payload))
    }
}

#[cfg(test)]
mod tests;
