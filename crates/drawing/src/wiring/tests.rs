//! Tests with small drawings in a table, with the demo's substations, and with arbitrary elements.

use std::collections::{BTreeMap, BTreeSet};

use grid::topology::{Contact, State};
use proptest::prelude::*;
use serde_json::json;
use simulators::utility::{Substation, demo};

use super::*;

mod limits;

fn line(path: &[[f64; 2]]) -> Value {
    json!({ "class": "line", "path": path })
}

fn breaker(x: f64, y: f64) -> Value {
    json!({ "class": "breaker", "x": x, "y": y, "orientation": "vertical", "position": { "point": format!("P{x}") } })
}

fn lying(x: f64, y: f64) -> Value {
    json!({ "class": "breaker", "x": x, "y": y, "orientation": "horizontal" })
}

fn bus(x1: f64, x2: f64, y: f64) -> Value {
    json!({ "class": "busbar", "x1": x1, "y1": y, "x2": x2, "y2": y })
}

fn at(class: &str, x: f64, y: f64) -> Value {
    json!({ "class": class, "x": x, "y": y })
}

fn wire(elements: &[Value]) -> Wiring {
    Wiring::of_value(&json!({ "elements": elements }))
}

/// Returns the nodes of each element, for a line those of its parts.
fn nodes(wiring: &Wiring) -> Vec<Vec<usize>> {
    wiring
        .elements
        .iter()
        .map(|wired| if wired.parts.is_empty() { wired.nodes.clone() } else { wired.parts.iter().map(|part| part.node).collect() })
        .collect()
}

/// A name, elements, and the nodes of each element.
type Small = (&'static str, Vec<Value>, Vec<Vec<usize>>);
/// The inputs that are not closed, and the states of the terminals of some assets.
type Switched<'a> = (&'a str, Vec<(&'a str, Contact)>, Vec<(&'a str, Vec<State>)>);

