//! The identifier (mark) of a drawing's wiring. It changes when the drawing is replaced by another one, even if the node numbers remain the same.

use serde_json::{Map, Value};

use super::wired::Wired;

/// FNV-1a, 64 bits: it detects changes and has no security purpose.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
/// Fields that identify an element or one of its parts, such as the rows of its values.
const TELLING: [&str; 6] = ["id", "class", "category", "asset", "point", "nodes"];

struct Hash(u64);

impl Hash {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn number(&mut self, number: usize) {
        self.bytes(&(number as u64).to_le_bytes());
    }

    /// Adds a text to the hash. Adds the length as well, so that different sequences of texts give different hashes.
    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.bytes(text.as_bytes());
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.value(item)),
            Value::Object(object) => self.object(object),
            _ => {}
        }
    }

    fn object(&mut self, object: &Map<String, Value>) {
        for word in TELLING {
            match object.get(word) {
                Some(Value::String(text)) => self.add_property(word, text),
                Some(value) if !value.is_object() => self.add_property(word, &value.to_string()),
                _ => {}
            }
        }
        // Sorted here, because the database does not keep the order of the keys.
        let mut inner: Vec<&String> =
            object.iter().filter(|(_, value)| value.is_object() || value.is_array()).map(|(key, _)| key).collect();
        inner.sort();
        for key in inner.into_iter().filter(|key| !matches!(key.as_str(), "path" | "nodes")) {
            self.text(key);
            self.value(&object[key]);
        }
    }

    fn add_property(&mut self, word: &str, text: &str) {
        self.text(word);
        self.text(text);
    }
}

/// Returns the hash of the elements' identities and names; 0 without elements.
pub(super) fn names<'a>(elements: impl Iterator<Item = Option<&'a Map<String, Value>>>) -> u64 {
    let mut hash = Hash(BASIS);
    for (number, element) in elements.enumerate() {
        hash.number(number);
        if let Some(element) = element {
            hash.object(element);
        }
    }
    hash.0 ^ BASIS
}

/// Returns the mark from that hash and the nodes and positions of all elements.
pub(super) fn of(names: u64, elements: &[Wired]) -> String {
    let mut hash = Hash(BASIS ^ names);
    for Wired { nodes, parts } in elements {
        hash.number(nodes.len());
        for node in nodes {
            hash.number(*node);
        }
        hash.number(parts.len());
        for part in parts {
            hash.number(part.node);
        }
    }
    format!("{:016x}", hash.0)
}
