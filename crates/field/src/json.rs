//! The JSON lane: foreign payloads as the same metrics that Sparkplug brings, by a table of mappings (topic pattern, JSON pointers, quality rule).
//!
//! A mapping says which gateway and device a message is of, and where in it the points, values, times and qualities stand. Five are shipped; a site
//! takes one of them and says which topics and whose they are, or writes its own in the same form.

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
        mapping::builtin_names()
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
