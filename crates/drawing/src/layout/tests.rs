//! Tests that no two symbols overlap, that all are on the grid, that the same plan gives the same drawing, and that the demo's
//! substations can be drawn from their registry.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::check;
use crate::schema::Element;

fn kv(level: f64) -> Kv {
    Kv::nearest(level)
}

fn item(kind: SymbolKind) -> Item {
    Item { kind, name: format!("{kind:?}"), ..Item::default() }
}

/// Returns middle and half extents of the space that an element takes, as the web draws it.
fn room(element: &Element) -> Option<([f64; 2], [f64; 2])> {
    let at = |x: crate::schema::Coordinate, y: crate::schema::Coordinate| [x.get(), y.get()];
    Some(match element {
        Element::Breaker(e) => (at(e.x, e.y), [9.0, 9.0]),
        Element::Isolator(e) => (at(e.x, e.y), [12.0, 12.0]),
        Element::Relay(e) => (at(e.x, e.y), [10.0, 10.0]),
        Element::Transformer(e) => (at(e.x, e.y), [16.0, 26.0]),
        Element::Ct(e) => (at(e.x, e.y), [6.0, 6.0]),
        Element::Pt(e) => (at(e.x, e.y), [6.0, 6.0]),
        Element::Arrester(e) => (at(e.x, e.y), [6.0, 6.0]),
        Element::Fuse(e) => (at(e.x, e.y), [8.0, 8.0]),
        Element::Capacitor(e) => ([e.x.get(), e.y.get() + 15.0], [12.0, 17.0]),
        Element::Reactor(e) => (at(e.x, e.y), [10.0, 10.0]),
        Element::Generator(e) => (at(e.x, e.y), [10.0, 10.0]),
        Element::Motor(e) => (at(e.x, e.y), [10.0, 10.0]),
        Element::Source(e) => (at(e.x, e.y), [6.0, 6.0]),
        Element::Feeder(e) => (at(e.x, e.y), [6.0, 6.0]),
        Element::Battery(e) => (at(e.x, e.y), [9.0, 9.0]),
        Element::Busbar(e) => ([f64::midpoint(e.x1.get(), e.x2.get()), e.y1.get()], [(e.x2.get() - e.x1.get()) / 2.0, 2.0]),
        Element::LoadBreakSwitch(_)
        | Element::Recloser(_)
        | Element::Sectionaliser(_)
        | Element::Switch(_)
        | Element::Load(_)
        | Element::Inverter(_)
        | Element::Continuation(_)
        | Element::Line(_)
        | Element::Values(_)
        | Element::Text(_)
        | Element::Bay(_) => return None,
    })
}

fn overlaps(file: &File) -> Option<(String, String)> {
    let mut cells: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
    let rooms: Vec<_> = file.elements.iter().map(room).collect();
    for (index, found) in rooms.iter().enumerate() {
        let Some((at, half)) = found else { continue };
        let cell = |place: f64| (place / 200.0).floor() as i64;
        let mut near = HashSet::new();
        for x in cell(at[0] - half[0])..=cell(at[0] + half[0]) {
            for y in cell(at[1] - half[1])..=cell(at[1] + half[1]) {
                near.extend(cells.get(&(x, y)).into_iter().flatten().copied());
                cells.entry((x, y)).or_default().push(index);
            }
        }
        for other in near {
            let Some((there, theirs)) = &rooms[other] else { continue };
            // A coupler is between two busbars in one row, never on one of them.
            if (at[0] - there[0]).abs() < half[0] + theirs[0] && (at[1] - there[1]).abs() < half[1] + theirs[1] {
                return Some((format!("{:?}", file.elements[other]), format!("{:?}", file.elements[index])));
            }
        }
    }
    None
}

fn assert_good(file: &File) {
    assert_eq!(overlaps(file), None);
    assert_eq!(check::off_sheet(file), Vec::<String>::new());
    for element in &file.elements {
        if let (Some((_, _)), false) = (room(element), matches!(element, Element::Busbar(_))) {
            let value = serde_json::to_value(element).expect("json");
            for axis in ["x", "y"] {
                let place = value[axis].as_f64().expect("a place");
                assert!(place.rem_euclid(20.0).abs() < 1e-9, "off the grid: {value}");
            }
        }
    }
    let again = check::read(&serde_json::to_vec(file).expect("json")).expect("what is drawn is a good file");
    assert_eq!(&again, file);
}

fn feeder() -> Vec<Item> {
    let breaker = Item { relays: vec![item(SymbolKind::Relay); 3], ..item(SymbolKind::Breaker) };
    vec![item(SymbolKind::Isolator), breaker, item(SymbolKind::Ct), item(SymbolKind::EarthSwitch), item(SymbolKind::Feeder)]
}

