//! Areas of responsibility: what another desk holds is not operated, tagged, acknowledged or entered, and an area passes with the consent of both desks.

use std::time::Duration;

use bus::Received;
use grid::control::Action;
use serde_json::{Value, json};
use store::Store;
use store::seed::AssetSeed;
use wire::bus::BusMessage;

use super::life::Doomed;
use super::network::{activate, equipment, measured, store_version, switch, whole};
use super::rig::{CLOSED, OPEN, Rig};
use crate::server::Answer;

/// Returns the areas as a user sees them.
pub(super) async fn areas(rig: &Rig, token: &str) -> Value {
    let answer = rig.server.get_as(token, "/api/areas").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"].clone()
}

/// Returns the id of the desk or area with a name.
pub(super) fn id_of(areas: &Value, list: &str, name: &str) -> i64 {
    let found = areas[list].as_array().expect("a list").iter().find(|item| item["name"] == name);
    found.unwrap_or_else(|| panic!("{list} has no {name}: {areas}"))["id"].as_i64().expect("an id")
}

/// Returns the area with a name.
pub(super) fn area<'a>(areas: &'a Value, name: &str) -> &'a Value {
    areas["areas"].as_array().expect("a list").iter().find(|area| area["name"] == name).expect("an area")
}

/// Adds the desks East and North, and areas with nodes of the hierarchy.
pub(super) async fn plan(rig: &Rig, token: &str, username: &str, areas: &[(&str, i64)]) -> Answer {
    rig.prove(token, username).await;
    let present = self::areas(rig, token).await;
    let control_room = json!({ "id": id_of(&present, "desks", "Control room"), "name": "Control room" });
    let areas: Vec<Value> = areas.iter().map(|(name, node)| json!({ "name": name, "parts": [{ "nodeId": node }] })).collect();
    let plan = json!({ "desks": [control_room, { "name": "East" }, { "name": "North" }], "areas": areas });
    rig.server.json_as(token, "PUT", "/api/admin/areas", &plan).await
}

/// Creates an operator and seats the session at a desk.
pub(super) async fn operator_at(rig: &Rig, username: &str, role: i32, desk: &str) -> String {
    let token = rig.operator(username, role).await;
    let desk = id_of(&areas(rig, &token).await, "desks", desk);
    let sits = rig.server.json_as(&token, "PUT", "/api/areas/desk", &json!({ "deskId": desk })).await;
    assert_eq!((sits.status, &sits.json()["result"]["deskId"]), (200, &json!(desk)), "{sits:?}");
    token
}

pub(super) async fn hand_over(rig: &Rig, token: &str, area: i64, verb: &str, body: Value) -> Answer {
    rig.server.json_as(token, "POST", &format!("/api/areas/{area}/{verb}"), &body).await
}

/// Every kind of act that a desk may do in its areas only, with what it needs.
struct Acts {
    tag: Value,
    alarm: i64,
    entry: Value,
    earth: Value,
    breaker: i64,
}

/// A portable earth on a busbar that nothing feeds.
fn portable_earth() -> Value {
    json!({ "kind": "portableEarth", "at": [{ "equipment": "D2/X", "terminal": 1 }], "reason": "works" })
}

impl Acts {
    /// Prepares a tag, an alarm, a manual entry and a portable earth.
    async fn prepare(rig: &Rig, token: &str) -> Self {
        let breaker = rig.server.one.breaker.0;
        let tag = rig.server.json_as(token, "POST", "/api/tags", &json!({ "assetId": breaker, "kind": "caution", "reason": "slow" })).await;
        let entry = json!({ "equipment": "D2/ES", "position": "open", "reason": "seen by the crew" });
        let entry = rig.server.json_as(token, "POST", "/api/network/entries", &entry).await;
        let earth = rig.server.json_as(token, "POST", "/api/network/temporary", &portable_earth()).await;
        assert_eq!((tag.status, entry.status, earth.status), (200, 200, 200), "{tag:?} {entry:?} {earth:?}");
        let one = &rig.server.one;
        let statement = "INSERT INTO alarm (client_id, source, kind, priority, location_id, text, unit, customers, state, count, \"offset\", raised_offset)
             VALUES ($1, 'own', 'comm', 1, $2, 'own', '', 0, 'active_unacked', 1, 1, 1) RETURNING id";
        let client = rig.server.database.client().await;
        let alarm = client.query_one(statement, &[&one.client.0, &one.location.0]).await.expect("an alarm").get(0);
        client
            .execute(
                "INSERT INTO stream (client_id, kind, top) VALUES ($1, 'alarm', 1) ON CONFLICT (client_id, kind) DO NOTHING",
                &[&one.client.0],
            )
            .await
            .expect("a stream");
        Self {
            tag: tag.json()["result"]["id"].clone(),
            alarm,
            entry: entry.json()["result"]["id"].clone(),
            earth: earth.json()["result"]["id"].clone(),
            breaker,
        }
    }

