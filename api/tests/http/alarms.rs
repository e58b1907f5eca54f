//! Alarms, faults and trackers: permissions to see and to act, and notification of the hubs.

use grid::alarm::{Act, AlarmKind, AlarmRecord, Life};
use grid::fault::{BayEvent, Effect, FaultRecord, step};
use grid::{ClientId, NodeId};
use serde_json::{Value, json};
use store::Store;
use store::alarm::{Ledger, StepResult};
use wire::bus::BusMessage;

use crate::field::{Utility, feed, reading};
use crate::server::{BusMessages, Server};

async fn store(server: &Server) -> Store {
    Store::connect(server.database.url(), 1).await.expect("connected")
}

/// Returns an alarm as the service would store it, raised at second `second` of the epoch.
fn record(utility: &Utility, source: &str, location: NodeId) -> AlarmRecord {
    AlarmRecord {
        client: utility.client,
        id: 0,
        source: source.to_owned(),
        kind: AlarmKind::High,
        priority: 2,
        point: Some(utility.current),
        asset: Some(utility.feeder),
        asset_name: None,
        location,
        location_name: String::new(),
        text: "Load high".to_owned(),
        value: Some(412.5),
        limit: Some(400.0),
        unit: "A".to_owned(),
        customers: 7,
        life: Life::default(),
        acknowledged_by: None,
        shelved_by: None,
        shelved_reason: None,
        owner: None,
        note: None,
        offset: 0,
        raised_offset: 0,
        cause: None,
        cause_id: None,
    }
}

async fn enter(store: &Store, client: ClientId, sources: &[&str], decide: impl FnOnce(&mut Ledger)) -> Vec<AlarmRecord> {
    let sources: Vec<String> = sources.iter().map(|source| (*source).to_owned()).collect();
    match store.enter_alarms(client, None, (&sources, &[]), decide).await.expect("entered") {
        StepResult::Done { alarms, .. } => alarms.rows,
        StepResult::Elsewhere => panic!("no cursor was moved"),
    }
}

/// Applies acts to an alarm, as the service does.
async fn act(store: &Store, alarm: AlarmRecord, acts: &[Act]) -> AlarmRecord {
    let client = alarm.client;
    let source = alarm.source.clone();
    let rows = enter(store, client, &[&source], |ledger| {
        let mut alarm = ledger.alarm(&source).cloned().unwrap_or(alarm);
        for act in acts {
            if let Some(change) = alarm.life.step(*act).change() {
                ledger.put_alarm(alarm.clone(), change);
            }
        }
    })
    .await;
    rows.last().expect("a change").clone()
}

fn second(second: i64) -> grid::Micros {
    grid::Micros::from_millis(second * 1_000)
}

async fn states_of(bus: &mut BusMessages) -> Vec<(i64, String)> {
    loop {
        let message = bus.next().await;
        if let BusMessage::Alarms { rows, .. } = &*message {
            return rows.iter().map(|row| (row.offset, row.state.clone())).collect();
        }
    }
}

