//! Values that users enter by hand: which are refused, when they yield to telemetry, and what they mean for commands.

use std::time::Duration;

use serde_json::{Value, json};

use super::gateway::{Manner, now_ms, pos};
use super::network::{activate, equipment, measured, opened, refusal, store_version, switch, switch_in, whole};
use super::rig::{CLOSED, OPEN, Rig};
use crate::server::Answer;

const PATH: &str = "/api/network/entries";

async fn enter(rig: &Rig, token: &str, mut entry: Value) -> Answer {
    if entry["reason"].is_null() {
        entry["reason"] = "seen by the crew".into();
    }
    rig.server.json_as(token, "POST", PATH, &entry).await
}

/// Waits until the api has the active network.
async fn is_active(rig: &Rig, token: &str) {
    let waiting = async {
        while rig.server.get_as(token, &format!("{PATH}/options?equipment=D1/L")).await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("active in time");
}

async fn withdraw(rig: &Rig, token: &str, entry: &Value) {
    let path = format!("{PATH}/{}/withdraw", entry["id"]);
    let withdrawn = rig.server.json_as(token, "POST", &path, &json!({ "reason": "done" })).await;
    assert_eq!(withdrawn.status, 200, "{withdrawn:?}");
}

#[tokio::test]
async fn switch_whose_point_is_said_to_be_wrong_is_not_operated() {
    let rig = Rig::start().await;
    activate(&rig, "Breaker", vec![equipment("D2/ES", "GroundDisconnector", &["spare"])], vec![]).await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    let breaker = |rule: &str| json!({ "equipment": "D1/F1CB", "position": "closed", "rule": rule });
    let refused = enter(&rig, &token, breaker("untilReported")).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    let entry = enter(&rig, &token, breaker("untilWithdrawn")).await;
    assert_eq!(entry.status, 200, "{entry:?}");
    let entry = entry.json()["result"].clone();
    assert_eq!((&entry["position"], &entry["reportedPosition"], &entry["counts"]), (&json!("closed"), &json!("open"), &json!(true)));
    let listed = rig.server.get_as(&token, PATH).await.json()["result"].clone();
    assert_eq!((&listed[0]["reportedPosition"], &listed[0]["counts"]), (&json!("open"), &json!(true)), "{listed}");
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    assert!(cause == 10 && message.contains("Withdraw the entry"), "{cause}: {message}");
    withdraw(&rig, &token, &entry).await;
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
}

#[tokio::test]
async fn phases_are_entered_for_a_fuse_only() {
    let rig = Rig::start().await;
    activate(&rig, "Breaker", vec![equipment("D2/FUSE", "Fuse", &["end", "spare"])], vec![]).await;
    let token = rig.operator("operating", 2).await;
    is_active(&rig, &token).await;
    let options = async |id: &str| rig.server.get_as(&token, &format!("{PATH}/options?equipment={id}")).await.json()["result"].clone();
    assert_eq!(options("D2/FUSE").await["position"]["phases"], json!(["A", "B", "C"]));
    assert_eq!(options("D1/F1CB").await["position"]["phases"], json!([]));
    assert_eq!(options("D1/G").await["position"]["phases"], json!([]), "whether the source is present");
    let line = options("D1/L").await;
    assert_eq!((&line["position"], &line["measurements"][0]["unit"]), (&json!(null), &json!("kV")), "{line}");
    for (equipment, phases, status, text) in [
        ("D1/F1CB", "B", 400, "all phases of this switch move together"),
        ("D2/FUSE", "X", 400, "phases must be some of ABC"),
        ("D2/FUSE", "B", 200, ""),
    ] {
        let answer = enter(&rig, &token, json!({ "equipment": equipment, "position": "open", "phases": phases })).await;
        assert_eq!(answer.status, status, "{equipment} {phases}: {answer:?}");
        assert!(answer.json()["message"].as_str().is_none_or(|message| message.contains(text)), "{answer:?}");
    }
    // Another entry for the other phases leaves it, and one for all phases replaces both.
    let phases = async || -> Vec<Value> {
        let listed = rig.server.get_as(&token, PATH).await.json()["result"].clone();
        listed.as_array().expect("a list").iter().map(|row| row["phases"].clone()).collect()
    };
    assert_eq!(enter(&rig, &token, json!({ "equipment": "D2/FUSE", "position": "closed", "phases": "AC" })).await.status, 200);
    assert_eq!(phases().await, ["B", "AC"]);
    assert_eq!(enter(&rig, &token, json!({ "equipment": "D2/FUSE", "position": "closed" })).await.status, 200);
    assert_eq!(phases().await, [""]);
}

#[tokio::test]
async fn entered_measurement_is_checked_by_unit_and_time() {
    let rig = Rig::start().await;
    activate(&rig, "Breaker", vec![], vec![]).await;
    let (token, reader) = (rig.operator("operating", 2).await, rig.person("reader", 2, None, false).await);
    is_active(&rig, &token).await;
    let voltage = |change: Value| {
        let mut entry = json!({ "equipment": "D1/L", "quantity": "Vry", "value": 10.8 });
        entry.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
        entry
    };
    for (token, change, status, text) in [
        (&token, json!({ "value": 10_800.0 }), 400, "from 0 to 20.9 kV: the nominal voltage is 11 kV"),
        (&token, json!({ "value": null }), 400, "value must be from"),
        (&token, json!({ "unit": "V" }), 400, "unit must be kV"),
        (&token, json!({ "quantity": "EImp" }), 400, "quantity must be one of"),
        (&token, json!({ "position": "open" }), 400, "position and phases are for switches"),
        (&token, json!({ "pointId": 1 }), 400, "give one of equipment and pointId"),
        (&token, json!({ "observed": "2999-01-01T00:00:00Z" }), 400, "must not be in the future"),
        (&token, json!({ "observed": "2020-01-01T00:00:00Z" }), 400, "at most 7 days ago"),
        (&token, json!({ "observed": "yesterday" }), 400, "observed must be a time"),
        (&token, json!({ "rule": "always" }), 400, "rule must be"),
        (&token, json!({ "reason": " " }), 400, "reason must have"),
        (&token, json!({ "equipment": "D9/X" }), 404, ""),
        (&reader, json!({}), 403, "permission to operate"),
    ] {
        let answer = enter(&rig, token, voltage(change.clone())).await;
        assert_eq!(answer.status, status, "{change}: {answer:?}");
        assert!(answer.json()["message"].as_str().is_some_and(|message| message.contains(text)), "{answer:?}");
    }
    assert_eq!(rig.count("manual_entry").await, 0, "what is refused changes nothing");
    let entry = enter(&rig, &token, voltage(json!({ "unit": "kV" }))).await;
    assert_eq!(entry.status, 200, "{entry:?}");
    let entry = entry.json()["result"].clone();
    assert_eq!((&entry["value"], &entry["unit"], &entry["position"]), (&json!(10.8), &json!("kV"), &json!(null)), "{entry}");
    assert_eq!(rig.server.get_as(&token, PATH).await.json()["result"], json!([entry]));
    withdraw(&rig, &token, &entry).await;
    assert_eq!(rig.count("audit WHERE action LIKE 'manual_entry_%'").await, 2);
}

#[tokio::test]
async fn entered_value_of_a_point_is_shown_as_substituted_until_a_newer_report() {
    let rig = Rig::start().await;
    let token = rig.operator("operating", 2).await;
    let (point, location) = (rig.server.one.current.0, rig.server.one.location.0);
    rig.sql(&format!("DELETE FROM latest WHERE point_id = {point}")).await;
    let entry = enter(&rig, &token, json!({ "pointId": point, "value": 410.0, "unit": "A" })).await;
    assert_eq!(entry.status, 200, "{entry:?}");
    let counts = async || rig.server.get_as(&token, &format!("{PATH}?location={location}")).await.json()["result"][0]["counts"].clone();
    assert_eq!(counts().await, json!(true));
    rig.sql(&format!(
        "INSERT INTO latest (client_id, point_id, source_ts, recv_ts, epoch, seq, value, quality)
         SELECT client_id, id, now(), now(), 1, 1, 80, 0 FROM point WHERE id = {point}"
    ))
    .await;
    assert_eq!(counts().await, json!(false));
    let again = enter(&rig, &token, json!({ "pointId": point, "value": 415.0 })).await;
    assert_eq!(again.status, 422, "the point reports: {again:?}");
    let wrong = enter(&rig, &token, json!({ "pointId": point, "value": 415.0, "rule": "untilWithdrawn" })).await;
    assert_eq!((wrong.status, &wrong.json()["result"]["reportedValue"]), (200, &json!(80.0)), "{wrong:?}");
    assert_eq!(rig.count("sample WHERE value IN (410, 415)").await, 0, "an entered value is no telemetry");
}

#[tokio::test]
async fn user_enters_at_most_120_values_a_minute() {
    let rig = Rig::start().await;
    let (token, other) = (rig.operator("operating", 2).await, rig.operator("another", 2).await);
    let point = rig.server.one.current.0;
    let entry = json!({ "pointId": point, "value": -1.0 });
    for _ in 0..120 {
        assert_eq!(enter(&rig, &token, entry.clone()).await.status, 400);
    }
    let refused = enter(&rig, &token, entry.clone()).await;
    assert_eq!(refused.status, 429, "{refused:?}");
    assert!(refused.json()["message"].as_str().is_some_and(|message| message.contains("Wait a moment")), "{refused:?}");
    assert_eq!(enter(&rig, &other, entry).await.status, 400, "another user");
}

#[tokio::test]
async fn entry_from_before_a_command_without_known_outcome_is_refused_and_does_not_count() {
    let rig = Rig::start_with(json!({ "feedbackSeconds": 2 })).await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    activate(&rig, "Breaker", vec![], vec![]).await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    let cut = json!({ "kind": "cut", "at": [{ "equipment": "D2/B", "terminal": 2 }], "reason": "work on the line" });
    let until_placed = async {
        while rig.server.json_as(&token, "POST", "/api/network/temporary", &cut).await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), until_placed).await.expect("the line is dead in time");
    // The crew has seen it open, and then it may have closed.
    let observed = wire::time::iso(grid::Micros::from_millis(i64::try_from(now_ms()).expect("a time")));
    rig.gateway.behave(Manner::Silent);
    let ended = rig.post(&token, &rig.order("directOperate", OPEN, CLOSED)).await;
    assert_eq!((ended.status, &ended.json()["result"]["command"]["state"]), (409, &json!("NO_FEEDBACK")), "{ended:?}");
    let point = rig.server.one.position.0;
    for subject in [json!({ "equipment": "D1/F1CB" }), json!({ "pointId": point })] {
        let mut entry = json!({ "position": "open", "rule": "untilWithdrawn", "observed": observed });
        entry.as_object_mut().expect("an object").extend(subject.as_object().expect("an object").clone());
        let refused = enter(&rig, &token, entry).await;
        assert!(
            refused.status == 422 && refused.body.contains("ended at") && refused.body.contains("Look at the switch again"),
            "{refused:?}"
        );
    }
    assert_eq!(rig.count("manual_entry").await, 0);
    let earth = json!({ "kind": "portableEarth", "at": [{ "equipment": "D1/L", "terminal": 1 }], "reason": "work on the line" });
    let is_refused = async |why: &str| {
        let refused = rig.server.json_as(&token, "POST", "/api/network/temporary", &earth).await;
        assert!(refused.status == 422 && refused.body.contains("may be fed by"), "{why}: {refused:?}");
    };
    // One that is stored all the same does not count, and it does not bring back the report that it doubts.
    for subject in ["NULL, NULL, id", "'D1/F1CB', 1, NULL"] {
        rig.sql(&format!(
            "INSERT INTO manual_entry (client_id, equipment, version, point_id, quantity, value, reason, entered_by, entered, observed, rule)
             SELECT client_id, {subject}, 'Pos', 1, 'seen', 'Ben Roy', now(), '{observed}', 'untilWithdrawn' FROM point WHERE id = {point}"
        ))
        .await;
        is_refused(subject).await;
        rig.sql(&format!("UPDATE latest SET source_ts = now() + INTERVAL '1 second', seq = seq + 1 WHERE point_id = {point}")).await;
        is_refused(subject).await;
        rig.sql("DELETE FROM manual_entry").await;
    }
    // What is seen afterwards counts.
    let entry = enter(&rig, &token, json!({ "equipment": "D1/F1CB", "position": "open", "rule": "untilWithdrawn" })).await;
    assert_eq!(entry.status, 200, "{entry:?}");
    let placed = rig.server.json_as(&token, "POST", "/api/network/temporary", &earth).await;
    assert_eq!(placed.status, 200, "{placed:?}");
}

