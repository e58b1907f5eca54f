//! Energy, losses and efficiency over HTTP, compared with figures computed by hand.

use grid::downsample::floor;
use grid::{Micros, PointId};
use serde_json::{Value, json};

use crate::energy_field::{HOUR_MS, MINUTE_MS, Meter, Network, near, now, ok, work_out, write};
use crate::server::Server;

/// 2026-07-01 06:00 UTC.
const START: Micros = Micros(1_782_885_600_000_000);

/// Returns the readings of a meter in each minute: MWh per hour to the load, and kWh per hour back.
fn readings(meter: Meter, minutes: impl Iterator<Item = i64>, from: Micros, to_load: f64, back: f64) -> Vec<(PointId, Micros, f64)> {
    let at = |minute: i64| from.plus_millis(minute * MINUTE_MS);
    let hours = |minute: i64| minute as f64 / 60.0;
    minutes
        .flat_map(|minute| {
            let imported = (meter.imported, at(minute), 500.0 + to_load * hours(minute));
            [imported, (meter.exported, at(minute), 70.0 + back * hours(minute))]
        })
        .collect()
}

fn hours(server: &Server, scope: &str) -> String {
    let client = server.one.client;
    let scope = if scope == "client" { format!("client/{client}") } else { scope.to_owned() };
    format!("analytics/getenergyovertime/{scope}?from=2026-07-01T06:00:00Z&to=2026-07-01T09:00:00Z&width=4")
}

fn flags(row: &Value) -> Vec<&str> {
    row["flags"].as_array().expect("flags").iter().map(|flag| flag.as_str().expect("a word")).collect()
}