    /// Tries everything but commands, in an order in which each is possible.
    async fn all(&self, rig: &Rig, token: &str) -> Vec<(String, Answer)> {
        let reason = json!({ "reason": "done" });
        let requests = [
            ("/api/tags".to_owned(), json!({ "assetId": self.breaker, "kind": "caution", "reason": "look" })),
            (format!("/api/tags/{}/remove", self.tag), reason.clone()),
            ("/api/alarms/shelve".to_owned(), json!({ "id": self.alarm, "minutes": 5, "reason": "works" })),
            ("/api/alarms/unshelve".to_owned(), json!({ "id": self.alarm })),
            ("/api/alarms/acknowledge".to_owned(), json!({ "ids": [self.alarm], "offset": 1_000 })),
            (format!("/api/network/entries/{}/withdraw", self.entry), reason),
            ("/api/network/entries".to_owned(), json!({ "equipment": "D2/ES", "position": "closed", "reason": "seen" })),
            (format!("/api/network/temporary/{}/remove", self.earth), json!({ "reason": "done" })),
            ("/api/network/temporary".to_owned(), portable_earth()),
        ];
        let mut answers = Vec::new();
        for (path, body) in requests {
            let answer = rig.server.json_as(token, "POST", &path, &body).await;
            answers.push((path, answer));
        }
        answers
    }

    /// Asserts that all acts and all commands are refused with this message, and change nothing.
    async fn are_refused(&self, rig: &Rig, token: &str, message: &str) {
        for (path, answer) in self.all(rig, token).await {
            assert_eq!((answer.status, answer.json()["message"].as_str()), (403, Some(message)), "{path}: {answer:?}");
        }
        for flag in ["directOperate", "isSelect"] {
            let answer = rig.post(token, &rig.order(flag, CLOSED, OPEN)).await;
            let body = answer.json();
            assert_eq!(
                (answer.status, body["message"].as_str(), &body["result"]["addCause"]),
                (403, Some(message), &json!(2)),
                "{answer:?}"
            );
        }
        let status = rig.status(token).await;
        assert_eq!((&status["operable"], &status["refusals"][0]["message"]), (&json!(false), &json!(message)), "the panel says it before");
        assert_eq!(rig.count("alarm_event WHERE change IN ('acknowledged', 'shelved')").await, 0);
        assert_eq!(rig.count("tag WHERE removed_at IS NOT NULL OR reason = 'look'").await, 0);
        assert_eq!(rig.count("manual_entry").await, 1);
        assert_eq!(rig.count("temporary_change WHERE removed IS NULL").await, 1);
        assert_eq!(rig.gateway.moves(), 0);
    }
}