#[tokio::test]
async fn alarms_are_acknowledged_as_far_as_they_were_seen() {
    let server = Server::start().await;
    let (store, one) = (store(&server).await, &server.one);
    let first = act(&store, record(one, "point/1/high", one.location), &[Act::Raise(second(1))]).await;
    let token = server.sign_in("one-admin").await;
    let listed = server.get_as(&token, &format!("/api/alarms/location/{}", one.location)).await.json();
    assert_eq!((&listed["offset"], listed["result"].as_array().map(Vec::len)), (&json!(1), Some(1)), "{listed}");
    let row = &listed["result"][0];
    assert_eq!(
        (&row["id"], &row["state"], &row["value"], &row["unit"]),
        (&json!(first.id), &json!("active_unacked"), &json!(412.5), &json!("A"))
    );
    assert_eq!((&row["assetName"], &row["locationName"]), (&json!("one F1"), &json!("D1 location")), "{row}");
    // It is cleared and raised again before a user acts: the acknowledgement is for the first time.
    act(&store, first.clone(), &[Act::Clear(second(2)), Act::Raise(second(3))]).await;
    let mut bus = server.bus_messages();
    let path = "/api/alarms/acknowledge";
    let behind = server.json_as(&token, "POST", path, &json!({ "ids": [first.id], "offset": 1 })).await;
    assert_eq!((behind.status, &behind.json()["result"]), (200, &json!({ "acknowledged": [], "newer": [first.id] })), "{behind:?}");
    let now = server.json_as(&token, "POST", path, &json!({ "ids": [first.id], "offset": 3 })).await;
    assert_eq!((now.status, &now.json()["result"]), (200, &json!({ "acknowledged": [first.id], "newer": [] })), "{now:?}");
    assert_eq!(states_of(&mut bus).await, [(4, "active_acked".to_owned())], "the first request has published nothing");
    let listed = server.get_as(&token, &format!("/api/alarms/asset/{}", one.feeder)).await.json();
    assert_eq!((&listed["result"][0]["acknowledgedBy"], &listed["result"][0]["count"]), (&json!("A B"), &json!(2)), "{listed}");
    // It is cleared: it leaves the list, and the history has each of its changes.
    act(&store, first.clone(), &[Act::Clear(second(4))]).await;
    let of_client = format!("/api/alarms/client/{}", one.client);
    assert_eq!(server.get_as(&token, &of_client).await.json()["result"], json!([]));
    let past = server.get_as(&token, &format!("{of_client}?history=2026-01-01T00:00:00Z,2026-12-31T00:00:00Z")).await.json();
    let states: Vec<&str> = past["result"].as_array().expect("rows").iter().filter_map(|row| row["state"].as_str()).collect();
    assert_eq!(states, ["normal", "active_acked", "active_unacked", "cleared_unacked", "active_unacked"], "{past}");
    assert_eq!(server.get_as(&token, &format!("{of_client}?history=yesterday")).await.status, 400);
    let audited = server.audited(one.client).await;
    let acknowledged: Vec<_> = audited.iter().filter(|(action, _)| action == "alarm_acknowledged").collect();
    assert_eq!(acknowledged, [&("alarm_acknowledged".to_owned(), format!("alarm {}", first.id))]);
}

#[tokio::test]
async fn what_holds_and_nobody_has_seen_comes_first() {
    let server = Server::start().await;
    let (store, one) = (store(&server).await, &server.one);
    let with = |source: &str, priority| AlarmRecord { priority, ..record(one, source, one.location) };
    let over = act(&store, with("point/1/high", 1), &[Act::Raise(second(9)), Act::Clear(second(10))]).await;
    let known = Act::Acknowledge { seen: 1, at: second(9) };
    let known = act(&store, with("point/2/high", 1), &[Act::Raise(second(8)), known]).await;
    let minor = act(&store, with("point/3/high", 3), &[Act::Raise(second(1))]).await;
    let urgent = act(&store, with("point/4/high", 1), &[Act::Raise(second(2))]).await;
    let newer = act(&store, with("point/5/high", 1), &[Act::Raise(second(3))]).await;
    let token = server.sign_in("one-admin").await;
    let listed = server.get_as(&token, &format!("/api/alarms/client/{}", one.client)).await.json();
    let ids: Vec<i64> = listed["result"].as_array().expect("rows").iter().filter_map(|row| row["id"].as_i64()).collect();
    assert_eq!(ids, [newer.id, urgent.id, minor.id, known.id, over.id], "{listed}");
}

