//! Log sheets and losses of transformers, compared with figures computed by hand, also on days with clock changes.

use grid::thermal::{Cooling, Paper};
use grid::{AssetId, Micros, PointId, Quality};
use serde_json::{Value, json};
use store::Store;
use store::rating::{IndicatorLimits, RatingSeed};
use store::seed::AssetSeed;

use crate::energy_field::{HOUR_MS, MINUTE_MS, Meter, Network, asset, points, work_out, write};
use crate::reliability::at;
use crate::reports::{question, rows, same, show};
use crate::reports_limits::link;
use crate::reports_monthly::text;
use crate::reports_streams::{come, measured};
use crate::server::Server;
use crate::statement_counter::StatementCounter;

async fn rate(store: &Store, server: &Server, asset: AssetId) {
    let limits = IndicatorLimits::default();
    let (client, cooling, paper) = (server.one.client, Cooling::Onan, Paper::Normal);
    store.put_ratings(&[RatingSeed { client, asset, mva: 10.0, cooling, paper, limits, used_life_years: 0.0 }]).await.expect("a rating");
}

/// Returns the same value for each minute of a span.
fn steady(point: PointId, from: &str, to: &str, value: f64) -> Vec<(PointId, Micros, f64)> {
    let (start, end) = (at(from), at(to));
    (0..end.millis_since(start) / MINUTE_MS).map(|minute| (point, start.plus_millis(minute * MINUTE_MS), value)).collect()
}

fn of<'a>(rows: &'a Value, time: &str, name: &str) -> &'a Value {
    let found = rows.as_array().expect("rows").iter().find(|row| row[0] == time && row[2] == name);
    found.unwrap_or_else(|| panic!("{time} {name}: {rows}"))
}

