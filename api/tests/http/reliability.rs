//! Reliability indices from events: a month computed by hand, open outages, feeders without customers, and corrections.

use std::time::Duration;

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{AssetId, Micros, Ordinal, PointId, Quality, Reading};
use serde_json::{Value, json};
use store::seed::{AssetSeed, PointSeed};
use store::writer::{Batch, NewEvent};
use store::{Store, Writer};
use tokio_util::sync::CancellationToken;

use crate::server::Server;

const OPEN: f64 = 1.0;
const CLOSED: f64 = 2.0;

/// Starts a server whose utility one has three feeders with 200, 300 and 500 customers; returns the positions of their breakers.
pub(crate) async fn fed() -> (Server, [AssetId; 3], [PointId; 3]) {
    let server = Server::start().await;
    let one = &server.one;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let asset = |code: &str, type_id: i32, class: &str, device: &str, customers: i32| AssetSeed {
        name: format!("one {code}"),
        device: device.into(),
        kv: Some(11.0),
        customers,
        ..AssetSeed::new(one.client, one.location, code, type_id, class)
    };
    let assets = [
        asset("F2", 1, "feeder", "F2", 300),
        asset("F2CB", 3, "breaker", "F2", 300),
        asset("F3", 1, "feeder", "F3", 500),
        asset("F3CB", 3, "breaker", "F3", 500),
    ];
    let assets = store.put_assets(&assets).await.expect("assets");
    let position = |asset: AssetId, device: &str| PointSeed {
        client: one.client,
        gateway: one.gateway,
        device: device.into(),
        metric: format!("{device}CB/Pos"),
        code: "Pos".into(),
        asset,
        kind: kind_of_code("Pos"),
        quantity: Quantity::Status,
        unit: String::new(),
        decimals: 0,
        scale: 1.0,
        expected_ms: None,
    };
    let points = store.put_points(&[position(assets[1], "F2"), position(assets[3], "F3")]).await.expect("points");
    let statement = format!(
        "UPDATE asset SET customers = 200 WHERE id = {}; UPDATE member SET can_operate = true WHERE username = 'one-admin'",
        one.feeder
    );
    server.database.client().await.batch_execute(&statement).await.expect("updated");
    let (feeders, positions) = ([one.feeder, assets[0], assets[2]], [one.position, points[0], points[1]]);
    (server, feeders, positions)
}

pub(crate) fn at(text: &str) -> Micros {
    wire::time::parse_iso(text).expect("a time")
}

/// Stores events and waits until outages have been derived from them.
pub(crate) async fn happen(server: &Server, events: &[(PointId, f64, Micros)]) {
    let client = server.one.client;
    let reading = |value: f64, source: Micros, seq: usize| Reading {
        value: Some(value),
        quality: Quality::Good,
        source,
        // An event with the source time of a clock that was not set is received much later.
        received: if source < at("2001-01-01T00:00:00Z") { at("2026-03-01T00:00:00Z") } else { source.plus_millis(100) },
        ordinal: Ordinal { epoch: 1, seq: seq as i64 },
    };
    let events = events.iter().enumerate().map(|(seq, (point, value, at))| NewEvent {
        point: *point,
        client,
        index: 0,
        reading: reading(*value, *at, seq),
    });
    let mut writer = Writer::connect(server.database.url()).await.expect("a writer");
    writer.commit(&Batch { events: events.collect(), ..Batch::default() }).await.expect("stored");
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let (config, shutdown) = (analytics::AnalyticsConfig { poll: Duration::from_millis(20), ..<_>::default() }, CancellationToken::new());
    let deps = analytics::Deps {
        database_url: server.database.url().to_owned(),
        store: store.clone(),
        registry: registry::follow(store.clone(), registry::FollowSettings::new(server.database.url()), shutdown.clone())
            .await
            .expect("followed"),
        clock: || Micros(0),
    };
    let service = tokio::spawn(analytics::outages::run(config, deps, shutdown.clone()));
    let (_, top) = store.event_stream(client).await.expect("read");
    while store.outage_cursor(client).await.expect("read").is_none_or(|cursor| cursor.through < top) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    shutdown.cancel();
    service.await.expect("ended");
}

