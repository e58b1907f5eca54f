//! Reliability indices with unknown data: substations without communication, missing numbers of customers, and corrections that must not
//! hide this.

use grid::measure::Quantity;
use grid::point::kind_of_code;
use serde_json::{Value, json};
use store::Store;
use store::seed::{AssetSeed, PointSeed};

use crate::reliability::{at, fed, happen, march, result};

const OPEN: f64 = 1.0;
const CLOSED: f64 = 2.0;

#[tokio::test]
async fn where_nothing_was_heard_nothing_is_known() {
    let (server, _, positions) = fed().await;
    let one = &server.one;
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let feeder = |code: &str, type_id: i32| AssetSeed {
        device: "F9".into(),
        customers: 1_000,
        ..AssetSeed::new(one.client, one.other_location, code, type_id, "feeder")
    };
    let far = store.put_assets(&[feeder("F9", 1), feeder("F9CB", 3)]).await.expect("assets");
    let position = PointSeed {
        client: one.client,
        gateway: one.gateway,
        device: "F9".into(),
        metric: "F9CB/Pos".into(),
        code: "Pos".into(),
        asset: far[1],
        kind: kind_of_code("Pos"),
        quantity: Quantity::Status,
        unit: String::new(),
        decimals: 0,
        scale: 1.0,
        expected_ms: None,
    };
    let far_position = store.put_points(&[position]).await.expect("points")[0];
    // The first event has a source time of a clock that was not set, and no event followed.
    happen(&server, &[march(positions).as_slice(), &[(far_position, CLOSED, at("2000-01-01T00:00:10Z"))]].concat()).await;
    let token = server.sign_in("one-admin").await;
    let scores = async |kind: &str, id: i64, month: &str| -> Value {
        result(&server, &token, &format!("/api/analytics/getreliabilityscores/{kind}/{id}/{month}")).await
    };
    let silent = scores("location", one.other_location.0, "202603").await;
    assert_eq!((&silent["saidi"], &silent["asai"], &silent["flags"]), (&Value::Null, &Value::Null, &json!(["no_data"])), "{silent}");
    let received = scores("location", one.location.0, "202603").await;
    assert_eq!(received["flags"], json!([]));
    // Together they are known in part.
    let both = scores("client", one.client.0, "202603").await;
    assert_eq!((&both["customersServed"], &both["flags"]), (&json!(2_000.0), &json!(["partial"])), "{both}");
    // The gateway was online from the middle of March on.
    let statement = format!(
        "INSERT INTO link_change (client_id, gateway_id, device, at, online) VALUES ({}, {}, '', '2026-03-15T00:00:00Z', true)",
        one.client, one.gateway
    );
    server.database.client().await.batch_execute(&statement).await.expect("entered");
    let begun = scores("location", one.other_location.0, "202603").await;
    assert_eq!((&begun["saidi"], &begun["flags"]), (&json!(0.0), &json!(["partial"])));
    assert_eq!(scores("location", one.other_location.0, "202604").await["flags"], json!([]));
}

#[tokio::test]
async fn customers_that_nobody_entered_are_not_none() {
    let (server, feeders, positions) = fed().await;
    happen(&server, &march(positions)).await;
    let token = server.sign_in("one-admin").await;
    // The api keeps what it has read of the registry for a moment, so the answer is awaited.
    let with = async |customers: &str, flags: Value| {
        let statement = format!("UPDATE asset SET customers = {customers} WHERE id = {}", feeders[0]);
        server.database.client().await.batch_execute(&statement).await.expect("updated");
        let path = format!("/api/analytics/getreliabilityscores/location/{}/202603", server.one.location);
        loop {
            let scores = result(&server, &token, &path).await;
            if scores["flags"] == flags && scores["customersServed"] == json!(800.0) {
                return scores;
            }
            tokio::task::yield_now().await;
        }
    };
    with("NULL", json!(["partial"])).await;
    // A spare feeder supplies nobody, which is known: its outages count for nobody.
    let spare = with("0", json!([])).await;
    assert_eq!(spare["saidi"], json!(30_000.0 / 800.0), "{spare}");
}

#[tokio::test]
async fn open_spare_feeder_does_not_mark_its_month() {
    let (server, feeders, positions) = fed().await;
    let statement = format!("UPDATE asset SET customers = 0 WHERE id = {}", feeders[2]);
    server.database.client().await.batch_execute(&statement).await.expect("updated");
    happen(&server, &[march(positions).as_slice(), &[(positions[2], OPEN, at("2026-03-20T10:00:00+05:30"))]].concat()).await;
    let token = server.sign_in("one-admin").await;
    let scores = result(&server, &token, &format!("/api/analytics/getreliabilityscores/location/{}/202603", server.one.location)).await;
    // The outage of the spare feeder is not over, and interrupts nobody. Neither does its outage of four minutes.
    let counts = ["outages", "sustainedOutages", "momentaryOutages", "openOutages"].map(|key| scores[key].clone());
    assert_eq!((counts, &scores["flags"]), ([4, 4, 0, 0].map(|count| json!(count)), &json!([])), "{scores}");
    assert_eq!(scores["saidi"], json!(44_000.0 / 500.0));
    let listed = format!("/api/analytics/outages/asset/{}?from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z", feeders[2]);
    let rows = result(&server, &token, &listed).await["rows"].clone();
    assert_eq!(
        (&rows[0]["class"], &rows[0]["countsIn"], &rows[0]["excludedBecause"]),
        (&json!("open"), &json!(false), &json!("no_customers")),
        "{rows}"
    );
}

