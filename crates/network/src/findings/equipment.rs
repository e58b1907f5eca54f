//! Rules of equipment and its terminals.

use super::index::Index;
use super::list::{Findings, PartKind, Rule};
use super::numbers::{self, Range};
use super::places::{check_number, container_exists};
use crate::build::ROOTS_LIMIT;
use crate::description::{Connection, Electrical, Equipment, Node, Tap};
use crate::shown::shown;
use crate::{Description, EquipmentKind};

/// Largest factor between the rated voltage of a winding and the nominal voltage of its node.
const RATED_FACTOR: f64 = 1.25;

pub(super) fn check(description: &Description, index: &Index<'_>, findings: &mut Findings) {
    if description.equipment.is_empty() {
        findings.add(Rule::EmptyNetwork, PartKind::Equipment, "", || "the network has no equipment".to_owned());
    }
    let mut roots = vec![0_usize; description.nodes.len()];
    for equipment in &description.equipment {
        let add = |rule: Rule, findings: &mut Findings, problem: &dyn Fn() -> String| {
            findings.add(rule, PartKind::Equipment, &equipment.id, problem);
        };
        container_exists(index, PartKind::Equipment, &equipment.id, equipment.container.as_deref(), findings);
        let (least, most) = equipment.kind.terminals();
        let count = equipment.terminals.len();
        let kind = equipment.kind.as_str();
        if !(least..=most).contains(&count) {
            let allowed = if least == most { least.to_string() } else { format!("{least} to {most}") };
            add(Rule::WrongTerminals, findings, &|| format!("{kind} has {count} terminals; allowed: {allowed}"));
        }
        for (position, terminal) in equipment.terminals.iter().enumerate() {
            if !index.nodes.contains_key(terminal.node.as_str()) {
                let problem = || format!("its terminal {} is at node {}, which does not exist", position + 1, shown(&terminal.node));
                add(Rule::MissingNode, findings, &problem);
            }
        }
        let phases = equipment.terminals.first().map(|terminal| terminal.phases).unwrap_or_default();
        if equipment.terminals.iter().any(|terminal| terminal.phases.intersection(phases).is_empty()) {
            let all: Vec<String> = equipment.terminals.iter().map(|terminal| format!("{:?}", terminal.phases.to_string())).collect();
            add(Rule::NoCommonPhase, findings, &|| format!("the phases of its terminals are {}", all.join(" and ")));
        }
        if !equipment.electrical.fits(equipment.kind) {
            add(Rule::WrongValues, findings, &|| format!("its electrical values are not those of {kind}"));
        }
        numbers::visit(&equipment.electrical, &mut |name, number, range: Range| {
            check_number(PartKind::Equipment, &equipment.id, (name, number, range), findings);
        });
        let nodes: Vec<Option<&Node>> = equipment
            .terminals
            .iter()
            .map(|terminal| index.nodes.get(terminal.node.as_str()).map(|position| &description.nodes[*position]))
            .collect();
        if equipment.kind == EquipmentKind::PowerTransformer {
            check_transformer(equipment, &nodes, findings);
        }
        let is_root = equipment.kind.may_feed() || equipment.kind == EquipmentKind::GroundDisconnector;
        if let Some(position) = equipment.terminals.first().and_then(|terminal| index.nodes.get(terminal.node.as_str())).filter(|_| is_root)
        {
            roots[*position] += 1;
            if roots[*position] == usize::from(ROOTS_LIMIT) + 1 {
                let node = &description.nodes[*position].id;
                findings.add(Rule::TooManyAtNode, PartKind::Node, node, || {
                    format!("more than {ROOTS_LIMIT} sources and earth switches are at this node")
                });
            }
        }
    }
}

fn check_transformer(equipment: &Equipment, nodes: &[Option<&Node>], findings: &mut Findings) {
    let mut add = |rule, problem: &dyn Fn() -> String| findings.add(rule, PartKind::Equipment, &equipment.id, problem);
    let Electrical::Transformer(transformer) = &equipment.electrical else {
        if equipment.electrical == Electrical::Nothing {
            add(Rule::TransformerWithoutRating, &|| "it has no electrical values".to_owned());
        }
        return;
    };
    let (ends, terminals) = (transformer.ends.len(), equipment.terminals.len());
    if ends != terminals {
        add(Rule::WrongValues, &|| format!("it has values of {ends} windings, but {terminals} terminals"));
    }
    for (number, (end, node)) in (1..).zip(transformer.ends.iter().zip(nodes)) {
        if let Some(Tap { low, high, .. }) = end.tap
            && low > high
        {
            add(Rule::OutOfRange, &|| format!("the tap changer of winding {number} has steps from {low} to {high}"));
        }
        if end.rated_kv == 0.0 || end.rated_kva.is_none_or(|kva| kva == 0.0) {
            add(Rule::TransformerWithoutRating, &|| format!("its winding {number} has no rated voltage or no rated power"));
        }
        // Of a single winding between a phase and earth, the rated voltage is that between phase and earth.
        let nominal_kv = node.and_then(|node| node.nominal_kv).filter(|_| end.connection != Connection::Single && end.rated_kv > 0.0);
        if let Some(kv) = nominal_kv.filter(|kv| kv.max(end.rated_kv) > RATED_FACTOR * kv.min(end.rated_kv)) {
            add(Rule::RatedVoltage, &|| format!("its winding {number} is rated {} kV, but its node has {kv} kV", end.rated_kv));
        }
    }
}
