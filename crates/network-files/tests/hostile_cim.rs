//! Large and hostile RDF/XML within the size limit: the work stays proportional to the text, and parts have limits.

mod cim_text;

use cim_text::{CONNECTIVITY, equipment, file, import, object, terminal};
use network_files::cim;

const MANY: usize = 200_000;

fn many(of: impl Fn(usize) -> String) -> String {
    (0..MANY).map(of).collect()
}

fn refused(objects: &str) -> String {
    cim::import([("file.xml", file(Some("EquipmentCore"), objects).as_str())]).expect_err("refused").to_string()
}

/// With a search through all values for each new one, this takes minutes.
#[test]
fn many_descriptions_of_one_object_are_joined() {
    let objects = object("ConnectivityNode", "n", &[("IdentifiedObject.name", "first")])
        + &many(|number| object("ConnectivityNode", "#n", &[(&format!("x{number}"), "1"), ("IdentifiedObject.name", "other")]))
        + &object("ConnectivityNode", "#n", &[("IdentifiedObject.mRID", "node")]);
    let description = import(&[&file(Some("EquipmentCore"), &objects)]).description;
    assert_eq!((description.nodes.len(), description.nodes[0].id.as_str(), description.nodes[0].name.as_str()), (1, "node", "first"));
}

/// With a search through all values of the shared object for each of the lines, this takes minutes.
#[test]
fn many_lines_share_an_object_with_many_values() {
    let nodes = ["a", "b"].map(|id| object("ConnectivityNode", id, &[]));
    let values = many(|number| format!("<cim:x{number}>1</cim:x{number}>"));
    let shared = format!(
        "<cim:PerLengthSequenceImpedance rdf:ID=\"_p\">{values}<cim:PerLengthSequenceImpedance.r>2</cim:PerLengthSequenceImpedance.r></cim:PerLengthSequenceImpedance>"
    );
    let lines = (0..MANY / 10).map(|number| {
        let id = format!("L{number}");
        object("ACLineSegment", &id, &[("ACLineSegment.PerLengthImpedance", "#_p"), ("Conductor.length", "1")])
            + &terminal(&format!("{id}-1"), &id, "1", CONNECTIVITY, "a")
            + &terminal(&format!("{id}-2"), &id, "2", CONNECTIVITY, "b")
    });
    let objects = nodes.concat() + &shared + &lines.collect::<String>();
    let description = import(&[&file(Some("EquipmentCore"), &objects)]).description;
    assert_eq!(description.equipment.len(), MANY / 10);
    assert!(
        matches!(&equipment(&description, "L7").electrical, network::description::Electrical::Line(line) if (line.series.r_ohm - 2.0).abs() < 1e-12)
    );
}

#[test]
fn object_with_too_many_parts_is_refused() {
    let nodes = object("ConnectivityNode", "n", &[]);
    let transformer = object("PowerTransformer", "T", &[]) + &many(|number| terminal(&format!("T{number}"), "T", "1", CONNECTIVITY, "n"));
    assert_eq!(refused(&(nodes + &transformer)), "T: more than 200 objects refer to it by Terminal.ConductingEquipment");
}

#[test]
fn more_containers_than_a_network_can_have_are_refused() {
    let objects: Vec<String> =
        (0..=network::description::CONTAINERS_MAX).map(|number| format!("<cim:Bay rdf:ID=\"bay{number}\"/>")).collect();
    let objects = objects.concat();
    assert_eq!(refused(&objects), "there are more than 500000 parts of the kind container, which is the limit");
}
