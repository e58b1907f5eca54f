//! Tests with a small substation, with and without coordinates, and with files that are refused.

use serde_json::Value;

use super::*;
use crate::check;
use crate::layout::PointOfAsset;

/// One incoming line at 33 kV, a transformer, two sections at 11 kV with a coupler, a feeder on each.
fn station(placed: bool) -> String {
    let at = |x: i32, y: i32| if placed { format!(" c:x=\"{x}\" c:y=\"{y}\"") } else { String::new() };
    let node = |path: &str, name: &str| format!("<ConnectivityNode name=\"{name}\" pathName=\"S1/{path}/{name}\"/>");
    let device = |name: &str, kind: &str, place: String, nodes: &[&str]| {
        let terminals: String = nodes
            .iter()
            .map(|node| format!("<Terminal connectivityNode=\"S1/{node}\" cNodeName=\"{}\"/>", node.rsplit('/').next().unwrap_or_default()))
            .collect::<Vec<_>>()
            .concat();
        format!("<ConductingEquipment name=\"{name}\" type=\"{kind}\"{place}>{terminals}</ConductingEquipment>\n")
    };
    let feeder = |bay: &str, bus: &str, x: i32| {
        format!(
            "<Bay name=\"{bay}\"{}>{}{}{}{}{}{}{}</Bay>\n",
            at(x, 12),
            device("IS", "DIS", at(0, 1), &[&format!("K/{bus}/N"), &format!("K/{bay}/A")]),
            device("CB", "CBR", at(0, 2), &[&format!("K/{bay}/A"), &format!("K/{bay}/B")]),
            device("ES", "DIS", at(0, 3), &[&format!("K/{bay}/B"), "K/grounded"]),
            device("OUT", "LIN", at(0, 5), &[&format!("K/{bay}/B")]),
            node(&format!("K/{bay}"), "A"),
            node(&format!("K/{bay}"), "B"),
            "<Private type=\"x\"><anything/></Private>",
        )
    };
    format!(
        "<?xml version=\"1.0\"?>\n<SCL xmlns=\"http://www.iec.ch/61850/2003/SCL\" xmlns:c=\"http://www.iec.ch/61850/2003/SCLcoordinates\">\n<Header id=\"t\"/>\n<Substation name=\"S1\">\n\
         <PowerTransformer name=\"TX1\" type=\"PTR\"{}><TransformerWinding name=\"L\" type=\"PTW\"><Terminal connectivityNode=\"S1/K/T/B\"/></TransformerWinding>\
         <TransformerWinding name=\"H\" type=\"PTW\"><Terminal connectivityNode=\"S1/H/T/A\"/></TransformerWinding></PowerTransformer>\n\
         <VoltageLevel name=\"H\"><Voltage unit=\"V\" multiplier=\"k\">33</Voltage>\n\
         <Bay name=\"BUSH\"{}>{}</Bay>\n\
         <Bay name=\"INC1\"{}>{}{}{}</Bay>\n<Bay name=\"T\"{}>{}{}</Bay></VoltageLevel>\n\
         <VoltageLevel name=\"K\"><Voltage unit=\"V\" multiplier=\"k\">11</Voltage>\n\
         <Bay name=\"BUSA\"{}>{}</Bay><Bay name=\"BUSB\"{}>{}</Bay>\n\
         <Bay name=\"T\"{}>{}{}</Bay>\n<Bay name=\"BC\"{}>{}</Bay>\n{}{}</VoltageLevel></Substation></SCL>",
        at(1, 7),
        at(0, 4),
        node("H/BUSH", "N"),
        at(1, 0),
        device("CB", "CBR", at(0, 2), &["H/BUSH/N", "H/INC1/A"]),
        device("IN", "IFL", at(0, 0), &["H/INC1/A"]),
        node("H/INC1", "A"),
        at(1, 5),
        device("CB", "CBR", at(0, 0), &["H/BUSH/N", "H/T/A"]),
        node("H/T", "A"),
        at(0, 12),
        node("K/BUSA", "N"),
        at(8, 12),
        node("K/BUSB", "N"),
        at(1, 10),
        device("CB", "CBR", at(0, 0), &["K/T/B", "K/BUSA/N"]),
        node("K/T", "B"),
        at(5, 12),
        device(
            "CB",
            "CBR",
            if placed { " c:x=\"0\" c:y=\"0\" c:dir=\"horizontal\"".to_owned() } else { String::new() },
            &["K/BUSA/N", "K/BUSB/N"]
        ),
        feeder("F1", "BUSA", 2),
        feeder("F2", "BUSB", 9),
    )
}

