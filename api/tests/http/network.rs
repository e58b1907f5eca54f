//! The network model over HTTP: changes, versions, pages, findings, activation and permissions.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::server::{Answer, Server};

/// Far more than a check of a small network takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// The path of changes.
pub(crate) const PATH: &str = "/api/network/change";

/// A source and a breaker; the end of the network has no equipment behind it.
pub(crate) fn small() -> Value {
    json!({
        "containers": [{ "id": "S", "name": "Harbour", "kind": "Substation" }],
        "nodes": [{ "id": "b", "name": "Bus", "nominal_kv": 11.0 }, { "id": "end", "name": "End", "nominal_kv": 11.0 }],
        "equipment": [
            { "id": "CB", "name": "Breaker", "kind": "Breaker", "terminals": [{ "node": "b" }, { "node": "end" }] },
            { "id": "G", "name": "Grid", "kind": "EnergySource", "terminals": [{ "node": "b" }] },
        ],
        "measurements": [{ "id": "P", "equipment": "CB", "quantity": "Pos", "point": "HARBOUR/F1/F1CB/Pos" }],
    })
}

async fn change(server: &Server, token: &str, change: &Value) -> Answer {
    server.json_as(token, "POST", PATH, change).await
}

async fn get(server: &Server, token: &str, path: &str) -> Answer {
    server.get_as(token, &format!("/api/network/{path}")).await
}

#[tokio::test]
async fn change_is_tried_stored_read_in_pages_and_activated() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let whole = json!({ "basedOn": 0, "note": "the first", "whole": small() });
    let tried = server.json_as(&token, "POST", &format!("{PATH}?dryRun=true"), &whole).await;
    let result = &tried.json()["result"];
    assert_eq!((tried.status, &result["version"], &result["basedOn"]), (200, &Value::Null, &json!(0)), "{tried:?}");
    assert_eq!(result["nodes"]["added"], json!({ "count": 2, "ids": ["b", "end"] }));
    assert_eq!(result["findings"], json!({ "errors": 0, "warnings": 0, "listed": [], "unlisted": 0 }));
    assert_eq!(get(&server, &token, "versions").await.json()["result"], json!([]), "a dry run stores nothing");
    let stored = change(&server, &token, &whole).await;
    assert_eq!((stored.status, &stored.json()["result"]["version"]), (200, &json!(1)), "{stored:?}");
    let first = get(&server, &token, "version/1/parts/node?limit=1").await.json()["result"].clone();
    let expected = json!({ "parts": [{ "id": "b", "name": "Bus", "nominal_kv": 11.0 }], "next": "b" });
    assert_eq!(first, expected);
    let last = get(&server, &token, "version/1/parts/node?limit=1&after=b").await.json()["result"].clone();
    assert_eq!((&last["parts"][0]["id"], &last["next"]), (&json!("end"), &Value::Null));
    for (path, status) in [
        ("version/1/parts/node?limit=0", 400),
        ("version/1/parts/node?limit=5001", 400),
        ("version/1/parts/node?after=a%00b", 400),
        ("version/1/parts/elevator", 404),
        ("version/2/parts/node", 404),
        ("version/2", 404),
        ("version/2/check", 404),
        ("version/1/export/xls", 404),
        ("version/x", 400),
    ] {
        assert_eq!(get(&server, &token, path).await.status, status, "{path}");
    }
    let exported = get(&server, &token, "version/1/export/json").await;
    let again = json!({ "basedOn": 1, "whole": exported.json() });
    let same = change(&server, &token, &again).await;
    assert_eq!((same.status, &same.json()["result"]["version"]), (200, &Value::Null), "nothing differs: {same:?}");
    let pandapower = get(&server, &token, "version/1/export/pandapower").await;
    assert!(pandapower.body.contains("pandapowerNet"));
    let notes: Value =
        serde_json::from_str(pandapower.head.lines().find_map(|line| line.strip_prefix("x-switchyard-notes: ")).expect("notes"))
            .expect("JSON");
    let expected = json!({ "place": "containers", "reason": "1 left out: pandapower has no substations, bays or feeders" });
    assert!(notes.as_array().expect("a list").contains(&expected), "{notes}");
    let none = get(&server, &token, "summary").await.json()["result"].clone();
    assert_eq!(none, json!({ "active": null, "newestVersion": 1 }));
    let activated = server.json_as(&token, "POST", "/api/network/version/1/activate", &json!({})).await;
    assert_eq!(activated.status, 200, "{activated:?}");
    assert_eq!(activated.json()["result"]["activations"][0]["until"], Value::Null);
    let past = server.json_as(&token, "POST", "/api/network/version/1/activate", &json!({ "since": "2020-01-01T00:00:00Z" })).await;
    assert_eq!(past.status, 409, "{past:?}");
    let active = get(&server, &token, "summary").await.json()["result"]["active"].clone();
    assert_eq!(
        (&active["version"], &active["parts"]),
        (&json!(1), &json!({ "containers": 1, "nodes": 2, "equipment": 2, "measurements": 1 }))
    );
    let entered = server.audited(server.one.client).await;
    assert_eq!(entered.iter().filter(|(action, _)| action.starts_with("network_")).count(), 2, "{entered:?}");
}

