//! Jumpers, cuts and portable earths: interlocks follow them at once, and those that would be dangerous are refused.

use std::time::Duration;

use grid::AssetId;
use serde_json::{Value, json};

use super::gateway::Manner;
use super::network::{activate, equipment, measured, moved, opened, refusal, store_version, switch, whole};
use super::rig::{CLOSED, OPEN, Rig};
use crate::server::Answer;

const PATH: &str = "/api/network/temporary";
/// Time limit of each wait in a test.
const PATIENCE: Duration = Duration::from_secs(20);

/// A network with an earth switch at D2 that a point reports as open.
async fn started() -> Rig {
    let rig = Rig::start().await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    switch(&rig, rig.server.one.other_location, "ES", "earthSwitch", OPEN).await;
    let more = vec![equipment("D2/ES", "GroundDisconnector", &["far"]), equipment("D2/X", "BusbarSection", &["spare"])];
    activate(&rig, "Breaker", more, vec![measured("D2/ES", "ES/ES/Pos")]).await;
    rig
}

/// Waits until the api shows the first terminal of equipment in a state: the report of the breaker is stored after the command has ended.
async fn until_state(rig: &Rig, token: &str, equipment: &str, state: &str) {
    let is_reached = async {
        loop {
            let found = rig.server.get_as(token, &format!("{PATH}/terminals?equipment={equipment}")).await.json()["result"].clone();
            if found["terminals"][0]["state"] == json!(state) {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, is_reached).await.expect("the state in time");
}

/// Opens the breaker, and waits until the section behind it is dead.
async fn isolated(rig: &Rig, token: &str) {
    opened(rig, token).await;
    until_state(rig, token, "D2/C", "dead").await;
}

async fn place(rig: &Rig, token: &str, kind: &str, at: &[(&str, u8)], seen_dead: bool) -> Answer {
    let at: Vec<Value> = at.iter().map(|(equipment, terminal)| json!({ "equipment": equipment, "terminal": terminal })).collect();
    let change = json!({ "kind": kind, "at": at, "reason": "work on the line", "seenDead": seen_dead });
    rig.server.json_as(token, "POST", PATH, &change).await
}

async fn remove(rig: &Rig, token: &str, change: &Value) -> Answer {
    let path = format!("{PATH}/{}/remove", change["id"]);
    rig.server.json_as(token, "POST", &path, &json!({ "reason": "work is done" })).await
}

#[tokio::test]
async fn breaker_does_not_close_onto_a_portable_earth_until_it_is_removed() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    let placed = place(&rig, &token, "portableEarth", &[("D2/C", 1)], false).await;
    assert_eq!(placed.status, 200, "{placed:?}");
    let earth = placed.json()["result"].clone();
    assert_eq!((&earth["counts"], &earth["by"], &earth["phases"]), (&json!(true), &json!("operating Nair"), &json!("ABC")), "{earth}");
    let at: Vec<&Value> = earth["at"].as_array().expect("a list").iter().map(|place| &place["equipment"]["id"]).collect();
    assert_eq!(at, [&json!("D2/B"), &json!("D2/C")], "{earth}");
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    let expected = format!("portable earth {} at D2/C, D2 location, placed by operating Nair, earths it. Remove it first", earth["id"]);
    assert!(cause == 10 && message.contains(&expected), "{cause}: {message}");
    let listed = rig.server.get_as(&token, PATH).await.json()["result"].clone();
    assert_eq!(listed, json!([earth]));
    let removed = remove(&rig, &token, &earth).await;
    assert_eq!((removed.status, &removed.json()["result"]["removal"]["reason"]), (200, &json!("work is done")), "{removed:?}");
    assert_eq!(remove(&rig, &token, &earth).await.status, 404, "it is removed already");
    assert_eq!(rig.server.get_as(&token, PATH).await.json()["result"], json!([]));
    let past = rig.server.get_as(&token, &format!("{PATH}?removed=true")).await.json()["result"].clone();
    assert_eq!((past.as_array().map(Vec::len), &past[0]["id"], &past[0]["counts"]), (Some(1), &earth["id"], &json!(false)), "{past}");
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
    assert_eq!(rig.count("audit WHERE action LIKE 'temporary_change_%'").await, 2);
}

#[tokio::test]
async fn terminals_say_what_is_beside_them_and_in_which_state() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    let narrow = rig.operator("narrow", 4).await;
    let of = |equipment: &str| format!("{PATH}/terminals?equipment={equipment}");
    let found = rig.server.get_as(&token, &of("D2/B")).await.json()["result"].clone();
    let terminals: Vec<(&Value, Vec<&Value>)> = found["terminals"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|terminal| {
            (&terminal["state"], terminal["beside"].as_array().expect("a list").iter().map(|of| &of["equipment"]["id"]).collect())
        })
        .collect();
    let (lines, consumer) = (vec![json!("D1/L"), json!("D2/ES")], vec![json!("D2/C")]);
    assert_eq!(terminals, [(&json!("dead"), lines.iter().collect()), (&json!("dead"), consumer.iter().collect())], "{found}");
    assert_eq!(rig.server.get_as(&narrow, &of("D2/B")).await.status, 404);
    assert_eq!(rig.server.get_as(&token, &format!("{PATH}/terminals")).await.status, 400);
}