#[tokio::test]
async fn a_balance_is_over_what_all_meters_know() {
    let server = Server::start().await;
    let network = Network::enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let all = || 0..=190;
    let mut values = readings(network.line, all(), START, 6.0, 0.0);
    // The register of F1 is reset at 08:30.
    values.extend(readings(network.feeder, 0..150, START, 2.0, 0.0));
    values.extend(readings(network.feeder, 150..=190, START, 2.0, 0.0).into_iter().map(|(point, at, value)| (point, at, value - 450.0)));
    values.extend(readings(network.to_second, all(), START, 3.6, 0.0));
    values.extend(readings(network.second_line, all(), START, 3.5, 0.0));
    // F3 is silent from 07:10 to 08:30.
    values.extend(readings(network.second_feeder, all().filter(|minute| !(71..150).contains(minute)), START, 3.4, 100.0));
    write(&server, &values).await;
    for refreshed in [false, true] {
        if refreshed {
            work_out(&server).await;
        }
        let found = ok(&server, &token, &hours(&server, "client")).await;
        assert_eq!((&found["bucketMs"], &found["timeZone"], &found["missing"]), (&json!(HOUR_MS), &json!("Asia/Kolkata"), &json!([])));
        let rows = found["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), 3);
        // Both substations: 6,000 and 3,500 kWh in, 2,000 + 3,600 and 3,400 - 100 out. The energy between them counts on neither side.
        let first = &rows[0];
        let seen = ["energyIn_KWh", "energyOut_KWh", "loss", "efficiency", "coverage"].map(|key| &first[key]);
        for (found, expected) in seen.into_iter().zip([5_900.0, 5_300.0, 600.0, 100.0 * 5_300.0 / 5_900.0, 100.0]) {
            assert!(near(found, expected), "{first}: {expected}");
        }
        let starts = (&first["timeMs"], &first["time"], &first["hours"], flags(first));
        assert_eq!(starts, (&json!(START.millis()), &json!("2026-07-01T06:00:00.000Z"), &json!("11:30"), vec![]));
        // Then F3 has a gap of more than an hour: its substation is left out, on both sides.
        let second = &rows[1];
        assert!(near(&second["loss"], 400.0) && near(&second["energyIn_KWh"], 6_000.0) && near(&second["coverage"], 50.0), "{second}");
        assert_eq!(flags(second), ["partial"]);
        // In addition, the register of F1 was reset.
        let third = &rows[2];
        assert_eq!((&third["loss"], &third["efficiency"], &third["energyIn_KWh"]), (&Value::Null, &Value::Null, &Value::Null));
        assert_eq!((flags(third), &third["coverage"]), (vec!["no_data", "register_reset"], &json!(0.0)));
        assert!(near(&found["coverage"], 50.0));
        assert_eq!(flags(&found), ["partial", "register_reset"]);

        // A single substation, and an asset, which has meters at one end only.
        let second = ok(&server, &token, &hours(&server, &format!("location/{}", server.one.other_location))).await;
        assert!(near(&second["rows"][0]["loss"], 200.0) && second["rows"][1]["loss"].is_null(), "{second}");
        let feeder = ok(&server, &token, &hours(&server, &format!("asset/{}", network.second_feeder.asset))).await;
        let row = &feeder["rows"][0];
        assert!(near(&row["energyOut_KWh"], 3_300.0) && row["energyIn_KWh"].is_null() && row["efficiency"].is_null(), "{row}");
        assert_eq!((flags(&feeder), &feeder["missing"]), (vec!["not_metered"], &json!(["F3"])));
    }
    // A user confined to the other division sees only that, also for the whole utility.
    let token = server.sign_in("one-division").await;
    let found = ok(&server, &token, &hours(&server, "client")).await;
    assert!(near(&found["rows"][0]["loss"], 200.0), "{found}");
    let foreign = server.get_as(&token, &format!("/api/{}", hours(&server, &format!("location/{}", server.one.location)))).await;
    assert_eq!(foreign.status, 404);
}

#[tokio::test]
async fn losses_below_zero_are_told_and_what_has_no_meter_is_named() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    // As in the fixture: a feeder without a meter, and no incomer.
    let place = format!("location/{}", server.one.location);
    let bare = ok(&server, &token, &hours(&server, &place)).await;
    assert_eq!((&bare["rows"], flags(&bare), &bare["missing"]), (&json!([]), vec!["no_data", "not_metered"], &json!(["D1 location"])));
    for path in ["realtimeefficiency", "getaccumulatedlosses", "getefficiencychange"] {
        let found = ok(&server, &token, &format!("analytics/{path}/{place}")).await;
        assert!(flags(&found).contains(&"no_data") && flags(&found).contains(&"not_metered"), "{path}: {found}");
    }
    let server = Server::start().await;
    let network = Network::enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let mut values = readings(network.second_line, 0..=190, START, 2.0, 0.0);
    values.extend(readings(network.second_feeder, 0..=190, START, 2.1, 0.0));
    write(&server, &values).await;
    let found = ok(&server, &token, &hours(&server, &format!("location/{}", server.one.other_location))).await;
    for row in found["rows"].as_array().expect("rows") {
        assert!(near(&row["loss"], -100.0) && near(&row["efficiency"], 105.0), "{row}");
        assert_eq!(flags(row), ["negative_loss"]);
    }
    assert_eq!((flags(&found), found["rows"].as_array().expect("rows").len()), (vec!["negative_loss"], 3));
    // The other substation has its meters, which have never been read.
    let silent = ok(&server, &token, &hours(&server, &format!("location/{}", server.one.location))).await;
    assert_eq!((flags(&silent), &silent["coverage"], &silent["missing"]), (vec!["no_data"], &json!(0.0), &json!([])));
}