#[tokio::test]
async fn outdated_wrong_and_large_changes_store_nothing() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    assert_eq!(change(&server, &token, &json!({ "basedOn": 0, "whole": small() })).await.status, 200);
    let late = change(&server, &token, &json!({ "basedOn": 0, "whole": small() })).await;
    let message = late.json()["message"].as_str().expect("a message").to_owned();
    assert!(late.status == 409 && message.contains("based on version 0 of the network, but version 1 is the newest"), "{late:?}");
    let mut doubled = small();
    doubled["nodes"][1]["id"] = "b".into();
    let refused = change(&server, &token, &json!({ "basedOn": 1, "whole": doubled })).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    assert_eq!(refused.json()["result"]["listed"][0]["rule"], "duplicate-id");
    let put = json!({ "nodes": [{ "id": "b", "nominal_kv": -11.0 }] });
    let wrong = change(&server, &token, &json!({ "basedOn": 1, "parts": { "put": put } })).await;
    assert_eq!((wrong.status, &wrong.json()["result"]["findings"]["errors"]), (200, &json!(1)), "stored: {wrong:?}");
    let refused = server.json_as(&token, "POST", "/api/network/version/2/activate", &json!({})).await;
    assert_eq!((refused.status, &refused.json()["result"]["listed"][0]["rule"]), (422, &json!("out-of-range")), "{refused:?}");
    assert_eq!(get(&server, &token, "version/2/check").await.json()["result"]["listed"][0]["id"], "b");
    for text in ["a\0b".to_owned(), "n".repeat(5_000)] {
        let put = json!({ "equipment": [{ "id": "x", "kind": "BusbarSection", "container": text, "terminals": [{ "node": text }] }] });
        let refused = change(&server, &token, &json!({ "basedOn": 2, "parts": { "put": put } })).await;
        assert_eq!((refused.status, &refused.json()["result"]["listed"][0]["rule"]), (422, &json!("invalid-text")), "{refused:?}");
        assert!(refused.body.len() < 5_000, "{refused:?}");
    }
    for (body, text) in [
        (json!({ "basedOn": 2 }), "give either whole or parts"),
        (json!({ "basedOn": 2, "whole": small(), "parts": {} }), "give either whole or parts"),
        (json!({ "whole": small() }), "missing field `basedOn`"),
        (json!({ "basedOn": 2, "whole": { "nodes": [{ "id": 1 }] } }), "line 1 column"),
        (json!({ "basedOn": 2, "parts": { "remove": { "nodes": ["x"] } } }), "remove: there is no node x"),
        (json!({ "basedOn": 2, "note": "x".repeat(1_001), "whole": small() }), "the note has 1001 characters"),
    ] {
        let answer = change(&server, &token, &body).await;
        let message = answer.json()["message"].as_str().expect("a message").to_owned();
        assert!(answer.status == 400 && message.contains(text), "{text}: {answer:?}");
    }
    let authorization = format!("Bearer {token}");
    let headers = [("Authorization", authorization.as_str()), ("Content-Type", "application/json")];
    let large = server.send("POST", PATH, &headers, &" ".repeat(64 * 1024 * 1024 + 1)).await;
    assert_eq!(large.status, 413, "{large:?}");
    assert_eq!(get(&server, &token, "versions").await.json()["result"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn only_administrators_work_on_the_network() {
    let server = Server::start().await;
    let admin = server.sign_in("one-admin").await;
    assert_eq!(change(&server, &admin, &json!({ "basedOn": 0, "whole": small() })).await.status, 200);
    assert_eq!(server.json_as(&admin, "POST", "/api/network/version/1/activate", &json!({})).await.status, 200);
    let operator = server.sign_in("one-division").await;
    for path in ["versions", "version/1", "version/1/parts/node", "version/1/check", "version/1/export/json"] {
        assert_eq!(get(&server, &operator, path).await.status, 403, "{path}");
    }
    assert_eq!(change(&server, &operator, &json!({ "basedOn": 1, "whole": small() })).await.status, 403);
    assert_eq!(server.json_as(&operator, "POST", "/api/network/version/1/activate", &json!({})).await.status, 403);
    assert_eq!(get(&server, &operator, "summary").await.json()["result"]["active"]["version"], 1);
    let other = server.sign_in("two-admin").await;
    assert_eq!(get(&server, &other, "version/1").await.status, 404);
    assert_eq!(get(&server, &other, "summary").await.json()["result"], json!({ "active": null, "newestVersion": null }));
}

/// Sends the head of a change, and returns the connection when the server waits for the body.
async fn begin_change(server: &Server, token: &str, length: usize) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).await.expect("connected");
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nHost: portal.example\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 100", "the server reads the body");
    stream
}