#[tokio::test]
async fn earth_that_another_process_has_placed_refuses_the_command_that_is_decided_without_it() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    // The api has not read it yet: the transaction of the command has.
    rig.sql(&format!(
        r#"INSERT INTO temporary_change (client_id, what, terminals, place, reason, seen_dead, version, placed_by, placed)
           VALUES ({}, '{{"kind": "portableEarth", "node": "end", "phases": "ABC"}}',
           '[{{"equipment": "D2/C", "terminal": 1, "node": "end"}}]', 'the pole', 'work', true, 1, 'Ben Roy', now())"#,
        rig.server.one.client.0
    ))
    .await;
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    assert!(
        cause == 10 && (message.contains("is being loaded") || message.contains("at the pole, placed by Ben Roy, earths it")),
        "{cause}: {message}"
    );
}

#[tokio::test]
async fn dangerous_or_unfit_changes_are_refused_with_their_reason() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    let (narrow, reader) = (rig.operator("narrow", 4).await, rig.person("reader", 2, None, false).await);
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
    until_state(&rig, &token, "D2/C", "energised").await;
    let live = [
        (&token, "portableEarth", vec![("D2/C", 1)], 422, "is fed by"),
        (&token, "cut", vec![("D2/B", 1)], 422, "carries current: 120 customers"),
        (&token, "cut", vec![("D1/F1CB", 1)], 400, "only a line or a cable can be cut"),
        (&token, "cut", vec![("D2/B", 3)], 400, "terminal must be 1 to 2"),
        (&token, "jumper", vec![("D2/B", 1)], 400, "two terminals"),
        (&token, "clamp", vec![("D2/B", 1)], 400, "kind must be"),
        (&token, "portableEarth", vec![("D9/B", 1)], 404, ""),
        (&narrow, "portableEarth", vec![("D2/C", 1)], 404, ""),
        (&reader, "portableEarth", vec![("D2/C", 1)], 403, "permission to operate"),
    ];
    for (token, kind, at, status, text) in live {
        let answer = place(&rig, token, kind, &at, true).await;
        assert_eq!(answer.status, status, "{kind} {at:?}: {answer:?}");
        assert!(answer.json()["message"].as_str().is_some_and(|message| message.contains(text)), "{answer:?}");
    }
    assert_eq!(rig.count("temporary_change").await, 0);
    // What is not known permits nothing, unless the crew has proved the place dead.
    rig.sql("UPDATE latest SET quality = 5, seq = seq + 1 WHERE point_id = (SELECT id FROM point WHERE metric = 'G/Pos')").await;
    until_state(&rig, &token, "D2/C", "unknown").await;
    let doubtful = place(&rig, &token, "portableEarth", &[("D2/C", 1)], false).await;
    assert!(doubtful.status == 422 && doubtful.body.contains("may be fed"), "{doubtful:?}");
    let stated = place(&rig, &token, "portableEarth", &[("D2/C", 1)], true).await;
    assert_eq!((stated.status, &stated.json()["result"]["seenDead"]), (200, &json!(true)), "{stated:?}");
    // A jumper carries the earth to the source that is gone and can come back, whatever the crew has proved.
    rig.sql("UPDATE latest SET quality = 0 WHERE point_id = (SELECT id FROM point WHERE metric = 'G/Pos')").await;
    moved(&rig, "G", OPEN).await;
    let at_open_end = place(&rig, &token, "portableEarth", &[("D2/X", 1)], false).await;
    assert_eq!(at_open_end.status, 200, "{at_open_end:?}");
    let returning = place(&rig, &token, "jumper", &[("D1/G", 1), ("D2/X", 1)], true).await;
    assert!(returning.status == 422 && returning.body.contains("can come back"), "{returning:?}");
    assert_eq!(remove(&rig, &token, &at_open_end.json()["result"]).await.status, 200);
    // One from the earthed section to another one is no danger while both are without supply.
    let jumper = place(&rig, &token, "jumper", &[("D2/C", 1), ("D2/X", 1)], true).await;
    assert_eq!(jumper.status, 200, "{jumper:?}");
}

