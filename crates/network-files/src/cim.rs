//! Networks in RDF/XML with the classes of IEC 61970-301: CGMES 2.4.15 and 3.0, and CIM100 feeders as GridAPPS-D writes them.
//!
//! Ids are mRIDs, or rdf ids without their underscore. Connectivity nodes are imported as nodes. If terminals have none, topological nodes are used. Files with
//! a header (`md:FullModel`) have the units of CGMES: kV, MW, MVA, km. Files without this header have volts, watts and metres.

mod branches;
mod classes;
mod containers;
mod earth_sides;
mod earths;
mod ends;
mod export;
mod injections;
mod mrids;
mod new_terminal;
mod objects;
mod transformers;

use std::collections::{BTreeMap, HashMap, HashSet};

use network::description::{Electrical, Equipment};
use network::{Description, EquipmentKind, Phases};

pub use export::{ExportedFiles, Version, export};

use crate::bundle::Part;
use crate::{ClassCount, ImportError, Imported, Note};
use classes::{USED_WITH_OTHERS, WITHOUT_PLACE, is_container, is_header, is_measurement};
use earth_sides::EarthSides;
use new_terminal::{End, NewTerminal};
use objects::{Object, Objects};

/// Reads a network from the texts of one or more files, such as the files of the profiles EQ, SSH and TP.
pub fn import<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> Result<Imported, ImportError> {
    let mut objects = Objects::default();
    let mut notes = Vec::new();
    for (name, text) in files {
        objects.add_file(name, text, &mut notes)?;
    }
    objects.finish();
    let unit = if objects.has_header { Units::CGMES } else { Units::SI };
    let mut import = Import {
        index: Index::new(&objects)?,
        objects: &objects,
        unit,
        description: Description::default(),
        notes,
        containers: HashSet::new(),
        node_at: HashMap::new(),
        terminals: HashMap::new(),
        open_ends: HashMap::new(),
        open_phases: 0,
        earth_sides: EarthSides::default(),
        grounds_of_switches: HashSet::new(),
    };
    import.add_containers();
    import.add_nodes();
    import.add_terminals();
    import.find_earth_sides();
    import.add_branches();
    import.add_transformers();
    import.add_injections();
    import.add_measurements();
    import.note_open_ends();
    import.note_open_phases();
    import.sort();
    import.note_unused_nodes();
    let classes = import.note_classes();
    Ok(Imported { classes, ..Imported::check(import.description, import.notes)? })
}

pub(crate) fn import_parts(parts: &[Part]) -> Result<Imported, ImportError> {
    import(parts.iter().map(|part| (part.name.as_str(), part.text.as_str())))
}

/// The factors by which the numbers of a file are multiplied.
#[derive(Debug, Clone, Copy)]
struct Units {
    /// To kV.
    voltage: f64,
    /// To kW, kvar and kVA.
    power: f64,
    /// To km.
    length: f64,
    /// The sign of the power of inverters. In CIM the power that leaves the node is positive; in files of GridAPPS-D the power that the inverter feeds is
    /// positive.
    inverter: f64,
}

impl Units {
    const CGMES: Self = Self { voltage: 1.0, power: 1_000.0, length: 1.0, inverter: -1.0 };
    const SI: Self = Self { voltage: 1e-3, power: 1e-3, length: 1e-3, inverter: 1.0 };
}

/// The objects that refer to other objects, by the property and the id of the other object.
#[derive(Debug, Default)]
struct Index<'o> {
    by_property: HashMap<&'static str, HashMap<&'o str, Vec<&'o Object>>>,
}

/// Properties that are followed backwards.
const FOLLOWED: [&str; 23] = [
    "Terminal.ConductingEquipment",
    "PowerTransformerEnd.PowerTransformer",
    "TransformerTank.PowerTransformer",
    "TransformerTankEnd.TransformerTank",
    "TransformerEndInfo.TransformerTankInfo",
    "ShortCircuitTest.EnergisedEnd",
    "NoLoadTest.EnergisedEnd",
    "RatioTapChanger.TransformerEnd",
    "PhaseTapChanger.TransformerEnd",
    "TransformerMeshImpedance.FromTransformerEnd",
    "TransformerCoreAdmittance.TransformerEnd",
    "TransformerStarImpedance.TransformerEnd",
    "TransformerStarImpedance.TransformerEndInfo",
    "ACLineSegmentPhase.ACLineSegment",
    "PhaseImpedanceData.PhaseImpedance",
    "EnergyConsumerPhase.EnergyConsumer",
    "SwitchPhase.Switch",
    "LinearShuntCompensatorPhase.ShuntCompensator",
    "PowerElectronicsConnectionPhase.PowerElectronicsConnection",
    "PowerElectronicsUnit.PowerElectronicsConnection",
    "OperationalLimitSet.Terminal",
    "OperationalLimitSet.Equipment",
    "OperationalLimit.OperationalLimitSet",
];

