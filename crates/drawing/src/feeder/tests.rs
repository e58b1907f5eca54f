//! Tests with the demo's feeders and with random ones: nothing overlaps or crosses, each piece of equipment is drawn once, and the wiring of the diagram is
//! that of the network.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use network::description::{
    Consumption, Container, ContainerKind, Electrical, Equipment, Measurement, Node, POSITION, Switch, Terminal, Transformer,
};
use network::{Description, EquipmentKind, Phases};
use proptest::prelude::*;
use serde_json::Value;

use super::{Error, FeederDiagram, FeederSummary, Feeders};
use crate::check;
use crate::model::{Derived, Station, compare};
use crate::schema::{Element, File};
use crate::wiring::{ELEMENTS_MAX, Wiring};

/// A rectangle: left, top, right, bottom.
type Area = [f64; 4];

/// Returns the area of a symbol, as the web draws it.
fn area(element: &Value) -> Option<Area> {
    let number = |key: &str| element[key].as_f64().unwrap_or_default();
    let is_across = element["orientation"] == "horizontal";
    let around = |w: f64, h: f64| if is_across { [-h, -w, h, w] } else { [-w, -h, w, h] };
    let [left, top, right, bottom] = match element["class"].as_str()? {
        "breaker" => around(8.0, 8.0),
        "isolator" if element["category"] == "earthSwitchDown" => [-8.0, 4.0, 8.0, 40.0],
        "isolator" | "loadBreakSwitch" | "recloser" | "sectionaliser" | "switch" | "fuse" => around(8.0, 10.0),
        "transformer" => around(18.0, 26.0),
        "load" | "source" => [-7.0, -6.0, 7.0, 8.0],
        "inverter" | "generator" => [-14.0, -14.0, 14.0, 14.0],
        "capacitor" => [-12.0, 0.0, 12.0, 32.0],
        "reactor" => [-6.0, -18.0, 10.0, 18.0],
        "continuation" => [-4.0, -4.0, 4.0, 4.0],
        _ => return None,
    };
    let (x, y) = (number("x"), number("y"));
    Some([x + left, y + top, x + right, y + bottom])
}

/// Returns the pieces of lines and busbars, without what is inside of the ends.
fn pieces(element: &Value) -> Vec<[[f64; 2]; 2]> {
    let place = |place: &Value| [place[0].as_f64().unwrap_or_default(), place[1].as_f64().unwrap_or_default()];
    let path: Vec<[f64; 2]> = element["path"].as_array().into_iter().flatten().map(place).collect();
    path.windows(2).map(|ends| [ends[0], ends[1]]).collect()
}

fn feeders(network: &Description) -> Vec<FeederSummary> {
    Feeders::new(network).summaries(network)
}

fn feeder_diagram(network: &Description, feeder: &str) -> Result<FeederDiagram, Error> {
    Feeders::new(network).diagram(network, feeder)
}

/// Returns the drawing of a feeder.
fn diagram(network: &Description, feeder: &str) -> File {
    let FeederDiagram { file, nodes, .. } = feeder_diagram(network, feeder).expect("a diagram");
    assert_eq!(nodes.len(), file.elements.len());
    file
}

fn json(file: &File) -> Vec<Value> {
    file.elements.iter().map(|element| serde_json::to_value(element).expect("JSON")).collect()
}

