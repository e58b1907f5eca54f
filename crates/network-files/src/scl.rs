//! The inside of substations from SCL files of IEC 61850-6 (SSD, SCD): voltage levels, bays, conducting equipment, terminals and connectivity nodes.
//!
//! Ids are paths of names, such as `Harbour/E1/Q01/QA1`. SCL refers to connectivity nodes in the same form.

use std::collections::{BTreeMap, HashSet};

use network::description::{Container, ContainerKind, Electrical, Equipment, Node, Switch, Terminal};
use network::findings::PartKind;
use network::{Description, EquipmentKind, Phases};

use crate::bundle::Part;
use crate::{ImportError, Imported, Note, limit_count, xml_text};

/// The types of conducting equipment that are imported.
const TYPES: [(&str, EquipmentKind); 12] = [
    ("CBR", EquipmentKind::Breaker),
    ("DIS", EquipmentKind::Disconnector),
    ("SWI", EquipmentKind::Switch),
    ("FUS", EquipmentKind::Fuse),
    ("ESW", EquipmentKind::GroundDisconnector),
    ("IFL", EquipmentKind::EnergySource),
    ("CAP", EquipmentKind::ShuntCompensator),
    ("REA", EquipmentKind::ShuntCompensator),
    ("GEN", EquipmentKind::GeneratingUnit),
    ("BAT", EquipmentKind::BatteryUnit),
    ("LIN", EquipmentKind::LineSegment),
    ("CAB", EquipmentKind::LineSegment),
];

/// Types that belong to the secondary side, or that do not affect connections.
const WITHOUT_PLACE: [(&str, &str); 6] = [
    ("CTR", "a current transformer carries the current of its bay and is no end of the network"),
    ("VTR", "a voltage transformer measures; it carries no load"),
    ("SAR", "a surge arrester conducts at overvoltage only"),
    ("SMC", "motors are not taken"),
    ("MOT", "motors are not taken"),
    ("BSH", "a bushing is no end of the network"),
];

/// The name of the node of the earth.
const EARTH: &str = "grounded";

type Element<'a> = roxmltree::Node<'a, 'a>;

/// Reads the substations of a file.
pub fn import(file: &str, text: &str) -> Result<Imported, ImportError> {
    let refuse = |reason: String| ImportError::File { file: file.to_owned(), reason };
    let document = xml_text::parse(text).map_err(refuse)?;
    limit_elements(document.root_element())?;
    let mut import = Import {
        description: Description::default(),
        nodes: HashSet::new(),
        with_equipment: nodes_with_equipment(document.root_element()),
        left: BTreeMap::new(),
        notes: Vec::new(),
    };
    for substation in of_name(document.root_element(), "Substation") {
        import.add_substation(substation);
    }
    if import.description.containers.is_empty() {
        return Err(refuse("it has no Substation".to_owned()));
    }
    for section in ["IED", "Communication", "Line", "Process"] {
        let count = of_name(document.root_element(), section).count();
        if count > 0 {
            import.note(section, format!("{count} left out: only substations are read"));
        }
    }
    for (kind, count) in std::mem::take(&mut import.left) {
        let known = WITHOUT_PLACE.iter().find(|(known, _)| *known == kind).map(|(_, reason)| *reason);
        import.note(kind, format!("{count} left out: {}", known.unwrap_or("the import does not know this type")));
    }
    Imported::check(import.description, import.notes)
}

/// Reads the substations of several files together.
pub(crate) fn import_parts(parts: &[Part]) -> Result<Imported, ImportError> {
    let (mut description, mut notes) = (Description::default(), Vec::new());
    for part in parts {
        let imported = import(&part.name, &part.text)?;
        description.containers.extend(imported.description.containers);
        description.nodes.extend(imported.description.nodes);
        description.equipment.extend(imported.description.equipment);
        notes.extend(imported.notes);
    }
    let counts = [
        (PartKind::Container, description.containers.len()),
        (PartKind::Node, description.nodes.len()),
        (PartKind::Equipment, description.equipment.len()),
    ];
    counts.into_iter().try_for_each(|(kind, count)| limit_count(kind, count))?;
    Imported::check(description, notes)
}