#[test]
#[allow(clippy::too_many_lines, reason = "one table")]
fn small_drawings() {
    let named = |mut element: Value, names: &[&str]| {
        element["nodes"] = json!(names);
        element
    };
    let cases: Vec<Small> = vec![
        ("a line is cut at the device on it", vec![line(&[[0.0, 0.0], [0.0, 100.0]]), breaker(0.0, 40.0)], vec![vec![0, 1], vec![0, 1]]),
        (
            "the other way round it is the same device",
            vec![breaker(0.0, 40.0), line(&[[0.0, 100.0], [0.0, 0.0]])],
            vec![vec![0, 1], vec![1, 0]],
        ),
        ("lying, left comes first", vec![lying(50.0, 0.0), line(&[[100.0, 0.0], [0.0, 0.0]])], vec![vec![0, 1], vec![1, 0]]),
        (
            "a device drawn across its line cuts it all the same",
            vec![breaker(50.0, 0.0), line(&[[0.0, 0.0], [100.0, 0.0]])],
            vec![vec![0, 1], vec![0, 1]],
        ),
        (
            "two devices, three parts",
            vec![line(&[[0.0, 0.0], [0.0, 100.0]]), breaker(0.0, 30.0), breaker(0.0, 70.0)],
            vec![vec![0, 1, 2], vec![0, 1], vec![1, 2]],
        ),
        ("at a corner", vec![line(&[[0.0, 0.0], [0.0, 50.0], [60.0, 50.0]]), breaker(0.0, 50.0)], vec![vec![0, 1], vec![0, 1]]),
        (
            "lines that end at the terminals",
            vec![line(&[[0.0, 0.0], [0.0, 32.0]]), breaker(0.0, 40.0), line(&[[0.0, 48.0], [0.0, 90.0]])],
            vec![vec![0], vec![0, 1], vec![1]],
        ),
        (
            "lines that end in the middle of the symbol, or beyond",
            vec![line(&[[0.0, 0.0], [0.0, 46.0]]), breaker(0.0, 40.0), line(&[[0.0, 90.0], [0.0, 40.0]])],
            vec![vec![0], vec![0, 1], vec![1]],
        ),
        (
            "lines to a transformer",
            vec![line(&[[0.0, 0.0], [0.0, 74.0]]), at("transformer", 0.0, 100.0), line(&[[0.0, 126.0], [0.0, 200.0]])],
            vec![vec![0], vec![0, 1], vec![1]],
        ),
        ("a line ends on a busbar", vec![bus(-50.0, 50.0, 0.0), line(&[[10.0, 0.0], [10.0, 80.0]])], vec![vec![0], vec![0]]),
        ("a line crosses a busbar", vec![bus(-50.0, 50.0, 0.0), line(&[[10.0, -80.0], [10.0, 80.0]])], vec![vec![0], vec![1]]),
        (
            "a line ends on another behind the breaker",
            vec![line(&[[0.0, 0.0], [0.0, 100.0]]), breaker(0.0, 40.0), line(&[[0.0, 70.0], [80.0, 70.0]])],
            vec![vec![0, 1], vec![0, 1], vec![1]],
        ),
        ("lines that cross", vec![line(&[[0.0, 0.0], [100.0, 100.0]]), line(&[[100.0, 0.0], [0.0, 100.0]])], vec![vec![0], vec![1]]),
        ("ends that nearly meet", vec![line(&[[0.0, 0.0], [50.0, 0.0]]), line(&[[52.5, 0.0], [90.0, 0.0]])], vec![vec![0], vec![0]]),
        ("ends that do not", vec![line(&[[0.0, 0.0], [50.0, 0.0]]), line(&[[54.0, 0.0], [90.0, 0.0]])], vec![vec![0], vec![1]]),
        (
            "a busbar between two, joined by a breaker in the gap",
            vec![bus(0.0, 92.0, 0.0), lying(100.0, 0.0), bus(108.0, 200.0, 0.0)],
            vec![vec![0], vec![0, 1], vec![1]],
        ),
        (
            "an isolator at the busbar, a breaker below it, no lines",
            vec![bus(-50.0, 50.0, 0.0), at("isolator", 0.0, 10.0), breaker(0.0, 28.0)],
            vec![vec![0], vec![0, 1], vec![1, 2]],
        ),
        (
            "what has one terminal",
            vec![
                line(&[[0.0, 0.0], [0.0, 100.0]]),
                at("source", 0.0, -10.0),
                at("ct", 0.0, 20.0),
                breaker(0.0, 40.0),
                json!({ "class": "isolator", "x": 0, "y": 60, "category": "earthSwitchRight" }),
                at("feeder", 0.0, 100.0),
                at("capacitor", 500.0, 0.0),
            ],
            vec![vec![0, 1], vec![0], vec![0], vec![0, 1], vec![1], vec![1], vec![2]],
        ),
        (
            "what is not wired",
            vec![at("relay", 0.0, 0.0), at("text", 0.0, 0.0), at("breaker", 1e300, 0.0), json!({ "class": "breaker" }), json!(7)],
            vec![vec![]; 5],
        ),
        (
            "names count, whatever the geometry says",
            vec![
                named(bus(0.0, 100.0, 0.0), &["I"]),
                named(bus(0.0, 100.0, 0.0), &["II"]),
                named(breaker(900.0, 900.0), &["I", "II"]),
                line(&[[50.0, 0.0], [50.0, 90.0]]),
            ],
            vec![vec![0], vec![1], vec![0, 1], vec![0]],
        ),
        (
            "a name for a whole line, and one for each of its pieces",
            vec![
                breaker(0.0, 50.0),
                named(line(&[[0.0, 0.0], [0.0, 100.0]]), &["A", "B"]),
                named(line(&[[200.0, 0.0], [200.0, 100.0]]), &["B"]),
                named(json!({ "class": "isolator" }), &["B", "C"]),
            ],
            vec![vec![0, 1], vec![0, 1], vec![1], vec![1, 2]],
        ),
        (
            "numbers are no names, nor are too few",
            vec![
                json!({ "class": "source", "x": 0, "y": 0, "nodes": [1] }),
                json!({ "class": "source", "x": 300, "y": 0, "nodes": [1] }),
                named(breaker(0.0, 300.0), &["A"]),
            ],
            vec![vec![0], vec![1], vec![2, 3]],
        ),
    ];
    for (name, elements, expected) in cases {
        let wiring = wire(&elements);
        assert_eq!(nodes(&wiring), expected, "{name}");
        assert_eq!(wiring.node_count, expected.iter().flatten().max().map_or(0, |last| last + 1), "{name}");
    }
}

