//! Finds the parts of a description by their ids, and reports ids that occur twice or cannot be stored.

use std::collections::HashMap;

use super::list::{Findings, PartKind, Rule};
use crate::Description;
use crate::description::{Container, ContainerKind};
use crate::temporary_ids::is_reserved;

/// Maximum number of characters of ids and names.
const TEXT_CHARACTERS_MAX: usize = 200;

/// The positions of the parts by their ids. If several parts have the same id, it is the position of the first one.
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
        check_references(description, findings);
        index
    }

    /// Returns the nominal voltage of a voltage level, or of the voltage level that contains the container.
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

/// Reports references that cannot be stored. A part with an invalid id is reported separately, but an invalid reference may name a part that does not exist.
fn check_references(description: &Description, findings: &mut Findings) {
    let mut check = |part: PartKind, id: &str, what: &'static str, text: &str| {
        if !is_storable(text) {
            let wrong = || format!("the id of {what} has too many characters, or control characters");
            findings.add(Rule::InvalidText, part, id, wrong);
        }
    };
    for part in &description.containers {
        part.parent.iter().for_each(|parent| check(PartKind::Container, &part.id, "its parent", parent));
    }
    for part in &description.nodes {
        part.container.iter().for_each(|container| check(PartKind::Node, &part.id, "its container", container));
    }
    for part in &description.equipment {
        part.container.iter().for_each(|container| check(PartKind::Equipment, &part.id, "its container", container));
        part.terminals.iter().for_each(|terminal| check(PartKind::Equipment, &part.id, "a node of its terminals", &terminal.node));
    }
    for part in &description.measurements {
        check(PartKind::Measurement, &part.id, "its equipment", &part.equipment);
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
        if matches!(part, PartKind::Node | PartKind::Equipment) && is_reserved(id) {
            findings.add(Rule::ReservedId, part, id, || "ids that begin with temporary/ belong to temporary changes".to_owned());
        }
        let first = *positions.entry(id).or_insert(position);
        if first != position {
            findings.add(Rule::DuplicateId, part, id, || format!("the parts {} and {} of the list have this id", first + 1, position + 1));
        }
    }
    positions
}

fn is_storable(text: &str) -> bool {
    // Most texts are shorter in bytes already.
    (text.len() <= TEXT_CHARACTERS_MAX || text.chars().nth(TEXT_CHARACTERS_MAX).is_none()) && !text.chars().any(char::is_control)
}