#[tokio::test]
async fn each_act_is_refused_outside_and_permitted_inside() {
    let mut rig = Rig::start().await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    let more = vec![equipment("D2/ES", "GroundDisconnector", &["far"]), equipment("D2/X", "BusbarSection", &["spare"])];
    activate(&rig, "Breaker", more, vec![]).await;
    let west = rig.operator("west", 2).await;
    // With one area, all that is held by the only desk, nothing is different.
    rig.until_status(&west, |status| status["operable"] == true).await;
    let is_active = async {
        while rig.server.get_as(&west, "/api/network/temporary/terminals?equipment=D2/ES").await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), is_active).await.expect("the active network in time");
    let acts = Acts::prepare(&rig, &west).await;
    let planned = plan(&rig, &west, "west", &[("Harbour", rig.server.one.circle.0)]).await;
    assert_eq!(planned.status, 200, "{planned:?}");
    acts.are_refused(&rig, &west, "Harbour is held by no desk. Take it first.").await;

    let east = operator_at(&rig, "east", 2, "East").await;
    let harbour = id_of(&areas(&rig, &east).await, "areas", "Harbour");
    let taken = hand_over(&rig, &east, harbour, "take", json!({})).await;
    assert_eq!(taken.status, 200, "{taken:?}");
    let held = area(&taken.json()["result"], "Harbour").clone();
    assert_eq!((&held["heldBy"], &held["how"]), (&json!("east Nair"), &json!("taken")), "{held}");
    assert_eq!(held["substations"].as_array().map(Vec::len), Some(2), "{held}");
    let message = "Harbour is held by desk East. Ask for it, or let a supervisor move it.";
    acts.are_refused(&rig, &west, message).await;

    let mut restarted = Doomed::start(&rig).await;
    let home = rig.server.port();
    rig.server.turn_to(restarted.port);
    acts.are_refused(&rig, &west, message).await;
    restarted.kill();
    rig.server.turn_to(home);

    for (path, answer) in acts.all(&rig, &east).await {
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
    }
    rig.until_status(&east, |status| status["operable"] == true).await;
    rig.state(&east, "directOperate", CLOSED, OPEN).await;
}

#[tokio::test]
async fn selection_ends_when_its_area_moves() {
    let rig = Rig::start().await;
    let west = rig.operator("west", 2).await;
    assert_eq!(plan(&rig, &west, "west", &[]).await.status, 200);
    let east = operator_at(&rig, "east", 2, "East").await;
    let present = areas(&rig, &east).await;
    let (rest, desk) = (id_of(&present, "areas", "Rest"), id_of(&present, "desks", "East"));
    assert_eq!(rig.state(&west, "isSelect", CLOSED, OPEN).await, "SELECTED");
    let moved = hand_over(&rig, &east, rest, "move", json!({ "deskId": desk, "reason": "storm in the west" })).await;
    assert_eq!(moved.status, 200, "{moved:?}");
    let row = rig.newest(&west).await;
    let message = "Rest is held by desk East. Ask for it, or let a supervisor move it.";
    assert_eq!((&row["state"], &row["addCause"], &row["message"]), (&json!("CANCELLED"), &json!(2), &json!(message)));
    assert_eq!(rig.refused(&west, "isExecute", CLOSED, OPEN).await, (403, 2));
    let received = async {
        while rig.gateway.actions() != [Action::Select, Action::Cancel] {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), received).await.expect("the gateway cancels its selection");
    assert_eq!(rig.state(&east, "isSelect", CLOSED, OPEN).await, "SELECTED", "it is free at once");
    // The session that has selected it sits down at another desk.
    let room = id_of(&present, "desks", "Control room");
    assert_eq!(rig.server.json_as(&east, "PUT", "/api/areas/desk", &json!({ "deskId": room })).await.status, 200);
    assert_eq!(rig.newest(&east).await["state"], "CANCELLED");
    let audited =
        rig.count("audit WHERE action = 'area_moved' AND after->>'reason' = 'storm in the west' AND after->>'holder' = 'East'").await;
    assert_eq!((audited, rig.count("audit WHERE action = 'desk_chosen'").await), (1, 2));
}

