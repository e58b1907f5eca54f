//! Attempts to get round areas, tags, entries and earths: by direct calls, by two calls at once, and from pages that are out of date. docs/reference/operating.md
//! lists them.

use std::time::Duration;

use grid::control::Action;
use serde_json::{Value, json};

use super::areas::{area, areas, hand_over, id_of, operator_at, plan};
use super::gateway::{Manner, pos};
use super::network::{activate, equipment, measured, opened, switch};
use super::races::until_waiting;
use super::rig::{CLOSED, OPEN, Rig};
use crate::server::Answer;

/// Time limit of each wait in a test.
const PATIENCE: Duration = Duration::from_secs(20);

/// A direct call of a user.
struct Call {
    what: &'static str,
    path: String,
    body: Value,
}

impl Call {
    fn new(what: &'static str, path: impl Into<String>, body: Value) -> Self {
        Self { what, path: path.into(), body }
    }

    fn operate(rig: &Rig, flag: &str, from: i32, to: i32) -> Self {
        Self::new("operate", "/api/digiops", rig.order(flag, from, to))
    }

    async fn send(&self, rig: &Rig, token: &str) -> Answer {
        if self.path == "/api/digiops" {
            return rig.post(token, &self.body).await;
        }
        let method = if ["/api/areas/desk", "/api/admin/areas"].contains(&self.path.as_str()) { "PUT" } else { "POST" };
        rig.server.json_as(token, method, &self.path, &self.body).await
    }
}

/// A network with a reported earth switch at D2 and a busbar that nothing feeds.
async fn started() -> Rig {
    let rig = Rig::start_with(json!({ "selectSeconds": 60 })).await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    switch(&rig, rig.server.one.other_location, "ES", "earthSwitch", OPEN).await;
    let more = vec![equipment("D2/ES", "GroundDisconnector", &["far"]), equipment("D2/X", "BusbarSection", &["spare"])];
    activate(&rig, "Breaker", more, vec![measured("D2/ES", "ES/ES/Pos")]).await;
    rig
}

fn earth(equipment: &str) -> Value {
    json!({ "kind": "portableEarth", "at": [{ "equipment": equipment, "terminal": 1 }], "reason": "works" })
}

async fn until_loaded(rig: &Rig, token: &str) {
    let is_loaded = async {
        while rig.server.get_as(token, "/api/network/entries/options?equipment=D2/ES").await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, is_loaded).await.expect("the network in time");
}

/// Sends a request that is carried out, and returns its result.
async fn done(rig: &Rig, token: &str, call: Call) -> Value {
    let answer = call.send(rig, token).await;
    assert_eq!(answer.status, 200, "{}: {answer:?}", call.what);
    answer.json()["result"].clone()
}

/// What a user who gets round a rule would change: the numbers of rows, and how often the breaker has moved.
async fn state(rig: &Rig) -> Vec<i64> {
    let counts = [
        "tag",
        "tag WHERE removed_at IS NULL",
        "manual_entry",
        "manual_entry WHERE withdrawn IS NULL",
        "temporary_change",
        "temporary_change WHERE removed IS NULL",
        "area",
        "area WHERE desk_id = (SELECT id FROM desk WHERE name = 'East')",
        "area_request WHERE ended IS NULL",
        "desk",
        "session_desk",
        "command WHERE state <> 'REFUSED'",
        "command WHERE state = 'SELECTED'",
    ]
    .map(|rows| format!("(SELECT count(*) FROM {rows})"));
    let statement = format!("SELECT ARRAY[{}]", counts.join(", "));
    let mut counts: Vec<i64> = rig.server.database.client().await.query_one(&statement, &[]).await.expect("numbers").get(0);
    counts.push(i64::try_from(rig.gateway.moves()).expect("few"));
    counts
}

