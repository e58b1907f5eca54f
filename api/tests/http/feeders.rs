//! Fault trends, the quality check, curves of feeders and relay settings, compared with stored values.

use grid::fault::{Fault, FaultRecord};
use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{AssetId, Micros, Ordinal, PointId, Quality, Reading};
use serde_json::{Value, json};
use store::Store;
use store::Writer;
use store::seed::{AssetSeed, PointSeed};
use store::writer::{Batch, NewEvent, Sample};

use crate::server::Server;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

async fn store(server: &Server) -> Store {
    Store::connect(server.database.url(), 1).await.expect("connected")
}

fn at(text: &str) -> Micros {
    wire::time::parse_iso(text).expect("a time")
}

async fn ok(server: &Server, token: &str, path: &str) -> Value {
    let answer = server.get_as(token, path).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()["result"].clone()
}

/// Creates points of an asset in the feeder's bay; measurands report every minute.
async fn points(server: &Server, asset: AssetId, metrics: &[&str]) -> Vec<PointId> {
    points_every(server, asset, metrics, MINUTE_MS).await
}

/// Creates the same points with one value per hour.
async fn hourly(server: &Server, asset: AssetId, metrics: &[&str]) -> Vec<PointId> {
    points_every(server, asset, metrics, HOUR_MS).await
}

async fn points_every(server: &Server, asset: AssetId, metrics: &[&str], every_ms: i64) -> Vec<PointId> {
    let seed = |metric: &&str| {
        let code = metric.rsplit('/').next().expect("a code");
        let quantity = Quantity::of_code(code);
        PointSeed {
            client: server.one.client,
            gateway: server.one.gateway,
            device: "F1".into(),
            metric: (*metric).into(),
            code: code.into(),
            asset,
            kind: kind_of_code(code),
            quantity,
            unit: quantity.unit().into(),
            decimals: quantity.decimals(),
            scale: 1.0,
            expected_ms: (quantity != Quantity::Status).then_some(every_ms),
        }
    };
    store(server).await.put_points(&metrics.iter().map(seed).collect::<Vec<_>>()).await.expect("points")
}

fn reading(value: f64, source: Micros) -> Reading {
    Reading { value: Some(value), quality: Quality::Good, source, received: source.plus_millis(40), ordinal: Ordinal::default() }
}

async fn write(server: &Server, values: impl IntoIterator<Item = (PointId, Micros, f64)>) {
    let sample = |(point, source, value)| Sample {
        point,
        client: server.one.client,
        reading: reading(value, source),
        historical: true,
        repeated: false,
    };
    let batch = Batch { samples: values.into_iter().map(sample).collect(), ..Batch::default() };
    Writer::connect(server.database.url()).await.expect("a writer").commit(&batch).await.expect("stored");
}

/// Start, minutes (`None` while it is open), and phase currents.
type FaultOf<'a> = (&'a str, Option<i64>, [Option<f64>; 3]);

/// Stores faults of the feeder as the alarms service does.
async fn faults(server: &Server, all: &[FaultOf<'_>]) {
    let one = &server.one;
    let record = |&(start, minutes, currents): &FaultOf<'_>| {
        let start = at(start);
        let end = minutes.map(|minutes| start.plus_millis(minutes * MINUTE_MS));
        FaultRecord {
            client: one.client,
            id: 0,
            breaker: one.position,
            asset: one.feeder,
            asset_name: String::new(),
            location: one.location,
            location_name: String::new(),
            customers: 10,
            fault: Fault { start, end, opened: start, trips: 1, reclosed: false, lockout: true, currents },
            offset: 0,
        }
    };
    let enter = |ledger: &mut store::alarm::Ledger| all.iter().for_each(|fault| ledger.put_fault(record(fault)));
    store(server).await.enter_alarms(one.client, None, (&[], &[one.position]), enter).await.expect("entered");
}

const EARTH: [Option<f64>; 3] = [Some(3_000.0), Some(90.0), Some(95.0)];

