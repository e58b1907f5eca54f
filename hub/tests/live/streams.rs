//! Snapshots and deltas, reconnecting without a gap, and values while ingest is offline.

use std::time::Duration;

use grid::Quality;
use serde_json::{Value, json};
use wire::bus::BusMessage;

use crate::client::Client;
use crate::seeding::now;
use crate::site::Site;

/// Applies deltas of a diagram to a snapshot until the point has the value, and checks that each continues the one before.
async fn until_value(client: &mut Client, place: &mut i64, point: i64, value: f64) {
    loop {
        let delta = client.event("delta").await;
        assert_eq!(delta["from"].as_i64(), Some(*place), "{delta}");
        *place = delta["offset"].as_i64().expect("an offset");
        let changes = delta["changes"].as_array().expect("changes");
        if changes.iter().any(|change| change[0] == json!(point) && change[1] == json!(value)) {
            return;
        }
    }
}

/// Returns the offsets of the following event rows up to `last`; each delta must continue the previous one.
async fn offsets(client: &mut Client, mut place: i64, last: i64) -> Vec<i64> {
    let mut seen = Vec::new();
    while place < last {
        let delta = client.event("delta").await;
        assert_eq!(delta["from"].as_i64(), Some(place), "{delta}");
        place = delta["offset"].as_i64().expect("an offset");
        seen.extend(row_offsets(&delta["rows"]));
    }
    seen
}

fn row_offsets(rows: &Value) -> Vec<i64> {
    rows.as_array().unwrap_or_else(|| panic!("rows: {rows}")).iter().map(|row| row["offset"].as_i64().expect("an offset")).collect()
}

#[tokio::test]
async fn a_snapshot_is_continued_without_a_gap() {
    let site = Site::start(|config| config).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let stream = format!("sld/{}", site.own.location);
    let joined = client.subscribe(&stream).await;
    assert_eq!((&joined["ok"], &joined["class"]), (&json!(true), &json!("latest")));
    assert_eq!(joined["snapshot"]["points"].as_array().map(Vec::len), Some(42));
    let mut place = joined["offset"].as_i64().expect("an offset");
    site.change(site.own.currents[0], 101.5);
    until_value(&mut client, &mut place, site.own.currents[0].0, 101.5).await;
    site.change(site.own.position, 2.0);
    until_value(&mut client, &mut place, site.own.position.0, 2.0).await;

    // A client that subscribes now gets both.
    let mut late = Client::sign_in(site.port, &site.token().await).await;
    let joined = late.subscribe(&stream).await;
    let points = joined["snapshot"]["points"].as_array().expect("points");
    for (point, value) in [(site.own.currents[0], 101.5), (site.own.position, 2.0)] {
        assert!(points.iter().any(|shown| shown[0] == json!(point.0) && shown[1] == json!(value)), "{points:?}");
    }
    assert_eq!(client.ask("unsubscribe", &json!({ "stream": stream })).await, json!({ "ok": true }));
    let rows = client.subscribe(&format!("loadcurrent/asset/{}", site.own.feeder)).await;
    assert_eq!(rows["snapshot"]["rows"][0]["lc_Ir"], json!(101.5), "{rows}");
    let comms = client.subscribe(&format!("comms/client/{}", site.own.client)).await;
    assert_eq!(comms["snapshot"]["rows"][0]["online"], json!(true), "{comms}");
}