#[tokio::test]
async fn log_sheets_of_a_substation_and_of_its_transformers_by_hand() {
    let server = Server::start().await;
    let one = &server.one;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let seeds = [asset(one, one.location, "TX1", 2, "transformer", 33.0), asset(one, one.location, "YARD", 11, "substation", 33.0)];
    let assets = store.put_assets(&seeds).await.expect("assets");
    let tx = points(&store, one, assets[0], "TX1", &["P", "Q", "Ir", "OTI", "WTI", "Tap", "OilLevel"]).await;
    let yard = points(&store, one, assets[1], "YARD", &["AmbT", "Hz"]).await;
    let feeder = points(&store, one, one.feeder, "F1", &["P", "Vry", "Vyb"]).await;
    rate(&store, &server, assets[0]).await;
    // More than the hour on both sides, so that the values at its edges are the same.
    let (from, to) = ("2026-07-01T09:50:00+05:30", "2026-07-01T11:10:00+05:30");
    let mut values = Vec::new();
    for (point, value) in [(tx[0], 3.0), (tx[1], 4.0), (tx[3], 60.0), (tx[4], 72.0), (tx[6], 55.0), (yard[0], 30.0), (yard[1], 50.0)] {
        values.extend(steady(point, from, to, value));
    }
    for (point, value) in [(feeder[0], 1.2), (feeder[1], 11.0), (feeder[2], 10.8)] {
        values.extend(steady(point, from, to, value));
    }
    for (point, before, after) in [(tx[2], 100.0, 140.0), (tx[5], 8.0, 9.0)] {
        values.extend(steady(point, from, "2026-07-01T10:30:00+05:30", before));
        values.extend(steady(point, "2026-07-01T10:30:00+05:30", to, after));
    }
    // Later the winding is not measured.
    for (point, value) in [(tx[0], 3.0), (tx[1], 4.0), (tx[3], 60.0)] {
        values.extend(steady(point, "2026-07-01T14:50:00+05:30", "2026-07-01T16:10:00+05:30", value));
    }
    write(&server, &values).await;
    let token = server.sign_in("one-admin").await;
    let sheet = rows(&server, &token, &question("SS_DAILY_LOG_SHEET", "location", one.location.0, 7, "2026-07-01")).await;
    assert_eq!(sheet.as_array().map(Vec::len), Some(48), "24 hours of the feeder and the transformer: {sheet}");
    let (ten, three, noon) = ("2026-07-01T04:30:00.000Z", "2026-07-01T09:30:00.000Z", "2026-07-01T06:30:00.000Z");
    let place = "D1 location";
    let nothing = json!([noon, place, "TX1", null, null, null, null, null, null, null, null, null, null, null, null]);
    for expected in [
        json!([ten, place, "TX1", null, 120.0, null, null, 3.0, 4.0, 0.6, 50.0, 9.0, 60.0, 72.0, null]),
        json!([ten, place, "one F1", 10.9, null, null, null, 1.2, null, null, 50.0, null, null, null, null]),
        nothing,
    ] {
        let found = of(&sheet, expected[0].as_str().expect("a time"), expected[2].as_str().expect("a name"));
        assert!(same(found, &expected), "{found}\n{expected}");
    }
    let path = format!("/api/report/substationdailylogbydate/location:{}:2026-07-01", one.location);
    let answer = server.get_as(&token, &path).await.json();
    assert_eq!((&answer["result"][1], &answer["result"][0][3]), (&sheet, &json!("Voltage (kV)")));

    let path = format!("/api/report/hourlytransformerdatareportbydate/location:{}:2026-07-01", one.location);
    let hours = server.get_as(&token, &path).await.json()["result"][1].clone();
    assert_eq!(hours.as_array().map(Vec::len), Some(24), "{hours}");
    let rate = |hot: f64| ((hot - 98.0) / 6.0).exp2();
    // IEC 60076-7 with the parameters that are taken for ONAN: 1.3 x 17 K at rated load, exponent 1.3, at half of it.
    let hot = 60.0 + 22.1 * 0.5_f64.powf(1.3);
    for expected in [
        json!([ten, place, "TX1", 5.0, 50.0, 3.0, 4.0, 0.6, 120.0, null, null, 60.0, 72.0, 30.0, 9.0, 55.0, 72.0, rate(72.0)]),
        json!([three, place, "TX1", 5.0, 50.0, 3.0, 4.0, 0.6, null, null, null, 60.0, null, null, null, null, hot, rate(hot)]),
        json!([noon, place, "TX1", null, null, null, null, null, null, null, null, null, null, null, null, null, null, null]),
    ] {
        let found = of(&hours, expected[0].as_str().expect("a time"), "TX1");
        assert!(same(found, &expected), "{found}\n{expected}");
    }
    let alone = question("ASSET_HOURLY_LOG_SHEET", "asset", one.feeder.0, 7, "2026-07-01");
    assert_eq!(rows(&server, &token, &alone).await, json!([]), "a feeder is no transformer");
}

