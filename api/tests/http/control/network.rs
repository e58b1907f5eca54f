//! Operating by what the network says: earths, sources and loads of other substations, tags on what a switch feeds, and what is shown before an operation.

use std::time::Duration;

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{AssetId, Micros, NodeId};
use serde_json::{Value, json};
use store::Store;
use store::seed::{AssetSeed, PointSeed};

use super::gateway::now_ms;
use super::races::until_waiting;
use super::rig::{CLOSED, OPEN, Rig};

/// Adds a switch whose position the gateway's device F2 has reported.
pub(super) async fn switch(rig: &Rig, location: NodeId, code: &str, class: &str, position: i32) -> AssetId {
    switch_in(code, rig, location, code, class, position).await
}

/// Adds a switch of a bay whose position the gateway has reported.
pub(super) async fn switch_in(bay: &str, rig: &Rig, location: NodeId, code: &str, class: &str, position: i32) -> AssetId {
    let one = &rig.server.one;
    let store = Store::connect(rig.server.database.url(), 2).await.expect("connected");
    let asset = AssetSeed { device: bay.into(), ..AssetSeed::new(one.client, location, code, 3, class) };
    let asset = store.put_assets(&[asset]).await.expect("an asset")[0];
    let point = PointSeed {
        client: one.client,
        gateway: one.gateway,
        device: bay.into(),
        metric: format!("{code}/Pos"),
        code: "Pos".into(),
        asset,
        kind: kind_of_code("Pos"),
        quantity: Quantity::of_code("Pos"),
        unit: String::new(),
        decimals: 0,
        scale: 1.0,
        expected_ms: None,
    };
    let point = store.put_points(&[point]).await.expect("a point")[0];
    let (client, point) = (one.client.0, point.0);
    rig.sql(&format!(
        "INSERT INTO latest (client_id, point_id, source_ts, recv_ts, epoch, seq, value, quality)
         VALUES ({client}, {point}, now(), now(), 1, 1, {position}, 0)"
    ))
    .await;
    asset
}

/// Moves a switch that was added.
pub(super) async fn moved(rig: &Rig, code: &str, position: i32) {
    rig.sql(&format!(
        "UPDATE latest SET value = {position}, seq = seq + 1, source_ts = now(), recv_ts = now() WHERE point_id = (SELECT id FROM point WHERE metric = '{code}/Pos')"
    ))
    .await;
}

pub(super) fn equipment(id: &str, kind: &str, nodes: &[&str]) -> Value {
    let terminals: Vec<Value> = nodes.iter().map(|node| json!({ "node": node })).collect();
    let mut equipment = json!({ "id": id, "kind": kind, "container": id.split('/').next(), "terminals": terminals });
    if kind == "EnergyConsumer" {
        equipment["electrical"] = json!({ "Consumer": { "kw": 300.0, "customers": 120 } });
    }
    if kind == "GroundDisconnector" {
        equipment["electrical"] = json!({ "Switch": { "is_normally_open": true } });
    }
    equipment
}

pub(super) fn measured(equipment: &str, point: &str) -> Value {
    json!({ "id": point, "equipment": equipment, "quantity": "Pos", "point": format!("one-RTU/{point}") })
}

/// Activates a network of a source and the breaker at D1, a line, and the customers at D2, with further equipment and measurements.
pub(super) async fn activate(rig: &Rig, breaker: &str, more: Vec<Value>, mut measurements: Vec<Value>) {
    measurements.insert(0, measured("D1/F1CB", "F1/F1CB/Pos"));
    activate_with("D1/F1CB", rig, breaker, more, measurements).await;
}

/// Activates the same network, in which no point reports the breaker and the breaker has a name.
async fn activate_with(name: &str, rig: &Rig, breaker: &str, more: Vec<Value>, measurements: Vec<Value>) {
    let admin = rig.server.sign_in("one-admin").await;
    store_version(rig, &admin, 0, whole(name, breaker, more, measurements)).await;
    let activated = rig.server.json_as(&admin, "POST", "/api/network/version/1/activate", &json!({})).await;
    assert_eq!(activated.status, 200, "{activated:?}");
}

pub(super) async fn store_version(rig: &Rig, admin: &str, based_on: i32, whole: Value) {
    let stored = rig.server.json_as(admin, "POST", crate::network::PATH, &json!({ "basedOn": based_on, "whole": whole })).await;
    assert_eq!((stored.status, &stored.json()["result"]["findings"]["errors"]), (200, &json!(0)), "{stored:?}");
}

/// A network of a source and the breaker at D1, a line, and the customers at D2, with further equipment and measurements.
pub(super) fn whole(name: &str, breaker: &str, more: Vec<Value>, measurements: Vec<Value>) -> Value {
    let node = |id: &str| json!({ "id": id, "nominal_kv": 11.0 });
    let mut parts = vec![
        equipment("D1/G", "EnergySource", &["bus"]),
        equipment(name, breaker, &["bus", "line"]),
        equipment("D1/L", "ACLineSegment", &["line", "far"]),
        equipment("D2/C", "EnergyConsumer", &["end"]),
    ];
    parts.extend(more);
    if !parts.iter().any(|part| part["id"] == "D2/F2CB") {
        parts.push(equipment("D2/B", "ACLineSegment", &["far", "end"]));
    }
    let mut bound = vec![measured("D1/G", "G/G/Pos")];
    bound.extend(measurements);
    json!({
        "containers": [{ "id": "D1", "kind": "Substation" }, { "id": "D2", "kind": "Substation" }],
        "nodes": [node("bus"), node("line"), node("far"), node("end"), node("spare")],
        "equipment": parts,
        "measurements": bound,
    })
}

fn is_of_network(rule: &Value) -> bool {
    let is_loading = rule["message"].as_str().is_some_and(|message| message.contains("is being loaded"));
    rule["rule"].as_str().is_some_and(|rule| rule.starts_with("network-")) && !is_loading
}

