//! Reports of power quality, of RTU communication and of data quality, compared with rows computed by hand.

use grid::{Micros, Quality};
use serde_json::{Value, json};

use crate::energy_field::{HOUR_MS, MINUTE_MS, now};
use crate::reliability::at;
use crate::reports::{question, rows, same};
use crate::reports_streams::{Came, come, measured};
use crate::server::Server;

/// Midnight in India.
const DAY: &str = "2026-07-01T00:00:00+05:30";
const FIRST: &str = "2026-06-30T18:30:00.000Z";

fn expect(found: &Value, expected: &Value) {
    assert!(same(found, expected), "\n{found} is not\n{expected}");
}

/// The points, with values every ten minutes.
const POINTS: [(&str, &str, Option<i64>); 7] = [
    ("Vry", "kV", Some(10 * MINUTE_MS)),
    ("Vyb", "kV", Some(10 * MINUTE_MS)),
    ("Vbr", "kV", Some(10 * MINUTE_MS)),
    ("Hz", "Hz", Some(10 * MINUTE_MS)),
    ("ThdVr", "%", Some(10 * MINUTE_MS)),
    ("Pst", "", Some(10 * MINUTE_MS)),
    ("Dips", "", Some(10 * MINUTE_MS)),
];

#[tokio::test]
async fn the_supply_of_a_day_beside_its_limits() {
    let server = Server::start().await;
    let (asset, ids) = measured(&server, "Q2", &POINTS).await;
    let slot = |nth: i64| at(DAY).plus_millis(nth * 10 * MINUTE_MS);
    let mut values: Vec<Came> = Vec::new();
    let mut put = |code: &str, nth: i64, value: f64| values.push((ids[code], slot(nth), Some(value), Quality::Good));
    for nth in 0..20 {
        // One voltage is too high once, and all are missing once.
        put("Vry", nth, [11.0, 12.5, 0.1][usize::from(nth == 5) + 2 * usize::from(nth == 6)]);
        put("Vyb", nth, if nth == 6 { 0.1 } else { 11.0 });
        put("Vbr", nth, if nth == 6 { 0.1 } else { 11.0 });
        put("Hz", nth, if nth == 7 { 49.4 } else { 50.0 });
        put("ThdVr", nth, 3.0);
    }
    // Two hours, and two hours of which ten minutes are missing.
    for nth in (0..24).filter(|nth| *nth != 15) {
        put("Pst", nth, 0.6);
    }
    for (nth, count) in [(-1, 4.0), (0, 4.0), (10, 6.0)] {
        put("Dips", nth, count);
    }
    come(&server, &values, true).await;
    let token = server.sign_in("one-admin").await;
    let found = rows(&server, &token, &question("PQ", "asset", asset.0, 7, "2026-07-01")).await;
    let order: Vec<&Value> = found.as_array().expect("rows").iter().map(|row| &row[3]).collect();
    let expected = [
        "Voltage R-Y",
        "Voltage Y-B",
        "Voltage B-R",
        "Unbalance of voltage (V2/V1), of lines",
        "Frequency",
        "THD of voltage R",
        "Flicker, short term",
        "Flicker, long term, of short terms",
        "Dips",
    ];
    assert_eq!(order, expected.map(|name| json!(name)).iter().collect::<Vec<_>>());
    let row = |nth: usize, unit: &str, rest: Value| {
        let head = [json!(FIRST), json!("D1 location"), json!("Q2"), json!(expected[nth]), json!(unit)];
        let row: Value = head.into_iter().chain(rest.as_array().expect("cells").clone()).collect();
        expect(&found[nth], &row);
    };
    let (known, last) = (100.0 * 20.0 / 144.0, "2026-06-30T21:40:00.000Z");
    let without_one = 100.0 * 19.0 / 144.0;
    let mean = (18.0 * 11.0 + 12.5) / 19.0;
    let within = 100.0 * 18.0 / 19.0;
    row(0, "kV", json!([11.0, last, mean, 11.0, 12.5, 12.5, 9.9, 12.1, within, 95, "No", without_one, null, "Good", null]));
    row(1, "kV", json!([11.0, last, 11.0, 11.0, 11.0, 11.0, 9.9, 12.1, 100, 95, "Yes", without_one, null, "Good", null]));
    // CIGRE's formula, as it is published.
    let squares = [12.5_f64, 11.0, 11.0].map(|line| line.powi(2));
    let beta = squares.iter().map(|square| square.powi(2)).sum::<f64>() / squares.iter().sum::<f64>().powi(2);
    let root = (3.0 - 6.0 * beta).sqrt();
    let vuf = 100.0 * ((1.0 - root) / (1.0 + root)).sqrt();
    row(3, "%", json!([null, null, vuf / 19.0, 0, vuf, vuf, null, 2, within, 95, "No", without_one, null, null, null]));
    let hz = (19.0 * 50.0 + 49.4) / 20.0;
    row(4, "Hz", json!([50.0, last, hz, 49.4, 50.0, 50.0, 49.5, 50.5, 95, 99.5, "No", known, null, "Good", null]));
    row(5, "%", json!([3.0, last, 3.0, 3.0, 3.0, 3.0, null, 8, 100, 95, "Yes", known, null, "Good", null]));
    let pst = 100.0 * 23.0 / 144.0;
    row(6, "", json!([0.6, "2026-06-30T22:20:00.000Z", 0.6, 0.6, 0.6, 0.6, null, null, null, null, null, pst, null, "Good", null]));
    row(7, "", json!([null, null, 0.6, 0.6, 0.6, 0.6, null, 1, 100, 95, "Yes", 100.0 / 12.0, null, null, null]));
    let dips = 100.0 * 2.0 / 144.0;
    row(8, "", json!([6, "2026-06-30T20:10:00.000Z", null, null, null, null, null, null, null, null, null, dips, 2, "Good", null]));
    // The day before, with one value of one counter only: the number of its events on that day is unknown.
    let before = rows(&server, &token, &question("PQ", "asset", asset.0, 7, "2026-06-30")).await;
    assert_eq!((before.as_array().map(Vec::len), &before[0][3], &before[0][17]), (Some(1), &json!("Dips"), &Value::Null), "{before}");

    let newest = now().plus_millis(-60_000);
    let values = [
        (ids["Vry"], newest, Some(12.5), Quality::Good),
        (ids["Hz"], newest, Some(50.0), Quality::Questionable),
        (ids["ThdVr"], newest, Some(2.0), Quality::Invalid),
        (ids["Pst"], now().plus_millis(-2 * HOUR_MS), Some(0.5), Quality::Good),
    ];
    come(&server, &values, false).await;
    let request = json!({ "level": "location", "levelId": server.one.location.0, "reportType": "realtime" });
    let answer = server.json_as(&token, "POST", "/api/pfcreport/getcustomizedpqreport", &request).await.json();
    let fields: Value = answer["result"][1].as_array().expect("rows").iter().map(|row| json!([row[3], row[5], row[15], row[18]])).collect();
    let expected = json!([
        ["Voltage R-Y", 12.5, "No", "Good"],
        ["Frequency", 50.0, "Yes", "Questionable"],
        ["THD of voltage R", 2.0, null, "Invalid"],
        ["Flicker, short term", 0.5, null, "Stale"]
    ]);
    assert_eq!(fields, expected, "{answer}");
    let age = &answer["result"][1][0][19];
    assert!(age.as_u64().is_some_and(|seconds| (60..360).contains(&seconds)), "{age}");
    assert_eq!(answer["result"][1][0][6], json!(wire::time::iso(newest)));
}