/// Maximum number of objects that refer to the same object by one property. An object has only a few tanks, ends, limits and phases; many more would take too
/// long to process.
const REFERENCES_MAX: usize = 200;

impl<'o> Index<'o> {
    fn new(objects: &'o Objects) -> Result<Self, ImportError> {
        let mut index = Self::default();
        for object in objects.iter() {
            for property in FOLLOWED {
                for id in object.references(property) {
                    let found = index.by_property.entry(property).or_default().entry(id).or_default();
                    if found.len() == REFERENCES_MAX {
                        return Err(ImportError::TooManyReferences { id: id.to_owned(), property, most: REFERENCES_MAX });
                    }
                    found.push(object);
                }
            }
        }
        Ok(index)
    }

    /// Returns the objects whose property refers to an id, in the order of the files. They count as used.
    fn of(&self, property: &str, id: &str) -> &[&'o Object] {
        let found = self.look_at(property, id);
        for object in found {
            object.mark_used();
        }
        found
    }

    /// Returns the objects whose property refers to an id, in the order of the files, without using them.
    fn look_at(&self, property: &str, id: &str) -> &[&'o Object] {
        self.by_property.get(property).and_then(|by_id| by_id.get(id)).map_or(&[], Vec::as_slice)
    }
}

struct Import<'o> {
    objects: &'o Objects,
    index: Index<'o>,
    unit: Units,
    description: Description,
    notes: Vec<Note>,
    /// The ids of the containers.
    containers: HashSet<String>,
    /// The positions of nodes in the description.
    node_at: HashMap<String, usize>,
    /// For each piece of equipment its terminals that have a node, in order.
    terminals: HashMap<&'o str, Vec<End<'o>>>,
    /// The positions in the description of the switches at terminals that are not connected.
    open_ends: HashMap<&'o str, usize>,
    /// Number of phases that are left out because they are open while other phases of their switch are closed.
    open_phases: usize,
    /// The nodes that decide on the side of an earth switch.
    earth_sides: EarthSides,
    /// The ids of grounds at which only earth switches end.
    grounds_of_switches: HashSet<&'o str>,
}

impl<'o> Import<'o> {
    fn note(&mut self, place: impl Into<String>, reason: impl Into<String>) {
        self.notes.push(Note::new(place, reason));
    }

    /// Adds equipment at its terminals. Adds a note instead if there are too few terminals.
    fn add(&mut self, object: &'o Object, kind: EquipmentKind, electrical: Electrical) {
        self.add_with_phases(object, kind, self.phases_of(object), electrical);
    }

    fn add_with_phases(&mut self, object: &'o Object, kind: EquipmentKind, phases: Phases, electrical: Electrical) {
        let of = |end: &End<'o>| end.object.phases("Terminal.phases").filter(|_| phases == Phases::ABC).unwrap_or(phases);
        let terminals = self.ends(object).iter().map(|end| end.with_phases(of(end))).collect();
        self.add_at(object, kind, terminals, electrical);
    }

    fn add_at(&mut self, object: &'o Object, kind: EquipmentKind, mut terminals: Vec<NewTerminal<'o>>, mut electrical: Electrical) {
        let (least, most) = kind.terminals();
        if terminals.len() < least {
            let reason = format!("{} left out, because it has {} terminals with a node; {least} are needed", object.class, terminals.len());
            self.note(object.name_or_id(), reason);
            return;
        }
        if terminals.len() > most {
            self.note(
                object.name_or_id(),
                format!("{}: only the first {most} of its {} terminals are taken", object.class, terminals.len()),
            );
            terminals.truncate(most);
            if let Electrical::Transformer(transformer) = &mut electrical {
                transformer.ends.truncate(most);
            }
        }
        let in_service = object.flag("Equipment.inService").or(object.flag("Equipment.normallyInService")).unwrap_or(true);
        let container =
            object.reference("Equipment.EquipmentContainer").and_then(|id| self.objects.get(id)).map(|container| container.mrid.clone());
        let container = container.filter(|id| self.containers.contains(id));
        let is_connected = self.disconnect(&mut terminals, container.as_ref(), &mut electrical);
        self.description.equipment.push(Equipment {
            id: object.mrid.clone(),
            name: object.name().to_owned(),
            kind,
            container,
            terminals: terminals.into_iter().map(|end| end.terminal).collect(),
            is_in_service: in_service && is_connected,
            electrical,
        });
    }