/// Activates a network in which the breaker is in the feeder F7. West, at the default desk, holds Harbour with all substations, and East holds Quayside with
/// the feeder.
async fn harbour_and_quayside(rig: &Rig) -> (String, String) {
    let planner = rig.operator("planner", 2).await;
    let admin = rig.server.sign_in("one-admin").await;
    let mut network = whole("D1/F1CB", "Breaker", vec![], vec![measured("D1/F1CB", "F1/F1CB/Pos")]);
    network["containers"].as_array_mut().expect("a list").push(json!({ "id": "F7", "kind": "Feeder", "parent": "D1" }));
    network["equipment"][1]["container"] = json!("F7");
    store_version(rig, &admin, 0, network).await;
    assert_eq!(rig.server.json_as(&admin, "POST", "/api/network/version/1/activate", &json!({})).await.status, 200);
    rig.server.fields.refresh_network(rig.server.one.client).await;
    rig.prove(&planner, "planner").await;
    let room = json!({ "id": id_of(&areas(rig, &planner).await, "desks", "Control room"), "name": "Control room" });
    let parts = [("Harbour", json!({ "nodeId": rig.server.one.circle.0 })), ("Quayside", json!({ "container": "F7" }))];
    let parts: Vec<Value> = parts.into_iter().map(|(name, part)| json!({ "name": name, "parts": [part] })).collect();
    let desks = json!([room, { "name": "East" }, { "name": "North" }]);
    let planned = rig.server.json_as(&planner, "PUT", "/api/admin/areas", &json!({ "desks": desks, "areas": parts })).await;
    assert_eq!(planned.status, 200, "{planned:?}");
    let (west, east) = (rig.operator("west", 2).await, operator_at(rig, "east", 2, "East").await);
    for (token, name) in [(&west, "Harbour"), (&east, "Quayside")] {
        let area = id_of(&areas(rig, token).await, "areas", name);
        assert_eq!(hand_over(rig, token, area, "take", json!({})).await.status, 200, "{name}");
    }
    (west, east)
}

#[tokio::test]
async fn areas_of_containers_refuse_while_the_network_is_not_in_memory() {
    let mut rig = Rig::start().await;
    let (west, east) = harbour_and_quayside(&rig).await;
    let tag = json!({ "assetId": rig.server.one.breaker.0, "kind": "caution", "reason": "slow" });
    let refused = rig.server.json_as(&west, "POST", "/api/tags", &tag).await;
    assert_eq!(refused.json()["message"], "Quayside is held by desk East. Ask for it, or let a supervisor move it.");
    assert_eq!(rig.state(&east, "isSelect", CLOSED, OPEN).await, "SELECTED");

    // A version that cannot be used becomes active: its containers can be others.
    rig.sql("UPDATE network_equipment SET kind = 'Elevator' WHERE id = 'D1/L'").await;
    rig.sql(
        "INSERT INTO network_activation (client_id, since, version, entered) SELECT client_id, now(), number, now() FROM network_version",
    )
    .await;
    let refused = async |rig: &Rig, token: &str| {
        let tagged = rig.server.json_as(token, "POST", "/api/tags", &tag).await;
        let opened = rig.post(token, &rig.order("directOperate", CLOSED, OPEN)).await;
        for answer in [tagged, opened] {
            let message = answer.json()["message"].as_str().unwrap_or_default().to_owned();
            assert!(answer.status == 403 && message.contains("the network is being loaded"), "{answer:?}");
        }
    };
    let mut restarted = Doomed::start(&rig).await;
    let home = rig.server.port();
    for port in [home, restarted.port] {
        rig.server.turn_to(port);
        refused(&rig, &west).await;
        refused(&rig, &east).await;
    }
    restarted.kill();
    rig.server.turn_to(home);
    assert_eq!(rig.count("tag").await, 0);
    operator_at(&rig, "north", 2, "North").await;
    assert_eq!(rig.count("command WHERE state = 'CANCELLED'").await, 1, "the selection is no longer known to be in the area of East");

    rig.sql("UPDATE network_equipment SET kind = 'ACLineSegment' WHERE id = 'D1/L'").await;
    rig.until_status(&east, |status| status["operable"] == true).await;
    rig.state(&east, "directOperate", CLOSED, OPEN).await;
    assert_eq!(rig.server.json_as(&west, "POST", "/api/tags", &tag).await.status, 403);
}

