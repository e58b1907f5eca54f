//! Reports of values by sample and of stored counts, compared with rows computed by hand.

use std::collections::HashMap;

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{AssetId, Micros, Ordinal, PointId, Quality, Reading};
use serde_json::{Value, json};
use store::seed::PointSeed;
use store::writer::{Batch, GatewayMark, Sample};
use store::{Store, Writer};

use crate::energy_field::{MINUTE_MS, asset, now, work_out};
use crate::field::{feed, reading};
use crate::reliability::at;
use crate::reports::{question, rows, same, show};
use crate::server::Server;

/// Midnight in India.
const DAY: &str = "2026-07-01T00:00:00+05:30";
const FIRST: &str = "2026-06-30T18:30:00.000Z";

/// A received value.
pub(crate) type Came = (PointId, Micros, Option<f64>, Quality);

/// Creates an asset of utility one with points: code, unit, and interval between values.
pub(crate) async fn measured(
    server: &Server,
    name: &str,
    points: &[(&'static str, &str, Option<i64>)],
) -> (AssetId, HashMap<&'static str, PointId>) {
    let (store, one) = (Store::connect(server.database.url(), 1).await.expect("connected"), &server.one);
    let id = store.put_assets(&[asset(one, one.location, name, 1, "feeder", 11.0)]).await.expect("an asset")[0];
    let seed = |(code, unit, expected_ms): &(&'static str, &str, Option<i64>)| PointSeed {
        client: one.client,
        gateway: one.gateway,
        device: name.into(),
        metric: format!("{name}/{code}"),
        code: (*code).into(),
        asset: id,
        kind: kind_of_code(code),
        quantity: Quantity::of_code(code),
        unit: (*unit).into(),
        decimals: 2,
        scale: 1.0,
        expected_ms: *expected_ms,
    };
    let ids = store.put_points(&points.iter().map(seed).collect::<Vec<_>>()).await.expect("points");
    (id, points.iter().map(|(code, ..)| *code).zip(ids).collect())
}

/// Stores values as ingest would, as the newest ones or only in the history. The gateway is online.
pub(crate) async fn come(server: &Server, values: &[Came], historical: bool) {
    let sample = |&(point, source, value, quality): &Came| {
        let (received, ordinal) = (source.plus_millis(5), Ordinal { epoch: 1, seq: source.millis() });
        let reading = Reading { value, quality, source, received, ordinal };
        Sample { point, client: server.one.client, reading, historical, repeated: false }
    };
    let mut batch = Batch { samples: values.iter().map(sample).collect(), ..Batch::default() };
    batch.gateways.push(GatewayMark {
        gateway: server.one.gateway,
        online: Some(true),
        at: Micros::from_millis(1_000),
        order: grid::LinkOrder::default(),
        entered: true,
    });
    Writer::connect(server.database.url()).await.expect("a writer").commit(&batch).await.expect("stored");
}

const POINTS: [(&str, &str, Option<i64>); 9] = [
    ("Ir", "A", Some(MINUTE_MS)),
    ("Ib", "A", Some(MINUTE_MS)),
    ("Vry", "V", Some(MINUTE_MS)),
    ("P", "MW", Some(MINUTE_MS)),
    ("Q", "MVAr", Some(MINUTE_MS)),
    ("Pf", "pf", Some(MINUTE_MS)),
    ("Hz", "Hz", Some(MINUTE_MS)),
    ("EImp", "MWh", Some(MINUTE_MS)),
    // Reports by exception.
    ("OTI", "°C", None),
];

/// Stores a day of an asset with typical problems of values; Ib is silent.
async fn a_day(server: &Server) -> AssetId {
    let (asset, ids) = measured(server, "Q1", &POINTS).await;
    let good = |code: &str, second: i64, value: f64| (ids[code], at(DAY).plus_millis(second * 1_000), Some(value), Quality::Good);
    let reported =
        |code: &str, second: i64, value: f64, quality: Quality| (ids[code], at(DAY).plus_millis(second * 1_000), Some(value), quality);
    let values = [
        good("OTI", -3_600, 40.0),
        good("OTI", 300, 50.0),
        good("Ir", 0, 10.0),
        good("Ir", 60, 20.0),
        reported("Ir", 120, 30.0, Quality::Questionable),
        reported("Ir", 180, 999.0, Quality::Invalid),
        good("Ir", 870, 40.0),
        good("Ir", 900, 50.0),
        good("Ir", 86_399, 60.0),
        good("Ir", 86_400, 70.0),
        good("Vry", 0, 11_000.0),
        good("P", 0, 1.5),
        good("P", 1_800, 2.5),
        good("Q", 0, 0.5),
        good("Pf", 0, 0.96),
        good("Hz", 0, 50.02),
        good("EImp", 600, 5.0),
        good("EImp", 3_000, 6.25),
    ];
    come(server, &values, true).await;
    asset
}

fn sampled(report: &str, asset: AssetId, value: &str, minutes: i64) -> Value {
    let mut request = question(report, "asset", asset.0, 6, value);
    request["sampleMinutes"] = json!(minutes);
    request
}

fn expect(found: &Value, expected: &Value) {
    assert!(same(found, expected), "\n{found} is not\n{expected}");
}

#[tokio::test]
async fn each_point_has_its_samples_and_what_retention_leaves_of_them() {
    let server = Server::start().await;
    let asset = a_day(&server).await;
    let token = server.sign_in("one-admin").await;
    let found = rows(&server, &token, &question("PDS", "asset", asset.0, 7, "2026-07-01")).await;
    let found = found.as_array().expect("rows");
    let order: Vec<&Value> = found.iter().step_by(96).map(|row| &row[4]).collect();
    let expected = [
        "Current R",
        "Voltage R-Y",
        "Active power",
        "Reactive power",
        "Power factor",
        "Frequency",
        "Active energy imported",
        "Oil temperature",
    ];
    assert_eq!((found.len(), order), (8 * 96, expected.map(|name| json!(name)).iter().collect()), "of what is silent there is no row");
    // 10, 20 and 30 A for a minute each; the invalid value ends them. 40 A from a quarter past fourteen minutes on.
    let mean = (10.0 * 60.0 + 20.0 * 60.0 + 30.0 * 60.0 + 40.0 * 30.0) / 210.0;
    let place = ["D1 location", "Q1", "Current R", "A"];
    let row = |start: &str, minutes: i64, figures: [Value; 8]| -> Value {
        [json!(start), json!(minutes)].into_iter().chain(place.map(|word| json!(word))).chain(figures).collect()
    };
    let null = Value::Null;
    expect(&found[0], &row(FIRST, 15, [json!(mean), json!(10), json!(40), json!(40), json!(5), json!(20), json!("Invalid"), null.clone()]));
    let edge = [json!(50), json!(50), json!(50), json!(50), json!(1), json!(0), json!("Good"), null.clone()];
    expect(&found[1], &row("2026-06-30T18:45:00.000Z", 15, edge));
    let nothing = || [null.clone(), null.clone(), null.clone(), null.clone(), json!(0), null.clone(), null.clone(), null.clone()];
    expect(&found[2], &row("2026-06-30T19:00:00.000Z", 15, nothing()));
    let last = [json!(60), json!(60), json!(60), json!(60), json!(1), json!(0), json!("Good"), null.clone()];
    expect(&found[95], &row("2026-07-01T18:15:00.000Z", 15, last));
    // A register has no mean. A value by exception is still valid from the day before.
    let figures = |nth: usize| -> Value { found[nth].as_array().expect("cells")[6..].iter().cloned().collect() };
    expect(&figures(6 * 96), &json!([null, 5, 5, 5, 1, 0, "Good", null]));
    expect(&figures(7 * 96), &json!([(40.0 * 300.0 + 50.0 * 600.0) / 900.0, 50, 50, 50, 1, 0, "Good", null]));
    expect(&figures(8 * 96 - 1), &json!([50, 50, 50, 50, 0, null, null, null]));

    // The same in hours, over two days: of the first only the temperature has a value.
    let hours = rows(&server, &token, &sampled("PDS", asset, "2026-06-30,2026-07-01", 60)).await;
    let hours = hours.as_array().expect("rows");
    assert_eq!((hours.len(), &hours[0][4], &hours[0][10], &hours[23][9]), (9 * 24, &json!("Oil temperature"), &json!(0.0), &json!(40.0)));
    let hour = (10.0 * 60.0 + 20.0 * 60.0 + 30.0 * 60.0 + 40.0 * 30.0 + 50.0 * 180.0) / 390.0;
    let six = [json!(hour), json!(10), json!(50), json!(50), json!(6), json!(100.0 / 6.0), json!("Invalid"), null.clone()];
    expect(&hours[24], &row(FIRST, 60, six.clone()));
    let request = json!({ "level": "asset", "levelId": asset.0, "frequency": 7, "frequencyValue": "2026-07-01", "sampleMinutes": 60 });
    let answer = server.json_as(&token, "POST", "/api/pfcreport/getcustomizedpdsreport", &request).await.json();
    assert_eq!((&answer["result"][0][5], &answer["result"][1][0]), (&json!("Unit"), &hours[24]), "the specification's own call");

    // Without single values and minutes there are ten minutes, of which half hours are made.
    work_out(&server).await;
    server.database.client().await.batch_execute("DELETE FROM sample; DELETE FROM rollup_1m").await.expect("gone");
    let left = rows(&server, &token, &question("PDS", "asset", asset.0, 7, "2026-07-01")).await;
    assert_eq!(left.as_array().map(Vec::len), Some(8 * 48));
    expect(&left[0], &row(FIRST, 30, six));
    let counted = rows(&server, &token, &question("ASSET_DAILY_COUNT_RECORD", "asset", asset.0, 7, "2026-07-01")).await;
    let cells = json!([counted[0][3], counted[0][4], counted[0][8], counted[0][9], counted[0][10], counted[0][11], counted[0][12]]);
    expect(&cells, &json!([16, 8, null, null, 1, FIRST, "2026-07-01T18:29:59.000Z"]));
}

#[tokio::test]
async fn what_is_usual_stands_side_by_side_in_the_units_of_the_columns() {
    let server = Server::start().await;
    let asset = a_day(&server).await;
    let token = server.sign_in("one-admin").await;
    let found = rows(&server, &token, &sampled("PRODUCT_DATA_STREAM_INT", asset, "2026-06-30,2026-07-01", 60)).await;
    assert_eq!(found.as_array().map(Vec::len), Some(24), "the day before has nothing of these columns");
    let current = (10.0 * 60.0 + 20.0 * 60.0 + 30.0 * 60.0 + 40.0 * 30.0 + 50.0 * 180.0) / 390.0;
    let first = json!([
        FIRST,
        60,
        "D1 location",
        "Q1",
        11.0,
        null,
        null,
        null,
        null,
        null,
        current,
        null,
        null,
        2_000.0,
        500.0,
        null,
        0.96,
        50.02,
        6_250.0,
        14,
        100.0 / 14.0
    ]);
    expect(&found[0], &first);
    let nothing = json!([
        "2026-06-30T19:30:00.000Z",
        60,
        "D1 location",
        "Q1",
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        0,
        null
    ]);
    expect(&found[1], &nothing);
    assert_eq!((&found[23][10], &found[23][19]), (&json!(60.0), &json!(1.0)));
    for (path, expected) in [
        (format!("getProductDataStreamByInterval/asset:{}:2026-06-30_2026-07-01:60", asset.0), 24),
        (format!("getProductDataStreamByInterval/asset:{}:2026-07-01", asset.0), 96),
        (format!("getProductDataStreamByInterval/location:{}:2026-07-01:30", server.one.location.0), 48),
    ] {
        let answer = server.get_as(&token, &format!("/api/report/{path}")).await;
        assert_eq!(answer.json()["result"][1].as_array().map(Vec::len), Some(expected), "{path}: {answer:?}");
    }
    let wrong = server.get_as(&token, &format!("/api/report/getProductDataStreamByInterval/asset:{}:2026-07-01:7", asset.0)).await;
    assert!(wrong.status == 400 && wrong.body.contains("1, 5, 10, 15, 30 or 60"), "{wrong:?}");
}

#[tokio::test]
async fn gds_has_everything_as_it_stood_and_its_samples_are_for_who_has_the_switch() {
    let server = Server::start().await;
    let asset = a_day(&server).await;
    let moves = [("2026-06-30T10:00:00+05:30", 2.0), ("2026-07-01T00:20:30+05:30", 1.0), ("2026-07-02T00:00:00+05:30", 2.0)];
    feed(server.database.url(), &server.one, &moves.map(|(time, position)| reading(position, at(time).millis())), &[]).await;
    let token = server.sign_in("one-admin").await;
    let key = "GDSDataSingleDateBySampleTime";
    let breaker = question(key, "asset", server.one.breaker.0, 7, "2026-07-01");
    let found = rows(&server, &token, &breaker).await;
    assert_eq!(found.as_array().map(Vec::len), Some(96));
    let named = ["D1 location", "one F1CB", "F1/F1CB/Pos", "Position"];
    let row = |start: &str, rest: Value| -> Value {
        [json!(start)].into_iter().chain(named.map(|word| json!(word))).chain(rest.as_array().expect("cells").clone()).collect()
    };
    expect(&found[0], &row(FIRST, json!([2, "", "CLOSED", "2026-06-30T04:30:00.000Z", "Good"])));
    expect(&found[1], &row("2026-06-30T18:45:00.000Z", json!([1, "", "OPEN", "2026-06-30T18:50:30.000Z", "Good"])));
    assert_eq!(found[95][7], "OPEN", "what happens at midnight is of the next day");
    let earlier = rows(&server, &token, &question(key, "asset", server.one.breaker.0, 6, "2026-06-29,2026-06-30")).await;
    assert_eq!(earlier.as_array().map(Vec::len), Some(96 - 40), "before the first change nothing is known");

    let mut request = question(key, "asset", asset.0, 7, "2026-07-01");
    let found = rows(&server, &token, &request).await;
    assert_eq!(found.as_array().map(Vec::len), Some(8 * 96));
    let first = json!([FIRST, "D1 location", "Q1", "Q1/Q1/Ir", "Current R", 40, "A", null, "2026-06-30T18:44:30.000Z", "Invalid"]);
    expect(&found[0], &first);
    expect(&json!([found[2][5], found[2][8], found[2][9]]), &json!([null, null, null]));

    request["sampleMinutes"] = json!(60);
    let refused = show(&server, &token, &request).await;
    assert!(refused.status == 403 && refused.body.contains("showGDSData"), "{refused:?}");
    let client = server.database.client().await;
    client
        .batch_execute("UPDATE member SET flags = flags || '{\"showGDSData\": true}' WHERE username = 'one-admin'")
        .await
        .expect("switched");
    assert_eq!(rows(&server, &token, &request).await.as_array().map(Vec::len), Some(8 * 24));
    let path = format!("/api/report/gdsdatabysampletimebydaterange/asset:{}:2026-06-30_2026-07-01:30", asset.0);
    assert_eq!(server.get_as(&token, &path).await.json()["result"][1].as_array().map(Vec::len), Some(9 * 48));
    let path = format!("/api/report/gdsdatabysampletimebydate/asset:{}:2026-07-01", asset.0);
    assert_eq!(server.get_as(&token, &path).await.json()["result"][1].as_array().map(Vec::len), Some(8 * 96));
}

#[tokio::test]
async fn gds_of_a_switch_that_changes_all_the_time_is_told_to_its_end() {
    let server = Server::start().await;
    let one = &server.one;
    // Every 800 ms, which is 108,000 times a day: more than are read at once, of one point alone.
    let statement = format!(
        "INSERT INTO event (client_id, point_id, asset_id, location_id, source_ts, recv_ts, epoch, seq, \"offset\", value, idx, quality)
         SELECT {}, {}, {}, {}, at, at, 1, n, 1000 + n, 1 + n % 2, 0, 0
         FROM (SELECT n, timestamptz '2026-07-04T18:30:00Z' + n * interval '800 ms' AS at FROM generate_series(0, 107999) AS n) AS told",
        one.client, one.position, one.breaker, one.location
    );
    server.database.client().await.batch_execute(&statement).await.expect("entered");
    let token = server.sign_in("one-admin").await;
    let request = question("GDSDataSingleDateBySampleTime", "asset", one.breaker.0, 7, "2026-07-05");
    let found = rows(&server, &token, &request).await;
    assert_eq!(found.as_array().map(Vec::len), Some(96));
    // 1,125 changes in a quarter of an hour: the last of them is an opening in the first and a closing in the second.
    let (first, second, last) = (&found[0], &found[1], &found[95]);
    assert_eq!((&first[7], &first[8]), (&json!("OPEN"), &json!("2026-07-04T18:44:59.200Z")), "{first}");
    assert_eq!((&second[7], &second[8]), (&json!("CLOSED"), &json!("2026-07-04T18:59:59.200Z")), "{second}");
    assert_eq!((&last[7], &last[8]), (&json!("CLOSED"), &json!("2026-07-05T18:29:59.200Z")), "{last}");
}

#[tokio::test]
async fn values_are_counted_by_asset_and_day() {
    let server = Server::start().await;
    let asset = a_day(&server).await;
    let token = server.sign_in("one-admin").await;
    let found = rows(&server, &token, &question("ASSET_DAILY_COUNT_RECORD", "asset", asset.0, 6, "2026-06-30,2026-07-01")).await;
    assert_eq!(found.as_array().map(Vec::len), Some(2));
    // Eight points have a period of a minute.
    let expected = 8.0 * 1_440.0;
    let before = "2026-06-30T17:30:00.000Z";
    expect(&found[0], &json!(["2026-06-29T18:30:00.000Z", "D1 location", "Q1", 1, 1, 9, expected, 0, 1, 0, 0, before, before]));
    let day = json!([FIRST, "D1 location", "Q1", 16, 8, 9, expected, 100.0 * 15.0 / expected, 14, 1, 1, FIRST, "2026-07-01T18:29:59.000Z"]);
    expect(&found[1], &day);
    let path = format!("/api/report/assetDailyRecordCount/location:{}:2026-07-01", server.one.location.0);
    let all = server.get_as(&token, &path).await.json()["result"][1].clone();
    let named: Vec<(&Value, &Value)> = all.as_array().expect("rows").iter().map(|row| (&row[2], &row[3])).collect();
    let (none, names) = (json!(0.0), ["Q1", "one F1", "one F1CB", "one STN"].map(|name| json!(name)));
    assert_eq!(named, [(&names[0], &json!(16.0)), (&names[1], &none), (&names[2], &none), (&names[3], &none)], "{all}");
    expect(&all[1], &json!(["2026-07-01", "D1 location", "one F1", 0, 0, 3, 3.0 * 43_200.0, 0, 0, 0, 0, null, null]));
}

#[tokio::test]
async fn now_is_the_newest_value_with_its_age() {
    let server = Server::start().await;
    let (asset, ids) = measured(&server, "Q1", &POINTS).await;
    let now = now();
    let values = [
        (ids["Ir"], now.plus_millis(-5_000), Some(61.0), Quality::Good),
        (ids["P"], now.plus_millis(-3_600_000), Some(1.25), Quality::Good),
        (ids["Hz"], now.plus_millis(-1_000), None, Quality::Invalid),
    ];
    come(&server, &values, false).await;
    let token = server.sign_in("one-admin").await;
    let mut request = json!({ "report": "PDS", "level": "location", "levelId": server.one.location.0, "reportType": "realtime" });
    let found = rows(&server, &token, &request).await;
    assert_eq!(found.as_array().map(Vec::len), Some(3), "{found}");
    for (row, signal, value, quality, age) in [
        (&found[0], "Current R", json!(61.0), "Good", 5),
        (&found[1], "Active power", json!(1.25), "Stale", 3_600),
        (&found[2], "Frequency", Value::Null, "Invalid", 1),
    ] {
        assert_eq!((&row[4], &row[9], &row[12]), (&json!(signal), &value, &json!(quality)), "{row}");
        assert!(row[13].as_u64().is_some_and(|seconds| (age..age + 300).contains(&seconds)), "{row}");
        assert!([1, 6, 7, 8, 10, 11].iter().all(|empty| row[*empty].is_null()), "{row}");
    }
    assert_eq!(found[0][0], json!(wire::time::iso(now.plus_millis(-5_000))));
    request["sampleMinutes"] = json!(15);
    assert_eq!(show(&server, &token, &request).await.status, 400, "now has no samples");
    request = json!({ "report": "PDS", "level": "asset", "levelId": asset.0, "reportType": "realtime" });
    assert_eq!(rows(&server, &token, &request).await.as_array().map(Vec::len), Some(3));
}