/// Returns two elements that overlap or cross.
fn conflict(elements: &[Value]) -> Option<String> {
    let areas: Vec<(usize, Area)> = elements.iter().enumerate().filter_map(|(at, element)| Some((at, area(element)?))).collect();
    for (position, (one, a)) in areas.iter().enumerate() {
        for (other, b) in &areas[position + 1..] {
            if a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3] {
                return Some(format!("{} overlaps {}", elements[*one], elements[*other]));
            }
        }
    }
    let lines: Vec<(usize, [[f64; 2]; 2])> =
        elements.iter().enumerate().flat_map(|(at, element)| pieces(element).into_iter().map(move |piece| (at, piece))).collect();
    let is_inside = |from: f64, to: f64, at: f64| from.min(to) + 0.5 < at && at < from.max(to) - 0.5;
    for (one, [from, to]) in &lines {
        for (other, [start, end]) in &lines {
            let is_cross = (from[1] - to[1]).abs() < 0.1 && (start[0] - end[0]).abs() < 0.1;
            // A crossing has both middles beyond the ends of the other piece.
            if is_cross && is_inside(from[0], to[0], start[0]) && is_inside(start[1], end[1], from[1]) {
                return Some(format!("{} crosses {}", elements[*one], elements[*other]));
            }
        }
        for (symbol, [left, top, right, bottom]) in &areas {
            let (first, last) = ([from[0].min(to[0]), from[1].min(to[1])], [from[0].max(to[0]), from[1].max(to[1])]);
            if first[0] < right - 9.0 && left + 9.0 < last[0] && first[1] < bottom - 9.0 && top + 9.0 < last[1] {
                return Some(format!("{} lies on {}", elements[*one], elements[*symbol]));
            }
        }
    }
    None
}

/// Returns the ids of the equipment that a diagram shows.
fn drawn(elements: &[Value]) -> Vec<&str> {
    elements.iter().filter_map(|element| element["equipment"].as_str()).collect()
}

/// Returns the node that represents all nodes which lines connect with one.
fn root(same: &HashMap<String, String>, node: &str) -> String {
    let mut at = node.to_owned();
    while let Some(next) = same.get(&at) {
        at.clone_from(next);
    }
    at
}

/// Returns the equipment of a network that is drawn. Lines are not equipment of a drawing, so their ends are one node.
fn without_lines(network: &Description, kept: &HashSet<&str>) -> Description {
    let mut same: HashMap<String, String> = HashMap::new();
    let is_line = |of: &Equipment| {
        matches!(of.kind, EquipmentKind::LineSegment | EquipmentKind::SeriesCompensator | EquipmentKind::DirectCurrentLine)
    };
    for line in network.equipment.iter().filter(|of| is_line(of) && kept.contains(of.id.as_str())) {
        let (a, b) = (root(&same, &line.terminals[0].node), root(&same, &line.terminals[1].node));
        if a != b {
            same.insert(a, b);
        }
    }
    let equipment = network.equipment.iter().filter(|of| !is_line(of) && kept.contains(of.id.as_str())).map(|of| {
        let mut of = of.clone();
        of.terminals.iter_mut().for_each(|terminal| terminal.node = root(&same, &terminal.node));
        if of.kind == EquipmentKind::BatteryUnit {
            of.kind = EquipmentKind::InverterUnit;
        }
        of
    });
    Description { equipment: equipment.collect(), ..Description::default() }
}

/// Checks a diagram, and returns the ids of the equipment that it shows.
fn checked(network: &Description, file: &File) -> BTreeSet<String> {
    let elements = json(file);
    assert_eq!(conflict(&elements), None);
    let shown = drawn(&elements);
    let kept: HashSet<&str> = shown.iter().copied().collect();
    assert_eq!(kept.len(), shown.len(), "each piece of equipment once: {shown:?}");
    let text = serde_json::to_string(file).expect("JSON");
    // An open switch beside lines has both ends on one node, which a file of a substation may not have.
    let read: File = serde_json::from_str(&text).expect("a drawing");
    assert_eq!(read.elements.len(), elements.len());
    assert_eq!(check::off_sheet(&read), Vec::<String>::new());
    let value = serde_json::to_value(file).expect("JSON");
    assert_eq!(Wiring::of_value(&value).excess, None);
    let mut derived = Derived::new(&Station::default(), &value).description;
    derived.equipment.retain(|of| kept.contains(of.id.as_str()));
    let expected = without_lines(network, &kept);
    let comparison = compare(&derived, &expected);
    assert_eq!(comparison.differences, Vec::<String>::new(), "{text}");
    assert_eq!(comparison.compared, expected.equipment.len());
    shown.into_iter().map(str::to_owned).collect()
}