    /// Returns the phases of equipment that has an object for each phase; all phases if it has none.
    fn phases_of(&self, object: &Object) -> Phases {
        let properties = [
            ("ACLineSegmentPhase.ACLineSegment", "ACLineSegmentPhase.phase"),
            ("EnergyConsumerPhase.EnergyConsumer", "EnergyConsumerPhase.phase"),
            ("SwitchPhase.Switch", "SwitchPhase.phaseSide1"),
            ("LinearShuntCompensatorPhase.ShuntCompensator", "ShuntCompensatorPhase.phase"),
            ("PowerElectronicsConnectionPhase.PowerElectronicsConnection", "PowerElectronicsConnectionPhase.phase"),
        ];
        for (property, phase) in properties {
            let parts = self.index.of(property, &object.id);
            if !parts.is_empty() {
                let phases = parts.iter().filter_map(|part| part.phases(phase)).fold(Phases::NONE, Phases::union);
                if !phases.is_empty() {
                    return phases;
                }
            }
        }
        Phases::ABC
    }

    /// Puts everything into the order of the files.
    fn sort(&mut self) {
        // Parts of different kinds may have one id.
        let mut orders: [HashMap<&str, usize>; 3] = Default::default();
        for (at, object) in self.objects.iter().enumerate() {
            let class = object.class.as_str();
            let order = match class {
                _ if is_container(class) => &mut orders[0],
                _ if is_measurement(class) => &mut orders[1],
                _ if USED_WITH_OTHERS.contains(&class) => continue,
                _ => &mut orders[2],
            };
            order.insert(&object.mrid, at);
        }
        let [containers, measurements, equipment] = orders;
        self.description.containers.sort_by_key(|container| containers.get(container.id.as_str()));
        self.description.measurements.sort_by_key(|measurement| measurements.get(measurement.id.as_str()));
        self.description.equipment.sort_by_key(|part| equipment.get(part.id.as_str()));
    }

    /// Counts nodes without equipment. Their equipment has classes that are not imported.
    fn note_unused_nodes(&mut self) {
        let used: HashSet<&str> =
            self.description.equipment.iter().flat_map(|equipment| &equipment.terminals).map(|terminal| terminal.node.as_str()).collect();
        let unused = self.description.nodes.iter().filter(|node| !used.contains(node.id.as_str())).count();
        if unused > 0 {
            self.note("ConnectivityNode", format!("{unused} nodes have no equipment that is taken"));
        }
    }

    /// Counts the objects of each class, and adds a note for each class with objects that are not imported.
    fn note_classes(&mut self) -> BTreeMap<String, ClassCount> {
        let taken: HashSet<&str> = self
            .description
            .equipment
            .iter()
            .map(|equipment| equipment.id.as_str())
            .chain(self.description.containers.iter().map(|container| container.id.as_str()))
            .chain(self.description.measurements.iter().map(|measurement| measurement.id.as_str()))
            .collect();
        let nodes: HashSet<&str> = self.description.nodes.iter().map(|node| node.id.as_str()).collect();
        let is_taken = |object: &Object| match object.class.as_str() {
            "ConnectivityNode" | "TopologicalNode" => nodes.contains(object.mrid.as_str()),
            _ => taken.contains(object.mrid.as_str()),
        };
        let mut classes: BTreeMap<String, ClassCount> = BTreeMap::new();
        for object in self.objects.iter() {
            let class = object.class.as_str();
            // A transformer with tanks is taken as its tanks.
            let is_of_tanks = || !self.index.look_at("TransformerTank.PowerTransformer", &object.id).is_empty();
            let is_used = || is_header(class) || object.is_used() && USED_WITH_OTHERS.contains(&class);
            let is_side_of_switch = || self.grounds_of_switches.contains(object.id.as_str());
            let count = classes.entry(class.to_owned()).or_default();
            count.objects += 1;
            if is_taken(object) {
                count.taken += 1;
            } else if is_used() || is_of_tanks() || is_side_of_switch() {
                count.used += 1;
            } else {
                count.left_out += 1;
            }
        }
        let notes: Vec<_> = classes
            .iter()
            .filter(|(_, count)| count.left_out > 0)
            .map(|(class, count)| {
                let known = WITHOUT_PLACE.iter().find(|(known, _)| *known == class).map(|(_, reason)| *reason);
                let reason = known.unwrap_or("the import does not know this class, or it lacks what is needed");
                Note::new(class, format!("{} objects left out: {reason}", count.left_out))
            })
            .collect();
        drop(taken);
        self.notes.extend(notes);
        classes
    }
}
