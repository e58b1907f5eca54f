//! Accepted is not done: the outcome when a gateway does not answer, or answers and does not operate.

use std::time::Instant;

use serde_json::json;

use super::gateway::{Manner, pos};
use super::rig::{CLOSED, OPEN, Rig};

#[tokio::test]
async fn a_silent_gateway_leaves_a_select_unanswered_and_an_order_without_feedback() {
    let rig = Rig::start_with(json!({ "feedbackSeconds": 2 })).await;
    let token = rig.operator("second", 2).await;
    rig.gateway.behave(Manner::Silent);
    let started = Instant::now();
    let answer = rig.post(&token, &rig.order("isSelect", CLOSED, OPEN)).await;
    assert!(started.elapsed().as_millis() < 5_000, "{:?}", started.elapsed());
    assert_eq!((answer.status, &answer.json()["result"]["state"]), (200, &json!("SELECTING")));
    let id = answer.json()["result"]["commandId"].as_str().expect("an id").to_owned();
    let expired = rig.until(&token, &id, "EXPIRED").await;
    assert_eq!(expired["addCause"], 3, "{expired}");
    let took = expired["changedAt"].as_i64().expect("a time") - expired["requestedAt"].as_i64().expect("a time");
    assert!((4_900..=5_500).contains(&took), "{took} ms");

    let answer = rig.post(&token, &rig.order("directOperate", CLOSED, OPEN)).await;
    let row = answer.json()["result"]["command"].clone();
    assert_eq!((answer.status, &row["state"], &row["addCause"]), (409, &json!("NO_FEEDBACK"), &json!(16)), "{answer:?}");
    let took = row["changedAt"].as_i64().expect("a time") - row["requestedAt"].as_i64().expect("a time");
    assert!((1_900..=2_500).contains(&took), "{took} ms of 2 s");
    // No user can operate again before the device has reported.
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (409, 4));
    rig.gateway.behave(Manner::Good);
    rig.gateway.report(pos(CLOSED)).await;
    rig.until_status(&token, |status| status["operable"] == true).await;
    rig.state(&token, "directOperate", CLOSED, OPEN).await;
}

#[tokio::test]
async fn only_the_wanted_position_is_success() {
    let rig = Rig::start_with(json!({ "feedbackSeconds": 2 })).await;
    let token = rig.operator("second", 2).await;
    for (manner, cause) in [(Manner::Stuck, 16), (Manner::Rebound, 4), (Manner::Ahead, 16)] {
        rig.gateway.behave(manner);
        rig.post(&token, &rig.order("directOperate", CLOSED, OPEN)).await;
        let id = rig.newest(&token).await["commandId"].as_str().expect("an id").to_owned();
        let row = rig.until(&token, &id, "NO_FEEDBACK").await;
        assert_eq!(row["addCause"], cause, "{manner:?}: {row}");
        // A rebirth is requested; the position that it reports decides.
        rig.until_status(&token, |status| status["operable"] == true).await;
    }
    assert_eq!(rig.gateway.moves(), 0);
}

#[tokio::test]
async fn a_gateway_is_asked_how_it_stands_and_that_ends_the_doubt_and_nothing_else() {
    let rig = Rig::start_with(json!({ "feedbackSeconds": 4 })).await;
    let token = rig.operator("second", 2).await;
    rig.gateway.behave(Manner::Stuck);
    assert_eq!(rig.state(&token, "directOperate", CLOSED, OPEN).await, "ACCEPTED");
    let id = rig.newest(&token).await["commandId"].as_str().expect("an id").to_owned();
    // A birth on an open connection during a command does not decide its outcome.
    let before = rig.status(&token).await["sourceTime"].as_i64();
    rig.gateway.birth().await;
    rig.until_status(&token, |status| status["sourceTime"].as_i64() > before).await;
    assert_eq!(rig.newest(&token).await["state"], "ACCEPTED");
    let row = rig.until(&token, &id, "NO_FEEDBACK").await;
    // The gateway reports nothing without the request.
    let status = rig.until_status(&token, |status| status["operable"] == true).await;
    assert!(status["sourceTime"].as_i64() > row["changedAt"].as_i64(), "{status}");
    assert_eq!(rig.gateway.actions().len(), 1, "{:?}", rig.gateway.actions());
}