#[tokio::test]
async fn flashing_and_bay_tags_need_the_areas_of_what_they_cover() {
    let rig = Rig::start().await;
    let (west, east) = harbour_and_quayside(&rig).await;
    let one = &rig.server.one;
    let store = Store::connect(rig.server.database.url(), 2).await.expect("connected");
    let feeder = AssetSeed { device: "F1".into(), ..AssetSeed::new(one.client, one.location, "F1", 1, "feeder") };
    let feeder = store.put_assets(&[feeder]).await.expect("an asset")[0];
    rig.state(&east, "directOperate", CLOSED, OPEN).await;
    let stored = async {
        while rig.count("event").await == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), stored).await.expect("the event of the breaker");
    let acknowledgement = json!({ "locationId": one.location.0 });
    let tag = json!({ "assetId": feeder.0, "kind": "caution", "reason": "slow" });
    let held_by_east = json!("Quayside is held by desk East. Ask for it, or let a supervisor move it.");
    for (path, body) in [("/api/sld/acknowledge", &acknowledgement), ("/api/tags", &tag)] {
        let refused = rig.server.json_as(&west, "POST", path, body).await;
        assert_eq!((refused.status, &refused.json()["message"]), (403, &held_by_east), "{path}");
    }
    assert_eq!(rig.count("acknowledgement").await, 0);
    let done = rig.server.json_as(&east, "POST", "/api/sld/acknowledge", &acknowledgement).await;
    assert_eq!((done.status, done.json()["result"]["acknowledged"].as_i64()), (200, Some(1)), "{done:?}");
    // The feeder itself is in Harbour, and the breaker of its bay in Quayside.
    let refused = rig.server.json_as(&east, "POST", "/api/tags", &tag).await;
    assert!(refused.status == 403 && refused.json()["message"].as_str().is_some_and(|text| text.starts_with("Harbour")), "{refused:?}");
    let present = areas(&rig, &west).await;
    let (quayside, room) = (id_of(&present, "areas", "Quayside"), id_of(&present, "desks", "Control room"));
    let move_to = json!({ "deskId": room, "reason": "storm" });
    assert_eq!(hand_over(&rig, &west, quayside, "move", move_to).await.status, 200);
    let placed = rig.server.json_as(&west, "POST", "/api/tags", &tag).await;
    assert_eq!(placed.status, 200, "{placed:?}");
    let back = json!({ "deskId": id_of(&present, "desks", "East"), "reason": "over" });
    assert_eq!(hand_over(&rig, &west, quayside, "move", back).await.status, 200);
    let path = format!("/api/tags/{}/remove", placed.json()["result"]["id"]);
    let refused = rig.server.json_as(&west, "POST", &path, &json!({ "reason": "done" })).await;
    assert_eq!((refused.status, &refused.json()["message"]), (403, &held_by_east));
}