pub(super) async fn opened(rig: &Rig, token: &str) {
    let ordered = rig.post(token, &rig.order("directOperate", CLOSED, OPEN)).await;
    assert_eq!(ordered.status, 200, "{ordered:?}");
    rig.until(token, ordered.json()["result"]["commandId"].as_str().expect("an id"), "DONE").await;
    // The rules of the network apply once the api has the active version.
    rig.until_status(token, |status| status["interlocks"].as_array().is_some_and(|rules| rules.iter().any(is_of_network))).await;
}

/// Sends a command that is refused, and returns the cause and the message.
pub(super) async fn refusal(rig: &Rig, token: &str, from: i32, to: i32) -> (i64, String) {
    let answer = rig.post(token, &rig.order("directOperate", from, to)).await;
    let body = answer.json();
    assert_eq!(answer.status, 409, "{answer:?}");
    (body["result"]["addCause"].as_i64().expect("a cause"), body["message"].as_str().expect("a message").to_owned())
}

#[tokio::test]
async fn breaker_does_not_close_onto_an_earth_of_another_substation() {
    let rig = Rig::start().await;
    let (one, other) = (rig.server.one.location, rig.server.one.other_location);
    switch(&rig, one, "G", "breaker", CLOSED).await;
    switch(&rig, other, "ES", "earthSwitch", CLOSED).await;
    // The position of an earth switch counts also while it is out of service.
    let mut earth = equipment("D2/ES", "GroundDisconnector", &["far"]);
    earth["is_in_service"] = json!(false);
    activate(&rig, "Breaker", vec![earth], vec![measured("D2/ES", "ES/ES/Pos")]).await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    // The section is dead, and the source can come back.
    for source in [CLOSED, OPEN] {
        moved(&rig, "G", source).await;
        let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
        assert!(cause == 10 && message.contains("at D2 location earths it. Open it first"), "{cause}: {message}");
    }
    moved(&rig, "G", CLOSED).await;
    moved(&rig, "ES", OPEN).await;
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
}

#[tokio::test]
async fn nothing_closes_while_the_active_version_cannot_be_used() {
    let rig = Rig::start().await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    activate(&rig, "Breaker", vec![], vec![]).await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    let is_unloaded = |rule: &Value| rule["message"].as_str().is_some_and(|message| message.contains("being loaded, or cannot be used"));
    let is_refused = |status: &Value| status["interlocks"].as_array().is_some_and(|rules| rules.iter().any(is_unloaded));
    let broken_version = async || {
        // A version that this release cannot read becomes active.
        rig.sql("UPDATE network_equipment SET kind = 'Elevator' WHERE id = 'D1/L'").await;
        rig.sql(
            "INSERT INTO network_activation (client_id, since, version, entered) SELECT client_id, now(), number, now() FROM network_version",
        )
        .await;
    };
    broken_version().await;
    rig.until_status(&token, is_refused).await;
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    assert!(cause == 10 && message.contains("being loaded, or cannot be used"), "{cause}: {message}");
    let admin = rig.server.sign_in("one-admin").await;
    let traced = rig.server.get_as(&admin, &format!("/api/network/trace?point={}", rig.server.one.position.0)).await;
    assert_eq!(traced.json()["result"]["sides"][0]["source"]["id"], "D1/G", "the last network stays: {traced:?}");
    rig.sql("UPDATE network_equipment SET kind = 'ACLineSegment' WHERE id = 'D1/L'").await;
    rig.until_status(&token, |status| !is_refused(status)).await;
    let closed = rig.post(&token, &rig.order("directOperate", OPEN, CLOSED)).await;
    rig.until(&token, closed.json()["result"]["commandId"].as_str().expect("an id"), "DONE").await;
    broken_version().await;
    rig.state(&token, "directOperate", CLOSED, OPEN).await;
}

#[tokio::test]
async fn command_is_refused_if_another_version_became_active_while_it_waited() {
    let rig = Rig::start().await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    activate(&rig, "Breaker", vec![], vec![]).await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    // In the second version, an earth that is normally closed is on the line.
    let admin = rig.server.sign_in("one-admin").await;
    let mut earth = equipment("D2/ES", "GroundDisconnector", &["far"]);
    earth["electrical"] = json!({ "Switch": { "is_normally_open": false } });
    let bound = vec![measured("D1/F1CB", "F1/F1CB/Pos")];
    store_version(&rig, &admin, 1, whole("D1/F1CB", "Breaker", vec![earth], bound)).await;
    // While no decision is possible, the activation and then the command are requested. The api has the first version at that time.
    let mut client = rig.server.database.client().await;
    let lock = client.transaction().await.expect("a transaction");
    let stream = "SELECT FROM stream WHERE client_id = $1 AND kind = 'command' FOR UPDATE";
    lock.execute(stream, &[&rig.server.one.client.0]).await.expect("locked");
    let body = json!({});
    let ((cause, message), activated, ()) = tokio::join!(
        async {
            until_waiting(&rig, 1).await;
            refusal(&rig, &token, OPEN, CLOSED).await
        },
        rig.server.json_as(&admin, "POST", "/api/network/version/2/activate", &body),
        async {
            until_waiting(&rig, 2).await;
            lock.commit().await.expect("released");
        }
    );
    assert_eq!(activated.status, 200, "{activated:?}");
    assert!(cause == 10 && message.contains("is being loaded"), "{cause}: {message}");
    rig.until_status(&token, |status| status["interlocks"].as_array().is_some_and(|rules| rules.iter().any(is_of_network))).await;
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    assert!(cause == 10 && message.contains("D2/ES"), "{cause}: {message}");
}