#[tokio::test]
async fn cut_is_removed_after_the_earth_at_its_free_end() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    let cut = place(&rig, &token, "cut", &[("D2/B", 1)], false).await;
    assert_eq!(cut.status, 200, "{cut:?}");
    let again = place(&rig, &token, "cut", &[("D2/B", 1)], false).await;
    assert!(again.status == 400 && again.body.contains("cut already"), "{again:?}");
    let earth = place(&rig, &token, "portableEarth", &[("D2/B", 1)], false).await;
    assert_eq!(earth.status, 200, "{earth:?}");
    // The cut separates the earth from the breaker.
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
    until_state(&rig, &token, "D1/L", "energised").await;
    let [cut, earth] = [cut, earth].map(|answer| answer.json()["result"].clone());
    let refused = remove(&rig, &token, &cut).await;
    assert!(refused.status == 422, "{refused:?}");
    assert_eq!(remove(&rig, &token, &earth).await.status, 200);
    assert_eq!(remove(&rig, &token, &cut).await.status, 200, "the far end is dead and not earthed");
}

#[tokio::test]
async fn change_that_does_not_fit_a_new_version_blocks_closing_until_it_is_removed() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    let earth = place(&rig, &token, "portableEarth", &[("D2/C", 1)], false).await;
    let jumper = place(&rig, &token, "jumper", &[("D2/X", 1), ("D2/C", 1)], false).await;
    assert_eq!((earth.status, jumper.status), (200, 200), "{earth:?} {jumper:?}");
    // A switch is drawn in: the node has its name still, and the terminal at which the earth is, is behind the switch.
    let admin = rig.server.sign_in("one-admin").await;
    let switch = equipment("D2/LBS", "LoadBreakSwitch", &["end", "beyond"]);
    let put = json!({ "nodes": [{ "id": "beyond", "nominal_kv": 11.0 }], "equipment": [switch, equipment("D2/C", "EnergyConsumer", &["beyond"])] });
    let change = json!({ "basedOn": 1, "parts": { "put": put } });
    let found = |findings: &Value| {
        let listed = findings["listed"].as_array().expect("a list").iter();
        listed.filter(|of| of["rule"] == "temporary-change-unfit").map(|of| of["id"].clone()).collect::<Vec<_>>()
    };
    let ids: Vec<Value> = [&earth, &jumper].map(|answer| json!(format!("temporary/{}", answer.json()["result"]["id"]))).to_vec();
    let tried = rig.server.json_as(&admin, "POST", &format!("{}?dryRun=true", crate::network::PATH), &change).await;
    assert_eq!(found(&tried.json()["result"]["findings"]), ids, "{tried:?}");
    let stored = rig.server.json_as(&admin, "POST", crate::network::PATH, &change).await;
    assert_eq!(stored.status, 200, "{stored:?}");
    let checked = rig.server.get_as(&admin, "/api/network/version/2/check").await;
    assert_eq!(found(&checked.json()["result"]), ids, "{checked:?}");
    let path = "/api/network/version/2/activate";
    for since in [json!(null), json!("2999-01-01T00:00:00Z")] {
        let refused = rig.server.json_as(&admin, "POST", path, &json!({ "since": since })).await;
        assert!(refused.status == 422 && refused.body.contains("2 of the temporary changes do not fit"), "{refused:?}");
        assert_eq!(found(&refused.json()["result"]), ids, "{refused:?}");
    }
    assert_eq!(rig.server.json_as(&admin, "POST", path, &json!({ "unfitReason": " " })).await.status, 400);
    let later = json!({ "since": "2999-01-01T00:00:00.000Z", "unfitReason": "they are removed by then" });
    assert_eq!(rig.server.json_as(&admin, "POST", path, &later).await.status, 200);
    let listed = rig.server.get_as(&token, PATH).await.json()["result"].clone();
    assert_eq!([&listed[0]["unfitFrom"], &listed[1]["unfitFrom"]], [&later["since"]; 2], "{listed}");
    let activated = rig.server.json_as(&admin, "POST", path, &json!({ "unfitReason": "the switch is in service" })).await;
    assert_eq!(activated.status, 200, "{activated:?}");
    let is_listed = async {
        loop {
            let listed = rig.server.get_as(&token, PATH).await.json()["result"].clone();
            if listed[0]["counts"] == json!(false) && listed[1]["counts"] == json!(false) {
                return listed;
            }
            tokio::task::yield_now().await;
        }
    };
    let listed = tokio::time::timeout(PATIENCE, is_listed).await.expect("the version is read in time");
    let problem = "terminal 1 of D2/C is at node beyond now, and was at node end when the change was placed";
    assert_eq!([&listed[0]["problem"], &listed[1]["problem"]], [&json!(problem); 2], "{listed}");
    // Nobody knows where they are now: neither for an earth nor for a jumper of another substation.
    for change in [&listed[0], &listed[1]] {
        let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
        let kind = if change["kind"] == "jumper" { "jumper" } else { "portable earth" };
        let expected = format!("has no place for {kind} {}, placed by operating Nair", change["id"]);
        assert!(cause == 10 && message.contains(&expected), "{cause}: {message}");
        assert_eq!(remove(&rig, &token, change).await.status, 200);
    }
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
}