#[tokio::test]
async fn nothing_is_entered_for_a_switch_while_a_command_is_on_its_way_to_it() {
    let rig = Rig::start().await;
    activate(&rig, "Breaker", vec![equipment("D2/ES", "GroundDisconnector", &["spare"])], vec![]).await;
    let token = rig.operator("operating", 2).await;
    is_active(&rig, &token).await;
    rig.gateway.behave(Manner::Stuck);
    assert_eq!(rig.state(&token, "directOperate", CLOSED, OPEN).await, "ACCEPTED");
    for subject in [json!({ "equipment": "D1/F1CB" }), json!({ "pointId": rig.server.one.position.0 })] {
        let mut entry = json!({ "position": "open", "rule": "untilWithdrawn" });
        entry.as_object_mut().expect("an object").extend(subject.as_object().expect("an object").clone());
        let refused = enter(&rig, &token, entry).await;
        assert!(refused.status == 409 && refused.body.contains("A command is on its way to this switch"), "{refused:?}");
    }
    assert_eq!(rig.count("manual_entry").await, 0);
    let other = enter(&rig, &token, json!({ "equipment": "D2/ES", "position": "open" })).await;
    assert_eq!(other.status, 200, "another switch: {other:?}");
}

/// Stores an entry as one that was made while the link was lost and before a report without a change.
async fn entered_without_link(rig: &Rig, subject: &str, value: i32) {
    rig.sql(&format!(
        "INSERT INTO manual_entry (client_id, equipment, version, point_id, quantity, value, reason, entered_by, entered, observed, rule)
         SELECT client_id, {subject}, 'Pos', {value}, 'seen', 'Ben Roy', now(), now(), 'untilReported' FROM point WHERE id = {}",
        rig.server.one.position.0
    ))
    .await;
}

