//! Rights to subscribe, and when they end.

use std::time::Duration;

use grid::GatewayId;
use hub::HubConfig;
use serde_json::{Value, json};
use wire::bus::BusMessage;

use crate::client::{Client, Received};
use crate::seeding::now;
use crate::site::Site;

#[tokio::test]
async fn socket_without_a_valid_token_is_closed() {
    let site = Site::start(|config| config).await;
    let strict = site.second_with(|config| HubConfig { auth_timeout: Duration::from_millis(300), ..config }).await;
    let mut silent = Client::open(strict).await;
    assert_eq!(silent.ended().await, Some(("unauthorised".to_owned(), false)));
    // Without a time limit: checking a token may take longer than a short one.
    let mut guessing = Client::open(site.port).await;
    guessing.connect("a guess").await;
    assert_eq!(guessing.receive().await, Received::Refused("unauthorised".to_owned()));
    let mut hasty = Client::open(site.port).await;
    for client in [&mut guessing, &mut hasty] {
        client.ask_only("subscribe", &json!({ "stream": format!("sld/{}", site.own.location) })).await;
        assert_eq!(client.ended().await, Some(("unauthorised".to_owned(), false)), "nothing is answered without a valid token");
    }
}

#[tokio::test]
async fn another_utility_is_as_if_it_were_not_there() {
    let site = Site::start(|config| config).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let missing = client.subscribe("sld/999999").await;
    assert_eq!(missing["code"], json!("unknown_stream"));
    let other = &site.other;
    for stream in [
        format!("sld/{}", other.location),
        format!("events/location/{}", other.location),
        format!("events/circle/{}", other.circle),
        format!("events/asset/{}", other.feeder),
        format!("loadcurrent/asset/{}", other.feeder),
        format!("comms/client/{}", other.client),
        format!("comms/circle/{}", other.circle),
        format!("comms/location/{}", other.location),
        format!("comms/division/{}", site.own.location),
        format!("events/division/{}", site.own.location),
        "sld/".into(),
        "sld/-1".into(),
        "nothing/at/all".into(),
    ] {
        assert_eq!(client.subscribe(&stream).await, missing, "{stream}");
        assert_eq!(client.resume(&stream, &json!("e"), 0).await, missing, "{stream}");
    }
}

#[tokio::test]
async fn who_is_confined_and_has_no_place_or_has_no_role_hears_nothing() {
    let site = Site::start(|config| config).await;
    let (own, database) = (&site.own, site.database.client().await);
    for (role, node, hears, hears_circle) in
        [(8, Some(own.location), true, false), (3, Some(own.circle), true, true), (3, None, false, false), (9, None, false, false)]
    {
        let node = node.map(|node| node.0);
        let change = "UPDATE member SET role_id = $1, node_id = $2 WHERE id = $3";
        database.execute(change, &[&role, &node, &own.member.0]).await.expect("changed");
        let mut client = Client::sign_in(site.port, &site.token().await).await;
        for (stream, expected) in [
            (format!("sld/{}", own.location), hears),
            (format!("events/asset/{}", own.feeder), hears),
            (format!("comms/client/{}", own.client), hears),
            (format!("comms/location/{}", own.location), hears),
            (format!("comms/circle/{}", own.circle), hears_circle),
            (format!("events/circle/{}", own.circle), hears_circle),
        ] {
            assert_eq!(client.subscribe(&stream).await["ok"], json!(expected), "role {role} {node:?} {stream}");
        }
    }
}