#[tokio::test]
async fn a_picture_of_before_is_never_taken_for_the_present() {
    let site = Site::start(|config| config).await;
    let stream = format!("sld/{}", site.own.location);
    let mut first = Client::sign_in(site.port, &site.token().await).await;
    let joined = first.subscribe(&stream).await;
    let (epoch, mut place) = (joined["epoch"].clone(), joined["offset"].as_i64().expect("an offset"));
    let same = first.resume(&stream, &epoch, place).await;
    assert_eq!(same.get("snapshot"), None, "nothing has changed: {same}");
    site.change(site.own.currents[0], 1.0);
    until_value(&mut first, &mut place, site.own.currents[0].0, 1.0).await;
    // The client leaves, and another one subscribes and receives as many changes.
    first.ask("unsubscribe", &json!({ "stream": stream })).await;
    let mut second = Client::sign_in(site.port, &site.token().await).await;
    for value in [2.0, 3.0, 4.0] {
        let joined = second.subscribe(&stream).await;
        let mut there = joined["offset"].as_i64().expect("an offset");
        site.change(site.own.currents[0], value);
        until_value(&mut second, &mut there, site.own.currents[0].0, value).await;
        let back = first.resume(&stream, &epoch, place).await;
        assert!(back["snapshot"]["points"].is_array(), "the picture of {place} is not that of {there}: {back}");
        first.ask("unsubscribe", &json!({ "stream": stream })).await;
        second.ask("unsubscribe", &json!({ "stream": stream })).await;
    }
}

#[tokio::test]
async fn who_comes_back_gets_what_was_missed_once() {
    let mut site = Site::start(|config| config).await;
    let stream = format!("events/location/{}", site.own.location);
    site.operate(3, true).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let joined = client.subscribe(&stream).await;
    assert_eq!(row_offsets(&joined["snapshot"]["rows"]), [3, 2, 1], "{joined}");
    let epoch = joined["epoch"].clone();
    site.operate(2, true).await;
    assert_eq!(offsets(&mut client, 3, 5).await, [4, 5]);
    drop(client);
    site.operate(4, true).await;

    // From memory.
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let joined = client.resume(&stream, &epoch, 5).await;
    assert_eq!((row_offsets(&joined["missed"]), &joined["offset"]), (vec![6, 7, 8, 9], &json!(9)), "{joined}");
    site.operate(1, true).await;
    assert_eq!(offsets(&mut client, 9, 10).await, [10]);

    // From the database, at a hub that has seen none of it; a subscriber at the other hub makes no difference.
    let port = site.second().await;
    let mut client = Client::sign_in(port, &site.token().await).await;
    let joined = client.resume(&stream, &epoch, 2).await;
    assert_eq!((row_offsets(&joined["missed"]), &joined["offset"]), ((3..=10).collect(), &json!(10)), "{joined}");
    site.operate(2, true).await;
    assert_eq!(offsets(&mut client, 10, 12).await, [11, 12]);
    let ahead = client.resume(&stream, &epoch, 999).await;
    assert!(ahead["snapshot"]["rows"].is_array(), "a place that does not exist yet: {ahead}");
}

/// More rows than the hub keeps of a stream in memory (`EVENTS_RING`).
const MORE_THAN_KEPT: usize = 5_050;

#[tokio::test]
async fn gap_that_exceeds_the_memory_ends_the_stream_and_no_socket() {
    let mut site = Site::start(|config| config).await;
    let stream = format!("events/location/{}", site.own.location);
    site.operate(3, true).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let joined = client.subscribe(&stream).await;
    let (epoch, known) = (joined["epoch"].clone(), joined["offset"].as_i64().expect("an offset"));
    let mut place = client.subscribe(&format!("sld/{}", site.own.location)).await["offset"].as_i64().expect("an offset");
    // Committed and never published: the comparison with the database finds them.
    site.operate(MORE_THAN_KEPT, false).await;
    let top = known + MORE_THAN_KEPT as i64;
    let mut delta = client.event("delta").await;
    while delta["stream"] != json!(stream) {
        place = delta["offset"].as_i64().expect("an offset");
        delta = client.event("delta").await;
    }
    assert_eq!((&delta["from"], &delta["offset"], &delta["rows"]), (&json!(top), &json!(top), &json!([])), "it continues nothing: {delta}");
    // The same socket goes on: its other stream, and this one from the newest rows.
    let point = site.own.currents[0];
    site.change(point, 7.0);
    until_value(&mut client, &mut place, point.0, 7.0).await;
    let joined = client.resume(&stream, &epoch, known).await;
    assert_eq!(joined["offset"], json!(top), "{}", joined["offset"]);
    let newest = joined["snapshot"]["rows"].as_array().map(|rows| rows[0]["offset"].clone());
    assert_eq!(newest, Some(json!(top)), "too many rows are missing for a continuation");
    site.operate(1, true).await;
    let next = loop {
        let delta = client.event("delta").await;
        if delta["stream"] == json!(stream) {
            break delta;
        }
    };
    assert_eq!((&next["from"], row_offsets(&next["rows"])), (&json!(top), vec![top + 1]), "{next}");
}