#[tokio::test]
async fn network_is_built_before_the_transaction_of_a_command() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    activate(&rig, "Breaker", Vec::new(), Vec::new()).await;
    let one = rig.server.one.client;
    rig.server.fields.refresh_network(one).await;
    let built = async || rig.server.fields.get(one).await.expect("a utility").networks_built();
    assert_eq!(built().await, 0, "nobody has needed the network");
    let mut client = rig.server.database.client().await;
    let lock = client.transaction().await.expect("a transaction");
    lock.execute("SELECT FROM stream WHERE client_id = $1 AND kind = 'command' FOR UPDATE", &[&one.0]).await.expect("locked");
    let order = rig.order("directOperate", CLOSED, OPEN);
    let (ordered, ()) = tokio::join!(rig.post(&token, &order), async {
        until_waiting(&rig, 1).await;
        assert_eq!(built().await, 2, "for display and for the decision, which is still waiting");
        lock.commit().await.expect("released");
    });
    assert_eq!(ordered.status, 200, "{ordered:?}");
    assert_eq!(built().await, 2, "the decision has built nothing");
}

#[tokio::test]
async fn position_that_nobody_reports_does_not_permit_closing() {
    let rig = Rig::start().await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    activate(&rig, "Breaker", vec![equipment("D2/ES", "GroundDisconnector", &["far"])], vec![]).await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    assert!(cause == 10 && message.contains("the position of D2/ES at D2 location is only assumed"), "{cause}: {message}");
}

#[tokio::test]
async fn sources_are_joined_only_by_a_switch_that_checks_synchronism() {
    for is_checked in [false, true] {
        let checked = if is_checked { json!(["D1/F1CB"]) } else { json!([]) };
        let rig = Rig::start_with(json!({ "synchronismChecked": checked })).await;
        let (one, other) = (rig.server.one.location, rig.server.one.other_location);
        switch(&rig, one, "G", "breaker", CLOSED).await;
        switch(&rig, other, "G2", "breaker", CLOSED).await;
        activate(&rig, "Breaker", vec![equipment("D2/G2", "EnergySource", &["far"])], vec![measured("D2/G2", "G2/G2/Pos")]).await;
        let token = rig.operator("operating", 2).await;
        opened(&rig, &token).await;
        // One that is gone is still connected: no check of synchronism sees where it comes from.
        moved(&rig, "G2", OPEN).await;
        let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
        assert!(cause == 11 && message.contains("is gone") && message.contains("Disconnect it first"), "{cause}: {message}");
        moved(&rig, "G2", CLOSED).await;
        if is_checked {
            rig.state(&token, "directOperate", OPEN, CLOSED).await;
        } else {
            let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
            assert!(cause == 11 && message.contains("it joins") && message.contains("at D2 location"), "{cause}: {message}");
        }
    }
}

#[tokio::test]
async fn switch_that_is_not_made_for_load_is_not_opened_under_load() {
    for kind in ["Disconnector", "Switch"] {
        let rig = Rig::start().await;
        switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
        switch(&rig, rig.server.one.other_location, "F2CB", "breaker", CLOSED).await;
        let behind = vec![equipment("D2/F2CB", "LoadBreakSwitch", &["far", "end"])];
        activate(&rig, kind, behind, vec![measured("D2/F2CB", "F2CB/F2CB/Pos")]).await;
        let token = rig.operator("operating", 2).await;
        rig.until_status(&token, |status| status["interlocks"].as_array().is_some_and(|rules| rules.iter().any(is_of_network))).await;
        let (cause, message) = refusal(&rig, &token, CLOSED, OPEN).await;
        assert!(cause == 10 && message.contains("120 customers and 0.3 MW"), "{kind}: {cause}: {message}");
        moved(&rig, "G", OPEN).await;
        let (cause, message) = refusal(&rig, &token, CLOSED, OPEN).await;
        assert!(cause == 10 && message.contains("can return at any time"), "{kind}: {cause}: {message}");
        moved(&rig, "F2CB", OPEN).await;
        rig.state(&token, "directOperate", CLOSED, OPEN).await;
    }
}

/// Two switches that nobody reports: from the far end of the line to the customers, and from there to the source.
fn unreported_ring() -> Vec<Value> {
    vec![equipment("D2/F2CB", "LoadBreakSwitch", &["far", "end"]), equipment("D2/T", "LoadBreakSwitch", &["end", "bus"])]
}

#[tokio::test]
async fn another_possible_feed_does_not_permit_closing_onto_an_earth() {
    let rig = Rig::start().await;
    let (one, other) = (rig.server.one.location, rig.server.one.other_location);
    switch(&rig, one, "G", "breaker", CLOSED).await;
    switch(&rig, other, "ES", "earthSwitch", CLOSED).await;
    let mut parts = unreported_ring();
    parts.push(equipment("D2/ES", "GroundDisconnector", &["end"]));
    activate(&rig, "Breaker", parts, vec![measured("D2/ES", "ES/ES/Pos")]).await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    assert!(cause == 10 && message.contains("may earth it, because the position of D2/"), "{cause}: {message}");
}

#[tokio::test]
async fn another_possible_feed_does_not_permit_opening_a_disconnector() {
    let rig = Rig::start().await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    activate(&rig, "Disconnector", unreported_ring(), vec![]).await;
    let token = rig.operator("operating", 2).await;
    rig.until_status(&token, |status| status["interlocks"].as_array().is_some_and(|rules| rules.iter().any(is_of_network))).await;
    let (cause, message) = refusal(&rig, &token, CLOSED, OPEN).await;
    assert!(cause == 10 && message.contains("it is, or may be, a part of a live loop"), "{cause}: {message}");
}

#[tokio::test]
async fn switch_whose_point_the_network_does_not_bind_is_found_by_its_name() {
    for (name, expected) in [("D1/F1CB", "at D2 location earths it"), ("D1/OTHER", "no switch D1/F1CB")] {
        let rig = Rig::start().await;
        let (one, other) = (rig.server.one.location, rig.server.one.other_location);
        switch(&rig, one, "G", "breaker", CLOSED).await;
        switch(&rig, other, "ES", "earthSwitch", CLOSED).await;
        let earth = equipment("D2/ES", "GroundDisconnector", &["far"]);
        activate_with(name, &rig, "Breaker", vec![earth], vec![measured("D2/ES", "ES/ES/Pos")]).await;
        let token = rig.operator("operating", 2).await;
        opened(&rig, &token).await;
        let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
        assert!(cause == 10 && message.contains(expected), "{name}: {cause}: {message}");
    }
}