#[tokio::test]
async fn who_is_confined_hears_of_the_gateways_below_their_own_node_only() {
    let mut site = Site::start(|config| config).await;
    let stream = format!("comms/client/{}", site.own.client);
    let mut administrator = Client::sign_in(site.port, &site.token().await).await;
    let place = administrator.subscribe(&stream).await;
    let (beside, confined) = site.beside().await;
    let own = site.own.gateway;
    // A change of the registry sends the states of all gateways again.
    while !gateways(&administrator.event("delta").await["rows"]).contains(&beside) {}

    let mut client = Client::sign_in(site.port, &site.session(confined).await.1).await;
    let joined = client.subscribe(&stream).await;
    assert_eq!(gateways(&joined["snapshot"]["rows"]), [own]);
    site.report_link(beside, false);
    assert_eq!(gateways(&administrator.event("delta").await["rows"]), [beside], "who sees all hears of all");
    site.report_link(own, false);
    assert_eq!(gateways(&administrator.event("delta").await["rows"]), [own]);
    let delta = client.event("delta").await;
    assert_eq!((gateways(&delta["rows"]), &delta["from"]), (vec![own], &joined["offset"]), "nothing was told in between");

    // An offset of a user who sees more does not continue the stream of this user.
    let place = administrator.resume(&stream, &place["epoch"], -1).await;
    let resumed = client.resume(&stream, &place["epoch"], place["offset"].as_i64().expect("an offset")).await;
    assert_eq!(gateways(&resumed["snapshot"]["rows"]), [own], "{resumed}");
}

#[tokio::test]
async fn the_gateways_below_a_node_are_a_stream_of_their_own() {
    let mut site = Site::start(|config| config).await;
    let (beside, _) = site.beside().await;
    let own = site.own.gateway;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let (all, below) = (format!("comms/circle/{}", site.own.circle), format!("comms/location/{}", site.own.location));
    let mut seen = gateways(&client.subscribe(&all).await["snapshot"]["rows"]);
    while !seen.contains(&beside) {
        seen = gateways(&client.event("delta").await["rows"]);
    }
    let mut second = Client::sign_in(site.port, &site.token().await).await;
    let joined = second.subscribe(&below).await;
    assert_eq!(gateways(&joined["snapshot"]["rows"]), [own]);
    for gateway in [beside, own] {
        site.report_link(gateway, false);
    }
    let delta = second.event("delta").await;
    assert_eq!((&delta["stream"], &delta["from"], gateways(&delta["rows"])), (&json!(below), &joined["offset"], vec![own]));
}

/// The ids of gateways in rows.
fn gateways(rows: &Value) -> Vec<GatewayId> {
    rows.as_array().expect("rows").iter().map(|row| GatewayId(row["id"].as_i64().expect("an id"))).collect()
}

#[tokio::test]
async fn reauth_with_changed_rights_is_refused() {
    let site = Site::start(|config| config).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    let change = "UPDATE member SET role_id = 8, node_id = $1 WHERE id = $2";
    site.database.client().await.execute(change, &[&site.own.location.0, &site.own.member.0]).await.expect("changed");
    assert_eq!(client.ask("reauth", &json!({ "token": site.token().await })).await["code"], json!("unauthorised"));
}

#[tokio::test]
async fn a_token_is_renewed_in_place_by_the_same_person_only() {
    let site = Site::start(|config| config).await;
    let (session, token) = site.session(site.own.member).await;
    let mut client = Client::sign_in(site.port, &token).await;
    client.subscribe(&format!("sld/{}", site.own.location)).await;
    let (_, strangers) = site.session(site.other.member).await;
    assert_eq!(client.ask("reauth", &json!({ "token": strangers })).await["code"], json!("unauthorised"));
    assert_eq!(client.ask("reauth", &json!({ "token": "a guess" })).await["code"], json!("unauthorised"));
    assert_eq!(client.ask("reauth", &json!({})).await["code"], json!("bad_request"));
    assert_eq!(client.ask("reauth", &json!({ "token": site.token().await })).await, json!({ "ok": true }));
    // It belongs to the new session now: the end of the old one has no effect, and the stream continues.
    site.store.end_session(session, now()).await.expect("ended");
    site.bus.publish(BusMessage::Session { client: site.own.client.0, session });
    site.change(site.own.currents[0], 77.0);
    client.event("delta").await;
}

