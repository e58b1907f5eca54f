//! Limits, foreign origins, polling and its upgrade.

use std::collections::HashSet;
use std::time::Duration;

use hub::HubConfig;
use serde_json::json;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Error;

use crate::client::{Client, Received};
use crate::http::{exchange, handshake, poll, poll_only, poll_until, post, sign_in};
use crate::site::Site;

#[tokio::test]
async fn a_foreign_origin_is_refused_on_every_way_in() {
    let site = Site::start(|config| HubConfig { origins: vec!["https://scada.example".into()], ..config }).await;
    let own = format!("http://127.0.0.1:{}", site.port);
    for (origin, allowed) in [("https://evil.example", false), ("null", false), ("https://scada.example", true), (own.as_str(), true)] {
        let (status, _) = exchange(site.port, "GET", "EIO=4&transport=polling", &format!("Origin: {origin}\r\n"), "").await;
        assert_eq!(status, if allowed { 200 } else { 403 }, "{origin}");
        match Client::open_with(site.port, Some(origin), None).await {
            Ok(_) => assert!(allowed, "{origin}"),
            Err(Error::Http(answer)) => assert_eq!((answer.status().as_u16(), allowed), (403, false), "{origin}"),
            Err(error) => panic!("{origin}: {error}"),
        }
    }
}