#[test]
fn the_parts_of_a_line_run_where_the_line_ran() {
    let wiring = wire(&[line(&[[0.0, 0.0], [0.0, 60.0], [80.0, 60.0]]), breaker(0.0, 30.0), lying(40.0, 60.0)]);
    let paths: Vec<&[[f64; 2]]> = wiring.elements[0].parts.iter().map(|part| part.path.as_slice()).collect();
    let expected: [&[[f64; 2]]; 3] = [&[[0.0, 0.0], [0.0, 30.0]], &[[0.0, 30.0], [0.0, 60.0], [40.0, 60.0]], &[[40.0, 60.0], [80.0, 60.0]]];
    assert_eq!(paths, expected);
}

#[test]
fn the_mark_tells_one_drawing_from_another() {
    let of = |at: f64| wire(&[line(&[[0.0, 0.0], [0.0, 100.0]]), breaker(0.0, at), breaker(0.0, 80.0)]).mark();
    assert_eq!(of(40.0), of(50.0), "the same nodes");
    assert_ne!(of(40.0), of(900.0));
    assert_ne!(wire(&[]).mark(), wire(&[at("text", 0.0, 0.0)]).mark());
    assert_eq!(Wiring::default().mark(), "cbf29ce484222325");
}

/// The states of a substation of the demo with some switches not closed; earth switches are open.
struct Shown<'a> {
    substation: &'a Substation,
    wiring: Wiring,
    states: Vec<State>,
}

impl<'a> Shown<'a> {
    fn new(substation: &'a Substation, others: &[(&str, Contact)]) -> Self {
        let wiring = Wiring::of(&substation.drawing);
        let position = |point: &str| {
            let asset = point.trim_end_matches("/Pos").rsplit('/').next().unwrap_or_default();
            let other = others.iter().find(|(name, _)| *name == asset).map(|(_, contact)| *contact);
            other.unwrap_or(if asset.ends_with("ES") { Contact::Open } else { Contact::Closed })
        };
        let connections = wiring.connections();
        for (asset, _) in others {
            let end = format!("/{asset}/Pos");
            assert!(connections.positions.iter().any(|(_, point)| point.ends_with(&end)), "{asset} has no point");
        }
        let states = connections.states(position, Contact::Closed);
        Self { substation, wiring, states }
    }

    fn of(&self, asset: &str) -> Vec<State> {
        let elements = self.substation.drawing.elements.iter().zip(&self.wiring.elements);
        let wired = elements.filter(|(element, _)| element.get("asset") == Some(&json!(asset)) && element["class"] != "values");
        wired.flat_map(|(_, wired)| wired.nodes.iter().map(|node| self.states[*node])).collect()
    }
}