#[test]
fn a_substation_stands_in_rows_from_the_high_voltage_down() {
    let section = |name: &str, level| Section { name: name.to_owned(), kv: Some(kv(level)), ..Section::default() };
    let bay = |hang, items| Bay::new(hang, items);
    let unit = || vec![item(SymbolKind::Breaker), item(SymbolKind::Transformer), item(SymbolKind::Breaker)];
    let plan = Plan {
        name: "N".to_owned(),
        sections: vec![section("A", 11.0), section("B", 11.0), section("H", 33.0)],
        bays: vec![
            bay(Hang::Above(2), vec![item(SymbolKind::Breaker), item(SymbolKind::Source)]),
            bay(Hang::Between(2, 0), unit()),
            bay(Hang::Between(2, 1), unit()),
            bay(Hang::Couple(0, 1), vec![item(SymbolKind::Breaker)]),
            bay(Hang::Below(0), feeder()),
            bay(Hang::Below(0), feeder()),
            bay(Hang::Below(1), feeder()),
            bay(Hang::Below(1), feeder()),
        ],
        loose: vec![item(SymbolKind::Battery)],
    };
    let drawn = draw(&plan).expect("drawn");
    assert_good(&drawn.file);
    assert_eq!(drawn.notes, Vec::<String>::new());
    assert_eq!(draw(&plan).expect("drawn"), drawn, "the same again");
    let bars: Vec<_> =
        drawn.file.elements.iter().filter_map(|element| if let Element::Busbar(bar) = element { Some(bar) } else { None }).collect();
    let ys: Vec<f64> = bars.iter().map(|bar| bar.y1.get()).collect();
    assert_eq!((ys[0], ys[0] > ys[2]), (ys[1], true), "sections in one row, below the high voltage");
    let (a, b) = (bars[0], bars[1]);
    assert!(a.x2 < b.x1, "side by side");
    let coupler = drawn.file.elements.iter().find_map(|element| match element {
        Element::Breaker(breaker) if breaker.orientation == Some(crate::schema::Orientation::Horizontal) => Some(breaker),
        _ => None,
    });
    let coupler = coupler.expect("a coupler");
    assert!(a.x2 < coupler.x && coupler.x < b.x1 && coupler.y == a.y1, "between them");
    let source =
        drawn.file.elements.iter().find_map(|element| if let Element::Source(source) = element { Some(source.y.get()) } else { None });
    assert!(source.expect("a source") < ys[2], "above all");
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    assert_eq!(draw(&Plan::default()).unwrap_err(), Error::Empty);
    let section = Section { kv: Some(kv(11.0)), ..Section::default() };
    let of = |bays| Plan { sections: vec![section.clone(), Section { kv: Some(kv(33.0)), ..Section::default() }], bays, ..Plan::default() };
    let bay = |hang| Bay::new(hang, Vec::new());
    for hang in [Hang::Below(2), Hang::Couple(0, 0), Hang::Couple(0, 1), Hang::Between(1, 0), Hang::Between(0, 1)] {
        assert_eq!(draw(&of(vec![bay(hang)])).unwrap_err(), Error::Astray(1), "{hang:?}");
    }
    let many = Bay::new(Hang::Below(0), vec![item(SymbolKind::Breaker); ITEMS_MAX]);
    assert_eq!(draw(&of(vec![many])).unwrap_err(), Error::TooMany(ITEMS_MAX + 2));
}

#[test]
fn five_thousand_symbols_are_laid_out() {
    let sections = (0..50)
        .map(|at| Section { name: format!("S{at}"), kv: Some(kv(if at < 25 { 33.0 } else { 11.0 })), ..Section::default() })
        .collect();
    let mut bays: Vec<Bay> = (0..600).map(|at| Bay::new(Hang::Below(at % 50), feeder())).collect();
    bays.extend((0..24).map(|at| {
        let items = vec![item(SymbolKind::Breaker), item(SymbolKind::Transformer), item(SymbolKind::Breaker)];
        Bay::new(Hang::Between(at, at + 25), items)
    }));
    bays.extend((0..24).map(|at| Bay::new(Hang::Couple(at, at + 1), vec![item(SymbolKind::Breaker)])));
    let plan = Plan { name: "Large".to_owned(), sections, bays, loose: Vec::new() };
    let drawn = draw(&plan).expect("drawn");
    assert_good(&drawn.file);
    assert!(drawn.file.elements.len() > 4_900);
}