pub(crate) async fn result(server: &Server, token: &str, path: &str) -> Value {
    let answer = server.get_as(token, path).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()["result"].clone()
}

pub(crate) fn close(row: &Value, key: &str, expected: f64) {
    let ours = row[key].as_f64().unwrap_or_else(|| panic!("{key} of {row}"));
    assert!((ours - expected).abs() < 1e-9, "{key}: {ours}, expected {expected}");
}

/// Returns events with local times of the utility, 5:30 h ahead of UTC.
pub(crate) fn march(positions: [PointId; 3]) -> Vec<(PointId, f64, Micros)> {
    let [one, two, three] = positions;
    let off = |point, from: &str, to: &str| [(point, OPEN, at(from)), (point, CLOSED, at(to))];
    [
        // Before the month: since then something is known.
        off(one, "2026-02-10T00:00:00+05:30", "2026-02-10T00:10:00+05:30"),
        off(one, "2026-03-05T10:00:00+05:30", "2026-03-05T11:00:00+05:30"),
        off(two, "2026-03-10T10:00:00+05:30", "2026-03-10T10:30:00+05:30"),
        off(three, "2026-03-10T12:00:00+05:30", "2026-03-10T12:04:00+05:30"),
        off(one, "2026-03-12T00:00:00+05:30", "2026-03-12T00:10:00+05:30"),
        off(two, "2026-03-31T23:50:00+05:30", "2026-04-01T01:00:00+05:30"),
    ]
    .concat()
}

#[tokio::test]
async fn month_that_is_complete_is_not_late() {
    let (server, _, positions) = fed().await;
    happen(&server, &march(positions)).await;
    // An event of April that the analytics have not read yet.
    let late = NewEvent {
        point: positions[0],
        client: server.one.client,
        index: 0,
        reading: Reading {
            value: Some(OPEN),
            quality: Quality::Good,
            source: at("2026-04-20T10:00:00+05:30"),
            received: at("2026-04-20T10:00:01+05:30"),
            ordinal: Ordinal { epoch: 1, seq: 1_000 },
        },
    };
    let mut writer = Writer::connect(server.database.url()).await.expect("a writer");
    writer.commit(&Batch { events: vec![late], ..Batch::default() }).await.expect("stored");
    let token = server.sign_in("one-admin").await;
    let is_late = async |month: &str| {
        let scores = result(&server, &token, &format!("/api/analytics/getreliabilityscores/client/{}/{month}", server.one.client)).await;
        scores["flags"].as_array().expect("flags").contains(&json!("late"))
    };
    assert_eq!((is_late("202603").await, is_late("202604").await), (false, true));
}

