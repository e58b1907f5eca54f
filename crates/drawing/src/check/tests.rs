//! Tests of refused files and the reported positions, of the published schema, and of the demo's drawings.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::fault::{FAULTS_MAX, Fault};
use crate::schema::{CLASSES, ELEMENTS_MAX, json_schema};

fn file(elements: &str) -> String {
    format!(
        "{{\"format\":\"switchyard-sld\",\"version\":1,\"name\":\"N\",\"size\":{{\"width\":100,\"height\":100}},\n\"elements\":[\n{elements}\n]}}"
    )
}

fn faults(text: &str) -> Vec<String> {
    read(text.as_bytes()).map_or_else(|faults| faults.iter().map(Fault::to_string).collect(), |_| Vec::new())
}

#[test]
fn each_fault_is_told_where_it_stands() {
    let nested = format!("{{\"id\":\"a\",\"class\":\"text\",\"x\":{}1{}}}", "[".repeat(50), "]".repeat(50));
    for (elements, expected) in [
        (r#"{"id":"a","class":"brakers","x":1,"y":2}"#, "line 3, column 1: there is no class \"brakers\"; there are breaker, isolator"),
        (r#"{"class":"ct","x":1,"y":2}"#, "line 3, column 26: missing field `id`"),
        (r#"{"id":"a","x":1,"y":2}"#, "line 3, column 22: missing field `class`"),
        ("{\"id\":\"a\",\"class\":\"ct\",\n  \"x\":1,\"y\":2,\n  \"colour\":3}", "line 5, column 10: unknown field `colour`"),
        ("{\"id\":\"a\",\n \"class\":\"ct\",\"x\":1e7,\"y\":2}", "line 4, column 21: 10000000 is not between -1000000 and 1000000"),
        (r#"{"id":"a","class":"ct","x":1e999,"y":2}"#, "number out of range"),
        (r#"{"id":"a","class":"ct","x":NaN,"y":2}"#, "expected value"),
        (r#"{"id":"a","class":"ct","x":"1","y":2}"#, "invalid type: string \"1\", expected f64"),
        (r#"{"id":"a","class":"ct","class":"pt","x":1,"y":2}"#, "duplicate field `class`"),
        (r#"{"id":"a","id":"b","class":"ct","x":1,"y":2}"#, "duplicate field `id`"),
        (r#"{"id":"","class":"ct","x":1,"y":2}"#, "\"\" has 0 characters, allowed are 1 to 128"),
        (r#"{"id":"a","class":"ct","x":1,"y":2,"name":"\u001b[2J"}"#, "has control characters"),
        (
            r#"{"id":"a","class":"isolator","x":1,"y":2,"category":"earthSwitchUp"}"#,
            "unknown variant `earthSwitchUp`, expected one of `isolator`, `earthSwitchTop`",
        ),
        (r#"{"id":"a","class":"ct","x":1,"y":2,"orientation":"diagonal"}"#, "expected `vertical` or `horizontal`"),
        (r#"{"id":"a","class":"breaker","x":1,"y":2,"position":{"point":"Pos"}}"#, "\"Pos\" has no '/'"),
        (r#"{"id":"a","class":"breaker","x":1,"y":2,"kv":-33}"#, "-33 is not between 0.001 and 1500"),
        (r#"{"id":"a","class":"line","path":[[1,2]]}"#, "a path has 1 corners, allowed are 2 to 200"),
        (r#"{"id":"a","class":"line","path":[[1,2],[3]]}"#, "expected an array of length 2"),
        (r#"{"id":"a","class":"busbar","x1":1,"y1":2,"x2":1,"y2":2}"#, "busbar \"a\" has no length"),
        (r#"{"id":"a","class":"values","x":1,"y":2,"rows":[{"point":"a/b","decimals":10}]}"#, "10 decimals, allowed are 0 to 9"),
        (
            "{\"id\":\"a\",\"class\":\"ct\",\"x\":1,\"y\":2},\n\n {\"id\":\"a\",\"class\":\"ct\",\"x\":1,\"y\":2}",
            "line 5, column 2: an element on line 3 has the id \"a\" already",
        ),
        (r#"{"id":"a","class":"ct","x":1"#, "line 4, column 1"),
        ("7", "line 3, column 1: invalid type"),
        (nested.as_str(), "line 3, column 43: brackets go deeper than 16"),
    ] {
        let reported = faults(&file(elements));
        assert!(reported.first().is_some_and(|fault| fault.contains(expected)), "{elements}\n{reported:?}\n{expected}");
    }
}

#[test]
fn a_file_that_is_none_is_refused() {
    for (text, expected) in [
        (String::new(), "EOF"),
        ("<svg/>".to_owned(), "line 1, column 1: expected value"),
        ("{}".to_owned(), "format is nothing, and \"switchyard-sld\" is understood"),
        (file("").replace("switchyard-sld", "visio"), "visio"),
        (file("").replace(":1,", ":2,"), "version is \"2\", and version 1 is understood"),
        (file("").replace("\"name\"", "\"title\""), "unknown field `title`"),
        (file("").replace("100}", "0}"), "0 is not between 1 and 1000000"),
        (file("").replace("]}", "]"), "EOF"),
    ] {
        let reported = faults(&text);
        assert!(reported.len() == 1 && reported[0].contains(expected), "{text}\n{reported:?}");
    }
    assert_eq!(read(b"{\"a\": \"\xff\"}").unwrap_err()[0].to_string(), "line 1, column 8: is not UTF-8");
    assert_eq!(read(&vec![b' '; 30 << 20]).unwrap_err()[0].what, "the file may have 16 MiB");
}

#[test]
fn many_faults_are_told_at_once_and_too_many_elements_are_not_read() {
    let wrong = vec!["{\"id\":\"a\",\"class\":\"x\"}"; FAULTS_MAX + 20].join(",\n");
    assert_eq!(faults(&file(&wrong)).len(), FAULTS_MAX);
    let many =
        |count: usize| (0..count).map(|at| format!("{{\"id\":\"{at}\",\"class\":\"ct\",\"x\":1,\"y\":1}}")).collect::<Vec<_>>().join(",\n");
    assert_eq!(faults(&file(&many(ELEMENTS_MAX))), Vec::<String>::new());
    let reported = faults(&file(&many(ELEMENTS_MAX + 1)));
    assert!(reported.len() == 1 && reported[0].contains("a drawing may have 20000 elements"), "{reported:?}");
}

#[test]
fn names_that_the_substation_does_not_have_are_told_once() {
    let text = file(
        r#"{"id":"a","class":"breaker","x":1,"y":2,"asset":"F1CB","position":{"point":"F1/F1CB/Pos"}},
           {"id":"b","class":"values","x":1,"y":2,"asset":"F2","rows":[{"point":"F2/F2/Ir"},{"point":"F2/F2/Ir"}]}"#,
    );
    let read = read(text.as_bytes()).expect("good");
    let known = Known { assets: ["F1CB".to_owned()].into(), points: ["F1/F1CB/Pos".to_owned()].into() };
    let reported = unknown_names(&read.elements, &known);
    assert_eq!(reported, ["element \"b\": the substation has no asset \"F2\"", "element \"b\": the substation has no point \"F2/F2/Ir\""]);
}

#[test]
fn the_published_schema_is_fresh() {
    let published: Value = serde_json::from_str(include_str!("../../schema/switchyard-sld-1.json")).expect("json");
    assert!(published == json_schema(), "cargo run -- sld schema > crates/drawing/schema/switchyard-sld-1.json");
}

/// The schema and the reader refuse the same files, as far as a schema can express the rules.
#[test]
fn schema_and_reader_agree() {
    let validator = jsonschema::validator_for(&json_schema()).expect("a schema");
    let element = |element: Value| json!({"format": "switchyard-sld", "version": 1, "name": "N", "size": {"width": 10, "height": 10}, "elements": [element]});
    let good = CLASSES.iter().map(|class| match *class {
        "busbar" => json!({"id": "a", "class": "busbar", "x1": 0, "y1": 0, "x2": 5, "y2": 0}),
        "line" => json!({"id": "a", "class": "line", "path": [[0, 0], [5, 5]]}),
        "values" => json!({"id": "a", "class": "values", "x": 0, "y": 0, "rows": [{"point": "a/b", "unit": "A", "decimals": 1}]}),
        "text" => json!({"id": "a", "class": "text", "x": 0, "y": 0, "text": "t"}),
        "bay" => json!({"id": "a", "class": "bay", "x": 0, "y": 0, "template": "coupler"}),
        other => json!({"id": "a", "class": other, "x": 0, "y": 0}),
    });
    for good in good {
        let file = element(good);
        assert!(validator.is_valid(&file), "{file}: {:?}", validator.iter_errors(&file).map(|error| error.to_string()).collect::<Vec<_>>());
        assert!(read(file.to_string().as_bytes()).is_ok(), "{file}");
    }
    for bad in [
        json!({"id": "a", "class": "ct", "x": 0}),
        json!({"id": "a", "class": "ct", "x": 0, "y": 2_000_000}),
        json!({"id": "a", "class": "ct", "x": 0, "y": 0, "colour": 1}),
        json!({"id": "a", "class": "nothing", "x": 0, "y": 0}),
        json!({"id": "a", "class": "text", "x": 0, "y": 0, "text": "\u{7}"}),
        json!({"id": "a", "class": "line", "path": [[0, 0]]}),
        json!({"id": "a", "class": "breaker", "x": 0, "y": 0, "position": {"point": "none"}}),
        json!({"id": "a", "class": "values", "x": 0, "y": 0, "rows": [{"point": "a/b", "decimals": 10}]}),
    ] {
        let file = element(bad);
        assert!(!validator.is_valid(&file), "{file}");
        assert!(read(file.to_string().as_bytes()).is_err(), "{file}");
    }
}

#[test]
fn the_demos_drawings_keep_to_the_schema_and_survive_the_way_through_it() {
    let validator = jsonschema::validator_for(&json_schema()).expect("a schema");
    for client in simulators::utility::demo(1).clients {
        for substation in client.substations {
            let drawing = serde_json::to_value(&substation.drawing).expect("json");
            assert!(
                validator.is_valid(&drawing),
                "{:?}",
                validator.iter_errors(&drawing).map(|error| error.to_string()).collect::<Vec<_>>()
            );
            let read = read(drawing.to_string().as_bytes()).expect("good");
            let again: wire::sld::Drawing = serde_json::from_value(serde_json::to_value(&read).expect("json")).expect("the loose form");
            // Typed numbers are floats: 51 is 51.0.
            let loose = |drawing: &wire::sld::Drawing| numbers(&serde_json::to_value(&drawing.elements).expect("json"));
            assert_eq!(loose(&again), loose(&substation.drawing));
        }
    }
}

/// The examples of the documentation page are accepted.
#[test]
fn the_examples_of_the_page_are_good() {
    let page = include_str!("../../../../docs/SLD.md");
    let blocks: Vec<&str> = page.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let [whole, bay, templates, metadata] = blocks[..] else { panic!("{} examples", blocks.len()) };
    assert_eq!(read(whole.as_bytes()).expect("the format's example").elements.len(), 6);
    assert_eq!(faults(&file(bay)), Vec::<String>::new());
    let ring = r#"{"id":"r","class":"bay","template":"ring","x":0,"y":0,"asset":"R1"}"#;
    let with_templates =
        file(ring).replace("\"elements\":[\n{\"id\":\"r\"", &format!("{},\n\"elements\":[\n{{\"id\":\"r\"", templates.trim()));
    assert_eq!(faults(&with_templates), Vec::<String>::new());
    assert_eq!(read(with_templates.as_bytes()).expect("read").elements.len(), 2);
    let picture = br#"<svg><g id="idBUS"><line x2="90"/></g><g id="idF1CB" transform="translate(10,-40)"/></svg>"#;
    assert_eq!(crate::svg::read(picture, metadata.as_bytes(), "S", &[]).expect("read").file.elements.len(), 2);
}

fn numbers(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.iter().map(numbers).collect(),
        Value::Object(object) => object.iter().map(|(key, value)| (key.clone(), numbers(value))).collect(),
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn whatever_comes_is_read_or_refused_where_it_stands(bytes in proptest::collection::vec(any::<u8>(), 0..500), within in any::<bool>()) {
        let text = if within { file(&String::from_utf8_lossy(&bytes)).into_bytes() } else { bytes };
        if let Err(faults) = read(&text) {
            let lines = text.split(|byte| *byte == b'\n').count();
            prop_assert!(!faults.is_empty() && faults.len() <= FAULTS_MAX);
            for fault in faults {
                prop_assert!((1..=lines).contains(&fault.line) && fault.column >= 1 && !fault.what.chars().any(char::is_control), "{fault}");
            }
        }
    }
}

#[test]
fn what_no_wiring_makes_sense_of_is_refused() {
    let on_the_bar = |x2: i32| {
        file(&format!(
            "{{\"id\":\"bar\",\"class\":\"busbar\",\"x1\":0,\"y1\":0,\"x2\":{x2},\"y2\":0}},\n{{\"id\":\"bc\",\"class\":\"breaker\",\"x\":40,\"y\":0,\"orientation\":\"horizontal\"}}"
        ))
    };
    assert_eq!(
        faults(&on_the_bar(80)),
        ["line 4, column 1: \"bc\" stands with both ends on one node: cut the busbar or line at it, else it parts nothing"]
    );
    assert_eq!(faults(&on_the_bar(32)), Vec::<String>::new(), "the busbar ends at it");
    let mut elements = Vec::new();
    for at in 0..1_000 {
        elements.push(format!("{{\"id\":\"l{at}\",\"class\":\"line\",\"path\":[[0,0],[0,100000]]}}"));
        elements.push(format!("{{\"id\":\"b{at}\",\"class\":\"breaker\",\"x\":0,\"y\":{}}}", at * 40));
    }
    assert_eq!(
        faults(&file(&elements.join(","))),
        ["line 1, column 1: the drawing has lines that devices cut into more than 20000 pieces"]
    );
}

#[test]
fn what_is_too_large_to_be_wired_is_good_and_told() {
    let feeders: Vec<String> =
        (0..=crate::wiring::ELEMENTS_MAX).map(|at| format!("{{\"id\":\"f{at}\",\"class\":\"feeder\",\"x\":{at},\"y\":0}}")).collect();
    let of = |count: usize| unwired(&read(file(&feeders[..count].join(",")).as_bytes()).expect("a good file"));
    assert_eq!(of(10), Ok(None));
    let reported = of(feeders.len()).expect("no refusal").expect("a note");
    assert_eq!(reported, "the drawing has more than 4000 elements that conduct: nothing shows what is live and what is dead");
}