#[tokio::test]
async fn faults_are_counted_on_the_day_of_the_utility_on_which_they_began() {
    let server = Server::start().await;
    let all = [Some(2_500.0), Some(2_400.0), Some(2_450.0)];
    faults(
        &server,
        &[
            // Ten minutes before midnight in India, and ten after it.
            ("2026-07-01T18:20:00Z", Some(20), EARTH),
            ("2026-07-01T19:00:00Z", Some(1), EARTH),
            ("2026-07-02T02:00:00Z", Some(3), EARTH),
            ("2026-07-02T05:00:00Z", Some(10), [Some(3_000.0), None, Some(95.0)]),
            ("2026-07-02T06:00:00Z", None, all),
        ],
    )
    .await;
    let database = server.database.client().await;
    database.batch_execute("INSERT INTO history_kept VALUES ('fault', '2024-07-01 00:00Z')").await.expect("expired");
    let token = server.sign_in("one-admin").await;
    let one = &server.one;
    let span = "from=2026-06-20T00:00:00Z&to=2026-07-10T00:00:00Z";
    let row = |day: &str, dt: &str, fault_type: &str, times: i64, minutes: Option<f64>, open: i64| {
        json!({
            "Dt": day, "dt": dt, "FaultType": fault_type, "assetId": one.feeder.0, "assetName": "one F1", "locationId": one.location.0,
            "locationName": "D1 location", "NoOfTimes": times, "Duration": minutes, "open": open
        })
    };
    let expected = [
        row("2026-07-01", "01/07", "LG", 1, Some(20.0), 0),
        row("2026-07-02", "02/07", "LG", 2, Some(4.0), 0),
        row("2026-07-02", "02/07", "LLL", 1, None, 1),
        row("2026-07-02", "02/07", "Not known", 1, Some(10.0), 0),
    ];
    for place in [
        format!("client/{}", one.client),
        format!("circle/{}", one.circle),
        format!("division/{}", one.division),
        format!("location/{}", one.location),
        format!("asset/{}", one.feeder),
    ] {
        let found = ok(&server, &token, &format!("/api/analytics/faulttypesovertime/{place}?{span}")).await;
        assert_eq!(found["rows"], json!(expected), "{place}");
        let fields = ["open", "cut", "flags", "timeZone", "from"].map(|key| found[key].clone());
        assert_eq!(fields, [json!(1), json!(false), json!(["open"]), json!("Asia/Kolkata"), json!("2026-06-20T00:00:00.000Z")], "{place}");
    }
    let path = |place: String, query: &str| format!("/api/analytics/faulttypesovertime/{place}?{query}");
    let elsewhere = ok(&server, &token, &path(format!("division/{}", one.other_division), span)).await;
    assert_eq!((&elsewhere["rows"], &elsewhere["flags"]), (&json!([]), &json!(["no_data"])));
    let of_the_second = "from=2026-07-01T18:30:00Z&to=2026-07-02T06:00:00Z";
    let second = ok(&server, &token, &path(format!("asset/{}", one.feeder), of_the_second)).await;
    assert_eq!((&second["rows"], &second["open"]), (&json!([expected[1], expected[3]]), &json!(0)), "the end is not in the span");
    // A time whose faults have been deleted is not reported as one without faults.
    let long = ok(&server, &token, &path(format!("asset/{}", one.feeder), "from=2023-07-01T00:00:00Z&to=2026-07-10T00:00:00Z")).await;
    let kept_from = at(long["keptFrom"].as_str().expect("a time"));
    assert_eq!((&long["flags"], &long["rows"]), (&json!(["open", "partial"]), &json!(expected)), "{long}");
    assert!(at("2023-07-01T00:00:00Z") < kept_from && kept_from < at("2026-07-01T00:00:00Z"), "{long}");
    // Nothing began recently, and faults of another utility are not visible.
    let newest = ok(&server, &token, &format!("/api/analytics/faulttypesovertime/asset/{}", one.feeder)).await;
    assert!(newest["from"].as_str().is_some_and(|from| from.ends_with("T18:30:00.000Z")), "from midnight on: {newest}");
    for (query, status) in
        [("from=2026-07-02T00:00:00Z&to=2026-07-01T00:00:00Z", 400), ("from=soon", 400), ("from=1990-01-01T00:00:00Z", 400)]
    {
        assert_eq!(server.get_as(&token, &path(format!("asset/{}", one.feeder), query)).await.status, status, "{query}");
    }
    let foreign = server.get_as(&token, &path(format!("asset/{}", server.two.feeder), span)).await;
    assert_eq!(foreign.status, 404);
    let confined = server.sign_in("one-division").await;
    let theirs = ok(&server, &confined, &path(format!("client/{}", one.client), span)).await;
    assert_eq!(theirs["rows"], json!([]), "the utility is what they see of it");
}