/// Draws the breaker of D1 as an element of a class.
async fn drawn_as(rig: &Rig, class: &str) {
    let store = Store::connect(rig.server.database.url(), 1).await.expect("connected");
    let drawing = json!({
        "format": "switchyard-sld", "version": 1, "name": "S", "size": { "width": 100, "height": 100 },
        "elements": [{ "id": "b", "class": class, "asset": "F1CB" }],
    });
    store.put_drawing(rig.server.one.client, rig.server.one.location, "S", &drawing).await.expect("stored");
}

#[tokio::test]
async fn switch_that_the_network_lacks_is_opened_only_if_it_is_a_breaker() {
    let rig = Rig::start().await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    activate_with("D1/OTHER", &rig, "Breaker", vec![], vec![]).await;
    let token = rig.operator("operating", 2).await;
    let class = async |class: &str| {
        rig.sql(&format!("UPDATE asset SET class_name = '{class}' WHERE id = {}", rig.server.one.breaker.0)).await;
    };
    // An asset from a birth is a breaker by the register, and the diagram shows nothing, or something else.
    for (registered, drawn) in [("isolator", "breaker"), ("disconnector", "isolator"), ("breaker", "text"), ("breaker", "isolator")] {
        class(registered).await;
        drawn_as(&rig, drawn).await;
        let (cause, message) = refusal(&rig, &token, CLOSED, OPEN).await;
        let is_known = message.contains("no switch D1/F1CB") || message.contains("is being loaded");
        assert!(cause == 10 && is_known, "{registered} drawn as {drawn}: {cause}: {message}");
    }
    class("breaker").await;
    drawn_as(&rig, "breaker").await;
    rig.state(&token, "directOperate", CLOSED, OPEN).await;
}

#[tokio::test]
async fn all_equipment_that_one_point_reports_is_judged() {
    let rig = Rig::start().await;
    let (one, other) = (rig.server.one.location, rig.server.one.other_location);
    switch(&rig, one, "G", "breaker", CLOSED).await;
    switch(&rig, other, "ES", "earthSwitch", CLOSED).await;
    let parts = vec![equipment("D2/ES", "GroundDisconnector", &["far"]), equipment("D1/F1X", "Breaker", &["bus", "spare"])];
    let mut beside = measured("D1/F1X", "F1/F1CB/Pos");
    beside["id"] = json!("beside");
    activate(&rig, "Breaker", parts, vec![measured("D2/ES", "ES/ES/Pos"), beside]).await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    assert!(cause == 10 && message.contains("at D2 location earths it"), "{cause}: {message}");
    moved(&rig, "ES", OPEN).await;
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
}

#[tokio::test]
async fn consequences_and_traces_of_a_point_are_those_of_all_its_equipment() {
    let rig = Rig::start().await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    let parts = vec![equipment("D1/F1X", "Breaker", &["bus", "spare"]), equipment("D1/C", "EnergyConsumer", &["spare"])];
    let mut beside = measured("D1/F1X", "F1/F1CB/Pos");
    beside["id"] = json!("beside");
    activate(&rig, "Breaker", parts, vec![beside]).await;
    let admin = rig.server.sign_in("one-admin").await;
    let path = format!("/api/network/consequences?point={}&to=open", rig.server.one.position.0);
    let known = async {
        loop {
            let found = rig.server.get_as(&admin, &path).await.json()["result"].clone();
            if found["goesDead"]["nodes"] != 0 && !found.is_null() {
                return found;
            }
            tokio::task::yield_now().await;
        }
    };
    let opened = tokio::time::timeout(Duration::from_secs(20), known).await.expect("the active network in time");
    let both = json!({ "nodes": 4, "customers": 240, "loadKw": 600.0 });
    assert_eq!((&opened["goesDead"], &opened["equipment"]["id"]), (&both, &json!("D1/F1CB")), "{opened}");
    let traced = rig.server.get_as(&admin, &format!("/api/network/trace?point={}", rig.server.one.position.0)).await;
    let feeds = traced.json()["result"]["feeds"].clone();
    assert_eq!((&feeds["extent"], &feeds["load"]["unmeasuredKw"]), (&both, &json!(600.0)), "{feeds}");
}

#[tokio::test]
async fn inhibit_on_a_feeder_blocks_what_would_energise_it_from_another_substation() {
    let rig = Rig::start().await;
    let (one, other) = (rig.server.one.location, rig.server.one.other_location);
    switch(&rig, one, "G", "breaker", CLOSED).await;
    let tagged = switch(&rig, other, "F2CB", "breaker", CLOSED).await;
    activate(&rig, "Breaker", vec![equipment("D2/F2CB", "Breaker", &["far", "end"])], vec![measured("D2/F2CB", "F2CB/F2CB/Pos")]).await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    let tag = json!({ "assetId": tagged.0, "kind": "inhibit", "reason": "men at work" });
    let placed = rig.server.json_as(&token, "POST", "/api/tags", &tag).await;
    assert_eq!(placed.status, 200, "{placed:?}");
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    assert!(cause == 24 && message.contains("men at work") && message.contains("at D2 location"), "{cause}: {message}");
    // Nobody of another area learns where the tag is.
    let narrow = rig.operator("narrow", 4).await;
    let (cause, message) = refusal(&rig, &narrow, OPEN, CLOSED).await;
    assert!(cause == 24 && !message.contains("men at work") && !message.contains("D2"), "{cause}: {message}");
    // What the tag is on stays dead.
    moved(&rig, "F2CB", OPEN).await;
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
}

