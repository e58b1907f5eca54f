//! Tags: users with permission to operate place them, their holders and administrators remove them, and an inhibit blocks.

use std::time::Duration;

use bus::Received;
use grid::control::Action;
use serde_json::{Value, json};
use wire::bus::BusMessage;

use super::gateway::{Manner, now_ms};
use super::rig::{CLOSED, OPEN, Rig};
use crate::server::Answer;

async fn place(rig: &Rig, token: &str, body: &Value) -> Answer {
    rig.server.json_as(token, "POST", "/api/tags", body).await
}

#[tokio::test]
async fn an_inhibit_blocks_everybody_until_it_is_taken_off() {
    let rig = Rig::start().await;
    let (holder, other, admin) = (rig.operator("holder", 4).await, rig.operator("other", 4).await, rig.operator("second", 2).await);
    let breaker = rig.server.one.breaker.0;
    let mut bus = rig.server.bus.subscribe();
    let placed =
        place(&rig, &holder, &json!({ "assetId": breaker, "kind": "inhibit", "reason": " men at work ", "expiresAt": null })).await;
    let tag = placed.json()["result"].clone();
    assert_eq!(
        (placed.status, &tag["holder"], &tag["reason"], &tag["kind"]),
        (200, &json!("holder Nair"), &json!("men at work"), &json!("inhibit"))
    );
    let version = loop {
        if let Received::Message(message) = bus.next().await.expect("a bus")
            && let BusMessage::Tags { tags, version, location, .. } = &*message
        {
            assert_eq!((tags.len(), *location), (1, rig.server.one.location.0));
            break *version;
        }
    };
    assert_eq!(version, 1);
    assert_eq!(rig.refused(&admin, "directOperate", CLOSED, OPEN).await, (409, 24));
    let status = rig.status(&admin).await;
    assert_eq!((&status["tags"][0]["id"], &status["refusals"][0]["message"]), (&tag["id"], &json!("Tagged by holder Nair: men at work")));
    let list = rig.server.get_as(&other, &format!("/api/tags/location/{}", rig.server.one.location.0)).await.json();
    assert_eq!(list["result"], json!([tag]));

    let remove = format!("/api/tags/{}/remove", tag["id"]);
    let reason = json!({ "reason": "work is done" });
    assert_eq!(rig.server.json_as(&other, "POST", &remove, &reason).await.status, 403, "not theirs");
    assert_eq!(rig.server.json_as(&holder, "POST", &remove, &json!({ "reason": " " })).await.status, 400);
    assert_eq!(rig.server.json_as(&holder, "POST", &remove, &reason).await.status, 200);
    assert_eq!(rig.server.json_as(&holder, "POST", &remove, &reason).await.status, 404, "it hangs no more");
    rig.state(&admin, "directOperate", CLOSED, OPEN).await;

    let another =
        place(&rig, &holder, &json!({ "assetId": breaker, "kind": "caution", "reason": "slow spring" })).await.json()["result"]["id"]
            .clone();
    assert_eq!(rig.server.json_as(&admin, "POST", &format!("/api/tags/{another}/remove"), &reason).await.status, 200, "role 2");
    let audited: Vec<String> = rig.server.audited(rig.server.one.client).await.into_iter().map(|(action, _)| action).collect();
    assert_eq!(audited.iter().filter(|action| action.starts_with("tag_")).count(), 4, "{audited:?}");
}

#[tokio::test]
async fn what_is_no_tag_is_refused_and_one_with_an_end_ends() {
    let rig = Rig::start().await;
    let token = rig.operator("holder", 4).await;
    let watcher = rig.person("watcher", 2, None, false).await;
    let breaker = rig.server.one.breaker.0;
    let tag =
        |kind: &str, reason: &str, expires: Value| json!({ "assetId": breaker, "kind": kind, "reason": reason, "expiresAt": expires });
    for (body, expected) in [
        (tag("lockout", "x", json!(null)), 400),
        (tag("caution", "", json!(null)), 400),
        (tag("caution", &"x".repeat(201), json!(null)), 400),
        (tag("caution", "x", json!(now_ms() - 1)), 400),
        (json!({ "assetId": rig.server.two.breaker.0, "kind": "caution", "reason": "x" }), 404),
        (json!({ "assetId": breaker, "kind": "caution", "reason": "x", "holder": "somebody else" }), 400),
        (json!({ "assetId": breaker, "kind": "caution", "reason": "x", "forMinutes": 0 }), 400),
        (json!({ "assetId": breaker, "kind": "caution", "reason": "x", "forMinutes": 527_041 }), 400),
        (json!({ "assetId": breaker, "kind": "caution", "reason": "x", "forMinutes": 5, "expiresAt": now_ms() + 60_000 }), 400),
    ] {
        assert_eq!(place(&rig, &token, &body).await.status, expected, "{body}");
    }
    assert_eq!(place(&rig, &watcher, &tag("inhibit", "x", json!(null))).await.status, 403);
    assert_eq!(rig.count("tag").await, 0);
    let soon = now_ms() + 1_500;
    let refused = place(&rig, &token, &tag("inhibit", "short", json!(soon))).await;
    assert_eq!((refused.status, rig.count("tag").await), (400, 0), "an inhibit never ends by itself: {refused:?}");
    assert_eq!(place(&rig, &token, &tag("caution", "short", json!(soon))).await.status, 200);
    let admin = rig.operator("second", 2).await;
    assert_eq!(rig.status(&admin).await["tags"].as_array().map(Vec::len), Some(1));
    rig.until_status(&admin, |status| status["tags"] == json!([])).await;
    assert!(now_ms() >= soon, "not before its time");
    let long = json!({ "assetId": breaker, "kind": "caution", "reason": "a while", "forMinutes": 90 });
    let tag = place(&rig, &token, &long).await.json()["result"].clone();
    let times = ["placedAt", "expiresAt"].map(|key| tag[key].as_i64().expect("a time"));
    assert!((times[1] - times[0] - 90 * 60_000).abs() <= 1, "{tag}");
}

