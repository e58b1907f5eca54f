//! The cost of a report: statements and rows of the database follow what is stored, however long the period is, and the answer stays the same.

use std::sync::Arc;

use grid::{AssetId, Micros, Quality};
use serde_json::{Value, json};
use store::Writer;
use store::writer::{Batch, GatewayMark};

use crate::energy_field::{HOUR_MS, MINUTE_MS, Network, work_out};
use crate::field::{feed, reading};
use crate::reliability::at;
use crate::reports::{question, rows, show};
use crate::reports_streams::{Came, come, measured};
use crate::server::Server;
use crate::statement_counter::{Cost, StatementCounter};

/// Two days of values, and the days around them.
const FIRST: &str = "2026-06-30T00:00:00+05:30";
const DAYS: (i64, &str) = (6, "2026-06-29,2026-07-03");
const YEAR: (i64, &str) = (4, "2026-2027");
const TEN_YEARS: (i64, &str) = (6, "2017-01-01,2026-11-30");

/// Folders of the statements that reports run. Other statements belong to background work.
const OF_REPORTS: [&str; 7] = ["history/", "samples/", "events/", "comms/", "fault/", "outage/", "alarm/"];

const POINTS: [(&str, &str, Option<i64>); 8] = [
    ("Ir", "A", Some(15 * MINUTE_MS)),
    ("Vry", "kV", Some(15 * MINUTE_MS)),
    ("P", "MW", Some(15 * MINUTE_MS)),
    ("Q", "MVAr", Some(15 * MINUTE_MS)),
    ("Hz", "Hz", Some(15 * MINUTE_MS)),
    ("EImp", "MWh", Some(15 * MINUTE_MS)),
    // These report by exception.
    ("OTI", "°C", None),
    ("Tap", "", None),
];

async fn counted() -> (Server, Arc<StatementCounter>) {
    let database = testkit::database().await;
    let counter = StatementCounter::of_store();
    let url = counter.proxy(&database).await;
    (Server::start_over(database, &url, false).await, counter)
}

/// Reports the link of the gateway as lost or restored.
async fn link(server: &Server, when: &str, online: bool) {
    let gateways = vec![GatewayMark {
        gateway: server.one.gateway,
        online: Some(online),
        at: at(when),
        order: grid::LinkOrder::default(),
        entered: true,
    }];
    Writer::connect(server.database.url()).await.expect("a writer").commit(&Batch { gateways, ..Batch::default() }).await.expect("stored");
}

/// Stores two days of a feeder, a transformer, meters and a breaker, after which the link of the gateway is lost.
async fn two_days(server: &Server) -> (AssetId, AssetId) {
    let (feeder, ids) = measured(server, "Q1", &POINTS).await;
    let (transformer, of_transformer) = measured(server, "T1", &POINTS).await;
    let network = Network::enter(server).await;
    let typed = format!("UPDATE asset SET type_id = 2 WHERE id = {}", transformer.0);
    server.database.client().await.batch_execute(&typed).await.expect("a transformer");
    let mut values: Vec<Came> = Vec::new();
    for quarter in 0..=2 * 96 {
        let now = at(FIRST).plus_millis(quarter * 15 * MINUTE_MS);
        for ids in [&ids, &of_transformer] {
            for (code, ..) in POINTS.iter().filter(|(.., expected)| expected.is_some()) {
                let value = if *code == "EImp" { quarter } else { 10 + quarter % 7 };
                values.push((ids[code], now, Some(value as f64), Quality::Good));
            }
        }
        for meter in [network.line, network.feeder, network.to_second] {
            let of_meter = [(meter.imported, quarter as f64), (meter.exported, 7.0), (meter.power, 4.0)];
            values.extend(of_meter.map(|(id, value)| (id, now, Some(value), Quality::Good)));
        }
    }
    for ids in [&ids, &of_transformer] {
        values.push((ids["OTI"], at(FIRST).plus_millis(10 * HOUR_MS), Some(40.0), Quality::Good));
        values.push((ids["Tap"], at(FIRST).plus_millis(11 * HOUR_MS), Some(9.0), Quality::Good));
    }
    come(server, &values, true).await;
    let moves = [(3, 2.0), (5, 1.0), (6, 2.0), (30, 1.0), (31, 2.0)];
    let positions = moves.map(|(hour, position)| reading(position, at(FIRST).plus_millis(hour * HOUR_MS).millis()));
    feed(server.database.url(), &server.one, &positions, &[]).await;
    link(server, "2026-07-02T06:00:00+05:30", false).await;
    let one = &server.one;
    let fault = format!(
        "INSERT INTO fault (client_id, point_id, asset_id, location_id, customers, started, ended, opened, trips, reclosed, lockout, \"offset\")
         SELECT {}, {}, {}, {}, 0, at, at + interval '10 minutes', at, 1, false, true, 1 FROM (SELECT timestamptz '2026-07-01T12:00:00+05:30' AS at) AS began",
        one.client, one.position, one.feeder, one.location
    );
    server.database.client().await.batch_execute(&fault).await.expect("a fault");
    let token = server.sign_in("one-admin").await;
    let rule = json!({ "rules": [{ "kind": "high", "limit": 15.5, "priority": 1, "enabled": true }] });
    let put = server.json_as(&token, "PUT", &format!("/api/admin/alarmsettings/{}", ids["Ir"]), &rule).await;
    assert_eq!(put.status, 200, "{put:?}");
    (feeder, transformer)
}

