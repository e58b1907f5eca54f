//! Changes of a network: a set of parts to put and to remove, and the difference between two descriptions.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::Description;
use crate::description::{Container, Equipment, Measurement, Node};
use crate::findings::PartKind;
use crate::shown::shown;

/// A part of a description.
pub trait Part: PartialEq + Clone {
    /// Its kind.
    const KIND: PartKind;

    /// Returns its id.
    fn id(&self) -> &str;
}

macro_rules! parts {
    ($($part:ident),+) => {
        $(impl Part for $part {
            const KIND: PartKind = PartKind::$part;

            fn id(&self) -> &str {
                &self.id
            }
        })+
    };
}

parts!(Container, Node, Equipment, Measurement);

/// Ids of parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PartIds {
    /// Ids of containers.
    #[serde(deserialize_with = "crate::description::ids")]
    pub containers: Vec<String>,
    /// Ids of nodes.
    #[serde(deserialize_with = "crate::description::ids")]
    pub nodes: Vec<String>,
    /// Ids of equipment.
    #[serde(deserialize_with = "crate::description::ids")]
    pub equipment: Vec<String>,
    /// Ids of measurements.
    #[serde(deserialize_with = "crate::description::ids")]
    pub measurements: Vec<String>,
}

/// A change of a network. It is applied as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeSet {
    /// The whole new network. Parts that are not in it are removed.
    Whole(Description),
    /// Some parts of the network.
    Parts(PartChanges),
}

/// Parts to put and to remove.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PartChanges {
    /// New parts, and parts that replace those with their ids.
    pub put: Description,
    /// Parts to remove.
    pub remove: PartIds,
}

/// Why a change set does not fit the network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// A part to remove does not exist.
    #[error("remove: there is no {} {}", .0.as_str(), shown(.1))]
    NotThere(PartKind, String),
    /// The same part is in both lists: to be put and to be removed.
    #[error("{} {} is to be put and to be removed: name it once", .0.as_str(), shown(.1))]
    PutAndRemoved(PartKind, String),
}

impl ChangeSet {
    /// Returns the network after the change. Parts keep their order, new ones follow.
    pub fn apply_to(self, network: &Description) -> Result<Description, ChangeError> {
        match self {
            Self::Whole(description) => Ok(description),
            Self::Parts(PartChanges { put, remove }) => Ok(Description {
                containers: apply(&network.containers, put.containers, &remove.containers)?,
                nodes: apply(&network.nodes, put.nodes, &remove.nodes)?,
                equipment: apply(&network.equipment, put.equipment, &remove.equipment)?,
                measurements: apply(&network.measurements, put.measurements, &remove.measurements)?,
            }),
        }
    }
}

fn apply<T: Part>(old: &[T], put: Vec<T>, remove: &[String]) -> Result<Vec<T>, ChangeError> {
    let positions: HashMap<&str, usize> = old.iter().enumerate().map(|(position, part)| (part.id(), position)).collect();
    let removed: HashSet<&str> = remove.iter().map(String::as_str).collect();
    if let Some(id) = removed.iter().find(|id| !positions.contains_key(**id)) {
        return Err(ChangeError::NotThere(T::KIND, (*id).to_owned()));
    }
    if let Some(part) = put.iter().find(|part| removed.contains(part.id())) {
        return Err(ChangeError::PutAndRemoved(T::KIND, part.id().to_owned()));
    }
    let mut parts = old.to_vec();
    let mut replaced = vec![false; old.len()];
    for part in put {
        match positions.get(part.id()) {
            Some(position) if !std::mem::replace(&mut replaced[*position], true) => parts[*position] = part,
            // A part that is put twice is in the list twice, and is reported as a duplicate.
            _ => parts.push(part),
        }
    }
    parts.retain(|part| !removed.contains(part.id()));
    Ok(parts)
}

/// The difference between two descriptions.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference<'a> {
    /// Changes of containers.
    pub containers: PartDifference<'a, Container>,
    /// Changes of nodes.
    pub nodes: PartDifference<'a, Node>,
    /// Changes of equipment.
    pub equipment: PartDifference<'a, Equipment>,
    /// Changes of measurements.
    pub measurements: PartDifference<'a, Measurement>,
}

/// The difference between two lists of parts. The order of parts is ignored.
#[derive(Debug, Clone, PartialEq)]
pub struct PartDifference<'a, T> {
    /// Parts that only the new description has.
    pub added: Vec<&'a T>,
    /// Parts that are in both descriptions and differ, as they are in the new description.
    pub changed: Vec<&'a T>,
    /// Ids of parts that only the old description has.
    pub removed: Vec<&'a str>,
}

impl<'a> Difference<'a> {
    /// Compares two descriptions.
    pub fn new(old: &'a Description, new: &'a Description) -> Self {
        Self {
            containers: PartDifference::new(&old.containers, &new.containers),
            nodes: PartDifference::new(&old.nodes, &new.nodes),
            equipment: PartDifference::new(&old.equipment, &new.equipment),
            measurements: PartDifference::new(&old.measurements, &new.measurements),
        }
    }

    /// Whether the descriptions have the same parts.
    pub fn is_empty(&self) -> bool {
        self.containers.is_empty() && self.nodes.is_empty() && self.equipment.is_empty() && self.measurements.is_empty()
    }
}

impl<'a, T: Part> PartDifference<'a, T> {
    fn new(old: &'a [T], new: &'a [T]) -> Self {
        let before: HashMap<&str, &T> = old.iter().map(|part| (part.id(), part)).collect();
        let after: HashSet<&str> = new.iter().map(Part::id).collect();
        let (mut added, mut changed) = (Vec::new(), Vec::new());
        for part in new {
            match before.get(part.id()) {
                None => added.push(part),
                Some(old) if *old != part => changed.push(part),
                Some(_) => {}
            }
        }
        let removed = old.iter().map(Part::id).filter(|id| !after.contains(id)).collect();
        Self { added, changed, removed }
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}
