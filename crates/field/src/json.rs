//! The JSON lane: converts payloads of other formats to the metrics of Sparkplug, by a table of mappings (topic
//! pattern, JSON pointers, quality rule).
//!
//! A mapping defines the gateway and device of a message, and the positions of points, values, times and qualities in
//! it. Five mappings are built in. A site selects one and adds topics and the utility, or writes a new one in the same
//! form.

mod filter;
mod mapping;
mod message;
mod read;

use filter::Filter;
pub use mapping::{MAPPING_LIMIT, MappingError};
use mapping::{Mapping, MappingFile};
pub use message::{Message, PAYLOAD_LIMIT, RECORD_LIMIT, ReadError};

/// All mappings of an ingest.
#[derive(Debug, Clone, Default)]
pub struct Mappings {
    mappings: Vec<Mapping>,
}

impl Mappings {
    /// Parses a file of mappings (TOML). Returns an error with the mapping's name if a mapping cannot work.
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
            // A broker delivers once for each matching subscription, so overlapping filters would deliver a message
            // twice.
            if let Some(other) = mappings[..index].iter().find(|other| mapping.topic.filter().overlaps(other.topic.filter())) {
                return Err(MappingError::Overlap(mapping.name.clone(), other.name.clone()));
            }
        }
        Ok(Self { mappings })
    }

    /// Returns the names of the built-in mappings.
    pub fn builtin_names() -> Vec<&'static str> {
        mapping::builtin_names()
    }

    /// Returns the topic filters to subscribe to. They do not overlap.
    pub fn filters(&self) -> Vec<String> {
        self.mappings.iter().map(|mapping| mapping.topic.filter().to_string()).collect()
    }

    /// Returns whether there are no mappings.
    pub fn is_empty(&self) -> bool {
        self.mappings.is_empty()
    }

    /// Decodes a message; `None` if no mapping matches its topic. Never panics, whatever the bytes are.
    pub fn read(&self, topic: &str, payload: &[u8]) -> Option<Result<Message, ReadError>> {
        let (mapping, segments) = self.mappings.iter().find_map(|mapping| Some((mapping, mapping.topic.segments(topic)?)))?;
        Some(read::message(mapping, &segments, payload))
    }
}

#[cfg(test)]
mod tests;