#[tokio::test]
async fn an_alarm_is_shelved_noted_and_taken_back() {
    let server = Server::start().await;
    let (store, one) = (store(&server).await, &server.one);
    let alarm = act(&store, record(one, "point/1/high", one.location), &[Act::Raise(second(1))]).await;
    let token = server.sign_in("one-admin").await;
    let post = async |path: &str, body: Value| server.json_as(&token, "POST", &format!("/api/alarms/{path}"), &body).await;
    let shelved = post("shelve", json!({ "id": alarm.id, "minutes": 30, "reason": " known " })).await;
    let row = shelved.json()["result"].clone();
    assert_eq!(
        (shelved.status, &row["shelvedReason"], &row["shelvedBy"], &row["state"]),
        (200, &json!("known"), &json!("A B"), &json!("active_unacked"))
    );
    assert!(row["shelvedUntil"].is_string(), "{row}");
    let noted = post("note", json!({ "id": alarm.id, "owner": "Ravi", "note": "Crew is under way" })).await.json();
    assert_eq!((&noted["result"]["owner"], &noted["result"]["shelvedBy"]), (&json!("Ravi"), &json!("A B")), "{noted}");
    let noted = post("note", json!({ "id": alarm.id, "note": "" })).await.json();
    assert_eq!((&noted["result"]["owner"], &noted["result"]["note"]), (&json!("Ravi"), &Value::Null), "what is left out stays");
    let back = post("unshelve", json!({ "id": alarm.id })).await.json();
    assert_eq!((&back["result"]["shelvedUntil"], &back["result"]["shelvedReason"]), (&Value::Null, &Value::Null), "{back}");
    for (path, body, status) in [
        ("shelve", json!({ "id": alarm.id, "minutes": 0, "reason": "x" }), 400),
        ("shelve", json!({ "id": alarm.id, "minutes": 10_081, "reason": "x" }), 400),
        ("shelve", json!({ "id": alarm.id, "minutes": 1, "reason": " " }), 400),
        ("shelve", json!({ "id": alarm.id + 1, "minutes": 1, "reason": "x" }), 404),
        ("note", json!({ "id": alarm.id, "owner": "x".repeat(101) }), 400),
        ("note", json!({ "id": alarm.id, "unknown": 1 }), 400),
        ("acknowledge", json!({ "ids": [], "offset": 9 }), 400),
        ("acknowledge", json!({ "ids": [alarm.id] }), 400),
        ("acknowledge", json!({ "ids": [alarm.id, alarm.id + 1], "offset": 9 }), 404),
    ] {
        let answer = post(path, body.clone()).await;
        assert_eq!(answer.status, status, "{path} {body}: {answer:?}");
    }
    let audited = server.audited(one.client).await;
    let mut actions: Vec<&str> = audited.iter().map(|(action, _)| action.as_str()).filter(|action| action.starts_with("alarm_")).collect();
    actions.sort_unstable();
    assert_eq!(actions, ["alarm_noted", "alarm_noted", "alarm_shelved", "alarm_unshelved"]);
}

#[tokio::test]
async fn nobody_sees_or_acts_beyond_their_own_node() {
    let server = Server::start().await;
    let (store, one, two) = (store(&server).await, &server.one, &server.two);
    let raise = [Act::Raise(second(1))];
    let own = act(&store, record(one, "point/1/high", one.location), &raise).await;
    let beside = act(&store, AlarmRecord { asset: None, point: None, ..record(one, "gateway/9", one.other_location) }, &raise).await;
    let foreign = act(&store, record(two, "point/2/high", two.location), &raise).await;
    // A user of the other division sees only the alarms there.
    let stranger = server.sign_in("one-division").await;
    let seen = async |path: String| -> (u16, Vec<i64>) {
        let answer = server.get_as(&stranger, &path).await;
        let ids = |rows: &Value| rows.as_array().into_iter().flatten().filter_map(|row| row["id"].as_i64()).collect();
        (answer.status, ids(&answer.json()["result"]))
    };
    assert_eq!(seen(format!("/api/alarms/client/{}", one.client)).await, (200, vec![beside.id]));
    assert_eq!(seen(format!("/api/alarms/location/{}", one.other_location)).await, (200, vec![beside.id]));
    for path in [
        format!("/api/alarms/location/{}", one.location),
        format!("/api/alarms/asset/{}", one.feeder),
        format!("/api/alarms/circle/{}", one.circle),
        format!("/api/alarms/client/{}", two.client),
        format!("/api/alarms/division/{}", one.other_location),
        "/api/alarms/planet/1".to_owned(),
    ] {
        assert_eq!(seen(path.clone()).await, (404, vec![]), "{path}");
    }
    let acknowledge = async |token: &str, ids: &[i64]| {
        server.json_as(token, "POST", "/api/alarms/acknowledge", &json!({ "ids": ids, "offset": 9 })).await.status
    };
    assert_eq!(acknowledge(&stranger, &[own.id, beside.id]).await, 404, "none of them, where one may not be seen");
    assert_eq!(acknowledge(&stranger, &[foreign.id]).await, 404);
    assert_eq!(acknowledge(&stranger, &[beside.id]).await, 200);
    let admin = server.sign_in("one-admin").await;
    assert_eq!(acknowledge(&admin, &[foreign.id]).await, 404);
    // A role with the diagram read-only may not act.
    let client = server.database.client().await;
    let read_only =
        "UPDATE page_access SET is_readonly = true WHERE role_id = 4 AND page_id = (SELECT id FROM page WHERE tab_key = 'dashboard.sld')";
    client.execute(read_only, &[]).await.expect("updated");
    let again = act(&store, record(one, "gateway/8", one.other_location), &raise).await;
    assert_eq!(acknowledge(&stranger, &[again.id]).await, 403);
    // A user without a node sees nothing.
    server.enter("nowhere", 4, None).await;
    let nowhere = server.sign_in("nowhere").await;
    assert_eq!(server.get_as(&nowhere, &format!("/api/alarms/client/{}", one.client)).await.status, 404);
    assert_eq!(server.get_as(&nowhere, "/api/faultdata/faultsbyuserrole").await.json()["result"], json!([]));
}

