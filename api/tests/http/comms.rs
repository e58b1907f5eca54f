//! Communication over HTTP: births and deaths through a real broker, ingest and database, and the figures of days.

use std::time::Duration;

use serde_json::{Value, json};

use crate::control::gateway::{Gateway, pos};
use crate::control::rig::{CLOSED, OPEN, Rig};
use crate::field::{feed, reading};
use crate::server::Server;

async fn rows(server: &Server, token: &str, path: &str) -> Value {
    let answer = server.get_as(token, &format!("/api/assethealth/{path}")).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()["result"].clone()
}

/// Waits until the first row of an answer matches.
async fn until(rig: &Rig, token: &str, path: &str, is_expected: impl Fn(&Value) -> bool) -> Value {
    let reached = async {
        loop {
            let first = rows(&rig.server, token, path).await[0].clone();
            if is_expected(&first) {
                return first;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    match tokio::time::timeout(Duration::from_secs(20), reached).await {
        Ok(row) => row,
        Err(late) => panic!("{late}: {path}: {}", rows(&rig.server, token, path).await),
    }
}

#[tokio::test]
async fn what_is_heard_and_lost_is_kept_and_counted() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    let today = "realtimertustatusbydate/0/0";
    let born = until(&rig, &token, today, |row| row["online"] == true).await;
    assert_eq!((&born["gatewayCode"], &born["outages"], &born["availability"]), (&json!("one-RTU"), &json!(0), &json!(100.0)), "{born}");
    assert_eq!(born["breadCrumbName"], "C circle › D1 division › D1 town › D1 subdivision › D1 section › D1 location");

    // A value of two minutes ago is late; the clocks of one machine are one.
    let now = super::control::gateway::now_ms();
    rig.gateway.report(field::sparkplug::Metric { timestamp: Some(now - 120_000), ..pos(CLOSED) }).await;
    let taken = async {
        while rig.count("sample WHERE ts < now() - INTERVAL '1 minute'").await == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), taken).await.expect("it is taken");
    rig.gateway.die();
    let lost = until(&rig, &token, today, |row| row["online"] == false).await;
    assert_eq!((&lost["outages"], &lost["lateValues"], &lost["missingMessages"]), (&json!(1), &json!(1), &json!(0)), "{lost}");
    assert!(
        lost["values"].as_i64() >= Some(1) && lost["lastMessage"].is_string() && lost["since"].as_str() >= lost["lastMessage"].as_str(),
        "{lost}"
    );
    let skew = lost["clockSkewMs"].as_i64().expect("a skew");
    assert!(skew.abs() < 60_000, "{skew} ms");
    let monitored = rows(&rig.server, &token, &format!("assetmonitoringdata/{}", rig.server.one.feeder.0)).await;
    assert_eq!((&monitored["online"], &monitored["gatewayName"], &monitored["device"]), (&json!(false), &json!("RTU"), &json!("F1")));
    assert_eq!(monitored["points"].as_array().map(Vec::len), Some(3), "{monitored}");
    assert_eq!((&monitored["changes"][0]["online"], &monitored["changes"][1]["online"]), (&json!(false), &json!(true)), "{monitored}");

    let again = Gateway::start(&rig.broker.url(), "one", "one-RTU", CLOSED).await;
    let back = until(&rig, &token, today, |row| row["online"] == true).await;
    assert_eq!((&back["outages"], &back["connects"]), (&json!(1), &json!(2)), "{back}");
    // A connection whose end was not reported counts as one more connection and not as an outage.
    again.restart().await;
    until(&rig, &token, today, |row| row["connects"] == 3 && row["outages"] == 1).await;
}

#[tokio::test]
async fn a_feeder_is_off_from_its_breakers_opening_to_its_closing() {
    let rig = Rig::start().await;
    let token = rig.operator("second", 2).await;
    let (on, off) = ("realtimefeederonstatusbydate/0", "realtimefeederoutagestatus/0/0");
    let closed = until(&rig, &token, on, |row| row["status"] == "on").await;
    assert_eq!((&closed["position"], &closed["currentR"], &closed["loaded"]), (&json!("CLOSED"), &Value::Null, &Value::Null), "{closed}");
    assert_eq!(rows(&rig.server, &token, off).await, json!([]));

    rig.gateway.report(pos(OPEN)).await;
    // The position arrives over the bus. Its time comes from the event, which is stored a moment later.
    let open = until(&rig, &token, on, |row| row["status"] == "off" && row["since"].is_string()).await;
    assert_eq!(open["position"], "OPEN", "{open}");
    let outage = until(&rig, &token, off, |row| row["assetId"] == rig.server.one.feeder.0).await;
    assert_eq!((&outage["cause"], &outage["restored"], &outage["since"]), (&json!("trip"), &Value::Null, &open["since"]), "{outage}");
    let elsewhere = format!("realtimefeederoutagestatus/0/{}", rig.server.one.other_division.0);
    assert_eq!(rows(&rig.server, &token, &elsewhere).await, json!([]));

    // The gateway is offline, so the state is unknown.
    rig.gateway.die();
    until(&rig, &token, on, |row| row["status"] == "unknown" && row["quality"] == 5).await;
    until(&rig, &token, off, |row| row["quality"] == 5).await;
    let again = Gateway::start(&rig.broker.url(), "one", "one-RTU", OPEN).await;
    until(&rig, &token, on, |row| row["status"] == "off").await;

    // An opening by command is not a trip.
    rig.until_status(&token, |status| status["operable"] == true).await;
    assert_eq!(rig.post(&token, &rig.order("directOperate", OPEN, CLOSED)).await.status, 200);
    until(&rig, &token, off, |row| row["restored"].is_string()).await;
    rig.until_status(&token, |status| status["currentDIText"] == "CLOSED" && status["operable"] == true).await;
    assert_eq!(rig.post(&token, &rig.order("directOperate", CLOSED, OPEN)).await.status, 200);
    let newest = until(&rig, &token, off, |row| row["restored"].is_null()).await;
    assert_eq!(newest["cause"], "switched", "{newest}");
    assert_eq!(rows(&rig.server, &token, off).await.as_array().map(Vec::len), Some(2));
    drop(again);
}

#[tokio::test]
async fn days_are_those_of_the_utility() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    // Online from the 10th at 12:00 there; lost on the 11th from 06:00 to 12:00; its device on the 12th from 18:00 on.
    let at = |day: i64, hour: i64| 1_767_983_400_000 + ((day - 10) * 24 + hour) * 3_600_000;
    let gateway = server.one.gateway.0;
    let client = server.database.client().await;
    for (device, at, online) in
        [("", at(10, 12), true), ("", at(11, 6), false), ("", at(11, 12), true), ("F1", at(12, 18), false), ("F1", at(13, 0), true)]
    {
        let statement = "INSERT INTO link_change (client_id, gateway_id, device, at, online) VALUES ($1, $2, $3, to_timestamp($4), $5)";
        client.execute(statement, &[&server.one.client.0, &gateway, &device, &(at as f64 / 1e3), &online]).await.expect("entered");
    }
    let counts = "INSERT INTO gateway_day (client_id, gateway_id, day, taken, late, missing, skew_ms, last_message)
                  VALUES ($1, $2, '2026-01-11', 500, 3, 2, -1500, '2026-01-11T12:00:00Z')";
    client.execute(counts, &[&server.one.client.0, &gateway]).await.expect("counted");

    let list = rows(&server, &token, &format!("getrtucommlistbycircleid/{}/2026-01-09/2026-01-12", server.one.circle.0)).await;
    let reported: Vec<_> = list
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| {
            let numbers = ["availability", "outageMinutes", "outages", "connects", "values", "missingMessages", "clockSkewMs"];
            (row["date"].as_str().expect("a date").to_owned(), numbers.map(|name| row[name].clone()))
        })
        .collect();
    let expected = [
        ("2026-01-09", json!([null, null, 0, 0, null, null, null])),
        ("2026-01-10", json!([100.0, 0.0, 0, 1, null, null, null])),
        ("2026-01-11", json!([75.0, 360.0, 1, 1, 500, 2, -1500])),
        ("2026-01-12", json!([100.0, 0.0, 0, 0, null, null, null])),
    ];
    assert_eq!(reported.iter().map(|(date, numbers)| (date.as_str(), json!(numbers))).collect::<Vec<_>>(), expected);

    let hours = rows(&server, &token, "realtimertucommstatusbydate/2026-01-11").await[0]["hours"].clone();
    let expected: Vec<f64> = (0..24).map(|hour| if (6..12).contains(&hour) { 0.0 } else { 100.0 }).collect();
    assert_eq!(hours, json!(expected));
    let hours = rows(&server, &token, "realtimertucommstatusbydate/2026-01-10").await[0]["hours"].clone();
    assert_eq!((&hours[11], &hours[12]), (&Value::Null, &json!(100.0)), "before it was first heard nothing is known");

    let feeders = rows(&server, &token, "getfeedercommlistbycircleid/0/2026-01-11/2026-01-12").await;
    let reported: Vec<Value> =
        feeders.as_array().expect("rows").iter().map(|row| json!([row["date"], row["availability"], row["online"]])).collect();
    assert_eq!(reported, [json!(["2026-01-11", 75.0, true]), json!(["2026-01-12", 75.0, false])], "a device follows its gateway");

    // The breaker opened on the 11th at 20:00 and was closed on the 12th at 02:00.
    feed(
        server.database.url(),
        &server.one,
        &[reading(2.0, at(10, 13)), reading(1.0, at(11, 20)), reading(2.0, at(12, 2))],
        &[reading(40.0, at(11, 11))],
    )
    .await;
    let on = rows(&server, &token, "realtimefeederonstatusbydate/2026-01-11").await[0].clone();
    assert_eq!((&on["status"], &on["onMinutes"], &on["offMinutes"]), (&json!("off"), &json!(1_200.0), &json!(240.0)), "{on}");
    for (day, restored, minutes) in [("2026-01-11", Value::Null, 240.0), ("2026-01-12", json!("2026-01-11T20:30:00.000Z"), 360.0)] {
        let outages = rows(&server, &token, &format!("realtimefeederoutagestatus/{day}/0")).await;
        assert_eq!(outages.as_array().map(Vec::len), Some(1), "{outages}");
        assert_eq!((&outages[0]["restored"], &outages[0]["minutes"]), (&restored, &json!(minutes)), "{outages}");
        assert_eq!(outages[0]["since"], "2026-01-11T14:30:00.000Z");
    }
    assert_eq!(rows(&server, &token, "realtimefeederoutagestatus/2026-01-13/0").await, json!([]));
}

