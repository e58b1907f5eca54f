//! Opening and closing in one and in two steps, and what other users see of it.

use grid::control::Action;
use serde_json::json;

use super::gateway::{Manner, pos};
use super::rig::{CLOSED, OPEN, Rig};

#[tokio::test]
async fn a_breaker_is_opened_directly_and_closed_in_two_steps() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 1).await;
    let status = rig.status(&token).await;
    assert_eq!(
        [
            &status["currentDIStatus"],
            &status["currentDIText"],
            &status["changeDIStatus"],
            &status["changeDIText"],
            &status["direct"],
            &status["sbo"]
        ],
        [&json!(2), &json!("CLOSED"), &json!(1), &json!("OPEN"), &json!(true), &json!(true)]
    );
    assert_eq!(
        status["path"], "Utility one / C circle / D1 division / D1 town / D1 subdivision / D1 section / D1 location / one F1CB",
        "{status}"
    );
    assert_eq!((&status["credentialsRequired"], &status["simulated"]), (&json!(false), &json!(true)));

    let answer = rig.post(&token, &rig.order("directOperate", CLOSED, OPEN)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let row = answer.json()["result"].clone();
    assert!(["ACCEPTED", "DONE"].contains(&row["state"].as_str().expect("a state")), "{row}");
    let id = row["commandId"].as_str().expect("an id").to_owned();
    let done = rig.until(&token, &id, "DONE").await;
    assert_eq!(
        (
            &done["mode"],
            &done["operator"],
            &done["fromDIStatus"],
            &done["toDIStatus"],
            &done["toDIText"],
            &done["deadline"],
            &done["simulated"]
        ),
        (&json!("direct"), &json!("second Nair"), &json!(2), &json!(1), &json!("OPEN"), &json!(null), &json!(true))
    );
    rig.until_status(&token, |status| status["currentDIText"] == "OPEN" && status["operable"] == true).await;

    let selected = rig.post(&token, &rig.order("isSelect", OPEN, CLOSED)).await.json()["result"].clone();
    assert_eq!((&selected["state"], &selected["mode"]), (&json!("SELECTED"), &json!("select")), "{selected}");
    assert!(selected["selectUntil"].as_i64() > selected["changedAt"].as_i64(), "{selected}");
    let held = rig.status(&token).await["reservation"].clone();
    assert_eq!((&held["mine"], &held["holder"], &held["commandId"]), (&json!(true), &json!("second Nair"), &selected["commandId"]));
    let mut execute = rig.order("isExecute", OPEN, CLOSED);
    execute["commandId"] = selected["commandId"].clone();
    let executed = rig.post(&token, &execute).await;
    assert_eq!(executed.status, 200, "{executed:?}");
    assert_eq!(executed.json()["result"]["commandId"], selected["commandId"]);
    rig.until(&token, selected["commandId"].as_str().expect("an id"), "DONE").await;

    assert_eq!(rig.gateway.actions(), [Action::Direct, Action::Select, Action::Execute]);
    assert!(rig.gateway.moves() == 2 && !rig.gateway.state().retained);
    let audited: Vec<String> = rig.server.audited(rig.server.one.client).await.into_iter().map(|(action, _)| action).collect();
    for action in ["command_direct", "command_select", "command_execute", "command_state"] {
        assert!(audited.iter().any(|entered| entered == action), "{action} in {audited:?}");
    }
    let list = rig.server.get_as(&token, &format!("/api/digiops/commands/{}", rig.server.one.location.0)).await.json();
    let rows = list["result"].as_array().expect("rows");
    assert_eq!(rows.iter().map(|row| &row["state"]).collect::<Vec<_>>(), [&json!("DONE"), &json!("DONE")]);
    assert!(
        list["offset"].as_i64() >= rows[0]["offset"].as_i64() && rows[0]["offset"].as_i64() > rows[1]["offset"].as_i64(),
        "newest first"
    );
    assert_eq!(rig.count("command_event").await, list["offset"].as_i64().expect("a place"), "no offset without a row");
}