/// Activates a second version of the network, which a temporary change does not fit, and waits until the change does not count any more.
async fn activate_unfit(rig: &Rig, token: &str, network: Value, lost: &Value) {
    let admin = rig.server.sign_in("one-admin").await;
    store_version(rig, &admin, 1, network).await;
    let reason = json!({ "unfitReason": "the network was built again" });
    let activated = rig.server.json_as(&admin, "POST", "/api/network/version/2/activate", &reason).await;
    assert_eq!(activated.status, 200, "{activated:?}");
    let is_lost = async {
        loop {
            let listed = rig.server.get_as(token, PATH).await.json()["result"].clone();
            if listed.as_array().is_some_and(|listed| listed.iter().any(|of| of["id"] == lost["id"] && of["counts"] == json!(false))) {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, is_lost).await.expect("the version is read in time");
}

#[tokio::test]
async fn lost_change_blocks_closing_in_a_substation_outside_of_the_network() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    let earth = place(&rig, &token, "portableEarth", &[("D1/L", 1)], false).await;
    assert_eq!(earth.status, 200, "{earth:?}");
    // The substation of the breaker and of the earth is left out of the new version.
    let node = |id: &str| json!({ "id": id, "nominal_kv": 11.0 });
    let network = json!({
        "containers": [{ "id": "D2", "kind": "Substation" }],
        "nodes": [node("far"), node("end")],
        "equipment": [
            equipment("D2/G2", "EnergySource", &["far"]), equipment("D2/B", "ACLineSegment", &["far", "end"]),
            equipment("D2/C", "EnergyConsumer", &["end"]),
        ],
        "measurements": [],
    });
    let earth = earth.json()["result"].clone();
    activate_unfit(&rig, &token, network, &earth).await;
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    let expected = format!("has no place for portable earth {}, placed by operating Nair", earth["id"]);
    assert!(cause == 10 && message.contains(&expected), "{cause}: {message}");
    assert_eq!(remove(&rig, &token, &earth).await.status, 200);
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
}

#[tokio::test]
async fn lost_jumper_blocks_opening_of_an_isolator_outside_of_the_network() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    let jumper = place(&rig, &token, "jumper", &[("D2/X", 1), ("D2/C", 1)], false).await;
    assert_eq!(jumper.status, 200, "{jumper:?}");
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
    until_state(&rig, &token, "D2/C", "energised").await;
    rig.until_free(&token).await;
    // The network has the substation of the switch without the switch, and an end of the jumper is at another node.
    let more = vec![equipment("D2/X", "BusbarSection", &["end"])];
    let jumper = jumper.json()["result"].clone();
    activate_unfit(&rig, &token, whole("D1/OTHER", "Breaker", more, vec![]), &jumper).await;
    let class = async |class: &str| {
        rig.sql(&format!("UPDATE asset SET class_name = '{class}' WHERE id = {}", rig.server.one.breaker.0)).await;
    };
    class("isolator").await;
    let (cause, message) = refusal(&rig, &token, CLOSED, OPEN).await;
    let expected = format!("has no place for jumper {}, placed by operating Nair", jumper["id"]);
    assert!(cause == 10 && message.contains(&expected), "{cause}: {message}");
    // A breaker is made for load.
    class("breaker").await;
    rig.state(&token, "directOperate", CLOSED, OPEN).await;
}