#[tokio::test]
async fn inhibit_elsewhere_blocks_in_a_network_without_bound_points() {
    let rig = Rig::start().await;
    let tagged = switch(&rig, rig.server.one.other_location, "F2CB", "breaker", CLOSED).await;
    // Switches are found by their names.
    let mut network = whole("D1/F1CB", "Breaker", vec![equipment("D2/F2CB", "Breaker", &["far", "end"])], vec![]);
    network["measurements"] = json!([]);
    let admin = rig.server.sign_in("one-admin").await;
    store_version(&rig, &admin, 0, network).await;
    let activated = rig.server.json_as(&admin, "POST", "/api/network/version/1/activate", &json!({})).await;
    assert_eq!(activated.status, 200, "{activated:?}");
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    let tag = json!({ "assetId": tagged.0, "kind": "inhibit", "reason": "men at work" });
    let placed = rig.server.json_as(&token, "POST", "/api/tags", &tag).await;
    assert_eq!(placed.status, 200, "{placed:?}");
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    assert!(cause == 24 && message.contains("men at work") && message.contains("at D2 location"), "{cause}: {message}");
    let removal = format!("/api/tags/{}/remove", placed.json()["result"]["id"]);
    assert_eq!(rig.server.json_as(&token, "POST", &removal, &json!({ "reason": "all are back" })).await.status, 200);
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
}

#[tokio::test]
async fn consequences_and_traces_sum_all_and_name_only_what_the_user_sees() {
    let rig = Rig::start().await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    activate(&rig, "Breaker", vec![], vec![]).await;
    let (admin, division) = (rig.server.sign_in("one-admin").await, rig.server.sign_in("one-division").await);
    let point = rig.server.one.position.0;
    let path = format!("/api/network/consequences?point={point}&to=open");
    // Without the active version, nothing is known.
    let known = async {
        loop {
            let found = rig.server.get_as(&admin, &path).await.json()["result"].clone();
            if found["goesDead"]["nodes"] == 3 {
                return found;
            }
            tokio::task::yield_now().await;
        }
    };
    let opened = tokio::time::timeout(Duration::from_secs(20), known).await.expect("the active network in time");
    assert_eq!(opened["goesDead"], json!({ "nodes": 3, "customers": 120, "loadKw": 300.0 }), "{opened}");
    assert_eq!((&opened["joinsSources"], &opened["equipment"]["name"]), (&json!(false), &json!("one F1CB")));
    assert_eq!(rig.server.get_as(&division, &path).await.status, 404, "outside of the area");
    assert_eq!(rig.server.get_as(&admin, &format!("/api/network/consequences?point={point}&to=up")).await.status, 400);
    let traced = rig.server.get_as(&admin, &format!("/api/network/trace?point={point}")).await.json()["result"].clone();
    assert_eq!(traced["feeds"]["extent"], json!({ "nodes": 3, "customers": 120, "loadKw": 300.0 }), "{traced}");
    assert_eq!(traced["sides"][0]["source"]["id"], "D1/G");
    assert_eq!(traced["feeds"]["load"], json!({ "measuredKw": 0.0, "measurements": 0, "unmeasuredKw": 300.0 }));
    assert!(traced["drawn"].is_null());
    let far = "/api/network/trace?equipment=D2/C";
    for (token, listed) in [(&admin, 3), (&division, 1)] {
        let side = rig.server.get_as(token, far).await.json()["result"]["sides"][0].clone();
        assert_eq!((&side["path"]["count"], side["path"]["listed"].as_array().map(Vec::len)), (&json!(3), Some(listed)), "{side}");
        assert_eq!((&side["state"], side["feeder"].is_null()), (&json!("energised"), listed == 1));
    }
    assert_eq!(rig.server.get_as(&division, "/api/network/trace?equipment=D1/F1CB").await.status, 404);
    assert_eq!(rig.server.get_as(&admin, "/api/network/trace").await.status, 400);
}

/// Confirms a position by REST.
async fn entered(rig: &Rig, token: &str, equipment: &str, position: &str) -> crate::server::Answer {
    let entry = json!({ "equipment": equipment, "position": position, "reason": "seen by the crew" });
    rig.server.json_as(token, "POST", "/api/network/entries", &entry).await
}

#[tokio::test]
async fn confirmed_position_permits_closing_until_it_is_withdrawn() {
    let rig = Rig::start().await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    activate(&rig, "Breaker", vec![equipment("D2/ES", "GroundDisconnector", &["far"])], vec![]).await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    let (cause, _) = refusal(&rig, &token, OPEN, CLOSED).await;
    assert_eq!(cause, 10);
    let entry = entered(&rig, &token, "D2/ES", "open").await;
    assert_eq!(entry.status, 200, "{entry:?}");
    let entry = entry.json()["result"].clone();
    assert_eq!((&entry["position"], &entry["by"], &entry["counts"]), (&json!("open"), &json!("operating Nair"), &json!(true)), "{entry}");
    let station = rig.server.one.other_location;
    let listed = rig.server.get_as(&token, &format!("/api/network/entries?location={station}")).await.json()["result"].clone();
    assert_eq!(listed, json!([entry]));
    let withdraw = format!("/api/network/entries/{}/withdraw", entry["id"]);
    let withdrawn = rig.server.json_as(&token, "POST", &withdraw, &json!({ "reason": "seen wrongly" })).await;
    assert_eq!((withdrawn.status, &withdrawn.json()["result"]["counts"]), (200, &json!(false)), "{withdrawn:?}");
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    assert!(cause == 10 && message.contains("is only assumed"), "{cause}: {message}");
    assert_eq!(rig.server.json_as(&token, "POST", &withdraw, &json!({ "reason": "again" })).await.status, 404, "it is withdrawn already");
    assert_eq!(entered(&rig, &token, "D2/ES", "open").await.status, 200);
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
    assert_eq!(rig.count("audit WHERE action LIKE 'manual_entry_%'").await, 3);
}

/// Returns the customers without supply of the second substation.
async fn without_supply(rig: &Rig, token: &str) -> Value {
    let path = format!("/api/overview/location/{}", rig.server.one.other_location);
    rig.server.get_as(token, &path).await.json()["result"][0]["customersWithoutSupply"].clone()
}

