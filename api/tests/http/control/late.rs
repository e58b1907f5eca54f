//! A slow or unreachable database around the COMMIT of a command: no command is published late, and no answer claims that nothing was done.

use std::time::{Duration, Instant};

use serde_json::json;
use store::Store;

use super::gateway::{Manner, now_ms, pos};
use super::rig::{CLOSED, OPEN, Rig};

/// Runs a statement in the COMMIT of a command to operate.
async fn at_commit(rig: &Rig, statement: &str) {
    rig.sql(&format!(
        "CREATE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {statement}; RETURN NULL; END $$;
         CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON command_event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
         WHEN (NEW.state = 'SENT') EXECUTE FUNCTION at_commit()"
    ))
    .await;
}

#[tokio::test]
async fn command_delayed_by_stalled_commit_is_never_published() {
    let rig = Rig::start_with(json!({ "feedbackSeconds": 60 })).await;
    let token = rig.operator("second", 2).await;
    at_commit(&rig, "PERFORM pg_sleep(2.5)").await;
    let answer = rig.post(&token, &rig.order("directOperate", CLOSED, OPEN)).await;
    let row = answer.json()["result"]["command"].clone();
    assert_eq!((answer.status, &row["state"], &row["addCause"]), (409, &json!("UNKNOWN"), &json!(23)), "{answer:?}");
    assert_eq!(row["message"], "The order could not leave in time and was not sent.");
    assert!(rig.gateway.actions().iter().all(|action| *action != grid::control::Action::Direct), "{:?}", rig.gateway.actions());
    let subject = format!("command {}", row["commandId"].as_str().expect("an id"));
    assert_eq!(rig.count(&format!("audit WHERE action = 'command_state' AND subject = '{subject}'")).await, 1);

    // A breaker that opens now was therefore opened by its protection or by another user.
    let store = Store::connect(rig.server.database.url(), 1).await.expect("connected");
    rig.gateway.report(pos(OPEN)).await;
    let flash = loop {
        let flashes = store.flashes(Some(&[rig.server.one.location])).await.expect("flashes");
        if let Some(flash) = flashes.iter().find(|flash| flash.point == rig.server.one.position) {
            break *flash;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!(flash.kind, grid::flash::FlashKind::Trip);

    // The same for the second of two steps.
    rig.sql("DROP TRIGGER at_commit ON command_event; DROP FUNCTION at_commit()").await;
    rig.gateway.report(pos(CLOSED)).await;
    rig.until_status(&token, |status| status["operable"] == true).await;
    assert_eq!(rig.state(&token, "isSelect", CLOSED, OPEN).await, "SELECTED");
    at_commit(&rig, "PERFORM pg_sleep(2.5)").await;
    assert_eq!(rig.refused(&token, "isExecute", CLOSED, OPEN).await, (409, 23));
    assert_eq!(rig.gateway.moves(), 0);
}

#[tokio::test]
async fn timeout_of_command_returns_504_outcome_unknown() {
    let rig = Rig::start_with(json!({ "feedbackSeconds": 60 })).await;
    let token = rig.operator("second", 2).await;
    at_commit(&rig, "PERFORM pg_sleep(5)").await;
    let started = Instant::now();
    let answer = rig.post(&token, &rig.order("directOperate", CLOSED, OPEN)).await;
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let sentence = "The order may have left. Its outcome is unknown: look at the field before you try again.";
    assert_eq!((answer.status, &answer.json()["message"]), (504, &json!(sentence)), "{answer:?}");
    let first = rig.server.sign_in("first").await;
    rig.until_status(&first, |_| true).await;
    let id = loop {
        let newest = rig.newest(&token).await;
        if let Some(id) = newest["commandId"].as_str() {
            break id.to_owned();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    rig.until(&token, &id, "UNKNOWN").await;
    assert_eq!(rig.gateway.moves(), 0);
}

#[tokio::test]
async fn an_order_that_has_left_is_told_though_the_database_answers_no_more() {
    let rig = Rig::start_with(json!({ "feedbackSeconds": 60 })).await;
    let token = rig.operator("second", 2).await;
    rig.gateway.behave(Manner::Silent);
    at_commit(&rig, "REVOKE SELECT ON command FROM switchyard_tenant").await;
    let order = rig.order("directOperate", CLOSED, OPEN);
    for _ in 0..2 {
        let answer = rig.post_keyed(&token, "one and the same", &order).await;
        assert_eq!((answer.status, &answer.json()["result"]["state"]), (200, &json!("SENT")), "{answer:?}");
    }
    assert_eq!(rig.gateway.actions(), [grid::control::Action::Direct], "once");
}

#[tokio::test]
async fn what_was_decided_just_now_is_nobodys_to_end_though_its_api_is_gone() {
    let rig = Rig::start_with(json!({ "feedbackSeconds": 60 })).await;
    let token = rig.operator("second", 2).await;
    rig.gateway.behave(Manner::Stuck);
    assert_eq!(rig.state(&token, "directOperate", CLOSED, OPEN).await, "ACCEPTED");
    let id = rig.newest(&token).await["commandId"].as_str().expect("an id").to_owned();
    let since = i64::try_from(now_ms()).expect("a time");
    rig.sql("UPDATE command SET owner = 'gone', changed_at = clock_timestamp()").await;
    let row = rig.until(&token, &id, "UNKNOWN").await;
    let after = row["changedAt"].as_i64().expect("a time") - since;
    assert!((2_990..6_000).contains(&after), "{after} ms");
}