#[tokio::test]
async fn rules_are_checked_replaced_and_told() {
    let server = Server::start().await;
    let one = &server.one;
    let (admin, path) = (server.sign_in("one-admin").await, format!("/api/admin/alarmsettings/{}", one.current));
    assert_eq!(server.get_as(&admin, &path).await.json()["result"], json!({ "rules": [] }));
    let mut bus = server.bus_messages();
    let rule = json!({ "kind": "high", "limit": 400.0, "deadband": 10.0, "onDelayS": 5, "priority": 2, "text": "Load" });
    let stored = server.json_as(&admin, "PUT", &path, &json!({ "rules": [rule] })).await;
    let full = json!({ "rules": [{
        "kind": "high", "enabled": true, "limit": 400.0, "deadband": 10.0, "stateValue": null, "onDelayS": 5, "offDelayS": 0, "priority": 2, "text": "Load"
    }] });
    assert_eq!((stored.status, &stored.json()["result"]), (200, &full), "{stored:?}");
    assert_eq!(server.get_as(&admin, &path).await.json()["result"], full);
    let message = bus.next().await;
    assert!(matches!(*message, BusMessage::AlarmRules { client } if client == one.client.0), "{message:?}");
    let status = format!("/api/admin/alarmsettings/{}", one.position);
    for (path, rule, expected_message) in [
        (
            &path,
            json!({ "kind": "state", "stateValue": 1.0, "priority": 1 }),
            "rules[0].kind must be high, low, high_high, low_low or data",
        ),
        (&path, json!({ "kind": "trip", "priority": 1 }), "rules[0].kind"),
        (&path, json!({ "kind": "high", "priority": 1 }), "rules[0].limit must be a number"),
        (&path, json!({ "kind": "data", "limit": 1.0, "priority": 1 }), "rules[0].limit has no place"),
        (&path, json!({ "kind": "low", "limit": 1.0, "priority": 4 }), "rules[0].priority"),
        (&path, json!({ "kind": "low", "limit": 1.0, "priority": 3, "deadband": -1.0 }), "rules[0].deadband"),
        (&path, json!({ "kind": "low", "limit": 1.0, "priority": 3, "onDelayS": 86_401 }), "rules[0].onDelayS"),
        (&status, json!({ "kind": "high", "limit": 1.0, "priority": 1 }), "rules[0].kind must be state"),
        (&status, json!({ "kind": "state", "priority": 1 }), "rules[0].stateValue"),
    ] {
        let answer = server.json_as(&admin, "PUT", path, &json!({ "rules": [rule] })).await;
        assert!(answer.status == 400 && answer.body.contains(expected_message), "{rule}: {answer:?}");
    }
    let twice = json!({ "rules": [rule, rule] });
    assert!(server.json_as(&admin, "PUT", &path, &twice).await.body.contains("rules[1].kind is there already"));
    assert_eq!(server.get_as(&admin, &path).await.json()["result"], full, "nothing of that has changed anything");
    let division = server.sign_in("one-division").await;
    assert_eq!(server.json_as(&division, "PUT", &path, &full).await.status, 403);
    let foreign = format!("/api/admin/alarmsettings/{}", server.two.current);
    assert_eq!(server.json_as(&admin, "PUT", &foreign, &full).await.status, 404);
    assert!(server.audited(one.client).await.contains(&("alarm_settings_changed".to_owned(), format!("point {}", one.current))));
}

