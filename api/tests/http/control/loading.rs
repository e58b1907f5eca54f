//! While the active version of the network is not in memory, nothing is removed or withdrawn by what another version says.

use std::time::Duration;

use serde_json::{Value, json};

use super::network::{activate, equipment, opened, switch};
use super::rig::{CLOSED, Rig};
use crate::server::Answer;

const TEMPORARY: &str = "/api/network/temporary";
const ENTRIES: &str = "/api/network/entries";
/// Time limit of each wait in a test.
const PATIENCE: Duration = Duration::from_secs(20);

/// A network with a line `D2/B` that is dead, and a switch `D2/LBS` without a point.
async fn isolated() -> (Rig, String) {
    let rig = Rig::start().await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    activate(&rig, "Breaker", vec![equipment("D2/LBS", "LoadBreakSwitch", &["end", "spare"])], vec![]).await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    until(&rig, &token, "/api/network/temporary/terminals?equipment=D2/B", |found| found["terminals"][0]["state"] == "dead").await;
    (rig, token)
}

/// Reads until the result is as expected.
async fn until(rig: &Rig, token: &str, path: &str, is_expected: impl Fn(&Value) -> bool) {
    let reading = async {
        while !is_expected(&rig.server.get_as(token, path).await.json()["result"]) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.unwrap_or_else(|late| panic!("{path}: {late}"));
}

/// Places a temporary change at one terminal.
async fn place(rig: &Rig, token: &str, kind: &str, (equipment, terminal): (&str, u8)) -> Value {
    let at = json!({ "equipment": equipment, "terminal": terminal });
    let change = json!({ "kind": kind, "at": [at], "reason": "work on the line" });
    let placed = rig.server.json_as(token, "POST", TEMPORARY, &change).await;
    assert_eq!(placed.status, 200, "{placed:?}");
    placed.json()["result"].clone()
}

async fn end(rig: &Rig, token: &str, path: &str, what: &Value, verb: &str) -> Answer {
    rig.server.json_as(token, "POST", &format!("{path}/{}/{verb}", what["id"]), &json!({ "reason": "done" })).await
}

/// Activates a version that this release cannot read.
async fn activate_unreadable(rig: &Rig, version: i32) {
    rig.sql("UPDATE network_equipment SET kind = 'Elevator' WHERE id = 'D1/L'").await;
    rig.sql(&format!(
        "INSERT INTO network_activation (client_id, since, version, entered) SELECT client_id, now(), number, now() FROM network_version WHERE number = {version}"
    ))
    .await;
    rig.server.fields.refresh_network(rig.server.one.client).await;
}

/// Makes the versions readable again.
async fn repair(rig: &Rig) {
    rig.sql("UPDATE network_equipment SET kind = 'ACLineSegment' WHERE id = 'D1/L'").await;
}

#[tokio::test]
async fn nothing_is_removed_or_withdrawn_without_the_network_in_memory() {
    let (rig, token) = isolated().await;
    let entry = json!({ "equipment": "D2/LBS", "position": "open", "reason": "seen", "rule": "untilWithdrawn" });
    let entry = rig.server.json_as(&token, "POST", ENTRIES, &entry).await;
    assert_eq!(entry.status, 200, "{entry:?}");
    let entry = entry.json()["result"].clone();
    let cut = place(&rig, &token, "cut", ("D2/B", 2)).await;
    let earth = place(&rig, &token, "portableEarth", ("D2/C", 1)).await;
    // As after a start: no version is in memory.
    rig.sql("DELETE FROM network_activation").await;
    rig.server.fields.refresh_network(rig.server.one.client).await;
    activate_unreadable(&rig, 1).await;
    for path in [TEMPORARY, ENTRIES] {
        let listed = rig.server.get_as(&token, path).await.json()["result"].clone();
        for row in listed.as_array().expect("a list") {
            let problem = row["problem"].as_str().unwrap_or_default();
            assert!(problem.contains("being loaded") && !problem.contains("Withdraw"), "{row}");
        }
    }
    for (path, what, verb) in [(TEMPORARY, &cut, "remove"), (TEMPORARY, &earth, "remove"), (ENTRIES, &entry, "withdraw")] {
        let refused = end(&rig, &token, path, what, verb).await;
        assert!(refused.status == 409 && refused.body.contains("is being loaded"), "{path}: {refused:?}");
    }
    assert_eq!(rig.count("temporary_change WHERE removed IS NULL").await, 2);
    repair(&rig).await;
    until(&rig, &token, TEMPORARY, |listed| listed[0]["counts"] == true && listed[1]["counts"] == true).await;
    for (path, what, verb) in [(TEMPORARY, &earth, "remove"), (TEMPORARY, &cut, "remove"), (ENTRIES, &entry, "withdraw")] {
        let done = end(&rig, &token, path, what, verb).await;
        assert_eq!(done.status, 200, "{path}: {done:?}");
    }
}

#[tokio::test]
async fn cut_without_place_in_memory_is_not_removed_from_another_version() {
    let (rig, token) = isolated().await;
    let cut = place(&rig, &token, "cut", ("D2/B", 2)).await;
    // A switch is drawn in, so that the terminal of the line with the cut is at another node.
    let admin = rig.server.sign_in("one-admin").await;
    let line = equipment("D2/B", "ACLineSegment", &["far", "beyond"]);
    let put = json!({
        "nodes": [{ "id": "beyond", "nominal_kv": 11.0 }],
        "equipment": [line, equipment("D2/F", "LoadBreakSwitch", &["beyond", "end"])],
    });
    let stored = rig.server.json_as(&admin, "POST", crate::network::PATH, &json!({ "basedOn": 1, "parts": { "put": put } })).await;
    assert_eq!(stored.status, 200, "{stored:?}");
    let reason = json!({ "unfitReason": "the switch is in service" });
    let activated = rig.server.json_as(&admin, "POST", "/api/network/version/2/activate", &reason).await;
    assert_eq!(activated.status, 200, "{activated:?}");
    until(&rig, &token, TEMPORARY, |listed| listed[0]["problem"].as_str().is_some_and(|problem| problem.contains("beyond"))).await;
    // The first version is active again, in which the cut separates; the second one is in memory.
    activate_unreadable(&rig, 1).await;
    let refused = end(&rig, &token, TEMPORARY, &cut, "remove").await;
    assert!(refused.status == 409 && refused.body.contains("Nothing was removed"), "{refused:?}");
    assert_eq!(rig.count("temporary_change WHERE removed IS NULL").await, 1);
    repair(&rig).await;
    until(&rig, &token, TEMPORARY, |listed| listed[0]["counts"] == true).await;
    let removed = end(&rig, &token, TEMPORARY, &cut, "remove").await;
    assert_eq!(removed.status, 200, "{removed:?}");
}
