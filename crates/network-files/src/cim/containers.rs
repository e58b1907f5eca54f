//! Substations, voltage levels, bays, feeders, lines, and nodes.

use std::collections::{HashMap, HashSet};

use network::Phases;
use network::description::{Container, Measurement, Node};

use super::Import;
use super::classes::{CONTAINERS, MEASUREMENTS};
use super::objects::Object;

impl<'o> Import<'o> {
    pub(super) fn add_containers(&mut self) {
        let points: HashMap<&str, [f64; 2]> = self
            .objects
            .of_class("PositionPoint")
            .filter_map(|point| {
                let place = [point.number("PositionPoint.xPosition")?, point.number("PositionPoint.yPosition")?];
                let is_place = place[0].abs() <= 180.0 && place[1].abs() <= 90.0;
                is_place.then_some((point.reference("PositionPoint.Location")?, place))
            })
            .collect();
        for (class, kind, parent) in CONTAINERS {
            for object in self.objects.of_class(class) {
                let base = self.objects.follow(object, "VoltageLevel.BaseVoltage");
                let container = Container {
                    id: object.mrid.clone(),
                    name: object.name().to_owned(),
                    kind,
                    parent: self.objects.follow(object, parent).map(|parent| parent.mrid.clone()),
                    nominal_kv: base.and_then(|base| self.nominal_kv(base)),
                    place: object.reference("PowerSystemResource.Location").and_then(|location| points.get(location).copied()),
                };
                self.containers.insert(container.id.clone());
                self.description.containers.push(container);
            }
        }
    }

    fn nominal_kv(&self, base: &Object) -> Option<f64> {
        base.number("BaseVoltage.nominalVoltage").map(|voltage| voltage * self.unit.voltage).filter(|kv| *kv > 0.0)
    }

    /// Adds the connectivity nodes, and the topological nodes of terminals without one.
    pub(super) fn add_nodes(&mut self) {
        let objects = self.objects;
        let needed: HashSet<&str> = objects
            .of_class("Terminal")
            .filter(|terminal| terminal.reference("Terminal.ConnectivityNode").is_none_or(|node| objects.get(node).is_none()))
            .filter_map(|terminal| terminal.reference("Terminal.TopologicalNode"))
            .collect();
        let of_equipment = self.nominal_of_equipment();
        let mut nodes = Vec::new();
        for object in objects.iter() {
            let property = match object.class.as_str() {
                "ConnectivityNode" => "ConnectivityNode.ConnectivityNodeContainer",
                "TopologicalNode" if needed.contains(object.id.as_str()) => "TopologicalNode.ConnectivityNodeContainer",
                _ => continue,
            };
            let container = objects.follow(object, property);
            let topological = objects.follow(object, "ConnectivityNode.TopologicalNode").unwrap_or(object);
            let nominal_kv = objects
                .follow(topological, "TopologicalNode.BaseVoltage")
                .and_then(|base| self.nominal_kv(base))
                .or_else(|| container.and_then(|container| self.nominal_of_container(container)))
                .or_else(|| of_equipment.get(object.id.as_str()).copied());
            nodes.push(Node {
                id: object.mrid.clone(),
                name: object.name().to_owned(),
                container: container.map(|container| container.mrid.clone()).filter(|id| self.containers.contains(id)),
                nominal_kv,
                is_internal: false,
                place: None,
            });
        }
        self.node_at = nodes.iter().enumerate().map(|(at, node): (usize, &Node)| (node.id.clone(), at)).collect();
        self.description.nodes = nodes;
    }

    fn nominal_of_container(&self, container: &Object) -> Option<f64> {
        let level = if container.class == "Bay" { self.objects.follow(container, "Bay.VoltageLevel")? } else { container };
        self.nominal_kv(self.objects.follow(level, "VoltageLevel.BaseVoltage")?)
    }

    /// Returns the nominal voltages of nodes, kV, as given by the equipment at the nodes.
    fn nominal_of_equipment(&self) -> HashMap<&'o str, f64> {
        let mut found = HashMap::new();
        let node_of = |terminal: &'o Object| {
            terminal.reference("Terminal.ConnectivityNode").or_else(|| terminal.reference("Terminal.TopologicalNode"))
        };
        for terminal in self.objects.of_class("Terminal") {
            let equipment = self.objects.follow(terminal, "Terminal.ConductingEquipment");
            let base = equipment.and_then(|equipment| self.objects.follow(equipment, "ConductingEquipment.BaseVoltage"));
            if let (Some(node), Some(kv)) = (node_of(terminal), base.and_then(|base| self.nominal_kv(base))) {
                found.entry(node).or_insert(kv);
            }
        }
        for end in self.objects.iter().filter(|object| ["PowerTransformerEnd", "TransformerTankEnd"].contains(&object.class.as_str())) {
            let terminal = self.objects.follow(end, "TransformerEnd.Terminal");
            let base = self.objects.follow(end, "TransformerEnd.BaseVoltage");
            if let (Some(node), Some(kv)) = (terminal.and_then(node_of), base.and_then(|base| self.nominal_kv(base))) {
                found.entry(node).or_insert(kv);
            }
        }
        found
    }

    pub(super) fn add_measurements(&mut self) {
        let ids: HashSet<&str> = self.description.equipment.iter().map(|equipment| equipment.id.as_str()).collect();
        let mut found = Vec::new();
        for class in MEASUREMENTS {
            for object in self.objects.of_class(class) {
                let equipment = self.objects.follow(object, "Measurement.PowerSystemResource");
                let terminal = self.objects.follow(object, "Measurement.Terminal");
                let equipment = terminal.and_then(|terminal| self.objects.follow(terminal, "Terminal.ConductingEquipment")).or(equipment);
                let Some(equipment) = equipment.filter(|equipment| ids.contains(equipment.mrid.as_str())) else { continue };
                let ends = self.terminals.get(equipment.id.as_str());
                let number = terminal.and_then(|terminal| ends?.iter().position(|end| end.object.id == terminal.id));
                found.push(Measurement {
                    id: object.mrid.clone(),
                    equipment: equipment.mrid.clone(),
                    terminal: number.map(|position| position as u8 + 1),
                    quantity: object.text("Measurement.measurementType").unwrap_or_default().to_owned(),
                    phases: object.phases("Measurement.phases").unwrap_or(Phases::ABC),
                    point: None,
                });
            }
        }
        drop(ids);
        self.description.measurements = found;
    }
}
