//! Writes RDF/XML.

use std::collections::HashMap;
use std::fmt::Write;

use super::super::mrids::AUTHORITY;
use crate::rounding::round;

/// A version of CGMES.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// 2.4.15, with the namespace of CIM16.
    V2,
    /// 3.0, with the namespace of CIM100.
    V3,
}

/// A profile of CGMES.
#[derive(Debug, Clone, Copy)]
pub(super) enum Profile {
    Equipment,
    SteadyStateHypothesis,
    Topology,
}

impl Profile {
    /// Returns the identifiers of the profile.
    fn uris(self, version: Version) -> &'static [&'static str] {
        match (self, version) {
            (Self::Equipment, Version::V2) => &[
                "http://entsoe.eu/CIM/EquipmentCore/3/1",
                "http://entsoe.eu/CIM/EquipmentOperation/3/1",
                "http://entsoe.eu/CIM/EquipmentShortCircuit/3/1",
            ],
            (Self::SteadyStateHypothesis, Version::V2) => &["http://entsoe.eu/CIM/SteadyStateHypothesis/1/1"],
            (Self::Topology, Version::V2) => &["http://entsoe.eu/CIM/Topology/4/1"],
            (Self::Equipment, Version::V3) => &[
                "http://iec.ch/TC57/ns/CIM/CoreEquipment-EU/3.0",
                "http://iec.ch/TC57/ns/CIM/Operation-EU/3.0",
                "http://iec.ch/TC57/ns/CIM/ShortCircuit-EU/3.0",
            ],
            (Self::SteadyStateHypothesis, Version::V3) => &["http://iec.ch/TC57/ns/CIM/SteadyStateHypothesis-EU/3.0"],
            (Self::Topology, Version::V3) => &["http://iec.ch/TC57/ns/CIM/Topology-EU/3.0"],
        }
    }
}

/// A file that is being written. The objects are in the order in which they were added, and properties can be added to
/// them later.
pub(super) struct Document {
    profile: Profile,
    version: Version,
    objects: Vec<Written>,
    by_id: HashMap<String, usize>,
}

struct Written {
    class: String,
    id: String,
    is_new: bool,
    properties: String,
}

/// Adds properties to an object.
pub(super) struct ObjectWriter<'d> {
    object: &'d mut Written,
    version: Version,
}

impl Document {
    pub(super) fn new(profile: Profile, version: Version) -> Self {
        Self { profile, version, objects: Vec::new(), by_id: HashMap::new() }
    }

    pub(super) fn is_new(&self, id: &str) -> bool {
        !self.by_id.contains_key(id)
    }

    /// Begins an object that this profile defines.
    pub(super) fn object(&mut self, class: &str, id: &str) -> ObjectWriter<'_> {
        let mut object = self.begin(class, id, true);
        object.text("IdentifiedObject.mRID", id);
        object
    }

    /// Begins or continues the properties that this profile adds to an object of another profile.
    pub(super) fn about(&mut self, class: &str, id: &str) -> ObjectWriter<'_> {
        self.begin(class, id, false)
    }

    /// Continues an object.
    pub(super) fn more(&mut self, class: &str, id: &str) -> ObjectWriter<'_> {
        self.begin(class, id, true)
    }

    fn begin(&mut self, class: &str, id: &str, is_new: bool) -> ObjectWriter<'_> {
        let at = *self.by_id.entry(id.to_owned()).or_insert_with(|| {
            self.objects.push(Written { class: class.to_owned(), id: id.to_owned(), is_new, properties: String::new() });
            self.objects.len() - 1
        });
        debug_assert_eq!(self.objects[at].class, class, "two objects with the id {id}");
        ObjectWriter { object: &mut self.objects[at], version: self.version }
    }

    pub(super) fn finish(self) -> String {
        let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let namespace = namespace(self.version);
        let _ = writeln!(
            text,
            "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:cim=\"{namespace}\" \
             xmlns:md=\"http://iec.ch/TC57/61970-552/ModelDescription/1#\">"
        );
        let _ = writeln!(text, "  <md:FullModel rdf:about=\"urn:uuid:{}\">", self.uuid());
        for uri in self.profile.uris(self.version) {
            let _ = writeln!(text, "    <md:Model.profile>{uri}</md:Model.profile>");
        }
        let _ = writeln!(text, "    <md:Model.modelingAuthoritySet>{AUTHORITY}</md:Model.modelingAuthoritySet>\n  </md:FullModel>");
        for object in &self.objects {
            let (attribute, mark) = if object.is_new { ("ID", "") } else { ("about", "#") };
            let _ = writeln!(text, "  <cim:{} rdf:{attribute}=\"{mark}_{}\">", object.class, xml_id(&object.id));
            text.push_str(&object.properties);
            let _ = writeln!(text, "  </cim:{}>", object.class);
        }
        text.push_str("</rdf:RDF>\n");
        text
    }

    /// Returns an id of the file in the form of a UUID, which is computed from its content.
    fn uuid(&self) -> String {
        // FNV-1a, twice with different starts: a name, not a proof.
        let hash = |start: u64| {
            let bytes = self.objects.iter().flat_map(|object| object.id.bytes().chain(object.properties.bytes()));
            bytes.fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
        };
        let (high, low) = (hash(0xcbf2_9ce4_8422_2325), hash(0x6c62_272e_07bb_0142));
        format!(
            "{:08x}-{:04x}-8{:03x}-8{:03x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            low >> 48 & 0xfff,
            low & 0xffff_ffff_ffff
        )
    }
}

fn namespace(version: Version) -> &'static str {
    match version {
        Version::V2 => "http://iec.ch/TC57/2013/CIM-schema-cim16#",
        Version::V3 => "http://iec.ch/TC57/CIM100#",
    }
}

impl ObjectWriter<'_> {
    pub(super) fn text(&mut self, property: &str, text: &str) -> &mut Self {
        let _ = writeln!(self.object.properties, "    <cim:{property}>{}</cim:{property}>", escaped(text));
        self
    }

    pub(super) fn name(&mut self, name: &str) -> &mut Self {
        if name.is_empty() { self } else { self.text("IdentifiedObject.name", name) }
    }

    pub(super) fn value(&mut self, property: &str, value: impl std::fmt::Display) -> &mut Self {
        self.text(property, &format!("{value}"))
    }

    pub(super) fn number(&mut self, property: &str, number: f64) -> &mut Self {
        self.value(property, round(number))
    }

    pub(super) fn optional(&mut self, property: &str, number: Option<f64>) -> &mut Self {
        match number {
            Some(number) => self.number(property, number),
            None => self,
        }
    }

    pub(super) fn reference(&mut self, property: &str, id: &str) -> &mut Self {
        let _ = writeln!(self.object.properties, "    <cim:{property} rdf:resource=\"#_{}\"/>", xml_id(id));
        self
    }

    pub(super) fn enumerated(&mut self, property: &str, value: &str) -> &mut Self {
        let namespace = namespace(self.version);
        let _ = writeln!(self.object.properties, "    <cim:{property} rdf:resource=\"{namespace}{value}\"/>");
        self
    }
}

/// Returns an id that contains only letters, digits and hyphens. Other bytes are written as a point and two digits.
fn xml_id(id: &str) -> String {
    id.bytes().fold(String::with_capacity(id.len()), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || byte == b'-' {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, ".{byte:02x}");
        }
        text
    })
}

/// Returns a text for XML. Control characters become spaces, because XML does not allow them.
fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut escaped, letter| {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
        escaped
    })
}
