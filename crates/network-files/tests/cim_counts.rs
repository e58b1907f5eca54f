//! Each object of RDF/XML files is a part of the network, has its data in a part, or is listed as left out.

mod cim_text;
mod sample;

use std::collections::{BTreeMap, HashMap, HashSet};

use cim_text::{CONNECTIVITY, file, import, object, terminal};
use network_files::{Imported, Positions, cim};

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

/// Counts the objects of each class in the files. An object is defined by `rdf:ID`, or in a header.
fn elements(files: &[&str]) -> BTreeMap<String, usize> {
    let mut classes: HashMap<String, String> = HashMap::new();
    for text in files {
        let document = roxmltree::Document::parse(text).expect("XML");
        for element in document.root_element().children().filter(roxmltree::Node::is_element) {
            let class = element.tag_name().name().to_owned();
            match (element.attribute((RDF, "ID")), element.attribute((RDF, "about"))) {
                (Some(id), _) => drop(classes.insert(id.to_owned(), class)),
                (None, Some(id)) if class == "FullModel" => drop(classes.insert(id.to_owned(), class)),
                _ => {}
            }
        }
    }
    let mut counts = BTreeMap::new();
    for class in classes.into_values() {
        *counts.entry(class).or_default() += 1;
    }
    counts
}

/// Checks that each element of the files is accounted for, by class.
fn check(files: &[&str], imported: &Imported) {
    let counted: BTreeMap<_, _> = imported.classes.iter().map(|(class, count)| (class.clone(), count.objects)).collect();
    assert_eq!(counted, elements(files));
    for (class, count) in &imported.classes {
        assert_eq!(count.taken + count.used + count.left_out, count.objects, "{class}");
        let listed = imported.notes.iter().filter(|note| note.place == *class);
        let listed = listed.filter_map(|note| note.reason.split_once(" objects left out: ")?.0.parse::<usize>().ok()).sum::<usize>();
        assert_eq!(listed, count.left_out, "{class}: {:?}", imported.notes);
    }
    let description = &imported.description;
    let added: HashSet<&str> = description.nodes.iter().filter(|node| node.is_internal).map(|node| node.id.as_str()).collect();
    // Each end that is not connected has an internal node and a switch, which are no objects of the file.
    let parts = description.containers.len() + description.nodes.len() + description.equipment.len() + description.measurements.len();
    let taken: usize = imported.classes.values().map(|count| count.taken).sum();
    assert_eq!(taken, parts - 2 * added.len());
}

fn left_out(imported: &Imported) -> Vec<(&str, usize)> {
    let left = imported.classes.iter().map(|(class, count)| (class.as_str(), count.left_out));
    left.filter(|(_, count)| *count > 0).collect()
}

#[test]
fn all_objects_of_an_export_are_parts_or_used() {
    let network = sample::network();
    let exported = cim::export(&network, &Positions::normal(&network), cim::Version::V3, "net").unwrap().files;
    let files: Vec<&str> = exported.iter().map(|file| file.text.as_str()).collect();
    let imported = import(&files);
    check(&files, &imported);
    assert_eq!(left_out(&imported), []);
}

#[test]
fn objects_that_no_part_uses_are_listed_by_class() {
    let limit = |id: &str, kind: &str| {
        object(
            "CurrentLimit",
            id,
            &[
                ("OperationalLimit.OperationalLimitType", kind),
                ("OperationalLimit.OperationalLimitSet", "#_set"),
                ("CurrentLimit.value", "400"),
            ],
        )
    };
    let objects = [
        object("BaseVoltage", "b11", &[("BaseVoltage.nominalVoltage", "11")]),
        object("BaseVoltage", "b22", &[("BaseVoltage.nominalVoltage", "22")]),
        object("ConnectivityNode", "n1", &[]),
        object("ConnectivityNode", "n2", &[]),
        object("ACLineSegment", "L", &[("ConductingEquipment.BaseVoltage", "#_b11")]),
        terminal("L-1", "L", "1", CONNECTIVITY, "n1"),
        terminal("L-2", "L", "2", CONNECTIVITY, "n2"),
        object("Breaker", "half", &[]),
        terminal("half-1", "half", "1", CONNECTIVITY, "n1"),
        terminal("half-2", "half", "2", CONNECTIVITY, "missing"),
        object("OperationalLimitSet", "set", &[("OperationalLimitSet.Equipment", "#_L")]),
        object("OperationalLimitType", "patl", &[("OperationalLimitType.kind", "http://iec.ch/TC57/CIM100#LimitKind.patl")]),
        object("OperationalLimitType", "tatl", &[("OperationalLimitType.kind", "http://iec.ch/TC57/CIM100#LimitKind.tatl")]),
        limit("permanent", "#_patl"),
        limit("temporary", "#_tatl"),
        object("VoltageLimit", "voltage", &[]),
        object("RatioTapChanger", "orphan", &[("RatioTapChanger.TransformerEnd", "#_missing")]),
        object("EnergySourcePhase", "phase", &[]),
        object("GeographicalRegion", "region", &[]),
        object("SvVoltage", "sv", &[]),
        object("PerLengthSequenceImpedance", "unused", &[]),
        object("CsConverter", "converter", &[]),
    ];
    let text = file(Some("EquipmentCore"), &objects.concat());
    let imported = import(&[&text]);
    check(&[&text], &imported);
    let expected = [
        ("BaseVoltage", 1),
        ("Breaker", 1),
        ("CsConverter", 1),
        ("CurrentLimit", 1),
        ("EnergySourcePhase", 1),
        ("GeographicalRegion", 1),
        ("PerLengthSequenceImpedance", 1),
        ("RatioTapChanger", 1),
        ("SvVoltage", 1),
        ("Terminal", 1),
        ("VoltageLimit", 1),
    ];
    assert_eq!(left_out(&imported), expected);
}
