//! Reports of limit violations, compared with times computed by hand: of past days, of assets, and of the present.

use grid::alarm::{Act, AlarmKind, AlarmRecord, Life, Rule};
use grid::thermal::{Cooling, Paper};
use grid::{Micros, PointId, Quality};
use serde_json::{Value, json};
use store::Store;
use store::alarm::StepResult;
use store::rating::{IndicatorLimits, RatingSeed};

use crate::energy_field::{MINUTE_MS, now, points, work_out, write};
use crate::field::{Utility, feed, reading};
use crate::permissible_load::transformer;
use crate::reliability::at;
use crate::reports::{question, rows, same, show};
use crate::reports_streams::{come, measured};
use crate::server::Server;

fn rule(point: PointId, kind: AlarmKind, limit: f64, deadband: f64, priority: i16) -> Rule {
    Rule {
        point,
        kind,
        enabled: true,
        limit: Some(limit),
        deadband,
        state_value: None,
        on_delay_s: 30,
        off_delay_s: 0,
        priority,
        text: String::new(),
    }
}

/// Stores an alarm of the feeder's current as the service would; returns its id.
async fn raise(store: &Store, one: &Utility, raised: Micros) -> i64 {
    let source = format!("point/{}/high", one.current);
    let mut life = Life::default();
    let outcome = life.step(Act::Raise(raised));
    let alarm = AlarmRecord {
        client: one.client,
        id: 0,
        source: source.clone(),
        kind: AlarmKind::High,
        priority: 2,
        point: Some(one.current),
        asset: Some(one.feeder),
        asset_name: None,
        location: one.location,
        location_name: String::new(),
        text: "Load high".to_owned(),
        value: Some(412.5),
        limit: Some(400.0),
        unit: "A".to_owned(),
        customers: 0,
        life,
        acknowledged_by: None,
        shelved_by: None,
        shelved_reason: None,
        owner: None,
        note: None,
        offset: 0,
        raised_offset: 0,
        cause: None,
        cause_id: None,
    };
    let entered =
        store.enter_alarms(one.client, None, (&[source], &[]), |ledger| ledger.put_alarm(alarm, outcome.change().expect("a change"))).await;
    match entered.expect("entered") {
        StepResult::Done { alarms, .. } => alarms.rows[0].id,
        StepResult::Elsewhere => panic!("no cursor was moved"),
    }
}

/// Compares rows with the expected ones.
fn compare(found: &Value, expected: &[Value]) {
    let rows = found.as_array().expect("rows");
    assert_eq!(rows.len(), expected.len(), "{found}");
    for (found, expected) in rows.iter().zip(expected) {
        assert!(same(found, expected), "{found}\n{expected}");
    }
}

/// Returns values of a point, one per minute from an instant on.
fn by_minute(point: PointId, from: &str, values: &[f64]) -> Vec<(PointId, Micros, f64)> {
    let start = at(from);
    (0..).zip(values).map(|(nth, value)| (point, start.plus_millis(nth * MINUTE_MS), *value)).collect()
}

const PLACE: &str = "D1 location";
const F1: &str = "one F1";
/// Ten o'clock, and two minutes to midnight in India.
const TEN: &str = "2026-03-05T04:30:00.000Z";
const LATE: &str = "2026-03-05T18:28:00.000Z";

/// Stores a day on which current, voltage and oil temperature exceed their limits for some minutes, with one acknowledged alarm; returns a
/// token.
async fn day_beyond_limits(server: &Server) -> String {
    let one = &server.one;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let voltage = points(&store, one, one.feeder, "F1", &["Vry"]).await[0];
    let (tx, [oil, ..]) = transformer(&store, one).await;
    let limits = IndicatorLimits { oil_alarm: Some(85.0), ..IndicatorLimits::default() };
    let rating =
        RatingSeed { client: one.client, asset: tx, mva: 5.0, cooling: Cooling::Onan, paper: Paper::Normal, limits, used_life_years: 0.0 };
    store.put_ratings(&[rating]).await.expect("a rating");
    let off = Rule { enabled: false, ..rule(voltage, AlarmKind::High, 1.0, 0.0, 1) };
    let rules = [
        rule(one.current, AlarmKind::High, 400.0, 20.0, 2),
        rule(one.current, AlarmKind::HighHigh, 450.0, 10.0, 1),
        rule(voltage, AlarmKind::Low, 10.0, 0.1, 3),
        off,
    ];
    store.add_alarm_rules(one.client, &rules).await.expect("rules");
    let mut values =
        by_minute(one.current, "2026-03-05T09:58:00+05:30", &[390.0, 395.0, 410.0, 430.0, 455.0, 460.0, 420.0, 390.0, 370.0, 399.0]);
    // Over midnight, and then no further values.
    values.extend(by_minute(one.current, "2026-03-05T23:57:00+05:30", &[300.0, 405.0, 406.0, 407.0, 405.0]));
    values.extend(by_minute(voltage, "2026-03-05T10:59:00+05:30", &[11.0, 9.5, 9.7, 10.05, 10.2]));
    values.extend(
        [("12:00", 80.0), ("12:10", 90.0), ("12:20", 70.0)].map(|(time, value)| (oil, at(&format!("2026-03-05T{time}:00+05:30")), value)),
    );
    write(server, &values).await;
    let alarm = raise(&store, one, at("2026-03-05T10:00:30+05:30")).await;
    let token = server.sign_in("one-admin").await;
    let seen = server.json_as(&token, "POST", "/api/alarms/acknowledge", &json!({ "ids": [alarm], "offset": 1 })).await;
    assert_eq!(seen.status, 200, "{seen:?}");
    token
}