#[tokio::test]
async fn inhibit_on_a_bay_or_a_station_blocks_what_is_inside() {
    let rig = Rig::start().await;
    let (token, admin) = (rig.operator("holder", 4).await, rig.operator("second", 2).await);
    let (one, location) = (&rig.server.one, rig.server.one.location.0);
    let inhibit = |place: Value| {
        let mut body = json!({ "kind": "inhibit", "reason": "men at work" });
        body.as_object_mut().expect("an object").extend(place.as_object().expect("an object").clone());
        body
    };
    for (at, scope) in [(json!({ "assetId": one.feeder.0 }), "bay"), (json!({ "locationId": location }), "station")] {
        assert_eq!(rig.state(&admin, "isSelect", CLOSED, OPEN).await, "SELECTED");
        let placed = place(&rig, &token, &inhibit(at.clone())).await;
        let tag = placed.json()["result"].clone();
        assert_eq!((placed.status, &tag["scope"], &tag["locationId"]), (200, &json!(scope), &json!(location)), "{placed:?}");
        assert_eq!(rig.newest(&admin).await["state"], "CANCELLED", "it ends a selection inside");
        let status = rig.status(&admin).await;
        assert_eq!((&status["operable"], &status["tags"][0]["id"]), (&json!(false), &tag["id"]));
        assert_eq!(rig.refused(&admin, "directOperate", CLOSED, OPEN).await, (409, 24), "{scope}");
        let removed = rig.server.json_as(&token, "POST", &format!("/api/tags/{}/remove", tag["id"]), &json!({ "reason": "done" })).await;
        assert_eq!(removed.status, 200);
        assert_eq!(rig.status(&admin).await["operable"], true);
    }
    for body in [
        inhibit(json!({ "assetId": one.feeder.0, "locationId": location })),
        inhibit(json!({})),
        inhibit(json!({ "locationId": one.other_location.0 })),
        inhibit(json!({ "locationId": one.division.0 })),
    ] {
        let refused = place(&rig, &admin, &body).await;
        assert_eq!(refused.status, 400, "{body} {refused:?}");
    }
    let caution = json!({ "locationId": one.other_location.0, "kind": "caution", "reason": "flooded road" });
    assert_eq!(place(&rig, &admin, &caution).await.status, 200, "a caution needs nothing that it could block");
}

#[tokio::test]
async fn inhibit_cancels_selection_and_reports_sent_command() {
    let rig = Rig::start_with(json!({ "feedbackSeconds": 30 })).await;
    let (holder, other) = (rig.operator("holder", 2).await, rig.operator("other", 2).await);
    let breaker = rig.server.one.breaker.0;
    let inhibit = json!({ "assetId": breaker, "kind": "inhibit", "reason": "men at work" });
    assert_eq!(rig.state(&other, "isSelect", CLOSED, OPEN).await, "SELECTED");
    let id = rig.newest(&other).await["commandId"].as_str().expect("an id").to_owned();
    let caution = json!({ "assetId": breaker, "kind": "caution", "reason": "slow spring" });
    assert_eq!(place(&rig, &holder, &caution).await.status, 200);
    assert_eq!(rig.newest(&other).await["state"], "SELECTED", "a caution ends nothing");
    let placed = place(&rig, &holder, &inhibit).await;
    assert_eq!((placed.status, placed.json()["message"].clone()), (200, json!("")), "{placed:?}");
    let row = rig.newest(&other).await;
    assert_eq!(
        (&row["commandId"], &row["state"], &row["addCause"], &row["message"]),
        (&json!(id), &json!("CANCELLED"), &json!(24), &json!("Tagged by holder Nair: men at work"))
    );
    assert_eq!(rig.count("reservation WHERE released IS NULL").await, 0);
    assert_eq!(
        rig.count(&format!("audit WHERE action = 'command_state' AND subject = 'command {id}' AND after->>'state' = 'CANCELLED'")).await,
        1
    );
    let received = async {
        while rig.gateway.actions() != [Action::Select, Action::Cancel] {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), received).await.expect("the gateway cancels its selection");
    let tag = placed.json()["result"]["id"].clone();
    let remove = format!("/api/tags/{tag}/remove");
    assert_eq!(rig.server.json_as(&holder, "POST", &remove, &json!({ "reason": "done" })).await.status, 200);

    rig.gateway.behave(Manner::Stuck);
    assert_eq!(rig.state(&other, "directOperate", CLOSED, OPEN).await, "ACCEPTED");
    let placed = place(&rig, &holder, &inhibit).await;
    assert_eq!(placed.status, 200, "{placed:?}");
    assert!(placed.json()["message"].as_str().is_some_and(|message| message.contains("is on its way to the device")), "{placed:?}");
    assert_eq!(rig.newest(&other).await["state"], "ACCEPTED", "it goes on");
}