#[tokio::test]
async fn outage_without_customers_by_the_network_is_listed_and_counts_for_nobody() {
    let (server, feeders, positions) = fed().await;
    happen(&server, &march(positions)).await;
    let token = server.sign_in("one-admin").await;
    let path = format!("/api/analytics/getreliabilityscores/location/{}/202603", server.one.location);
    let before = result(&server, &token, &path).await;
    let listed = format!("/api/analytics/outages/asset/{}?from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z", feeders[0]);
    let counting =
        result(&server, &token, &listed).await["rows"].as_array().expect("rows").iter().filter(|row| row["countsIn"] == true).count();
    assert!(counting > 0, "{before}");
    // As analytics stores it where the network of that time has the feeder and no customers behind it.
    let statement = format!(
        "UPDATE outage SET customers = 0, customer_minutes = CASE WHEN worked_ended IS NULL THEN NULL ELSE 0 END,
             customer_steps = jsonb_build_array(jsonb_build_array((extract(epoch FROM worked_started) * 1000000)::int8, 0))
         WHERE asset_id = {}",
        feeders[0]
    );
    server.database.client().await.batch_execute(&statement).await.expect("updated");
    let rows = result(&server, &token, &listed).await["rows"].clone();
    let row = rows.as_array().expect("rows").iter().find(|row| row["excludedBecause"] == "no_customers").expect("a row").clone();
    assert_eq!((&row["customers"], &row["customersKnown"], &row["countsIn"]), (&json!(0), &json!(true), &json!(false)), "{row}");
    let after = result(&server, &token, &path).await;
    let outages = |scores: &Value| scores["outages"].as_u64().expect("a number");
    assert_eq!(outages(&before) - outages(&after), counting as u64, "{after}");
    assert_eq!(after["customersServed"], before["customersServed"]);
    assert!(after["saidi"].as_f64() < before["saidi"].as_f64(), "{after}");
}

#[tokio::test]
async fn corrections_count_no_minute_twice_and_hide_no_doubt() {
    let (server, _, positions) = fed().await;
    happen(&server, &march(positions)).await;
    let token = server.sign_in("one-admin").await;
    let listed = format!("/api/analytics/outages/asset/{}?from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z", server.one.feeder);
    let rows = result(&server, &token, &listed).await["rows"].clone();
    let (second, first) = (rows[0]["id"].clone(), rows[1]["id"].clone());
    let put = async |id: &Value, body: Value| server.json_as(&token, "PUT", &format!("/api/analytics/outage/{id}"), &body).await;
    let longer = json!({ "ended": "2026-03-12T00:05:00+05:30", "note": "It was one" });
    let refused = put(&first, longer.clone()).await;
    assert!(refused.status == 400 && refused.body.contains(&format!("it would overlap outage {second} of the same feeder")), "{refused:?}");
    // The outage can extend up to the start of the other one, and beyond it if the other one does not count.
    assert_eq!(put(&first, json!({ "ended": "2026-03-12T00:00:00+05:30", "note": "It was longer" })).await.status, 200);
    assert_eq!(put(&second, json!({ "exclude": true, "note": "A part of the one before" })).await.status, 200);
    assert_eq!(put(&first, longer).await.status, 200);
    let refused = put(&second, json!({ "note": "It counts after all" })).await;
    assert!(refused.status == 400 && refused.body.contains("overlap outage"), "{refused:?}");
    assert_eq!(put(&first, json!({ "note": "It was not" })).await.status, 200);
    assert_eq!(put(&second, json!({ "note": "It counts after all" })).await.status, 200);
    // A correction of the cause alone does not confirm the times, so the outage stays provisional.
    server
        .database
        .client()
        .await
        .batch_execute(&format!("UPDATE outage SET provisional = true WHERE id = {first}"))
        .await
        .expect("updated");
    let flags = async |body: Value| put(&first, body).await.json()["result"]["flags"].clone();
    assert_eq!(flags(json!({ "cause": "fault", "note": "Seen" })).await, json!(["provisional"]));
    let scores = format!("/api/analytics/getreliabilityscores/location/{}/202603", server.one.location);
    assert_eq!(result(&server, &token, &scores).await["flags"], json!(["provisional"]));
    assert_eq!(flags(json!({ "ended": "2026-03-05T10:50:00+05:30", "note": "Seen" })).await, json!([]));
    assert_eq!(result(&server, &token, &scores).await["flags"], json!([]));
    // Major event days are those of the utility, so they are known of a single outage too.
    let path = format!("/api/analytics/outage/{first}");
    let one = result(&server, &token, &path).await;
    assert_eq!((&one["majorEventDay"], &one["countsIn"]), (&json!(false), &json!(true)));
    let mut configuration = result(&server, &token, "/api/admin/configuration").await;
    configuration["reliability"]["excludeMajorEventDays"] = json!(true);
    assert_eq!(server.json_as(&token, "PUT", "/api/admin/configuration", &configuration).await.status, 200);
    assert_eq!(result(&server, &token, &path).await["countsIn"], json!(true));
    assert_eq!(result(&server, &token, &listed).await["rows"][1]["countsIn"], json!(true));
    // The events no longer show the outage, so a correction with only a note removes it.
    let kept = "UPDATE outage SET set_started = worked_started, set_ended = worked_ended, worked_started = NULL, worked_ended = NULL,
                worked_cause = NULL WHERE id =";
    server.database.client().await.batch_execute(&format!("{kept} {first}")).await.expect("updated");
    let refused = put(&first, json!({ "exclude": true, "note": "x" })).await;
    assert!(refused.status == 400 && refused.body.contains("a note alone removes it"), "{refused:?}");
    let removed = put(&first, json!({ "note": "It never was" })).await;
    let row = removed.json()["result"].clone();
    assert_eq!((removed.status, &row["countsIn"], &row["excludedBecause"]), (200, &json!(false), &json!("removed")), "{row}");
    assert_eq!(server.get_as(&token, &path).await.status, 404);
}