#[tokio::test]
async fn a_month_by_hand() {
    let (server, _, positions) = fed().await;
    happen(&server, &march(positions)).await;
    let token = server.sign_in("one-admin").await;
    let place = format!("location/{}", server.one.location);
    let scores = result(&server, &token, &format!("/api/analytics/getreliabilityscores/{place}/202603")).await;
    // CI = 200 + 300 + 200 + 300 = 1000; the four minutes of the third feeder are momentary: 500. CMI = 200·60 + 300·30 + 200·10 + 300·70 =
    // 12000 + 9000 + 2000 + 21000 = 44000; outages that began in March count for March with all their minutes. CN = 200 + 300 = 500. N_T =
    // 1000. The month has 31·1440 = 44640 minutes.
    for (key, expected) in [
        ("customersServed", 1_000.0),
        ("customerInterruptions", 1_000.0),
        ("customerMinutes", 44_000.0),
        ("customersInterrupted", 500.0),
        ("momentaryInterruptions", 500.0),
        ("saifi", 1.0),
        ("saidi", 44.0),
        ("caidi", 44.0),
        ("caifi", 2.0),
        ("ctaidi", 88.0),
        ("maifi", 0.5),
        // Ten minutes of the last outage are in March.
        ("asai", 1.0 - (12_000.0 + 9_000.0 + 2_000.0 + 3_000.0) / 44_640_000.0),
        ("outages", 5.0),
        ("sustainedOutages", 4.0),
        ("momentaryOutages", 1.0),
        ("openOutages", 0.0),
        ("momentaryThresholdMin", 5.0),
    ] {
        close(&scores, key, expected);
    }
    assert_eq!((&scores["flags"], &scores["majorEventDays"], &scores["tMed"]), (&json!([]), &json!([]), &Value::Null), "{scores}");
    assert_eq!((&scores["from"], &scores["weighting"]), (&json!("2026-02-28T18:30:00.000Z"), &json!("customers")));
    close(&scores["withoutMajorEventDays"], "saidi", 44.0);
    let april = result(&server, &token, &format!("/api/analytics/getreliabilityscores/{place}/202604")).await;
    close(&april, "saidi", 0.0);
    close(&april, "asai", 1.0 - 18_000.0 / 43_200_000.0);
    // The same day by day.
    let profile = result(&server, &token, &format!("/api/analytics/reliabilityprofile/{place}/202603")).await;
    let days = profile["rows"].as_array().expect("rows");
    assert_eq!(days.len(), 31);
    let reported: Vec<(usize, u64, f64)> = days
        .iter()
        .enumerate()
        .map(|(day, row)| (day + 1, row["interruptions"].as_u64().expect("known"), row["duration"].as_f64().expect("known")))
        .filter(|(_, interruptions, _)| *interruptions > 0)
        .collect();
    assert_eq!(reported, [(5, 1, 60.0), (10, 1, 30.0), (12, 1, 10.0), (31, 1, 70.0)]);
    assert_eq!((&days[4]["dt"], &days[4]["mon"], &days[4]["date"]), (&json!("05/03"), &json!("Mar"), &json!("2026-03-05")));
    close(&days[4], "saidi", 12.0);
    // Every figure can be opened.
    let outages =
        result(&server, &token, &format!("/api/analytics/outages/{place}?from=2026-03-01T00:00:00%2B05:30&to=2026-04-01T00:00:00%2B05:30"))
            .await;
    let rows = outages["rows"].as_array().expect("rows");
    let reported: Vec<(&str, f64)> =
        rows.iter().map(|row| (row["class"].as_str().expect("a class"), row["minutes"].as_f64().expect("over"))).collect();
    assert_eq!(reported, [("sustained", 70.0), ("sustained", 10.0), ("momentary", 4.0), ("sustained", 30.0), ("sustained", 60.0)]);
    assert_eq!((&outages["cut"], &rows[0]["events"], &rows[0]["countsIn"]), (&json!(false), &Value::Null, &json!(true)));
    let one = result(&server, &token, &format!("/api/analytics/outage/{}", rows[0]["id"])).await;
    let events: Vec<&str> = one["events"].as_array().expect("events").iter().filter_map(|event| event["changeTo"].as_str()).collect();
    assert_eq!(events, ["OPEN", "CLOSED"], "{one}");
    assert_eq!((&one["assetName"], &one["customers"], &one["computed"]["cause"]), (&json!("one F2"), &json!(300), &json!("unknown")));
    // The year: from sums. February has 200·10 min and 200 interruptions, January nothing that is known.
    let year = result(&server, &token, &format!("/api/analytics/getreliabilityscoresyearly/{place}?year=2026")).await;
    assert_eq!(
        (year["rows"].as_array().map(Vec::len), &year["rows"][0]["SAIDI"], &year["rows"][0]["flags"]),
        (Some(12), &Value::Null, &json!(["no_data"]))
    );
    close(&year["rows"][1], "SAIDI", 2.0);
    close(&year["rows"][2], "SAIDI", 44.0);
    close(&year["total"], "SAIFI", 1.2);
    close(&year["total"], "CAIDI", 46_000.0 / 1_200.0);
    close(&year["total"], "CAIFI", 1_200.0 / 500.0);
    // The report has a row a feeder and their total.
    let request = json!({ "level": "location", "levelId": server.one.location.0, "frequency": 2, "frequencyValue": "2026-03" });
    let report = server.json_as(&token, "POST", "/api/report/relibdatabyfrequency", &request).await;
    let sets = report.json()["result"].clone();
    assert_eq!((report.status, sets[0][4].as_str(), sets[1].as_array().map(Vec::len)), (200, Some("SAIDI (min)"), Some(4)), "{report:?}");
    // The first feeder alone: (60 + 10) minutes; all feeders: 44.
    assert_eq!((sets[1][0][0].as_str(), sets[1][0][4].as_f64(), sets[1][3][4].as_f64()), (Some("one F1"), Some(70.0), Some(44.0)));
}