#[tokio::test]
async fn switch_is_not_operated_while_an_entry_for_it_counts() {
    for subject in ["NULL, NULL, id", "'D1/F1CB', 1, NULL"] {
        let rig = Rig::start().await;
        switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
        switch(&rig, rig.server.one.other_location, "ES", "earthSwitch", CLOSED).await;
        activate(&rig, "Breaker", vec![equipment("D2/ES", "GroundDisconnector", &["far"])], vec![measured("D2/ES", "ES/ES/Pos")]).await;
        let token = rig.operator("operating", 2).await;
        opened(&rig, &token).await;
        // The report says open, is good, and is older than the entry. By the entry the switch would be onto the earth already.
        entered_without_link(&rig, subject, CLOSED).await;
        let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
        let is_named = message.contains("Ben Roy has entered it as closed") && message.contains("Withdraw the entry, or wait for a report");
        assert!(cause == 10 && is_named, "{cause}: {message}");
        rig.gateway.report(pos(OPEN)).await;
        let is_believed = |rule: &Value| rule["rule"] != "position-believed" || rule["fulfilled"] == true;
        rig.until_status(&token, |status| status["interlocks"].as_array().is_some_and(|rules| rules.iter().all(is_believed))).await;
        let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
        assert!(cause == 10 && message.contains("at D2 location earths it"), "{cause}: {message}");
    }
}