/// Returns what a feeder has in the normal state behind its breaker, by a search that is written differently.
fn supplied(network: &Description, head: &str, below: &str) -> BTreeSet<String> {
    let mut nodes = BTreeSet::from([below.to_owned()]);
    let mut found = BTreeSet::new();
    let with_feeders: HashSet<&str> = network
        .containers
        .iter()
        .filter(|container| container.kind == ContainerKind::Feeder)
        .filter_map(|container| container.parent.as_deref())
        .collect();
    let containers: HashMap<&str, Option<&str>> = network.nodes.iter().map(|node| (node.id.as_str(), node.container.as_deref())).collect();
    let own = network.equipment.iter().find(|of| of.id == head).and_then(|of| of.container.as_deref());
    loop {
        let before = (nodes.len(), found.len());
        for of in network.equipment.iter().filter(|of| of.id != head && of.is_in_service) {
            if !of.terminals.iter().any(|terminal| nodes.contains(&terminal.node)) {
                continue;
            }
            found.insert(of.id.clone());
            if matches!(of.electrical, Electrical::Switch(switch) if switch.is_normally_open) {
                continue;
            }
            let reached = of.terminals.iter().filter(|terminal| {
                let container = containers[terminal.node.as_str()];
                container == own || container.is_none_or(|container| !with_feeders.contains(container))
            });
            nodes.extend(reached.map(|terminal| terminal.node.clone()));
        }
        if before == (nodes.len(), found.len()) {
            return found;
        }
    }
}

#[test]
fn each_feeder_of_the_demo_has_a_diagram_with_all_its_equipment() {
    let mut transformers = 0;
    for client in simulators::utility::demo(33).clients {
        let network = simulators::utility::network(&client);
        let all = feeders(&network);
        for feeder in &all {
            let file = diagram(&network, &feeder.id);
            assert_eq!(diagram(&network, &feeder.head), file, "by its breaker");
            let shown = checked(&network, &file);
            let head = network.equipment.iter().find(|of| of.id == feeder.head).expect("a breaker");
            let missing: Vec<_> = supplied(&network, &feeder.head, &head.terminals[1].node).difference(&shown).cloned().collect();
            assert_eq!(missing, Vec::<String>::new(), "{}", feeder.id);
            let bay = ["CB", "IS"].map(|part| feeder.head.replace("CB", part));
            assert!(bay.iter().all(|part| shown.contains(part)), "{}: {shown:?}", feeder.id);
            assert!(shown.iter().any(|id| id.contains("/BUS")), "{}: the busbar is drawn", feeder.id);
            transformers += feeder.transformers;
        }
        let planned = client.substations.iter().flat_map(|substation| &substation.plan.feeders).filter(|feeder| feeder.in_service);
        assert!(all.len() > planned.count() / 2, "{} of {}", all.len(), client.code);
    }
    assert!(transformers > 250, "{transformers}");
}

#[test]
fn open_points_name_what_is_beyond() {
    let client = simulators::utility::demo(33).clients.remove(0);
    let network = simulators::utility::network(&client);
    let ends = |feeder: &str| -> BTreeMap<String, String> {
        let file = diagram(&network, feeder);
        let ends = file.elements.iter().filter_map(|element| match element {
            Element::Continuation(end) => Some((end.name.clone()?.into(), end.label.clone()?.into())),
            _ => None,
        });
        ends.collect()
    };
    let of_first = ends("QUAYSIDE/F1");
    let (name, label) = of_first.iter().next().expect("an end");
    let neighbour = feeders(&network).into_iter().find(|feeder| feeder.name == *label).expect("the neighbour");
    assert_eq!(*name, format!("Quayside {}", neighbour.id.trim_start_matches("QUAYSIDE/")));
    assert!(ends(&neighbour.id).contains_key("Quayside F1"), "and back: {:?}", ends(&neighbour.id));
    let file = diagram(&network, "ORCHARD/F1");
    let is_park = |element: &Element| matches!(element, Element::Continuation(end) if end.name.as_ref().is_some_and(|name| name.as_str().contains("Cedar")));
    assert!(file.elements.iter().any(is_park), "a substation that the feeder supplies");
}

#[test]
fn feeder_of_twelve_units_keeps_its_texts_apart_at_1366_pixels() {
    let network = straight(12);
    let file = diagram(&network, "ST/F1");
    checked(&network, &file);
    // The view is 1366 px less navigation (56 px) and panel (300 px). A text of 11 px has its place at a scale of 0.75.
    assert!(file.size.width.get() * 0.75 <= 1010.0, "{} wide", file.size.width.get());
    let longer = diagram(&straight(40), "ST/F1");
    assert!(longer.size.width.get() > 2.5 * file.size.width.get());
}