#[tokio::test]
async fn a_correction_moves_the_figures_and_is_entered() {
    let (server, _, positions) = fed().await;
    happen(&server, &march(positions)).await;
    let token = server.sign_in("one-admin").await;
    let scores = format!("/api/analytics/getreliabilityscores/client/{}/202603", server.one.client);
    let listed = format!("/api/analytics/outages/asset/{}?from=2026-03-01T00:00:00Z&to=2026-03-08T00:00:00Z", server.one.feeder);
    let first = result(&server, &token, &listed).await["rows"][0].clone();
    let path = format!("/api/analytics/outage/{}", first["id"]);
    let put = async |body: Value| server.json_as(&token, "PUT", &path, &body).await;
    // Supply was back after half an hour already: 200·30 minutes less.
    let corrected = put(json!({ "ended": "2026-03-05T10:30:00+05:30", "cause": "planned", "note": "The contact stuck" })).await;
    let row = corrected.json()["result"].clone();
    assert_eq!(
        (corrected.status, &row["minutes"], &row["corrected"], &row["correctedBy"]),
        (200, &json!(30.0), &json!(true), &json!("A B"))
    );
    assert_eq!(
        (&row["computed"]["ended"], &row["cause"]),
        (&json!("2026-03-05T05:30:00.000Z"), &json!("planned")),
        "what was worked out stays beside it"
    );
    close(&result(&server, &token, &scores).await, "customerMinutes", 38_000.0);
    // Not counted at all: 200 interruptions and 12,000 minutes less.
    let excluded = put(json!({ "exclude": true, "note": "A test" })).await.json()["result"].clone();
    assert_eq!(
        (&excluded["countsIn"], &excluded["excludedBecause"], &excluded["minutes"]),
        (&json!(false), &json!("by_hand"), &json!(60.0))
    );
    let less = result(&server, &token, &scores).await;
    close(&less, "customerMinutes", 32_000.0);
    close(&less, "saifi", 0.8);
    // Taken back.
    assert_eq!(put(json!({ "note": "It was one after all" })).await.json()["result"]["corrected"], json!(false));
    close(&result(&server, &token, &scores).await, "saidi", 44.0);
    for (body, message) in [
        (json!({ "ended": "2026-03-05T10:30:00+05:30" }), "note"),
        (json!({ "note": " " }), "note must have"),
        (json!({ "note": "x", "cause": "weather" }), "cause must be one of fault"),
        (json!({ "note": "x", "ended": "yesterday" }), "ended must be ISO 8601"),
        (json!({ "note": "x", "ended": "2026-03-05T09:00:00+05:30" }), "ended must not lie before started"),
        (json!({ "note": "x", "started": "2199-01-01T00:00:00Z" }), "between 1970 and now"),
        (json!({ "note": "x", "minutes": 3 }), "minutes"),
    ] {
        let answer = put(body.clone()).await;
        assert!(answer.status == 400 && answer.body.contains(message), "{body}: {answer:?}");
    }
    let audited = server.audited(server.one.client).await;
    let entered: Vec<_> = audited.iter().filter(|(action, _)| action == "outage_corrected").collect();
    assert_eq!((entered.len(), &entered[0].1), (3, &format!("outage {}", first["id"])));
    // A user without permission to operate may not correct; a user of another area does not find the outage.
    server.enter("looker", 2, None).await;
    let looker = server.sign_in("looker").await;
    let note = json!({ "note": "x", "exclude": true });
    assert_eq!(server.json_as(&looker, "PUT", &path, &note).await.status, 403);
    let (division, other) = (server.sign_in("one-division").await, server.sign_in("two-admin").await);
    for token in [&division, &other] {
        assert_eq!(server.get_as(token, &path).await.status, 404);
        assert_eq!(server.get_as(token, &listed).await.status, 404);
        assert_eq!(server.get_as(token, &scores).await.status, if token == &division { 200 } else { 404 });
    }
    server.database.client().await.batch_execute("UPDATE member SET can_operate = true").await.expect("updated");
    assert_eq!(server.json_as(&server.sign_in("two-admin").await, "PUT", &path, &note).await.status, 404);
    close(&result(&server, &token, &scores).await, "saidi", 44.0);
}

