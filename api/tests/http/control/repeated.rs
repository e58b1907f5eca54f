//! Requests that a client repeats, because the answer to the first one was lost, get the answer of the first one.

use serde_json::json;

use super::gateway::Manner;
use super::rig::{CLOSED, OPEN, Rig};

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
