//! Writes a network as CGMES: the profiles EQ, SSH and TP.
//!
//! Each node gets a topological node of its own, and each switch is marked as retained. Programs that calculate combine
//! nodes themselves.

mod xml;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use network::description::{
    Connection, Consumption, ContainerKind, Electrical, Equipment, Generation, Line, SequenceImpedance, SourceVoltage, Switch, Tap,
    TransformerEnd,
};
use network::findings::PartKind;
use network::{Description, EquipmentKind, Phases};

use super::mrids::{BASE_VOLTAGE, Mrids, OF_NO_SUBSTATION, PERMANENT, VOLTAGE_LEVEL};
use crate::own_csv::CsvFile;
use crate::rounding::round;
use crate::sequence::positive_sequence;
use crate::{ExportError, Note, Positions, exportable};
pub use xml::Version;
use xml::{Document, Profile};

/// The files of a network, and notes about data that they cannot express.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedFiles {
    /// The files.
    pub files: Vec<CsvFile>,
    /// Notes about data that the export has left out or changed.
    pub notes: Vec<Note>,
}

/// Returns the files `NAME_EQ.xml`, `NAME_SSH.xml` and `NAME_TP.xml`.
pub fn export(description: &Description, positions: &Positions, version: Version, name: &str) -> Result<ExportedFiles, ExportError> {
    exportable::check(description)?;
    let mut export = Export {
        positions,
        version,
        mrids: Mrids::new(description),
        equipment: Document::new(Profile::Equipment, version),
        hypothesis: Document::new(Profile::SteadyStateHypothesis, version),
        topology: Document::new(Profile::Topology, version),
        nodes: HashMap::new(),
        counts: BTreeMap::new(),
    };
    export.add_base_voltages(description);
    export.add_containers(description);
    export.add_nodes(description);
    for (index, equipment) in description.equipment.iter().enumerate() {
        export.add(index, equipment);
    }
    for measurement in &description.measurements {
        export.add_measurement(measurement);
    }
    let files = [("EQ", export.equipment), ("SSH", export.hypothesis), ("TP", export.topology)]
        .map(|(profile, document)| CsvFile { name: format!("{name}_{profile}.xml"), text: document.finish() });
    let notes = export.counts.into_iter().map(|((class, reason), count)| Note::new(class, format!("{count}: {reason}"))).collect();
    Ok(ExportedFiles { files: files.into(), notes })
}

struct Export<'a> {
    positions: &'a Positions,
    version: Version,
    mrids: Mrids<'a>,
    equipment: Document,
    hypothesis: Document,
    topology: Document,
    /// The nominal voltage of each node, kV.
    nodes: HashMap<&'a str, Option<f64>>,
    counts: BTreeMap<(&'static str, &'static str), usize>,
}

/// Returns the id of the object for the base voltage with this nominal voltage.
fn base_voltage(kv: f64) -> String {
    format!("{BASE_VOLTAGE}{}", round(kv))
}

fn voltage_level(kv: f64) -> String {
    format!("{VOLTAGE_LEVEL}{}", round(kv))
}

impl<'a> Export<'a> {
    fn count(&mut self, class: &'static str, reason: &'static str) {
        *self.counts.entry((class, reason)).or_default() += 1;
    }