#[tokio::test]
async fn between_the_end_of_a_commands_time_and_its_entry_nothing_else_is_ordered() {
    let rig = Rig::start_with(json!({ "feedbackSeconds": 60 })).await;
    let token = rig.operator("second", 2).await;
    rig.gateway.behave(Manner::Stuck);
    assert_eq!(rig.state(&token, "directOperate", CLOSED, OPEN).await, "ACCEPTED");
    let id = rig.newest(&token).await["commandId"].as_str().expect("an id").to_owned();
    // The deadline has passed and is not processed yet. The answer is the same whether the next check or this request processes it.
    rig.gateway.behave(Manner::Silent);
    rig.sql("UPDATE command SET due = clock_timestamp() - INTERVAL '1 second'").await;
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await, (409, 4));
    rig.until(&token, &id, "NO_FEEDBACK").await;
    assert_eq!(rig.gateway.moves(), 0);
}

#[tokio::test]
async fn gateway_death_makes_outcome_unknown() {
    let rig = Rig::start_with(json!({ "feedbackSeconds": 30 })).await;
    let token = rig.operator("second", 2).await;
    rig.gateway.behave(Manner::Die);
    rig.post(&token, &rig.order("directOperate", CLOSED, OPEN)).await;
    let id = rig.newest(&token).await["commandId"].as_str().expect("an id").to_owned();
    let row = rig.until(&token, &id, "UNKNOWN").await;
    assert_eq!(row["addCause"], 23, "{row}");
    assert_eq!(rig.gateway.actions().len(), 1, "nothing is sent again");
}

#[tokio::test]
async fn a_gateway_that_was_born_again_meanwhile_does_too_and_a_selection_is_gone() {
    let rig = Rig::start_with(json!({ "feedbackSeconds": 30 })).await;
    let token = rig.operator("second", 2).await;
    assert_eq!(rig.state(&token, "isSelect", CLOSED, OPEN).await, "SELECTED");
    let id = rig.newest(&token).await["commandId"].as_str().expect("an id").to_owned();
    // A birth on an open connection, as after a request, is not a loss of the link.
    rig.gateway.birth().await;
    rig.until_status(&token, |status| status["operable"] == true).await;
    assert_eq!(rig.newest(&token).await["state"], "SELECTED");
    rig.gateway.restart().await;
    rig.until(&token, &id, "CANCELLED").await;
    assert_eq!(rig.refused(&token, "isExecute", CLOSED, OPEN).await, (409, 18));
    rig.gateway.behave(Manner::Stuck);
    assert_eq!(rig.state(&token, "directOperate", CLOSED, OPEN).await, "ACCEPTED");
    let id = rig.newest(&token).await["commandId"].as_str().expect("an id").to_owned();
    rig.gateway.restart().await;
    rig.until(&token, &id, "UNKNOWN").await;
    assert_eq!(rig.gateway.moves(), 0);
}

#[tokio::test]
async fn answers_of_another_gateway_count_for_nothing() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    let stranger = super::gateway::Gateway::start(&rig.broker.url(), "one", "stranger", CLOSED).await;
    rig.gateway.behave(Manner::Silent);
    let select = rig.order("isSelect", CLOSED, OPEN);
    let (answer, ()) = tokio::join!(rig.post(&token, &select), async {
        let order = loop {
            if let Some(order) = rig.gateway.state().orders.first().cloned() {
                break order;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        };
        stranger.say(&order, grid::control::GatewayAnswer::Selected, None).await;
    });
    assert_eq!(answer.json()["result"]["state"], "SELECTING", "{answer:?}");
}

#[tokio::test]
async fn a_position_of_an_earlier_life_of_the_gateway_is_none_to_operate_from() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    rig.gateway.come_back().await;
    rig.until_status(&token, |status| status["operable"] == false).await;
    assert_eq!(rig.refused(&token, "directOperate", CLOSED, OPEN).await.0, 409);
    assert_eq!(rig.gateway.moves(), 0);
    rig.gateway.device_birth().await;
    rig.until_status(&token, |status| status["operable"] == true).await;
    assert_eq!(rig.state(&token, "directOperate", CLOSED, OPEN).await, "ACCEPTED");
}