/// The started network, in which equipment of D2 is at another node.
fn rebuilt() -> Value {
    let more = vec![equipment("D2/ES", "GroundDisconnector", &["far"]), equipment("D2/X", "BusbarSection", &["end"])];
    whole("D1/F1CB", "Breaker", more, vec![measured("D1/F1CB", "F1/F1CB/Pos"), measured("D2/ES", "ES/ES/Pos")])
}

#[tokio::test]
async fn lost_earth_blocks_jumpers_and_removals_of_cuts() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    let cut = place(&rig, &token, "cut", &[("D2/B", 1)], false).await;
    let lost = place(&rig, &token, "portableEarth", &[("D2/X", 1)], false).await;
    assert_eq!((cut.status, lost.status), (200, 200), "{cut:?} {lost:?}");
    let [cut, lost] = [cut, lost].map(|answer| answer.json()["result"].clone());
    activate_unfit(&rig, &token, rebuilt(), &lost).await;
    let is_refused = |answer: Answer| {
        let expected = format!("has no place for portable earth {}, placed by operating Nair", lost["id"]);
        assert!(answer.status == 422 && answer.body.contains(&expected), "{answer:?}");
    };
    // The crew has proved the place dead, and the lost earth is not at this place.
    let ends = [("D1/L", 1), ("D2/C", 1)];
    is_refused(place(&rig, &token, "jumper", &ends, true).await);
    let path = format!("{PATH}/{}/remove", cut["id"]);
    is_refused(rig.server.json_as(&token, "POST", &path, &json!({ "reason": "work is done", "seenDead": true })).await);
    // A further earth protects.
    let earth = place(&rig, &token, "portableEarth", &[("D2/C", 1)], false).await;
    assert_eq!(earth.status, 200, "{earth:?}");
    for change in [&earth.json()["result"], &lost, &cut] {
        let removed = remove(&rig, &token, change).await;
        assert_eq!(removed.status, 200, "{removed:?}");
    }
    let jumper = place(&rig, &token, "jumper", &ends, false).await;
    assert_eq!(jumper.status, 200, "{jumper:?}");
}

#[tokio::test]
async fn lost_jumper_blocks_earths_and_cuts() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    let lost = place(&rig, &token, "jumper", &[("D2/X", 1), ("D2/C", 1)], false).await;
    assert_eq!(lost.status, 200, "{lost:?}");
    let lost = lost.json()["result"].clone();
    activate_unfit(&rig, &token, rebuilt(), &lost).await;
    let expected = format!("has no place for jumper {}, placed by operating Nair", lost["id"]);
    let changes = [("portableEarth", vec![("D1/L", 1)]), ("cut", vec![("D2/B", 1)]), ("jumper", vec![("D1/L", 1), ("D2/C", 1)])];
    for (kind, at) in &changes {
        let refused = place(&rig, &token, kind, at, true).await;
        assert!(refused.status == 422 && refused.body.contains(&expected), "{kind}: {refused:?}");
    }
    assert_eq!(remove(&rig, &token, &lost).await.status, 200);
    for (kind, at) in &changes {
        let placed = place(&rig, &token, kind, at, false).await;
        assert_eq!(placed.status, 200, "{kind}: {placed:?}");
    }
}

#[tokio::test]
async fn jumper_that_carries_load_is_removed_only_beside_another_way() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    let cut = place(&rig, &token, "cut", &[("D2/B", 2)], false).await;
    let jumper = place(&rig, &token, "jumper", &[("D1/L", 2), ("D2/C", 1)], false).await;
    assert_eq!((cut.status, jumper.status), (200, 200), "{cut:?} {jumper:?}");
    let [cut, jumper] = [cut, jumper].map(|answer| answer.json()["result"].clone());
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
    until_state(&rig, &token, "D2/C", "energised").await;
    rig.until_free(&token).await;
    let refused = remove(&rig, &token, &jumper).await;
    assert!(refused.status == 422 && refused.body.contains("The jumper carries current: 120 customers"), "{refused:?}");
    let path = format!("{PATH}/{}/remove", jumper["id"]);
    let proved = rig.server.json_as(&token, "POST", &path, &json!({ "reason": "work is done", "seenDead": true })).await;
    assert_eq!(proved.status, 422, "it is certain: {proved:?}");
    // The line is whole again, so that the jumper is beside it.
    assert_eq!(remove(&rig, &token, &cut).await.status, 200);
    let removed = remove(&rig, &token, &jumper).await;
    assert_eq!(removed.status, 200, "{removed:?}");
}