#[tokio::test]
async fn what_is_wrong_with_values_is_found() {
    let server = Server::start().await;
    let one = &server.one;
    let vr = points(&server, one.feeder, &["F1/Vr"]).await[0];
    let slow = hourly(&server, one.feeder, &["F1/OTI", "F1/WTI"]).await;
    let start = at("2026-07-01T00:00:00Z");
    // A value each minute of six hours; the third hour is missing, and from the fifth on it does not move for an hour and a half.
    let value = |minute: i64| if (240..=330).contains(&minute) { 6.35 } else { 6.10 + 0.01 * (minute % 9) as f64 };
    let minutes = (0..360).filter(|minute| !(120..180).contains(minute));
    write(&server, minutes.map(|minute| (vr, start.plus_millis(minute * MINUTE_MS), value(minute)))).await;
    let token = server.sign_in("one-admin").await;
    let path = format!("/api/analytics/qualitycheck/{}", one.feeder);
    let six_hours = "from=2026-07-01T00:00:00Z&to=2026-07-01T06:00:00Z";
    let found = ok(&server, &token, &format!("{path}?{six_hours}&codes=Vr")).await;
    assert_eq!(
        (&found["flags"], &found["cut"], found["rows"].as_array().map(Vec::len)),
        (&json!(["partial"]), &json!(0), Some(1)),
        "{found}"
    );
    let row = &found["rows"][0];
    let reported = ["pointId", "code", "name", "unit", "expectedMs", "coarse", "values", "gaps", "longestGapMs", "flatLines", "outliers"]
        .map(|key| row[key].clone());
    let expected = [
        json!(vr.0),
        json!("Vr"),
        json!("Voltage R"),
        json!("kV"),
        json!(MINUTE_MS),
        json!(false),
        json!(300),
        json!(1),
        json!(61 * MINUTE_MS),
        json!(1),
        json!(0),
    ];
    assert_eq!(reported, expected, "{row}");
    assert_eq!(["badQuality", "clockErrors", "late", "outOfLimits", "cut"].map(|key| row[key].clone()), [0, 0, 0, 0, 0].map(|n| json!(n)));
    let number = |key: &str| row[key].as_f64().expect("a number");
    assert!((number("completeness") - 100.0 * 300.0 / 360.0).abs() < 1e-9, "{row}");
    assert!((number("score") - 100.0 * 300.0 / 360.0 * (1.0 - 90.0 / 360.0)).abs() < 1e-9, "{row}");
    let gap = json!({
        "kind": "gap", "fromMs": start.millis() + 119 * MINUTE_MS, "toMs": start.millis() + 180 * MINUTE_MS,
        "from": "2026-07-01T01:59:00.000Z", "to": "2026-07-01T03:00:00.000Z", "note": "no value"
    });
    assert_eq!(
        (&row["stretches"][0], &row["stretches"][1]["kind"], &row["stretches"][1]["note"]),
        (&gap, &json!("flat"), &json!("stays at 6.35"))
    );

    // Points without values are listed too.
    let whole = ok(&server, &token, &format!("{path}?{six_hours}")).await;
    let codes: Vec<&Value> = whole["rows"].as_array().expect("rows").iter().map(|row| &row["code"]).collect();
    assert_eq!(codes, ["Ib", "Ir", "Iy", "OTI", "Vr", "WTI"]);
    assert_eq!(
        (&whole["rows"][0]["completeness"], &whole["rows"][0]["score"], &whole["rows"][0]["values"]),
        (&json!(0.0), &json!(0.0), &json!(0))
    );
    let silent = ok(&server, &token, &format!("{path}?codes=Vr")).await;
    assert_eq!(silent["flags"], json!(["no_data", "partial"]), "{silent}");

    // Two months are looked at by buckets, which know nothing of clocks.
    let long = ok(&server, &token, &format!("{path}?from=2026-06-01T00:00:00Z&to=2026-08-01T00:00:00Z&codes=Vr")).await;
    let row = &long["rows"][0];
    assert_eq!((&long["flags"], &row["coarse"], &row["values"]), (&json!(["partial", "coarse"]), &json!(true), &json!(300)), "{long}");
    assert_eq!((&row["clockErrors"], &row["late"], &row["gaps"]), (&Value::Null, &Value::Null, &json!(3)), "{row}");
    let completeness = row["completeness"].as_f64().expect("a share");
    assert!((completeness - 100.0 * 5.0 / (61.0 * 24.0)).abs() < 0.01, "{row}");

    // Hourly values, read by buckets. A value must not count again because another point has a value in the time for which it is valid.
    let hour = |hour: i64, minute: i64| start.plus_millis(hour * HOUR_MS + minute * MINUTE_MS);
    write(&server, (0..48).flat_map(|nth| [(slow[0], hour(nth, 0), 60.0 + nth as f64), (slow[1], hour(nth, 30), 70.0 + nth as f64)])).await;
    let long = ok(&server, &token, &format!("{path}?from=2026-06-15T00:00:00Z&to=2026-07-25T00:00:00Z&codes=OTI,WTI")).await;
    let counted: Vec<&Value> = long["rows"].as_array().expect("rows").iter().map(|row| &row["values"]).collect();
    assert_eq!(counted, [&json!(48), &json!(48)], "{long}");

    // Retention deletes the values of the first hour. That is not a gap, because the rollups remain.
    store::rollup::Rollups::connect(server.database.url()).await.expect("connected").refresh_all().await.expect("worked out");
    server.database.client().await.batch_execute("DELETE FROM sample WHERE ts < '2026-07-01T01:00:00Z'").await.expect("gone");
    let taken = ok(&server, &token, &format!("{path}?{six_hours}&codes=Vr")).await;
    let row = &taken["rows"][0];
    assert_eq!((&row["coarse"], &row["values"], &row["gaps"]), (&json!(true), &json!(300), &json!(1)), "{taken}");

    for query in [
        "from=2026-07-02T00:00:00Z&to=2026-07-01T00:00:00Z",
        "to=never",
        &format!("codes={}", (0..65).fold(String::new(), |all, n| format!("{all},{n}"))),
    ] {
        assert_eq!(server.get_as(&token, &format!("{path}?{query}")).await.status, 400, "{query}");
    }
    assert_eq!(server.get_as(&token, &format!("/api/analytics/qualitycheck/{}", server.two.feeder)).await.status, 404);
}