fn of_name<'a>(parent: Element<'a>, name: &'static str) -> impl Iterator<Item = Element<'a>> {
    parent.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

struct Import {
    description: Description,
    nodes: HashSet<String>,
    /// The nodes with equipment other than earthing switches.
    with_equipment: HashSet<String>,
    /// Equipment that is left out, by its type.
    left: BTreeMap<String, usize>,
    notes: Vec<Note>,
}

fn name(element: Element<'_>) -> &str {
    element.attribute("name").unwrap_or_default()
}

/// Returns the description of an element, or its name.
fn label(element: Element<'_>) -> String {
    element.attribute("desc").filter(|text| !text.is_empty()).unwrap_or(name(element)).to_owned()
}

/// Whether a terminal is at the earth, which is no node of the network.
fn is_at_earth(terminal: &Element<'_>) -> bool {
    let node = terminal.attribute("connectivityNode").unwrap_or_default();
    terminal.attribute("cNodeName") == Some(EARTH) || node.rsplit('/').next() == Some(EARTH)
}

/// Returns the nodes of all equipment that is no earthing switch.
fn nodes_with_equipment(root: Element<'_>) -> HashSet<String> {
    let terminals = root.descendants().filter(|element| element.tag_name().name() == "Terminal");
    let of_others = terminals.filter(|terminal| terminal.parent().is_some_and(|equipment| equipment.attribute("type") != Some("ESW")));
    of_others.filter_map(|terminal| terminal.attribute("connectivityNode").map(str::to_owned)).collect()
}

/// Refuses a file with more elements than a network can have parts, before any element is imported.
fn limit_elements(root: Element<'_>) -> Result<(), ImportError> {
    let mut counts = [(PartKind::Container, 0), (PartKind::Node, 0), (PartKind::Equipment, 0)];
    for element in root.descendants().filter(Element::is_element) {
        let at = match element.tag_name().name() {
            "Substation" | "VoltageLevel" | "Bay" => 0,
            "ConnectivityNode" => 1,
            "ConductingEquipment" | "PowerTransformer" => 2,
            _ => continue,
        };
        counts[at].1 += 1;
    }
    counts.into_iter().try_for_each(|(kind, count)| limit_count(kind, count))
}

impl Import {
    fn note(&mut self, place: impl Into<String>, reason: impl Into<String>) {
        self.notes.push(Note::new(place, reason));
    }

    fn add_container(&mut self, element: Element<'_>, kind: ContainerKind, parent: Option<&str>, nominal_kv: Option<f64>) -> String {
        let id = parent.map_or_else(|| name(element).to_owned(), |parent| format!("{parent}/{}", name(element)));
        let parent = parent.map(str::to_owned);
        self.description.containers.push(Container { id: id.clone(), name: label(element), kind, parent, nominal_kv, place: None });
        id
    }

    fn add_substation(&mut self, substation: Element<'_>) {
        let id = self.add_container(substation, ContainerKind::Substation, None, None);
        // Equipment refers to nodes of any bay: all nodes come first.
        for level in of_name(substation, "VoltageLevel") {
            let kv = nominal_kv(level);
            let level_id = self.add_container(level, ContainerKind::VoltageLevel, Some(&id), kv);
            for bay in of_name(level, "Bay") {
                let bay_id = self.add_container(bay, ContainerKind::Bay, Some(&level_id), None);
                for node in of_name(bay, "ConnectivityNode") {
                    let id = node.attribute("pathName").map_or_else(|| format!("{bay_id}/{}", name(node)), str::to_owned);
                    self.nodes.insert(id.clone());
                    let (name, container) = (label(node), Some(bay_id.clone()));
                    self.description.nodes.push(Node { id, name, container, nominal_kv: kv, is_internal: false, place: None });
                }
            }
        }
        for transformer in of_name(substation, "PowerTransformer") {
            self.add_transformer(transformer, &id);
        }
        for level in of_name(substation, "VoltageLevel") {
            let level_id = format!("{id}/{}", name(level));
            for transformer in of_name(level, "PowerTransformer") {
                self.add_transformer(transformer, &level_id);
            }
            for bay in of_name(level, "Bay") {
                let bay_id = format!("{level_id}/{}", name(bay));
                for transformer in of_name(bay, "PowerTransformer") {
                    self.add_transformer(transformer, &bay_id);
                }
                for equipment in of_name(bay, "ConductingEquipment") {
                    self.add_equipment(equipment, &bay_id);
                }
                for part in ["GeneralEquipment", "Function"] {
                    let count = of_name(bay, part).count();
                    if count > 0 {
                        *self.left.entry(part.to_owned()).or_default() += count;
                    }
                }
            }
        }
    }

    /// Returns the terminals of an element that are at a node. A terminal at earth is not part of the network.
    fn terminals(&mut self, element: Element<'_>, id: &str) -> Vec<Terminal> {
        let mut found = Vec::new();
        for terminal in of_name(element, "Terminal") {
            let node = terminal.attribute("connectivityNode").unwrap_or_default();
            let is_earth = is_at_earth(&terminal);
            if self.nodes.contains(node) && !is_earth {
                found.push(Terminal { node: node.to_owned(), phases: Phases::ABC });
            } else if !is_earth {
                self.note(id, format!("terminal {} left out, because its node {node:?} is missing", name(terminal)));
            }
        }
        found
    }

    /// Cuts the terminals beyond the number that a piece of equipment can have, with a note.
    fn limit_terminals(&mut self, id: &str, kind: &str, terminals: &mut Vec<Terminal>, most: usize) {
        if terminals.len() > most {
            self.note(id, format!("{kind}: only the first {most} of its {} terminals are taken", terminals.len()));
            terminals.truncate(most);
        }
    }

    fn add_equipment(&mut self, element: Element<'_>, bay: &str) {
        let id = format!("{bay}/{}", name(element));
        let kind_text = element.attribute("type").unwrap_or_default();
        let Some((_, kind)) = TYPES.iter().find(|(known, _)| *known == kind_text) else {
            *self.left.entry(kind_text.to_owned()).or_default() += 1;
            return;
        };
        let mut terminals = self.terminals(element, &id);
        // An earthing switch is often modelled as a disconnector with one end at the earth.
        let has_earth = of_name(element, "Terminal").any(|terminal| is_at_earth(&terminal));
        let mut kind = *kind;
        if kind.is_switch() && has_earth && terminals.len() == 1 {
            kind = EquipmentKind::GroundDisconnector;
        }
        if kind == EquipmentKind::GroundDisconnector && terminals.len() > 1 {
            terminals.retain(|terminal| self.with_equipment.contains(&terminal.node));
        }
        if kind == EquipmentKind::GroundDisconnector && terminals.len() != 1 {
            let reason = "the earthing switch is left out, because it is not known which of its terminals is at the earth; \
                          name the node of that terminal \"grounded\", and give the other terminal a node of the file";
            self.notes.push(Note::error(id, reason));
            return;
        }
        // Where a feeder leaves, the other end of its line is in another file.
        if kind == EquipmentKind::LineSegment && terminals.len() == 1 {
            self.note(&*id, "the line is left out, because its other end is not in the file");
            return;
        }
        let (least, most) = kind.terminals();
        if terminals.len() < least {
            self.note(&*id, format!("{kind_text} left out, because it has {} terminals with a node; {least} are needed", terminals.len()));
            return;
        }
        self.limit_terminals(&id, kind_text, &mut terminals, most);
        // The file has no positions. Earthing switches are open in the normal state of a network.
        let is_normally_open = kind == EquipmentKind::GroundDisconnector;
        let has_position = kind.is_switch() || is_normally_open;
        let electrical =
            if has_position { Electrical::Switch(Switch { is_normally_open, ..Switch::default() }) } else { Electrical::Nothing };
        self.push(id, label(element), kind, bay, terminals, electrical);
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one piece of equipment")]
    fn push(&mut self, id: String, name: String, kind: EquipmentKind, container: &str, terminals: Vec<Terminal>, electrical: Electrical) {
        let container = Some(container.to_owned());
        self.description.equipment.push(Equipment { id, name, kind, container, terminals, is_in_service: true, electrical });
    }

    fn add_transformer(&mut self, element: Element<'_>, container: &str) {
        let id = format!("{container}/{}", name(element));
        let mut terminals = Vec::new();
        for winding in of_name(element, "TransformerWinding") {
            let mut of_winding = self.terminals(winding, &id);
            self.limit_terminals(&format!("{id}/{}", name(winding)), "TransformerWinding", &mut of_winding, 1);
            terminals.extend(of_winding);
        }
        if terminals.len() < 2 {
            self.note(&*id, format!("PowerTransformer left out, because {} of its windings have a node; 2 are needed", terminals.len()));
            return;
        }
        self.limit_terminals(&id, "PowerTransformer", &mut terminals, 3);
        // The file has no impedance: only the connection is taken.
        self.push(id, label(element), EquipmentKind::PowerTransformer, container, terminals, Electrical::Nothing);
    }
}

/// Returns the nominal voltage of a voltage level in kV.
fn nominal_kv(level: Element<'_>) -> Option<f64> {
    let voltage = of_name(level, "Voltage").next()?;
    let value: f64 = voltage.text()?.trim().parse().ok()?;
    let factor = match voltage.attribute("multiplier") {
        Some("k") => 1.0,
        Some("M") => 1_000.0,
        _ => 1e-3,
    };
    Some(value * factor).filter(|kv| *kv > 0.0 && *kv < 1e6)
}