async fn links(server: &Server) {
    // Online from the 10th at 12:00 there; lost on the 11th from 06:00 to 12:00 and from 18:00 to 19:00.
    let at = |day: i64, hour: i64| 1_767_983_400_000 + ((day - 10) * 24 + hour) * HOUR_MS;
    let client = server.database.client().await;
    for (at, online) in [(at(10, 12), true), (at(11, 6), false), (at(11, 12), true), (at(11, 18), false), (at(11, 19), true)] {
        let statement = "INSERT INTO link_change (client_id, gateway_id, device, at, online) VALUES ($1, $2, '', to_timestamp($3), $4)";
        client.execute(statement, &[&server.one.client.0, &server.one.gateway.0, &(at as f64 / 1e3), &online]).await.expect("entered");
    }
    // Writer and history go together: the newest state is the last change.
    let state = "UPDATE gateway SET online = true, since = to_timestamp($2) WHERE id = $1";
    client.execute(state, &[&server.one.gateway.0, &(at(11, 19) as f64 / 1e3)]).await.expect("entered");
    let counts = "INSERT INTO gateway_day (client_id, gateway_id, day, taken, late, missing, skew_ms, last_message)
                  VALUES ($1, $2, '2026-01-11', 500, 3, 2, -1500, '2026-01-11T12:00:00Z')";
    client.execute(counts, &[&server.one.client.0, &server.one.gateway.0]).await.expect("counted");
}

