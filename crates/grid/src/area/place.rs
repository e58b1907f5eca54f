//! Finds the area of a piece of equipment: that of the most specific part that contains it.

use std::collections::HashMap;

use crate::{AreaId, NodeId};

/// A part of an area.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A node of the hierarchy, with everything below it.
    Node(NodeId),
    /// A container of the network, such as a feeder, by its id.
    Container(String),
}

/// Where something is: everything that contains it, the most specific first. A container of the network is more specific than a substation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place(Vec<Part>);

impl Place {
    /// Creates a place from the containers of the equipment, the nearest first, and the path of its substation, from the top down.
    pub fn new(containers: impl IntoIterator<Item = String>, path: &[NodeId]) -> Self {
        let containers = containers.into_iter().map(Part::Container);
        Self(containers.chain(path.iter().rev().copied().map(Part::Node)).collect())
    }

    /// Returns what contains it, the most specific first.
    pub fn parts(&self) -> &[Part] {
        &self.0
    }
}

/// The area of each part. A part belongs to one area.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts(HashMap<Part, AreaId>);

impl Parts {
    /// Returns the area with the most specific part that contains the place; `None` if it is in no area.
    pub fn area_of(&self, place: &Place) -> Option<AreaId> {
        place.0.iter().find_map(|part| self.0.get(part).copied())
    }

    /// Returns the parts of an area, in order.
    pub fn of(&self, area: AreaId) -> Vec<&Part> {
        let mut parts: Vec<&Part> = self.0.iter().filter(|(_, of)| **of == area).map(|(part, _)| part).collect();
        parts.sort_unstable();
        parts
    }

    /// Returns whether no area has parts.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a part is in some area.
    pub fn contains(&self, part: &Part) -> bool {
        self.0.contains_key(part)
    }
}

impl FromIterator<(Part, AreaId)> for Parts {
    fn from_iter<I: IntoIterator<Item = (Part, AreaId)>>(parts: I) -> Self {
        Self(parts.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_specific_part_decides() {
        let parts: Parts = [
            (Part::Node(NodeId(1)), AreaId(10)),
            (Part::Node(NodeId(6)), AreaId(11)),
            (Part::Container("feeder".into()), AreaId(12)),
            (Part::Container("bay".into()), AreaId(13)),
        ]
        .into_iter()
        .collect();
        let of = |containers: &[&str], path: &[i64]| {
            let path: Vec<NodeId> = path.iter().map(|id| NodeId(*id)).collect();
            parts.area_of(&Place::new(containers.iter().map(|id| (*id).to_owned()), &path)).map(|area| area.0)
        };
        let cases: [(&[&str], &[i64], Option<i64>); 7] = [
            (&[], &[1, 2, 3], Some(10)),
            (&[], &[1, 2, 6], Some(11)),
            (&["other"], &[1, 2, 6], Some(11)),
            (&["feeder"], &[1, 2, 6], Some(12)),
            (&["bay", "feeder"], &[1, 2, 6], Some(13)),
            (&["feeder"], &[], Some(12)),
            (&[], &[2, 3], None),
        ];
        for (containers, path, expected) in cases {
            assert_eq!(of(containers, path), expected, "{containers:?} {path:?}");
        }
    }
}
