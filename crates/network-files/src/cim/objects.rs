//! The objects of RDF/XML files: classes with properties that are texts or references.

use std::cell::Cell;
use std::collections::HashMap;

use network::findings::PartKind;
use network::{Phase, Phases};
use roxmltree::Node;

use super::classes::{USED_WITH_OTHERS, is_container, is_measurement};
use super::mrids::{AUTHORITY, part_id};
use crate::{ImportError, Note, limit_count, xml_text};

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

/// Profiles that are not about the network: layouts, places, results, dynamics.
const IGNORED_PROFILES: [(&str, &str); 5] = [
    ("DiagramLayout", "layouts of diagrams"),
    ("GeographicalLocation", "places of parts other than substations"),
    ("StateVariables", "results of a calculation"),
    ("Dynamics", "dynamic models"),
    ("ShortCircuit-EU", "data for short circuits"),
];

/// A value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Text(String),
    /// The id of another object, or the name of a value of an enumeration, such as `WindingConnection.Yn`.
    Reference(String),
}

/// An object.
#[derive(Debug)]
pub(super) struct Object {
    /// The id within the files.
    pub(super) id: String,
    /// The id for a part that is created from it: its mRID, or the id within the files.
    pub(super) mrid: String,
    pub(super) class: String,
    /// In the order of the names after [`Objects::finish`].
    values: Vec<(String, Value)>,
    has_mrid: bool,
    /// The positions of the sources in which it has an `rdf:ID`: each may define it once.
    defined_in: Vec<u16>,
    /// Whether a part of the network was read from it.
    is_used: Cell<bool>,
}

impl Object {
    /// Records that a part of the network is read from the object. The import lists objects that are not used.
    pub(super) fn mark_used(&self) -> &Self {
        self.is_used.set(true);
        self
    }

    pub(super) fn is_used(&self) -> bool {
        self.is_used.get()
    }

    pub(super) fn text(&self, property: &str) -> Option<&str> {
        self.values_of(property).find_map(|value| match value {
            Value::Text(text) => Some(text.trim()),
            Value::Reference(_) => None,
        })
    }

    /// Returns the values of a property, in the order of the files. An object may have as many values as a file has lines, so they are not searched one by one.
    fn values_of(&self, property: &str) -> impl Iterator<Item = &Value> {
        let start = self.values.partition_point(|(name, _)| name.as_str() < property);
        self.values[start..].iter().take_while(move |(name, _)| name == property).map(|(_, value)| value)
    }

    pub(super) fn reference(&self, property: &str) -> Option<&str> {
        self.references(property).next()
    }

    pub(super) fn references(&self, property: &str) -> impl Iterator<Item = &str> {
        self.values_of(property).filter_map(|value| match value {
            Value::Reference(id) => Some(id.as_str()),
            Value::Text(_) => None,
        })
    }

    /// Returns the value of an enumeration without its name, such as `Yn`.
    pub(super) fn enumerated(&self, property: &str) -> Option<&str> {
        self.reference(property).map(|value| value.rsplit('.').next().unwrap_or(value))
    }

    pub(super) fn number(&self, property: &str) -> Option<f64> {
        self.text(property)?.parse().ok().filter(|number: &f64| number.abs() <= 1e15)
    }

    pub(super) fn flag(&self, property: &str) -> Option<bool> {
        match self.text(property)? {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        }
    }

    pub(super) fn name(&self) -> &str {
        self.text("IdentifiedObject.name").unwrap_or_default()
    }

    pub(super) fn name_or_id(&self) -> String {
        self.mrid.clone()
    }

    pub(super) fn sequence_number(&self) -> Option<u32> {
        self.number("ACDCTerminal.sequenceNumber").or_else(|| self.number("Terminal.sequenceNumber")).map(|number| number as u32)
    }

