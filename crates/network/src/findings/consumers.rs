//! Rules of customers: each belongs to a substation, whose row counts it.

use std::collections::BTreeMap;

use super::index::Index;
use super::list::{Findings, PartKind, Rule};
use crate::Description;
use crate::description::{ContainerKind, Electrical};

/// Customers of consumers in a container.
#[derive(Default)]
struct Outside {
    consumers: usize,
    customers: u64,
}

pub(super) fn check(description: &Description, index: &Index<'_>, findings: &mut Findings) {
    let mut outside: BTreeMap<usize, Outside> = BTreeMap::new();
    for equipment in description.equipment.iter().filter(|equipment| equipment.is_in_service) {
        let Electrical::Consumer(consumed) = &equipment.electrical else { continue };
        if consumed.customers == 0 {
            continue;
        }
        match outermost(description, index, equipment.container.as_deref()) {
            Some((_, ContainerKind::Substation)) => {}
            Some((container, _)) => {
                let outside = outside.entry(container).or_default();
                outside.consumers += 1;
                outside.customers = outside.customers.saturating_add(consumed.customers);
            }
            None => {
                let problem = || format!("it has {} customers, and is in no feeder and no substation", consumed.customers);
                findings.add(Rule::ConsumerWithoutStation, PartKind::Equipment, &equipment.id, problem);
            }
        }
    }
    for (container, Outside { consumers, customers }) in outside {
        let problem = || format!("it is in no substation, and has {customers} customers at {consumers} consumers");
        findings.add(Rule::ConsumerWithoutStation, PartKind::Container, &description.containers[container].id, problem);
    }
}

/// Returns the substation that a container is in, or else the outermost container that it is in. `None` if the container does not exist.
fn outermost(description: &Description, index: &Index<'_>, container: Option<&str>) -> Option<(usize, ContainerKind)> {
    let position = |id: Option<&str>| index.containers.get(id?).copied();
    let mut at = position(container)?;
    // The parents of containers can be a circle.
    for _ in 0..ContainerKind::ALL.len() {
        let container = &description.containers[at];
        match position(container.parent.as_deref()) {
            Some(parent) if container.kind != ContainerKind::Substation => at = parent,
            _ => break,
        }
    }
    Some((at, description.containers[at].kind))
}
