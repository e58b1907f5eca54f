//! Tests that bays expand to symbols with their points, and that recursion, excessive growth and missing parameters are
//! refused.

use serde_json::json;

use super::*;
use crate::check;
use crate::fault::Fault;
use crate::schema::File;

fn read(elements: &Value, templates: &Value) -> Result<File, Vec<Fault>> {
    let file = json!({"format": "switchyard-sld", "version": 1, "name": "N", "size": {"width": 4000, "height": 2000}, "elements": elements, "templates": templates});
    check::read(file.to_string().as_bytes())
}

fn refused(elements: &Value, templates: &Value) -> String {
    read(elements, templates).expect_err("refused").iter().map(|fault| fault.what.clone()).collect::<Vec<_>>().join("; ")
}

#[test]
fn every_built_in_template_becomes_good_symbols() {
    for name in Library::builtin().names() {
        let bay = json!([{"id": "b", "class": "bay", "template": name, "x": 400, "y": 600, "parameters": {"code": "X1"}}]);
        let file = read(&bay, &json!({})).expect(name);
        assert!(file.elements.len() >= 2, "{name}");
        assert!(file.elements.iter().all(|element| element.id().as_str().starts_with("b/")), "{name}");
        assert_eq!(check::off_sheet(&file), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn a_feeder_bay_knows_its_points_and_its_place() {
    let bay = json!([{"id": "f3", "class": "bay", "template": "feeder", "x": 300, "y": 640, "asset": "F3", "kv": 22, "parameters": {"label": "Harbour"}}]);
    let file = read(&bay, &json!({})).expect("read");
    let elements = serde_json::to_value(&file.elements).expect("json");
    let of = |class: &str| elements.as_array().expect("array").iter().find(|element| element["class"] == class).expect(class).clone();
    assert_eq!(of("breaker")["position"], json!({"point": "F3/F3CB/Pos", "doublePoint": true}));
    assert_eq!(
        (of("breaker")["x"].as_f64(), of("breaker")["y"].as_f64(), of("breaker")["kv"].as_f64()),
        (Some(300.0), Some(720.0), Some(22.0))
    );
    assert_eq!(of("line")["path"], json!([[300.0, 640.0], [300.0, 860.0]]));
    assert_eq!((of("feeder")["label"].as_str(), of("feeder")["name"].as_str()), (Some("Harbour"), Some("F3")));
    assert_eq!(of("values")["rows"][0]["point"], "F3/F3/Ir");
    assert!(!serde_json::to_string(&file).expect("json").contains("template"), "what is kept is expanded");
}

#[test]
fn a_file_brings_its_own() {
    let templates = json!({"ring": {"parameters": {"code": null, "kv": 11, "note": "{code} of {kv} kV"}, "elements": [
        {"class": "text", "x": 0, "y": -20, "text": "{note}"},
        {"id": "sw", "class": "isolator", "x": 0, "y": 20, "kv": "{kv}", "asset": "{code}S"}]}});
    let file =
        read(&json!([{"id": "r", "class": "bay", "template": "ring", "x": 100, "y": 100, "parameters": {"code": "R1"}}]), &templates)
            .expect("read");
    let elements = serde_json::to_value(&file.elements).expect("json");
    assert_eq!(elements[0]["text"], "R1 of 11 kV");
    assert_eq!(
        (elements[1]["id"].as_str(), elements[1]["asset"].as_str(), elements[1]["y"].as_f64()),
        (Some("r/sw"), Some("R1S"), Some(120.0))
    );
}

#[test]
fn what_is_wrong_with_a_bay_is_told() {
    let bay = |template: &str, parameters: Value| json!([{"id": "b", "class": "bay", "template": template, "x": 0, "y": 300, "parameters": parameters}]);
    let own = |elements: Value| json!({"own": {"elements": elements}});
    for (elements, templates, word) in [
        (bay("feder", json!({})), json!({}), "there are capacitor, coupler, feeder, incomer, transformer"),
        (bay("feeder", json!({})), json!({}), "parameter \"code\" is missing"),
        (bay("feeder", json!({"code": "F1", "colour": "red"})), json!({}), "no parameter \"colour\""),
        (bay("feeder", json!({"code": "F1", "kv": "eleven"})), json!({}), "eleven"),
        (bay("feeder", json!({"code": "x".repeat(80)})), json!({}), "allowed are"),
        (bay("own", json!({})), own(json!([{"class": "bay", "template": "own", "x": 0, "y": 0}])), "templates do not use templates"),
        (bay("own", json!({})), own(json!([{"class": "text", "x": 0, "y": 0, "text": "{who}"}])), "names no parameter"),
        (bay("own", json!({})), own(json!([{"class": "text", "x": 0, "y": 0, "text": "{who"}])), "does not close"),
        (bay("own", json!({})), own(json!([{"class": "nothing", "x": 0, "y": 0}])), "unknown variant"),
        (json!([]), json!({"feeder": {"elements": []}}), "there is a template \"feeder\" already"),
        (json!([]), own(json!(vec![json!({}); TEMPLATE_ELEMENTS_MAX + 1])), "may have 200 elements"),
    ] {
        let message = refused(&elements, &templates);
        assert!(message.contains(word), "{message:?} lacks {word:?}");
    }
    // A parameter cannot set the class either.
    let sly = json!({"own": {"parameters": {"c": "bay"}, "elements": [{"class": "{c}", "template": "own", "x": 0, "y": 0}]}});
    assert!(refused(&bay("own", json!({})), &sly).contains("templates do not use templates"));
}

#[test]
fn bays_do_not_outgrow_a_drawing() {
    let text = json!({"class": "text", "x": 0, "y": 0, "text": "{t}{t}{t}{t}{t}{t}{t}{t}"});
    let templates = json!({"big": {"parameters": {"t": "x"}, "elements": vec![text.clone(); 200]}});
    let bays: Vec<Value> = (0..101).map(|at| json!({"id": format!("b{at}"), "class": "bay", "template": "big", "x": 0, "y": 0})).collect();
    assert!(read(&json!(bays[..100]), &templates).is_ok(), "as many as a drawing may have");
    let message = refused(&json!(bays), &templates);
    assert!(message.contains("with its bays it has more") && message.len() < 200, "{message}");
    let long = json!([{"id": "b", "class": "bay", "template": "big", "x": 0, "y": 0, "parameters": {"t": "y".repeat(499)}}]);
    assert!(refused(&long, &templates).contains("becomes longer"));
}
