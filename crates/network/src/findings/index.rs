//! Finds the parts of a description by their ids, and reports ids that occur twice or cannot be stored.

use std::collections::HashMap;

use super::list::{Findings, PartKind, Rule};
use crate::Description;
use crate::description::{Container, ContainerKind};

/// Maximum number of characters of ids and names.
const TEXT_CHARACTERS_MAX: usize = 200;

/// The positions of the parts by their ids. Of parts with one id, the first.
pub(super) struct Index<'a> {
    pub(super) containers: HashMap<&'a str, usize>,
    pub(super) nodes: HashMap<&'a str, usize>,
    pub(super) equipment: HashMap<&'a str, usize>,
}

impl<'a> Index<'a> {
    pub(super) fn new(description: &'a Description, findings: &mut Findings) -> Self {
        let Description { containers, nodes, equipment, measurements } = description;
        let index = Self {
            containers: positions(PartKind::Container, containers.iter().map(|part| (&*part.id, &*part.name)), findings),
            nodes: positions(PartKind::Node, nodes.iter().map(|part| (&*part.id, &*part.name)), findings),
            equipment: positions(PartKind::Equipment, equipment.iter().map(|part| (&*part.id, &*part.name)), findings),
        };
        positions(PartKind::Measurement, measurements.iter().map(|part| (&*part.id, "")), findings);
        for measurement in measurements {
            let texts = [Some(&measurement.quantity), measurement.point.as_ref()];
            if texts.into_iter().flatten().any(|text| !is_storable(text)) || measurement.quantity.is_empty() {
                let wrong = || "its quantity or its point has no characters, too many, or control characters".to_owned();
                findings.add(Rule::InvalidText, PartKind::Measurement, &measurement.id, wrong);
            }
        }
        index
    }

    /// Returns the nominal voltage of the voltage level that a container is, or is part of.
    pub(super) fn voltage_level(&self, description: &'a Description, container: Option<&str>) -> Option<(&'a str, f64)> {
        let mut next = container;
        // The parents of containers can be a circle.
        for _ in 0..ContainerKind::ALL.len() {
            let container: &Container = self.containers.get(next?).map(|at| &description.containers[*at])?;
            if let Some(kv) = container.nominal_kv {
                return Some((&container.id, kv));
            }
            next = container.parent.as_deref();
        }
        None
    }
}

fn positions<'a>(part: PartKind, texts: impl Iterator<Item = (&'a str, &'a str)>, findings: &mut Findings) -> HashMap<&'a str, usize> {
    let mut positions = HashMap::with_capacity(texts.size_hint().0);
    for (position, (id, name)) in texts.enumerate() {
        if id.is_empty() || !is_storable(id) {
            findings.add(Rule::InvalidText, part, id, || "its id has no characters, too many, or control characters".to_owned());
        } else if !is_storable(name) {
            findings.add(Rule::InvalidText, part, id, || "its name has too many characters, or control characters".to_owned());
        }
        let first = *positions.entry(id).or_insert(position);
        if first != position {
            findings.add(Rule::DuplicateId, part, id, || format!("the parts {} and {} of the list have this id", first + 1, position + 1));
        }
    }
    positions
}

fn is_storable(text: &str) -> bool {
    text.chars().count() <= TEXT_CHARACTERS_MAX && !text.chars().any(char::is_control)
}