#[test]
fn the_demos_substations_are_drawn_from_their_assets() {
    for client in &simulators::utility::demo(1).clients {
        for substation in &client.substations {
            let points = |asset: &simulators::utility::Asset| {
                substation
                    .points
                    .iter()
                    .filter(|point| point.asset == asset.code)
                    .map(|point| PointOfAsset {
                        address: format!("{}/{}", point.device, point.metric()),
                        code: point.code.clone(),
                        unit: point.quantity.unit().to_owned(),
                        decimals: point.quantity.decimals(),
                        double: match point.kind {
                            grid::point::PointKind::Measurand => None,
                            grid::point::PointKind::Status(encoding) => Some(encoding == grid::position::Encoding::DoublePoint),
                        },
                    })
                    .collect()
            };
            let asset = |asset: &simulators::utility::Asset| Asset {
                code: asset.code.clone(),
                name: asset.name.clone(),
                class: asset.class_name.to_owned(),
                type_id: asset.type_id,
                device: asset.device.clone(),
                kv: asset.kv,
                points: points(asset),
            };
            let assets: Vec<Asset> = substation.assets.iter().map(asset).collect();
            let (plan, notes) = plan(&substation.name, &assets);
            let drawn = draw(&plan).expect("drawn");
            assert_good(&drawn.file);
            assert_eq!(drawn.notes, Vec::<String>::new(), "{}", substation.name);
            let known = check::Known {
                assets: substation.assets.iter().map(|asset| asset.code.clone()).collect(),
                points: substation.points.iter().map(|point| format!("{}/{}", point.device, point.metric())).collect(),
            };
            assert_eq!(check::unknown_names(&drawn.file.elements, &known), Vec::<String>::new());
            // Every switch, transformer and feeder of the registry is drawn once; equipment of customer sites is not.
            let mut drawn_assets: Vec<String> = Vec::new();
            for element in &drawn.file.elements {
                let value = serde_json::to_value(element).expect("json");
                if value["class"] != "values" {
                    drawn_assets.extend(value["asset"].as_str().map(str::to_owned));
                }
            }
            drawn_assets.sort();
            let mut expected: Vec<String> = substation
                .assets
                .iter()
                .filter(|asset| !["cable", "substation", "load", "meter", "solar"].contains(&asset.class_name))
                .map(|asset| asset.code.clone())
                .collect();
            expected.sort();
            assert_eq!(drawn_assets, expected, "{}: {notes:?}", substation.name);
            if substation.assets.iter().any(|asset| asset.code == "BC") {
                assert!(plan.bays.iter().any(|bay| matches!(bay.hang, Hang::Couple(..))), "{notes:?}");
            }
        }
    }
}

fn line_item() -> impl Strategy<Value = Item> {
    let kinds = prop_oneof![
        Just(SymbolKind::Breaker),
        Just(SymbolKind::Isolator),
        Just(SymbolKind::EarthSwitch),
        Just(SymbolKind::Ct),
        Just(SymbolKind::Pt),
        Just(SymbolKind::Fuse)
    ];
    (kinds, 0_usize..6).prop_map(|(kind, relays)| {
        let relays = if kind == SymbolKind::Breaker { vec![item(SymbolKind::Relay); relays] } else { Vec::new() };
        Item { relays, ..item(kind) }
    })
}

fn end() -> impl Strategy<Value = Option<Item>> {
    let kinds = prop_oneof![
        Just(SymbolKind::Feeder),
        Just(SymbolKind::Capacitor),
        Just(SymbolKind::Source),
        Just(SymbolKind::Generator),
        Just(SymbolKind::Motor)
    ];
    proptest::option::of(kinds.prop_map(item))
}

fn any_plan(bays: usize) -> impl Strategy<Value = Plan> {
    let levels = proptest::collection::vec(prop_oneof![Just(132.0), Just(33.0), Just(11.0), Just(0.44)], 1..8);
    let bay = (0_u8..5, any::<prop::sample::Index>(), any::<prop::sample::Index>(), proptest::collection::vec(line_item(), 0..5), end());
    (levels, proptest::collection::vec(bay, 0..bays), 0_usize..3).prop_map(|(levels, bays, loose)| {
        let sections: Vec<Section> = levels.iter().map(|level| Section { kv: Some(kv(*level)), ..Section::default() }).collect();
        let bays = bays.into_iter().filter_map(|(way, a, b, mut items, end)| {
            let (a, b) = (a.index(levels.len()), b.index(levels.len()));
            let hang = match way {
                0 => Hang::Above(a),
                1 | 2 => Hang::Below(a),
                3 if levels[a] > levels[b] => Hang::Between(a, b),
                4 if a != b && levels[a].to_bits() == levels[b].to_bits() => Hang::Couple(a, b),
                _ => return None,
            };
            match hang {
                Hang::Between(..) => items.insert(items.len() / 2, item(SymbolKind::Transformer)),
                // A coupler has no relays here: they would overlap the line of the busbar.
                Hang::Couple(..) => items.iter_mut().for_each(|item| item.relays.clear()),
                _ => items.extend(end),
            }
            Some(Bay::new(hang, items))
        });
        Plan { name: "P".to_owned(), sections, bays: bays.collect(), loose: vec![item(SymbolKind::Battery); loose] }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_two_symbols_of_any_plan_overlap(plan in any_plan(40)) {
        let drawn = draw(&plan).expect("a plan of parts that fit");
        assert_good(&drawn.file);
        prop_assert_eq!(draw(&plan).expect("drawn"), drawn);
    }
}
