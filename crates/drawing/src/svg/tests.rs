//! Tests with a small diagram, and with diagrams that are refused.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::*;
use crate::check;
use crate::layout::PointOfAsset;

const SVG: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><style><![CDATA[.b {stroke: blue}]]></style>
<g transform="translate(10,0)">
<g id="idBUS" class="sld-busbar-section" transform="translate(20,200)"><line x1="0" x2="200" y1="0" y2="0"/><text>not kept</text></g>
<g id="idF1_32_IS" transform="translate(46,196)"><path d="M0,0 8,8"/></g>
<g id="idF1_32_CB" transform="translate(40,140)"/>
<g id="idN1" transform="translate(46,116)"/>
<g id="idF1" transform="translate(42,60)"/>
<g id="idBC" transform="translate(100,130) rotate(90,10,10)"/>
<g id="idT1" transform="translate(153.5,136)"/>
<g id="w1"><polyline points="50,200 50,160"/></g>
<g id="w2"><polyline points="50,140,50,120"/></g>
<g id="w3"><polyline points="50,120,50,64.5"/></g>
<g id="w4"><polyline points="50,120,50,140,100,140"/></g>
<g id="w5"><polyline points="160,200,160,144"/></g>
</g></svg>"#;

fn metadata() -> Value {
    let node = |id: &str, component: &str| json!({"id": id, "vid": "K", "componentType": component, "rotationAngle": null, "open": false});
    let wire = |id: &str, from: &str, to: &str| json!({"id": id, "nodeId1": from, "nodeId2": to, "straight": false});
    let size = |component: &str, width: f64, height: f64| json!({"type": component, "id": null, "anchorPoints": [], "size": {"width": width, "height": height}});
    json!({
        "components": [size("BREAKER", 20.0, 20.0), size("DISCONNECTOR", 8.0, 8.0), size("NODE", 8.0, 8.0), size("LOAD", 16.0, 9.0), size("TWO_WINDINGS_TRANSFORMER", 13.0, 8.0)],
        "nodes": [node("idBUS", "BUSBAR_SECTION"), node("idF1_32_IS", "DISCONNECTOR"), node("idF1_32_CB", "BREAKER"), node("idN1", "NODE"), node("idF1", "LOAD"), node("idBC", "BREAKER"),
            node("idT1", "TWO_WINDINGS_TRANSFORMER"), {"id": "LABEL", "componentType": null}],
        "wires": [wire("w0", "idBUS", "idF1_32_IS"), wire("w1", "idF1_32_IS", "idF1_32_CB"), wire("w2", "idF1_32_CB", "idN1"), wire("w3", "idF1", "idN1"), wire("w4", "idN1", "idBC"), wire("w5", "idBUS", "idT1")],
        "layoutParams": {"anything": [1, 2]}
    })
}

fn import(svg: &str, metadata: &Value) -> Result<Imported, Fault> {
    let point = PointOfAsset { address: "F1/F1CB/Pos".to_owned(), code: "Pos".to_owned(), double: Some(true), ..PointOfAsset::default() };
    let breaker = Asset { code: "F1CB".to_owned(), kv: Some(11.0), points: vec![point], ..Asset::default() };
    let line = Asset { code: "F1".to_owned(), type_id: 4, kv: Some(11.0), ..Asset::default() };
    read(svg.as_bytes(), metadata.to_string().as_bytes(), "Station", &[breaker, line])
}