#[tokio::test]
async fn printed_log_sheet_has_a_page_for_each_substation() {
    let server = Server::start().await;
    let network = Network::enter(&server).await;
    let (client, [feeder, second]) = (server.one.client.0, [network.feeder, network.second_feeder]);
    let mut values = Vec::new();
    for (meter, power) in [(feeder, 1.2), (second, 2.5)] {
        values.extend(steady(meter.power, "2026-07-01T09:50:00+05:30", "2026-07-01T11:10:00+05:30", power));
    }
    // A MWh in each hour. The hours of the sheet are made of ten minutes, so the register is read in each of them.
    let midnight = at("2026-07-01T00:00:00+05:30");
    for minute in -60..=1_500 {
        let time = midnight.plus_millis(minute * MINUTE_MS);
        values.extend([(feeder.imported, time, 100.0 + minute as f64 / 60.0), (feeder.exported, time, 0.0)]);
    }
    write(&server, &values).await;
    work_out(&server).await;
    let token = server.sign_in("one-admin").await;
    let body = question("SS_DAILY_LOG_SHEET", "client", client, 7, "2026-07-01").to_string();
    let request = format!(
        "POST /api/reports/download?format=pdf HTTP/1.0\r\nHost: portal.example\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = server.exchange(&request).await;
    let head = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
    let Some(text) = text(&answer[head + 4..]) else { return };
    let pages: Vec<&str> = text.split('\u{c}').filter(|page| !page.trim().is_empty()).collect();
    let headings: Vec<Option<&str>> =
        pages.iter().map(|page| page.lines().find_map(|line| line.trim().strip_prefix("Substation Daily Log Sheet – "))).collect();
    let expected = ["D1 location, 2026-07-01", "D2 location, 2026-07-01"];
    assert_eq!(headings, expected.map(Some), "{text}");
    for page in &pages {
        for words in ["Utility one", "00:00", "23:00", "Minimum", "Maximum", "Energy", "In Charge", "Reviewed By", "Signature", "Made 2"] {
            assert!(page.contains(words), "{words} is not in\n{page}");
        }
    }
    assert!(pages[0].contains("1.200") && pages[0].contains("24000"), "{}", pages[0]);
    assert!(pages[1].contains("2.500") && !pages[1].contains("24000"), "{}", pages[1]);
}

#[tokio::test]
async fn what_is_told_by_exception_holds_in_every_hour_until_its_link_is_lost() {
    let server = Server::start().await;
    let (asset, points) = measured(&server, "T1", &[("P", "MW", None), ("Tap", "", None), ("Ir", "A", Some(MINUTE_MS))]).await;
    let good = |code: &str, time: &str, value: f64| (points[code], at(time), Some(value), Quality::Good);
    let values = [
        good("Tap", "2026-06-30T20:00:00+05:30", 8.0),
        good("P", "2026-07-01T07:00:00+05:30", 50.0),
        good("P", "2026-07-01T08:05:00+05:30", 100.0),
        good("P", "2026-07-01T08:41:00+05:30", 0.0),
        good("Ir", "2026-07-01T07:00:00+05:30", 20.0),
    ];
    come(&server, &values, true).await;
    link(&server, "2026-07-01T20:30:00+05:30", false).await;
    let token = server.sign_in("one-admin").await;
    let place = "D1 location";
    // 50 MW for 5 minutes, 100 MW for 36 and nothing for 19.
    let mean = (5.0 * 50.0 + 36.0 * 100.0) / 60.0;
    let sheet = rows(&server, &token, &question("SS_DAILY_LOG_SHEET", "asset", asset.0, 7, "2026-07-01")).await;
    let hours = [
        // Midnight, six, seven, eight, nine, eight in the evening and nine.
        ("2026-06-30T18:30:00.000Z", json!(null), json!(null), json!(8)),
        ("2026-07-01T00:30:00.000Z", json!(null), json!(null), json!(8)),
        ("2026-07-01T01:30:00.000Z", json!(20), json!(50), json!(8)),
        ("2026-07-01T02:30:00.000Z", json!(null), json!(mean), json!(8)),
        ("2026-07-01T03:30:00.000Z", json!(null), json!(0), json!(8)),
        ("2026-07-01T14:30:00.000Z", json!(null), json!(0), json!(8)),
        ("2026-07-01T15:30:00.000Z", json!(null), json!(null), json!(null)),
    ];
    for (time, current, power, tap) in hours {
        let expected = json!([time, place, "T1", null, current, null, null, power, null, null, null, tap, null, null, null]);
        let found = of(&sheet, time, "T1");
        assert!(same(found, &expected), "{found}\n{expected}");
    }
    let eight = "2026-07-01T02:30:00.000Z";
    let log = rows(&server, &token, &question("EE_HOURLY_FEEDER_LOG", "asset", asset.0, 7, "2026-07-01")).await;
    let expected = json!([eight, place, "T1", 1_000.0 * mean, null, null, null, null, null, null]);
    assert!(same(of(&log, eight, "T1"), &expected), "{log}");

    // Some samples have values of their own; the others keep the last value.
    let samples = async |report: &str, minutes: i64| {
        let mut request = question(report, "asset", asset.0, 7, "2026-07-01");
        request["sampleMinutes"] = json!(minutes);
        rows(&server, &token, &request).await
    };
    let stream = samples("PDS", 60).await;
    let row = |hour: usize, signal: &str, figures: Value| {
        let found = stream.as_array().expect("rows").iter().filter(|row| row[4] == signal).nth(hour).expect("a row");
        let cells: Value = found.as_array().expect("cells")[6..].iter().cloned().collect();
        assert!(same(&cells, &figures), "{signal} {hour}: {found}\n{figures}");
    };
    row(0, "Active power", json!([null, null, null, null, 0, null, null, null]));
    row(8, "Active power", json!([mean, 0, 100, 0, 2, 0, "Good", null]));
    row(9, "Active power", json!([0, 0, 0, 0, 0, null, null, null]));
    row(20, "Tap", json!([8, 8, 8, 8, 0, null, null, null]));
    row(21, "Tap", json!([null, null, null, null, 0, null, null, null]));
    row(8, "Current R", json!([null, null, null, null, 0, null, null, null]));
    let wide = samples("PRODUCT_DATA_STREAM_INT", 60).await;
    assert_eq!(
        (&wide[7][10], &wide[7][13], &wide[7][19], &wide[7][20]),
        (&json!(20.0), &json!(50_000.0), &json!(2.0), &json!(0.0)),
        "{wide}"
    );
    assert_eq!((&wide[9][10], &wide[9][13], &wide[9][19], &wide[9][20]), (&json!(null), &json!(0.0), &json!(0.0), &json!(null)), "{wide}");
    let all = rows(&server, &token, &question("GDSDataSingleDateBySampleTime", "asset", asset.0, 7, "2026-07-01")).await;
    let (nine, since) = ("2026-07-01T03:30:00.000Z", "2026-07-01T03:11:00.000Z");
    let found = all.as_array().expect("rows").iter().find(|row| row[0] == nine && row[4] == "Active power").expect("a row");
    assert!(same(found, &json!([nine, place, "T1", "T1/T1/P", "Active power", 0, "MW", null, since, null])), "{found}");

    // A day without values has no samples, and the next one has none until the link is restored.
    link(&server, "2026-07-03T12:00:00+05:30", true).await;
    work_out(&server).await;
    let mut request = question("PDS", "asset", asset.0, 6, "2026-07-02,2026-07-03");
    request["sampleMinutes"] = json!(60);
    let later = rows(&server, &token, &request).await;
    let reported: Vec<(&Value, &Value)> =
        later.as_array().expect("rows").iter().filter(|row| row[4] == "Tap").map(|row| (&row[0], &row[9])).collect();
    assert_eq!(
        (reported.len(), reported[11].1, reported[12], reported[23].1),
        (24, &json!(null), (&json!("2026-07-03T06:30:00.000Z"), &json!(8.0)), &json!(8.0))
    );
}

/// Returns the readings of a register that counts a number of MWh per hour.
fn counted(
    (imported, exported): (PointId, PointId),
    start: Micros,
    hours: std::ops::RangeInclusive<i64>,
    mwh: f64,
) -> Vec<(PointId, Micros, f64)> {
    let at = |hour: i64| start.plus_millis(hour * HOUR_MS);
    hours.flat_map(|hour| [(imported, at(hour), 500.0 + mwh * hour as f64), (exported, at(hour), 70.0)]).collect()
}

fn registers(meter: Meter) -> (PointId, PointId) {
    (meter.imported, meter.exported)
}

#[tokio::test]
async fn losses_of_transformers_by_hand() {
    let server = Server::start().await;
    let one = &server.one;
    let network = Network::enter(&server).await;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let of_bay =
        |code: &str, type_id, class, kv| AssetSeed { device: "TX2".into(), ..asset(one, one.other_location, code, type_id, class, kv) };
    let seeds = [
        asset(one, one.location, "TX1", 2, "transformer", 33.0),
        of_bay("TX2", 2, "transformer", 33.0),
        of_bay("TX2LCB", 3, "breaker", 11.0),
        asset(one, one.other_location, "TX3", 5, "transformer", 33.0),
    ];
    let assets = store.put_assets(&seeds).await.expect("assets");
    let power = points(&store, one, assets[0], "TX1", &["S"]).await[0];
    let high = points(&store, one, assets[1], "TX2", &["EImp", "EExp"]).await;
    let low = points(&store, one, assets[2], "TX2LCB", &["EImp", "EExp"]).await;
    rate(&store, &server, assets[0]).await;
    server.database.client().await.execute("UPDATE rating SET loss_ratio = 4", &[]).await.expect("a ratio");
    let start = at("2026-07-01T00:00:00+05:30");
    let mut values = steady(power, "2026-06-30T23:50:00+05:30", "2026-07-02T00:10:00+05:30", 5.0);
    for (meter, mwh) in [
        (registers(network.line), 6.0),
        (registers(network.feeder), 2.0),
        (registers(network.to_second), 3.6),
        ((high[0], high[1]), 1.0),
        ((low[0], low[1]), 0.98),
    ] {
        values.extend(counted(meter, start, -2..=27, mwh));
    }
    write(&server, &values).await;
    let token = server.sign_in("one-admin").await;
    let path = format!("/api/report/tflossreportbydaterange/client:{}:2026-07-01_2026-07-02", one.client);
    let found = server.get_as(&token, &path).await.json()["result"][1].clone();
    let (first, second) = ("2026-07-01", "2026-07-02");
    // Loss ratio 4 at half load: as much with the load as without it.
    let efficiency = 100.0 * 134_400.0 / 144_000.0;
    let expected = [
        json!([
            "D1 location",
            "TX1",
            first,
            144_000.0,
            134_400.0,
            9_600.0,
            efficiency,
            50.0,
            4_800.0,
            4_800.0,
            "Computed from the meters of lines and feeders of the substation."
        ]),
        json!([
            "D1 location",
            "TX1",
            second,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            "There are no readings. Computed from the meters of lines and feeders of the substation."
        ]),
        json!(["D2 location", "TX2", first, 24_000.0, 23_520.0, 480.0, 98.0, null, null, null, ""]),
        json!(["D2 location", "TX2", second, null, null, null, null, null, null, null, "There are no readings."]),
        json!(["D2 location", "TX3", first, null, null, null, null, null, null, null, "A part of it has no meter at its input or output."]),
        json!([
            "D2 location",
            "TX3",
            second,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            "A part of it has no meter at its input or output."
        ]),
    ];
    let rows = found.as_array().expect("rows");
    assert_eq!(rows.len(), expected.len(), "{found}");
    for (found, expected) in rows.iter().zip(&expected) {
        assert!(same(found, expected), "{found}\n{expected}");
    }
}

#[tokio::test]
async fn losses_of_many_days_are_read_at_once_and_each_is_its_own() {
    const DAYS: i64 = 40;
    let database = testkit::database().await;
    let counter = StatementCounter::of_store();
    let url = counter.proxy(&database).await;
    let server = Server::start_over(database, &url, false).await;
    let one = &server.one;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let of_bay = |code: &str, type_id, class, kv| AssetSeed { device: "TX2".into(), ..asset(one, one.location, code, type_id, class, kv) };
    let seeds = [of_bay("TX2", 2, "transformer", 33.0), of_bay("TX2LCB", 3, "breaker", 11.0)];
    let assets = store.put_assets(&seeds).await.expect("assets");
    let high = points(&store, one, assets[0], "TX2", &["EImp", "EExp", "S"]).await;
    let low = points(&store, one, assets[1], "TX2LCB", &["EImp", "EExp"]).await;
    rate(&store, &server, assets[0]).await;
    let start = at("2026-06-01T00:00:00+05:30");
    // Each day counts faster than the one before, and has a load of its own.
    let per_hour = |day: i64| 1.0 + 0.01 * day as f64;
    let load = |day: i64| (1 + day % 7) as f64;
    let mut values = Vec::new();
    let mut read = 500.0;
    for hour in 0..=(DAYS * 24) {
        let (now, day) = (start.plus_millis(hour * HOUR_MS), hour / 24);
        values.extend([(high[0], now, read), (low[0], now, 0.98 * read), (high[1], now, 70.0), (low[1], now, 70.0)]);
        values.push((high[2], now, load(day)));
        read += per_hour(day);
    }
    write(&server, &values).await;
    work_out(&server).await;
    let token = server.sign_in("one-admin").await;
    counter.take();
    let found = rows(&server, &token, &question("SS_TRANSFORMER_LOSS", "asset", assets[0].0, 6, "2026-06-01,2026-07-10")).await;
    let count: usize = counter.take().values().map(|cost| cost.executions).sum();
    let found = found.as_array().expect("rows");
    assert_eq!(found.len(), DAYS as usize);
    // Nothing measures the two parts of the loss: their headings say so, on the screen and in files.
    let of_a_day = question("SS_TRANSFORMER_LOSS", "asset", assets[0].0, 7, "2026-06-01");
    let shown = show(&server, &token, &of_a_day).await.json();
    let names: Vec<&str> =
        shown["result"]["columns"].as_array().into_iter().flatten().filter_map(|column| column["name"].as_str()).collect();
    let parts: Vec<&&str> = names.iter().filter(|name| name.to_lowercase().contains("load loss")).collect();
    assert_eq!(parts, [&"No-load loss, calculated", &"Load loss, calculated"], "{names:?}");
    let file = server.json_as(&token, "POST", "/api/reports/download?format=csv", &of_a_day).await;
    assert!(file.body.contains("\"No-load loss, calculated (kWh)\",\"Load loss, calculated (kWh)\""), "{}", file.body);
    for (row, day) in found.iter().zip(0..) {
        let (begin, kwh) = (wire::time::iso(start.plus_millis(day * 24 * HOUR_MS)), 24_000.0 * per_hour(day));
        let loading = 10.0 * load(day);
        let expected = json!(["D1 location", "TX2", begin, kwh, 0.98 * kwh, 0.02 * kwh, 98.0, loading, null, null, ""]);
        assert!(same(row, &expected), "{row:?}\n{expected}");
    }
    // Ten statements a day would be 400.
    assert!((10..100).contains(&count), "{count} statements");
}

#[tokio::test]
async fn days_of_a_clock_change_have_all_their_hours() {
    let server = Server::start().await;
    let one = &server.one;
    server.database.client().await.execute("UPDATE client SET time_zone = 'Europe/London'", &[]).await.expect("a zone");
    let network = Network::enter(&server).await;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let assets = store.put_assets(&[asset(one, one.location, "TX1", 2, "transformer", 33.0)]).await.expect("assets");
    let oil = points(&store, one, assets[0], "TX1", &["OTI"]).await[0];
    let start = at("2025-10-26T00:00:00+01:00");
    let mut values = steady(oil, "2025-10-26T01:50:00+00:00", "2025-10-26T03:10:00+00:00", 61.0);
    for (meter, mwh) in [(network.line, 6.0), (network.feeder, 2.0), (network.to_second, 3.6)] {
        values.extend(counted(registers(meter), start, -2..=28, mwh));
    }
    write(&server, &values).await;
    let token = server.sign_in("one-admin").await;
    let sheet = async |report: &str, day: &str| {
        let path = format!("/api/report/{report}bydate/location:{}:{day}", one.location);
        let found = server.get_as(&token, &path).await.json()["result"][1].clone();
        found.as_array().expect("rows").iter().filter(|row| row[2] == "TX1").cloned().collect::<Vec<Value>>()
    };
    for report in ["dailylogsheet", "hourlytransformerdatareport"] {
        let long = sheet(report, "2025-10-26").await;
        assert_eq!((long.len(), &long[0][0], &long[24][0]), (25, &json!("2025-10-25T23:00:00.000Z"), &json!("2025-10-26T23:00:00.000Z")));
        let column = if report == "dailylogsheet" { 12 } else { 11 };
        assert_eq!((&long[3][column], &long[2][0], &long[2][column]), (&json!(61.0), &json!("2025-10-26T01:00:00.000Z"), &json!(61.0)));
        let short = sheet(report, "2025-03-30").await;
        assert_eq!((short.len(), &short[0][0]), (23, &json!("2025-03-30T00:00:00.000Z")));
    }
    let lost = rows(&server, &token, &question("SS_TRANSFORMER_LOSS", "location", one.location.0, 7, "2025-10-26")).await;
    let efficiency = 100.0 * 140_000.0 / 150_000.0;
    let day = "2025-10-25T23:00:00.000Z";
    let expected = json!([
        "D1 location",
        "TX1",
        day,
        150_000.0,
        140_000.0,
        10_000.0,
        efficiency,
        null,
        null,
        null,
        "Computed from the meters of lines and feeders of the substation."
    ]);
    assert!(same(&lost[0], &expected) && lost.as_array().map(Vec::len) == Some(1), "{lost}");
}