#[test]
fn trunk_leads_to_the_farthest_open_point_and_lies_in_one_row() {
    let network = straight(5);
    let file = diagram(&network, "ST/F1");
    let ys: BTreeSet<i64> = file
        .elements
        .iter()
        .filter_map(|element| match element {
            Element::LoadBreakSwitch(switch) => Some(switch.y.get() as i64),
            Element::Breaker(breaker) => Some(breaker.y.get() as i64),
            _ => None,
        })
        .collect();
    assert_eq!(ys.len(), 1, "{ys:?}");
}

#[test]
fn unknown_and_oversized_feeders_are_refused() {
    let network = straight(2);
    assert_eq!(feeder_diagram(&network, "ST/F9"), Err(Error::NoFeeder("ST/F9".into())));
    assert_eq!(feeder_diagram(&Description::default(), ""), Err(Error::NoFeeder(String::new())));
    assert_eq!(feeder_diagram(&straight(700), "ST/F1"), Err(Error::TooLarge { allowed: ELEMENTS_MAX / 2 }));
}

#[test]
fn low_voltage_network_is_one_symbol_with_its_customers() {
    let mut plan = Plan::new();
    let low = plan.transformer("T1", "ST/F1/line");
    let street = plan.node("street", 0.4);
    plan.add("ST/F1/main", EquipmentKind::LineSegment, &[&low, &street], Electrical::Nothing);
    for (house, customers) in [("H1", 3), ("H2", 4)] {
        let consumed = Consumption { customers, kw: 5.0, ..Consumption::default() };
        plan.add(&format!("ST/F1/{house}"), EquipmentKind::EnergyConsumer, &[&street], Electrical::Consumer(consumed));
    }
    let file = diagram(&plan.network, "ST/F1");
    let loads: Vec<_> = file
        .elements
        .iter()
        .filter_map(|element| match element {
            Element::Load(load) => Some((load.customers, load.kw.map(f64::from), load.equipment.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(loads, [(Some(7), Some(10.0), None)]);
    let customers = file.elements.iter().find_map(|element| if let Element::Transformer(of) = element { of.customers } else { None });
    assert_eq!(customers, Some(7));
    assert_eq!(feeders(&plan.network)[0].customers, 7);
}

#[test]
fn positions_and_values_have_the_addresses_of_their_points() {
    let mut network = straight(1);
    let bind = |equipment: &str, terminal, quantity: &str| Measurement {
        id: format!("{equipment}/{quantity}"),
        equipment: equipment.into(),
        terminal,
        quantity: quantity.into(),
        phases: Phases::ABC,
        point: Some(format!("RTU/F1/F1/{quantity}")),
    };
    network.measurements = vec![bind("ST/F1CB", None, POSITION), bind("ST/F1CB", Some(2), "Ir"), bind("ST/F1CB", Some(2), "P")];
    let file = diagram(&network, "ST/F1");
    let elements = json(&file);
    let breaker = elements.iter().find(|element| element["class"] == "breaker").expect("a breaker");
    assert_eq!((&breaker["position"]["point"], &breaker["normal"]), (&"F1/F1/Pos".into(), &"closed".into()));
    let values = elements.iter().find(|element| element["class"] == "values").expect("values");
    assert_eq!(values["rows"], serde_json::json!([{ "point": "F1/F1/Ir" }, { "point": "F1/F1/P" }]));
    let tie = elements.iter().find(|element| element["equipment"] == "ST/F1/TIE").expect("an open point");
    assert_eq!((&tie["normal"], tie.get("position")), (&"open".into(), None));
    assert_eq!(conflict(&elements), None);
}

/// A network while it is made: a source, a busbar and a feeder.
struct Plan {
    network: Description,
}

impl Plan {
    /// Returns a station with one feeder, whose breaker feeds the node `ST/F1/line`.
    fn new() -> Self {
        let mut plan = Self { network: Description::default() };
        for (id, kind, parent) in [
            ("ST", ContainerKind::Substation, None),
            ("ST/F1", ContainerKind::Feeder, Some("ST")),
            ("ST/F2", ContainerKind::Feeder, Some("ST")),
        ] {
            let parent = parent.map(str::to_owned);
            plan.network.containers.push(Container { id: id.into(), name: id.into(), kind, parent, nominal_kv: None, place: None });
        }
        for node in ["ST/BUS", "ST/F1/bay", "ST/F1/line", "ST/F2/line"] {
            plan.node(node, 11.0);
        }
        plan.add("ST/SOURCE", EquipmentKind::EnergySource, &["ST/BUS"], Electrical::Nothing);
        plan.add("ST/BUS", EquipmentKind::BusbarSection, &["ST/BUS"], Electrical::Nothing);
        plan.switch("ST/F1IS", EquipmentKind::Disconnector, ["ST/BUS", "ST/F1/bay"], false);
        plan.switch("ST/F1CB", EquipmentKind::Breaker, ["ST/F1/bay", "ST/F1/line"], false);
        plan.switch("ST/F2CB", EquipmentKind::Breaker, ["ST/BUS", "ST/F2/line"], false);
        plan.node("ST/F2/end", 11.0);
        plan.add("ST/F2/S1", EquipmentKind::LineSegment, &["ST/F2/line", "ST/F2/end"], Electrical::Nothing);
        plan
    }

    fn node(&mut self, id: &str, kv: f64) -> String {
        let node = Node { id: id.into(), name: String::new(), container: None, nominal_kv: Some(kv), is_internal: false, place: None };
        self.network.nodes.push(node);
        id.to_owned()
    }

    fn add(&mut self, id: &str, kind: EquipmentKind, nodes: &[&str], electrical: Electrical) {
        let terminals = nodes.iter().map(|node| Terminal { node: (*node).to_owned(), phases: Phases::ABC }).collect();
        let feeder = ["ST/F1/", "ST/F2/"].iter().find(|feeder| id.starts_with(**feeder)).map(|feeder| feeder.trim_end_matches('/'));
        let container = Some(feeder.unwrap_or("ST").to_owned());
        self.network.equipment.push(Equipment {
            id: id.into(),
            name: String::new(),
            kind,
            container,
            terminals,
            is_in_service: true,
            electrical,
        });
    }

    fn switch(&mut self, id: &str, kind: EquipmentKind, nodes: [&str; 2], is_normally_open: bool) {
        self.add(id, kind, &nodes, Electrical::Switch(Switch { is_normally_open, ..Switch::default() }));
    }

    /// Adds a transformer, and returns its low-voltage node.
    fn transformer(&mut self, name: &str, node: &str) -> String {
        let low = self.node(&format!("{name}/low"), 0.4);
        self.add(
            &format!("ST/F1/{name}"),
            EquipmentKind::PowerTransformer,
            &[node, &low],
            Electrical::Transformer(Transformer { ends: vec![] }),
        );
        low
    }
}

/// Returns a feeder with ring-main units in a line, each with a fuse, a transformer and customers, up to a normally-open point.
fn straight(units: usize) -> Description {
    let mut plan = Plan::new();
    let mut from = "ST/F1/line".to_owned();
    for unit in 1..=units {
        let id = |part: &str| format!("ST/F1/U{unit}/{part}");
        let nodes = ["A", "bus", "B", "fused"].map(|part| plan.node(&id(part), 11.0));
        let [a, bus, b, fused] = nodes.each_ref().map(String::as_str);
        plan.add(&id("S"), EquipmentKind::LineSegment, &[&from, a], Electrical::Nothing);
        plan.switch(&id("SW-A"), EquipmentKind::LoadBreakSwitch, [a, bus], false);
        plan.switch(&id("SW-B"), EquipmentKind::LoadBreakSwitch, [bus, b], false);
        plan.switch(&id("FUSE"), EquipmentKind::Fuse, [bus, fused], false);
        let low = plan.transformer(&format!("U{unit}/TX"), fused);
        let consumed = Consumption { customers: 1_234, ..Consumption::default() };
        plan.add(&id("C"), EquipmentKind::EnergyConsumer, &[&low], Electrical::Consumer(consumed));
        from = b.to_owned();
    }
    plan.switch("ST/F1/TIE", EquipmentKind::LoadBreakSwitch, [&from, "ST/F2/end"], true);
    plan.network
}

/// A piece of a random feeder: the node it hangs from, what it is, and whether it is open or has a second end at another node.
type Piece = (usize, u8, u8);

fn random(pieces: &[Piece]) -> Description {
    let mut plan = Plan::new();
    let mut nodes = vec!["ST/F1/line".to_owned()];
    let mut lows = Vec::new();
    for (number, (from, kind, more)) in pieces.iter().enumerate() {
        let id = format!("ST/F1/{number}");
        let from = nodes[from % nodes.len()].clone();
        match kind {
            0..60 => {
                let to = plan.node(&format!("n{number}"), 11.0);
                plan.add(&id, EquipmentKind::LineSegment, &[&from, &to], Electrical::Nothing);
                nodes.push(to);
            }
            60..120 => {
                let to = plan.node(&format!("n{number}"), 11.0);
                let kinds = [
                    EquipmentKind::LoadBreakSwitch,
                    EquipmentKind::Recloser,
                    EquipmentKind::Sectionaliser,
                    EquipmentKind::Fuse,
                    EquipmentKind::Breaker,
                    EquipmentKind::Switch,
                    EquipmentKind::Disconnector,
                ];
                plan.switch(&id, kinds[usize::from(*more) % kinds.len()], [&from, &to], false);
                nodes.push(to);
            }
            120..160 => {
                let low = plan.transformer(&number.to_string(), &from);
                lows.push(low);
            }
            160..180 => plan.switch(&id, EquipmentKind::LoadBreakSwitch, [&from, "ST/F2/end"], true),
            // Between two nodes of the feeder: an open point, or a closed loop.
            180..195 => {
                let to = nodes[usize::from(*more) % nodes.len()].clone();
                if to != from {
                    plan.switch(&id, EquipmentKind::LoadBreakSwitch, [&from, &to], more % 2 == 0);
                }
            }
            195..205 => plan.add(&id, EquipmentKind::BusbarSection, &[&from], Electrical::Nothing),
            205..215 => plan.switch_to_earth(&id, &from),
            215..225 => plan.add(&id, EquipmentKind::ShuntCompensator, &[&from], Electrical::Nothing),
            225..235 => plan.add(&id, EquipmentKind::GeneratingUnit, &[&from], Electrical::Nothing),
            235..245 => plan.add(&id, EquipmentKind::EnergyConsumer, &[&from], Electrical::Nothing),
            _ => {
                let at = lows.get(usize::from(*more) % lows.len().max(1)).cloned().unwrap_or(from);
                plan.add(&id, EquipmentKind::InverterUnit, &[&at], Electrical::Nothing);
            }
        }
    }
    plan.network
}

impl Plan {
    fn switch_to_earth(&mut self, id: &str, node: &str) {
        let open = Switch { is_normally_open: true, ..Switch::default() };
        self.add(id, EquipmentKind::GroundDisconnector, &[node], Electrical::Switch(open));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_feeder_is_drawn_without_overlaps_and_as_it_is_connected(pieces in proptest::collection::vec((0..400_usize, 0..=255_u8, 0..=255_u8), 0..120)) {
        let network = random(&pieces);
        let file = diagram(&network, "ST/F1CB");
        let shown = checked(&network, &file);
        // Equipment behind a transformer is summed if there is much of it.
        let behind: HashSet<&str> = network.nodes.iter().filter(|node| node.id.ends_with("/low")).map(|node| node.id.as_str()).collect();
        let is_low = |id: &String| {
            let of = network.equipment.iter().find(|of| of.id == *id).expect("there");
            of.terminals.len() == 1 && behind.contains(of.terminals[0].node.as_str())
        };
        let missing: Vec<_> = supplied(&network, "ST/F1CB", "ST/F1/line").into_iter().filter(|id| !shown.contains(id) && !is_low(id)).collect();
        prop_assert_eq!(missing, Vec::<String>::new());
    }
}