#[tokio::test]
async fn slow_upload_of_a_network_delays_no_heavy_read() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    assert_eq!(change(&server, &token, &json!({ "basedOn": 0, "whole": small() })).await.status, 200);
    let body = json!({ "basedOn": 1, "whole": small() }).to_string();
    // As many as one user can have slots.
    let mut first = begin_change(&server, &token, body.len()).await;
    let second = begin_change(&server, &token, body.len()).await;
    let checked = timeout(PATIENCE, get(&server, &token, "version/1/check")).await.expect("no wait for the uploads");
    assert_eq!(checked.status, 200, "{checked:?}");
    let refused = change(&server, &token, &json!({ "basedOn": 1, "whole": small() })).await;
    assert_eq!(refused.status, 429, "{refused:?}");
    first.write_all(body.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    timeout(PATIENCE, first.read_to_string(&mut answer)).await.expect("in time").expect("an answer");
    assert!(answer.contains("HTTP/1.1 200"), "{answer}");
    drop(second);
}

/// A substation with the code of one of the utility, a feeder with a transformer, and a normally-open point.
fn with_feeder(station: &str, gateway: &str) -> Value {
    let of = |id: &str, kind: &str, nodes: &[&str], container: &str, electrical: Value| {
        let terminals: Vec<Value> = nodes.iter().map(|node| json!({ "node": node })).collect();
        json!({ "id": id, "kind": kind, "terminals": terminals, "container": container, "electrical": electrical })
    };
    let switch = |is_open: bool| json!({ "Switch": { "is_normally_open": is_open } });
    let nodes = ["bus", "line", "end", "low", "beyond"].map(|id| json!({ "id": id, "nominal_kv": if id == "low" { 0.4 } else { 11.0 } }));
    json!({
        "containers": [
            { "id": station, "name": "33/11 kV Harbour", "kind": "Substation" },
            { "id": "S/F1", "name": "Fort", "kind": "Feeder", "parent": station },
        ],
        "nodes": nodes,
        "equipment": [
            of("G", "EnergySource", &["bus"], station, json!("Nothing")),
            of("BUS", "BusbarSection", &["bus"], station, json!("Nothing")),
            of("S/F1CB", "Breaker", &["bus", "line"], station, switch(false)),
            of("S/F1/L", "ACLineSegment", &["line", "end"], "S/F1", json!("Nothing")),
            of("S/F1/TX", "PowerTransformer", &["end", "low"], "S/F1", json!("Nothing")),
            of("S/F1/C", "EnergyConsumer", &["low"], "S/F1", json!({ "Consumer": { "customers": 12, "kw": 30.0 } })),
            of("S/F1/TIE", "LoadBreakSwitch", &["end", "beyond"], "S/F1", switch(true)),
        ],
        "measurements": [
            { "id": "P", "equipment": "S/F1CB", "quantity": "Pos", "point": format!("{gateway}/F1/F1CB/Pos") },
            { "id": "I", "equipment": "S/F1CB", "terminal": 2, "quantity": "Ir", "phases": "A", "point": format!("{gateway}/F1/F1/Ir") },
        ],
    })
}