#[test]
fn every_substation_of_the_demo_is_wired() {
    for substation in demo(1).clients.iter().flat_map(|client| &client.substations) {
        let code = &substation.code;
        let shown = Shown::new(substation, &[]);
        assert!(
            shown.states.iter().all(|state| *state == State::Energised),
            "{code}: with everything closed everything is energised: {:?}",
            shown.states
        );
        let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
        for (element, wired) in substation.drawing.elements.iter().zip(&shown.wiring.elements) {
            let class = element["class"].as_str().expect("a class");
            let is_earth = element.get("category").and_then(Value::as_str).is_some_and(|category| category.starts_with("earth"));
            let expected = match class {
                "line" => {
                    assert!(!wired.parts.is_empty(), "{code}: {element:?}");
                    0
                }
                "breaker" | "transformer" => 2,
                "isolator" if !is_earth => 2,
                "busbar" | "source" | "feeder" | "capacitor" | "ct" | "isolator" => 1,
                _ => 0,
            };
            assert_eq!(wired.nodes.len(), expected, "{code}: {element:?}");
            assert!(wired.nodes.len() < 2 || wired.nodes[0] != wired.nodes[1], "{code}: shorted: {element:?}");
            *classes.entry(class).or_default() += 1;
        }
        let devices: Vec<&Joint> = shown.wiring.branches.iter().collect();
        let switched = devices.iter().filter(|joint| matches!(joint.switch, Switch::Point(_))).count();
        assert_eq!(devices.len() - switched, substation.plan.units.len(), "{code}: transformers");
        assert_eq!(shown.wiring.sources.len(), substation.plan.incomers.len(), "{code}");
        assert_eq!(classes["feeder"], substation.plan.feeders.len(), "{code}");
    }
}

#[test]
fn a_substation_with_two_of_everything() {
    use Contact::{Closed, Open, Unknown};
    use State::{Conflict, Dead, Earthed, Energised};
    let world = demo(1);
    let substations = || world.clients.iter().flat_map(|client| &client.substations);
    let substation = substations()
        .find(|substation| substation.plan.sections == 2 && substation.plan.units.len() == 2 && substation.plan.incomers.len() == 2)
        .expect("one");
    let last = format!("F{}", substation.plan.feeders.len());
    let last_breaker = format!("{last}CB");
    let unknown = State::Unknown;
    let cases: Vec<Switched> = vec![
        (
            "one feeder",
            vec![("F1CB", Open)],
            vec![("F1CB", vec![Energised, Dead]), ("F1", vec![Dead]), ("F2", vec![Energised]), ("F1ES", vec![Dead])],
        ),
        ("its isolator", vec![("F1IS", Open)], vec![("F1IS", vec![Energised, Dead]), ("F1CB", vec![Dead, Dead]), ("F1", vec![Dead])]),
        ("one transformer's low side, coupled", vec![("TX1LCB", Open)], vec![("BUSA", vec![Energised]), ("F1", vec![Energised])]),
        (
            "one transformer's low side, not coupled",
            vec![("TX1LCB", Open), ("BC", Open)],
            vec![
                ("BUSA", vec![Dead]),
                ("BUSB", vec![Energised]),
                ("F1", vec![Dead]),
                (&last, vec![Energised]),
                ("TX1LCB", vec![Energised, Dead]),
                ("BC", vec![Dead, Energised]),
            ],
        ),
        (
            "a transformer without its high side is fed back",
            vec![("TX1HCB", Open)],
            vec![("TX1", vec![Energised, Energised]), ("TX1HCB", vec![Energised, Energised])],
        ),
        (
            "a transformer switched off on both sides",
            vec![("TX1HCB", Open), ("TX1LCB", Open)],
            vec![("TX1", vec![Dead, Dead]), ("BUSA", vec![Energised])],
        ),
        ("one incomer of two", vec![("INC1CB", Open)], vec![("INC1CB", vec![Energised, Energised]), ("BUSH", vec![Energised])]),
        (
            "both incomers",
            vec![("INC1CB", Open), ("INC2CB", Open)],
            vec![
                ("BUSH", vec![Dead]),
                ("BUSA", vec![Dead]),
                (&last, vec![Dead]),
                ("INC1CB", vec![Energised, Dead]),
                ("INC1", vec![Energised]),
            ],
        ),
        ("an earthed feeder", vec![("F1CB", Open), ("F1ES", Closed)], vec![("F1", vec![Earthed]), ("F1CB", vec![Energised, Earthed])]),
        (
            "an earth on a live feeder reaches over everything metallic",
            vec![("F1ES", Closed)],
            vec![("F1", vec![Conflict]), ("F1CB", vec![Conflict, Conflict]), ("TX1", vec![Energised, Conflict]), ("BUSH", vec![Energised])],
        ),
        ("a breaker on its way", vec![(&last_breaker, Unknown)], vec![(&last, vec![unknown]), ("F1", vec![Energised])]),
        (
            "a bus of which nothing is known",
            vec![("TX1LCB", Unknown), ("BC", Open)],
            vec![("BUSA", vec![unknown]), ("F1", vec![unknown]), ("BUSB", vec![Energised])],
        ),
    ];
    for (name, others, expected) in cases {
        let shown = Shown::new(substation, &others);
        for (asset, states) in expected {
            assert_eq!(shown.of(asset), states, "{name}: {asset}");
        }
    }
}

