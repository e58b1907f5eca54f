//! Clients that do not read: they delay no other client, lose no event after reconnecting, and get a new snapshot when
//! they read again.

use std::time::{Duration, Instant};

use hub::HubConfig;
use serde_json::json;

use crate::client::{Client, Received};
use crate::site::Site;

/// A hub with a small outbox for each client, and without a time limit, which would make the outcome depend on the
/// machine.
fn small(config: HubConfig) -> HubConfig {
    HubConfig { outbox_bytes: 512 * 1024, ..config }
}

async fn opened(site: &Site, receive_bytes: u32) -> Client {
    let mut client = Client::open_with(site.port, None, Some(receive_bytes)).await.expect("a socket");
    assert!(client.text().await.is_some_and(|hello| hello.starts_with("0{")));
    client.connect(&site.token().await).await;
    client.receive().await;
    client
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn client_that_does_not_read_events_is_cut_and_resumes() {
    let mut site = Site::start(small).await;
    let stream = format!("events/location/{}", site.own.location);
    let mut frozen = opened(&site, 4 * 1024).await;
    let joined = frozen.subscribe(&stream).await;
    let epoch = joined["epoch"].clone();
    let mut brisk = Client::sign_in(site.port, &site.token().await).await;
    brisk.subscribe(&stream).await;
    // Several times what the kernel's buffers and the outbox hold; meanwhile the other client receives everything.
    let (total, mut received) = (40_000, 0);
    for published in (500..=total).step_by(500) {
        site.operate(500, true).await;
        while received < published {
            let delta = brisk.event("delta").await;
            assert_eq!(delta["from"].as_i64(), Some(received));
            received = delta["offset"].as_i64().expect("an offset");
        }
    }
    // The data in its buffers are complete and in order. The reason of the disconnection follows. An answer to a ping, sent to a server
    // that has closed the socket, would be answered by a reset and discard the rest.
    frozen.leave_pings_unanswered();
    let mut place = 0;
    let ended = loop {
        match frozen.receive().await {
            Received::Event(name, delta) if name == "delta" => {
                assert_eq!(delta["from"].as_i64(), Some(place));
                place = delta["offset"].as_i64().expect("an offset");
            }
            Received::Event(name, value) => break (name, value["code"].clone(), value["retry"].clone()),
            other => panic!("{other:?} at {place}"),
        }
    };
    assert!(place < total, "it was cut before the end");
    assert_eq!(ended, ("ended".to_owned(), json!("slow"), json!(true)));
    let mut back = Client::sign_in(site.port, &site.token().await).await;
    let joined = back.resume(&stream, &epoch, total - 4_000).await;
    let missed = joined["missed"].as_array().expect("missed rows");
    let offsets: Vec<i64> = missed.iter().map(|row| row["offset"].as_i64().expect("an offset")).collect();
    assert_eq!(offsets, (total - 3_999..=total).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn client_that_takes_nothing_in_time_is_cut() {
    let mut site = Site::start(|config| HubConfig { outbox_bytes: 256 * 1024 * 1024, outbox_age: Duration::from_secs(2), ..config }).await;
    let mut frozen = opened(&site, 4 * 1024).await;
    frozen.subscribe(&format!("events/location/{}", site.own.location)).await;
    // More than what the kernel's buffers hold, and then for longer than the limit.
    let (mut total, mut full) = (0, None);
    while full.is_none_or(|full: Instant| full.elapsed() < Duration::from_secs(4)) {
        site.operate(500, true).await;
        total += 500;
        if total == 40_000 {
            full = Some(Instant::now());
        }
    }
    frozen.leave_pings_unanswered();
    let mut place = 0;
    while let Received::Event(name, delta) = frozen.receive().await {
        if name == "delta" {
            place = delta["offset"].as_i64().expect("an offset");
        }
        assert!(place < total, "nothing of what was sent is missing: it was not cut");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn client_that_reads_late_gets_a_fresh_snapshot() {
    let site = Site::start(small).await;
    let stream = format!("sld/{}", site.own.location);
    let mut late = opened(&site, 4 * 1024).await;
    let joined = late.subscribe(&stream).await;
    let mut place = joined["offset"].as_i64().expect("an offset");
    let mut brisk = Client::sign_in(site.port, &site.token().await).await;
    brisk.subscribe(&stream).await;
    // Each change leaves at once, since the breaker's is among them, so nothing is conflated: several MB for the client that does not read.
    let rounds = 6_000;
    for round in 0..rounds {
        let mut values: Vec<_> = site.own.currents.iter().map(|point| (*point, f64::from(round))).collect();
        values.push((site.own.position, f64::from(1 + round % 2)));
        site.changes(&values);
        brisk.event("delta").await;
    }
    let last = json!(f64::from(rounds - 1));
    let (mut frames, mut seen) = (0, json!(null));
    while seen != last {
        let delta = late.event("delta").await;
        assert_eq!(delta["from"].as_i64(), Some(place), "left out is only what a fresh snapshot makes up for");
        place = delta["offset"].as_i64().expect("an offset");
        frames += 1;
        let of_first = |change: &&serde_json::Value| change[0] == json!(site.own.currents[0].0);
        if let Some(change) = delta["changes"].as_array().expect("changes").iter().find(of_first) {
            seen = change[1].clone();
        }
    }
    assert!(frames < rounds, "{frames} frames: it was not thinned");
}