#[tokio::test]
async fn faults_are_rows_of_the_specification() {
    let server = Server::start().await;
    let (store, one) = (store(&server).await, &server.one);
    let now = grid::Micros(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_micros() as i64);
    let trip = BayEvent::Opened { by_protection: true, ordered: false };
    let Effect::Begins(mut fault) = step(None, now.plus_millis(-600_000), trip) else { panic!("it begins") };
    fault.take_currents([Some(3_000.0), Some(90.0), Some(95.0)]);
    let record = FaultRecord {
        client: one.client,
        id: 0,
        breaker: one.position,
        asset: one.feeder,
        asset_name: String::new(),
        location: one.location,
        location_name: String::new(),
        customers: 1_500,
        fault,
        offset: 0,
    };
    store.enter_alarms(one.client, None, (&[], &[one.position]), |ledger| ledger.put_fault(record)).await.expect("entered");
    let token = server.sign_in("one-admin").await;
    for path in [
        format!("/api/faultdata/bytypeandid/location/{}", one.location),
        format!("/api/faultdata/bytypeandid/asset/{}", one.feeder),
        "/api/faultdata/faultsbyuserrole?days=1".to_owned(),
    ] {
        let answer = server.get_as(&token, &path).await.json();
        let row = &answer["result"][0];
        assert_eq!(
            (&row["FaultStatus"], &row["AssetName"], &row["Location"]),
            (&json!("Open"), &json!("one F1"), &json!("D1 location")),
            "{path}: {answer}"
        );
        assert_eq!((&row["CustomersAffected"], &row["Severity"], &row["FaultType"]), (&json!(1_500), &json!("High"), &json!("LG")));
        assert_eq!((&row["tripType"], &row["EndTime"], &row["momentary"]), (&json!("50"), &Value::Null, &json!(false)));
        assert_eq!(row["Duration"], Value::Null, "it lasts: {row}");
        assert_eq!(answer["offset"], json!(1));
    }
    let stranger = server.sign_in("one-division").await;
    assert_eq!(server.get_as(&stranger, "/api/faultdata/faultsbyuserrole").await.json()["result"], json!([]));
    assert_eq!(server.get_as(&stranger, &format!("/api/faultdata/bytypeandid/location/{}", one.location)).await.status, 404);
    assert_eq!(server.get_as(&token, "/api/faultdata/faultsbyuserrole?days=0").await.status, 400);
    let from = |query: &str| format!("/api/faultdata/bytypeandid/location/{}?{query}", one.location);
    // A period has the faults that began in it, and an open fault of another time is not one of them.
    let before = server.get_as(&token, &from("from=2001-01-01T00:00:00Z&to=2001-02-01T00:00:00Z")).await;
    assert_eq!((before.status, &before.json()["result"]), (200, &json!([])));
    assert_eq!(server.get_as(&token, &from("from=2001-01-01T00:00:00Z&to=2004-02-01T00:00:00Z")).await.status, 400);
    assert_eq!(server.get_as(&token, &from("to=2001-02-01T00:00:00Z")).await.status, 400);
}