#[tokio::test]
async fn area_passes_with_the_consent_of_both_desks() {
    let rig = Rig::start().await;
    let planner = rig.operator("planner", 2).await;
    assert_eq!(plan(&rig, &planner, "planner", &[]).await.status, 200);
    let west = rig.operator("west", 4).await;
    let (east, north) = (operator_at(&rig, "east", 4, "East").await, operator_at(&rig, "north", 4, "North").await);
    let watcher = rig.person("watcher", 2, None, false).await;
    let present = areas(&rig, &west).await;
    let rest = id_of(&present, "areas", "Rest");
    let desk = |name: &str| id_of(&present, "desks", name);
    let mut bus = rig.server.bus.subscribe();
    let why = json!({ "reason": "the west is busy" });
    let requested = hand_over(&rig, &east, rest, "request", why.clone()).await;
    assert_eq!(requested.status, 200, "{requested:?}");
    let version = requested.json()["result"]["version"].as_i64().expect("a version");
    let published = async {
        loop {
            if let Received::Message(message) = bus.next().await.expect("a bus")
                && let BusMessage::Areas { version, .. } = &*message
            {
                return *version;
            }
        }
    };
    assert_eq!(tokio::time::timeout(Duration::from_secs(1), published).await.expect("within a second"), version);
    let seen = areas(&rig, &west).await;
    let request = area(&seen, "Rest")["requests"][0].clone();
    assert_eq!(
        (&request["kind"], &request["toDeskId"], &request["reason"], &request["by"]),
        (&json!("request"), &json!(desk("East")), &json!("the west is busy"), &json!("east Nair"))
    );
    let answer = json!({ "requestId": request["id"] });
    let to_north = json!({ "deskId": desk("North"), "reason": "x" });
    for (token, verb, body, status) in [
        (&east, "consent", &answer, 403),
        (&north, "consent", &answer, 403),
        (&watcher, "consent", &answer, 403),
        (&west, "move", &to_north, 403),
        (&watcher, "move", &to_north, 403),
        (&east, "offer", &to_north, 403),
        (&east, "request", &why, 409),
        (&west, "request", &why, 409),
        (&north, "take", &json!({}), 409),
        (&north, "request", &json!({ "reason": " " }), 400),
        (&west, "offer", &json!({ "deskId": 999_999, "reason": "x" }), 400),
    ] {
        let refused = hand_over(&rig, token, rest, verb, body.clone()).await;
        assert_eq!(refused.status, status, "{verb} {body}: {refused:?}");
    }
    assert_eq!(area(&areas(&rig, &west).await, "Rest")["deskId"], desk("Control room"), "nothing has changed");
    let given = hand_over(&rig, &west, rest, "consent", answer.clone()).await;
    assert_eq!(given.status, 200, "{given:?}");
    let held = area(&given.json()["result"], "Rest").clone();
    assert_eq!((&held["deskId"], &held["how"], &held["requests"]), (&json!(desk("East")), &json!("consent"), &json!([])), "{held}");
    assert_eq!(hand_over(&rig, &west, rest, "consent", answer).await.status, 409, "it was answered");

    // East offers it to North, withdraws the offer, offers it again, and North accepts.
    for end in ["withdrawn", "consented"] {
        let offered = hand_over(&rig, &east, rest, "offer", to_north.clone()).await;
        let offer = json!({ "requestId": area(&offered.json()["result"], "Rest")["requests"][0]["id"] });
        let (token, verb) = if end == "withdrawn" { (&east, "refuse") } else { (&north, "consent") };
        assert_eq!(hand_over(&rig, token, rest, verb, offer).await.status, 200);
    }
    assert_eq!(area(&areas(&rig, &west).await, "Rest")["deskId"], desk("North"));
    // A request that has expired is neither shown nor answered.
    let requested = hand_over(&rig, &west, rest, "request", why).await;
    let late = json!({ "requestId": area(&requested.json()["result"], "Rest")["requests"][0]["id"] });
    rig.sql("UPDATE area_request SET expires = now() WHERE ended IS NULL").await;
    assert_eq!(area(&areas(&rig, &north).await, "Rest")["requests"], json!([]));
    assert_eq!(hand_over(&rig, &north, rest, "consent", late).await.status, 409);
    let actions = "audit WHERE action IN ('area_requested', 'area_consented', 'area_offered', 'area_refused')";
    assert_eq!(rig.count(actions).await, 7);
}

