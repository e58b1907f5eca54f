//! Demand and its peaks over HTTP, and the values of batteries and transformers.

use grid::downsample::floor;
use grid::{Micros, PointId};
use serde_json::{Value, json};
use store::Store;

use crate::energy_field::{HOUR_MS, MINUTE_MS, Network, asset, midnight, near, now, ok, points, set_integration, work_out, write};
use crate::server::Server;

/// 2026-07-01 06:00 UTC.
const START: Micros = Micros(1_782_885_600_000_000);
const QUARTER_MS: i64 = 15 * MINUTE_MS;

fn flags(row: &Value) -> Vec<&str> {
    row["flags"].as_array().expect("flags").iter().map(|flag| flag.as_str().expect("a word")).collect()
}

/// Returns values of a power at some minutes.
fn powers(point: PointId, from: Micros, minutes: impl Iterator<Item = i64>, mw: f64) -> Vec<(PointId, Micros, f64)> {
    minutes.map(|minute| (point, from.plus_millis(minute * MINUTE_MS), mw)).collect()
}

#[tokio::test]
async fn demand_is_what_ends_at_customers_and_counts_once() {
    let server = Server::start().await;
    let network = Network::enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let mut values = powers(network.feeder.power, START, 0..60, 2.0);
    values.extend(powers(network.to_second.power, START, 0..60, 3.0));
    // In the second quarter F3 has five minutes, in the third it carries more.
    let f3 = network.second_feeder.power;
    values.extend(powers(f3, START, (0..20).chain(45..60), 2.9));
    values.extend(powers(f3, START, 30..45, 4.1));
    write(&server, &values).await;
    let client = server.one.client;
    for refreshed in [false, true] {
        if refreshed {
            work_out(&server).await;
        }
        let span = "from=2026-07-01T06:00:00Z&to=2026-07-01T07:00:00Z";
        let found = ok(&server, &token, &format!("analytics/getdemandovertimegraph/client/{client}?{span}")).await;
        assert_eq!((&found["unit"], &found["blockMinutes"], &found["missing"]), (&json!("MW"), &json!(15), &json!([])));
        let rows = found["rows"].as_array().expect("rows");
        // F1 and F3 only: the power of F2 is counted in the second substation.
        for (row, (demand, coverage)) in rows.iter().zip([(4.9, 100.0), (4.9, 200.0 / 3.0), (6.1, 100.0), (4.9, 100.0)]) {
            assert!(near(&row["demand"], demand) && near(&row["coverage"], coverage), "{row}: {demand} {coverage}");
        }
        assert_eq!((rows.len(), flags(&found)), (4, vec!["partial"]));
        let second = ["timeMs", "time", "hour"].map(|key| rows[1][key].clone());
        assert_eq!(second, [json!(START.millis() + QUARTER_MS), json!("2026-07-01T06:15:00.000Z"), json!(11)], "by the clock in India");
        // The energy of the blocks is the integral of the power.
        let energy: f64 = rows.iter().filter_map(|row| row["demand"].as_f64()).sum::<f64>() / 4.0;
        assert!((energy - (2.0 + (3.0 * 2.9 + 4.1) / 4.0)).abs() < 1e-9);
        for (asset, kw) in [(network.feeder.asset, 2_000.0), (network.to_second.asset, 3_000.0)] {
            let found = ok(&server, &token, &format!("analytics/getdemandovertimegraph/asset/{asset}?{span}")).await;
            assert!(found["unit"] == "kW" && near(&found["rows"][0]["demand"], kw), "{found}");
        }
    }
    // A feeder without a power measurement is named, and unknown values are null.
    let breaker = ok(&server, &token, &format!("analytics/getdemandovertimegraph/asset/{}", server.one.breaker)).await;
    assert_eq!((flags(&breaker), &breaker["missing"]), (vec!["no_data", "not_metered"], &json!(["one F1CB"])));
    assert!(breaker["rows"].as_array().expect("rows").iter().all(|row| row["demand"].is_null()), "{breaker}");
}

