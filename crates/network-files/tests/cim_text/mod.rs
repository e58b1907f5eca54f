//! Texts of RDF/XML files for tests, and what an import of them has.

#![allow(dead_code, reason = "each test program uses a part of it")]

use network::Description;
use network::description::Equipment;
use network_files::{Imported, cim};

/// Returns a file with the header of a profile, or without one.
pub(crate) fn file(profile: Option<&str>, objects: &str) -> String {
    let header = profile.map_or(String::new(), |profile| {
        format!(
            "<md:FullModel rdf:about=\"urn:uuid:1\"><md:Model.profile>http://entsoe.eu/CIM/{profile}/3/1</md:Model.profile></md:FullModel>"
        )
    });
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
         xmlns:cim=\"http://iec.ch/TC57/2013/CIM-schema-cim16#\" xmlns:md=\"http://iec.ch/TC57/61970-552/ModelDescription/1#\">{header}{objects}</rdf:RDF>"
    )
}

/// Returns an object. A value that begins with # is a reference; one with a point after a capital is a value of an enumeration.
pub(crate) fn object(class: &str, id: &str, properties: &[(&str, &str)]) -> String {
    let inner: String = properties
        .iter()
        .map(|(name, value)| match value {
            value if value.starts_with('#') || value.starts_with("http") => format!("<cim:{name} rdf:resource=\"{value}\"/>"),
            value => format!("<cim:{name}>{value}</cim:{name}>"),
        })
        .collect();
    let attribute = id.strip_prefix('#').map_or_else(|| format!("rdf:ID=\"_{id}\""), |id| format!("rdf:about=\"#_{id}\""));
    format!("<cim:{class} {attribute}>{inner}</cim:{class}>\n")
}

pub(crate) fn terminal(id: &str, equipment: &str, number: &str, property: &str, node: &str) -> String {
    let (equipment, node) = (format!("#_{equipment}"), format!("#_{node}"));
    object("Terminal", id, &[("Terminal.ConductingEquipment", &equipment), ("ACDCTerminal.sequenceNumber", number), (property, &node)])
}

pub(crate) const CONNECTIVITY: &str = "Terminal.ConnectivityNode";

pub(crate) fn import(files: &[&str]) -> Imported {
    cim::import(files.iter().map(|text| ("file.xml", *text))).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn equipment<'d>(description: &'d Description, id: &str) -> &'d Equipment {
    description.equipment.iter().find(|equipment| equipment.id == id).unwrap_or_else(|| panic!("{id}"))
}

pub(crate) fn texts(imported: &Imported) -> Vec<String> {
    imported.notes.iter().map(|note| format!("{}: {}", note.place, note.reason)).collect()
}