#[test]
fn places_and_connections_are_taken_over_and_nothing_else() {
    let imported = import(SVG, &metadata()).expect("read");
    let text = serde_json::to_string(&imported.file).expect("json");
    assert!(!text.contains("not kept") && !text.contains("stroke"));
    assert_eq!(check::read(text.as_bytes()).expect("a good file"), imported.file);
    let elements = serde_json::to_value(&imported.file.elements).expect("json");
    let of =
        |class: &str| elements.as_array().expect("array").iter().filter(|element| element["class"] == class).cloned().collect::<Vec<_>>();
    let (breakers, bars, isolators, units) = (of("breaker"), of("busbar"), of("isolator"), of("transformer"));
    assert_eq!(
        [breakers.len(), bars.len(), isolators.len(), units.len(), of("line").len(), of("source").len()],
        [2, 1, 1, 1, 6, 1],
        "{text}"
    );
    // The busbar at 30 is leftmost, the load at 64.5 topmost.
    let place = |element: &Value| (element["x"].as_f64().expect("x"), element["y"].as_f64().expect("y"));
    assert_eq!(place(&breakers[0]), (120.0 + 30.0 * 2.0, 120.0 + (150.0 - 64.5) * 2.0));
    assert_eq!((breakers[0]["asset"].as_str(), breakers[0]["position"]["point"].as_str()), (Some("F1CB"), Some("F1/F1CB/Pos")));
    assert_eq!((breakers[0]["orientation"].as_str(), breakers[1]["orientation"].as_str()), (Some("vertical"), Some("horizontal")));
    assert_eq!(place(&breakers[1]), (120.0 + 90.0 * 2.0, 120.0 + (140.0 - 64.5) * 2.0));
    // Isolator: the wire is on top and the busbar below, although that wire is not drawn.
    assert_eq!(isolators[0]["nodes"][0], breakers[0]["nodes"][1]);
    assert_eq!(isolators[0]["nodes"][1], bars[0]["nodes"][0]);
    assert_eq!(breakers[0]["nodes"][0], breakers[1]["nodes"][0], "by the joint between them");
    assert_eq!(of("source")[0]["nodes"][0], breakers[0]["nodes"][0]);
    assert_eq!(units[0]["nodes"][1], bars[0]["nodes"][0]);
    assert_ne!(breakers[0]["nodes"][0], breakers[0]["nodes"][1]);
    assert_eq!(of("line")[0]["kv"].as_f64(), Some(11.0), "the registry's voltage spreads along the wires");
    assert!(imported.notes.contains(&"\"K/BC\" is no asset of the substation".to_owned()), "{:?}", imported.notes);
}

#[test]
fn what_is_not_known_in_a_line_parts_it_and_is_no_joint() {
    let mut odd = metadata();
    odd["nodes"][2]["componentType"] = json!("CHOPPER");
    let imported = import(SVG, &odd).expect("read");
    let elements = serde_json::to_value(&imported.file.elements).expect("json");
    let elements = elements.as_array().expect("array");
    let isolators: Vec<&Value> = elements.iter().filter(|element| element["class"] == "isolator").collect();
    assert_eq!(isolators.len(), 2, "{elements:?}");
    let chopper = isolators.iter().find(|element| element["nodes"][1] == isolators[0]["nodes"][0]).expect("beside the isolator");
    assert_ne!(chopper["nodes"][0], chopper["nodes"][1]);
    let wiring = crate::wiring::Wiring::of_value(&json!({ "elements": elements }));
    assert!(wiring.shorted().next().is_none());
    assert!(imported.notes.iter().any(|note| note.contains("is a \"CHOPPER\", which is drawn as an isolator")), "{:?}", imported.notes);
    // If three wires meet at an unknown component, its behaviour is not known.
    odd["nodes"][2]["componentType"] = json!("BREAKER");
    odd["nodes"][3]["componentType"] = json!("CHOPPER");
    assert!(import(SVG, &odd).expect_err("refused").what.contains("3 wires come to it"));
}