#[tokio::test]
async fn who_is_confined_sees_what_is_theirs_and_what_is_no_day_is_refused() {
    let server = Server::start().await;
    let (token, confined) = (server.sign_in("one-admin").await, server.sign_in("one-division").await);
    assert_eq!(rows(&server, &confined, "realtimertustatusbydate/0/0").await, json!([]), "the gateway stands in the other division");
    assert_eq!(rows(&server, &confined, "realtimefeederonstatusbydate/0").await, json!([]));
    for path in ["realtimertustatusbydate/0/", "realtimefeederoutagestatus/0/"] {
        for node in [server.one.circle.0, server.one.location.0, server.two.circle.0, 999_999] {
            assert_eq!(server.get_as(&confined, &format!("/api/assethealth/{path}{node}")).await.status, 404, "{path}{node}");
        }
    }
    for path in [
        "realtimertustatusbydate/tomorrow/0",
        "realtimertustatusbydate/2999-01-01/0",
        "realtimertucommstatusbydate/2026-02-30",
        "getrtucommlistbycircleid/0/2026-01-02/2026-01-01",
        "getfeedercommlistbycircleid/0/2026-01-01/2026-06-01",
    ] {
        let answer = server.get_as(&token, &format!("/api/assethealth/{path}")).await;
        assert_eq!(answer.status, 400, "{path}: {answer:?}");
    }
}
