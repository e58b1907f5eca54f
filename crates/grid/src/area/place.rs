//! Finds the area of a piece of equipment: that of the most specific part that contains it.

use std::collections::HashMap;

use crate::{AreaId, Micros, NodeId};

/// A part of an area.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A node of the hierarchy, with everything below it.
    Node(NodeId),
    /// A container of the network, such as a feeder, by its id.
    Container(String),
}

/// A version of a network that is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveSince {
    /// Its number.
    pub version: i32,
    /// The time from which it is active.
    pub since: Micros,
}

/// By what the containers of a place were found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FoundBy {
    /// It is a node of the hierarchy, and in no container of the network.
    #[default]
    Hierarchy,
    /// The version of the network that was in memory; `None` if none was.
    Network(Option<ActiveSince>),
}

/// Where something is: everything that contains it, the most specific first. A container of the network is more specific than a substation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    parts: Vec<Part>,
    found_by: FoundBy,
}

impl Place {
    /// Creates a place from the containers of the equipment, the nearest first, and the path of its substation, from the top down.
    pub fn new(containers: impl IntoIterator<Item = String>, path: &[NodeId]) -> Self {
        let containers = containers.into_iter().map(Part::Container);
        Self { parts: containers.chain(path.iter().rev().copied().map(Part::Node)).collect(), found_by: FoundBy::Hierarchy }
    }

    /// Notes by what its containers were found.
    #[must_use]
    pub fn found_by(self, found_by: FoundBy) -> Self {
        Self { found_by, ..self }
    }

    /// Returns whether it is known which containers it has if this version of the network is active.
    pub fn is_known_in(&self, active: Option<ActiveSince>) -> bool {
        match self.found_by {
            FoundBy::Hierarchy => true,
            FoundBy::Network(by) => by == active,
        }
    }

    /// Returns what contains it, the most specific first.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
}

/// The area of each part. A part belongs to one area.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts(HashMap<Part, AreaId>);

impl Parts {
    /// Returns the area with the most specific part that contains the place; `None` if it is in no area.
    pub fn area_of(&self, place: &Place) -> Option<AreaId> {
        place.parts.iter().find_map(|part| self.0.get(part).copied())
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
