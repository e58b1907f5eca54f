//! Areas and desks for the matrix of routes and roles: rows of the other utility with the numbers that the requests use, and an operator's own requests.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::control::rig::Rig;
use crate::field::Utility;
use crate::server::{Answer, Server};

/// Stores desks, areas and requests of a utility with these ids, all marked.
pub(crate) async fn mark(server: &Server, Utility { client, location, .. }: &Utility, ids: &[i64], mark: &str) {
    let mut statements = format!(
        "UPDATE desk SET name = '{mark}' WHERE client_id = {client}; UPDATE area SET name = '{mark}', held_by = '{mark}' WHERE client_id = {client};"
    );
    for id in ids {
        write!(
            statements,
            "INSERT INTO desk (id, client_id, name) VALUES ({id}, {client}, '{mark}') ON CONFLICT DO NOTHING;
             INSERT INTO area (id, client_id, name) VALUES ({id}, {client}, '{mark}') ON CONFLICT DO NOTHING;
             INSERT INTO area_part (client_id, area_id, node_id) SELECT {client}, id, {location} FROM area WHERE id = {id} AND client_id = {client}
             ON CONFLICT DO NOTHING;
             INSERT INTO area_request (id, client_id, area_id, kind, from_desk, to_desk, reason, made_by, made, expires)
             SELECT {id}, {client}, a.id, 'request', d.id, d.id, '{mark}', '{mark}', now(), now() + interval '1 h'
             FROM area a JOIN desk d ON d.id = a.id WHERE a.id = {id} AND a.client_id = {client} AND d.client_id = {client} ON CONFLICT DO NOTHING;"
        )
        .expect("a string takes everything");
    }
    // The ids are far above those of other rows.
    for table in ["desk", "area", "area_request"] {
        write!(statements, "SELECT setval(pg_get_serial_sequence('{table}', 'id'), 1000000);").expect("a string takes everything");
    }
    server.database.client().await.batch_execute(&statements).await.expect("entered");
}

/// Returns an operator's requests about a desk and an area of the other utility, and about the own ones, with the expected results.
pub(crate) async fn requests(rig: &Rig, foreign: i64) -> Vec<(String, Value, u16)> {
    let client = rig.server.database.client().await;
    let own =
        "SELECT d.id, a.id FROM desk d JOIN area a ON a.client_id = d.client_id WHERE d.client_id = $1 AND d.is_default AND a.is_rest";
    let row = client.query_one(own, &[&rig.server.one.client.0]).await.expect("a desk and an area");
    let (desk, area): (i64, i64) = (row.get(0), row.get(1));
    let mut requests = vec![
        ("/api/areas/desk".to_owned(), json!({ "deskId": foreign }), 400),
        ("/api/areas/desk".to_owned(), json!({ "deskId": desk }), 200),
        ("/api/areas/desk/request".to_owned(), json!({ "deskId": foreign, "reason": "look" }), 400),
        ("/api/areas/desk/consent".to_owned(), json!({ "requestId": foreign }), 409),
        ("/api/areas/desk/refuse".to_owned(), json!({ "requestId": foreign }), 409),
        (format!("/api/areas/{area}/offer"), json!({ "deskId": foreign, "reason": "look" }), 400),
        (format!("/api/areas/{area}/move"), json!({ "deskId": foreign, "reason": "look" }), 400),
        (format!("/api/areas/{area}/consent"), json!({ "requestId": foreign }), 409),
        (format!("/api/areas/{area}/request"), json!({ "reason": "look" }), 409),
    ];
    for verb in ["request", "offer", "consent", "refuse", "take", "move"] {
        let body = match verb {
            "request" => json!({ "reason": "look" }),
            "offer" | "move" => json!({ "deskId": desk, "reason": "look" }),
            "take" => json!({}),
            _ => json!({ "requestId": foreign }),
        };
        requests.push((format!("/api/areas/{foreign}/{verb}"), body, 404));
    }
    requests
}

/// Changes areas and desks of the own utility, hands one over, and deletes them; returns each request with its status and the expected one.
pub(crate) async fn worked(rig: &Rig, token: &str, username: &str) -> Vec<(String, Answer, u16)> {
    let server = &rig.server;
    let present = server.get_as(token, "/api/areas").await.json()["result"].clone();
    let room = json!({ "id": present["desks"][0]["id"], "name": "Control room" });
    let parts = json!([{ "nodeId": server.one.division.0 }]);
    let mut all = Vec::new();
    let put = async |desks: Value, areas: Value| {
        rig.prove(token, username).await;
        server.json_as(token, "PUT", "/api/admin/areas", &json!({ "desks": desks, "areas": areas })).await
    };
    let added = put(json!([room, { "name": "East" }]), json!([{ "name": "Harbour", "parts": parts }])).await;
    let result = added.json()["result"].clone();
    all.push(("add areas".to_owned(), added, 200));
    let find = |list: &str, name: &str| {
        let found = result[list].as_array().expect("a list").iter().find(|item| item["name"] == name);
        found.expect("it was added")["id"].as_i64().expect("an id")
    };
    let (harbour, east) = (find("areas", "Harbour"), find("desks", "East"));
    let body = json!({ "deskId": east, "reason": "look" });
    all.push(("move".to_owned(), server.json_as(token, "POST", &format!("/api/areas/{harbour}/move"), &body).await, 200));
    let guard = rig.operator("guard", 2).await;
    let guarded = server.json_as(&guard, "PUT", "/api/areas/desk", &json!({ "deskId": east })).await;
    all.push(("guard a desk".to_owned(), guarded, 200));
    let seat = server.json_as(token, "POST", "/api/areas/desk/request", &body).await;
    let desks = seat.json()["result"]["desks"].clone();
    let made =
        desks.as_array().and_then(|desks| desks.iter().find(|desk| desk["id"] == east)).map(|desk| desk["requests"][0]["id"].clone());
    let withdrawal = json!({ "requestId": made });
    all.push(("request a desk".to_owned(), seat, 200));
    all.push(("withdraw it".to_owned(), server.json_as(token, "POST", "/api/areas/desk/refuse", &withdrawal).await, 200));
    let path = format!("/api/areas/{harbour}/request");
    let requested = server.json_as(token, "POST", &path, &json!({ "reason": "look" })).await;
    let result = requested.json()["result"].clone();
    let area = result["areas"].as_array().expect("a list").iter().find(|area| area["id"] == harbour).expect("the area");
    let withdrawal = json!({ "requestId": area["requests"][0]["id"] });
    all.push(("request".to_owned(), requested, 200));
    all.push(("withdraw".to_owned(), server.json_as(token, "POST", &format!("/api/areas/{harbour}/refuse"), &withdrawal).await, 200));
    let kept = json!([{ "id": harbour, "name": "Old harbour", "parts": parts }]);
    all.push(("rename".to_owned(), put(json!([room, { "id": east, "name": "Far east" }]), kept).await, 200));
    all.push(("delete".to_owned(), put(json!([room]), json!([])).await, 200));
    all
}