#[tokio::test]
async fn source_that_nothing_measures_can_be_stated() {
    for kind in ["EnergySource", "BatteryUnit", "GeneratingUnit"] {
        let rig = Rig::start().await;
        switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
        activate(&rig, "Breaker", vec![equipment("D2/G2", kind, &["far"])], vec![]).await;
        let token = rig.operator("operating", 2).await;
        opened(&rig, &token).await;
        assert_eq!(without_supply(&rig, &token).await, json!(0), "the {kind} may feed them");
        let entry = entered(&rig, &token, "D2/G2", "open").await;
        assert_eq!((entry.status, &entry.json()["result"]["counts"]), (200, &json!(true)), "{entry:?}");
        // The report of the breaker is stored after the command has ended.
        let is_counted = async {
            while without_supply(&rig, &token).await != json!(120) {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), is_counted).await.unwrap_or_else(|_| panic!("{kind}"));
        assert_eq!(entered(&rig, &token, "D2/G2", "closed").await.status, 200);
        let last = rig.server.get_as(&token, "/api/network/entries").await.json()["result"].clone();
        assert_eq!((&last[0]["position"], last.as_array().map(Vec::len)), (&json!("closed"), Some(1)));
        assert_eq!(without_supply(&rig, &token).await, json!(0));
        let entry = entered(&rig, &token, "D2/G2", "open").await.json()["result"]["id"].clone();
        let reason = json!({ "reason": "nobody is there any more" });
        let withdrawn = rig.server.json_as(&token, "POST", &format!("/api/network/entries/{entry}/withdraw"), &reason).await;
        assert_eq!(withdrawn.status, 200, "{withdrawn:?}");
        assert_eq!(without_supply(&rig, &token).await, json!(0), "the {kind} is unknown again");
    }
}

#[tokio::test]
async fn position_of_a_battery_says_whether_it_is_present() {
    let rig = Rig::start().await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    switch(&rig, rig.server.one.other_location, "BAT", "breaker", CLOSED).await;
    let battery = equipment("D2/BAT", "BatteryUnit", &["far"]);
    activate(&rig, "Breaker", vec![battery], vec![measured("D2/BAT", "BAT/BAT/Pos")]).await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    assert_eq!(without_supply(&rig, &token).await, json!(0), "the battery feeds them");
    moved(&rig, "BAT", OPEN).await;
    assert_eq!(without_supply(&rig, &token).await, json!(120));
    assert_eq!(entered(&rig, &token, "D2/BAT", "closed").await.status, 422, "its point counts");
}

#[tokio::test]
async fn manual_entries_that_cannot_count_are_refused() {
    let rig = Rig::start().await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    let earth_switch = equipment("D2/ES", "GroundDisconnector", &["far"]);
    asset(&rig, rig.server.one.other_location, "ES", "earthSwitch", "Pos").await;
    let voltage = json!({ "id": "V", "equipment": "D2/G2", "terminal": 1, "quantity": "Vry", "point": "one-RTU/G2/G2/Vry" });
    let more = vec![earth_switch, equipment("D2/G2", "EnergySource", &["spare"])];
    activate(&rig, "Breaker", more, vec![measured("D2/ES", "ES/ES/Pos"), voltage]).await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    // A user of another area learns nothing of the equipment, and one without permission enters nothing.
    let (narrow, reader) = (rig.operator("narrow", 4).await, rig.person("reader", 2, None, false).await);
    for (token, equipment, position, status, text) in [
        (&token, "D2/ES", "up", 400, "position must be open or closed"),
        (&token, "D1/L", "open", 400, "must be a switch"),
        (&token, "D9/X", "open", 404, ""),
        (&token, "D2/G2", "open", 400, "whose voltage is not measured"),
        (&token, "D1/F1CB", "open", 422, "A point reports the position"),
        (&token, "D1/G", "closed", 422, "A point reports the position"),
        (&narrow, "D2/ES", "open", 404, ""),
        (&reader, "D2/ES", "open", 403, "permission to operate"),
    ] {
        let answer = entered(&rig, token, equipment, position).await;
        assert_eq!(answer.status, status, "{equipment} {position}: {answer:?}");
        assert!(answer.json()["message"].as_str().is_some_and(|message| message.contains(text)), "{answer:?}");
    }
    // The point of the earth switch has never reported.
    assert_eq!(entered(&rig, &token, "D2/ES", "closed").await.status, 200);
    rig.sql(
        "INSERT INTO latest (client_id, point_id, source_ts, recv_ts, epoch, seq, value, quality)
         SELECT client_id, id, now(), now(), 1, 1, 1, 0 FROM point WHERE metric = 'ES/Pos'",
    )
    .await;
    let is_superseded = async {
        loop {
            let listed = rig.server.get_as(&token, "/api/network/entries").await.json()["result"].clone();
            if listed[0]["counts"] == json!(false) {
                return listed;
            }
            tokio::task::yield_now().await;
        }
    };
    let listed = tokio::time::timeout(Duration::from_secs(20), is_superseded).await.expect("the report counts in time");
    assert_eq!(listed[0]["position"], json!("closed"), "{listed}");
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
}

/// Adds an asset without a switch, and a point that it reports.
async fn asset(rig: &Rig, location: NodeId, code: &str, class: &str, metric: &str) -> AssetId {
    let one = &rig.server.one;
    let store = Store::connect(rig.server.database.url(), 2).await.expect("connected");
    let asset = AssetSeed { device: code.into(), ..AssetSeed::new(one.client, location, code, 4, class) };
    let asset = store.put_assets(&[asset]).await.expect("an asset")[0];
    let point = PointSeed {
        client: one.client,
        gateway: one.gateway,
        device: code.into(),
        metric: format!("{code}/{metric}"),
        code: metric.into(),
        asset,
        kind: kind_of_code(metric),
        quantity: Quantity::of_code(metric),
        unit: String::new(),
        decimals: 0,
        scale: 1.0,
        expected_ms: None,
    };
    store.put_points(&[point]).await.expect("a point");
    asset
}

