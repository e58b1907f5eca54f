//! Requests that a client repeats, because the answer to the first one was lost, get the answer of the first one.

use serde_json::json;

use super::gateway::Manner;
use super::network::{activate, equipment};
use super::rig::{CLOSED, OPEN, Rig};

/// How often two equal requests are sent at the same moment.
const RACES: i64 = 20;

#[tokio::test]
async fn repeated_inhibit_reports_the_sent_command_again() {
    let rig = Rig::start_with(json!({ "feedbackSeconds": 30 })).await;
    let (holder, other) = (rig.operator("holder", 2).await, rig.operator("other", 2).await);
    let tag = |kind: &str| json!({ "assetId": rig.server.one.breaker.0, "kind": kind, "reason": "men at work" });
    rig.gateway.behave(Manner::Stuck);
    assert_eq!(rig.state(&other, "directOperate", CLOSED, OPEN).await, "ACCEPTED");
    let place = async |kind: &str| rig.server.json_as(&holder, "POST", "/api/tags", &tag(kind)).await;
    let [first, again] = [place("inhibit").await, place("inhibit").await];
    assert_eq!((first.status, again.status), (200, 200), "{first:?} {again:?}");
    assert_eq!(again.json()["result"], first.json()["result"], "the same tag");
    assert!(again.body.contains("is on its way to the device"), "{again:?}");
    assert_eq!(rig.count("tag").await, 1);
    // A caution blocks nothing, so its answer has no message.
    let [first, again] = [place("caution").await, place("caution").await];
    assert_eq!((&first.json()["message"], &again.json()["message"]), (&json!(""), &json!("")), "{again:?}");
}

#[tokio::test]
async fn equal_requests_at_one_moment_place_and_remove_one_change() {
    let rig = Rig::start().await;
    activate(&rig, "Breaker", vec![equipment("D2/X", "BusbarSection", &["spare"])], vec![]).await;
    let token = rig.operator("operating", 2).await;
    rig.server.fields.refresh_network(rig.server.one.client).await;
    let authorization = format!("Bearer {token}");
    let post = async |path: &str, key: &str, body: &str| {
        let headers = [("Authorization", authorization.as_str()), ("Content-Type", "application/json"), ("Idempotency-Key", key)];
        rig.server.send("POST", path, &headers, body).await
    };
    let path = "/api/network/temporary";
    let earth = json!({ "kind": "portableEarth", "at": [{ "equipment": "D2/X", "terminal": 1 }], "reason": "works" }).to_string();
    let done = json!({ "reason": "done" }).to_string();
    for race in 0..RACES {
        let key = format!("race-{race}");
        let (one, other) = tokio::join!(post(path, &key, &earth), post(path, &key, &earth));
        assert_eq!((one.status, other.status), (200, 200), "{race}: {one:?} {other:?}");
        let id = one.json()["result"]["id"].clone();
        assert_eq!(other.json()["result"]["id"], id);
        let removal = format!("{path}/{id}/remove");
        let (one, other) = tokio::join!(post(&removal, &key, &done), post(&removal, &key, &done));
        assert_eq!((one.status, other.status), (200, 200), "{race}: {one:?} {other:?}");
        assert_eq!(other.json()["result"]["removal"], one.json()["result"]["removal"]);
    }
    let audited = rig.count("audit WHERE action LIKE 'temporary_change_%'").await;
    assert_eq!((rig.count("temporary_change").await, audited), (RACES, 2 * RACES));
}
