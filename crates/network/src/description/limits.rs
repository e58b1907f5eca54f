//! Maximum numbers of parts of a network. They are checked while a description is read, so that no text can fill the memory.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::changes::Part;
use crate::findings::PartKind;

/// Maximum number of containers of a network.
pub const CONTAINERS_MAX: usize = 500_000;
/// Maximum number of nodes of a network.
pub const NODES_MAX: usize = 1_500_000;
/// Maximum number of pieces of equipment of a network.
pub const EQUIPMENT_MAX: usize = 2_000_000;
/// Maximum number of measurements of a network.
pub const MEASUREMENTS_MAX: usize = 2_000_000;

/// Returns the maximum number of parts of a kind.
pub const fn greatest_number(kind: PartKind) -> usize {
    match kind {
        PartKind::Container => CONTAINERS_MAX,
        PartKind::Node => NODES_MAX,
        PartKind::Equipment => EQUIPMENT_MAX,
        PartKind::Measurement => MEASUREMENTS_MAX,
    }
}

/// Reads a list of parts up to its limit.
pub(crate) fn parts<'de, D: Deserializer<'de>, T: Part + Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(List { kind: T::KIND, items: PhantomData })
}

/// Reads a list of ids of parts, up to the largest of these limits.
pub(crate) fn ids<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    deserializer.deserialize_seq(List { kind: PartKind::Equipment, items: PhantomData })
}

struct List<T> {
    kind: PartKind,
    items: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
    type Value = Vec<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            let most = greatest_number(self.kind);
            if items.len() == most {
                return Err(A::Error::custom(format_args!("more than {most} parts of the kind {}", self.kind.as_str())));
            }
            items.push(item);
        }
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use crate::Description;
    use crate::changes::PartIds;

    #[test]
    fn list_above_its_limit_is_refused_while_it_is_read() {
        let list = "{\"id\":\"a\",\"kind\":\"Line\"},".repeat(super::CONTAINERS_MAX + 1);
        // The text after the limit is not read.
        let text = format!("{{\"containers\":[{list} no JSON");
        let error = serde_json::from_str::<Description>(&text).unwrap_err().to_string();
        assert!(error.starts_with("more than 500000 parts of the kind container at line 1 column"), "{error}");
        let ids = format!("{{\"nodes\":[{} no JSON", "\"\",".repeat(super::EQUIPMENT_MAX + 1));
        let error = serde_json::from_str::<PartIds>(&ids).unwrap_err().to_string();
        assert!(error.starts_with("more than 2000000 parts"), "{error}");
    }
}