fn odd_number() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => (-6_i32..6).prop_map(|step| json!(step * 10)),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => Just(json!(1e308)),
        1 => Just(Value::Null),
        1 => Just(json!("10")),
    ]
}

fn odd_element() -> impl Strategy<Value = Value> {
    let class = prop::sample::select(vec![
        "line",
        "busbar",
        "breaker",
        "isolator",
        "fuse",
        "transformer",
        "source",
        "generator",
        "feeder",
        "text",
        "",
    ]);
    let path = prop::collection::vec(prop::collection::vec(odd_number(), 2..=2), 0..6);
    let odd_path = prop::collection::vec(prop::collection::vec(odd_number(), 0..4), 0..4);
    let path = prop_oneof![4 => path, 1 => odd_path];
    let names = prop::option::weighted(0.1, prop::collection::vec(prop::sample::select(vec!["A", "B", "C"]), 0..4));
    let words = (prop::sample::select(vec!["vertical", "horizontal", ""]), prop::sample::select(vec!["", "earthSwitchTop"]));
    (class, path, [odd_number(), odd_number(), odd_number(), odd_number()], names, words).prop_map(
        |(class, path, [x, y, x2, y2], names, (orientation, category))| {
            let mut element = json!({ "class": class, "path": path, "x": x, "y": y, "x1": x, "y1": y, "x2": x2, "y2": y2, "orientation": orientation, "category": category });
            if let Some(names) = names {
                element["nodes"] = json!(names);
            }
            element
        },
    )
}

fn length(path: &[[f64; 2]]) -> f64 {
    path.windows(2).map(|ends| (ends[0][0] - ends[1][0]).hypot(ends[0][1] - ends[1][1])).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]
    #[test]
    fn whatever_stands_in_a_file_every_node_has_its_place(elements in prop::collection::vec(odd_element(), 0..16)) {
        let wiring = wire(&elements);
        prop_assert_eq!(wiring.elements.len(), elements.len());
        let all: Vec<usize> = nodes(&wiring).into_iter().flatten().collect();
        // In the order of the elements, each number occurs after all smaller ones.
        let mut next = 0;
        for node in &all {
            prop_assert!(*node <= next, "{all:?}");
            next = next.max(node + 1);
        }
        prop_assert_eq!(next, wiring.node_count);
        for (element, wired) in elements.iter().zip(&wiring.elements).filter(|(_, wired)| !wired.parts.is_empty()) {
            let parts = &wired.parts;
            prop_assert!(parts.iter().all(|part| part.path.len() >= 2));
            prop_assert!(parts.windows(2).all(|pair| pair[0].path.last() == pair[1].path.first()));
            let path: Vec<[f64; 2]> = serde_json::from_value(element["path"].clone()).expect("a path");
            prop_assert_eq!((parts[0].path.first(), parts[parts.len() - 1].path.last()), (path.first(), path.last()));
            // A device can be beside its line within the tolerance.
            let whole: f64 = parts.iter().map(|part| length(&part.path)).sum();
            prop_assert!((whole - length(&path)).abs() <= 2.0 * TOLERANCE * parts.len() as f64, "{} {:?}", whole, path);
        }
        prop_assert_eq!(wiring.connections().states(|_| Contact::Unknown, Contact::Unknown).len(), wiring.node_count);
        prop_assert_eq!(wire(&elements), wiring, "the same drawing, the same numbers");
    }

    #[test]
    fn the_order_of_the_elements_changes_numbers_and_nothing_else(elements in prop::collection::vec(odd_element(), 0..12), turn in 0_usize..12) {
        // Names can contradict each other; then the first one counts.
        let elements: Vec<Value> = elements.into_iter().map(|mut element| { element["nodes"] = Value::Null; element }).collect();
        // Of devices at one position, the first one cuts the line.
        let mut places = BTreeSet::new();
        let elements: Vec<Value> = elements.into_iter().filter(|element| places.insert(format!("{} {}", element["x"], element["y"]))).collect();
        let mut turned = elements.clone();
        let turn = turn % elements.len().max(1);
        turned.rotate_left(turn);
        let mut other = nodes(&wire(&turned));
        other.rotate_right(turn);
        let one = nodes(&wire(&elements));
        // The partition is the same if the pairs of numbers are one to one.
        let pairs: BTreeSet<(usize, usize)> =
            one.iter().flatten().copied().zip(other.iter().flatten().copied()).collect();
        let [left, right] = [pairs.iter().map(|pair| pair.0).collect::<BTreeSet<_>>(), pairs.iter().map(|pair| pair.1).collect()];
        prop_assert_eq!(one.iter().map(Vec::len).collect::<Vec<_>>(), other.iter().map(Vec::len).collect::<Vec<_>>());
        prop_assert_eq!((left.len(), right.len()), (pairs.len(), pairs.len()), "{:?} {:?}", one, other);
    }

    #[test]
    fn any_json_is_answered(text in "[\\[\\]{}a-z0-9:,\"\\-e. ]{0,80}") {
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            let _ = Wiring::of_value(&value);
            let _ = Wiring::of_value(&json!({ "elements": value }));
        }
    }
}