#[tokio::test]
async fn the_peak_is_the_first_largest_block_with_enough_values() {
    let server = Server::start().await;
    let network = Network::enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let now = now();
    let today = midnight(now);
    // 2 MW since midnight, 5 MW in the last but one complete quarter of an hour, and 9 MW in the last one, of which only one minute is
    // known.
    let last = floor(now, QUARTER_MS).plus_millis(-QUARTER_MS);
    let largest = last.plus_millis(-QUARTER_MS);
    let power = network.feeder.power;
    let minutes = |from: Micros, to: Micros| 0..to.millis_since(from).max(0) / MINUTE_MS;
    let mut values = powers(power, today, minutes(today, largest), 2.0);
    values.extend(powers(power, largest, 0..15, 5.0));
    values.push((power, last.plus_millis(MINUTE_MS), 9.0));
    write(&server, &values).await;
    let place = format!("location/{}", server.one.location);

    let table = ok(&server, &token, &format!("analytics/getpeakdemandtable/{place}")).await;
    let rows = table["rows"].as_array().expect("rows");
    let names: Vec<&Value> = rows.iter().map(|row| &row["timeInterval"]).collect();
    assert_eq!(names, ["today", "night", "morning", "day", "evening", "month", "year"]);
    assert!(rows.iter().all(|row| row["blockMinutes"] == table["blockMinutes"]), "peaks of one table are compared: {table}");
    let clock_ms = (largest.millis() + 330 * MINUTE_MS).rem_euclid(24 * HOUR_MS);
    let (hour, minute) = (clock_ms / HOUR_MS, clock_ms % HOUR_MS / MINUTE_MS);
    let is_today = largest >= today;
    for (name, is_in) in [("today", is_today), ("month", is_today), ("year", is_today)] {
        let row = rows.iter().find(|row| row["timeInterval"] == name).expect("a row");
        if !is_in {
            continue;
        }
        assert!(near(&row["peakDemand"], 5.0), "{row}");
        assert_eq!((&row["reportedDateTime"], &row["hour"]), (&json!(wire::time::iso(largest)), &json!(hour)));
        assert_eq!((&row["time"], &row["name"]), (&json!(format!("{hour:02}:{minute:02}")), &json!("D1 location")));
    }
    let band = ["night", "morning", "day", "evening"][(hour / 6) as usize];
    for row in &rows[1..5] {
        if row["timeInterval"] == band && is_today {
            assert!(near(&row["peakDemand"], 5.0), "{row}");
        } else {
            assert!(row["peakDemand"].is_null() && row["time"].is_null() || near(&row["peakDemand"], 2.0), "{row}");
        }
    }
    for period in ["", "?period=day", "?period=month", "?period=year"] {
        let profile = ok(&server, &token, &format!("analytics/peakdemandprofiledatabyid/{place}{period}")).await;
        let names: Vec<&Value> = profile["rows"].as_array().expect("rows").iter().map(|row| &row["timeInterval"]).collect();
        assert_eq!(names, ["night", "morning", "day", "evening"]);
        assert_eq!((&profile["unit"], &profile["blockMinutes"]), (&json!("MW"), &json!(15)));
        let of_band = &profile["rows"][(hour / 6) as usize];
        assert!(!is_today || near(&of_band["peakDemand"], 5.0), "{period}: {of_band}");
    }
    // Quarters of an hour outlive the minutes that they are made of.
    work_out(&server).await;
    server.database.client().await.batch_execute("DELETE FROM sample; DELETE FROM rollup_1m; DELETE FROM rollup_10m").await.expect("gone");
    let older = ok(&server, &token, &format!("analytics/peakdemandprofiledatabyid/{place}?period=year")).await;
    let of_band = &older["rows"][(hour / 6) as usize];
    assert!(!is_today || older["blockMinutes"] == 15 && near(&of_band["peakDemand"], 5.0), "{older}");
}