fn assets() -> Vec<Asset> {
    let asset = |code: &str, class: &str, point: &str| Asset {
        code: code.to_owned(),
        class: class.to_owned(),
        points: vec![PointOfAsset {
            address: format!("D/{code}/{point}"),
            code: point.to_owned(),
            double: Some(true),
            ..PointOfAsset::default()
        }],
        ..Asset::default()
    };
    vec![
        asset("F1CB", "breaker", "Pos"),
        asset("F1IS", "isolator", "Pos"),
        asset("BCCB", "breaker", "Pos"),
        asset("BUSA", "busbar", "V"),
        asset("ELSE", "breaker", "Pos"),
    ]
}

fn elements(imported: &Imported) -> Vec<Value> {
    serde_json::to_value(&imported.file.elements).expect("json").as_array().expect("an array").clone()
}

fn count(elements: &[Value], class: &str) -> usize {
    elements.iter().filter(|element| element["class"] == class).count()
}

#[test]
fn a_station_is_drawn_with_its_coordinates_and_without() {
    for placed in [true, false] {
        let imported = read(station(placed).as_bytes(), None, &assets()).expect("read");
        let elements = elements(&imported);
        let counts = ["breaker", "isolator", "transformer", "busbar", "source", "feeder"].map(|class| count(&elements, class));
        assert_eq!(counts, [6, 4, 1, 3, 1, 2], "placed {placed}");
        let again = check::read(&serde_json::to_vec(&imported.file).expect("json")).expect("a good file");
        assert_eq!(again, imported.file);
        assert_eq!(check::off_sheet(&again), Vec::<String>::new());
        let of =
            |asset: &str| elements.iter().find(|element| element["asset"] == asset).unwrap_or_else(|| panic!("{asset}, placed {placed}"));
        assert_eq!(of("F1CB")["position"]["point"], "D/F1CB/Pos");
        assert_eq!(of("F1CB")["nodes"], serde_json::json!(["S1/K/F1/A", "S1/K/F1/B"]));
        assert_eq!((of("BCCB")["orientation"].as_str(), of("BUSA")["class"].as_str()), (Some("horizontal"), Some("busbar")));
        assert_eq!(of("BCCB")["nodes"], serde_json::json!(["S1/K/BUSA/N", "S1/K/BUSB/N"]));
        let unit = elements.iter().find(|element| element["class"] == "transformer").expect("a transformer");
        assert_eq!((unit["kvHigh"].as_f64(), unit["kvLow"].as_f64()), (Some(33.0), Some(11.0)), "windings by voltage, not by order");
        assert_eq!(unit["nodes"], serde_json::json!(["S1/H/T/A", "S1/K/T/B"]));
        assert!(imported.notes.contains(&"\"K/F2/CB\" is no asset of the substation".to_owned()), "{:?}", imported.notes);
        assert!(imported.notes.contains(&"1 assets of the substation are not in the file".to_owned()), "{:?}", imported.notes);
        assert!(!imported.notes.iter().any(|note| note.contains("apart") || note.contains("automatically")), "{:?}", imported.notes);
        let earth = elements.iter().filter(|element| element["category"] == "earthSwitchRight").count();
        assert_eq!(earth, 2);
    }
}

#[test]
fn places_are_counted_from_the_thing_around() {
    let imported = read(station(true).as_bytes(), None, &assets()).expect("read");
    let elements = elements(&imported);
    let of = |asset: &str| {
        elements.iter().find(|element| element["asset"] == asset).map(|element| (element["x"].as_f64(), element["y"].as_f64()))
    };
    // The bay is at 2, 12 and the breaker at 0, 2 in it; the leftmost and topmost position is 0, 0.
    assert_eq!(of("F1CB"), Some((Some(120.0 + 2.0 * 40.0), Some(120.0 + 14.0 * 40.0))));
    let bar = elements.iter().find(|element| element["asset"] == "BUSA").expect("a busbar");
    assert_eq!(bar["y1"].as_f64(), Some(120.0 + 12.0 * 40.0));
}