#[tokio::test]
async fn nobody_takes_over_an_area_alone() {
    let rig = Rig::start().await;
    let planner = rig.operator("planner", 2).await;
    assert_eq!(plan(&rig, &planner, "planner", &[]).await.status, 200);
    let present = areas(&rig, &planner).await;
    let (rest, desk) = (id_of(&present, "areas", "Rest"), |name: &str| id_of(&present, "desks", name));
    let (east, north) = (operator_at(&rig, "east", 4, "East").await, operator_at(&rig, "north", 4, "North").await);
    // Rest is held by Control room, where the planner sits. East and North hold nothing.
    let sit = async |token: &str, name: &str, reason: Option<&str>| {
        rig.server.json_as(token, "PUT", "/api/areas/desk", &json!({ "deskId": desk(name), "reason": reason })).await
    };
    let seat =
        async |token: &str, verb: &str, body: Value| rig.server.json_as(token, "POST", &format!("/api/areas/desk/{verb}"), &body).await;
    let at = |answer: &Answer| answer.json()["result"]["deskId"].as_i64();
    let room_of = async |token: &str| {
        let desks = areas(&rig, token).await["desks"].clone();
        desks.as_array().expect("a list").iter().find(|item| item["name"] == "Control room").expect("a desk").clone()
    };
    assert_eq!(room_of(&east).await["needsConsent"], true);
    for reason in [None, Some("I want to")] {
        let refused = sit(&east, "Control room", reason).await;
        let message = "Other users sit at this desk, and it holds areas. Ask them for their consent, or let a supervisor sit there.";
        assert_eq!((refused.status, &refused.json()["message"]), (403, &json!(message)));
    }
    let requested = seat(&east, "request", json!({ "deskId": desk("Control room"), "reason": "relief" })).await;
    assert_eq!((requested.status, at(&requested)), (200, Some(desk("East"))), "{requested:?}");
    let request = room_of(&planner).await["requests"][0].clone();
    assert_eq!((&request["by"], &request["reason"], &request["isOwn"]), (&json!("east Nair"), &json!("relief"), &json!(false)));
    let answer = json!({ "requestId": request["id"] });
    for (token, verb, body, status) in [
        (&east, "consent", &answer, 403),
        (&north, "consent", &answer, 403),
        (&north, "refuse", &answer, 403),
        (&east, "request", &json!({ "deskId": desk("Control room"), "reason": "again" }), 409),
        (&east, "request", &json!({ "deskId": desk("North"), "reason": " " }), 400),
        (&east, "request", &json!({ "deskId": 999_999, "reason": "x" }), 400),
    ] {
        let refused = seat(token, verb, body.clone()).await;
        assert_eq!(refused.status, status, "{verb} {body}: {refused:?}");
    }
    assert_eq!(seat(&planner, "consent", answer.clone()).await.status, 200);
    let seated = areas(&rig, &east).await;
    assert_eq!((seated["deskId"].as_i64(), &room_of(&east).await["requests"]), (Some(desk("Control room")), &json!([])));
    assert_eq!(seat(&planner, "consent", answer).await.status, 409, "it was answered");
    assert_eq!(sit(&east, "East", None).await.status, 200, "nobody else sits there");

    // A user requests the area, sits down at its desk with consent, and cannot agree there to the own request.
    let requested = hand_over(&rig, &east, rest, "request", json!({ "reason": "mine" })).await;
    let own = json!({ "requestId": area(&requested.json()["result"], "Rest")["requests"][0]["id"] });
    let requested = seat(&east, "request", json!({ "deskId": desk("Control room"), "reason": "relief" })).await;
    assert_eq!(requested.status, 200, "{requested:?}");
    let request = json!({ "requestId": room_of(&planner).await["requests"][0]["id"] });
    assert_eq!(seat(&planner, "consent", request).await.status, 200);
    let refused = hand_over(&rig, &east, rest, "consent", own.clone()).await;
    assert_eq!(
        (refused.status, &refused.json()["message"]),
        (403, &json!("You have made this request yourself. Another user must agree to it."))
    );
    assert_eq!(hand_over(&rig, &planner, rest, "consent", own).await.status, 200, "another user there agrees");

    // A supervisor sits down with a reason. East holds Rest now, and nobody sits there until North does.
    assert_eq!(sit(&north, "East", None).await.status, 200);
    assert_eq!(sit(&planner, "East", None).await.status, 403);
    assert_eq!(at(&sit(&planner, "East", Some("storm")).await), Some(desk("East")));
    let chosen = rig.count("audit WHERE action = 'desk_chosen' AND after->>'reason' = 'storm' AND after->>'desk' = 'East'").await;
    let consented =
        rig.count("audit WHERE action = 'desk_consented' AND after->>'desk' = 'Control room' AND before->>'desk' = 'East'").await;
    assert_eq!((chosen, consented, rig.count("audit WHERE action = 'desk_requested'").await), (1, 2, 2));
}