#[tokio::test]
async fn violations_of_days_by_hand() {
    let server = Server::start().await;
    let token = day_beyond_limits(&server).await;
    let mut request = question("LIMIT_VIOLATION", "location", server.one.location.0, 7, "2026-03-05");
    let found = rows(&server, &token, &request).await;
    let when = found[1][13].clone();
    assert!(when.is_string(), "{found}");
    let worse = json!([
        PLACE,
        F1,
        "Ir",
        "High-high",
        "2026-03-05T04:32:00.000Z",
        "2026-03-05T04:34:00.000Z",
        120,
        450.0,
        460.0,
        "A",
        "Good",
        1.0,
        null,
        null
    ]);
    let first = json!([PLACE, F1, "Ir", "High", TEN, "2026-03-05T04:36:00.000Z", 360, 400.0, 460.0, "A", "Good", 2.0, "A B", when]);
    let last = json!([PLACE, F1, "Ir", "High", LATE, null, 120, 400.0, 406.0, "A", "Good", 2.0, "A B", when]);
    let low = json!([
        PLACE,
        F1,
        "Vry",
        "Low",
        "2026-03-05T05:30:00.000Z",
        "2026-03-05T05:33:00.000Z",
        180,
        10.0,
        9.5,
        "kV",
        "Good",
        3.0,
        null,
        null
    ]);
    compare(&found, &[worse.clone(), first.clone(), last.clone(), low.clone()]);
    request["quantity"] = json!("voltage");
    compare(&rows(&server, &token, &request).await, &[low]);
    request["quantity"] = json!("current");
    compare(&rows(&server, &token, &request).await, &[worse, first, last]);
    // For both days it ends at the last value; for the second day alone it starts with the day.
    request["frequency"] = json!(6);
    request["frequencyValue"] = json!("2026-03-05,2026-03-06");
    let both = rows(&server, &token, &request).await;
    assert_eq!((&both[2][4], &both[2][5], &both[2][6]), (&json!(LATE), &json!("2026-03-05T18:32:00.000Z"), &json!(240)), "{both}");
    request["frequencyValue"] = json!("2026-03-06,2026-03-07");
    let second = rows(&server, &token, &request).await;
    assert_eq!((&second[0][4], &second[0][6]), (&json!("2026-03-05T18:30:00.000Z"), &json!(120)), "{second}");
    request["frequencyValue"] = json!("2026-03-07,2026-03-08");
    assert_eq!(rows(&server, &token, &request).await, json!([]));
}

#[tokio::test]
async fn violations_of_assets_by_hand() {
    let server = Server::start().await;
    let token = day_beyond_limits(&server).await;
    let one = &server.one;
    let path = format!("/api/report/violationsreportbydaterange/location:{}:2026-03-05_2026-03-06", one.location);
    let answer = server.get_as(&token, &path).await.json();
    let heated = "2026-03-05T06:40:00.000Z";
    let expected = [
        json!([PLACE, "TX1", "OTI", "Temperature", "High", 85.0, "°C", 1.0, 600, 600, 90.0, heated, heated, "No"]),
        json!([PLACE, F1, "Ir", "Current", "High", 400.0, "A", 2.0, 600, 360, 460.0, TEN, LATE, "No"]),
        json!([
            PLACE,
            F1,
            "Ir",
            "Current",
            "High-high",
            450.0,
            "A",
            1.0,
            120,
            120,
            460.0,
            "2026-03-05T04:32:00.000Z",
            "2026-03-05T04:32:00.000Z",
            "No"
        ]),
        json!([
            PLACE,
            F1,
            "Vry",
            "Voltage",
            "Low",
            10.0,
            "kV",
            1.0,
            180,
            180,
            9.5,
            "2026-03-05T05:30:00.000Z",
            "2026-03-05T05:30:00.000Z",
            "No"
        ]),
    ];
    assert_eq!(answer["result"][0].as_array().map(Vec::len), Some(14), "{answer}");
    compare(&answer["result"][1], &expected);
    let path = format!("/api/report/violationsreportbydate/asset:{}:2026-03-05", one.feeder);
    let answer = server.get_as(&token, &path).await.json();
    assert_eq!((&answer["result"][1][0][8], &answer["result"][1][0][13]), (&json!(480), &json!("Yes")), "of the day alone: {answer}");
}