/// Waits for a new report of the breaker, because a command needs one that is not too old.
async fn reported(rig: &Rig, token: &str, position: i32) {
    let before = rig.status(token).await["sourceTime"].as_i64();
    rig.gateway.report(pos(position)).await;
    rig.until_status(token, |status| status["sourceTime"].as_i64() > before).await;
}

/// What the desk East has in its area, which the others try to change.
struct Held {
    tag: Value,
    entry: Value,
    earth: Value,
    command: Value,
    harbour: i64,
    east: i64,
    room: i64,
    request: Value,
}

impl Held {
    async fn prepare(rig: &Rig, east: &str, north: &str) -> Self {
        let present = areas(rig, east).await;
        let harbour = id_of(&present, "areas", "Harbour");
        assert_eq!(hand_over(rig, east, harbour, "take", json!({})).await.status, 200);
        let breaker = rig.server.one.breaker.0;
        let tag = Call::new("tag", "/api/tags", json!({ "assetId": breaker, "kind": "caution", "reason": "slow" }));
        let entry = json!({ "equipment": "D2/ES", "position": "open", "reason": "seen", "rule": "untilWithdrawn" });
        let tag = done(rig, east, tag).await["id"].clone();
        let entry = done(rig, east, Call::new("entry", "/api/network/entries", entry)).await["id"].clone();
        let earth = done(rig, east, Call::new("earth", "/api/network/temporary", earth("D2/X"))).await["id"].clone();
        let requested = hand_over(rig, north, harbour, "request", json!({ "reason": "the east is busy" })).await.json()["result"].clone();
        let request = area(&requested, "Harbour")["requests"][0]["id"].clone();
        assert_eq!(rig.state(east, "isSelect", CLOSED, OPEN).await, "SELECTED");
        let command = rig.newest(east).await["commandId"].clone();
        let (east, room) = (id_of(&present, "desks", "East"), id_of(&present, "desks", "Control room"));
        Self { tag, entry, earth, command, harbour, east, room, request }
    }

    /// Every call that would change something in the area of another desk.
    fn calls(&self, rig: &Rig) -> Vec<Call> {
        let (breaker, location, harbour) = (rig.server.one.breaker.0, rig.server.one.location.0, self.harbour);
        let mut execute = rig.order("isExecute", CLOSED, OPEN);
        execute["commandId"] = self.command.clone();
        let entry = json!({ "equipment": "D2/ES", "position": "open", "reason": "x", "rule": "untilWithdrawn" });
        let cut = json!({ "kind": "cut", "at": [{ "equipment": "D1/L", "terminal": 2 }], "reason": "x", "seenDead": true });
        let both = [json!({ "equipment": "D2/X", "terminal": 1 }), json!({ "equipment": "D2/C", "terminal": 1 })];
        let jumper = json!({ "kind": "jumper", "at": both, "reason": "x", "seenDead": true });
        let reason = || json!({ "reason": "x" });
        let to_room = json!({ "deskId": self.room, "reason": "x" });
        let answer = json!({ "requestId": self.request });
        let desks = [json!({ "id": self.room, "name": "Control room" }), json!({ "id": self.east, "name": "East" })];
        vec![
            Call::operate(rig, "directOperate", CLOSED, OPEN),
            Call::operate(rig, "isSelect", CLOSED, OPEN),
            Call::operate(rig, "isExecute", CLOSED, OPEN),
            Call::new("execute the selection of the other desk", "/api/digiops", execute),
            Call::new("tag the device", "/api/tags", json!({ "assetId": breaker, "kind": "inhibit", "reason": "x" })),
            Call::new("tag its feeder", "/api/tags", json!({ "assetId": rig.server.one.feeder.0, "kind": "inhibit", "reason": "x" })),
            Call::new("tag its substation", "/api/tags", json!({ "locationId": location, "kind": "inhibit", "reason": "x" })),
            Call::new("remove the tag", format!("/api/tags/{}/remove", self.tag), reason()),
            Call::new("enter a position", "/api/network/entries", entry),
            Call::new("withdraw the entry", format!("/api/network/entries/{}/withdraw", self.entry), reason()),
            Call::new("place an earth", "/api/network/temporary", earth("D2/X")),
            Call::new("place a cut", "/api/network/temporary", cut),
            Call::new("place a jumper", "/api/network/temporary", jumper),
            Call::new("remove the earth", format!("/api/network/temporary/{}/remove", self.earth), reason()),
            Call::new("take the area", format!("/api/areas/{harbour}/take"), json!({})),
            Call::new("move the area", format!("/api/areas/{harbour}/move"), to_room.clone()),
            Call::new("offer the area", format!("/api/areas/{harbour}/offer"), to_room),
            Call::new("consent in place of the holder", format!("/api/areas/{harbour}/consent"), answer.clone()),
            Call::new("refuse in place of the holder", format!("/api/areas/{harbour}/refuse"), answer),
            Call::new("change the areas", "/api/admin/areas", json!({ "desks": desks, "areas": [] })),
        ]
    }
}

