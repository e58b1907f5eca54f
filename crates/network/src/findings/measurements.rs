//! Rules of measurements and of the points of switches.

use std::collections::HashMap;

use super::index::Index;
use super::list::{Findings, PartKind, Rule};
use crate::description::POSITION;
use crate::shown::shown;
use crate::{Description, EquipmentKind, Phases};

pub(super) fn check(description: &Description, index: &Index<'_>, findings: &mut Findings) {
    let mut has_position = vec![false; description.equipment.len()];
    let mut points: HashMap<&str, &str> = HashMap::new();
    for measurement in &description.measurements {
        let mut add = |rule, problem: &dyn Fn() -> String| findings.add(rule, PartKind::Measurement, &measurement.id, problem);
        if let Some(point) = measurement.point.as_deref() {
            let first = *points.entry(point).or_insert(&measurement.id);
            if first != measurement.id {
                add(Rule::PointTwice, &|| format!("its point {} is that of {} too", shown(point), shown(first)));
            }
        }
        let Some(position) = index.equipment.get(measurement.equipment.as_str()).copied() else {
            add(Rule::MissingEquipment, &|| format!("its equipment {} does not exist", shown(&measurement.equipment)));
            continue;
        };
        let equipment = &description.equipment[position];
        let terminals = equipment.terminals.len();
        if let Some(terminal) = measurement.terminal.filter(|terminal| !(1..=terminals).contains(&usize::from(*terminal))) {
            add(Rule::MissingTerminal, &|| format!("it is at terminal {terminal}, but {} has {terminals}", shown(&equipment.id)));
        }
        if measurement.quantity == POSITION {
            has_position[position] |= measurement.point.is_some();
            // The position of a source says whether it is present.
            if !opens_and_closes(equipment.kind) && !equipment.kind.may_feed() {
                add(Rule::PositionWithoutSwitch, &|| format!("{} is {}", shown(&equipment.id), equipment.kind.as_str()));
            }
            let all = equipment.terminals.iter().map(|terminal| terminal.phases).reduce(Phases::intersection);
            if let Some(all) = all.filter(|all| all.intersection(measurement.phases).is_empty()) {
                let problem = || format!("it is of the phases {}, but {} has {all}", measurement.phases, shown(&equipment.id));
                add(Rule::PhasesOfPosition, &problem);
            }
        } else if measurement.terminal.is_none() && terminals > 1 {
            add(Rule::MeasurementWithoutTerminal, &|| format!("{} has {terminals} terminals", shown(&equipment.id)));
        }
    }
    for (equipment, has_position) in description.equipment.iter().zip(has_position) {
        // The position of an earth switch always counts.
        let counts = equipment.is_in_service || equipment.kind == EquipmentKind::GroundDisconnector;
        if !has_position && opens_and_closes(equipment.kind) && counts {
            let problem = || format!("no measurement {POSITION} with a point belongs to this {}", equipment.kind.as_str());
            findings.add(Rule::SwitchWithoutPoint, PartKind::Equipment, &equipment.id, problem);
        }
    }
}

fn opens_and_closes(kind: EquipmentKind) -> bool {
    kind.is_switch() || kind == EquipmentKind::GroundDisconnector
}
