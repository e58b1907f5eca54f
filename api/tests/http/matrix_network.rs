//! Networks for the matrix of routes and roles: versions of the other utility, and changes by an administrator.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;

use crate::field::Utility;
use crate::network::{PATH, small};
use crate::server::{Answer, Server};

/// Time limit of the wait for the active version.
const PATIENCE: Duration = Duration::from_secs(6);

/// Stores versions of a utility's network with these numbers, with marked parts, and activates one.
pub(crate) async fn mark(server: &Server, Utility { client, .. }: &Utility, numbers: &[i64], mark: &str) {
    let client = client.0;
    let mut statements = String::new();
    for number in numbers {
        write!(
            statements,
            "INSERT INTO network_version (client_id, number, note, created, containers, nodes, equipment, measurements)
             VALUES ({client}, {number}, '{mark}', now(), 1, 1, 1, 1) ON CONFLICT DO NOTHING;"
        )
        .expect("a string takes everything");
        write!(
            statements,
            "INSERT INTO manual_entry (id, client_id, equipment, quantity, value, reason, version, entered_by, entered)
             VALUES ({number}, {client}, '{mark}{number}', 'Pos', 1, '{mark}', {number}, '{mark}', now()) ON CONFLICT DO NOTHING;"
        )
        .expect("a string takes everything");
        write!(
            statements,
            r#"INSERT INTO temporary_change (id, client_id, what, terminals, place, reason, seen_dead, version, placed_by, placed)
             VALUES ({number}, {client}, '{{"kind": "portableEarth", "node": "{mark}", "phases": "ABC"}}',
             '[{{"equipment": "{mark}", "terminal": 1, "node": "{mark}"}}]', '{mark}', '{mark}', false, {number}, '{mark}', now())
             ON CONFLICT DO NOTHING;"#
        )
        .expect("a string takes everything");
    }
    write!(
        statements,
        r#"INSERT INTO network_activation (client_id, since, version, entered) VALUES ({client}, '2020-01-01Z', {}, now());
         INSERT INTO network_container (client_id, id, first_version, kind, name) VALUES ({client}, '{mark}', 1, 'Substation', '{mark}');
         INSERT INTO network_node (client_id, id, first_version, name, is_internal) VALUES ({client}, '{mark}', 1, '{mark}', false);
         INSERT INTO network_equipment (client_id, id, first_version, kind, name, in_service, terminals, electrical)
         VALUES ({client}, '{mark}', 1, 'EnergySource', '{mark}', true, '[{{"node": "{mark}", "phases": "ABC"}}]', '"Nothing"');
         INSERT INTO network_measurement (client_id, id, first_version, equipment, quantity, phases)
         VALUES ({client}, '{mark}', 1, '{mark}', 'Pos', 'ABC');"#,
        numbers[0]
    )
    .expect("a string takes everything");
    // Further entries get other numbers.
    statements += "SELECT setval(pg_get_serial_sequence('manual_entry', 'id'), 1000000);";
    statements += "SELECT setval(pg_get_serial_sequence('temporary_change', 'id'), 1000000);";
    server.database.client().await.batch_execute(&statements).await.expect("stored");
}