/// Returns the cost of a request, and its rows.
async fn cost(server: &Server, counter: &StatementCounter, token: &str, request: &Value) -> (Cost, Vec<Value>) {
    counter.take();
    let found = rows(server, token, request).await.as_array().expect("rows").clone();
    let of_report = counter.take().into_iter().filter(|(name, _)| OF_REPORTS.iter().any(|folder| name.starts_with(folder)));
    let sum =
        of_report.fold(Cost::default(), |sum, (_, cost)| Cost { executions: sum.executions + cost.executions, rows: sum.rows + cost.rows });
    (sum, found)
}

/// The rows of a long period, compared with those of a short one within it.
#[derive(Clone, Copy, PartialEq)]
enum Rows {
    /// The same rows.
    Same,
    /// The same rows, and in addition rows of days without values.
    Among,
    /// Other rows, since they describe the whole period or its gaps.
    Other,
}

/// Returns every report with a place that has rows of it.
fn reports_of(server: &Server, feeder: AssetId, transformer: AssetId) -> [(&'static str, (&'static str, i64), Rows); 23] {
    let (client, location) = (("client", server.one.client.0), ("location", server.one.location.0));
    let (feeder, transformer) = (("asset", feeder.0), ("asset", transformer.0));
    [
        ("SAIDI_SAIFI", location, Rows::Other),
        ("EVENT_LOG", location, Rows::Same),
        ("LIMIT_VIOLATION", location, Rows::Same),
        ("USER_LOGIN", client, Rows::Other),
        ("CB_TRIPPING", location, Rows::Same),
        ("HIGH_ACTIVITY_BREAKER", location, Rows::Same),
        ("SS_DAILY_LOG_SHEET", feeder, Rows::Among),
        ("EE_DAILY_FEEDER_DATA", feeder, Rows::Among),
        ("EE_HOURLY_FEEDER_LOG", feeder, Rows::Among),
        ("FAULT_DATA", location, Rows::Same),
        ("RELIABILITY_INDICES", location, Rows::Other),
        ("ASSET_HOURLY_LOG_SHEET", transformer, Rows::Among),
        ("SS_ENERGY_LOSS", location, Rows::Among),
        ("SS_TRANSFORMER_LOSS", transformer, Rows::Among),
        ("ASSET_VIOLATION_REPORT", location, Rows::Same),
        ("PEAK_DEMAND_REPORT", location, Rows::Other),
        ("ANOMALIES_REPORT", location, Rows::Other),
        ("RTU_HEALTH", location, Rows::Among),
        ("PQ", location, Rows::Same),
        ("PDS", location, Rows::Same),
        ("PRODUCT_DATA_STREAM_INT", location, Rows::Same),
        ("ASSET_DAILY_COUNT_RECORD", feeder, Rows::Among),
        ("GDSDataSingleDateBySampleTime", feeder, Rows::Same),
    ]
}

/// Returns the parts of a text that are codes of the program: one word in lower case, perhaps with underscores.
fn raw_codes(text: &str) -> Vec<&str> {
    let is_code = |part: &&str| !part.is_empty() && part.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    text.split([',', ';']).map(str::trim).filter(is_code).collect()
}

