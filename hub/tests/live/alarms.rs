//! Every change of an alarm or fault reaches the subscribers of its areas, once and in order.

use grid::alarm::{Act, AlarmKind, AlarmRecord, Life};
use grid::fault::{BayEvent, Effect, FaultRecord, step};
use grid::{Micros, NodeId};
use serde_json::{Value, json};
use store::alarm::StepResult;
use wire::alarms::AlarmRow;
use wire::bus::BusMessage;
use wire::faults::FaultRow;

use crate::client::Client;
use crate::seeding::now;
use crate::site::Site;

fn record(site: &Site, source: &str, location: NodeId) -> AlarmRecord {
    AlarmRecord {
        client: site.own.client,
        id: 0,
        source: source.to_owned(),
        kind: AlarmKind::Comm,
        priority: 1,
        point: None,
        asset: None,
        asset_name: None,
        location,
        location_name: "N".to_owned(),
        text: "not heard".to_owned(),
        value: None,
        limit: None,
        unit: String::new(),
        customers: 0,
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

/// Raises and clears an alarm this many times. Publishes it on the bus if `told`.
async fn turn(site: &Site, source: &str, location: NodeId, times: usize, reported: bool) {
    let (client, sources) = (site.own.client, [source.to_owned()]);
    let decide = |ledger: &mut store::alarm::Ledger| {
        let mut alarm = ledger.alarm(source).cloned().unwrap_or_else(|| record(site, source, location));
        for number in 0..times {
            let at = Micros(number as i64);
            let act = if alarm.life.state.is_active() { Act::Clear(at) } else { Act::Raise(at) };
            if let Some(change) = alarm.life.step(act).change() {
                ledger.put_alarm(alarm.clone(), change);
            }
        }
    };
    let StepResult::Done { alarms, .. } = site.store.enter_alarms(client, None, (&sources, &[]), decide).await.expect("entered") else {
        panic!("no cursor was moved")
    };
    if reported {
        let rows: Vec<AlarmRow> = alarms.rows.iter().map(AlarmRow::from).collect();
        let offset = rows.last().expect("a row").offset;
        site.bus.publish(BusMessage::Alarms { client: client.0, epoch: alarms.epoch, from: alarms.from, offset, rows });
    }
}

fn offsets(rows: &Value) -> Vec<i64> {
    rows.as_array().unwrap_or_else(|| panic!("rows: {rows}")).iter().map(|row| row["offset"].as_i64().expect("an offset")).collect()
}

async fn until(client: &mut Client, stream: &str, mut place: i64, last: i64) -> Vec<i64> {
    let mut seen = Vec::new();
    while place < last {
        let delta = client.event("delta").await;
        if delta["stream"] != json!(stream) {
            continue;
        }
        assert_eq!(delta["from"].as_i64(), Some(place), "{delta}");
        place = delta["offset"].as_i64().expect("an offset");
        seen.extend(offsets(&delta["rows"]));
    }
    seen
}

#[tokio::test]
async fn every_change_arrives_once_also_to_who_was_away() {
    let site = Site::start(|config| config).await;
    let (location, stream) = (site.own.location, format!("alarms/client/{}", site.own.client));
    turn(&site, "a", location, 3, true).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let joined = client.subscribe(&stream).await;
    assert_eq!((&joined["ok"], &joined["class"], &joined["offset"]), (&json!(true), &json!("every"), &json!(3)), "{joined}");
    assert_eq!(offsets(&joined["snapshot"]["rows"]), [3], "each as it is");
    turn(&site, "a", location, 3, true).await;
    assert_eq!(until(&mut client, &stream, 3, 6).await, [4, 5, 6]);
    // The bus loses some changes; the comparison with the database adds them.
    turn(&site, "a", location, 2, false).await;
    assert_eq!(until(&mut client, &stream, 6, 8).await, [7, 8]);
    client.ask("unsubscribe", &json!({ "stream": stream })).await;
    turn(&site, "b", location, 1, true).await;
    let resumed = client.resume(&stream, &joined["epoch"], 4).await;
    assert_eq!((offsets(&resumed["missed"]), resumed.get("snapshot")), (vec![5, 6, 7, 8, 9], None), "{resumed}");
    // A new hub reads them from the database.
    let port = site.second().await;
    let mut elsewhere = Client::sign_in(port, &site.token().await).await;
    let resumed = elsewhere.resume(&stream, &joined["epoch"], 4).await;
    assert_eq!(offsets(&resumed["missed"]), [5, 6, 7, 8, 9], "{resumed}");
    let place = format!("alarms/location/{location}");
    assert_eq!(offsets(&elsewhere.subscribe(&place).await["snapshot"]["rows"]).len(), 2);
}

#[tokio::test]
async fn who_is_confined_hears_of_what_lies_below_their_node() {
    let mut site = Site::start(|config| config).await;
    let (_, confined) = site.beside().await;
    let row = site.database.client().await.query_one("SELECT id FROM node WHERE code = 'BESIDE'", &[]).await.expect("a node");
    let beside = NodeId(row.get(0));
    let (location, stream) = (site.own.location, format!("alarms/client/{}", site.own.client));
    turn(&site, "here", location, 1, true).await;
    turn(&site, "there", beside, 1, true).await;
    let mut client = Client::sign_in(site.port, &site.session(confined).await.1).await;
    let mut joined = client.subscribe(&stream).await;
    while joined["ok"] != json!(true) {
        joined = client.subscribe(&stream).await;
    }
    assert_eq!(offsets(&joined["snapshot"]["rows"]), [1], "{joined}");
    turn(&site, "there", beside, 1, true).await;
    turn(&site, "here", location, 1, true).await;
    assert_eq!(until(&mut client, &stream, 2, 4).await, [4]);
    for name in
        [format!("alarms/location/{beside}"), format!("alarms/client/{}", site.other.client), format!("faults/circle/{}", site.own.circle)]
    {
        let answer = client.subscribe(&name).await;
        assert_eq!((&answer["ok"], &answer["code"]), (&json!(false), &json!("unknown_stream")), "{name}: {answer}");
    }
}

#[tokio::test]
async fn faults_are_told_as_they_change() {
    let site = Site::start(|config| config).await;
    let (client_id, breaker) = (site.own.client, site.own.position);
    let stream = format!("faults/asset/{}", site.own.feeder);
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    assert_eq!(client.subscribe(&stream).await["snapshot"]["rows"], json!([]));
    let happens = async |happening: BayEvent, at: Micros| {
        let decide = |ledger: &mut store::alarm::Ledger| {
            let last = ledger.fault(breaker).cloned();
            let record = match (step(last.as_ref().map(|last| &last.fault), at, happening), last) {
                (Effect::Goes(fault), Some(last)) => FaultRecord { fault, ..last },
                (Effect::Begins(fault), _) => FaultRecord {
                    client: client_id,
                    id: 0,
                    breaker,
                    asset: site.own.feeder,
                    asset_name: "F1".into(),
                    location: site.own.location,
                    location_name: "N".into(),
                    customers: 3,
                    fault,
                    offset: 0,
                },
                _ => panic!("nothing"),
            };
            ledger.put_fault(record);
        };
        let entered = site.store.enter_alarms(client_id, None, (&[], &[breaker]), decide).await.expect("entered");
        let StepResult::Done { faults, .. } = entered else { panic!("no cursor was moved") };
        let rows: Vec<FaultRow> = faults.rows.iter().map(|record| FaultRow::from((record, now()))).collect();
        let offset = rows.last().expect("a row").offset;
        site.bus.publish(BusMessage::Faults { client: client_id.0, epoch: faults.epoch, from: faults.from, offset, rows });
    };
    let start = now().plus_millis(-1_000);
    happens(BayEvent::Opened { by_protection: true, ordered: false }, start).await;
    happens(BayEvent::Closed, start.plus_millis(400)).await;
    let mut reported = Vec::new();
    while reported.len() < 2 {
        let delta = client.event("delta").await;
        reported.extend(delta["rows"].as_array().expect("rows").iter().map(|row| (row["FaultStatus"].clone(), row["offset"].clone())));
    }
    assert_eq!(reported, [(json!("Open"), json!(1)), (json!("Closed"), json!(2))]);
    let mut late = Client::sign_in(site.port, &site.token().await).await;
    let joined = late.subscribe(&stream).await;
    assert_eq!((&joined["snapshot"]["rows"][0]["tripType"], &joined["offset"]), (&json!("79 success"), &json!(2)), "{joined}");
}

#[tokio::test]
async fn who_was_away_for_longer_than_changes_are_kept_starts_afresh() {
    let site = Site::start(|config| config).await;
    let (location, stream) = (site.own.location, format!("alarms/client/{}", site.own.client));
    turn(&site, "a", location, 6, false).await;
    let database = site.database.client().await;
    database.batch_execute("UPDATE alarm_event SET at = at - INTERVAL '401 days' WHERE \"offset\" <= 4").await.expect("aged");
    let (gone, more) = site.store.forget_alarms(site.own.client, Some(now().plus_millis(-400 * 86_400_000))).await.expect("forgotten");
    assert_eq!((gone, more), (4, false));
    // A hub without them in memory.
    let port = site.second().await;
    let mut client = Client::sign_in(port, &site.token().await).await;
    let joined = client.subscribe(&stream).await;
    assert_eq!(joined["offset"], json!(6));
    for (since, missed) in [(6, Some(vec![])), (5, Some(vec![6])), (4, Some(vec![5, 6])), (3, None), (0, None)] {
        client.ask("unsubscribe", &json!({ "stream": stream })).await;
        let resumed = client.resume(&stream, &joined["epoch"], since).await;
        assert_eq!(resumed.get("missed").map(offsets), missed, "{since}: {resumed}");
        assert_eq!((resumed.get("snapshot").is_some(), &resumed["offset"]), (missed.is_none(), &json!(6)), "{since}: {resumed}");
    }
}