#[test]
fn the_largest_sheet_is_wired_while_one_waits() {
    // Bays on a busbar, up to the limit: a line with an isolator, a breaker and a feeder each.
    let bays = (ELEMENTS_MAX - 1) / 4;
    let mut elements = vec![bus(0.0, bays as f64 * 40.0, 0.0)];
    for bay in 0..bays {
        let x = bay as f64 * 40.0;
        elements.extend([line(&[[x, 0.0], [x, 300.0]]), at("isolator", x, 60.0), breaker(x, 120.0), at("feeder", x, 300.0)]);
    }
    let start = std::time::Instant::now();
    let wiring = wire(&elements);
    let took = start.elapsed();
    assert_eq!(wiring.node_count, 1 + 2 * bays);
    // 0.2 s in a debug build on an idle machine.
    assert!(took < std::time::Duration::from_secs(3), "{took:?}");
    println!("{took:?}");
}

#[test]
fn third_winding_is_a_terminal_of_its_own() {
    let unit = |orientation: &str| json!({ "class": "transformer", "x": 0, "y": 0, "orientation": orientation, "kvTertiary": 6 });
    let cases = [
        ("vertical", [line(&[[0.0, -90.0], [0.0, -26.0]]), line(&[[0.0, 26.0], [0.0, 90.0]]), line(&[[-33.0, 0.0], [-90.0, 0.0]])]),
        ("horizontal", [line(&[[-90.0, 0.0], [-26.0, 0.0]]), line(&[[26.0, 0.0], [90.0, 0.0]]), line(&[[0.0, 33.0], [0.0, 90.0]])]),
    ];
    for (orientation, lines) in cases {
        let wiring = wire(&[&[unit(orientation)][..], &lines[..]].concat());
        assert_eq!(nodes(&wiring), [vec![0, 1, 2], vec![0], vec![1], vec![2]], "{orientation}");
        assert_eq!(wiring.branches.iter().map(|joint| (joint.a, joint.b)).collect::<Vec<_>>(), [(0, 1), (0, 2)]);
        assert_eq!(wiring.shorted().count(), 0);
    }
    let named = json!({ "class": "transformer", "x": 0, "y": 0, "nodes": ["a", "b", "a"] });
    assert_eq!(wire(&[named]).shorted().collect::<Vec<_>>(), [0]);
}