#[tokio::test]
async fn jumper_is_not_removed_while_a_command_is_on_its_way() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    let jumper = place(&rig, &token, "jumper", &[("D2/X", 1), ("D2/C", 1)], false).await;
    assert_eq!(jumper.status, 200, "{jumper:?}");
    rig.gateway.behave(Manner::Stuck);
    assert_eq!(rig.state(&token, "directOperate", OPEN, CLOSED).await, "ACCEPTED");
    let refused = remove(&rig, &token, &jumper.json()["result"]).await;
    assert!(refused.status == 409 && refused.body.contains("A command is on its way"), "{refused:?}");
}

#[tokio::test]
async fn nothing_is_placed_while_a_command_is_on_its_way() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    rig.gateway.behave(Manner::Stuck);
    assert_eq!(rig.state(&token, "directOperate", OPEN, CLOSED).await, "ACCEPTED");
    let refused = place(&rig, &token, "portableEarth", &[("D2/C", 1)], true).await;
    assert!(refused.status == 409 && refused.body.contains("A command is on its way"), "{refused:?}");
    assert_eq!(rig.count("temporary_change").await, 0);
}

#[tokio::test]
async fn position_after_a_command_without_feedback_is_not_known_when_a_change_is_placed() {
    let rig = Rig::start_with(json!({ "feedbackSeconds": 2 })).await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    activate(&rig, "Breaker", vec![], vec![]).await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    let cut = place(&rig, &token, "cut", &[("D2/B", 2)], false).await;
    assert_eq!(cut.status, 200, "{cut:?}");
    let earth = place(&rig, &token, "portableEarth", &[("D2/C", 1)], false).await;
    assert_eq!(earth.status, 200, "{earth:?}");
    // The last report says open, and the breaker may have closed.
    rig.gateway.behave(Manner::Silent);
    let ended = rig.post(&token, &rig.order("directOperate", OPEN, CLOSED)).await;
    assert_eq!((ended.status, &ended.json()["result"]["command"]["state"]), (409, &json!("NO_FEEDBACK")), "{ended:?}");
    let refused = place(&rig, &token, "portableEarth", &[("D1/L", 1)], false).await;
    assert!(refused.status == 422 && refused.body.contains("may be fed by"), "{refused:?}");
    let refused = remove(&rig, &token, &cut.json()["result"]).await;
    assert!(refused.status == 422 && refused.body.contains("might connect supply with an earth"), "{refused:?}");
    let proved = place(&rig, &token, "portableEarth", &[("D1/L", 1)], true).await;
    assert_eq!(proved.status, 200, "{proved:?}");
}

#[tokio::test]
async fn repeated_request_places_and_removes_one_change() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    let authorization = format!("Bearer {token}");
    let post = async |path: &str, key: &str, body: &Value| {
        let headers = [("Authorization", authorization.as_str()), ("Content-Type", "application/json"), ("Idempotency-Key", key)];
        rig.server.send("POST", path, &headers, &body.to_string()).await
    };
    let cut = json!({ "kind": "cut", "at": [{ "equipment": "D2/B", "terminal": 1 }], "reason": "work on the line" });
    let [first, again] = [post(PATH, "one", &cut).await, post(PATH, "one", &cut).await];
    assert_eq!((first.status, again.status), (200, 200), "{again:?}");
    assert_eq!(first.json()["result"], again.json()["result"]);
    let other = json!({ "kind": "cut", "at": [{ "equipment": "D2/B", "terminal": 2 }], "reason": "work on the line" });
    let refused = post(PATH, "one", &other).await;
    // The first request has changed something, and the message says so.
    let id = first.json()["result"]["id"].clone();
    let is_named = |answer: &Answer, done: &str| answer.body.contains(&format!("used for another request, which has {done} cut {id}"));
    assert!(refused.status == 409 && is_named(&refused, "placed"), "{refused:?}");
    assert_eq!(post(PATH, &"k".repeat(129), &other).await.status, 400);
    let path = format!("{PATH}/{}/remove", first.json()["result"]["id"]);
    let done = json!({ "reason": "work is done" });
    let [removed, again] = [post(&path, "one", &done).await, post(&path, "one", &done).await];
    assert_eq!((removed.status, again.status), (200, 200), "{again:?}");
    assert_eq!(removed.json()["result"]["removal"], again.json()["result"]["removal"]);
    let refused = post(&path, "one", &json!({ "reason": "another reason" })).await;
    assert!(refused.status == 409 && is_named(&refused, "removed"), "{refused:?}");
    assert_eq!(post(&path, "two", &done).await.status, 404, "another request finds nothing to remove");
    let both = (rig.count("temporary_change").await, rig.count("audit WHERE action LIKE 'temporary_change_%'").await);
    assert_eq!(both, (1, 2));
}