#[tokio::test]
async fn switch_in_no_network_is_not_operated_while_an_entry_for_it_counts() {
    let rig = Rig::start().await;
    let token = rig.operator("operating", 2).await;
    entered_without_link(&rig, "NULL, NULL, id", OPEN).await;
    let (cause, message) = refusal(&rig, &token, CLOSED, OPEN).await;
    assert!(cause == 10 && message.contains("Withdraw the entry, or wait for a report"), "{cause}: {message}");
    rig.gateway.report(pos(CLOSED)).await;
    rig.until_status(&token, |status| status["operable"] == true).await;
    rig.state(&token, "directOperate", CLOSED, OPEN).await;
}

async fn point_of(rig: &Rig, metric: &str) -> i64 {
    let row = rig.server.database.client().await.query_one("SELECT id FROM point WHERE metric = $1", &[&metric]).await;
    row.expect("a point").get(0)
}

#[tokio::test]
async fn entered_position_counts_in_the_rules_of_the_bay() {
    let rig = Rig::start().await;
    switch_in("F1", &rig, rig.server.one.location, "F1ES", "earthSwitch", OPEN).await;
    let token = rig.operator("operating", 2).await;
    let earth = point_of(&rig, "F1ES/Pos").await;
    let ordered = rig.post(&token, &rig.order("directOperate", CLOSED, OPEN)).await;
    rig.until(&token, ordered.json()["result"]["commandId"].as_str().expect("an id"), "DONE").await;
    let is_permitted = |rule: &Value| rule["rule"] == "breaker-not-onto-earth" && rule["fulfilled"] == true;
    rig.until_status(&token, |status| status["interlocks"].as_array().is_some_and(|rules| rules.iter().any(is_permitted))).await;
    // The point reports open, and is said to be wrong.
    for (position, text) in [("closed", "F1ES is closed"), ("open", "the position of F1ES is not known for certain")] {
        let entry = enter(&rig, &token, json!({ "pointId": earth, "position": position, "rule": "untilWithdrawn" })).await;
        assert_eq!(entry.status, 200, "{entry:?}");
        let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
        assert!(cause == 10 && message.contains(text), "{cause}: {message}");
        withdraw(&rig, &token, &entry.json()["result"]).await;
    }
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
}