/// Reports the link of utility one's gateway as lost or restored.
pub(crate) async fn link(server: &Server, time: &str, online: bool) {
    let statement = "INSERT INTO link_change (client_id, gateway_id, device, at, online) VALUES ($1, $2, '', to_timestamp($3), $4)";
    let (client, gateway, seconds) = (server.one.client.0, server.one.gateway.0, at(time).millis() as f64 / 1e3);
    server.database.client().await.execute(statement, &[&client, &gateway, &seconds, &online]).await.expect("entered");
}

#[tokio::test]
async fn what_is_told_by_exception_holds_from_before_until_the_next_value_or_the_loss_of_its_link() {
    let server = Server::start().await;
    let one = &server.one;
    let (asset, points) = measured(&server, "X1", &[("Ir", "A", None), ("Iy", "A", Some(10 * MINUTE_MS))]).await;
    let rules = [rule(points["Ir"], AlarmKind::High, 400.0, 20.0, 2), rule(points["Iy"], AlarmKind::High, 400.0, 20.0, 2)];
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    store.add_alarm_rules(one.client, &rules).await.expect("rules");
    let good = |code: &str, time: &str, value: f64| (points[code], at(time), Some(value), Quality::Good);
    let values = [
        good("Ir", "2026-06-30T23:50:00+05:30", 450.0),
        good("Ir", "2026-07-01T14:00:00+05:30", 300.0),
        // Below the limit again within the minute, and then no value for a day.
        good("Ir", "2026-07-02T10:00:10+05:30", 470.0),
        good("Ir", "2026-07-02T10:00:50+05:30", 310.0),
        good("Ir", "2026-07-03T08:00:00+05:30", 500.0),
        good("Iy", "2026-06-30T23:55:00+05:30", 420.0),
        good("Iy", "2026-07-01T00:05:00+05:30", 410.0),
        good("Iy", "2026-07-01T00:15:00+05:30", 350.0),
    ];
    come(&server, &values, true).await;
    link(&server, "2026-07-03T08:10:30+05:30", false).await;
    let token = server.sign_in("one-admin").await;
    let row = |point: &str, from: &str, to: Option<&str>, lasted: u64, extreme: f64, quality: Option<&str>| {
        json!([PLACE, "X1", point, "High", from, to, lasted, 400.0, extreme, "A", quality, 2.0, null, null])
    };
    let midnight = "2026-06-30T18:30:00.000Z";
    let day = [
        // From 23:50 to 14:00; fourteen hours of that are in the day.
        row("Ir", midnight, Some("2026-07-01T08:30:00.000Z"), 14 * 3_600, 450.0, None),
        // Exact to the interval of the values: the first value within the limit is in the second ten minutes.
        row("Iy", midnight, Some("2026-06-30T18:40:00.000Z"), 600, 420.0, Some("Good")),
    ];
    let request = |frequency: i64, value: &str| question("LIMIT_VIOLATION", "asset", asset.0, frequency, value);
    compare(&rows(&server, &token, &request(7, "2026-07-01")).await, &day);
    let minute = row("Ir", "2026-07-02T04:30:00.000Z", Some("2026-07-02T04:31:00.000Z"), 60, 470.0, Some("Good"));
    let lost = row("Ir", "2026-07-03T02:30:00.000Z", Some("2026-07-03T02:40:30.000Z"), 630, 500.0, Some("Good"));
    compare(&rows(&server, &token, &request(2, "2026-07")).await, &[day[0].clone(), minute, lost, day[1].clone()]);
    let summed = rows(&server, &token, &question("ASSET_VIOLATION_REPORT", "asset", asset.0, 2, "2026-07")).await;
    let lasted = 14 * 3_600 + 60 + 630;
    let current = json!([
        PLACE,
        "X1",
        "Ir",
        "Current",
        "High",
        400.0,
        "A",
        3.0,
        lasted,
        14 * 3_600,
        500.0,
        midnight,
        "2026-07-03T02:30:00.000Z",
        "No"
    ]);
    assert!(same(&summed[0], &current), "{summed}\n{current}");

    // A month without values is unknown; afterwards the last value is valid.
    work_out(&server).await;
    assert_eq!(rows(&server, &token, &request(2, "2026-08")).await, json!([]));
    link(&server, "2026-08-31T12:00:00+05:30", true).await;
    let back = row("Ir", "2026-08-31T06:30:00.000Z", None, 12 * 3_600, 500.0, None);
    compare(&rows(&server, &token, &request(2, "2026-08")).await, &[back]);
}