#[tokio::test]
async fn what_is_planned_is_kept_due_and_tracked() {
    let server = Server::start().await;
    let one = &server.one;
    let token = server.sign_in("one-admin").await;
    let note = json!({ "locationId": one.location.0, "assetId": one.feeder.0, "text": "Balance the phases", "owner": "Ravi", "dueDate": "2020-02-29" });
    let put = server.json_as(&token, "POST", "/api/actionnotes", &note).await;
    let kept = put.json()["result"].clone();
    assert_eq!(
        (put.status, &kept["state"], &kept["overdue"], &kept["dueDate"]),
        (200, &json!("planned"), &json!(true), &json!("2020-02-29")),
        "{kept}"
    );
    let mut changed = note.clone();
    (changed["id"], changed["state"]) = (kept["id"].clone(), json!("done"));
    let done = server.json_as(&token, "POST", "/api/actionnotes", &changed).await.json();
    assert_eq!(
        (&done["result"]["id"], &done["result"]["overdue"], &done["result"]["createdBy"]),
        (&kept["id"], &json!(false), &json!("A B"))
    );
    for path in [
        format!("/api/eetrackers/location/{}", one.location),
        format!("/api/eetrackers/client/{}", one.client),
        "/api/actionnotes".to_owned(),
    ] {
        let listed = server.get_as(&token, &path).await.json();
        assert_eq!(listed["result"], json!([done["result"]]), "{path}");
    }
    for (key, value, status) in [
        ("text", json!(" "), 400),
        ("owner", json!("x".repeat(101)), 400),
        ("dueDate", json!("2026-02-30"), 400),
        ("dueDate", json!("soon"), 400),
        ("state", json!("later"), 400),
        ("id", json!(999_999_999), 404),
        ("locationId", json!(server.two.location.0), 404),
        ("locationId", json!(one.division.0), 404),
        ("assetId", json!(server.two.feeder.0), 404),
    ] {
        let mut wrong = note.clone();
        wrong[key] = value;
        let answer = server.json_as(&token, "POST", "/api/actionnotes", &wrong).await;
        assert_eq!(answer.status, status, "{wrong}: {answer:?}");
    }
    let stranger = server.sign_in("one-division").await;
    assert_eq!(server.get_as(&stranger, "/api/actionnotes").await.json()["result"], json!([]));
    assert_eq!(server.json_as(&stranger, "POST", "/api/actionnotes", &note).await.status, 403, "the page of trackers is read-only");
}

#[tokio::test]
async fn alerts_are_alarms_and_feeders_out_of_balance() {
    let server = Server::start().await;
    let (store, one) = (store(&server).await, &server.one);
    act(&store, record(one, "point/1/high", one.location), &[Act::Raise(second(1))]).await;
    let shelved = record(one, "point/2/high", one.location);
    act(&store, shelved, &[Act::Raise(second(1)), Act::Shelve(second(9_999_999_999))]).await;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_millis() as i64;
    // Ir alone raises no alert; the Iy and Ib of the fixture are stored with it.
    feed(server.database.url(), one, &[], &[reading(140.0, now)]).await;
    let token = server.sign_in("one-admin").await;
    let path = format!("/api/eealerts/location/{}", one.location);
    let kinds = |answer: &Value| -> Vec<String> {
        answer["result"].as_array().expect("rows").iter().filter_map(|row| row["kind"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(kinds(&server.get_as(&token, &path).await.json()), ["alarm"], "a shelved alarm is none, and one phase says nothing");
    let client = server.database.client().await;
    client
        .execute(
            "INSERT INTO latest (point_id, client_id, source_ts, recv_ts, epoch, seq, value, quality)
             SELECT id, client_id, now(), now(), 1, 1, 80, 0 FROM point WHERE client_id = $1 AND code IN ('Iy', 'Ib')",
            &[&one.client.0],
        )
        .await
        .expect("stored");
    let answer = server.get_as(&token, &path).await.json();
    assert_eq!(kinds(&answer), ["alarm", "unbalance"], "{answer}");
    assert_eq!((&answer["result"][1]["value"], &answer["result"][1]["assetId"]), (&json!(40.0), &json!(one.feeder.0)), "{answer}");
}