/// Stores, reads and activates the own network; returns each request with its status and the expected one.
pub(crate) async fn worked(server: &Server, token: &str) -> Vec<(String, Answer, u16)> {
    let mut all = Vec::new();
    let parts = json!({
        "put": { "nodes": [{ "id": "b", "name": "Other" }] },
        "remove": { "containers": ["S"], "nodes": ["end"], "equipment": ["CB"], "measurements": ["P"] },
    });
    let mut whole = small();
    whole["measurements"][0]["point"] = "one-RTU/F1/F1CB/Pos".into();
    let earth_switch = json!({ "id": "ES", "kind": "GroundDisconnector", "terminals": [{ "node": "end" }] });
    whole["equipment"].as_array_mut().expect("a list").push(earth_switch);
    for change in [json!({ "basedOn": 0, "whole": whole }), json!({ "basedOn": 1, "parts": parts })] {
        all.push((format!("change {change}"), server.json_as(token, "POST", PATH, &change).await, 200));
    }
    for since in [json!(null), json!("2999-01-01T00:00:00Z"), json!(null)] {
        let path = "/api/network/version/1/activate";
        all.push((format!("post {path}"), server.json_as(token, "POST", path, &json!({ "since": since })).await, 200));
    }
    for path in [
        "summary",
        "abnormal",
        "feeders",
        "versions",
        "version/1",
        "version/1/parts/container",
        "version/1/parts/node",
        "version/1/parts/equipment",
        "version/1/parts/measurement",
        "version/1/check",
        "version/1/export/json",
        &format!("consequences?point={}&to=open", server.one.position),
        &format!("trace?point={}", server.one.position),
        "trace?equipment=CB",
        &format!("trace?equipment=CB&location={}", server.one.location),
    ] {
        let path = format!("/api/network/{path}");
        all.push((format!("get {path}"), server.get_as(token, &path).await, 200));
    }
    // Decisions about the switch depend on the network once the api has the active version.
    let trace = format!("/api/network/trace?point={}", server.one.position);
    let is_active = async {
        while !server.get_as(token, &trace).await.body.contains("\"CB\"") {
            tokio::task::yield_now().await;
        }
    };
    // With statements that mix the utilities it may never be. The matrix finds out whether each statement was used.
    let _ = tokio::time::timeout(PATIENCE, is_active).await;
    all.extend(entered(server, token).await);
    let path = format!("/api/digiops/cbstatus/{}/{}", server.one.gateway, server.one.position);
    all.push((format!("get {path}"), server.get_as(token, &path).await, 200));
    all
}

/// Confirms the position of a switch and withdraws it; returns each request with its status and the expected one.
async fn entered(server: &Server, token: &str) -> Vec<(String, Answer, u16)> {
    let mut all = Vec::new();
    let may_operate = format!("UPDATE member SET can_operate = true WHERE id = {}", server.one.admin);
    server.database.client().await.batch_execute(&may_operate).await.expect("changed");
    let path = "/api/network/entries";
    let entry = json!({ "equipment": "ES", "position": "open", "reason": "seen on site" });
    let put = server.json_as(token, "POST", path, &entry).await;
    let withdraw = format!("{path}/{}/withdraw", put.json()["result"]["id"]);
    all.push((format!("post {path}"), put, 200));
    all.push((format!("get {path}"), server.get_as(token, path).await, 200));
    let options = format!("{path}/options?equipment=ES");
    all.push((format!("get {options}"), server.get_as(token, &options).await, 200));
    all.push((format!("post {withdraw}"), server.json_as(token, "POST", &withdraw, &json!({ "reason": "done" })).await, 200));
    // Operations that follow need a known earth switch.
    all.push((format!("post {path} again"), server.json_as(token, "POST", path, &entry).await, 200));
    let path = "/api/network/temporary";
    let jumper = json!({ "kind": "jumper", "at": [{ "equipment": "CB", "terminal": 1 }, { "equipment": "CB", "terminal": 2 }], "reason": "work", "seenDead": true });
    // The second request is found by its key.
    let authorization = format!("Bearer {token}");
    let headers = [("Authorization", authorization.as_str()), ("Content-Type", "application/json"), ("Idempotency-Key", "own")];
    let placed = server.send("POST", path, &headers, &jumper.to_string()).await;
    let remove = format!("{path}/{}/remove", placed.json()["result"]["id"]);
    all.push((format!("post {path}"), placed, 200));
    all.push((format!("post {path} again"), server.send("POST", path, &headers, &jumper.to_string()).await, 200));
    for listed in [path.to_owned(), format!("{path}/terminals?equipment=CB"), format!("{path}?removed=true&before=1000000000")] {
        all.push((format!("get {listed}"), server.get_as(token, &listed).await, 200));
    }
    for _ in 0..2 {
        let removed = server.send("POST", &remove, &headers, &json!({ "reason": "done", "seenDead": true }).to_string()).await;
        all.push((format!("post {remove}"), removed, 200));
    }
    all
}