#[tokio::test]
async fn inhibit_on_equipment_without_a_switch_blocks_what_would_energise_it() {
    // The asset of the consumer has its name in the network; that of the line has another one, and measures a current of it.
    for (code, class, metric, bound) in [("C", "transformer", "Ir", None), ("CABLE", "feeder", "Ir", Some("D2/B"))] {
        let rig = Rig::start().await;
        let (one, other) = (rig.server.one.location, rig.server.one.other_location);
        switch(&rig, one, "G", "breaker", CLOSED).await;
        let tagged = asset(&rig, other, code, class, metric).await;
        let current = bound.map(|of| {
            let point = format!("one-RTU/{code}/{code}/{metric}");
            json!({ "id": "current", "equipment": of, "terminal": 1, "quantity": metric, "point": point })
        });
        activate(&rig, "Breaker", vec![], current.into_iter().collect()).await;
        let token = rig.operator("operating", 2).await;
        opened(&rig, &token).await;
        let tag = json!({ "assetId": tagged.0, "kind": "inhibit", "reason": "men at work" });
        let placed = rig.server.json_as(&token, "POST", "/api/tags", &tag).await;
        assert_eq!(placed.status, 200, "{code}: {placed:?}");
        let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
        assert!(cause == 24 && message.contains("men at work"), "{code}: {cause}: {message}");
    }
}

#[tokio::test]
async fn switch_does_not_close_onto_voltage_that_nothing_known_feeds() {
    let rig = Rig::start().await;
    let (one, other) = (rig.server.one.location, rig.server.one.other_location);
    switch(&rig, one, "G", "breaker", CLOSED).await;
    asset(&rig, other, "VT", "feeder", "Vry").await;
    let voltage = json!({ "id": "voltage", "equipment": "D2/C", "terminal": 1, "quantity": "Vry", "point": "one-RTU/VT/VT/Vry" });
    activate(&rig, "Breaker", vec![], vec![voltage]).await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    let side = || async {
        let traced = rig.server.get_as(&token, "/api/network/trace?equipment=D2/C").await.json()["result"].clone();
        traced["sides"][0].clone()
    };
    assert_eq!(side().await["state"], json!("dead"));
    rig.sql(
        "INSERT INTO latest (client_id, point_id, source_ts, recv_ts, epoch, seq, value, quality)
         SELECT client_id, id, now(), now(), 1, 1, 11.2, 0 FROM point WHERE metric = 'VT/Vry'",
    )
    .await;
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    assert!(cause == 11 && message.contains("both of its sides are live"), "{cause}: {message}");
    let live = side().await;
    assert_eq!(
        (&live["state"], &live["isLiveByMeasurement"], &live["contradiction"]),
        (&json!("energised"), &json!(true), &json!("measuredLive"))
    );
    rig.sql(
        "UPDATE latest SET value = 0, seq = seq + 1, source_ts = now() WHERE point_id = (SELECT id FROM point WHERE metric = 'VT/Vry')",
    )
    .await;
    rig.state(&token, "directOperate", OPEN, CLOSED).await;
}