#[tokio::test]
async fn a_selection_is_given_up_by_its_holder_alone() {
    let rig = Rig::start().await;
    let (mine, other) = (rig.operator("holder", 2).await, rig.operator("other", 2).await);
    assert_eq!(rig.state(&mine, "isSelect", CLOSED, OPEN).await, "SELECTED");
    assert_eq!(rig.refused(&other, "isCancel", CLOSED, OPEN).await, (409, 27));
    assert_eq!(rig.state(&mine, "isCancel", CLOSED, OPEN).await, "CANCELLED");
    let nothing = rig.post(&mine, &rig.order("isCancel", CLOSED, OPEN)).await;
    assert_eq!((nothing.status, &nothing.json()["result"]), (200, &json!(null)), "cancel of nothing is well");
    assert_eq!(rig.gateway.actions(), [Action::Select, Action::Cancel]);
    assert_eq!(rig.state(&other, "isSelect", CLOSED, OPEN).await, "SELECTED", "it is free again");
    assert_eq!(rig.gateway.moves(), 0);
}

#[tokio::test]
async fn the_same_request_gets_the_first_answer_and_never_runs_twice() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    let order = rig.order("directOperate", CLOSED, OPEN);
    let twice = tokio::join!(rig.post_keyed(&token, "one and the same", &order), rig.post_keyed(&token, "one and the same", &order));
    let ids = [twice.0.json(), twice.1.json()].map(|body| body["result"]["commandId"].clone());
    assert_eq!((ids[0].is_string(), &ids[0]), (true, &ids[1]), "{twice:?}");
    rig.until(&token, ids[0].as_str().expect("an id"), "DONE").await;
    let again = rig.post_keyed(&token, "one and the same", &order).await;
    assert_eq!((again.status, &again.json()["result"]["state"]), (200, &json!("DONE")));
    assert_eq!(rig.gateway.moves(), 1);

    // Without a key, a double click is one request.
    let order = rig.order("directOperate", OPEN, CLOSED);
    let (one, two) = tokio::join!(
        rig.server.json_as(&token, "POST", "/api/digiops", &order),
        rig.server.json_as(&token, "POST", "/api/digiops", &order)
    );
    assert_eq!(one.json()["result"]["commandId"], two.json()["result"]["commandId"], "{one:?} {two:?}");
    rig.until(&token, one.json()["result"]["commandId"].as_str().expect("an id"), "DONE").await;
    assert_eq!(rig.gateway.moves(), 2);

    // A refusal is also repeated for the same key; another key is another request.
    let refused = rig.post_keyed(&token, "refused", &order).await;
    assert_eq!((refused.status, &refused.json()["result"]["addCause"]), (409, &json!(26)), "{refused:?}");
    let before = rig.count("command").await;
    let again = rig.post_keyed(&token, "refused", &order).await;
    let fields = |answer: &crate::server::Answer| (answer.status, answer.json()["message"].clone(), answer.json()["result"].clone());
    assert_eq!(fields(&again), fields(&refused));
    assert_eq!(rig.count("command").await, before);
    // The key covers the content: with another one nothing is sent.
    let moves = rig.gateway.moves();
    let other = rig.order("directOperate", CLOSED, OPEN);
    let mut with_reason = other.clone();
    with_reason["reason"] = json!("another");
    let changed = rig.post_keyed(&token, "one and the same", &with_reason).await;
    assert_eq!((changed.status, &changed.json()["result"]["addCause"]), (409, &json!(26)), "{changed:?}");
    let wrong_way = rig.post_keyed(&token, "one and the same", &rig.order("directOperate", OPEN, CLOSED)).await;
    assert_eq!(wrong_way.status, 409, "it is not answered with the success of the opposite operation: {wrong_way:?}");
    assert_eq!((rig.count("command").await, rig.gateway.moves()), (before, moves));
    let body = rig.order("directOperate", CLOSED, OPEN);
    for wrong in ["", &"k".repeat(129)] {
        assert_eq!(rig.post_keyed(&token, wrong, &body).await.status, 400);
    }
}