/// A network in which a second source feeds the line from D2 in the normal state. Both breakers are open. Returns the asset of the one at D2.
async fn fed_from_d2() -> (Rig, AssetId, String) {
    let rig = Rig::start().await;
    let (one, other) = (rig.server.one.location, rig.server.one.other_location);
    switch(&rig, one, "G", "breaker", CLOSED).await;
    switch(&rig, other, "G2", "breaker", CLOSED).await;
    let tagged = switch(&rig, other, "F2CB", "breaker", OPEN).await;
    // In the normal state the second source feeds the line, and the breaker at D1 is open.
    let mut tie = equipment("D1/F1CB", "Breaker", &["bus", "line"]);
    tie["electrical"] = json!({ "Switch": { "is_normally_open": true } });
    let nodes = ["bus", "line", "end", "bus2"].map(|id| json!({ "id": id, "nominal_kv": 11.0 }));
    let whole = json!({
        "containers": [{ "id": "D1", "kind": "Substation" }, { "id": "D2", "kind": "Substation" }],
        "nodes": nodes,
        "equipment": [
            equipment("D1/G", "EnergySource", &["bus"]), tie, equipment("D2/B", "ACLineSegment", &["line", "end"]),
            equipment("D2/F2CB", "Breaker", &["bus2", "end"]), equipment("D2/G2", "EnergySource", &["bus2"]),
        ],
        "measurements": [
            measured("D1/G", "G/G/Pos"), measured("D1/F1CB", "F1/F1CB/Pos"), measured("D2/F2CB", "F2CB/F2CB/Pos"), measured("D2/G2", "G2/G2/Pos"),
        ],
    });
    let admin = rig.server.sign_in("one-admin").await;
    let stored = rig.server.json_as(&admin, "POST", crate::network::PATH, &json!({ "basedOn": 0, "whole": whole })).await;
    assert_eq!((stored.status, &stored.json()["result"]["findings"]["errors"]), (200, &json!(0)), "{stored:?}");
    assert_eq!(rig.server.json_as(&admin, "POST", "/api/network/version/1/activate", &json!({})).await.status, 200);
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    (rig, tagged, token)
}

#[tokio::test]
async fn cut_takes_nothing_away_from_what_an_inhibit_protects() {
    let (rig, tagged, token) = fed_from_d2().await;
    let tag = json!({ "assetId": tagged.0, "kind": "inhibit", "reason": "men at work" });
    assert_eq!(rig.server.json_as(&token, "POST", "/api/tags", &tag).await.status, 200);
    let is_refused = |(cause, message): (i64, String)| assert!(cause == 24 && message.contains("men at work"), "{cause}: {message}");
    is_refused(refusal(&rig, &token, OPEN, CLOSED).await);
    let cut = place(&rig, &token, "cut", &[("D2/B", 2)], false).await;
    assert_eq!(cut.status, 200, "{cut:?}");
    is_refused(refusal(&rig, &token, OPEN, CLOSED).await);
}

#[tokio::test]
async fn jumper_and_removal_of_a_cut_do_not_energise_what_an_inhibit_protects() {
    let (rig, tagged, token) = fed_from_d2().await;
    let tag = json!({ "assetId": tagged.0, "kind": "inhibit", "reason": "men at work" });
    let place_tag = async || rig.server.json_as(&token, "POST", "/api/tags", &tag).await;
    let is_refused = |answer: Answer| {
        let expected = "what operating Nair has inhibited with a tag on F2CB at D2 location: men at work.";
        assert!(answer.status == 422 && answer.body.contains(expected), "{answer:?}");
    };
    let placed = place_tag().await;
    assert_eq!(placed.status, 200, "{placed:?}");
    // The crew has proved it dead, and others work there.
    is_refused(place(&rig, &token, "jumper", &[("D1/G", 1), ("D2/B", 2)], true).await);
    let cut = place(&rig, &token, "cut", &[("D2/B", 2)], false).await;
    assert_eq!(cut.status, 200, "{cut:?}");
    let removal = format!("/api/tags/{}/remove", placed.json()["result"]["id"]);
    assert_eq!(rig.server.json_as(&token, "POST", &removal, &json!({ "reason": "all are back" })).await.status, 200);
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
    until_state(&rig, &token, "D2/B", "energised").await;
    let placed = place_tag().await;
    assert_eq!(placed.status, 200, "{placed:?}");
    let cut = cut.json()["result"].clone();
    rig.until_free(&token).await;
    is_refused(remove(&rig, &token, &cut).await);
    let removal = format!("/api/tags/{}/remove", placed.json()["result"]["id"]);
    assert_eq!(rig.server.json_as(&token, "POST", &removal, &json!({ "reason": "all are back" })).await.status, 200);
    assert_eq!(remove(&rig, &token, &cut).await.status, 200);
}

