//! The breaker at the head of the feeder that feeds a node.

use std::sync::Arc;

use network::{Consumer, Contact, EquipmentKind, ModelBuilder, NetworkState, NewEquipment, Phase, Phases};

use EquipmentKind::{
    Breaker, BusbarSection, Disconnector, EnergyConsumer, EnergySource, Fuse, LineSegment, LoadBreakSwitch, PowerTransformer, Recloser,
};

/// A network by its equipment: id, kind and nodes. Ids that end with `*` are open.
fn state(parts: &[(&str, EquipmentKind, &[&str])]) -> NetworkState {
    let mut builder = ModelBuilder::new();
    for (id, kind, nodes) in parts {
        let mut terminals = Vec::new();
        for node in *nodes {
            let at = builder.node(node).unwrap_or_else(|| builder.add_node(node, None).expect("a new node"));
            terminals.push((at, Phases::ABC));
        }
        let normal = if id.ends_with('*') { Contact::Open } else { Contact::Closed };
        builder
            .add(NewEquipment { id, kind: *kind, terminals: &terminals, normal, consumer: Consumer::default() })
            .expect("valid equipment");
    }
    NetworkState::new(Arc::new(builder.build()))
}

fn head(state: &NetworkState, node: &str) -> Option<String> {
    let node = state.model().node(node).unwrap_or_else(|| panic!("no node {node}"));
    state.feeding_breaker(node, Phase::A).map(|breaker| state.model().equipment_name(breaker).to_owned())
}

/// A substation 33/11 kV like those of the demo. Its incoming line comes from feeder G2 of another one. F1 has a unit with a fuse, a recloser, and a unit
/// with breakers and a busbar section of its own; a normally-open point leads to the end of F2, which is at the second busbar.
fn demo_like() -> NetworkState {
    state(&[
        ("grid", EnergySource, &["grid"]),
        ("L0", LineSegment, &["grid", "G/line"]),
        ("GINC1CB", Breaker, &["G/line", "G/bus"]),
        ("GBUS", BusbarSection, &["G/bus"]),
        ("G2IS", Disconnector, &["G/bus", "G2/bay"]),
        ("G2CB", Breaker, &["G2/bay", "G2/line"]),
        ("L1", LineSegment, &["G2/line", "INC1/line"]),
        ("INC1IS", Disconnector, &["INC1/line", "INC1/bay"]),
        ("INC1CB", Breaker, &["INC1/bay", "BUSH"]),
        ("BUSH", BusbarSection, &["BUSH"]),
        ("TX1HCB", Breaker, &["BUSH", "TX1/high"]),
        ("TX1", PowerTransformer, &["TX1/high", "TX1/low"]),
        ("TX1LCB", Breaker, &["TX1/low", "BUSA"]),
        ("BUSA", BusbarSection, &["BUSA"]),
        ("BC", Breaker, &["BUSA", "BUSB"]),
        ("BUSB", BusbarSection, &["BUSB"]),
        ("F1IS", Disconnector, &["BUSA", "F1/bay"]),
        ("F1CB", Breaker, &["F1/bay", "F1/line"]),
        ("F1/S1", LineSegment, &["F1/line", "U1/A"]),
        ("U1/SW-A", LoadBreakSwitch, &["U1/A", "U1/bus"]),
        ("U1/FUSE", Fuse, &["U1/bus", "U1/fused"]),
        ("U1/TX", PowerTransformer, &["U1/fused", "U1/low"]),
        ("U1/customers", EnergyConsumer, &["U1/low"]),
        ("U1/SW-B", LoadBreakSwitch, &["U1/bus", "U1/B"]),
        ("F1/S2", LineSegment, &["U1/B", "R/A"]),
        ("R", Recloser, &["R/A", "R/B"]),
        ("F1/S3", LineSegment, &["R/B", "U2/A"]),
        ("U2/SW-A", LoadBreakSwitch, &["U2/A", "U2/bus"]),
        ("U2/BUS", BusbarSection, &["U2/bus"]),
        ("U2/CB", Breaker, &["U2/bus", "U2/tee"]),
        ("U2/TX", PowerTransformer, &["U2/tee", "U2/low"]),
        ("U2/SW-B*", LoadBreakSwitch, &["U2/bus", "U2/B"]),
        ("F2/S1", LineSegment, &["U2/B", "F2/line"]),
        ("F2CB", Breaker, &["F2/line", "F2/bay"]),
        ("F2IS", Disconnector, &["F2/bay", "BUSB"]),
    ])
}

#[test]
fn head_of_a_feeder_is_the_breaker_of_its_bay() {
    let state = demo_like();
    for (node, expected) in [
        ("U1/bus", "F1CB"),
        ("U2/bus", "F1CB"),
        ("R/B", "F1CB"),
        ("F1/line", "F1CB"),
        ("U2/B", "F2CB"),
        ("INC1/line", "G2CB"),
        ("BUSH", "G2CB"),
    ] {
        assert_eq!(head(&state, node).as_deref(), Some(expected), "{node}");
    }
}

#[test]
fn customer_behind_a_transformer_belongs_to_the_feeder_above() {
    let state = demo_like();
    assert_eq!(head(&state, "U1/low").as_deref(), Some("F1CB"));
    assert_eq!(head(&state, "U2/low").as_deref(), Some("F1CB"), "the breaker of the unit protects its transformer");
    assert_eq!(head(&state, "TX1/low").as_deref(), Some("G2CB"), "the breaker above protects its transformer");
}

#[test]
fn busbar_is_fed_by_the_breaker_of_its_transformer_or_coupler() {
    let state = demo_like();
    assert_eq!(head(&state, "BUSA").as_deref(), Some("TX1LCB"));
    assert_eq!(head(&state, "F1/bay").as_deref(), Some("TX1LCB"), "between busbar and breaker");
    assert_eq!(head(&state, "BUSB").as_deref(), Some("BC"));
    assert_eq!(head(&state, "G/bus").as_deref(), Some("GINC1CB"), "the path ends there");
    assert_eq!(head(&state, "G/line"), None, "no breaker on the way");
}

#[test]
fn feeder_that_takes_over_becomes_the_feeder() {
    let mut state = demo_like();
    let [breaker, tie] = ["F1CB", "U2/SW-B*"].map(|id| state.model().equipment(id).expect("a switch"));
    state.set_contact(breaker, Contact::Open);
    assert_eq!(head(&state, "U1/low"), None, "nothing feeds it");
    state.set_contact(tie, Contact::Closed);
    assert_eq!(head(&state, "U1/low").as_deref(), Some("F2CB"));
    assert_eq!(head(&state, "F1/line").as_deref(), Some("F2CB"));
}

#[test]
fn transformer_that_feeds_one_line_needs_no_busbar() {
    let state = state(&[
        ("grid", EnergySource, &["high"]),
        ("T", PowerTransformer, &["high", "low"]),
        ("cable", LineSegment, &["low", "panel"]),
        ("CB", Breaker, &["panel", "out"]),
        ("S1", LineSegment, &["out", "end"]),
        ("P", Breaker, &["end", "last"]),
    ]);
    for node in ["last", "end"] {
        assert_eq!(head(&state, node).as_deref(), Some("CB"), "{node}");
    }
}