#[test]
fn with_half_of_the_coordinates_it_is_laid_out() {
    let text = station(true).replace("type=\"CBR\" c:x=\"0\" c:y=\"2\"", "type=\"CBR\"");
    let imported = read(text.as_bytes(), None, &[]).expect("read");
    assert!(imported.notes.iter().any(|note| note.contains("has no coordinates, though others do")), "{:?}", imported.notes);
}

#[test]
fn of_several_substations_the_wanted_one_is_taken() {
    let two = station(false).replace("</SCL>", "<Substation name=\"S2\"/></SCL>");
    assert!(read(two.as_bytes(), None, &[]).unwrap_err().what.contains("\"S1\", \"S2\""));
    assert_eq!(read(two.as_bytes(), Some("S1"), &[]).expect("read").file.name.as_str(), "S1");
}

fn wired(imported: &Imported) -> (Vec<Value>, crate::wiring::Wiring) {
    let elements = elements(imported);
    let wiring = crate::wiring::Wiring::of_value(&serde_json::json!({ "elements": elements }));
    (elements, wiring)
}

#[test]
fn what_is_not_known_in_a_line_is_a_device_of_unknown_position() {
    for placed in [true, false] {
        let odd = station(placed).replacen("name=\"CB\" type=\"CBR\"", "name=\"CB\" type=\"XYZ\"", 1);
        let imported = read(odd.as_bytes(), None, &assets()).expect("read");
        let (elements, wiring) = wired(&imported);
        assert_eq!((count(&elements, "breaker"), count(&elements, "isolator")), (5, 5), "placed {placed}");
        // The state beyond the incomer's device is unknown, and nothing is shown as dead.
        let states = wiring.connections().states(|_| grid::topology::Contact::Closed, grid::topology::Contact::Closed);
        assert!(states.contains(&grid::topology::State::Unknown) && !states.contains(&grid::topology::State::Dead), "{states:?}");
        assert!(
            imported.notes.iter().any(|note| note.contains("is of type \"XYZ\", which is drawn as an isolator")),
            "{:?}",
            imported.notes
        );
    }
    let three = station(true).replacen(
        "<ConductingEquipment name=\"CB\" type=\"CBR\"",
        "<ConductingEquipment name=\"X\" type=\"XYZ\"><Terminal connectivityNode=\"S1/H/BUSH/N\"/><Terminal connectivityNode=\"S1/H/T/A\"/><Terminal connectivityNode=\"S1/K/T/B\"/></ConductingEquipment><ConductingEquipment name=\"CB\" type=\"CBR\"",
        1,
    );
    assert!(read(three.as_bytes(), None, &[]).expect_err("refused").what.contains("3 connected terminals"));
}

/// The station with a third winding of 6 kV, which feeds a line.
fn with_third_winding(placed: bool) -> String {
    let line_at = if placed { " c:x=\"6\" c:y=\"10\"" } else { "" };
    station(placed)
        .replace(
            "</PowerTransformer>",
            "<TransformerWinding name=\"T\" type=\"PTW\"><Terminal connectivityNode=\"S1/Z/T/A\"/></TransformerWinding></PowerTransformer>",
        )
        .replace(
            "</VoltageLevel></Substation>",
            &format!(
                "</VoltageLevel><VoltageLevel name=\"Z\"><Voltage unit=\"V\" multiplier=\"k\">6</Voltage><Bay name=\"T\"><ConnectivityNode name=\"A\" pathName=\"S1/Z/T/A\"/><ConductingEquipment name=\"L\" type=\"LIN\"{line_at}><Terminal connectivityNode=\"S1/Z/T/A\"/></ConductingEquipment></Bay></VoltageLevel></Substation>"
            ),
        )
}