/// Adds a desk for each of two areas: the substation D1, and what is in the feeder F7. Returns a session at each.
async fn at_two_desks(rig: &Rig, admin: &str) -> [String; 2] {
    rig.prove(admin, "operating").await;
    let present = rig.server.get_as(admin, "/api/areas").await.json()["result"].clone();
    let room = json!({ "id": present["desks"][0]["id"], "name": "Control room" });
    let plan = json!({
        "desks": [room, { "name": "West" }, { "name": "East" }],
        "areas": [
            { "name": "Harbour", "parts": [{ "nodeId": rig.server.one.location.0 }] },
            { "name": "Quayside", "parts": [{ "container": "F7" }] },
        ],
    });
    let planned = rig.server.json_as(admin, "PUT", "/api/admin/areas", &plan).await;
    assert_eq!(planned.status, 200, "{planned:?}");
    let mut tokens = Vec::new();
    for (desk, area) in [("West", "Harbour"), ("East", "Quayside")] {
        let token = rig.operator(&desk.to_lowercase(), 2).await;
        let present = rig.server.get_as(&token, "/api/areas").await.json()["result"].clone();
        let id = |list: &str, name: &str| {
            present[list].as_array().expect("a list").iter().find(|of| of["name"] == name).expect("there")["id"].clone()
        };
        let sits = rig.server.json_as(&token, "PUT", "/api/areas/desk", &json!({ "deskId": id("desks", desk) })).await;
        let taken = rig.server.json_as(&token, "POST", &format!("/api/areas/{}/take", id("areas", area)), &json!({})).await;
        assert_eq!((sits.status, taken.status), (200, 200), "{sits:?} {taken:?}");
        tokens.push(token);
    }
    tokens.try_into().expect("two")
}

#[tokio::test]
async fn change_is_removed_only_by_the_desks_that_could_place_it() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    isolated(&rig, &token).await;
    // The line belongs to a feeder, the breaker at the same node to the substation.
    let admin = rig.server.sign_in("one-admin").await;
    let mut line = equipment("D1/L", "ACLineSegment", &["line", "far"]);
    line["container"] = json!("F7");
    let put = json!({ "containers": [{ "id": "F7", "kind": "Feeder", "parent": "D1" }], "equipment": [line, equipment("D2/Y", "BusbarSection", &["spare"])] });
    let stored = rig.server.json_as(&admin, "POST", crate::network::PATH, &json!({ "basedOn": 1, "parts": { "put": put } })).await;
    let activated = rig.server.json_as(&admin, "POST", "/api/network/version/2/activate", &json!({})).await;
    assert_eq!((stored.status, activated.status), (200, 200), "{stored:?} {activated:?}");
    until_state(&rig, &token, "D2/Y", "dead").await;
    let [west, east] = at_two_desks(&rig, &token).await;
    let refused = |answer: &Answer, area: &str| {
        assert!(answer.status == 403 && answer.body.contains(area), "{area}: {answer:?}");
    };
    refused(&place(&rig, &west, "portableEarth", &[("D1/L", 1)], false).await, "Quayside is held by desk East");
    let earth = place(&rig, &east, "portableEarth", &[("D1/L", 1)], false).await;
    assert_eq!(earth.status, 200, "{earth:?}");
    let earth = earth.json()["result"].clone();
    refused(&remove(&rig, &west, &earth).await, "Quayside is held by desk East");
    assert_eq!(remove(&rig, &east, &earth).await.status, 200);
    // Both ends of a jumper count.
    let ends = [("D1/F1CB", 2), ("D1/L", 2)];
    refused(&place(&rig, &west, "jumper", &ends, false).await, "Quayside is held by desk East");
    refused(&place(&rig, &east, "jumper", &ends, false).await, "Harbour is held by desk West");
    // No area has the substation D2, so it is in the area for the rest.
    let rest = place(&rig, &west, "portableEarth", &[("D2/X", 1)], false).await;
    refused(&rest, "Rest is held by desk Control room");
}