#[tokio::test]
async fn rtus_are_told_by_the_day_and_as_they_stand() {
    let server = Server::start().await;
    links(&server).await;
    let token = server.sign_in("one-admin").await;
    let found = rows(&server, &token, &question("RTU_HEALTH", "division", server.one.division.0, 6, "2026-01-09,2026-01-11")).await;
    let named = |rest: Value| -> Value {
        let head = ["D1 location", "RTU", "one-RTU"].map(|word| json!(word));
        let (day, rest) = rest.as_array().expect("cells").split_first().expect("a day").to_owned();
        [day.clone()].into_iter().chain(head).chain(rest.to_vec()).collect()
    };
    assert_eq!(found.as_array().map(Vec::len), Some(3));
    let (first, second) = ("2026-01-08T18:30:00.000Z", "2026-01-09T18:30:00.000Z");
    expect(&found[0], &named(json!([first, null, null, null, null, null, null, null, null, null, null, null, null, null])));
    let received = "2026-01-10T06:30:00.000Z";
    expect(&found[1], &named(json!([second, "Online", received, 100, 0, 0, 0, 1, null, null, null, null, null, null])));
    let third = json!([
        "2026-01-10T18:30:00.000Z",
        "Online",
        "2026-01-11T13:30:00.000Z",
        100.0 * 17.0 / 24.0,
        2,
        7 * 3_600,
        6 * 3_600,
        2,
        500,
        3,
        0.6,
        2,
        -1_500,
        "2026-01-11T12:00:00.000Z"
    ]);
    expect(&found[2], &named(third));
    let request = json!({ "level": "asset", "levelId": server.one.feeder.0, "frequency": 7, "frequencyValue": "2026-01-11" });
    let answer = server.json_as(&token, "POST", "/api/pfcreport/rtuhealth", &request).await.json();
    let mut by_day = found[2].clone();
    by_day[0] = json!("2026-01-11");
    assert_eq!(answer["result"][1], json!([by_day]), "an asset's is the one that reports it, and a day is written as that day");
    let elsewhere = question("RTU_HEALTH", "division", server.one.other_division.0, 7, "2026-01-11");
    assert_eq!(rows(&server, &token, &elsewhere).await, json!([]));
    let live = json!({ "report": "RTU_HEALTH", "level": "client", "levelId": server.one.client.0, "reportType": "realtime" });
    let now = rows(&server, &token, &live).await;
    assert_eq!(
        (now.as_array().map(Vec::len), &now[0][4], &now[0][5]),
        (Some(1), &json!("Online"), &json!("2026-01-11T13:30:00.000Z")),
        "{now}"
    );

    // Without a running ingest no gateway is online, and the time since when is unknown.
    let deaf = Server::start_on(false, &testkit::shared_mqtt_url()).await;
    links(&deaf).await;
    let token = deaf.sign_in("one-admin").await;
    let live = json!({ "report": "RTU_HEALTH", "level": "client", "levelId": deaf.one.client.0, "reportType": "realtime" });
    let now = rows(&deaf, &token, &live).await;
    assert_eq!((&now[0][4], &now[0][5], &now[0][6]), (&json!("Offline"), &Value::Null, &json!(100.0)), "{now}");
}