#[tokio::test]
async fn areas_are_changed_with_confirmed_credentials_and_only_as_a_whole_that_fits() {
    let rig = Rig::start().await;
    let (token, operator) = (rig.operator("planner", 2).await, rig.operator("operator", 4).await);
    let present = areas(&rig, &token).await;
    assert_eq!(present["desks"].as_array().map(Vec::len), Some(1));
    assert_eq!((&present["areas"][0]["name"], &present["areas"][0]["deskId"]), (&json!("Rest"), &present["deskId"]), "one area, one desk");
    let one = &rig.server.one;
    let (circle, division, foreign) = (one.circle.0, one.division.0, rig.server.two.circle.0);
    let room = json!({ "id": present["desks"][0]["id"], "name": "Main room" });
    let desks = json!([room, { "name": "East" }]);
    let harbour = |parts: Value| json!({ "name": "Harbour", "parts": parts });
    let put = async |body: &Value| rig.server.json_as(&token, "PUT", "/api/admin/areas", body).await;
    let good = json!({ "desks": desks, "areas": [harbour(json!([{ "nodeId": division }]))] });
    let refused = put(&good).await;
    assert_eq!(
        (refused.status, &refused.json()["message"]),
        (403, &json!("Confirm your user name and password to change areas and desks."))
    );
    rig.prove(&token, "planner").await;
    assert_eq!(rig.server.json_as(&operator, "PUT", "/api/admin/areas", &good).await.status, 403, "no administrator");
    for (body, message) in [
        (json!({ "desks": [{ "name": "East" }], "areas": [] }), "desk Control room cannot be deleted"),
        (json!({ "desks": desks, "areas": [harbour(json!([{ "nodeId": foreign }]))] }), "there is no node"),
        (json!({ "desks": desks, "areas": [harbour(json!([{ "container": "F1" }]))] }), "no feeder, line, bay or voltage level F1"),
        (json!({ "desks": desks, "areas": [harbour(json!([{}]))] }), "either nodeId or container"),
        (json!({ "desks": desks, "areas": [harbour(json!([{ "nodeId": circle }, { "nodeId": circle }]))] }), "a part belongs to one area"),
        (
            json!({ "desks": desks, "areas": [{ "id": present["areas"][0]["id"], "name": "All", "parts": [{ "nodeId": circle }] }] }),
            "no area with the id",
        ),
    ] {
        // Each attempt that is refused late has used its ticket.
        rig.prove(&token, "planner").await;
        let refused = put(&body).await;
        let said = refused.json()["message"].as_str().unwrap_or_default().to_owned();
        assert!(refused.status == 400 && said.contains(message), "{body}: {refused:?}");
    }
    assert_eq!(rig.count(&format!("area WHERE client_id = {}", one.client)).await, 1, "nothing was stored");
    rig.prove(&token, "planner").await;
    let stored = put(&good).await.json()["result"].clone();
    let held = area(&stored, "Harbour");
    assert_eq!(
        (&held["deskId"], &held["parts"][0]["nodeId"], &held["substations"]),
        (&json!(null), &json!(division), &json!([one.location.0])),
        "{held}"
    );
    assert_eq!(stored["desks"][1]["name"], "Main room", "{stored}");

    let east = operator_at(&rig, "east", 4, "East").await;
    let id = id_of(&stored, "areas", "Harbour");
    assert_eq!(hand_over(&rig, &east, id, "take", json!({})).await.status, 200);
    rig.prove(&token, "planner").await;
    let kept = json!({ "id": id, "name": "Old harbour", "parts": [{ "nodeId": division }] });
    let refused = put(&json!({ "desks": [room], "areas": [kept] })).await;
    assert_eq!(
        (refused.status, &refused.json()["message"]),
        (400, &json!("desk East holds Harbour: move that area to another desk first"))
    );
    rig.prove(&token, "planner").await;
    let gone = put(&json!({ "desks": [room], "areas": [] })).await;
    assert_eq!((gone.status, gone.json()["result"]["areas"].as_array().map(Vec::len)), (200, Some(1)), "{gone:?}");
    assert_eq!(areas(&rig, &east).await["deskId"], room["id"], "the session sits at the default desk again");
    assert_eq!(rig.count("audit WHERE action = 'areas_changed'").await, 2);
}