#[tokio::test]
async fn the_end_of_a_sign_in_ends_its_sockets() {
    let site = Site::start(|config| config).await;
    let (session, token) = site.session(site.own.member).await;
    let mut clients = [Client::sign_in(site.port, &token).await, Client::sign_in(site.port, &token).await];
    let mut other = Client::sign_in(site.port, &site.token().await).await;
    site.store.end_session(session, now()).await.expect("ended");
    site.bus.publish(BusMessage::Session { client: site.own.client.0, session });
    for client in &mut clients {
        assert_eq!(client.ended().await, Some(("unauthorised".to_owned(), false)));
    }
    assert_eq!(other.ask("unsubscribe", &json!({ "stream": "x" })).await, json!({ "ok": true }));
}

#[tokio::test]
async fn session_that_ends_during_its_check_is_refused() {
    const CHECKED: i64 = 4_711;
    let site = Site::start(|config| config).await;
    let (session, token) = site.session(site.own.member).await;
    let mut signed_in = Client::sign_in(site.port, &token).await;
    // A check of a token reads the session and then waits for this lock: its answer is what it read before the lock.
    let database = site.database.client().await;
    database
        .batch_execute(&format!(
            "SELECT pg_advisory_lock({CHECKED});
             ALTER TABLE session RENAME TO session_kept;
             CREATE VIEW session AS SELECT * FROM session_kept WHERE pg_advisory_xact_lock_shared({CHECKED})::text = ''"
        ))
        .await
        .expect("a view");
    let mut checked = Client::open(site.port).await;
    checked.connect(&token).await;
    let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1::bigint::oid";
    while database.query_one(waiting, &[&CHECKED]).await.expect("locks").get::<_, i64>(0) == 0 {
        tokio::task::yield_now().await;
    }
    database.execute("UPDATE session_kept SET ended = now() WHERE id = $1", &[&session]).await.expect("ended");
    site.bus.publish(BusMessage::Session { client: site.own.client.0, session });
    assert_eq!(signed_in.ended().await, Some(("unauthorised".to_owned(), false)), "the end is known to the hub");
    database.execute("SELECT pg_advisory_unlock($1)", &[&CHECKED]).await.expect("unlocked");
    assert_eq!(checked.receive().await, Received::Refused("unauthorised".to_owned()));
}

#[tokio::test]
async fn tokens_shown_together_are_checked_together() {
    let site = Site::start(|config| config).await;
    let (first, good) = site.session(site.own.member).await;
    let (second, ended) = site.session(site.own.member).await;
    site.store.end_session(second, now()).await.expect("ended");
    assert_ne!(first, second);
    let mut clients = Vec::new();
    for token in [good.as_str(), ended.as_str(), "a guess", good.as_str()] {
        let mut client = Client::open(site.port).await;
        client.connect(token).await;
        clients.push(client);
    }
    let refused = || Received::Refused("unauthorised".to_owned());
    for (client, expected) in clients.iter_mut().zip([Received::Connected, refused(), refused(), Received::Connected]) {
        assert_eq!(client.receive().await, expected);
    }
}

#[tokio::test]
async fn a_sign_in_that_ends_unheard_of_is_found_by_the_recheck() {
    let site = Site::start(|config| HubConfig { recheck: Duration::from_millis(200), ..config }).await;
    let (session, token) = site.session(site.own.member).await;
    let mut client = Client::sign_in(site.port, &token).await;
    site.store.end_session(session, now()).await.expect("ended");
    assert_eq!(client.ended().await, Some(("unauthorised".to_owned(), false)));
}

#[tokio::test]
async fn a_shutdown_says_come_back() {
    let site = Site::start(|config| config).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    site.shutdown.cancel();
    assert_eq!(client.ended().await, Some(("shutdown".to_owned(), true)));
}