#[tokio::test]
async fn what_the_gateway_refuses_is_told_with_its_cause() {
    use grid::control::AddCause::{BlockedByInterlocking, BlockedBySwitchingHierarchy};
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    rig.gateway.behave(Manner::RefuseSelect(BlockedBySwitchingHierarchy));
    assert_eq!(rig.refused(&token, "isSelect", CLOSED, OPEN).await, (409, 2));
    rig.gateway.behave(Manner::Refuse(BlockedByInterlocking));
    let answer = rig.post(&token, &rig.order("directOperate", CLOSED, OPEN)).await;
    let result = answer.json()["result"].clone();
    assert_eq!(
        (answer.status, &result["addCause"], &result["addCauseName"]),
        (409, &json!(10), &json!("Blocked-by-interlocking")),
        "{answer:?}"
    );
    assert_eq!(result["command"]["state"], "REFUSED");
    rig.until_free(&token).await;
    assert_eq!(rig.gateway.moves(), 0);
}

#[tokio::test]
async fn orders_are_signed_for_a_gateway_that_wants_that() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    assert_eq!(rig.state(&token, "isSelect", CLOSED, OPEN).await, "SELECTED");
    assert_eq!(rig.gateway.state().orders[0].seal, None, "this one does not");
    assert_eq!(rig.state(&token, "isCancel", CLOSED, OPEN).await, "CANCELLED");
    let before = rig.status(&token).await["sourceTime"].as_i64();
    let mut bus = rig.server.bus.subscribe();
    rig.gateway.state().command_epoch = Some(77);
    rig.gateway.restart().await;
    while !matches!(bus.next().await.expect("a bus"), bus::Received::Message(message) if matches!(&*message, wire::bus::BusMessage::CommandEpoch { epoch: 77, .. }))
    {
    }
    // The birth of the device is the last message of a restart. When its position is shown, all earlier messages of the bus have been
    // received.
    rig.until_status(&token, |status| status["operable"] == true && status["sourceTime"].as_i64() > before).await;
    rig.fence(&token).await;
    assert_eq!(rig.state(&token, "isSelect", CLOSED, OPEN).await, "SELECTED");
    let order = rig.gateway.state().orders.last().cloned().expect("an order");
    let seal = order.seal.clone().expect("a signature");
    assert_eq!(seal.epoch, 77);
    let signature = ed25519_dalek::Signature::from_slice(&seal.signature).expect("64 bytes");
    let key = ::control::SigningKey::from_bytes(&[7; 32]).verifying_key();
    assert!(key.verify_strict(&order.signed("one", "one-RTU", "F1", 77), &signature).is_ok());
    assert!(key.verify_strict(&order.signed("one", "one-RTU", "F1", 78), &signature).is_err(), "for this boot alone");
}

#[tokio::test]
async fn command_belongs_to_the_session_whatever_the_body_claims() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    let mut order = rig.order("isSelect", CLOSED, OPEN);
    order["createdBy"] = 999_999_999.into();
    let answer = rig.post(&token, &order).await;
    let row = answer.json()["result"].clone();
    assert_eq!((answer.status, &row["state"], &row["operator"]), (200, &json!("SELECTED"), &json!("second Nair")), "{answer:?}");
    let entries = "audit WHERE action = 'command_select' AND after->>'claims'";
    assert_eq!(rig.count(&format!("{entries} = '999999999' AND actor_id = (SELECT id FROM member WHERE username = 'second')")).await, 1);
    assert_eq!(rig.state(&token, "isCancel", CLOSED, OPEN).await, "CANCELLED");

    // A body without an operator claims nothing.
    order["createdBy"] = json!(null);
    assert_eq!(rig.post(&token, &order).await.status, 200);
    assert_eq!(rig.count(&format!("{entries} IS NOT NULL")).await, 1);
}

#[tokio::test]
async fn status_has_the_time_of_the_last_change() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    rig.gateway.report(pos(OPEN)).await;
    let opened =
        rig.until_status(&token, |status| status["currentDIText"] == "OPEN" && status["changedTime"] == status["sourceTime"]).await;
    // The device reports the same position again.
    rig.gateway.report(pos(OPEN)).await;
    let again = rig.until_status(&token, |status| status["sourceTime"].as_i64() > opened["sourceTime"].as_i64()).await;
    assert_eq!((&again["currentDIText"], &again["changedTime"]), (&json!("OPEN"), &opened["changedTime"]), "{again}");
    rig.gateway.report(pos(CLOSED)).await;
    rig.until_status(&token, |status| status["currentDIText"] == "CLOSED" && status["changedTime"] == status["sourceTime"]).await;
}
