//! A client that does not read: it harms nobody else, loses no event for good, and finds the present when it reads again.

use std::time::Duration;

use hub::HubConfig;
use serde_json::json;

use crate::client::Client;
use crate::site::Site;

/// A hub that holds little for each client.
fn small(config: HubConfig) -> HubConfig {
    HubConfig { outbox_bytes: 256 * 1024, outbox_age: Duration::from_secs(2), ping_timeout: Duration::from_mins(1), ..config }
}

async fn opened(site: &Site, receive_bytes: u32) -> Client {
    let mut client = Client::open_with(site.port, None, Some(receive_bytes)).await.expect("a socket");
    assert!(client.text().await.is_some_and(|hello| hello.starts_with("0{")));
    client.connect(&site.token().await).await;
    client.hear().await;
    client
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_does_not_read_events_is_cut_and_finds_them_again() {
    let mut site = Site::start(small).await;
    let stream = format!("events/location/{}", site.own.location);
    let mut frozen = opened(&site, 4 * 1024).await;
    let joined = frozen.subscribe(&stream).await;
    let epoch = joined["epoch"].clone();
    let mut brisk = Client::sign_in(site.port, &site.token().await).await;
    brisk.subscribe(&stream).await;
    let (mut told, mut heard) = (0, 0);
    // Until the kernel's buffers and the outbox are full; the others hear everything meanwhile.
    let counted = loop {
        site.operate(500, true).await;
        told += 500;
        while heard < told {
            let delta = brisk.event("delta").await;
            assert_eq!(delta["from"].as_i64(), Some(heard));
            heard = delta["offset"].as_i64().expect("an offset");
        }
        if told >= 60_000 {
            break told;
        }
    };
    // What it still finds in its buffers is whole and in order, then it was cut.
    let mut place = 0;
    let ended = loop {
        match frozen.hear().await {
            crate::client::Heard::Event(name, delta) if name == "delta" => {
                assert_eq!(delta["from"].as_i64(), Some(place));
                place = delta["offset"].as_i64().expect("an offset");
            }
            crate::client::Heard::Event(name, value) => break Some((name, value)),
            _ => break None,
        }
    };
    assert!(place < counted, "it was cut before the end");
    if let Some((name, value)) = ended {
        assert_eq!((name.as_str(), &value["code"], &value["retry"]), ("ended", &json!("slow"), &json!(true)));
    }
    let mut back = Client::sign_in(site.port, &site.token().await).await;
    let joined = back.resume(&stream, &epoch, counted - 4_000).await;
    let missed = joined["missed"].as_array().expect("missed rows");
    let offsets: Vec<i64> = missed.iter().map(|row| row["offset"].as_i64().expect("an offset")).collect();
    assert_eq!(offsets, (counted - 3_999..=counted).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reads_late_finds_the_present_and_not_the_past() {
    let site = Site::start(small).await;
    let stream = format!("sld/{}", site.own.location);
    let mut late = opened(&site, 4 * 1024).await;
    let joined = late.subscribe(&stream).await;
    let mut place = joined["offset"].as_i64().expect("an offset");
    let mut brisk = Client::sign_in(site.port, &site.token().await).await;
    brisk.subscribe(&stream).await;
    // Every change leaves at once with the breaker's, so that nothing is conflated on its way: several MB for one who does not read.
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