#[tokio::test]
async fn losses_add_up_since_midnight_and_the_last_quarter_is_compared() {
    let server = Server::start().await;
    let network = Network::enter(&server).await;
    let token = server.sign_in("one-admin").await;
    // 26 hours up to now: 6 MWh per hour in, 4.8 out, and 5.4 in the last two hours. The span ends at the last complete minute, because
    // later dirty ranges are not recomputed yet.
    let end = floor(now(), MINUTE_MS).plus_millis(-MINUTE_MS);
    let from = end.plus_millis(-26 * HOUR_MS);
    let change = 24 * 60;
    let mut values = readings(network.second_line, 0..=26 * 60, from, 6.0, 0.0);
    values.extend(readings(network.second_feeder, 0..=26 * 60, from, 4.8, 0.0).into_iter().map(|(point, at, value)| {
        let since = (at.millis_since(from) / MINUTE_MS - change).max(0);
        if point == network.second_feeder.imported { (point, at, value + since as f64 / 60.0 * 0.6) } else { (point, at, value) }
    }));
    write(&server, &values).await;
    let place = format!("location/{}", server.one.other_location);

    let found = ok(&server, &token, &format!("analytics/getaccumulatedlosses/{place}")).await;
    let rows = found["rows"].as_array().expect("rows");
    let names: Vec<&Value> = rows.iter().map(|row| &row["interval"]).collect();
    assert_eq!(names, ["Today", "Yesterday", "Last 7 days", "This month", "Last month", "This year"]);
    let instant = |text: &Value| wire::time::parse_iso(text.as_str().expect("text")).expect("a time");
    for row in rows {
        let (begin, until) = (instant(&row["from"]), instant(&row["to"]));
        let hours = until.millis_since(begin) as f64 / HOUR_MS as f64 * row["coverage"].as_f64().expect("a share") / 100.0;
        if hours < 1e-9 {
            assert!(row["accumulatedLosses_KWh"].is_null() && flags(row) == ["no_data"], "{row}");
            continue;
        }
        // 1,200 kWh per hour are lost, and 600 less in each hour after the change.
        let less = until.millis_since(begin.max(from.plus_millis(change * MINUTE_MS))).max(0) as f64 / HOUR_MS as f64;
        let expected = 1_200.0 * hours - 600.0 * less;
        assert!(near(&row["accumulatedLosses_KWh"], expected) && near(&row["energyIn_KWh"], 6_000.0 * hours), "{row}: {expected}");
    }
    // Today was measured from its first minute on.
    let today = &rows[0];
    assert!(today["coverage"] == json!(100.0) || flags(today) == ["no_data"], "{today}");
    let is_partial = rows[1]["coverage"].as_f64().is_some_and(|share| share < 100.0);
    assert_eq!(is_partial, instant(&rows[1]["from"]) < from, "whether the measuring began yesterday: {}", rows[1]);

    let quarter = ok(&server, &token, &format!("analytics/realtimeefficiency/{place}")).await;
    assert!(near(&quarter["efficiency"], 90.0) && near(&quarter["loss"], 150.0) && near(&quarter["energyIn_KWh"], 1_500.0), "{quarter}");
    assert_eq!((flags(&quarter), &quarter["coverage"], &quarter["reportedDateTime"]), (vec![], &json!(100.0), &quarter["to"]));
    assert!(end.millis_since(instant(&quarter["to"])) < 17 * MINUTE_MS + 1, "{quarter}");

    let changes = ok(&server, &token, &format!("analytics/getefficiencychange/{place}")).await;
    let rows = changes["rows"].as_array().expect("rows");
    for (row, (interval, efficiency)) in
        rows.iter().zip([("15 minutes", Some(90.0)), ("1 hour", Some(90.0)), ("1 day", Some(80.0)), ("1 week", None)])
    {
        assert_eq!(row["interval"], interval);
        match efficiency {
            Some(then) => assert!(near(&row["efficiency"], then) && near(&row["changePercent"], 90.0 - then), "{row}"),
            None => assert!(row["efficiency"].is_null() && row["changePercent"].is_null() && flags(row) == ["no_data"], "{row}"),
        }
    }
    assert_eq!(rows.len(), 6);

    // Only hourly values of the previous day are still stored.
    let client = server.database.client().await;
    work_out(&server).await;
    client
        .batch_execute(
            "DELETE FROM sample WHERE ts < now() - INTERVAL '5 hours'; DELETE FROM rollup_1m WHERE start < now() - INTERVAL '5 hours'",
        )
        .await
        .expect("gone");
    let changes = ok(&server, &token, &format!("analytics/getefficiencychange/{place}")).await;
    let day = &changes["rows"][2];
    assert!(near(&day["efficiency"], 80.0) && flags(day) == ["coarse"], "{day}");
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let (own, foreign) = (server.one.location, server.two.location);
    for (path, status, words) in [
        (format!("getenergyovertime/location/{own}?width=1"), 400, "between 2 and 4000"),
        (format!("getenergyovertime/location/{own}?from=2026-07-02T00:00:00Z&to=2026-07-01T00:00:00Z"), 400, "before to"),
        (format!("getenergyovertime/location/{own}?from=never"), 400, "from must be a time"),
        (format!("getenergyovertime/location/{foreign}"), 404, ""),
        (format!("getenergyovertime/division/{own}"), 404, ""),
        (format!("getaccumulatedlosses/asset/{}", server.two.feeder), 404, ""),
        (format!("realtimeefficiency/client/{}", server.two.client), 404, ""),
        (format!("getefficiencychange/location/{foreign}"), 404, ""),
        (format!("measurementunit/location/{foreign}"), 404, ""),
        (format!("getdemandovertimegraph/location/{foreign}"), 404, ""),
        (format!("getdemandovertimegraph/location/{own}?from=2006-01-01T00:00:00Z"), 400, "7320 days"),
        (format!("peakdemandprofiledatabyid/location/{own}?period=week"), 400, "day, month or year"),
        (format!("getpeakdemandtable/asset/{}", server.two.feeder), 404, ""),
    ] {
        let answer = server.get_as(&token, &format!("/api/analytics/{path}")).await;
        assert!(answer.status == status && answer.body.contains(words), "{path}: {answer:?}");
    }
    for (scope, expected) in [
        (format!("asset/{}", server.one.feeder), json!({ "powerUnit": "kW", "energyUnit": "kWh", "powerFactorToMw": 0.001 })),
        (format!("client/{}", server.one.client), json!({ "powerUnit": "MW", "energyUnit": "MWh", "powerFactorToMw": 1.0 })),
    ] {
        assert_eq!(ok(&server, &token, &format!("analytics/measurementunit/{scope}")).await, expected);
    }
}