    /// Returns the phases of a property such as `PhaseCode.ABC`. `None` if the property is absent, or contains none of the three phases. The codes s1 and s2
    /// are the two halves of a split phase.
    pub(super) fn phases(&self, property: &str) -> Option<Phases> {
        let text = self.enumerated(property)?;
        let found = text.chars().fold(Phases::NONE, |phases, letter| match letter {
            'A' => phases.union(Phases::only(Phase::A)),
            'B' => phases.union(Phases::only(Phase::B)),
            'C' => phases.union(Phases::only(Phase::C)),
            _ => phases,
        });
        (!found.is_empty()).then_some(found)
    }
}

/// All objects of the files of a network.
#[derive(Debug, Default)]
pub(super) struct Objects {
    list: Vec<Object>,
    by_id: HashMap<String, usize>,
    by_mrid: HashMap<String, usize>,
    /// The sources of the objects: the profiles of a file, or its name if it has no header.
    sources: Vec<String>,
    /// The number of objects of each kind of part.
    counts: HashMap<PartKind, usize>,
    /// Whether a file has the header of CGMES.
    pub(super) has_header: bool,
}

impl Objects {
    /// Adds the objects of a file. If several files describe the same object, their values are combined.
    pub(super) fn add_file(&mut self, name: &str, text: &str, notes: &mut Vec<Note>) -> Result<(), ImportError> {
        let refuse = |reason: String| ImportError::File { file: name.to_owned(), reason };
        let document = xml_text::parse(text).map_err(refuse)?;
        let root = document.root_element();
        if !root.has_tag_name((RDF, "RDF")) {
            return Err(refuse("its root is not rdf:RDF".to_owned()));
        }
        let header = root.children().find(|node| node.tag_name().name() == "FullModel" || node.tag_name().name() == "DifferenceModel");
        let texts = |header: Node<'_, '_>, property: &str| -> Vec<String> {
            let found = header.children().filter(|node| node.tag_name().name() == property);
            found.filter_map(|node| node.text().map(str::to_owned)).collect()
        };
        let profiles = header.map(|header| texts(header, "Model.profile")).unwrap_or_default();
        let is_own = header.is_some_and(|header| texts(header, "Model.modelingAuthoritySet").iter().any(|text| text == AUTHORITY));
        if let Some(header) = header {
            self.has_header = true;
            if header.tag_name().name() == "DifferenceModel" {
                return Err(refuse("it has the changes of a network, not a network".to_owned()));
            }
            let reason = |profile: &String| IGNORED_PROFILES.iter().find(|(known, _)| profile.contains(known)).map(|(_, reason)| *reason);
            if !profiles.is_empty() && profiles.iter().all(|profile| reason(profile).is_some()) {
                let count = root.children().filter(Node::is_element).count() - 1;
                notes
                    .push(Note::new(name, format!("{count} objects left out: {} are not taken", reason(&profiles[0]).unwrap_or_default())));
                return Ok(());
            }
        }
        let source = if profiles.is_empty() { name.to_owned() } else { profiles.join(" ") };
        let source = self.sources.iter().position(|known| *known == source).unwrap_or_else(|| {
            self.sources.push(source);
            self.sources.len() - 1
        });
        for element in root.children().filter(Node::is_element) {
            self.add(&element, is_own, notes)?;
            self.define(&element, source as u16).map_err(refuse)?;
        }
        Ok(())
    }

    /// Refuses a second `rdf:ID` of one source, or of another class: two objects would become one.
    fn define(&mut self, element: &Node<'_, '_>, source: u16) -> Result<(), String> {
        let Some(id) = element.attribute((RDF, "ID")) else { return Ok(()) };
        let Some(at) = self.by_id.get(&local_id(id)) else { return Ok(()) };
        let (object, class) = (&mut self.list[*at], element.tag_name().name());
        if object.defined_in.contains(&source) {
            return Err(format!("the rdf:ID {id} is there twice; it names one object only"));
        }
        if !object.defined_in.is_empty() && object.class != class {
            return Err(format!("the rdf:ID {id} is that of a {class} and of a {}; it names one object only", object.class));
        }
        object.defined_in.push(source);
        class.clone_into(&mut object.class);
        Ok(())
    }

