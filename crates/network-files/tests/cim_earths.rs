//! Earth switches and grounds in RDF/XML networks: an earth is at the side of the network, or the import reports an error.

mod cim_text;

use cim_text::{CONNECTIVITY, equipment, file, import, object, terminal, texts};
use network::{Description, EquipmentKind, NetworkState, State};
use network_files::Imported;

/// The busbar `bar` at node n, with a node g of its own for the earth.
fn busbar() -> String {
    [object("ConnectivityNode", "n", &[]), object("ConnectivityNode", "g", &[]), object("BusbarSection", "bar", &[])].concat()
        + &terminal("bar-1", "bar", "1", CONNECTIVITY, "n")
}

fn ground(id: &str, node: &str) -> String {
    object("Ground", id, &[]) + &terminal(&format!("{id}-1"), id, "1", CONNECTIVITY, node)
}

/// A closed earth switch at some nodes, in this order.
fn earth_switch(nodes: &[&str]) -> String {
    let terminals =
        nodes.iter().enumerate().map(|(at, node)| terminal(&format!("ES-{at}"), "ES", &(at + 1).to_string(), CONNECTIVITY, node));
    object("GroundDisconnector", "ES", &[("Switch.normalOpen", "false")]) + &terminals.collect::<String>()
}

fn imported(objects: &[String]) -> Imported {
    import(&[&file(Some("EquipmentCore"), &objects.concat())])
}

fn is_earthed(description: &Description, node: &str) -> bool {
    let state = NetworkState::new(std::sync::Arc::new(description.to_model().expect("a model")));
    state.state(state.model().node(node).expect("a node")) == State::Earthed
}

fn errors(imported: &Imported) -> Vec<String> {
    imported.notes.iter().filter(|note| note.is_error).map(|note| format!("{}: {}", note.place, note.reason)).collect()
}

#[test]
fn earth_switch_is_at_the_side_without_ground() {
    for nodes in [["n", "g"], ["g", "n"]] {
        let imported = imported(&[busbar(), earth_switch(&nodes), ground("G", "g")]);
        let earth = equipment(&imported.description, "ES");
        assert_eq!((earth.kind, earth.terminals.len()), (EquipmentKind::GroundDisconnector, 1));
        assert_eq!(earth.terminals[0].node, "n", "{nodes:?}");
        assert!(is_earthed(&imported.description, "n"), "{nodes:?}");
        assert!(errors(&imported).is_empty(), "{:?}", texts(&imported));
    }
}

#[test]
fn earth_switch_without_ground_is_at_the_side_with_equipment() {
    let second = object("GroundDisconnector", "ES2", &[]) + &terminal("ES2-1", "ES2", "1", CONNECTIVITY, "g");
    for nodes in [["n", "g"], ["g", "n"]] {
        for other in ["", &second] {
            let imported = imported(&[busbar(), earth_switch(&nodes), other.to_owned()]);
            assert!(is_earthed(&imported.description, "n"), "{nodes:?}");
        }
    }
}

#[test]
fn earth_switch_with_equipment_at_both_sides_is_an_error() {
    let other = object("BusbarSection", "other", &[]) + &terminal("other-1", "other", "1", CONNECTIVITY, "g");
    let undecided = "ES: GroundDisconnector left out, because it is not known which of its terminals is at the earth; \
                     connect that terminal to a node with a Ground";
    for objects in [
        [busbar(), earth_switch(&["n", "g"]), other],
        [busbar(), earth_switch(&["n", "g"]), ground("G", "n") + &ground("H", "g")],
        [busbar(), earth_switch(&["g"]), ground("G", "g")],
    ] {
        let imported = imported(&objects);
        assert_eq!(errors(&imported), [undecided]);
        assert!(imported.description.equipment.iter().all(|equipment| equipment.id != "ES"));
    }
}

#[test]
fn earth_switch_whose_terminal_lacks_a_node_is_an_error() {
    let imported = imported(&[busbar(), earth_switch(&["missing", "g"])]);
    assert_eq!(errors(&imported).len(), 1, "{:?}", texts(&imported));
}

#[test]
fn open_end_opens_an_earth_switch() {
    let disconnected = file(Some("SteadyStateHypothesis"), &object("Terminal", "#ES-1", &[("ACDCTerminal.connected", "false")]));
    let equipment_file = file(Some("EquipmentCore"), &[busbar(), earth_switch(&["n", "g"]), ground("G", "g")].concat());
    assert!(!is_earthed(&import(&[&equipment_file, &disconnected]).description, "n"));
}

#[test]
fn ground_at_other_equipment_is_a_closed_earth() {
    let isolator = object("Disconnector", "QS", &[("Switch.normalOpen", "false")])
        + &terminal("QS-1", "QS", "1", CONNECTIVITY, "n")
        + &terminal("QS-2", "QS", "2", CONNECTIVITY, "g");
    let imported = imported(&[busbar(), isolator, ground("G", "g")]);
    assert_eq!(equipment(&imported.description, "G").kind, EquipmentKind::GroundDisconnector);
    assert!(is_earthed(&imported.description, "n"), "an earth reaches over a closed isolator");
}

#[test]
fn ground_without_node_is_listed() {
    let imported = imported(&[busbar(), object("Ground", "G", &[])]);
    assert!(texts(&imported).iter().any(|text| text.starts_with("Ground: 1 objects left out")), "{:?}", texts(&imported));
}