#[tokio::test]
async fn no_cell_of_a_report_is_a_raw_code() {
    assert_eq!(raw_codes("no_data, partial; Night, location"), ["no_data", "partial", "location"]);
    let (server, _) = counted().await;
    let (feeder, transformer) = two_days(&server).await;
    let token = server.sign_in("one-admin").await;
    work_out(&server).await;
    let (mut codes, mut texts) = (Vec::new(), 0);
    for (report, (level, id), _) in reports_of(&server, feeder, transformer) {
        let answer = show(&server, &token, &question(report, level, id, DAYS.0, DAYS.1)).await.json();
        let columns = answer["result"]["columns"].as_array().expect("columns").clone();
        for row in answer["result"]["rows"].as_array().expect("rows") {
            for (column, cell) in columns.iter().zip(row.as_array().into_iter().flatten()) {
                // Names that users have chosen are shown as they are. A trip type is a number of a relay function with a word: "51, lockout".
                let is_judged = column["kind"] == "text" && column["name"] != "User" && column["name"] != "Trip type";
                let Some(text) = cell.as_str().filter(|_| is_judged) else { continue };
                texts += 1;
                codes.extend(raw_codes(text).into_iter().map(|code| format!("{report}, {}: {code}", column["name"])));
            }
        }
    }
    codes.sort();
    codes.dedup();
    assert_eq!(codes, Vec::<String>::new());
    assert!(texts > 100, "{texts} cells with text");
}

#[tokio::test]
async fn cost_of_a_report_follows_stored_data() {
    let (server, counter) = counted().await;
    let (feeder, transformer) = two_days(&server).await;
    let token = server.sign_in("one-admin").await;
    let reports = reports_of(&server, feeder, transformer);
    let listed = server.get_as(&token, "/api/pfcreport/reportslist").await.json();
    assert_eq!(listed["result"].as_array().map(Vec::len), Some(reports.len()), "every report that there is");
    for is_recomputed in [false, true] {
        if is_recomputed {
            work_out(&server).await;
        }
        for (report, (level, id), expected) in reports {
            let of = |(frequency, value): (i64, &str)| match (report, frequency) {
                ("GDSDataSingleDateBySampleTime", 4) => question(report, level, id, 6, "2026-04-01,2027-03-31"),
                _ => question(report, level, id, frequency, value),
            };
            let (short, days) = cost(&server, &counter, &token, &of(DAYS)).await;
            let why = |period: &str| format!("{report} over {period}, recomputed {is_recomputed}");
            assert!(report == "USER_LOGIN" || short.executions > 0 && !days.is_empty(), "{}", why("days"));
            for (name, period) in [("a year", YEAR), ("ten years", TEN_YEARS)] {
                let (long, all) = cost(&server, &counter, &token, &of(period)).await;
                // Rows of days without values may be read, many of them in one statement.
                let more = all.len().saturating_sub(days.len());
                let most = Cost { executions: 2 * short.executions + 8 + more / 20, rows: 2 * short.rows + 100 + 2 * more };
                assert!(long.executions <= most.executions && long.rows <= most.rows, "{}: {long:?} for {short:?}", why(name));
                // A screen shows at most 5,000 rows.
                match expected {
                    Rows::Same => assert_eq!(all, days, "{}", why(name)),
                    Rows::Among if name == "a year" => {
                        assert!(days.is_empty() || all.windows(days.len()).any(|run| run == days), "{}: {days:?}", why(name));
                    }
                    Rows::Among | Rows::Other => {}
                }
            }
        }
    }
}