#[tokio::test]
async fn nothing_in_the_area_of_another_desk_is_reached_by_direct_calls() {
    let rig = started().await;
    let planner = rig.operator("planner", 2).await;
    until_loaded(&rig, &planner).await;
    rig.until_status(&planner, |status| status["operable"] == true).await;
    assert_eq!(plan(&rig, &planner, "planner", &[("Harbour", rig.server.one.circle.0)]).await.status, 200);
    let (east, north) = (operator_at(&rig, "east", 2, "East").await, operator_at(&rig, "north", 4, "North").await);
    let held = Held::prepare(&rig, &east, &north).await;
    // An operator at the default desk, a supervisor without permission to operate, and an administrator of another utility.
    let west = rig.person("west", 4, Some(rig.server.one.circle), true).await;
    let reader = rig.person("reader", 2, None, false).await;
    let foreign = rig.server.sign_in("two-admin").await;
    let ended = rig.operator("gone", 2).await;
    let client = rig.server.database.client().await;
    let member: i64 = client.query_one("SELECT id FROM member WHERE username = 'gone'", &[]).await.expect("a member").get(0);
    assert_eq!(rig.server.get_as(&ended, &format!("/api/member/logout/{member}")).await.status, 200);
    let before = state(&rig).await;
    for (who, token, permitted) in [
        ("an operator at another desk", &west, &[403, 409, 422][..]),
        ("a supervisor without permission to operate", &reader, &[403]),
        ("an administrator of another utility", &foreign, &[403, 404]),
        ("a user whose session has ended", &ended, &[401]),
        ("nobody", &"x".to_owned(), &[401]),
    ] {
        for call in held.calls(&rig) {
            let answer = call.send(&rig, token).await;
            assert!(permitted.contains(&answer.status), "{who}: {} ({}): {answer:?}", call.what, call.path);
            assert!(answer.json()["message"].as_str().is_some_and(|message| !message.is_empty()), "{who}: {}: {answer:?}", call.what);
            assert_eq!(state(&rig).await, before, "{who}: {} ({}): {answer:?}", call.what, call.path);
        }
        // Cancelling needs no area, but only ends an own selection.
        let mut cancel = rig.order("isCancel", CLOSED, OPEN);
        cancel["commandId"] = held.command.clone();
        let answer = rig.post(token, &cancel).await;
        assert_eq!(state(&rig).await, before, "{who}: {answer:?}");
    }
    // Users without permission to operate have no desk.
    for token in [&reader, &foreign] {
        let sits = Call::new("sit down", "/api/areas/desk", json!({ "deskId": held.east })).send(&rig, token).await;
        assert!([400, 403].contains(&sits.status), "{sits:?}");
    }
    assert_eq!(state(&rig).await, before);
    assert_eq!(rig.gateway.actions(), [Action::Select]);
}