    /// Adds an object, or values to an existing object. If the file is an export of Switchyard, the kind is removed from its mRID.
    fn add(&mut self, element: &Node<'_, '_>, is_own: bool, notes: &mut Vec<Note>) -> Result<(), ImportError> {
        let class = element.tag_name().name();
        let Some(id) = element.attribute((RDF, "ID")).or_else(|| element.attribute((RDF, "about"))).map(local_id) else {
            notes.push(Note::new(class, "an object without rdf:ID and rdf:about is left out"));
            return Ok(());
        };
        let values = element.children().filter(Node::is_element).map(|property| {
            let value = match property.attribute((RDF, "resource")) {
                Some(resource) => Value::Reference(local_id(resource)),
                None => Value::Text(property.text().unwrap_or_default().to_owned()),
            };
            (property.tag_name().name().to_owned(), value)
        });
        let values: Vec<(String, Value)> = values.collect();
        let mrid = values.iter().find_map(|(name, value)| match value {
            Value::Text(text) if name == "IdentifiedObject.mRID" => Some(text.trim().trim_start_matches("urn:uuid:").to_owned()),
            _ => None,
        });
        let at = if let Some(at) = self.by_id.get(&id) {
            let object = &mut self.list[*at];
            // SSH and TP describe the objects of EQ, some with the name of a parent class. The class is that of the definition.
            object.values.extend(values);
            *at
        } else {
            self.make_room(class)?;
            self.by_id.insert(id.clone(), self.list.len());
            self.list.push(Object {
                mrid: id.clone(),
                id,
                class: class.to_owned(),
                values,
                has_mrid: false,
                defined_in: Vec::new(),
                is_used: Cell::new(false),
            });
            self.list.len() - 1
        };
        let object = &mut self.list[at];
        let Some(mrid) = mrid.filter(|mrid| !mrid.is_empty() && !object.has_mrid) else { return Ok(()) };
        object.has_mrid = true;
        if *self.by_mrid.entry(mrid.clone()).or_insert(at) == at {
            object.mrid = if is_own { part_id(&mrid).to_owned() } else { mrid };
        } else {
            notes.push(Note::new(object.id.clone(), format!("its rdf id is taken, because another object has the mRID {mrid}")));
        }
        Ok(())
    }

    /// Refuses more objects of a class than a network can have. Unknown classes count as equipment.
    fn make_room(&mut self, class: &str) -> Result<(), ImportError> {
        let kind = match class {
            "ConnectivityNode" | "TopologicalNode" => PartKind::Node,
            _ if is_container(class) => PartKind::Container,
            _ if is_measurement(class) => PartKind::Measurement,
            _ if USED_WITH_OTHERS.contains(&class) => return Ok(()),
            _ => PartKind::Equipment,
        };
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        limit_count(kind, *count)
    }

    /// Orders the values for look-ups, after the last file.
    pub(super) fn finish(&mut self) {
        for object in &mut self.list {
            object.values.sort_by(|(one, _), (other, _)| one.cmp(other));
        }
    }

    /// Returns an object that another one refers to. It counts as used.
    pub(super) fn get(&self, id: &str) -> Option<&Object> {
        self.by_id.get(id).map(|at| self.list[*at].mark_used())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Object> {
        self.list.iter()
    }

    pub(super) fn of_class(&self, class: &str) -> impl Iterator<Item = &Object> {
        self.list.iter().filter(move |object| object.class == class)
    }

    /// Returns the object that a property refers to.
    pub(super) fn follow(&self, object: &Object, property: &str) -> Option<&Object> {
        object.reference(property).and_then(|id| self.get(id))
    }
}

/// Returns the id without its prefix: `#_a`, `_a`, `urn:uuid:a` and `http://file#_a` all become `a`.
fn local_id(text: &str) -> String {
    let after = text.rsplit('#').next().unwrap_or(text);
    let after = after.strip_prefix("urn:uuid:").unwrap_or(after);
    after.strip_prefix('_').unwrap_or(after).to_owned()
}