/// Returns the value of a field for each row.
fn column<'a>(answer: &'a Value, name: &str) -> Vec<&'a Value> {
    answer["rows"].as_array().expect("rows").iter().map(|row| &row[name]).collect()
}

#[tokio::test]
async fn every_figure_of_a_peak_is_of_the_same_blocks() {
    let server = Server::start().await;
    let network = Network::enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let client = server.one.client;
    // Around noon in India, 06:30 UTC: 1 MW, and 7 MW from 11:50 to 12:05. The largest half hour begins at 11:30, in the morning.
    let mut values = powers(network.feeder.power, START, (0..20).chain(35..90), 1.0);
    values.extend(powers(network.feeder.power, START, 20..35, 7.0));
    values.extend(powers(network.second_feeder.power, START, 0..90, 0.5));
    // A late value of an earlier day raises its peak.
    let earlier = START.plus_millis(-24 * HOUR_MS);
    values.extend(powers(network.feeder.power, earlier, 0..30, 2.0));
    values.extend(powers(network.second_feeder.power, earlier, 0..30, 0.5));
    write(&server, &values).await;
    work_out(&server).await;
    set_integration(&server, 30).await;
    let graph = format!("analytics/getdemandovertimegraph/client/{client}?from=2026-06-29T18:30:00Z&to=2026-07-01T18:30:00Z");
    for is_late in [false, true] {
        if is_late {
            write(&server, &powers(network.feeder.power, earlier.plus_millis(30_000), 0..30, 12.0)).await;
        }
        let found = ok(&server, &token, &graph).await;
        assert_eq!(
            (&found["blockMinutes"], &found["byDay"], found["rows"].as_array().map(Vec::len)),
            (&json!(30), &json!(false), Some(96))
        );
        let all = || found["rows"].as_array().expect("rows").iter();
        let largest = |day: &str| {
            let demand = |row: &&Value| row["demand"].as_f64();
            let of_day = all().filter(|row| row["time"].as_str().is_some_and(|time| time.starts_with(day)));
            of_day.max_by(|one, other| demand(one).unwrap_or(0.0).total_cmp(&demand(other).unwrap_or(0.0))).expect("a row")
        };
        let (noon, before) = (largest("2026-07-01"), largest("2026-06-30"));
        // 20 minutes at 1 MW and 10 at 7 MW, and 0.5 MW of the other feeder.
        assert!(noon["time"] == "2026-07-01T06:00:00.000Z" && near(&noon["demand"], 3.5), "{noon}");
        assert!(is_late != near(&before["demand"], 2.5), "{before}");
        let report = crate::reports::question("PEAK_DEMAND_REPORT", "client", client.0, 6, "2026-06-30,2026-07-01");
        let rows = crate::reports::rows(&server, &token, &report).await;
        for (nth, row) in [(1, before), (5, noon)] {
            assert_eq!(
                (&rows[nth][2], &rows[nth][3], &rows[nth][5], &rows[nth][6]),
                (&json!("Morning 06AM-12PM"), &row["demand"], &row["time"], &json!(30.0))
            );
        }
        // A span of more than 92 days has a row for each day, with its peak.
        let long = format!("analytics/getdemandovertimegraph/client/{client}?from=2026-01-01T00:00:00Z&to=2026-07-02T00:00:00Z");
        let long = ok(&server, &token, &long).await;
        assert_eq!((&long["byDay"], &long["blockMinutes"]), (&json!(true), &json!(30)));
        let peaks: Vec<&Value> = column(&long, "highest").into_iter().filter(|peak| !peak.is_null()).collect();
        assert_eq!(peaks, [&before["demand"], &noon["demand"]]);
        work_out(&server).await;
    }
}