/// Sends two calls at once, of which the first is decided first.
async fn race(rig: &Rig, (one, first): (&str, &Call), (other, second): (&str, &Call)) -> [Answer; 2] {
    let mut client = rig.server.database.client().await;
    let lock = client.transaction().await.expect("a transaction");
    let locked = "SELECT FROM stream WHERE client_id = $1 AND kind IN ('area', 'command', 'tag') ORDER BY kind FOR UPDATE";
    lock.execute(locked, &[&rig.server.one.client.0]).await.expect("locked");
    let (first, second, ()) = tokio::join!(
        first.send(rig, one),
        async {
            until_waiting(rig, 1).await;
            second.send(rig, other).await
        },
        async {
            until_waiting(rig, 2).await;
            lock.rollback().await.expect("released");
        }
    );
    [first, second]
}

#[tokio::test]
async fn of_closing_and_earthing_at_once_one_is_refused() {
    let rig = started().await;
    let (token, other) = (rig.operator("operating", 2).await, rig.operator("placing", 2).await);
    opened(&rig, &token).await;
    let is_dead = async {
        let terminals = "/api/network/temporary/terminals?equipment=D2/C";
        while rig.server.get_as(&token, terminals).await.json()["result"]["terminals"][0]["state"] != "dead" {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, is_dead).await.expect("dead in time");
    let close = Call::operate(&rig, "directOperate", OPEN, CLOSED);
    let place = Call::new("place an earth", "/api/network/temporary", earth("D2/C"));

    let [placed, refused] = race(&rig, (&other, &place), (&token, &close)).await;
    assert_eq!((placed.status, refused.status), (200, 409), "{placed:?} {refused:?}");
    let number = placed.json()["result"]["id"].clone();
    let remove = || Call::new("remove the earth", format!("/api/network/temporary/{number}/remove"), json!({ "reason": "done" }));
    // Of two tabs that remove it, one removes it.
    let [removed, late] = race(&rig, (&token, &remove()), (&other, &remove())).await;
    assert_eq!((removed.status, late.status), (200, 404), "{removed:?} {late:?}");
    // Of two tabs that place one at the same place, one places it.
    let [placed, late] = race(&rig, (&token, &place), (&other, &place)).await;
    assert_eq!((placed.status, late.status), (200, 409), "{placed:?} {late:?}");
    let number = placed.json()["result"]["id"].clone();
    done(&rig, &token, Call::new("remove", format!("/api/network/temporary/{number}/remove"), json!({ "reason": "done" }))).await;

    // A selection from before the earth is not executed.
    reported(&rig, &token, OPEN).await;
    assert_eq!(rig.state(&token, "isSelect", OPEN, CLOSED).await, "SELECTED");
    let execute = Call::operate(&rig, "isExecute", OPEN, CLOSED);
    let [placed, refused] = race(&rig, (&other, &place), (&token, &execute)).await;
    assert_eq!((placed.status, refused.status), (200, 409), "{placed:?} {refused:?}");
    let number = placed.json()["result"]["id"].clone();
    done(&rig, &token, Call::new("remove", format!("/api/network/temporary/{number}/remove"), json!({ "reason": "done" }))).await;
    let _ = rig.post(&token, &rig.order("isCancel", OPEN, CLOSED)).await;

    reported(&rig, &token, OPEN).await;
    let moves = rig.gateway.moves();
    rig.gateway.behave(Manner::Stuck);
    let [closed, refused] = race(&rig, (&token, &close), (&other, &place)).await;
    assert_eq!((closed.status, refused.status), (200, 409), "{closed:?} {refused:?}");
    assert!(refused.body.contains("A command is on its way"), "{refused:?}");
    assert_eq!((rig.gateway.moves(), rig.count("temporary_change WHERE removed IS NULL").await), (moves, 0));
}

#[tokio::test]
async fn what_comes_first_decides_between_a_command_and_a_tag_or_an_area() {
    let rig = Rig::start_with(json!({ "selectSeconds": 60 })).await;
    let west = rig.operator("west", 2).await;
    assert_eq!(plan(&rig, &west, "west", &[]).await.status, 200);
    let east = operator_at(&rig, "east", 2, "East").await;
    let present = areas(&rig, &east).await;
    let (rest, desk, room) = (id_of(&present, "areas", "Rest"), id_of(&present, "desks", "East"), id_of(&present, "desks", "Control room"));
    let to = |desk: i64| Call::new("move the area", format!("/api/areas/{rest}/move"), json!({ "deskId": desk, "reason": "storm" }));
    let open = Call::operate(&rig, "directOperate", CLOSED, OPEN);

    let [moved, refused] = race(&rig, (&east, &to(desk)), (&west, &open)).await;
    assert_eq!((moved.status, refused.status), (200, 403), "{moved:?} {refused:?}");
    // Of two tabs that move it back, one does.
    let [moved, late] = race(&rig, (&east, &to(room)), (&west, &to(room))).await;
    assert_eq!((moved.status, late.status), (200, 409), "{moved:?} {late:?}");
    // Of consent and refusal at once, the first counts.
    let requested = hand_over(&rig, &east, rest, "request", json!({ "reason": "busy" })).await.json()["result"].clone();
    let answer = json!({ "requestId": area(&requested, "Rest")["requests"][0]["id"] });
    let [refuse, consent] =
        ["refuse", "consent"].map(|verb| Call::new("answer the request", format!("/api/areas/{rest}/{verb}"), answer.clone()));
    let [refused, late] = race(&rig, (&west, &refuse), (&west, &consent)).await;
    assert_eq!((refused.status, late.status), (200, 409), "{refused:?} {late:?}");
    assert_eq!(area(&areas(&rig, &east).await, "Rest")["deskId"], room);

    // A selection is not executed after the area has passed, nor after an inhibit.
    let execute = Call::operate(&rig, "isExecute", CLOSED, OPEN);
    reported(&rig, &west, CLOSED).await;
    assert_eq!(rig.state(&west, "isSelect", CLOSED, OPEN).await, "SELECTED");
    let [moved, refused] = race(&rig, (&east, &to(desk)), (&west, &execute)).await;
    assert_eq!((moved.status, refused.status), (200, 403), "{moved:?} {refused:?}");
    done(&rig, &east, to(room)).await;
    let inhibit = json!({ "assetId": rig.server.one.breaker.0, "kind": "inhibit", "reason": "men at work" });
    let inhibit = Call::new("tag", "/api/tags", inhibit);
    assert_eq!(rig.state(&west, "isSelect", CLOSED, OPEN).await, "SELECTED");
    let [placed, refused] = race(&rig, (&west, &inhibit), (&west, &execute)).await;
    assert_eq!((placed.status, refused.status), (200, 409), "{placed:?} {refused:?}");
    // On a busy machine, more than 10 s may have passed.
    rig.sql("UPDATE tag SET placed_at = clock_timestamp()").await;
    let [repeated, refused] = race(&rig, (&west, &inhibit), (&west, &open)).await;
    assert_eq!((repeated.status, refused.status), (200, 409), "{repeated:?} {refused:?}");
    assert_eq!(repeated.json()["result"]["id"], placed.json()["result"]["id"], "a tag that two tabs place is one tag");
    assert_eq!(rig.gateway.moves(), 0);
}

#[tokio::test]
async fn page_that_is_out_of_date_changes_nothing() {
    let rig = started().await;
    let token = rig.operator("operating", 2).await;
    opened(&rig, &token).await;
    until_loaded(&rig, &token).await;
    let reason = json!({ "reason": "x" });
    let present = areas(&rig, &token).await;
    let rest = id_of(&present, "areas", "Rest");
    let entry = |position: &str| {
        let entry = json!({ "equipment": "D2/ES", "position": position, "reason": "seen", "rule": "untilWithdrawn" });
        Call::new("entry", "/api/network/entries", entry)
    };
    let earth = done(&rig, &token, Call::new("earth", "/api/network/temporary", earth("D2/X"))).await["id"].clone();
    let remove = || Call::new("remove an earth that is removed", format!("/api/network/temporary/{earth}/remove"), reason.clone());
    done(&rig, &token, remove()).await;
    let replaced = done(&rig, &token, entry("open")).await["id"].clone();
    done(&rig, &token, entry("open")).await;
    let tag = json!({ "assetId": rig.server.one.breaker.0, "kind": "caution", "reason": "slow" });
    let tag = done(&rig, &token, Call::new("tag", "/api/tags", tag)).await["id"].clone();
    let untag = || Call::new("remove a tag that is removed", format!("/api/tags/{tag}/remove"), reason.clone());
    done(&rig, &token, untag()).await;
    let before = state(&rig).await;
    let stale_plan = json!({ "desks": [{ "id": id_of(&present, "desks", "Control room"), "name": "Room" }], "areas": [{ "id": 999_999, "name": "Gone", "parts": [] }] });
    rig.prove(&token, "operating").await;
    for (call, status) in [
        (Call::operate(&rig, "directOperate", CLOSED, OPEN), 409),
        (Call::operate(&rig, "isSelect", CLOSED, OPEN), 409),
        (Call::operate(&rig, "isExecute", OPEN, CLOSED), 409),
        (remove(), 404),
        (untag(), 404),
        (Call::new("withdraw an entry that was replaced", format!("/api/network/entries/{replaced}/withdraw"), reason.clone()), 404),
        (Call::new("answer a request that has ended", format!("/api/areas/{rest}/consent"), json!({ "requestId": 999_999 })), 409),
        (Call::new("request an own area", format!("/api/areas/{rest}/request"), reason.clone()), 409),
        (Call::new("take an own area", format!("/api/areas/{rest}/take"), json!({})), 409),
        (Call::new("change areas that were deleted", "/api/admin/areas", stale_plan), 400),
        (Call::new("sit down at a desk that was deleted", "/api/areas/desk", json!({ "deskId": 999_999 })), 400),
    ] {
        let answer = call.send(&rig, &token).await;
        assert_eq!(answer.status, status, "{} ({}): {answer:?}", call.what, call.path);
        assert_eq!(state(&rig).await, before, "{} ({}): {answer:?}", call.what, call.path);
    }
    // The key of an earlier action with another content.
    let key = testkit::unique("key");
    reported(&rig, &token, OPEN).await;
    assert_eq!(rig.post_keyed(&token, &key, &rig.order("isSelect", OPEN, CLOSED)).await.status, 200);
    assert_eq!(rig.post_keyed(&token, &key, &rig.order("directOperate", OPEN, CLOSED)).await.status, 409);
    assert_eq!(rig.count("command WHERE mode = 'direct' AND state <> 'REFUSED'").await, 1, "only the one that has opened it");
}

#[tokio::test]
async fn inhibit_is_not_removed_without_permission_to_operate() {
    let rig = Rig::start().await;
    let holder = rig.operator("holder", 4).await;
    let reader = rig.person("reader", 2, None, false).await;
    let inhibit = json!({ "assetId": rig.server.one.breaker.0, "kind": "inhibit", "reason": "men at work" });
    let tag = done(&rig, &holder, Call::new("tag", "/api/tags", inhibit)).await["id"].clone();
    let remove = Call::new("remove the tag", format!("/api/tags/{tag}/remove"), json!({ "reason": "x" }));
    let refused = remove.send(&rig, &reader).await;
    assert_eq!(
        (refused.status, &refused.json()["message"]),
        (403, &json!("You need permission to operate to remove a tag.")),
        "{refused:?}"
    );
    // Nor by its holder after the permission was withdrawn.
    rig.sql("UPDATE member SET can_operate = false WHERE username = 'holder'").await;
    let holder = rig.server.sign_in("holder").await;
    assert_eq!(remove.send(&rig, &holder).await.status, 403);
    assert_eq!(rig.count("tag WHERE removed_at IS NULL").await, 1);
}
