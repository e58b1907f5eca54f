//! Rules of containers and nodes.

use super::index::Index;
use super::list::{Findings, PartKind, Rule};
use super::numbers::{KV_MAX, Range};
use crate::Description;
use crate::shown::shown;

/// Largest factor between two nominal voltages that count as equal, because lines connect networks of 380 kV and 400 kV.
pub(super) const VOLTAGE_FACTOR: f64 = 1.1;

pub(super) fn check(description: &Description, index: &Index<'_>, findings: &mut Findings) {
    for container in &description.containers {
        container_exists(index, PartKind::Container, &container.id, container.parent.as_deref(), findings);
        check_voltage(PartKind::Container, &container.id, container.nominal_kv, findings);
        check_place(PartKind::Container, &container.id, container.place, findings);
    }
    find_cycles(description, index, findings);
    for node in &description.nodes {
        container_exists(index, PartKind::Node, &node.id, node.container.as_deref(), findings);
        check_voltage(PartKind::Node, &node.id, node.nominal_kv, findings);
        check_place(PartKind::Node, &node.id, node.place, findings);
        let level = index.voltage_level(description, node.container.as_deref());
        if let (Some(kv), Some((level, level_kv))) = (node.nominal_kv, level)
            && differ(kv, level_kv)
        {
            let problem = || format!("its nominal voltage is {kv} kV, but it is in {}, which has {level_kv} kV", shown(level));
            findings.add(Rule::TwoVoltages, PartKind::Node, &node.id, problem);
        }
    }
}

/// Whether two nominal voltages are different. Impossible voltages are not compared, because they are findings
/// themselves.
pub(crate) fn differ(one: f64, other: f64) -> bool {
    let are_possible = [one, other].iter().all(|kv| Range::UpTo(KV_MAX).has(*kv));
    are_possible && one.max(other) > VOLTAGE_FACTOR * one.min(other)
}

pub(super) fn container_exists(index: &Index<'_>, part: PartKind, id: &str, container: Option<&str>, findings: &mut Findings) {
    if let Some(container) = container.filter(|container| !index.containers.contains_key(container)) {
        findings.add(Rule::MissingContainer, part, id, || format!("its container {} does not exist", shown(container)));
    }
}

/// Reports a number that is not finite or not in the valid range.
pub(super) fn check_number(part: PartKind, id: &str, (name, number, range): (&str, f64, Range), findings: &mut Findings) {
    if !number.is_finite() {
        findings.add(Rule::NotFinite, part, id, || format!("{name} is {number}"));
    } else if !range.has(number) {
        findings.add(Rule::OutOfRange, part, id, || format!("{name} is {number}; allowed: {range}"));
    }
}

fn check_voltage(part: PartKind, id: &str, nominal_kv: Option<f64>, findings: &mut Findings) {
    if let Some(kv) = nominal_kv {
        check_number(part, id, ("nominal_kv", kv, Range::UpTo(KV_MAX)), findings);
    }
}

fn check_place(part: PartKind, id: &str, place: Option<[f64; 2]>, findings: &mut Findings) {
    if let Some([longitude, latitude]) = place {
        check_number(part, id, ("longitude", longitude, Range::Between(-180.0, 180.0)), findings);
        check_number(part, id, ("latitude", latitude, Range::Between(-90.0, 90.0)), findings);
    }
}

/// Reports each cycle of parents once, at its first container.
fn find_cycles(description: &Description, index: &Index<'_>, findings: &mut Findings) {
    // The walk in which a container was reached first.
    let mut reached: Vec<Option<usize>> = vec![None; description.containers.len()];
    let parent = |at: usize| description.containers[at].parent.as_deref().and_then(|parent| index.containers.get(parent).copied());
    for start in 0..description.containers.len() {
        let mut next = Some(start);
        while let Some(at) = next.filter(|at| reached[*at].is_none()) {
            reached[at] = Some(start);
            next = parent(at);
        }
        if let Some(first) = next.filter(|at| reached[*at] == Some(start)) {
            let cycle: Vec<&str> = std::iter::successors(Some(first), |at| parent(*at).filter(|next| *next != first))
                .map(|at| description.containers[at].id.as_str())
                .take(5)
                .collect();
            let problem = || format!("it is part of itself: {}", cycle.iter().map(|id| shown(id)).collect::<Vec<_>>().join(", "));
            findings.add(Rule::ContainerCycle, PartKind::Container, cycle[0], problem);
        }
    }
}