#[tokio::test]
async fn entry_for_a_point_counts_in_a_network_that_binds_it_later() {
    let rig = Rig::start().await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    switch(&rig, rig.server.one.other_location, "ES", "earthSwitch", OPEN).await;
    let (token, earth) = (rig.operator("operating", 2).await, point_of(&rig, "ES/Pos").await);
    let entry = enter(&rig, &token, json!({ "pointId": earth, "position": "closed", "rule": "untilWithdrawn" })).await;
    assert_eq!((entry.status, &entry.json()["result"]["equipment"]), (200, &json!(null)), "in no network: {entry:?}");
    activate(&rig, "Breaker", vec![equipment("D2/ES", "GroundDisconnector", &["far"])], vec![measured("D2/ES", "ES/ES/Pos")]).await;
    opened(&rig, &token).await;
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    assert!(cause == 10 && message.contains("earths it. Open it first"), "{cause}: {message}");
    let listed = async || rig.server.get_as(&token, PATH).await.json()["result"].clone();
    assert_eq!((&listed().await[0]["pointId"], &listed().await[0]["counts"]), (&json!(earth), &json!(true)));
    // An entry for the equipment, or for its point, replaces it.
    for subject in [json!({ "equipment": "D2/ES" }), json!({ "pointId": earth })] {
        let mut entry = json!({ "position": "open", "rule": "untilWithdrawn" });
        entry.as_object_mut().expect("an object").extend(subject.as_object().expect("an object").clone());
        let entry = enter(&rig, &token, entry).await;
        assert_eq!((entry.status, listed().await), (200, json!([entry.json()["result"]])), "it is the only one: {entry:?}");
    }
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
}

#[tokio::test]
async fn entry_for_equipment_that_the_version_lacks_is_listed_and_does_not_return() {
    let rig = Rig::start().await;
    let (token, admin) = (rig.operator("operating", 2).await, rig.server.sign_in("one-admin").await);
    let tied = || vec![equipment("D2/LBS", "LoadBreakSwitch", &["end", "spare"]), equipment("D2/FUSE", "Fuse", &["end", "spare"])];
    activate(&rig, "Breaker", tied(), vec![]).await;
    is_active(&rig, &token).await;
    for switch in ["D2/LBS", "D2/FUSE"] {
        let entry = enter(&rig, &token, json!({ "equipment": switch, "position": "open" })).await;
        assert_eq!((entry.status, &entry.json()["result"]["problem"]), (200, &json!(null)), "{entry:?}");
    }
    let is_abnormal = async || rig.server.get_as(&token, "/api/network/abnormal").await.json()["result"].to_string().contains("D2/LBS");
    assert!(is_abnormal().await, "it is closed in the normal state");
    // The entries in the order of the list, once another version is in memory.
    let listed = async |version: i32, text: &str| -> Vec<Value> {
        let activated = rig.server.json_as(&admin, "POST", &format!("/api/network/version/{version}/activate"), &json!({})).await;
        assert_eq!(activated.status, 200, "{activated:?}");
        let has_text = |row: &Value| row["problem"].as_str().is_some_and(|problem| problem.contains(text));
        let read = async {
            loop {
                let rows = rig.server.get_as(&token, PATH).await.json()["result"].as_array().expect("a list").clone();
                if rows.iter().all(has_text) {
                    return rows;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), read).await.expect("read in time")
    };
    store_version(&rig, &admin, 1, whole("D1/F1CB", "Breaker", vec![], vec![])).await;
    let lacking = listed(2, "has no such equipment").await;
    assert_eq!((lacking.len(), &lacking[1]["name"], &lacking[1]["counts"]), (2, &json!("D2/LBS"), &json!(false)), "{lacking:?}");
    withdraw(&rig, &token, &lacking[0]).await;
    store_version(&rig, &admin, 2, whole("D1/F1CB", "Breaker", tied(), vec![])).await;
    let again = listed(3, "was active since the entry").await;
    assert_eq!((again.len(), &again[0]["name"], &again[0]["counts"]), (1, &json!("D2/LBS"), &json!(false)), "{again:?}");
    assert!(!is_abnormal().await, "the entry does not count in the network");
    let entry = enter(&rig, &token, json!({ "equipment": "D2/LBS", "position": "open" })).await;
    assert_eq!((entry.status, &entry.json()["result"]["counts"]), (200, &json!(true)), "{entry:?}");
    assert_eq!(rig.server.get_as(&token, PATH).await.json()["result"], json!([entry.json()["result"]]), "it replaces the old one");
}