#[tokio::test]
async fn what_the_quality_check_finds_is_listed() {
    let server = Server::start().await;
    let minute = Some(MINUTE_MS);
    let (asset, ids) = measured(&server, "Q3", &[("Ir", "A", Some(2_000)), ("Vr", "kV", minute), ("Vy", "kV", minute)]).await;
    let after = |minutes: i64| -> Micros { at(DAY).plus_millis(minutes * MINUTE_MS) };
    // A value each minute of six hours; the third hour is missing, and from the fifth on it does not move for an hour and a half.
    let value = |minute: i64| if (240..=330).contains(&minute) { 6.35 } else { 6.10 + 0.01 * (minute % 9) as f64 };
    let minutes = (0..360).filter(|minute| !(120..180).contains(minute));
    let mut values: Vec<Came> = minutes.map(|minute| (ids["Vr"], after(minute), Some(value(minute)), Quality::Good)).collect();
    // Gaps of five minutes, more of them than are listed.
    values.extend((0..23).map(|nth| (ids["Vy"], after(5 * nth), Some(value(nth)), Quality::Good)));
    come(&server, &values, true).await;
    let token = server.sign_in("one-admin").await;
    let found = rows(&server, &token, &question("ANOMALIES_REPORT", "asset", asset.0, 7, "2026-07-01")).await;
    assert_eq!(found.as_array().map(Vec::len), Some(1 + 3 + 20 + 1), "{found}");
    let row = |signal: &str, rest: Value| -> Value {
        let head = ["D1 location", "Q3", signal].map(|word| json!(word));
        head.into_iter().chain(rest.as_array().expect("cells").clone()).chain([json!("Values")]).collect()
    };
    let end = "2026-07-01T18:30:00.000Z";
    expect(&found[0], &row("Current R", json!(["Gap", FIRST, end, 86_400, "no value"])));
    let gap = ["2026-06-30T20:29:00.000Z", "2026-06-30T21:30:00.000Z"];
    expect(&found[1], &row("Voltage R", json!(["Gap", gap[0], gap[1], 3_660, "no value"])));
    let flat = ["2026-06-30T22:30:00.000Z", "2026-07-01T00:00:00.000Z"];
    expect(&found[2], &row("Voltage R", json!(["Flat line", flat[0], flat[1], 5_400, "stays at 6.35"])));
    expect(&found[3], &row("Voltage R", json!(["Gap", "2026-07-01T00:29:00.000Z", end, 64_860, "no value"])));
    expect(&found[24], &row("Voltage Y", json!(["More", null, null, null, "3 shorter ones are not listed"])));
    for path in ["anomolyreportbydate/asset:{}:2026-07-01", "anomolyreportbydaterange/asset:{}:2026-07-01_2026-07-01"] {
        let answer = server.get_as(&token, &format!("/api/report/{}", path.replace("{}", &asset.0.to_string()))).await;
        assert_eq!(answer.json()["result"][1], found, "{path}");
    }
    // Each part of a period of more than a month is checked separately. Where single values have been deleted, rollups are used.
    let long = rows(&server, &token, &question("ANOMALIES_REPORT", "asset", asset.0, 6, "2026-06-01,2026-07-31")).await;
    let currents: Vec<&Value> = long.as_array().expect("rows").iter().filter(|row| row[2] == "Current R").map(|row| &row[4]).collect();
    assert_eq!(currents, [&json!("2026-05-31T18:30:00.000Z"), &json!("2026-07-01T18:30:00.000Z")], "{long}");
}