#[tokio::test]
async fn what_lasts_what_nobody_knows_and_where_nobody_is_supplied() {
    let (server, feeders, [_, two, three]) = fed().await;
    let token = server.sign_in("one-admin").await;
    let now = Micros(jiff::Timestamp::now().as_microsecond());
    let month = |at: Micros| {
        let zone = jiff::tz::TimeZoneDatabase::bundled().get("Asia/Kolkata").expect("a zone");
        jiff::Timestamp::from_microsecond(at.0).expect("a time").to_zoned(zone).strftime("%Y%m").to_string()
    };
    let began = now.plus_millis(-3_600_000);
    let of = |kind: &str, id: i64, at: Micros| format!("/api/analytics/getreliabilityscores/{kind}/{id}/{}", month(at));
    let (client, location) = (server.one.client.0, server.one.location.0);
    // Nothing has ever been received.
    let silent = result(&server, &token, &of("client", client, now)).await;
    assert_eq!((&silent["saidi"], &silent["outages"], &silent["flags"]), (&Value::Null, &Value::Null, &json!(["no_data"])));
    let past = [(two, OPEN, began.plus_millis(-40 * 86_400_000)), (two, CLOSED, began.plus_millis(-40 * 86_400_000 + 60_000))];
    happen(&server, &[past.as_slice(), &[(three, OPEN, began)]].concat()).await;
    let live = result(&server, &token, &of("location", location, began)).await;
    assert_eq!((&live["openOutages"], &live["flags"]), (&json!(1), &json!(["open", "provisional"])), "{live}");
    close(&live, "saifi", 0.5);
    // 500 customers for an hour and the duration of the test.
    assert!((30.0..40.0).contains(&live["saidi"].as_f64().expect("known")), "{live}");
    let listed = result(&server, &token, &format!("/api/analytics/outages/asset/{}", feeders[2])).await;
    let row = &listed["rows"][0];
    assert_eq!(
        (&row["class"], &row["minutes"], &row["ended"], &row["flags"]),
        (&json!("open"), &Value::Null, &Value::Null, &json!(["open", "provisional"]))
    );
    // A feeder without interruption has none, and averages of nothing are none.
    let quiet = result(&server, &token, &of("asset", feeders[0].0, began)).await;
    close(&quiet, "saidi", 0.0);
    assert_eq!((&quiet["caidi"], &quiet["caifi"], &quiet["flags"]), (&Value::Null, &Value::Null, &json!([])), "{quiet}");
    // The other division has no customers; next year is unknown.
    let nobody = result(&server, &token, &of("division", server.one.other_division.0, began)).await;
    assert_eq!((&nobody["saidi"], &nobody["customersServed"], &nobody["flags"]), (&Value::Null, &Value::Null, &json!(["no_feeder"])));
    let ahead = result(&server, &token, &format!("/api/analytics/reliabilityprofile/location/{location}/219912")).await;
    assert_eq!((&ahead["rows"][0]["interruptions"], &ahead["flags"]), (&Value::Null, &json!(["no_data"])));
    for wrong in ["2026", "202613", "x"] {
        let answer = server.get_as(&token, &format!("/api/analytics/getreliabilityscores/location/{location}/{wrong}")).await;
        assert_eq!(answer.status, 400, "{wrong}");
    }
    for wrong in ["from=yesterday", "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from=2010-01-01T00:00:00Z"] {
        let answer = server.get_as(&token, &format!("/api/analytics/outages/location/{location}?{wrong}")).await;
        assert_eq!(answer.status, 400, "{wrong}");
    }
    assert_eq!(server.get_as(&token, &of("location", server.two.location.0, now)).await.status, 404);
}