#[tokio::test]
async fn refused_step_is_listed_and_counts_once_it_is_confirmed() {
    let server = Server::start().await;
    let network = Network::enter(&server).await;
    let hour = Micros(now().0.div_euclid(HOUR_MS * 1_000) * HOUR_MS * 1_000).plus_millis(-3 * HOUR_MS);
    // The register of F1 in MWh counts 0.01 a minute. After 90 minutes it steps by 5,000, as if the meter had been replaced. That of F3 reads zero once.
    let at = |minute: i64| hour.plus_millis(minute * MINUTE_MS);
    let course = |minute: i64| 100.0 + minute as f64 / 100.0;
    let mut values = Vec::new();
    for minute in 0..180 {
        let stepped = course(minute) + if minute >= 90 { 5_000.0 } else { 0.0 };
        let misread = if minute == 75 { 0.0 } else { course(minute) };
        values.extend([(network.feeder.imported, at(minute), stepped), (network.feeder.exported, at(minute), 0.0)]);
        values.extend([(network.second_feeder.imported, at(minute), misread), (network.second_feeder.exported, at(minute), 0.0)]);
    }
    write(&server, &values).await;
    work_out(&server).await;
    let client = server.database.client().await;
    client.batch_execute("UPDATE member SET can_operate = username = 'one-admin'").await.expect("updated");
    let token = server.sign_in("one-admin").await;
    let list = format!("analytics/registersteps/client/{}/1", server.one.client);
    let found = ok(&server, &token, &list).await;
    let rows = found["rows"].as_array().expect("rows").clone();
    assert_eq!((rows.len(), &found["cut"]), (1, &json!(false)), "a misread is no step: {rows:?}");
    let step = &rows[0];
    let what = (&step["assetId"], &step["pointId"], &step["isImport"], &step["from"], &step["at"], &step["confirmedBy"]);
    let (before, after) = (json!(wire::time::iso(at(89))), json!(wire::time::iso(at(90))));
    assert_eq!(
        what,
        (&json!(network.feeder.asset.0), &json!(network.feeder.imported.0), &json!(true), &before, &after, &Value::Null),
        "{step}"
    );
    assert!(near(&step["fromKwh"], 100_890.0) && near(&step["atKwh"], 5_100_900.0) && near(&step["amountKwh"], 5_000_010.0), "{step}");
    // 11 kV, 1,250 A, over the minute and two minutes of slack.
    assert!(near(&step["allowedKwh"], 3.0_f64.sqrt() * 11.0 * 1_250.0 * 3.0 / 60.0), "{step}");

    let span = format!("from={}&to={}", wire::time::iso(at(0)), wire::time::iso(at(120)));
    // Buckets of ten minutes, which begin and end with the span at any time of the day.
    let charted = format!("history/asset/{}?measure=energy&{span}&width=12", network.feeder.asset);
    let chart = async || {
        let chart = ok(&server, &token, &charted).await;
        let series = chart["series"].as_array().expect("series").iter().find(|series| series["code"] == "EImp").expect("EImp").clone();
        series["mean"].as_array().expect("means").iter().filter_map(Value::as_f64).sum::<f64>()
    };
    let balance = format!("analytics/getenergyovertime/asset/{}?{span}", network.feeder.asset);
    let refused = ok(&server, &token, &balance).await;
    assert!(refused["flags"].as_array().expect("flags").contains(&json!("register_step")), "{refused}");
    assert!(chart().await < 2.0);

    let path = format!("/api/analytics/registerstep/{}", network.feeder.asset);
    let body =
        |at: &Value, is_real: bool| json!({ "pointId": network.feeder.imported.0, "at": at, "isReal": is_real, "note": "Meter replaced" });
    let put = async |body: Value| server.json_as(&token, "PUT", &path, &body).await;
    assert_eq!(put(body(&before, true)).await.status, 404, "there is no step at this reading");
    let mut foreign = body(&after, true);
    foreign["pointId"] = json!(network.second_feeder.imported.0);
    assert_eq!(put(foreign).await.status, 404, "the register of another asset");
    let mut empty = body(&after, true);
    empty["note"] = json!(" ");
    assert_eq!(put(empty).await.status, 400);
    let reader = server.sign_in("one-division").await;
    assert_eq!(server.json_as(&reader, "PUT", &path, &body(&after, true)).await.status, 404, "of another area");
    client.batch_execute("UPDATE member SET can_operate = false WHERE username = 'one-admin'").await.expect("updated");
    assert_eq!(put(body(&after, true)).await.status, 403, "without the right to operate");
    client.batch_execute("UPDATE member SET can_operate = true WHERE username = 'one-admin'").await.expect("updated");
    assert_eq!(put(body(&after, true)).await.status, 200);
    assert_eq!(put(body(&after, true)).await.status, 200, "nothing changes");

    let confirmed = ok(&server, &token, &list).await["rows"][0].clone();
    assert_eq!((&confirmed["confirmedBy"], &confirmed["note"], &confirmed["at"]), (&json!("A B"), &json!("Meter replaced"), &after));
    let counted = ok(&server, &token, &balance).await;
    assert!(!counted["flags"].as_array().expect("flags").contains(&json!("register_step")), "{counted}");
    let out: f64 = counted["rows"].as_array().expect("rows").iter().filter_map(|row| row["energyOut_KWh"].as_f64()).sum();
    assert!((out - 5_001_200.0).abs() < 20.0, "{out}: {counted}");
    let charted = chart().await;
    assert!((charted - 5_001.2).abs() < 0.1, "{charted}");

    assert_eq!(put(body(&after, false)).await.status, 200);
    assert_eq!(put(body(&after, false)).await.status, 404, "it is not confirmed any more");
    assert_eq!(ok(&server, &token, &balance).await["flags"], refused["flags"]);
    let audited = server.audited(server.one.client).await;
    let entered: Vec<&str> =
        audited.iter().map(|(action, _)| action.as_str()).filter(|action| action.starts_with("register_step")).collect();
    assert_eq!(entered, ["register_step_confirmed", "register_step_withdrawn"]);
}