/// A substation as PowSyBl draws it: legs in each voltage level, and the transformer between them.
fn substation(windings: usize) -> (String, Value) {
    let names = ["ONE", "TWO", "THREE"];
    let mut groups = String::new();
    let (mut nodes, mut wires) = (Vec::new(), Vec::new());
    let middle = [200.0, 50.0];
    // Where PowSyBl's wires end: at the top and the bottom, or at the bottom and on both sides.
    let ends = if windings == 2 { vec![[200.0, 58.0], [200.0, 42.0]] } else { vec![[200.0, 58.0], [192.0, 50.0], [208.0, 50.0]] };
    for (at, name) in names.iter().take(windings).enumerate() {
        let x = 100.0 + 100.0 * at as f64;
        let [end_x, end_y] = ends[at];
        write!(
            groups,
            "<g id=\"b{at}\" transform=\"translate({},200)\"><line x2=\"60\"/></g>\n<g id=\"EXTERN_0\"><g id=\"idT_{name}\" transform=\"translate({x},120)\"><text class=\"sld-label\">Unit 1</text></g></g>\n<g id=\"w{at}\"><polyline points=\"{x},200,{x},120\"/></g>\n<g id=\"e{at}\"><polyline points=\"{x},120,{x},80,{end_x},80,{end_x},{end_y}\"/></g>\n",
            x - 30.0
        )
        .expect("a text");
        nodes.push(json!({"id": format!("b{at}"), "vid": format!("K{at}"), "componentType": "BUSBAR_SECTION"}));
        let leg = ["TWO_WINDINGS_TRANSFORMER_LEG", "THREE_WINDINGS_TRANSFORMER_LEG"][windings - 2];
        nodes.push(json!({"id": format!("idT_{name}"), "vid": format!("K{at}"), "componentType": leg, "equipmentId": "T"}));
        wires.push(json!({"id": format!("w{at}"), "nodeId1": format!("b{at}"), "nodeId2": format!("idT_{name}")}));
        wires.push(json!({"id": format!("e{at}"), "nodeId1": format!("idT_{name}"), "nodeId2": "idT"}));
    }
    let unit = ["TWO_WINDINGS_TRANSFORMER", "THREE_WINDINGS_TRANSFORMER"][windings - 2];
    nodes.push(json!({"id": "idT", "vid": "", "componentType": unit, "equipmentId": "T"}));
    let size = |component: &str, width: f64, height: f64| json!({"type": component, "size": {"width": width, "height": height}});
    let components =
        [size(unit, 10.0, 16.0), size("TWO_WINDINGS_TRANSFORMER_LEG", 0.0, 0.0), size("THREE_WINDINGS_TRANSFORMER_LEG", 0.0, 0.0)];
    let svg = format!("<svg>\n{groups}<g id=\"idT\" transform=\"translate({},{})\"/></svg>", middle[0] - 5.0, middle[1] - 8.0);
    (svg, json!({"components": components, "nodes": nodes, "wires": wires}))
}

#[test]
fn legs_belong_to_one_transformer() {
    for windings in [2, 3] {
        let (svg, metadata) = substation(windings);
        let asset = Asset { code: "T".to_owned(), ..Asset::default() };
        let imported = read(svg.as_bytes(), metadata.to_string().as_bytes(), "S", &[asset]).expect("read");
        let elements = serde_json::to_value(&imported.file.elements).expect("json");
        let of = |class: &str| {
            elements.as_array().expect("array").iter().filter(|element| element["class"] == class).cloned().collect::<Vec<_>>()
        };
        let units = of("transformer");
        assert_eq!(units.len(), 1, "{elements}");
        assert_eq!((units[0]["asset"].as_str(), units[0]["name"].as_str()), (Some("T"), Some("Unit 1")));
        let mut at_unit: Vec<&str> = units[0]["nodes"].as_array().expect("nodes").iter().filter_map(Value::as_str).collect();
        let bars = of("busbar");
        let mut at_bars: Vec<&str> = bars.iter().filter_map(|bar| bar["nodes"][0].as_str()).collect();
        at_unit.sort_unstable();
        at_bars.sort_unstable();
        assert_eq!((at_unit.len(), at_unit), (windings, at_bars), "one winding for each busbar");
        let text = serde_json::to_vec(&imported.file).expect("json");
        assert_eq!(check::read(&text).expect("a good file"), imported.file);
        let wiring = crate::wiring::Wiring::of_value(&json!({ "elements": elements }));
        assert_eq!(wiring.branches.len(), windings - 1);
    }
    // A leg without its transformer is the end of a line.
    let (svg, mut metadata) = substation(2);
    metadata["nodes"].as_array_mut().expect("nodes").pop();
    metadata["wires"].as_array_mut().expect("wires").retain(|wire| wire["nodeId2"] != "idT");
    let imported = import(&svg, &metadata).expect("read");
    let findings = imported.notes.iter().filter(|note| note.starts_with("line ") && note.contains("its transformer is not in the file"));
    assert_eq!(findings.count(), 2, "{:?}", imported.notes);
}