#[tokio::test]
async fn sockets_and_streams_beyond_the_limit_are_refused() {
    let limits = |config| HubConfig { sockets_per_session: 2, sockets_per_member: 3, streams_max: 1, ..config };
    let site = Site::start(limits).await;
    let token = site.token().await;
    let mut first = Client::sign_in(site.port, &token).await;
    let second = Client::sign_in(site.port, &token).await;
    let mut third = Client::open(site.port).await;
    third.connect(&token).await;
    assert_eq!(third.receive().await, Received::Refused("too_many".to_owned()), "two of a sign-in");
    let _other = Client::sign_in(site.port, &site.token().await).await;
    third.connect(&site.token().await).await;
    assert_eq!(third.receive().await, Received::Refused("too_many".to_owned()), "three of a person");
    drop(second);
    // The place is free once the server has seen the end, for which there is no message.
    loop {
        third.connect(&token).await;
        match third.receive().await {
            Received::Connected => break,
            Received::Refused(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            other => panic!("{other:?}"),
        }
    }

    let stream = format!("sld/{}", site.own.location);
    assert_eq!(first.subscribe(&stream).await["ok"], json!(true));
    assert_eq!(first.subscribe(&stream).await["ok"], json!(true), "the same one again");
    assert_eq!(first.subscribe(&format!("events/location/{}", site.own.location)).await["code"], json!("too_many"));
}

#[tokio::test]
async fn sockets_that_have_not_signed_in_are_limited_by_address() {
    let site = Site::start(|config| HubConfig {
        sockets_unauthenticated_per_address: 3,
        proxies: vec!["127.0.0.1/32".parse().expect("a network")],
        ..config
    })
    .await;
    let behind = |address: &str| format!("X-Forwarded-For: {address}\r\n");
    let token = site.token().await;
    let mut waiting = Vec::new();
    for _ in 0..2 {
        waiting.push(Client::open(site.port).await);
    }
    handshake(site.port).await;
    let (status, body) = exchange(site.port, "GET", "EIO=4&transport=polling", "", "").await;
    assert_eq!(status, 429, "{body}");
    assert!(body.starts_with("3 sockets of this address have not signed in"), "{body}");
    match Client::open_with(site.port, None, None).await {
        Err(Error::Http(answer)) => assert_eq!(answer.status().as_u16(), 429),
        other => panic!("{:?}", other.err()),
    }
    // Another address behind the same proxy counts separately.
    assert_eq!(exchange(site.port, "GET", "EIO=4&transport=polling", &behind("192.0.2.7"), "").await.0, 200);
    // Signing in frees a place, and so does disconnecting.
    waiting[0].connect(&token).await;
    assert_eq!(waiting[0].receive().await, Received::Connected);
    assert_eq!(exchange(site.port, "GET", "EIO=4&transport=polling", "", "").await.0, 200);
    drop(waiting);
    while exchange(site.port, "GET", "EIO=4&transport=polling", "", "").await.0 == 429 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn dashboard_that_returns_subscribes_to_all_its_streams_at_once() {
    let site = Site::start(|config| config).await;
    let usual = HubConfig::default();
    let paced = site.second_with(|config| HubConfig { messages_per_s: usual.messages_per_s, ..config }).await;
    let mut client = Client::sign_in(paced, &site.token().await).await;
    let mut unanswered = HashSet::new();
    for number in 0..usual.streams_max {
        unanswered.insert(client.ask_only("subscribe", &json!({ "stream": format!("sld/{}", site.own.location.0 + number as i64) })).await);
    }
    while !unanswered.is_empty() {
        match client.receive().await {
            Received::Ack(id, _) => assert!(unanswered.remove(&id), "{id} is answered once"),
            Received::Event(name, argument) => assert_ne!(name, "ended", "{argument}"),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn message_rate_beyond_the_limit_ends_the_socket() {
    let site = Site::start(|config| config).await;
    let strict = site.second_with(|config| HubConfig { messages_per_s: 5, messages_burst: 5, ..config }).await;
    let mut client = Client::sign_in(strict, &site.token().await).await;
    // Even a slow machine takes more than five of them in one second.
    for _ in 0..100 {
        if !client.try_send("42/live,1[\"unsubscribe\",{\"stream\":\"x\"}]").await {
            break;
        }
    }
    assert_eq!(client.ended().await, Some(("rate".to_owned(), false)));
}

#[tokio::test]
async fn malformed_and_oversize_packets_end_the_socket() {
    let site = Site::start(|config| config).await;
    let mut large = Client::open(site.port).await;
    // The server may close before it has read the end of it.
    large.try_send(&format!("40/live,{}", json!({ "token": "x".repeat(65 * 1024) }))).await;
    assert_eq!(large.ended().await, None, "closed without being understood");
    for nonsense in ["", "9", "0{}", "42/live,{}", "451-[]", "451-/live,[\"subscribe\",{}]"] {
        let mut client = Client::open(site.port).await;
        client.send(nonsense).await;
        assert_eq!(client.ended().await, None, "{nonsense:?}: closed without a word");
    }
}

#[tokio::test]
async fn polling_carries_the_same_and_its_misuse_ends_it() {
    let site = Site::start(|config| config).await;
    let sid = sign_in(site.port, &site.token().await).await;
    let subscribe = format!("42/live,7{}", json!(["subscribe", { "stream": format!("sld/{}", site.own.location) }]));
    post(site.port, &sid, &format!("3\u{1e}{subscribe}")).await;
    let received = poll_until(site.port, &sid, "43/live,7[").await;
    assert!(received.contains("\"snapshot\""), "{received}");

    let (status, body) = post(site.port, &sid, &"x".repeat(65 * 1024)).await;
    assert!((400..=413).contains(&status), "{status} {body}");
    for (query, expected) in [
        ("EIO=3&transport=polling".to_owned(), "{\"code\":5"),
        ("EIO=4&transport=carrier".to_owned(), "{\"code\":0"),
        ("EIO=4&transport=polling&sid=none".to_owned(), "{\"code\":1"),
    ] {
        let (status, body) = exchange(site.port, "GET", &query, "", "").await;
        assert!(status == 400 && body.starts_with(expected), "{query}: {status} {body}");
    }
    assert_eq!(exchange(site.port, "PUT", "EIO=4&transport=polling", "", "").await.0, 400);
    // Two polls at once.
    let sid = handshake(site.port).await;
    let (one, two) = tokio::join!(poll(site.port, &sid), poll(site.port, &sid));
    assert!(one.0 == 400 || two.0 == 400, "{one:?} {two:?}");
}

/// A proxy, or a browser that leaves a page, closes a waiting request.
#[tokio::test]
async fn client_whose_poll_was_cut_polls_again() {
    let site = Site::start(|config| config).await;
    let sid = sign_in(site.port, &site.token().await).await;
    for number in 0..10 {
        let cut = poll_only(site.port, &sid).await;
        // Another request to the same server: when it ends, the server has received the first one.
        handshake(site.port).await;
        drop(cut);
        // Answered by the next heartbeat at the latest.
        let (status, body) = poll(site.port, &sid).await;
        assert_eq!(status, 200, "poll {number}: {body}");
    }
}

#[tokio::test]
async fn a_session_moves_from_polling_to_the_websocket() {
    let site = Site::start(|config| config).await;
    let sid = sign_in(site.port, &site.token().await).await;
    let url = format!("ws://127.0.0.1:{}/socket.io/?EIO=4&transport=websocket&sid={sid}", site.port);
    let stream = TcpStream::connect(("127.0.0.1", site.port)).await.expect("a listener");
    let mut client = Client::over(stream, &url, None).await.expect("a socket");
    client.send("2probe").await;
    assert_eq!(client.text().await.as_deref(), Some("3probe"));
    client.send("5").await;
    let joined = client.subscribe(&format!("sld/{}", site.own.location)).await;
    assert!(joined["snapshot"]["points"].is_array(), "{joined}");
    site.change(site.own.currents[0], 3.5);
    client.event("delta").await;
}
