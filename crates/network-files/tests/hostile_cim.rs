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

const RDF: &str = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"";

fn refused_text(text: &str) -> [String; 2] {
    [
        cim::import([("file.xml", text)]).expect_err("refused").to_string(),
        network_files::scl::import("file.xml", text).expect_err("refused").to_string(),
    ]
}

/// The parser compares each attribute with all earlier ones: 20,000,000,000 comparisons.
#[test]
fn element_with_many_attributes_is_refused() {
    let text = format!("{RDF}><x {}/></rdf:RDF>", many(|number| format!("a{number}=\"\" ")));
    assert_eq!(refused_text(&text), ["file.xml: an element has 200000 attributes; allowed are 64"; 2].map(str::to_owned));
}

/// The parser compares the namespaces of each element with those of its parent: 1,000,000,000,000 comparisons.
#[test]
fn element_with_many_namespaces_is_refused() {
    let namespaces =
        |from: usize, to: usize| (from..to).map(|number| format!(" xmlns:n{number} = 'u{number}'")).collect::<Vec<_>>().concat();
    let inner = (0..1_000).map(|number| format!("<x xmlns:m{number}='v{number}'/>")).collect::<Vec<_>>().concat();
    let text = format!("{RDF}{}>{inner}</rdf:RDF>", namespaces(0, 60_000));
    assert_eq!(refused_text(&text), ["file.xml: an element has 60001 attributes; allowed are 64"; 2].map(str::to_owned));
    let text = format!("{RDF}{}><x{}/></rdf:RDF>", namespaces(0, 40), namespaces(40, 80));
    let expected = "file.xml: an element and its parents declare 81 namespaces; allowed are 64";
    assert_eq!(refused_text(&text), [expected; 2].map(str::to_owned));
}

#[test]
fn deep_elements_are_refused() {
    let deep = |depth: usize| format!("{RDF}>{}{}</rdf:RDF>", "<x>".repeat(depth), "</x>".repeat(depth));
    let expected = "file.xml: elements are nested deeper than 64, which is the limit";
    assert_eq!(refused_text(&deep(64)), [expected; 2].map(str::to_owned));
    assert!(cim::import([("file.xml", deep(63).as_str())]).is_ok());
}

/// A limit must not count what is no tag.
#[test]
fn brackets_in_comments_texts_and_values_are_no_elements() {
    let brackets = "<x>".repeat(100);
    let text = format!(
        "<?xml version='1.0'?><!-- {brackets} -->{RDF} a='>' b='<!--'>\n<?p {brackets} ?><x><![CDATA[{brackets}]]></x><y c=\"/>\"/>{}</rdf:RDF>",
        "<z/>".repeat(100)
    );
    // A bracket in a value is refused by XML itself.
    let text = text.replace("b='<!--'", "b='!--'");
    let imported = cim::import([("file.xml", text.as_str())]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(imported.notes.len(), 102);
}
