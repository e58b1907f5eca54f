//! Tests with a small diagram, and with diagrams that are refused.

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
        [2, 1, 1, 1, 5, 1],
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
        (with("id=\"idN1\"", "id=\"idF1\""), "there are two elements \"idF1\""),
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
        (changed("/nodes/1/vid", json!("x".repeat(300))), "a name of up to 200"),
        (json!({"nodes": []}), "nothing that can be drawn"),
        (json!({"nodes": vec![json!({"id": "a", "componentType": null}); 2]}), "two nodes"),
    ] {
        let message = import(SVG, &metadata).expect_err("refused").to_string();
        assert!(message.contains(expected), "{message:?} lacks {expected:?}");
    }
    assert!(read(&vec![b' '; 30 << 20], good.to_string().as_bytes(), "S", &[]).unwrap_err().what.contains("24 MiB"));
    assert!(read(SVG.as_bytes(), &vec![b' '; 30 << 20], "S", &[]).unwrap_err().what.contains("16 MiB"));
}