#[test]
fn transformer_with_three_windings_is_one_and_feeds_all() {
    for placed in [true, false] {
        let imported = read(with_third_winding(placed).as_bytes(), None, &assets()).expect("read");
        let (elements, wiring) = wired(&imported);
        let units: Vec<&Value> = elements.iter().filter(|element| element["class"] == "transformer").collect();
        assert_eq!(units.len(), 1, "placed {placed}");
        assert_eq!(units[0]["nodes"], serde_json::json!(["S1/H/T/A", "S1/K/T/B", "S1/Z/T/A"]));
        let levels = ["kvHigh", "kvLow", "kvTertiary"].map(|field| units[0][field].as_f64());
        assert_eq!(levels, [Some(33.0), Some(11.0), Some(6.0)]);
        let third = elements.iter().position(|element| element["class"] == "feeder" && element["nodes"] == serde_json::json!(["S1/Z/T/A"]));
        let third = wiring.elements[third.expect("the line of the third winding")].nodes[0];
        let windings: Vec<_> = wiring.branches.iter().filter(|joint| joint.switch == crate::wiring::Switch::Always).collect();
        assert_eq!(windings.len(), 2, "placed {placed}");
        assert!(windings.iter().any(|winding| winding.b == third), "placed {placed}: {windings:?}, {third}");
        assert_eq!(windings[0].a, windings[1].a, "placed {placed}");
        let again = check::read(&serde_json::to_vec(&imported.file).expect("json")).expect("a good file");
        assert_eq!(again, imported.file);
    }
}

#[test]
fn two_windings_at_one_place_are_one_transformer() {
    let text = station(true);
    let stacked = text.replace("<TransformerWinding name=\"L\"", "<TransformerWinding name=\"L\" c:x=\"0\" c:y=\"0\"");
    let stacked = stacked.replace("<TransformerWinding name=\"H\"", "<TransformerWinding name=\"H\" c:x=\"0\" c:y=\"0\"");
    assert_ne!(stacked, text);
    let (one, other) = (read(text.as_bytes(), None, &[]).expect("read"), read(stacked.as_bytes(), None, &[]).expect("read"));
    assert_eq!(
        (&one.file, &one.notes),
        (&other.file, &other.notes),
        "the place of the transformer counts, its windings are parts of one symbol"
    );
    let elements = elements(&other);
    let units: Vec<&Value> = elements.iter().filter(|element| element["class"] == "transformer").collect();
    assert_eq!(units.len(), 1);
    assert_eq!(units[0]["nodes"], serde_json::json!(["S1/H/T/A", "S1/K/T/B"]));
    assert_eq!((units[0]["kvHigh"].as_f64(), units[0]["kvLow"].as_f64()), (Some(33.0), Some(11.0)));
}

/// Returns the line of the first occurrence of a text.
fn line_of(text: &str, part: &str) -> usize {
    text.lines().position(|line| line.contains(part)).expect("it is there") + 1
}

#[test]
fn what_is_wrong_is_refused_with_its_line_and_what_to_do() {
    let good = station(false);
    for (text, expected) in [
        (good.replace("name=\"F2\"", "name=\"F1\""), "already on line"),
        (good.replace("name=\"F2\"", &format!("name=\"{}\"", "x".repeat(300))), "shorten a name"),
        (good[..good.len() / 2].to_owned(), ""),
        ("<svg/>".to_owned(), "begins with SCL"),
        ("<SCL/>".to_owned(), "there is no Substation in it: export the substation section too"),
        ("<SCL><Substation name=\"S\"/></SCL>".to_owned(), "the substation section needs equipment"),
        ("<!-- a --><?xml version=\"1.0\"?><SCL/>".to_owned(), "remove what is before it"),
        (String::new(), ""),
    ] {
        let fault = read(text.as_bytes(), None, &[]).expect_err("refused");
        assert!(fault.what.contains(expected), "{fault}");
        assert!(fault.line >= 1 && fault.line <= text.lines().count().max(1), "{fault}");
    }
}