#[tokio::test]
async fn a_utility_decides_what_counts() {
    let (server, feeders, positions) = fed().await;
    happen(&server, &march(positions)).await;
    let token = server.sign_in("one-admin").await;
    let scores = format!("/api/analytics/getreliabilityscores/client/{}/202603", server.one.client);
    let mut configuration = result(&server, &token, "/api/admin/configuration").await;
    let usual = json!({
        "momentaryThresholdMin": 5.0, "inclusive": true, "weighting": "customers", "excludeAgricultural": false, "excludeCauses": [],
        "excludeMajorEventDays": false
    });
    assert_eq!(configuration["reliability"], usual);
    let mut decide = async |key: &str, value: Value| {
        configuration["reliability"] = usual.clone();
        configuration["reliability"][key] = value;
        let answer = server.json_as(&token, "PUT", "/api/admin/configuration", &configuration).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        result(&server, &token, &scores).await
    };
    // Four minutes are sustained then: 500 interruptions and 2,000 minutes more.
    let shorter = decide("momentaryThresholdMin", json!(3)).await;
    close(&shorter, "saifi", 1.5);
    close(&shorter, "saidi", 46.0);
    // Feeders count, not customers: four interruptions of three feeders, (60 + 30 + 10 + 70) minutes.
    let feeders_count = decide("weighting", json!("feeders")).await;
    close(&feeders_count, "customersServed", 3.0);
    close(&feeders_count, "saifi", 4.0 / 3.0);
    close(&feeders_count, "saidi", 170.0 / 3.0);
    // The connected load is known of one feeder only.
    let unknown = decide("weighting", json!("connected_kva")).await;
    assert_eq!((&unknown["saidi"], &unknown["flags"]), (&Value::Null, &json!(["no_customers", "partial"])), "{unknown}");
    let path = format!("/api/admin/feedersupply/{}", feeders[0]);
    let put = server.json_as(&token, "PUT", &path, &json!({ "connectedKva": 400.0, "agricultural": true })).await;
    assert_eq!((put.status, result(&server, &token, &path).await), (200, json!({ "connectedKva": 400.0, "agricultural": true })));
    close(&result(&server, &token, &scores).await, "saidi", 70.0);
    // Without the feeder that serves agriculture: 800 customers, 300·30 + 300·70 minutes.
    close(&decide("excludeAgricultural", json!(true)).await, "saidi", 30_000.0 / 800.0);
    close(&decide("excludeCauses", json!(["unknown"])).await, "saidi", 0.0);
    // A feeder that feeds another substation counts neither with its customers nor with its outages.
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    store.put_feeds(server.one.client, &[(feeders[1], server.one.other_location)]).await.expect("stored");
    let fed = decide("excludeCauses", json!([])).await;
    close(&fed, "customersServed", 700.0);
    close(&fed, "saidi", 14_000.0 / 700.0);
    // Of this feeder alone nothing counts, which is not that nobody knows its customers.
    let bulk = result(&server, &token, &format!("/api/analytics/getreliabilityscores/asset/{}/202603", feeders[1])).await;
    assert_eq!((&bulk["saidi"], &bulk["flags"]), (&Value::Null, &json!(["no_feeder"])), "{bulk}");
    let question = crate::reports::question("RELIABILITY_INDICES", "asset", feeders[1].0, 2, "2026-03");
    let rows = crate::reports::rows(&server, &token, &question).await;
    assert!(rows[0][12].as_str().is_some_and(|remark| remark.starts_with("No feeder counts")), "{rows}");
    assert_eq!(server.json_as(&token, "PUT", &format!("/api/admin/feedersupply/{}", server.one.breaker), &json!({})).await.status, 404);
    assert_eq!(server.json_as(&token, "PUT", &path, &json!({ "connectedKva": 0 })).await.status, 400);
    assert_eq!(server.json_as(&server.sign_in("two-admin").await, "PUT", &path, &json!({})).await.status, 404);
}