#[tokio::test]
async fn restarted_hub_answers_returning_clients_from_memory() {
    let mut site = Site::start(|config| config).await;
    let streams = |site: &Site| {
        let (client, circle, location, feeder) = (site.own.client, site.own.circle, site.own.location, site.own.feeder);
        let events = [format!("events/location/{location}"), format!("events/circle/{circle}"), format!("events/asset/{feeder}")];
        let others = [format!("commands/{location}"), format!("alarms/client/{client}"), format!("faults/location/{location}")];
        [events, others].concat()
    };
    site.operate(3, true).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let mut epochs = Vec::new();
    for stream in streams(&site) {
        epochs.push(client.subscribe(&stream).await["epoch"].clone());
    }
    site.operate(2, true).await;
    let port = site.second().await;
    let mut client = Client::sign_in(port, &site.token().await).await;
    // No row can be read any more.
    for table in ["event", "command_event", "alarm_event", "alarm", "fault_event"] {
        site.database.client().await.batch_execute(&format!("ALTER TABLE {table} RENAME TO {table}_away")).await.expect("renamed");
    }
    for ((stream, epoch), missed) in streams(&site).iter().zip(&epochs).zip([vec![4, 5], vec![4, 5], vec![], vec![], vec![], vec![]]) {
        let since = if stream.starts_with("events") { 3 } else { 0 };
        let joined = client.resume(stream, epoch, since).await;
        assert_eq!(row_offsets(&joined["missed"]), missed, "{stream}: {joined}");
    }
    let afresh = client.subscribe(&format!("events/location/{}", site.own.location)).await;
    assert_eq!(afresh["code"], json!("unavailable"), "the database is needed for what is not in memory: {afresh}");
}

#[tokio::test]
async fn events_that_never_reached_the_bus_are_found() {
    let mut site = Site::start(|config| config).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let joined = client.subscribe(&format!("events/location/{}", site.own.location)).await;
    assert_eq!(joined["offset"], json!(0));
    // Ingest crashed between COMMIT and publishing.
    site.operate(2, false).await;
    assert_eq!(offsets(&mut client, 0, 2).await, [1, 2]);
    // Here the next rows show the gap.
    site.operate(2, false).await;
    site.operate(1, true).await;
    assert_eq!(offsets(&mut client, 2, 5).await, [3, 4, 5]);
}

#[tokio::test]
async fn another_history_begins_afresh() {
    let mut site = Site::start(|config| config).await;
    let stream = format!("events/location/{}", site.own.location);
    site.operate(2, true).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let joined = client.subscribe(&stream).await;
    let epoch = joined["epoch"].clone();
    let diagram = format!("sld/{}", site.own.location);
    let mut place = client.subscribe(&diagram).await["offset"].as_i64().expect("an offset");
    site.begin_another_history().await;
    let mut delta = client.event("delta").await;
    while delta["stream"] != json!(stream) {
        place = delta["offset"].as_i64().expect("an offset");
        delta = client.event("delta").await;
    }
    assert_eq!(delta["epoch"], json!("another"), "no subscriber may go on as if nothing had happened");
    assert_eq!((&delta["from"], &delta["offset"], &delta["rows"]), (&json!(2), &json!(2), &json!([])), "it continues nothing");
    // The socket and its other streams continue.
    let point = site.own.currents[0];
    site.change(point, 7.0);
    until_value(&mut client, &mut place, point.0, 7.0).await;
    let joined = client.resume(&stream, &epoch, 2).await;
    assert_eq!((&joined["epoch"], row_offsets(&joined["snapshot"]["rows"])), (&json!("another"), vec![2, 1]), "{joined}");
}