#[test]
fn junction_with_a_repeated_id_is_one_on_each_side() {
    // The junctions on both sides of the breaker have one id, and so have two groups that the metadata does not use.
    let svg = SVG
        .replace("<g id=\"idN1\" transform=\"translate(46,116)\"/>", "<g id=\"cell\"/><g id=\"cell\"/><g id=\"idN1\" transform=\"translate(46,116)\"/>\n<g id=\"idN1\" transform=\"translate(46,176)\"/>")
        .replace("<g id=\"w1\"><polyline points=\"50,200 50,160\"/></g>", "<g id=\"w1\"><polyline points=\"50,200 50,180\"/></g><g id=\"w6\"><polyline points=\"50,180 50,160\"/></g>");
    let mut metadata = metadata();
    metadata["wires"][1] = json!({"id": "w1", "nodeId1": "idF1_32_IS", "nodeId2": "idN1"});
    metadata["wires"].as_array_mut().expect("wires").push(json!({"id": "w6", "nodeId1": "idN1", "nodeId2": "idF1_32_CB"}));
    let imported = import(&svg, &metadata).expect("read");
    let elements = serde_json::to_value(&imported.file.elements).expect("json");
    let breaker = elements.as_array().expect("array").iter().find(|element| element["asset"] == "F1CB").expect("the breaker");
    assert_ne!(breaker["nodes"][0], breaker["nodes"][1]);
    let finding = "line 7: junction \"idN1\" is drawn again on line 8: each wire goes to the nearest one";
    assert!(imported.notes.iter().any(|note| note == finding), "{:?}", imported.notes);
    assert_eq!(check::read(&serde_json::to_vec(&imported.file).expect("json")).expect("a good file"), imported.file);
}

#[test]
fn what_is_wrong_or_hostile_is_refused_with_the_reason() {
    let good = metadata();
    let with = |from: &str, to: &str| SVG.replace(from, to);
    for (svg, expected) in [
        (with("<g id=\"idN1\"", "<script>alert(1)</script><g id=\"idN1\""), "line 7, column 1: \"script\" has no place"),
        (with("<g id=\"idN1\"", "<g onload=\"x()\" id=\"idN1\""), "\"onload\" has no place"),
        (with("<g id=\"idN1\"", "<a href=\" JavaScript:x()\"/><g id=\"idN1\""), "\"href\" has no place"),
        (with("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>", "<!DOCTYPE svg [<!ENTITY a \"b\">]>"), "document type"),
        (with("id=\"idN1\"", "id=\"idN2\""), "there is no element \"idN1\""),
        (with("id=\"idN1\"", "id=\"idF1\""), "there is no element \"idN1\""),
        (
            with("<g id=\"idN1\"", "<g id=\"idBC\"/><g id=\"idN1\""),
            "there are two elements \"idBC\", the first on line 7: give each its own id",
        ),
        (with("translate(46,196)", "skewX(30)"), "transform \"skewX(30)\""),
        (with("translate(46,196)", "translate(1e30,0)"), "transform"),
        (with("points=\"50,200 50,160\"", "points=\"50,200 50\""), "pairs of numbers"),
        (with("points=\"50,200 50,160\"", "points=\"50,NaN 50,1\""), "pairs of numbers"),
        (with("x2=\"200\"", "x2=\"0\""), "has no length"),
        (SVG[..SVG.len() / 2].to_owned(), "line"),
        (format!("{}{}", "<svg>", "<g>".repeat(100_000)), "deeper than 64"),
        ("<SCL/>".to_owned(), "an SVG begins with svg"),
    ] {
        let message = import(&svg, &good).expect_err("refused").to_string();
        assert!(message.contains(expected), "{message:?} lacks {expected:?}");
    }
    let changed = |pointer: &str, value: Value| {
        let mut metadata = good.clone();
        *metadata.pointer_mut(pointer).expect("it is there") = value;
        metadata
    };
    for (metadata, expected) in [
        (json!({}), "metadata: missing field `nodes`"),
        (changed("/nodes/1/id", json!("idBUS")), "two nodes \"idBUS\""),
        (changed("/wires/0/nodeId2", json!("nowhere")), "\"nowhere\", which is no node"),
        (changed("/nodes/1/vid", json!("x".repeat(1_001))), "a name of up to 1000"),
        (json!({"nodes": []}), "nothing that can be drawn"),
        (json!({"nodes": vec![json!({"id": "a", "componentType": null}); 2]}), "two nodes"),
    ] {
        let message = import(SVG, &metadata).expect_err("refused").to_string();
        assert!(message.contains(expected), "{message:?} lacks {expected:?}");
    }
    assert!(read(&vec![b' '; 30 << 20], good.to_string().as_bytes(), "S", &[]).unwrap_err().what.contains("24 MiB"));
    assert!(read(SVG.as_bytes(), &vec![b' '; 30 << 20], "S", &[]).unwrap_err().what.contains("16 MiB"));
}