#[tokio::test]
async fn days_that_would_hide_all_others_are_told_apart() {
    let (server, feeders, [one, ..]) = fed().await;
    // Last year a feeder of 200 customers was off for 10 and for 20 minutes by turns: SAIDI of 2 and 4.
    let mut events = Vec::new();
    for day in 0..20_i64 {
        let from = at("2025-03-01T06:00:00Z").plus_millis(day * 86_400_000);
        events.extend([(one, OPEN, from), (one, CLOSED, from.plus_millis(600_000 * (1 + day % 2)))]);
    }
    // This year once for two hours, which is 24, and once for ten minutes.
    for (from, to) in [("2026-03-05T06:00:00Z", "2026-03-05T08:00:00Z"), ("2026-03-06T06:00:00Z", "2026-03-06T06:10:00Z")] {
        events.extend([(one, OPEN, at(from)), (one, CLOSED, at(to))]);
    }
    happen(&server, &events).await;
    let token = server.sign_in("one-admin").await;
    let scores = result(&server, &token, &format!("/api/analytics/getreliabilityscores/client/{}/202603", server.one.client)).await;
    // alpha = (ln 2 + ln 4) / 2 = 1.5 ln 2; beta = 0.5 ln 2 · √(20 / 19): T_MED = e^(alpha + 2.5 beta).
    let limit = (1.5 * 2.0_f64.ln() + 2.5 * 0.5 * 2.0_f64.ln() * (20.0_f64 / 19.0).sqrt()).exp();
    close(&scores, "tMed", limit);
    assert_eq!(scores["majorEventDays"], json!([{ "day": "2026-03-05", "saidi": 24.0 }]), "{scores}");
    close(&scores, "saidi", 26.0);
    close(&scores["withoutMajorEventDays"], "saidi", 2.0);
    // These are days of the utility: of each of its areas too, whatever the SAIDI of the area is.
    let area = format!("asset/{}", feeders[0]);
    for area in [area.as_str(), &format!("asset/{}", feeders[1]), &format!("location/{}", server.one.location)] {
        let of = result(&server, &token, &format!("/api/analytics/getreliabilityscores/{area}/202603")).await;
        assert_eq!((&of["tMed"], &of["majorEventDays"]), (&scores["tMed"], &scores["majorEventDays"]), "{area}");
    }
    let profile = result(&server, &token, &format!("/api/analytics/reliabilityprofile/{area}/202603")).await;
    let major: Vec<&Value> = profile["rows"].as_array().expect("rows").iter().filter(|row| row["majorEventDay"] == json!(true)).collect();
    assert_eq!((major.len(), &major[0]["date"], &major[0]["saidi"]), (1, &json!("2026-03-05"), &json!(120.0)));
    let listed = format!("/api/analytics/outages/{area}?from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z");
    let rows = result(&server, &token, &listed).await["rows"].clone();
    assert_eq!((&rows[1]["majorEventDay"], &rows[1]["countsIn"], &rows[0]["majorEventDay"]), (&json!(true), &json!(true), &json!(false)));
    // Left out by the utility's rules, they are left out everywhere: of the outage alone too.
    let mut configuration = result(&server, &token, "/api/admin/configuration").await;
    configuration["reliability"]["excludeMajorEventDays"] = json!(true);
    assert_eq!(server.json_as(&token, "PUT", "/api/admin/configuration", &configuration).await.status, 200);
    close(&result(&server, &token, &format!("/api/analytics/getreliabilityscores/{area}/202603")).await, "saidi", 10.0);
    let one = result(&server, &token, &format!("/api/analytics/outage/{}", rows[1]["id"])).await;
    assert_eq!((&one["majorEventDay"], &one["excludedBecause"]), (&json!(true), &json!("major_event_day")), "{one}");
    let before = result(&server, &token, &format!("/api/analytics/getreliabilityscores/client/{}/202503", server.one.client)).await;
    assert_eq!((&before["tMed"], &before["majorEventDays"]), (&Value::Null, &json!([])), "no year before that tells what is usual");
}