#[test]
fn what_is_changed_or_dropped_is_reported_once_with_its_line() {
    let (bare, placed) = (station(false), station(true));
    for (text, part, expected) in [
        (
            bare.replacen("connectivityNode=\"S1/K/F1/B\" ", "connectivityNode=\"S1/K/F1/Q\" ", 1),
            "S1/K/F1/Q",
            "there is no connectivity node \"S1/K/F1/Q\": it is added for \"K/F1/CB\"",
        ),
        (bare.replace(">11<", ">eleven<"), ">eleven<", "\"eleven\" with multiplier \"k\" is no voltage"),
        (
            bare.replacen("name=\"OUT\" type=\"LIN\"", "name=\"OUT\"", 1),
            "name=\"OUT\">",
            "\"K/F1/OUT\" is of type \"\", which is not drawn",
        ),
        (bare.replacen("<Bay name=\"INC1\"", "<Bay", 1), "<Bay>", "a Bay has no name and is called \"Bay 2\""),
        (
            bare.replacen("S1/K/F1/A\" cNodeName=\"A\"/></Con", "S1/K/BUSA/N\" cNodeName=\"N\"/></Con", 1),
            "<Bay name=\"F1\"",
            "\"K/F1/IS\" has two of its terminals on one node and is not drawn",
        ),
        (bare.replace("</SCL>", "\n<Line name=\"L1\"/></SCL>"), "<Line", "Line \"L1\" belongs to no substation"),
        (placed.replacen("c:x=\"2\"", "c:x=\"1e9\"", 1), "c:x=\"1e9\"", "has x \"1e9\" and y \"12\", which are not two numbers"),
        (
            placed.replace("c:dir=\"horizontal\"", "c:dir=\"west\""),
            "c:dir=\"west\"",
            "has dir \"west\", which is neither horizontal nor vertical: it is drawn horizontal",
        ),
        (placed.replace("c:dir=\"horizontal\"", "c:dir=\"aslant\""), "c:dir=\"aslant\"", "it is drawn vertical"),
    ] {
        let imported = read(text.as_bytes(), None, &[]).expect("read");
        let found: Vec<&String> = imported.notes.iter().filter(|note| note.contains(expected)).collect();
        assert_eq!(found.len(), 1, "{expected}: {:?}", imported.notes);
        assert!(found[0].starts_with(&format!("line {}: ", line_of(&text, part))), "{found:?}");
        let again = check::read(&serde_json::to_vec(&imported.file).expect("json")).expect("a good file");
        assert_eq!(again, imported.file);
    }
}

/// Returns the middle of each symbol.
fn middles(elements: &[Value]) -> Vec<(String, [f64; 2])> {
    let middle = |element: &Value| Some((element["class"].as_str()?.to_owned(), [element["x"].as_f64()?, element["y"].as_f64()?]));
    elements.iter().filter(|element| element["class"] != "text" && element["class"] != "values").filter_map(middle).collect()
}

fn assert_apart(elements: &[Value]) {
    let middles = middles(elements);
    for (at, (one, a)) in middles.iter().enumerate() {
        for (other, b) in &middles[at + 1..] {
            let windings = usize::from(one == "transformer") + usize::from(other == "transformer");
            let away = (a[0] - b[0]).abs().max((a[1] - b[1]).abs());
            assert!(away >= [20.0, 36.0, 50.0][windings], "{one} at {a:?} and {other} at {b:?}");
        }
    }
}

#[test]
fn two_bus_sections_at_one_height_stay_two() {
    let bars = |text: &str| {
        let imported = read(text.as_bytes(), None, &[]).expect("read");
        let mut bars: Vec<[f64; 3]> = elements(&imported)
            .iter()
            .filter(|element| element["class"] == "busbar" && element["kv"] == 11.0)
            .map(|bar| ["x1", "x2", "y1"].map(|field| bar[field].as_f64().expect("a number")))
            .map(|[a, b, y]| [a.min(b), a.max(b), y])
            .collect();
        bars.sort_by(|a, b| a[0].total_cmp(&b[0]));
        bars
    };
    let [a, b] = bars(&station(true))[..] else { panic!("two busbars") };
    assert!(a[2].to_bits() == b[2].to_bits() && a[1] + 20.0 <= b[0], "{a:?} and {b:?} at one height with a gap");
    // Connections that change places leave no gap: one section is drawn beside the other.
    let crossed = station(true).replacen(
        "K/BUSA/N\" cNodeName=\"N\"/><Terminal connectivityNode=\"S1/K/F1/A",
        "K/BUSB/N\" cNodeName=\"N\"/><Terminal connectivityNode=\"S1/K/F1/A",
        1,
    );
    let imported = read(crossed.as_bytes(), None, &[]).expect("read");
    assert!(imported.notes.iter().any(|note| note.contains("is drawn beside it")), "{:?}", imported.notes);
    let [a, b] = bars(&crossed)[..] else { panic!("two busbars") };
    assert!((a[2] - b[2]).abs() >= 20.0, "{a:?} and {b:?}");
}