#[tokio::test]
async fn feeder_has_a_diagram_for_users_who_see_its_substation() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    assert_eq!(get(&server, &token, "feeders").await.json()["result"], json!([]), "no network is active");
    assert_eq!(get(&server, &token, "feeders/S%2FF1/diagram").await.status, 404);
    let whole = json!({ "basedOn": 0, "whole": with_feeder("S", "one-RTU") });
    assert_eq!(change(&server, &token, &whole).await.status, 200);
    let activated = server.json_as(&token, "POST", "/api/network/version/1/activate", &json!({})).await;
    assert_eq!(activated.status, 200, "{activated:?}");
    let feeders = get(&server, &token, "feeders").await.json()["result"].clone();
    let location = server.one.location.0;
    let assets = [server.one.feeder.0, server.one.breaker.0];
    let one = &feeders[0];
    assert_eq!(
        (feeders.as_array().map(Vec::len), &one["id"], &one["head"], &one["locationId"]),
        (Some(1), &json!("S/F1"), &json!("S/F1CB"), &json!(location))
    );
    assert_eq!((&one["customers"], &one["loadKw"], &one["transformers"]), (&json!(12), &json!(30.0), &json!(1)));
    let ids: Vec<i64> = one["assetIds"].as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
    assert!(ids.len() == 2 && assets.iter().all(|asset| ids.contains(asset)), "{one}");
    for (query, count) in [(location, 1), (server.one.other_location.0, 0)] {
        let found = get(&server, &token, &format!("feeders?location={query}")).await.json()["result"].clone();
        assert_eq!(found.as_array().map(Vec::len), Some(count), "{query}");
    }
    for path in ["feeders/S%2FF1/diagram", "feeders/S%2FF1CB/diagram"] {
        let answer = get(&server, &token, path).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let drawing: Value = serde_json::from_str(answer.json()["result"]["sldFileContents"].as_str().expect("a text")).expect("JSON");
        let of = |id: &str| drawing["elements"].as_array().into_iter().flatten().find(|element| element["equipment"] == id).cloned();
        let breaker = of("S/F1CB").expect("the breaker");
        let position = server.one.position.0;
        assert_eq!((&breaker["position"]["pointId"], &breaker["assetId"]), (&json!(position), &json!(server.one.breaker.0)));
        assert_eq!((&breaker["normal"], &drawing["points"][position.to_string()]["code"]), (&json!("closed"), &json!("Pos")));
        let tie = of("S/F1/TIE").expect("the open point");
        assert_eq!((&tie["normal"], tie.get("position")), (&json!("open"), None));
        let nodes = drawing["networkNodes"].as_array().cloned().unwrap_or_default();
        assert_eq!(json!(nodes.len()), drawing["nodeCount"]);
        let at = |node: &Value| nodes[node.as_u64().expect("a number") as usize].clone();
        assert_eq!([at(&breaker["nodes"][0]), at(&breaker["nodes"][1])], [json!("bus"), json!("line")]);
        assert!(nodes.iter().all(Value::is_string), "{nodes:?}");
        let values = drawing["elements"].as_array().into_iter().flatten().find(|element| element["class"] == "values").expect("values");
        assert_eq!((&values["rows"][0]["pointId"], &values["rows"][0]["unit"]), (&json!(server.one.current.0), &json!("A")));
    }
    assert_eq!(get(&server, &token, "feeders/S%2FF2/diagram").await.status, 404);
    for other in ["one-division", "two-admin"] {
        let token = server.sign_in(other).await;
        assert_eq!(get(&server, &token, "feeders").await.json()["result"], json!([]), "{other}");
        assert_eq!(get(&server, &token, "feeders/S%2FF1/diagram").await.status, 404, "{other}");
    }
}

#[tokio::test]
async fn feeder_is_seen_at_its_head_and_at_its_container() {
    let server = Server::start().await;
    let admin = server.sign_in("one-admin").await;
    // The breaker at the head is at D1, the feeder belongs to D2.
    assert_eq!(change(&server, &admin, &json!({ "basedOn": 0, "whole": with_feeder("D2", "one-RTU") })).await.status, 200);
    let activated = server.json_as(&admin, "POST", "/api/network/version/1/activate", &json!({})).await;
    assert_eq!(activated.status, 200, "{activated:?}");
    server.enter("confined", 4, Some(server.one.division)).await;
    let (at_head, at_container) = (server.sign_in("confined").await, server.sign_in("one-division").await);
    let (head, container) = (server.one.location.0, server.one.other_location.0);
    for (token, location, assets) in [(&admin, head, 2), (&at_head, head, 2), (&at_container, container, 0)] {
        let feeders = get(&server, token, "feeders").await.json()["result"].clone();
        assert_eq!((&feeders[0]["id"], &feeders[0]["locationId"]), (&json!("S/F1"), &json!(location)), "{feeders}");
        assert_eq!(feeders[0]["assetIds"].as_array().map(Vec::len), Some(assets), "{feeders}");
    }
    // The diagram names what is at the substations that the caller may see.
    for (token, seen, hidden) in [(&at_head, "\"S/F1CB\"", "\"S/F1/TX\""), (&at_container, "\"S/F1/TX\"", "\"S/F1CB\"")] {
        let answer = get(&server, token, "feeders/S%2FF1/diagram").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let text = answer.json()["result"]["sldFileContents"].as_str().expect("a text").to_owned();
        let drawing: Value = serde_json::from_str(&text).expect("JSON");
        let equipment: Vec<String> =
            drawing["elements"].as_array().into_iter().flatten().map(|element| element["equipment"].to_string()).collect();
        assert!(equipment.iter().any(|id| id == seen) && equipment.iter().all(|id| id != hidden), "{equipment:?}");
    }
}