#[tokio::test]
async fn what_is_beyond_its_limit_now() {
    let server = Server::start().await;
    let one = &server.one;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let rules = [rule(one.current, AlarmKind::High, 400.0, 20.0, 2), rule(one.current, AlarmKind::HighHigh, 450.0, 10.0, 1)];
    store.add_alarm_rules(one.client, &rules).await.expect("rules");
    // The gateway is online before the api first reads its link state, which is then cached for a moment.
    feed(server.database.url(), one, &[], &[]).await;
    let token = server.sign_in("one-admin").await;
    let request = json!({ "report": "LIMIT_VIOLATION", "level": "location", "levelId": one.location.0, "reportType": "realtime" });
    assert_eq!(rows(&server, &token, &request).await, json!([]), "nothing has been measured");
    let measured = now();
    feed(server.database.url(), one, &[], &[reading(430.0, measured.millis())]).await;
    let answer = show(&server, &token, &request).await.json()["result"].clone();
    let lasted = answer["rows"][0][6].clone();
    let since = wire::time::iso(measured);
    let row = json!(["D1 location", "one F1", "Ir", "High", since, null, lasted, 400.0, 430.0, "A", "Good", 2.0, null, null]);
    compare(&answer["rows"], &[row]);
    assert!(lasted.is_u64(), "{answer}");
    assert_eq!((&answer["reportType"], &answer["frequency"]), (&json!("realtime"), &json!("Realtime")), "{answer}");
    assert_eq!(answer["from"], answer["to"], "{answer}");
    // Within the deadband it counts as a violation while its alarm is active, from the time at which that was raised.
    let raised = measured.plus_millis(-90_000);
    raise(&store, one, raised).await;
    feed(server.database.url(), one, &[], &[reading(390.0, measured.millis() + 1)]).await;
    let found = rows(&server, &token, &request).await;
    assert_eq!((&found[0][4], &found[0][8]), (&json!(wire::time::iso(raised)), &json!(390.0)), "{found}");
    feed(server.database.url(), one, &[], &[reading(370.0, measured.millis() + 2)]).await;
    assert_eq!(rows(&server, &token, &request).await, json!([]), "the alarm service has yet to see what is over already");
    feed(server.database.url(), one, &[], &[reading(500.0, measured.millis() + 3)]).await;
    let posted = json!({ "level": "asset", "levelId": one.feeder.0, "frequency": 5, "reportType": "Realtime" });
    let answer = server.json_as(&token, "POST", "/api/pfcreport/limitviolation", &posted).await.json();
    let kinds: Vec<&Value> = answer["result"][1].as_array().expect("rows").iter().map(|row| &row[3]).collect();
    assert_eq!(kinds, [&json!("High"), &json!("High-high")], "{answer}");
    let file = server.json_as(&token, "POST", "/api/reports/download?format=csv", &request).await;
    assert!(file.status == 200 && file.body.matches("Realtime").count() == 2 && file.body.contains("High-high"), "{file:?}");

    for (key, value, says) in [
        ("frequency", json!(7), "frequency must be left out of a realtime report"),
        ("frequencyValue", json!("2026-03-05"), "frequency must be left out of a realtime report"),
        ("quantity", json!("voltage"), "quantity must be left out of a realtime report"),
        ("reportType", json!("now"), "reportType must be historic or realtime for LIMIT_VIOLATION"),
        ("sampleMinutes", json!(5), "sampleMinutes is no input of LIMIT_VIOLATION"),
        ("reportType", json!("historic"), "frequency must be one of 1 (Daily)"),
    ] {
        let mut wrong = request.clone();
        wrong[key] = value;
        let answer = show(&server, &token, &wrong).await;
        assert!(answer.status == 400 && answer.body.contains(says), "{key}: {answer:?}");
    }
    let mut wrong = question("LIMIT_VIOLATION", "location", one.location.0, 7, "2026-03-05");
    wrong["quantity"] = json!("power");
    let answer = show(&server, &token, &wrong).await;
    assert!(answer.status == 400 && answer.body.contains("quantity must be voltage or current"), "{answer:?}");
    let listed = server.get_as(&token, "/api/pfcreport/reportdetails/4").await.json()["result"].clone();
    assert_eq!((&listed["Historic"], &listed["RealTime"], &listed["input"]), (&json!(true), &json!(true), &json!("quantity")), "{listed}");
    let division = server.sign_in("one-division").await;
    assert_eq!(show(&server, &division, &request).await.status, 404);
}