fn settings() -> Value {
    json!({ "settings": [
        { "element": "51", "pickupA": 200.0, "curve": "iec_standard_inverse", "tms": 0.1, "timeS": null },
        { "element": "50", "pickupA": 1_500.0, "curve": "definite_time", "tms": null, "timeS": 0.05 },
    ]})
}

#[tokio::test]
async fn a_feeder_has_its_curves_and_its_faults_among_those_of_its_relay() {
    let server = Server::start().await;
    let one = &server.one;
    let store = store(&server).await;
    let relay = AssetSeed { name: "F1 relay".into(), device: "F1".into(), ..AssetSeed::new(one.client, one.location, "F1R", 10, "relay") };
    let relay = store.put_assets(&[relay]).await.expect("assets")[0];
    let operated = points(&server, relay, &["F1R/Op"]).await[0];
    let ids = points(&server, one.feeder, &["F1/P", "F1/Vr"]).await;
    // Half past five in India; a quarter of the two hours with twice the load.
    let start = at("2026-07-01T00:00:00Z");
    let minute = |minute: i64| start.plus_millis(minute * MINUTE_MS);
    let power = |at: i64| if at < 90 { 1.0 } else { 2.0 };
    write(&server, (0..120).flat_map(|at| [(ids[0], minute(at), power(at)), (ids[1], minute(at), 6.0 + 0.01 * (at % 50) as f64)])).await;
    faults(&server, &[("2026-07-01T01:00:00.080Z", Some(1), EARTH), ("2026-07-01T01:30:00Z", Some(1), [None; 3])]).await;
    let reported = reading(1.0, minute(60));
    let event = NewEvent { point: operated, client: one.client, index: 0, reading: reported };
    let batch = Batch { events: vec![event], ..Batch::default() };
    Writer::connect(server.database.url()).await.expect("a writer").commit(&batch).await.expect("stored");

    let token = server.sign_in("one-admin").await;
    let path = format!("/api/analytics/feedercurves/{}?from=2026-07-01T00:00:00Z&to=2026-07-01T02:00:00Z", one.feeder);
    let bare = ok(&server, &token, &path).await;
    assert_eq!(bare["protection"], json!({ "settings": [], "curves": [] }), "{bare}");
    assert_eq!((&bare["faults"][1]["element"], &bare["faults"][1]["expectedS"]), (&Value::Null, &Value::Null));
    let put = server.json_as(&token, "PUT", &format!("/api/admin/relaysettings/{}", one.feeder), &settings()).await;
    assert_eq!(put.status, 200, "{put:?}");

    let curves = ok(&server, &token, &path).await;
    assert_eq!((&curves["unit"], &curves["flags"], &curves["coverage"]), (&json!("kW"), &json!([]), &json!(100.0)), "{curves}");
    let load = curves["load"].as_array().expect("a curve");
    assert_eq!(
        (&load[0]["timeMs"], &load[0]["demand"], &load[load.len() - 1]["max"]),
        (&json!(start.millis()), &json!(1_000.0), &json!(2_000.0))
    );
    let duration = curves["duration"].as_array().expect("a curve");
    let demands = [0, 24, 26, 100].map(|percent| duration[percent]["demand"].clone());
    assert_eq!((duration.len(), demands), (101, [2_000.0, 2_000.0, 1_000.0, 1_000.0].map(|kw| json!(kw))));
    let voltage = &curves["voltage"];
    assert!(voltage[0]["vr"].as_f64() > voltage[100]["vr"].as_f64() && voltage[0]["vy"].is_null(), "{voltage}");
    let hours = curves["byHour"].as_array().expect("hours");
    let means: Vec<Value> = (4..9).map(|hour| hours[hour]["mean"].clone()).collect();
    assert_eq!(means, [Value::Null, json!(1_000.0), json!(1_000.0), json!(2_000.0), Value::Null], "5:30 to 7:30 in India: {hours:?}");
    assert_eq!((hours.len(), &hours[7]["hour"], &curves["byHourMissing"]), (24, &json!(7), &Value::Null));
    let fault = &curves["faults"][1];
    let seen = ["amps", "breakerOpeningS", "type", "time", "element", "expectedS"].map(|key| fault[key].clone());
    assert_eq!(seen, [json!(3_000.0), json!(0.08), json!("LG"), json!("2026-07-01T01:00:00.080Z"), json!("50"), json!(0.05)]);
    let unknown = &curves["faults"][0];
    assert_eq!(
        ["amps", "breakerOpeningS", "type", "element"].map(|key| unknown[key].clone()),
        [Value::Null, Value::Null, json!("Not known"), Value::Null]
    );
    let protection = &curves["protection"];
    assert_eq!((&protection["settings"], &protection["curves"][1]["element"]), (&settings()["settings"], &json!("50")));
    let points = protection["curves"][0]["points"].as_array().expect("points");
    let ends = (points[0][0].as_f64().expect("A"), points[points.len() - 1][0].as_f64().expect("A"));
    assert!((ends.0 - 220.0).abs() < 1e-6 && (ends.1 - 4_000.0).abs() < 1e-6, "from 1.1 to 20 times the pickup: {ends:?}");

    let breaker = ok(&server, &token, &format!("/api/analytics/feedercurves/{}", one.breaker)).await;
    assert_eq!((&breaker["flags"], &breaker["load"]), (&json!(["no_data", "not_metered", "partial"]), &json!([])), "{breaker}");
    assert_eq!(server.get_as(&token, &format!("/api/analytics/feedercurves/{}", server.two.feeder)).await.status, 404);
    let long =
        ok(&server, &token, &format!("/api/analytics/feedercurves/{}?from=2025-07-01T00:00:00Z&to=2026-07-01T02:00:00Z", one.feeder)).await;
    assert_eq!((&long["flags"], &long["cut"]), (&json!(["partial", "coarse"]), &json!(false)));
    let of_a_year: Vec<Value> = (4..9).map(|hour| long["byHour"][hour]["mean"].clone()).collect();
    assert_eq!(of_a_year, means, "of ten minutes, as the zone's hours are not those of UTC");
    let ages =
        ok(&server, &token, &format!("/api/analytics/feedercurves/{}?from=2018-07-01T00:00:00Z&to=2026-07-01T02:00:00Z", one.feeder)).await;
    assert_eq!((&ages["byHour"], &ages["byHourMissing"]), (&json!([]), &json!("too_long")));
    assert!(HOUR_MS < long["bucketMs"].as_i64().expect("buckets"));
}