/// A feeder of the first division that supplies a unit at the substation of the second, and ends at a feeder there.
fn between_divisions() -> Value {
    let mut whole = with_feeder("D1", "one-RTU");
    let put = |whole: &mut Value, kind: &str, part: Value| whole[kind].as_array_mut().expect("a list").push(part);
    put(&mut whole, "containers", json!({ "id": "D2", "name": "Quayside", "kind": "Substation" }));
    put(&mut whole, "containers", json!({ "id": "D2/F2", "name": "Market", "kind": "Feeder", "parent": "D2" }));
    for (id, container) in [("there", "D2/F2"), ("ring", "D2/F2"), ("quay", "D2")] {
        put(&mut whole, "nodes", json!({ "id": id, "nominal_kv": 11.0, "container": container }));
    }
    let of = |id: &str, kind: &str, nodes: &[&str], container: &str, electrical: Value| {
        let terminals: Vec<Value> = nodes.iter().map(|node| json!({ "node": node })).collect();
        json!({ "id": id, "name": id, "kind": kind, "terminals": terminals, "container": container, "electrical": electrical })
    };
    let switch = |is_open: bool| json!({ "Switch": { "is_normally_open": is_open } });
    let consumer = json!({ "Consumer": { "customers": 7777, "kw": 9.0 } });
    for part in [
        of("D1/OUT", "ACLineSegment", &["end", "there"], "S/F1", json!("Nothing")),
        of("D2/SW", "LoadBreakSwitch", &["there", "ring"], "D2/F2", switch(false)),
        of("D2/HOUSE", "EnergyConsumer", &["ring"], "D2/F2", consumer),
        of("D2/TIE", "LoadBreakSwitch", &["ring", "quay"], "D2/F2", switch(true)),
        of("D2/BUS", "BusbarSection", &["quay"], "D2", json!("Nothing")),
    ] {
        put(&mut whole, "equipment", part);
    }
    whole
}

#[tokio::test]
async fn feeder_diagram_names_nothing_outside_of_the_callers_area() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    assert_eq!(change(&server, &token, &json!({ "basedOn": 0, "whole": between_divisions() })).await.status, 200);
    let activated = server.json_as(&token, "POST", "/api/network/version/1/activate", &json!({})).await;
    assert_eq!(activated.status, 200, "{activated:?}");
    server.enter("confined", 4, Some(server.one.division)).await;
    let confined = server.sign_in("confined").await;
    let read = async |token: &str| -> Value {
        let answer = get(&server, token, "feeders/S%2FF1/diagram").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        serde_json::from_str(answer.json()["result"]["sldFileContents"].as_str().expect("a text")).expect("JSON")
    };
    let (whole, part) = (read(&token).await, read(&confined).await);
    let classes = |drawing: &Value| -> Vec<Value> {
        drawing["elements"].as_array().into_iter().flatten().map(|element| element["class"].clone()).collect()
    };
    assert_eq!(classes(&whole), classes(&part), "the same symbols");
    let foreign = ["D2/", "Quayside", "\"ring\"", "\"quay\"", "7777"];
    let (whole_text, part_text) = (whole.to_string(), part.to_string());
    for name in foreign {
        assert!(whole_text.contains(name), "{name}: {whole_text}");
    }
    for name in foreign {
        assert!(!part_text.contains(name), "{name}: {part_text}");
    }
    for name in ["S/F1CB", "S/F1/TX", "D1/OUT", "\"bus\"", "\"line\""] {
        assert!(part_text.contains(name), "{name}: {part_text}");
    }
    let ids: std::collections::BTreeSet<String> =
        part["elements"].as_array().into_iter().flatten().map(|element| element["id"].to_string()).collect();
    assert_eq!(ids.len(), classes(&part).len(), "each id once");
}