/// Queries the abnormal switches until the list has a number of them.
async fn abnormal(rig: &Rig, token: &str, count: usize) -> Value {
    let listed = async {
        loop {
            let found = rig.server.get_as(token, "/api/network/abnormal").await.json()["result"].clone();
            if found["listed"].as_array().is_some_and(|listed| listed.len() == count) {
                return found;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), listed).await.expect("the switches in time")
}

#[tokio::test]
async fn abnormal_switches_are_those_of_the_area_with_time_and_customers() {
    let rig = Rig::start().await;
    let (one, other) = (rig.server.one.location, rig.server.one.other_location);
    switch(&rig, one, "G", "breaker", CLOSED).await;
    let far = switch(&rig, other, "F2CB", "breaker", CLOSED).await;
    switch(&rig, other, "ES", "earthSwitch", OPEN).await;
    let more = vec![equipment("D2/F2CB", "Breaker", &["far", "end"]), equipment("D2/ES", "GroundDisconnector", &["far"])];
    activate(&rig, "Breaker", more, vec![measured("D2/F2CB", "F2CB/F2CB/Pos"), measured("D2/ES", "ES/ES/Pos")]).await;
    let (admin, division) = (rig.server.sign_in("one-admin").await, rig.server.sign_in("one-division").await);
    let none = abnormal(&rig, &admin, 0).await;
    assert_eq!((&none["abnormal"], &none["unknown"], &none["switches"]), (&json!(0), &json!(0), &json!(3)), "{none}");
    // The far breaker opens, and an event says when.
    let at = wire::time::iso(Micros::from_millis(now_ms().cast_signed() - 3_600_000));
    rig.sql(&format!(
        "INSERT INTO event (client_id, \"offset\", point_id, asset_id, location_id, source_ts, recv_ts, epoch, seq, idx, value, quality)
         SELECT client_id, 900000, id, asset_id, {}, timestamptz '{at}', now(), 1, 900, 0, {OPEN}, 0
         FROM point WHERE metric = 'F2CB/Pos'",
        other.0
    ))
    .await;
    moved(&rig, "F2CB", OPEN).await;
    let found = abnormal(&rig, &admin, 1).await;
    let row = &found["listed"][0];
    assert_eq!((&row["equipment"]["id"], &row["equipment"]["assetId"]), (&json!("D2/F2CB"), &json!(far.0)), "{found}");
    assert_eq!((&row["normal"], &row["present"], &row["lastKnown"]), (&json!("closed"), &json!("open"), &json!("open")));
    assert_eq!((&row["customers"], &row["since"], &found["abnormal"]), (&json!(120), &json!(at), &json!(1)), "{found}");
    assert_eq!(row["equipment"]["station"], "D2 location");
    // A position that is neither open nor closed is not known.
    moved(&rig, "ES", 0).await;
    let found = abnormal(&rig, &admin, 2).await;
    let row = &found["listed"][1];
    assert_eq!((&row["present"], &row["lastKnown"], &row["customers"]), (&json!("unknown"), &json!(null), &json!(null)), "{found}");
    assert_eq!((&found["unknown"], &found["abnormal"]), (&json!(1), &json!(1)));
    // A user of another division sees its own switches, and another utility nothing.
    let narrow = abnormal(&rig, &division, 2).await;
    assert_eq!(narrow["listed"][0]["equipment"]["id"], "D2/F2CB");
    moved(&rig, "F2CB", CLOSED).await;
    moved(&rig, "ES", OPEN).await;
    rig.sql(&format!(
        "UPDATE latest SET value = {OPEN}, seq = seq + 1, source_ts = now(), recv_ts = now() WHERE point_id = {}",
        rig.server.one.position.0
    ))
    .await;
    assert_eq!(abnormal(&rig, &admin, 1).await["listed"][0]["equipment"]["id"], "D1/F1CB");
    assert_eq!(abnormal(&rig, &division, 0).await["abnormal"], 0, "outside of the area");
    let foreign = rig.server.sign_in("two-admin").await;
    assert!(rig.server.get_as(&foreign, "/api/network/abnormal").await.json()["result"].is_null());
}

#[tokio::test]
async fn trace_says_where_it_is_drawn_and_what_is_measured() {
    let rig = Rig::start().await;
    let one = &rig.server.one;
    switch(&rig, one.location, "G", "breaker", CLOSED).await;
    let drawing = json!({
        "format": "switchyard-sld", "version": 1, "name": "D1", "size": { "width": 9, "height": 9 },
        "elements": [
            { "id": "G", "class": "source", "nodes": ["a"] },
            { "id": "cb", "class": "breaker", "asset": "F1CB", "nodes": ["a", "b"], "position": { "point": "F1/F1CB/Pos" } },
            { "id": "f", "class": "feeder", "nodes": ["b"] },
        ],
    });
    let store = Store::connect(rig.server.database.url(), 2).await.expect("connected");
    store.put_drawing(one.client, one.location, "D1", &drawing).await.expect("stored");
    activate(&rig, "Breaker", vec![], vec![]).await;
    let admin = rig.server.sign_in("one-admin").await;
    let path = format!("/api/network/trace?point={}&location={}", one.position.0, one.location.0);
    let active = async {
        loop {
            let found = rig.server.get_as(&admin, &path).await.json()["result"].clone();
            if found["sides"][0]["isFed"] == true {
                return found;
            }
            tokio::task::yield_now().await;
        }
    };
    let traced = tokio::time::timeout(Duration::from_secs(20), active).await.expect("the active network in time");
    let drawn = &traced["drawn"];
    assert!(drawn["wiring"].is_string(), "{traced}");
    assert_eq!((&drawn["path"]["elements"], &drawn["path"]["numbers"]), (&json!(["G", "cb"]), &json!([0, 1])), "{drawn}");
    assert_eq!((&drawn["feeds"]["elements"], &drawn["feeds"]["numbers"]), (&json!(["cb"]), &json!([1])), "{drawn}");
    assert_eq!(drawn["path"]["nodes"], json!(["bus", "line"]));
    // The line from the far end of a line of the substation is drawn there, too.
    assert_eq!(drawn["feeds"]["equipment"], json!(["D1/F1CB", "D1/L", "D2/B"]));
    assert_eq!(drawn["feeds"]["locationIds"], json!([one.location.0, one.other_location.0]));
    // The asset is the same equipment.
    let asset = traced["equipment"]["assetId"].as_i64().expect("an asset");
    let by_asset = rig.server.get_as(&admin, &format!("/api/network/trace?asset={asset}")).await.json()["result"].clone();
    assert_eq!(by_asset["equipment"], traced["equipment"]);
    let division = rig.server.sign_in("one-division").await;
    for refused in [format!("trace?equipment=D2/C&location={}", one.location.0), format!("trace?asset={asset}")] {
        assert_eq!(rig.server.get_as(&division, &format!("/api/network/{refused}")).await.status, 404, "{refused}");
    }
    assert_eq!(rig.server.get_as(&admin, &format!("/api/network/trace?asset={asset}&equipment=D1/F1CB")).await.status, 400);
    // The path of what the user sees begins outside of the user's area, where nothing is named.
    let path = format!("/api/network/trace?equipment=D2/C&location={}", one.other_location.0);
    let traced = rig.server.get_as(&division, &path).await.json()["result"].clone();
    assert_eq!(traced["drawn"]["path"]["equipment"], json!(["D2/B", "D2/C"]), "{traced}");
}

#[tokio::test]
async fn substation_whose_id_is_no_code_is_found_by_its_name() {
    let rig = Rig::start().await;
    let admin = rig.server.sign_in("one-admin").await;
    let part = |id: &str, kind: &str, nodes: &[&str]| {
        let terminals: Vec<Value> = nodes.iter().map(|node| json!({ "node": node })).collect();
        json!({ "id": id, "kind": kind, "container": "_station", "terminals": terminals })
    };
    let whole = json!({
        "containers": [{ "id": "_station", "name": "D1", "kind": "Substation" }],
        "nodes": [{ "id": "_bus", "nominal_kv": 11.0 }, { "id": "_line", "nominal_kv": 11.0 }],
        "equipment": [part("_source", "EnergySource", &["_bus"]), part("_breaker", "Breaker", &["_bus", "_line"])],
        "measurements": [],
    });
    let stored = rig.server.json_as(&admin, "POST", crate::network::PATH, &json!({ "basedOn": 0, "whole": whole })).await;
    assert_eq!((stored.status, &stored.json()["result"]["findings"]["errors"]), (200, &json!(0)), "{stored:?}");
    assert_eq!(rig.server.json_as(&admin, "POST", "/api/network/version/1/activate", &json!({})).await.status, 200);
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    let (cause, message) = refusal(&rig, &token, OPEN, CLOSED).await;
    assert!(cause == 10 && message.contains("no switch D1/F1CB"), "{cause}: {message}");
}