#[tokio::test]
async fn held_value_is_reported_while_its_link_is_up() {
    let (server, counter) = counted().await;
    let (asset, ids) = measured(&server, "Q1", &[("OTI", "°C", None)]).await;
    come(&server, &[(ids["OTI"], at("2026-05-01T10:00:00+05:30"), Some(40.0), Quality::Good)], true).await;
    link(&server, "2026-05-03T12:00:00+05:30", false).await;
    link(&server, "2026-05-20T06:00:00+05:30", true).await;
    link(&server, "2026-06-02T06:00:00+05:30", false).await;
    let token = server.sign_in("one-admin").await;
    for is_recomputed in [false, true] {
        if is_recomputed {
            work_out(&server).await;
        }
        let mut request = question("PDS", "asset", asset.0, 6, "2026-04-01,2026-11-20");
        request["sampleMinutes"] = json!(60);
        let (long, found) = cost(&server, &counter, &token, &request).await;
        let days: Vec<&Value> = found.iter().step_by(24).map(|row| &row[0]).collect();
        let day = |nth: i64| json!(wire::time::iso(at("2026-05-01T00:00:00+05:30").plus_millis(nth * 24 * HOUR_MS)));
        // 1 to 3 May, and 20 May to 2 June. Without rollups a value is valid for one day only.
        let expected: Vec<Value> = if is_recomputed { (0..3).chain(19..33).map(day).collect() } else { (0..2).map(day).collect() };
        assert_eq!((days, found.len()), (expected.iter().collect(), 24 * expected.len()), "recomputed {is_recomputed}");
        if is_recomputed {
            let known: Vec<&Value> = found.iter().filter(|row| !row[9].is_null()).map(|row| &row[0]).collect();
            let hours = 14 + 24 + 12 + 18 + 12 * 24 + 6;
            assert_eq!((known.len(), known[0]), (hours, &json!("2026-05-01T04:30:00.000Z")));
        }
        request["frequencyValue"] = json!("2026-04-30,2026-06-03");
        let (short, same) = cost(&server, &counter, &token, &request).await;
        assert_eq!(same, found);
        assert!(long.executions <= short.executions + 4, "{long:?} for {short:?}, recomputed {is_recomputed}");
    }
}

#[tokio::test]
async fn period_equals_the_sum_of_its_days() {
    let server = Server::start().await;
    let (asset, ids) = measured(&server, "Q1", &POINTS).await;
    let mut values: Vec<Came> = Vec::new();
    for (code, hour, value, quality) in [
        ("OTI", -40, 30.0, Quality::Good),
        ("Ir", 0, 5.0, Quality::Good),
        ("Ir", 1, 6.0, Quality::Invalid),
        ("EImp", 23, 100.0, Quality::Good),
        ("EImp", 49, 126.0, Quality::Good),
        ("Hz", 72, 50.0, Quality::Good),
        ("OTI", 76, 31.0, Quality::Invalid),
        ("Tap", 101, 4.0, Quality::Good),
    ] {
        // Ten minutes past the hour, in an hour of UTC that begins before midnight in India.
        values.push((ids[code], at(FIRST).plus_millis(hour * HOUR_MS + 10 * MINUTE_MS), Some(value), quality));
    }
    come(&server, &values, true).await;
    link(&server, "2026-07-05T12:00:00+05:30", false).await;
    let token = server.sign_in("one-admin").await;
    let day = |nth: i64| Micros(at(FIRST).0).plus_millis((nth * 24 + 12) * HOUR_MS);
    let name = |nth: i64| wire::time::iso(day(nth))[..10].to_owned();
    let whole = format!("{},{}", name(-3), name(7));
    for kept in ["values", "all resolutions", "hours"] {
        match kept {
            "values" => {}
            "all resolutions" => work_out(&server).await,
            _ => {
                let gone = "DELETE FROM sample; DELETE FROM rollup_1m; DELETE FROM rollup_10m";
                server.database.client().await.batch_execute(gone).await.expect("gone");
            }
        }
        for report in [
            "PDS",
            "PRODUCT_DATA_STREAM_INT",
            "GDSDataSingleDateBySampleTime",
            "PQ",
            "SS_DAILY_LOG_SHEET",
            "EE_HOURLY_FEEDER_LOG",
            "EE_DAILY_FEEDER_DATA",
            "ASSET_DAILY_COUNT_RECORD",
        ] {
            let all = rows(&server, &token, &question(report, "asset", asset.0, 6, &whole)).await;
            let mut days: Vec<Value> = Vec::new();
            for nth in -3..=7 {
                let found = rows(&server, &token, &question(report, "asset", asset.0, 7, &name(nth))).await;
                days.extend(found.as_array().expect("rows").clone());
            }
            assert_eq!(all, json!(days), "{report} {kept}");
            assert!(!days.is_empty(), "{report} {kept}");
        }
    }
}