    fn container<'i>(&self, id: &'i str) -> Cow<'i, str> {
        self.mrids.of(PartKind::Container, id)
    }

    fn node<'i>(&self, id: &'i str) -> Cow<'i, str> {
        self.mrids.of(PartKind::Node, id)
    }

    fn add_base_voltages(&mut self, description: &Description) {
        let of_nodes = description.nodes.iter().filter_map(|node| node.nominal_kv);
        let of_levels = description.containers.iter().filter_map(|container| container.nominal_kv);
        let mut all: Vec<f64> = of_nodes.chain(of_levels).map(round).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        for kv in all {
            self.equipment.object("BaseVoltage", &base_voltage(kv)).name(&format!("{kv} kV")).number("BaseVoltage.nominalVoltage", kv);
        }
    }

    fn add_containers(&mut self, description: &Description) {
        for container in &description.containers {
            let parent = container.parent.as_deref().map(|parent| self.container(parent));
            let mut object = self.equipment.object(container.kind.as_str(), &self.mrids.of(PartKind::Container, &container.id));
            object.name(&container.name);
            let property = match container.kind {
                ContainerKind::VoltageLevel => "VoltageLevel.Substation",
                ContainerKind::Bay => "Bay.VoltageLevel",
                ContainerKind::Feeder => "Feeder.NormalEnergizingSubstation",
                ContainerKind::Substation | ContainerKind::Line => "",
            };
            let is_without_property = property.is_empty() && container.parent.is_some();
            if let Some(parent) = parent.filter(|_| !property.is_empty()) {
                object.reference(property, &parent);
            }
            if let Some(kv) = container.nominal_kv {
                object.reference("VoltageLevel.BaseVoltage", &base_voltage(kv));
            }
            if is_without_property {
                self.count("Substation", "the container that a substation or a line is part of is left out");
            }
            if container.kind == ContainerKind::Feeder {
                self.count("Feeder", "CGMES has no feeders; they are written with the class of CIM100");
            }
            if container.place.is_some() {
                self.count("Substation", "places are left out: the profile GL is not written");
            }
        }
        let containers: HashSet<&str> = description.containers.iter().map(|container| container.id.as_str()).collect();
        let is_loose = |container: &Option<String>| container.as_deref().is_none_or(|id| !containers.contains(id));
        let mut loose: Vec<f64> =
            description.nodes.iter().filter(|node| is_loose(&node.container)).map(|node| round(node.nominal_kv.unwrap_or(0.0))).collect();
        loose.sort_by(f64::total_cmp);
        loose.dedup();
        if !loose.is_empty() && !containers.contains(OF_NO_SUBSTATION) {
            self.equipment.object("Substation", &self.mrids.of(PartKind::Container, OF_NO_SUBSTATION));
        }
        for kv in loose.into_iter().filter(|kv| !containers.contains(voltage_level(*kv).as_str())) {
            let substation = self.container(OF_NO_SUBSTATION);
            let mut level = self.equipment.object("VoltageLevel", &self.mrids.of(PartKind::Container, &voltage_level(kv)));
            level.reference("VoltageLevel.Substation", &substation);
            if kv > 0.0 {
                level.reference("VoltageLevel.BaseVoltage", &base_voltage(kv));
            }
        }
    }

    fn add_nodes(&mut self, description: &'a Description) {
        let containers: HashSet<&str> = description.containers.iter().map(|container| container.id.as_str()).collect();
        for node in &description.nodes {
            let container = node.container.clone().filter(|id| containers.contains(id.as_str()));
            let container = container.unwrap_or_else(|| voltage_level(node.nominal_kv.unwrap_or(0.0)));
            let (id, container) = (self.node(&node.id), self.container(&container));
            let topological = topological_node(&id);
            self.equipment
                .object("ConnectivityNode", &id)
                .name(&node.name)
                .reference("ConnectivityNode.ConnectivityNodeContainer", &container);
            let mut object = self.topology.object("TopologicalNode", &topological);
            object.name(&node.name).reference("TopologicalNode.ConnectivityNodeContainer", &container);
            if let Some(kv) = node.nominal_kv {
                object.reference("TopologicalNode.BaseVoltage", &base_voltage(kv));
            }
            self.topology.about("ConnectivityNode", &id).reference("ConnectivityNode.TopologicalNode", &topological);
            if node.is_internal {
                self.count("ConnectivityNode", "internal nodes are written like others");
            }
            if node.place.is_some() {
                self.count("ConnectivityNode", "places are left out: the profile GL is not written");
            }
            self.nodes.insert(&node.id, node.nominal_kv);
        }
    }

    fn add(&mut self, index: usize, equipment: &Equipment) {
        let is_closed = self.positions.is_closed(index);
        let class = match equipment.kind {
            EquipmentKind::GeneratingUnit => "SynchronousMachine",
            EquipmentKind::BatteryUnit | EquipmentKind::InverterUnit => "PowerElectronicsConnection",
            EquipmentKind::Recloser | EquipmentKind::Sectionaliser | EquipmentKind::Fuse if self.version == Version::V2 => {
                self.count(
                    "Switch",
                    "reclosers, sectionalisers and fuses are no classes of CGMES 2.4.15; they are written with those of CIM100",
                );
                equipment.kind.as_str()
            }
            EquipmentKind::DirectCurrentLine => {
                self.count("DCLineSegment", "lines with direct current are left out: their converters are not known");
                return;
            }
            kind => kind.as_str(),
        };
        if class == "PowerElectronicsConnection" && self.version == Version::V2 {
            self.count("PowerElectronicsConnection", "inverters are no class of CGMES 2.4.15; they are written with that of CIM100");
        }
        let id = &*self.mrids.of(PartKind::Equipment, &equipment.id);
        let container = equipment.container.as_deref().map(|container| self.container(container));
        let mut object = self.equipment.object(class, id);
        object.name(&equipment.name);
        if let Some(container) = container {
            object.reference("Equipment.EquipmentContainer", &container);
        }
        let kv = equipment.terminals.first().and_then(|terminal| self.nodes.get(terminal.node.as_str()).copied().flatten());
        if let Some(kv) = kv.filter(|_| equipment.kind != EquipmentKind::PowerTransformer) {
            object.reference("ConductingEquipment.BaseVoltage", &base_voltage(kv));
        }
        for (at, terminal) in equipment.terminals.iter().enumerate() {
            let (terminal_id, node) = (terminal_id(id, at), self.node(&terminal.node));
            let mut object = self.equipment.object("Terminal", &terminal_id);
            object.reference("Terminal.ConductingEquipment", id).reference("Terminal.ConnectivityNode", &node);
            object.value("ACDCTerminal.sequenceNumber", at + 1);
            if terminal.phases != Phases::ABC {
                object.enumerated("Terminal.phases", &format!("PhaseCode.{}", terminal.phases));
            }
            self.hypothesis.about("Terminal", &terminal_id).value("ACDCTerminal.connected", true);
            self.topology.about("Terminal", &terminal_id).reference("Terminal.TopologicalNode", &topological_node(&node));
        }
        let is_switch = equipment.kind.is_switch() || equipment.kind == EquipmentKind::GroundDisconnector;
        let in_service = if is_switch { equipment.kind == EquipmentKind::GroundDisconnector || equipment.is_in_service } else { is_closed };
        self.hypothesis.about(class, id).value("Equipment.inService", in_service);
        if is_switch {
            // A switch out of service keeps its position. An earth switch that is open is one that is out of service.
            let is_open = if equipment.kind == EquipmentKind::GroundDisconnector { !is_closed } else { self.positions.is_open(index) };
            self.add_switch(class, id, equipment, is_open);
        } else {
            self.add_values(class, id, equipment);
        }
    }

    fn add_switch(&mut self, class: &str, id: &str, equipment: &Equipment, is_open: bool) {
        let mut object = self.equipment.more(class, id);
        object.value("Switch.normalOpen", is_open).value("Switch.retained", true);
        if let Electrical::Switch(Switch { rated_a, breaking_ka, .. }) = equipment.electrical {
            object.optional("Switch.ratedCurrent", rated_a);
            object.optional("ProtectedSwitch.breakingCapacity", breaking_ka.map(|ka| ka * 1_000.0));
        }
        self.hypothesis.about(class, id).value("Switch.open", is_open);
    }

    fn add_values(&mut self, class: &'static str, id: &str, equipment: &Equipment) {
        match &equipment.electrical {
            Electrical::Nothing | Electrical::Switch(_) | Electrical::DirectCurrent { .. } => {}
            Electrical::Line(line) => self.add_line(id, line),
            Electrical::Series(series) => self.equipment.more(class, id).series(class, *series),
            Electrical::Transformer(transformer) => {
                for (at, end) in transformer.ends.iter().enumerate() {
                    self.add_end(id, equipment, at, end);
                }
            }
            Electrical::Shunt(shunt) => {
                let kv = equipment.terminals.first().and_then(|terminal| self.nodes.get(terminal.node.as_str()).copied().flatten());
                let mut object = self.equipment.more(class, id);
                object
                    .optional("ShuntCompensator.nomU", kv)
                    .value("ShuntCompensator.maximumSections", 1)
                    .value("ShuntCompensator.normalSections", 1);
                object.number("LinearShuntCompensator.gPerSection", shunt.g_s).number("LinearShuntCompensator.bPerSection", shunt.b_s);
                self.hypothesis.about(class, id).value("ShuntCompensator.sections", 1);
            }
            Electrical::Source(source) => self.add_source(id, equipment, source),
            Electrical::Consumer(load) => self.add_load(id, load),
            Electrical::Generator(generation) => self.add_generator(class, id, equipment, generation),
        }
    }

    fn add_line(&mut self, id: &str, line: &Line) {
        let (series, b_s) = line.by_phase.as_ref().map_or((line.series, line.b_s), positive_sequence);
        if line.by_phase.is_some() {
            self.count("ACLineSegment", "the impedance by phase is written as its positive sequence");
        }
        let mut object = self.equipment.more("ACLineSegment", id);
        object.optional("Conductor.length", line.length_km);
        object.series("ACLineSegment", series);
        object.number("ACLineSegment.gch", line.g_s).number("ACLineSegment.bch", b_s).optional("ACLineSegment.b0ch", line.b0_s);
        let Some(rated_a) = line.rated_a else { return };
        if self.equipment.is_new(PERMANENT) {
            let (property, value) = match self.version {
                Version::V2 => ("OperationalLimitType.limitType", "LimitTypeKind.patl"),
                Version::V3 => ("OperationalLimitType.kind", "LimitKind.patl"),
            };
            self.equipment.object("OperationalLimitType", PERMANENT).name("permanent").enumerated(property, value);
        }
        let set = format!("{id}-limits");
        self.equipment.object("OperationalLimitSet", &set).reference("OperationalLimitSet.Equipment", id);
        let property = if self.version == Version::V2 { "CurrentLimit.value" } else { "CurrentLimit.normalValue" };
        self.equipment
            .object("CurrentLimit", &format!("{id}-limit"))
            .reference("OperationalLimit.OperationalLimitSet", &set)
            .reference("OperationalLimit.OperationalLimitType", PERMANENT)
            .number(property, rated_a);
    }

    fn add_end(&mut self, transformer: &str, equipment: &Equipment, at: usize, end: &TransformerEnd) {
        let id = format!("{transformer}-end-{}", at + 1);
        let kind = match end.connection {
            Connection::Delta => "D",
            Connection::Star => "Y",
            Connection::StarEarthed => "Yn",
            Connection::Zigzag => "Z",
            Connection::ZigzagEarthed => "Zn",
            Connection::Single => "I",
        };
        let kv = equipment.terminals.get(at).and_then(|terminal| self.nodes.get(terminal.node.as_str()).copied().flatten());
        let mut object = self.equipment.object("PowerTransformerEnd", &id);
        object.reference("PowerTransformerEnd.PowerTransformer", transformer);
        object.reference("TransformerEnd.Terminal", &terminal_id(transformer, at)).value("TransformerEnd.endNumber", at + 1);
        if let Some(kv) = kv {
            object.reference("TransformerEnd.BaseVoltage", &base_voltage(kv));
        }
        object
            .number("PowerTransformerEnd.ratedU", end.rated_kv)
            .optional("PowerTransformerEnd.ratedS", end.rated_kva.filter(|kva| *kva > 0.0).map(|kva| kva / 1_000.0));
        object.enumerated("PowerTransformerEnd.connectionKind", &format!("WindingConnection.{kind}"));
        object.value("PowerTransformerEnd.phaseAngleClock", end.clock);
        object.series("PowerTransformerEnd", end.series);
        object.number("PowerTransformerEnd.g", end.g_s).number("PowerTransformerEnd.b", end.b_s);
        let Some(tap) = end.tap else { return };
        self.add_tap(&id, kv.unwrap_or(end.rated_kv), &tap);
    }

    fn add_tap(&mut self, end: &str, kv: f64, tap: &Tap) {
        let id = format!("{end}-tap");
        let is_ratio = tap.step_degrees == 0.0;
        if !is_ratio && tap.step_percent != 0.0 {
            self.count("RatioTapChanger", "of a tap changer that changes ratio and angle only the angle is written");
        }
        let class = if is_ratio { "RatioTapChanger" } else { "PhaseTapChangerLinear" };
        let mut object = self.equipment.object(class, &id);
        if is_ratio {
            object.reference("RatioTapChanger.TransformerEnd", end).number("RatioTapChanger.stepVoltageIncrement", tap.step_percent);
        } else {
            // The angle of CIM is that by which the winding leads the terminal (see the import).
            object
                .reference("PhaseTapChanger.TransformerEnd", end)
                .number("PhaseTapChangerLinear.stepPhaseShiftIncrement", 0.0 - tap.step_degrees);
        }
        object.value("TapChanger.lowStep", tap.low).value("TapChanger.highStep", tap.high).value("TapChanger.neutralStep", tap.neutral);
        object.value("TapChanger.normalStep", tap.step).number("TapChanger.neutralU", kv).value("TapChanger.ltcFlag", false);
        self.hypothesis.about(class, &id).value("TapChanger.step", tap.step).value("TapChanger.controlEnabled", false);
    }

    fn add_source(&mut self, id: &str, equipment: &Equipment, source: &SourceVoltage) {
        let kv = equipment.terminals.first().and_then(|terminal| self.nodes.get(terminal.node.as_str()).copied().flatten()).unwrap_or(1.0);
        let mut object = self.equipment.more("EnergySource", id);
        object.number("EnergySource.nominalVoltage", kv).number("EnergySource.voltageMagnitude", kv * source.voltage_pu);
        object.number("EnergySource.voltageAngle", source.angle_deg.to_radians());
        if let Some(series) = source.impedance {
            object.series("EnergySource", series);
        }
    }

    fn add_load(&mut self, id: &str, load: &Consumption) {
        if load.by_phase.is_some() {
            self.count("EnergyConsumer", "the powers by phase are written as their sum");
        }
        if load.customers > 0 {
            self.equipment.more("EnergyConsumer", id).value("EnergyConsumer.customerCount", load.customers);
        }
        if load.is_delta {
            self.equipment.more("EnergyConsumer", id).enumerated("EnergyConsumer.phaseConnection", "PhaseShuntConnectionKind.D");
        }
        let (impedance, current) = (load.constant_impedance, load.constant_current);
        if impedance != 0.0 || current != 0.0 {
            let response = format!("{id}-response");
            self.equipment.more("EnergyConsumer", id).reference("EnergyConsumer.LoadResponse", &response);
            let mut object = self.equipment.object("LoadResponseCharacteristic", &response);
            object.value("LoadResponseCharacteristic.exponentModel", false);
            for part in ["p", "q"] {
                for (kind, share) in [("Impedance", impedance), ("Current", current), ("Power", 1.0 - impedance - current)] {
                    object.number(&format!("LoadResponseCharacteristic.{part}Constant{kind}"), share);
                }
            }
        }
        self.hypothesis
            .about("EnergyConsumer", id)
            .number("EnergyConsumer.p", load.kw / 1_000.0)
            .number("EnergyConsumer.q", load.kvar / 1_000.0);
    }

    /// Adds a generator. In CGMES the power that leaves the node is positive.
    fn add_generator(&mut self, class: &'static str, id: &str, equipment: &Equipment, generation: &Generation) {
        let prefix = if class == "SynchronousMachine" { "RotatingMachine" } else { class };
        if generation.stored_kwh.is_some() {
            self.count("BatteryUnit", "the energy that a battery stores is left out");
        }
        let unit = format!("{id}-unit");
        match equipment.kind {
            EquipmentKind::GeneratingUnit => {
                self.equipment.object("GeneratingUnit", &unit).number("GeneratingUnit.initialP", generation.kw / 1_000.0);
                self.equipment.more(class, id).reference("RotatingMachine.GeneratingUnit", &unit);
            }
            EquipmentKind::BatteryUnit => {
                self.equipment.object("BatteryUnit", &unit).reference("PowerElectronicsUnit.PowerElectronicsConnection", id);
            }
            _ => {
                self.equipment.object("PhotoVoltaicUnit", &unit).reference("PowerElectronicsUnit.PowerElectronicsConnection", id);
            }
        }
        self.equipment
            .more(class, id)
            .optional(&format!("{prefix}.ratedS"), generation.rated_kva.filter(|kva| *kva > 0.0).map(|kva| kva / 1_000.0));
        let mut state = self.hypothesis.about(class, id);
        state.number(&format!("{prefix}.p"), 0.0 - generation.kw / 1_000.0).number(&format!("{prefix}.q"), 0.0 - generation.kvar / 1_000.0);
        let Some(voltage) = generation.voltage_pu else { return };
        state.value("RegulatingCondEq.controlEnabled", true);
        let kv = equipment.terminals.first().and_then(|terminal| self.nodes.get(terminal.node.as_str()).copied().flatten()).unwrap_or(1.0);
        let control = format!("{id}-control");
        self.equipment.more(class, id).reference("RegulatingCondEq.RegulatingControl", &control);
        self.equipment
            .object("RegulatingControl", &control)
            .enumerated("RegulatingControl.mode", "RegulatingControlModeKind.voltage")
            .reference("RegulatingControl.Terminal", &terminal_id(id, 0));
        self.hypothesis
            .about("RegulatingControl", &control)
            .value("RegulatingControl.enabled", true)
            .value("RegulatingControl.discrete", false)
            .number("RegulatingControl.targetValue", voltage * kv);
    }

    fn add_measurement(&mut self, measurement: &network::description::Measurement) {
        let class = if measurement.terminal.is_some() { "Analog" } else { "Discrete" };
        if measurement.point.is_some() {
            self.count("Measurement", "the point that reports a measurement is left out");
        }
        let equipment = self.mrids.of(PartKind::Equipment, &measurement.equipment);
        let mut object = self.equipment.object(class, &self.mrids.of(PartKind::Measurement, &measurement.id));
        object.text("Measurement.measurementType", &measurement.quantity).reference("Measurement.PowerSystemResource", &equipment);
        if let Some(terminal) = measurement.terminal {
            object.reference("Measurement.Terminal", &terminal_id(&equipment, usize::from(terminal.max(1)) - 1));
        }
        object.enumerated("Measurement.phases", &format!("PhaseCode.{}", measurement.phases));
    }
}

fn topological_node(node: &str) -> String {
    format!("{node}-topological")
}

fn terminal_id(equipment: &str, at: usize) -> String {
    format!("{equipment}-terminal-{}", at + 1)
}

/// The impedance by sequence of a class whose properties are `r`, `x`, `r0` and `x0`.
impl xml::ObjectWriter<'_> {
    fn series(&mut self, class: &str, series: SequenceImpedance) {
        self.number(&format!("{class}.r"), series.r_ohm).number(&format!("{class}.x"), series.x_ohm);
        self.optional(&format!("{class}.r0"), series.r0_ohm).optional(&format!("{class}.x0"), series.x0_ohm);
    }
}