#[tokio::test]
async fn value_that_the_bus_lost_is_healed_beside_an_ingest_with_a_fast_clock() {
    let mut site = Site::start(|config| config).await;
    let [ahead, point] = [site.own.currents[0], site.own.currents[1]];
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let mut place = client.subscribe(&format!("sld/{}", site.own.location)).await["offset"].as_i64().expect("an offset");
    site.store_only(ahead, 1.0, now().plus_millis(3_600_000)).await;
    until_value(&mut client, &mut place, ahead.0, 1.0).await;
    site.store_only(point, 2.0, now()).await;
    until_value(&mut client, &mut place, point.0, 2.0).await;
}

#[tokio::test]
async fn ingest_that_takes_another_share_takes_its_former_gateways_off() {
    let site = Site::start(|config| config).await;
    site.silence();
    let (own, other) = (site.own.client.0, site.other.client.0);
    let alive = move |clients: &[i64]| BusMessage::Alive { ingest: "test".into(), clients: clients.to_vec(), share: None, since: (0, 0) };
    site.bus.publish(alive(&[own, other]));
    site.change(site.own.currents[0], 5.0);
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    client.subscribe(&format!("sld/{}", site.own.location)).await;
    // From now on the same ingest has a lease for the other utility only.
    let bus = site.bus.clone();
    let beats = tokio::spawn(async move {
        loop {
            bus.publish(alive(&[other]));
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    });
    loop {
        let delta = client.event("delta").await;
        let changes = delta["changes"].as_array().expect("changes");
        if changes.iter().any(|change| change[0] == json!(site.own.currents[0].0) && change[2] == json!(5)) {
            return beats.abort();
        }
    }
}

#[tokio::test]
async fn without_ingest_nothing_is_live() {
    let site = Site::start(|config| config).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    site.change(site.own.currents[0], 5.0);
    let joined = client.subscribe(&format!("sld/{}", site.own.location)).await;
    let mut place = joined["offset"].as_i64().expect("an offset");
    site.silence();
    loop {
        let delta = client.event("delta").await;
        assert_eq!(delta["from"].as_i64(), Some(place));
        place = delta["offset"].as_i64().expect("an offset");
        let lost = delta["changes"]
            .as_array()
            .expect("changes")
            .iter()
            .any(|change| change[0] == json!(site.own.currents[0].0) && change[2] == json!(5));
        if lost {
            return;
        }
    }
}

/// Returns value and quality of the next change of a point.
async fn next_change(client: &mut Client, point: i64) -> (Value, Value) {
    loop {
        let delta = client.event("delta").await;
        let changes = delta["changes"].as_array().expect("changes");
        if let Some(change) = changes.iter().find(|change| change[0] == json!(point)) {
            return (change[1].clone(), change[2].clone());
        }
    }
}

#[tokio::test]
async fn position_of_the_future_is_questionable_and_gives_way_to_the_next_one() {
    let site = Site::start(|config| config).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    client.subscribe(&format!("sld/{}", site.own.location)).await;
    let position = site.own.position;
    for (count, value, from_now_ms, quality, why) in [
        (1, 1.0, 240_000, Quality::Questionable, "the clock of its gateway is ahead"),
        (2, 2.0, 0, Quality::Good, "the clock was corrected"),
        (3, 1.0, -240_000, Quality::Good, "the clock was set back"),
        (4, 2.0, 7_000, Quality::Questionable, "a little ahead"),
    ] {
        site.change_at(position, value, count, from_now_ms);
        assert_eq!(next_change(&mut client, position.0).await, (json!(value), json!(quality.code())), "{why}");
    }
    assert_eq!(next_change(&mut client, position.0).await, (json!(2.0), json!(Quality::Good.code())), "its time has come");
}