#[test]
fn devices_without_usable_places_are_laid_out_and_not_stacked() {
    let text = station(true);
    let without_y = text.replace(" c:y=\"12\"", "");
    let stacked = text.replace("c:x=\"0\" c:y=\"3\"", "c:x=\"0\" c:y=\"2\"");
    for (text, expected) in
        [(without_y, "\"K/F1\" has x and no y: its place is not used"), (stacked, "is at the same place as \"K/F1/CB\" on line")]
    {
        let imported = read(text.as_bytes(), None, &[]).expect("read");
        assert!(imported.notes.iter().any(|note| note.starts_with("line ") && note.contains(expected)), "{:?}", imported.notes);
        assert!(imported.notes.iter().any(|note| note.contains("the whole is laid out automatically")), "{:?}", imported.notes);
        assert_apart(&elements(&imported));
    }
}

#[test]
fn other_encodings_give_the_same_drawing() {
    let named = |encoding: &str| {
        station(true).replace("<?xml version=\"1.0\"?>", &format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?>")).replace("BUSA", "Süd")
    };
    let expected = read(named("UTF-8").as_bytes(), None, &[]).expect("UTF-8");
    let latin: Vec<u8> = named("ISO-8859-1").chars().map(|letter| u8::try_from(letter).expect("Latin-1")).collect();
    let wide: Vec<u8> = format!("\u{feff}{}", named("UTF-16")).encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(serde_json::to_string(&expected.file).expect("json").contains("Süd"));
    for bytes in [latin, wide] {
        assert_eq!(read(&bytes, None, &[]), Ok(expected.clone()));
    }
}

#[test]
fn bays_without_a_busbar_are_drawn_along_their_line() {
    let text = station(false).replace(
        "<Terminal connectivityNode=\"S1/K/BUSB/N\" cNodeName=\"N\"/><Terminal connectivityNode=\"S1/K/F2/A\"",
        "<Terminal connectivityNode=\"S1/K/F2/N\"/><Terminal connectivityNode=\"S1/K/F2/A\"",
    );
    let imported = read(text.as_bytes(), None, &[]).expect("read");
    assert!(
        imported.notes.iter().any(|note| note.contains("is drawn as a busbar: nothing connects its devices to one")),
        "{:?}",
        imported.notes
    );
    assert!(!imported.notes.iter().any(|note| note.contains("drawn apart")), "{:?}", imported.notes);
}

#[test]
fn hostile_files_are_refused_before_they_cost_anything() {
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE SCL [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">]>\n<SCL>&c;</SCL>";
    assert!(read(bomb.as_bytes(), None, &[]).unwrap_err().what.contains("document type"));
    let outside = "<!DOCTYPE SCL SYSTEM \"file:///etc/passwd\"><SCL/>";
    assert!(read(outside.as_bytes(), None, &[]).unwrap_err().what.contains("document type"));
    let deep = format!("<SCL>{}", "<a>".repeat(500_000));
    assert!(read(deep.as_bytes(), None, &[]).unwrap_err().what.contains("deeper than 64"));
    let large = vec![b' '; 30 << 20];
    assert!(read(&large, None, &[]).unwrap_err().what.contains("24 MiB"));
    let many: String = (0..=ITEMS_MAX).map(|at| format!("<ConnectivityNode name=\"{at}\"/>")).collect::<Vec<_>>().concat();
    let many =
        format!("<SCL><Substation name=\"S\"><VoltageLevel name=\"V\"><Bay name=\"B\">{many}</Bay></VoltageLevel></Substation></SCL>");
    assert!(read(many.as_bytes(), None, &[]).unwrap_err().what.contains("can be drawn"));
}