#[tokio::test]
async fn reclosings_before_a_lockout_are_no_momentary_interruption() {
    let (server, _, [one, ..]) = fed().await;
    let start = at("2026-03-05T06:00:00Z");
    let shots = [(OPEN, 0), (CLOSED, 1), (OPEN, 2), (CLOSED, 17), (OPEN, 18), (CLOSED, 2_400)];
    let shots = shots.map(|(value, second)| (one, value, start.plus_millis(second * 1_000)));
    // Half an hour later two that hold: one momentary event. Since February something is known.
    let later = [(OPEN, 4_200), (CLOSED, 4_201), (OPEN, 4_260), (CLOSED, 4_261)];
    let later = later.map(|(value, second)| (one, value, start.plus_millis(second * 1_000)));
    let before = [(one, OPEN, at("2026-02-10T00:00:00Z")), (one, CLOSED, at("2026-02-10T00:10:00Z"))];
    happen(&server, &[before.as_slice(), &shots, &later].concat()).await;
    let token = server.sign_in("one-admin").await;
    let place = format!("location/{}", server.one.location);
    let scores = result(&server, &token, &format!("/api/analytics/getreliabilityscores/{place}/202603")).await;
    // The sustained one lasted from the last opening, 2,382 s, for 200 of 1,000 customers.
    for (key, expected) in
        [("saifi", 0.2), ("saidi", 0.2 * 2_382.0 / 60.0), ("maifi", 0.2), ("sustainedOutages", 1.0), ("momentaryOutages", 1.0)]
    {
        close(&scores, key, expected);
    }
    let listed = format!("/api/analytics/outages/{place}?from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z");
    let rows = result(&server, &token, &listed).await["rows"].clone();
    let rows: Vec<_> = rows.as_array().expect("rows").iter().map(|row| (&row["class"], &row["trips"], &row["excludedBecause"])).collect();
    let (momentary, sustained) = (json!("momentary"), json!("sustained"));
    assert_eq!(
        rows,
        [(&momentary, &json!(2), &Value::Null), (&sustained, &json!(1), &Value::Null), (&momentary, &json!(2), &json!("before_sustained"))]
    );
}

#[tokio::test]
async fn losses_two_minutes_apart_are_two_events_for_a_threshold_of_one_minute() {
    let (server, _, [one, ..]) = fed().await;
    let token = server.sign_in("one-admin").await;
    let mut configuration = result(&server, &token, "/api/admin/configuration").await;
    configuration["reliability"]["momentaryThresholdMin"] = json!(1.0);
    assert_eq!(server.json_as(&token, "PUT", "/api/admin/configuration", &configuration).await.status, 200);
    let start = at("2026-03-05T06:00:00Z");
    let losses = [(OPEN, 0), (CLOSED, 30), (OPEN, 120), (CLOSED, 150)];
    let losses = losses.map(|(value, second)| (one, value, start.plus_millis(second * 1_000)));
    let before = [(one, OPEN, at("2026-02-10T00:00:00Z")), (one, CLOSED, at("2026-02-10T00:10:00Z"))];
    happen(&server, &[before.as_slice(), &losses].concat()).await;
    let scores = result(&server, &token, &format!("/api/analytics/getreliabilityscores/location/{}/202603", server.one.location)).await;
    for (key, expected) in [("saidi", 0.0), ("saifi", 0.0), ("maifi", 0.4), ("sustainedOutages", 0.0), ("momentaryOutages", 2.0)] {
        close(&scores, key, expected);
    }
}