#[tokio::test]
async fn a_block_in_which_a_feeder_is_silent_is_no_peak() {
    let server = Server::start().await;
    let network = Network::enter(&server).await;
    let token = server.sign_in("one-admin").await;
    let now = now();
    let base = floor(now, HOUR_MS).plus_millis(-3 * HOUR_MS);
    let (f1, f3) = (network.feeder.power, network.second_feeder.power);
    // Both have values in the first quarter. In the second, F1 has more power and F3 has values for eight minutes.
    let mut values = powers(f1, base, 0..15, 2.0);
    values.extend(powers(f1, base, 15..30, 9.0));
    values.extend(powers(f3, base, 0..23, 3.0));
    write(&server, &values).await;
    let profile = ok(&server, &token, &format!("analytics/peakdemandprofiledatabyid/client/{}?period=year", server.one.client)).await;
    let peaks: Vec<f64> = profile["rows"].as_array().expect("rows").iter().filter_map(|row| row["peakDemand"].as_f64()).collect();
    let may_be_last_year = now.millis_since(midnight(now)) < 4 * HOUR_MS;
    assert!(peaks.len() == 1 && (peaks[0] - 5.0).abs() < 1e-6 || peaks.is_empty() && may_be_last_year, "{profile}");
}

#[tokio::test]
async fn a_battery_and_a_transformer_show_what_they_measure() {
    let server = Server::start().await;
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let one = &server.one;
    let seeds = [
        asset(one, one.location, "BAT", 8, "battery", 0.11),
        asset(one, one.location, "TX1", 2, "transformer", 33.0),
        asset(one, one.location, "TX2", 2, "transformer", 33.0),
        asset(one, one.location, "BUSH", 12, "busbar", 33.0),
        asset(one, one.location, "BUSA", 12, "busbar", 11.0),
    ];
    let ids = store.put_assets(&seeds).await.expect("assets");
    let battery = points(&store, one, ids[0], "BAT", &["BatV", "BatA"]).await;
    let unit = points(&store, one, ids[1], "TX1", &["WTI", "OTI", "AmbT", "OilLevel", "Tap"]).await;
    let high = points(&store, one, ids[3], "BUSH", &["V"]).await;
    let low = points(&store, one, ids[4], "BUSA", &["V"]).await;
    let token = server.sign_in("one-admin").await;
    let end = floor(now(), MINUTE_MS);
    let mut values: Vec<(PointId, Micros, f64)> = Vec::new();
    for hour in 1..=4 {
        let at = end.plus_millis(-hour * HOUR_MS);
        values.extend([(battery[0], at, 120.0 + hour as f64), (battery[1], at, -2.0)]);
    }
    // The sensor of the winding has stopped, with a good value.
    let stopped = end.plus_millis(-3 * HOUR_MS);
    values.push((unit[0], stopped, 71.0));
    for (point, value) in unit[1..].iter().copied().zip([62.5, 31.0, 24.0, 7.0]).chain([(high[0], 33.1), (low[0], 10.95)]) {
        values.push((point, end, value));
    }
    write_latest(&server, &values).await;

    for id in [ids[0].0, one.location.0] {
        let found = ok(&server, &token, &format!("report/dcprofile/{id}/0")).await;
        assert_eq!(found[0], json!([{ "IUnit": "A", "VolUnit": "V" }]));
        let rows = found[1].as_array().expect("rows");
        let volts: Vec<f64> = rows.iter().filter_map(|row| row["Battery_VDC"].as_f64()).collect();
        assert!(volts.starts_with(&[124.0]) && volts.ends_with(&[121.0]) && volts.is_sorted_by(|a, b| a >= b), "{found}");
        assert!(rows.iter().all(|row| row["Battery_ADC"] == json!(-2.0) && row["ReportedDateTime"].is_string()), "{found}");
    }
    let none = ok(&server, &token, &format!("report/dcprofile/{}/12", ids[1])).await;
    assert_eq!(none, json!([[{ "IUnit": "A", "VolUnit": "V" }], []]));

    let found = ok(&server, &token, &format!("assethealth/transformerlivedata/{}", ids[1])).await;
    let shown = &found["dataStream"][0];
    let of = |at: Micros| {
        json!({
            "quality": shown["quality"], "reportedDateTime": wire::time::iso(at), "ageLimitMs": 180_000, "highLimit": null, "highHighLimit": null
        })
    };
    let fresh = of(end);
    let expected = json!({
        "WTI": 71.0, "OTI": 62.5, "AmbientTemp": 31.0, "OilLevel": "LOW", "oilLevelPercent": 24.0, "TapPosition": 7.0,
        "ExpectedVoltage": "33/11", "ActualVoltage": 10_950.0, "ReportedDateTime": wire::time::iso(stopped), "quality": shown["quality"],
        "ageLimitMs": 180_000, "readings": {
            "WTI": of(stopped), "OTI": fresh, "AmbientTemp": fresh, "OilLevel": fresh, "TapPosition": fresh, "ActualVoltage": fresh
        }
    });
    assert_eq!(*shown, expected);
    // The limits are those with which the alarm service compares: of the rule that a user has entered, else of the rating.
    let rating = json!({
        "ratedMva": 5.0, "cooling": "onan", "paper": "normal", "regime": "normal_cyclic",
        "limits": { "oilAlarmC": 80.0, "oilTripC": 90.0, "windingTripC": 110.0 }
    });
    let answer = server.json_as(&token, "PUT", &format!("/api/admin/ratings/{}", ids[1]), &rating).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let rule = json!({ "rules": [{ "kind": "high", "enabled": true, "limit": 85.0, "deadband": 2.0, "onDelayS": 10, "offDelayS": 10, "priority": 2, "text": "Oil" }] });
    let answer = server.json_as(&token, "PUT", &format!("/api/admin/alarmsettings/{}", unit[1].0), &rule).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let found = ok(&server, &token, &format!("assethealth/transformerlivedata/{}", ids[1])).await;
    let readings = &found["dataStream"][0]["readings"];
    let limits = |name: &str| json!([readings[name]["highLimit"], readings[name]["highHighLimit"]]);
    assert_eq!(["OTI", "WTI", "AmbientTemp"].map(limits), [json!([85.0, 90.0]), json!([null, 110.0]), json!([null, null])]);
    let bare = ok(&server, &token, &format!("assethealth/transformerlivedata/{}", ids[2])).await;
    let shown = &bare["dataStream"][0];
    assert!(["WTI", "OTI", "OilLevel", "oilLevelPercent", "TapPosition"].iter().all(|key| shown[*key].is_null()), "{shown}");
    assert!(shown["readings"]["WTI"].is_null() && shown["readings"]["AmbientTemp"]["reportedDateTime"].is_string(), "{shown}");
    assert_eq!(ok(&server, &token, &format!("assethealth/transformerlivedata/{}", one.feeder)).await, json!({ "dataStream": [] }));
    for (path, status) in [
        (format!("report/dcprofile/{}/3", ids[0]), 400),
        (format!("report/dcprofile/{}/0", server.two.breaker), 404),
        ("report/dcprofile/0/3".to_owned(), 404),
        (format!("assethealth/transformerlivedata/{}", server.two.feeder), 404),
    ] {
        assert_eq!(server.get_as(&token, &format!("/api/{path}")).await.status, status, "{path}");
    }
}

/// Stores values, also as the newest values.
async fn write_latest(server: &Server, values: &[(PointId, Micros, f64)]) {
    use store::writer::{Batch, Sample};
    let sample = |&(point, source, value): &(PointId, Micros, f64)| Sample {
        point,
        client: server.one.client,
        reading: crate::field::reading(value, source.millis()),
        historical: false,
        repeated: false,
    };
    let mut writer = store::Writer::connect(server.database.url()).await.expect("a writer");
    writer.commit(&Batch { samples: values.iter().map(sample).collect(), ..Batch::default() }).await.expect("stored");
    writer.flush().await.expect("flushed");
}