#[tokio::test]
async fn relay_settings_are_replaced_whole_and_audited() {
    let server = Server::start().await;
    let one = &server.one;
    let token = server.sign_in("one-admin").await;
    let path = format!("/api/admin/relaysettings/{}", one.feeder);
    assert_eq!(ok(&server, &token, &path).await, json!({ "settings": [] }), "nobody has told");
    let put = server.json_as(&token, "PUT", &path, &settings()).await;
    assert_eq!((put.status, &put.json()["result"]), (200, &settings()), "{put:?}");
    let other = json!({ "settings": [{ "element": "50N", "pickupA": 60.0, "curve": "definite_time", "timeS": 0.0 }] });
    assert_eq!(server.json_as(&token, "PUT", &path, &other).await.status, 200);
    let kept = json!({ "settings": [{ "element": "50N", "pickupA": 60.0, "curve": "definite_time", "tms": null, "timeS": 0.0 }] });
    assert_eq!(ok(&server, &token, &path).await, kept);
    for (wrong, message) in [
        (
            json!({ "element": "50", "pickupA": 60.0, "curve": "iec_very_inverse", "tms": 0.1 }),
            "settings[0].curve of a 50 must be definite_time",
        ),
        (json!({ "element": "51", "pickupA": 0.0, "curve": "iec_very_inverse", "tms": 0.1 }), "settings[0].pickupA must lie between"),
        (json!({ "element": "51", "pickupA": 60.0, "curve": "iec_very_inverse" }), "settings[0].tms must be given"),
        (json!({ "element": "51", "pickupA": 60.0, "curve": "iec_very_inverse", "tms": 0.1, "dial": 3 }), "dial"),
    ] {
        let answer = server.json_as(&token, "PUT", &path, &json!({ "settings": [wrong] })).await;
        assert!(answer.status == 400 && answer.body.contains(message), "{message}: {answer:?}");
    }
    assert_eq!(ok(&server, &token, &path).await, kept, "nothing of that has changed anything");
    let breaker = server.json_as(&token, "PUT", &format!("/api/admin/relaysettings/{}", one.breaker), &settings()).await;
    assert!(breaker.status == 400 && breaker.body.contains("feeders"), "{breaker:?}");
    let foreign = server.json_as(&token, "PUT", &format!("/api/admin/relaysettings/{}", server.two.feeder), &settings()).await;
    assert_eq!(foreign.status, 404);
    let division = server.sign_in("one-division").await;
    assert_eq!(server.json_as(&division, "PUT", &path, &settings()).await.status, 403);
    let audited = server.audited(one.client).await;
    let changes = audited.iter().filter(|entry| **entry == ("relay_settings_changed".to_owned(), format!("asset {}", one.feeder))).count();
    assert_eq!(changes, 2, "{audited:?}");
}
