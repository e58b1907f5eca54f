//! The monthly performance report: its figures equal those of the analytics routes and those computed by hand.

use std::process::{Command, Stdio};

use grid::fault::{Fault, FaultRecord};
use serde_json::{Value, json};
use store::Store;

use crate::cable_health::{PLANT, REGISTER, imported, result_of};
use crate::energy_field::{HOUR_MS, MINUTE_MS, asset, ok, points, set_integration, write};
use crate::reliability::{at, fed, happen, march};
use crate::reports::{question, rows};
use crate::server::Server;

/// Returns the file of a request and asserts that it is a PDF.
pub(crate) async fn file(server: &Server, token: &str, level: &str, ids: &Value, month: &str) -> Vec<u8> {
    let body = json!({ "level": level, "levelId": ids, "month": month }).to_string();
    let request = format!(
        "POST /api/reports/monthly HTTP/1.0\r\nHost: portal.example\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = server.exchange(&request).await;
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
    assert!(head.starts_with("http/1.0 200") && head.contains("content-type: application/pdf"), "{head}");
    assert!(head.contains(&format!("filename=\"monthly_performance_report_{}_", month.replace('-', "_"))), "{head}");
    answer[end + 4..].to_vec()
}

/// Returns its text by pdftotext; `None` if that is not installed, which fails in continuous integration.
pub(crate) fn text(pdf: &[u8]) -> Option<String> {
    let read = Command::new("pdftotext").args(["-layout", "-enc", "UTF-8", "-", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut read) = read else {
        assert!(std::env::var_os("CI").is_none(), "pdftotext is missing: `scripts/services install` provides it");
        eprintln!("SKIPPED: pdftotext is missing here");
        return None;
    };
    let (mut input, pdf) = (read.stdin.take().expect("an input"), pdf.to_vec());
    let writing = std::thread::spawn(move || std::io::Write::write_all(&mut input, &pdf));
    let done = read.wait_with_output().expect("read");
    writing.join().expect("joined").expect("written");
    assert!(done.status.success());
    Some(String::from_utf8(done.stdout).expect("text"))
}

/// Returns the words of the line below the line with these words.
fn below<'a>(text: &'a str, line: &[&str]) -> Vec<&'a str> {
    let mut lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).filter(|line| !line.is_empty());
    let found = lines.find(|found| found == line);
    assert!(found.is_some(), "{line:?} is not in\n{text}");
    lines.next().unwrap_or_default()
}

/// Stores link changes of the first gateway.
async fn links(server: &Server, changes: &[(&str, bool)]) {
    for (when, online) in changes {
        let statement = format!("INSERT INTO link_change VALUES ({}, {}, '', '{when}', {online})", server.one.client, server.one.gateway);
        server.database.client().await.batch_execute(&statement).await.expect("entered");
    }
}

async fn get(server: &Server, token: &str, path: &str) -> Value {
    ok(server, token, path).await
}

#[tokio::test]
async fn interruptions_faults_and_links_of_a_month_are_those_of_analytics_and_by_hand() {
    let (server, _, positions) = fed().await;
    happen(&server, &march(positions)).await;
    let one = &server.one;
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let fault = |from: &str, minutes: i64, currents: [Option<f64>; 3]| FaultRecord {
        client: one.client,
        id: 0,
        breaker: one.position,
        asset: one.feeder,
        asset_name: String::new(),
        location: one.location,
        location_name: String::new(),
        customers: 200,
        fault: Fault {
            start: at(from),
            end: Some(at(from).plus_millis(minutes * 60_000)),
            opened: at(from),
            trips: 1,
            reclosed: false,
            lockout: true,
            currents,
        },
        offset: 0,
    };
    for record in [
        fault("2026-03-05T10:00:00+05:30", 60, [Some(3_000.0), Some(90.0), Some(80.0)]),
        fault("2026-03-12T00:00:00+05:30", 10, [Some(3_000.0), Some(2_900.0), Some(80.0)]),
        fault("2026-02-10T00:00:00+05:30", 10, [None; 3]),
    ] {
        store.enter_alarms(one.client, None, (&[], &[one.position]), |ledger| ledger.put_fault(record.clone())).await.expect("entered");
    }
    // Online from the last hour of February on, except for half a day of March: 720 of 44,640 minutes.
    links(&server, &[("2026-02-28T17:30:00Z", true), ("2026-03-05T00:00:00Z", false), ("2026-03-05T12:00:00Z", true)]).await;
    let token = server.sign_in("one-admin").await;
    let location = one.location.0;
    let pdf = file(&server, &token, "location", &json!(location), "2026-03").await;
    let Some(text) = text(&pdf) else { return };

    // 200 customers for 60 and 10 minutes, 300 for 30 and 70, and 500 for 4, which are momentary: 44,000 of 1,000.
    assert_eq!(below(&text, &["SAIDI", "SAIFI", "CAIDI", "MAIFI"]), ["44.00", "min", "1.0000", "44.00", "min", "0.5000"], "{text}");
    let scores = get(&server, &token, &format!("analytics/getreliabilityscores/location/{location}/202603")).await;
    let figures = ["saidi", "saifi", "caidi", "maifi"].map(|key| scores[key].as_f64().expect("a figure"));
    let figures = [format!("{:.2}", figures[0]), format!("{:.4}", figures[1]), format!("{:.2}", figures[2]), format!("{:.4}", figures[3])];
    assert_eq!(figures, ["44.00", "1.0000", "44.00", "0.5000"]);
    // February is known from its tenth day on. A change against a part of a month is not computed.
    assert!(text.contains("Feb 2026: 2.00 (known in part)") && text.contains("Mar 2025: not known"), "{text}");
    let year = get(&server, &token, &format!("analytics/getreliabilityscoresyearly/location/{location}?year=2026")).await;
    assert_eq!(year["rows"][1]["SAIDI"], json!(2.0));
    let month = |name: &str| -> Vec<&str> {
        let of = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        of.into_iter().find(|line| line.len() > 2 && line[..2].join(" ") == name).unwrap_or_default()
    };
    assert_eq!(month("Feb 2026"), ["Feb", "2026", "2.00", "0.2000", "10.00", "0.0000"]);
    assert_eq!(month("Mar 2026"), ["Mar", "2026", "44.00", "1.0000", "44.00", "0.5000"]);
    // Of the twelve months two are known. Together they have 46,000 customer minutes and 1,200 interruptions of 1,000 customers.
    let together = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).find(|line| line.ends_with(&["38.33", "0.5000"]));
    assert_eq!(together.unwrap_or_default(), ["2", "of", "12", "months", "46.00", "1.2000", "38.33", "0.5000"], "{text}");
    // The worst is that of 300 customers for 70 minutes, then 200 for an hour. What is momentary is in no SAIDI.
    assert!(text.contains("4 sustained and 1 momentary outages of feeders count"), "{text}");
    assert_eq!((&scores["sustainedOutages"], &scores["momentaryOutages"]), (&json!(4), &json!(1)));
    let worst = &text[text.find("The worst sustained outages").expect("a table")..];
    let rows: Vec<Vec<&str>> = worst.lines().map(|line| line.split_whitespace().collect()).collect();
    let lives: Vec<&str> = rows
        .iter()
        .filter(|row| row.first().is_some_and(|day| day.starts_with("2026-03-")))
        .filter_map(|row| row.last().copied())
        .collect();
    assert_eq!(lives, ["21000", "12000", "9000", "2000"], "{worst}");
    assert!(worst.contains("2026-03-31 23:50") && worst.contains("one F2"), "times are the utility's: {worst}");

    let span = "from=2026-02-28T18:30:00Z&to=2026-03-31T18:30:00Z";
    let trends = get(&server, &token, &format!("analytics/faulttypesovertime/location/{location}?{span}")).await;
    let times: i64 = trends["rows"].as_array().expect("rows").iter().map(|row| row["NoOfTimes"].as_i64().expect("a number")).sum();
    let seen = below(&text, &["Peak", "demand", "Load", "factor", "Faults", "Gateways", "heard"]);
    assert_eq!((times, seen.as_slice()), (2, &["not", "known", "not", "known", "2", "98.39", "%", "of", "time"][..]), "{text}");
    assert!(text.contains("LG") && text.contains("720.0"), "{text}");
    // 98.39 % of March and a part of February are known, and the gateways were online for one hour of February, so no change is shown.
    assert!(
        text.contains("Feb 2026: 1 (known in part)") && text.contains("of 98 % of the time") && text.contains("100.00 (0 % known)"),
        "{text}"
    );
    assert!(text.contains("Gateways were not heard for a part of the time"), "{text}");
    // Assets without a meter are named, and unknown energy is not 0.
    assert!(text.contains("Without a meter") && text.contains("Nothing was measured in this month."), "{text}");
    for page in text.split('\u{c}').filter(|page| !page.is_empty()) {
        assert!(
            page.contains("Utility one") && page.contains("Monthly performance report, March 2026") && page.contains("Asia/Kolkata"),
            "{page}"
        );
    }
    let entries = store.audit_rows(one.client, None, 50).await.expect("rows");
    let entry = entries.iter().find(|row| row.subject == "report MONTHLY_PERFORMANCE").expect("an entry");
    let after = entry.after.clone().expect("the state after");
    assert_eq!((&after["nodes"], &after["month"], entry.action.as_str()), (&json!([location]), &json!("2026-03"), "report_exported"));
}

#[tokio::test]
async fn energy_and_demand_of_a_month_are_those_of_analytics_and_by_hand() {
    let server = Server::start().await;
    let one = &server.one;
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let place = one.other_location;
    let ids =
        store.put_assets(&[asset(one, place, "L2", 4, "feeder", 33.0), asset(one, place, "F9", 1, "feeder", 11.0)]).await.expect("assets");
    let line = points(&store, one, ids[0], "L2", &["EImp", "EExp", "P"]).await;
    let feeder = points(&store, one, ids[1], "F9", &["EImp", "EExp", "P"]).await;
    let start = at("2026-03-01T00:00:00+05:30");
    let mut values = Vec::new();
    // 2 MWh per hour in and 1.8 MWh out, read every hour except on the 10th and 11th, whose energy is unknown.
    for hour in (0..=31 * 24).filter(|hour| !(9 * 24 + 1..11 * 24).contains(hour)) {
        let now = start.plus_millis(hour * HOUR_MS);
        for (register, mwh) in [(&line, 2.0), (&feeder, 1.8)] {
            values.push((register[0], now, 100.0 + mwh * hour as f64));
            values.push((register[1], now, 7.0));
        }
    }
    // On the 5th from ten to noon 1 MW, then 2.5 MW.
    for minute in 0..120 {
        let now = start.plus_millis((4 * 24 + 10) * HOUR_MS + minute * MINUTE_MS);
        values.push((feeder[2], now, if minute < 60 { 1.0 } else { 2.5 }));
    }
    write(&server, &values).await;
    let token = server.sign_in("one-admin").await;
    let pdf = file(&server, &token, "location", &json!([place.0]), "2026-03").await;
    let Some(text) = text(&pdf) else { return };

    // 29 days of 48 and 43.2 MWh.
    let seen = below(&text, &["Energy", "in", "Energy", "out", "Loss", "Loss"]);
    assert_eq!(seen, ["1392.0", "MWh", "1252.8", "MWh", "139.2", "MWh", "10.00", "%", "of", "energy", "in"], "{text}");
    assert!(text.contains("of 94 % of the time") && text.contains("Measured in 93.5 % of the month"), "{text}");
    let path = format!("analytics/getenergyovertime/location/{}?from=2026-02-28T18:30:00Z&to=2026-03-31T18:30:00Z&width=40", place.0);
    let answer = get(&server, &token, &path).await;
    let sum = |key: &str| answer["rows"].as_array().expect("rows").iter().filter_map(|row| row[key].as_f64()).sum::<f64>() / 1_000.0;
    assert_eq!(["energyIn_KWh", "energyOut_KWh", "loss"].map(|key| format!("{:.1}", sum(key))), ["1392.0", "1252.8", "139.2"], "{answer}");

    assert!(text.contains("The highest demand was 2.500 MW, the mean of the 15 minutes from 2026-03-05 11:00."), "{text}");
    let peaks = rows(&server, &token, &question("PEAK_DEMAND_REPORT", "location", place.0, 2, "2026-03")).await;
    let peak = peaks.as_array().expect("rows").iter().filter_map(|row| row[3].as_f64()).fold(0.0, f64::max);
    assert_eq!(format!("{peak:.3}"), "2.500");
    // The mean of the same blocks is 1.75 MW.
    let mut lines = text.lines().skip_while(|line| !line.contains("Load factor")).skip(1).filter(|line| !line.trim().is_empty());
    let seen: Vec<&str> = lines.next().expect("figures").split_whitespace().take(4).collect();
    assert_eq!(seen, ["2.500", "MW", "70.0", "%"], "{text}");

    // Several places, each under its name; and a month of which nothing is known.
    let both = file(&server, &token, "location", &json!([one.location.0, place.0]), "2026-03").await;
    let both = self::text(&both).expect("text");
    assert!(both.contains("D1 location") && both.contains("1392.0") && both.matches("Summary").count() == 2, "{both}");
    let nothing = self::text(&file(&server, &token, "location", &json!(place.0), "2020-01").await).expect("text");
    assert!(nothing.contains("Nothing is known of") && nothing.contains("in January 2020"), "{nothing}");
    assert_eq!(below(&nothing, &["SAIDI", "SAIFI", "CAIDI", "MAIFI"]).join(" "), "not known not known not known not known", "{nothing}");
    // Without communication the number of faults is unknown and not zero.
    let faults = below(&nothing, &["Peak", "demand", "Load", "factor", "Faults", "Gateways", "heard"]).join(" ");
    assert_eq!(faults, "not known not known not known not known", "{nothing}");
    assert!(nothing.contains("Whether a fault began is not known") && !nothing.contains("No fault began"), "{nothing}");
}

#[tokio::test]
async fn health_of_plant_and_cables_is_that_of_their_own_calls() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let one = &server.one;
    let (place, month) = (one.location.0, "2019-03");
    let none = file(&server, &token, "location", &json!(place), month).await;
    let Some(none) = text(&none) else { return };
    assert!(!none.contains("Sections of cable by") && !none.contains("in the worst health"), "nothing is known of any: {none}");

    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let made = |code: &str, type_id| asset(one, one.location, code, type_id, "transformer", 33.0);
    store.put_assets(&[made("TX8", 2), made("TX9", 2)]).await.expect("assets");
    imported(
        &server,
        &token,
        "plant",
        PLANT,
        &[
            "D1,TX8,main,2015,transformer,33,2010,".to_owned(),
            "D1,TX9,main,2015,transformer,33,1978,5.5".to_owned(),
            "D1,TX9,tap_changer,2017,transformer,33,1978,8".to_owned(),
            "D1,F1CB,,2015,breaker,0.4,2000,".to_owned(),
        ],
    )
    .await;
    // Plant is listed with and without cables.
    let alone = text(&file(&server, &token, "location", &json!(place), month).await).expect("text");
    assert!(!alone.contains("Sections of cable by") && alone.contains("Transformers and breakers by health index"), "{alone}");
    imported(&server, &token, "register", REGISTER, &["S1,D1,F1,Cable,1,33,oil,lead,copper,1960,,2.5,,,,,".to_owned()]).await;
    let both = text(&file(&server, &token, "location", &json!(place), month).await).expect("text");

    let year = result_of(&server, &token, "cablehealthsubstations").await["defaultYear"].as_i64().expect("a year");
    let plant = result_of(&server, &token, &format!("planthealth/{place}/{year}")).await["plant"].clone();
    let plant = plant.as_array().expect("rows");
    assert_eq!(plant.len(), 3, "{plant:?}");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<Vec<String>> = both.lines().map(words).collect();
    let counts = |rows: &[Value]| -> Vec<String> {
        let of = |band: &str| rows.iter().filter(|row| row["HealthIndexBand"] == band).count().to_string();
        let not_modelled = rows.iter().filter(|row| row["Model"] == "Not modelled").count().to_string();
        ["HI1", "HI2", "HI3", "HI4", "HI5"].map(of).into_iter().chain([not_modelled]).collect()
    };
    let ends = |tail: &[String]| lines.iter().any(|line| line.contains(&year.to_string()) && line.ends_with(tail));
    assert!(ends(&counts(plant)), "{:?} in {both}", counts(plant));
    let sections = result_of(&server, &token, &format!("cablehealthdatabyassetpoint/{place}/{year}")).await["cableSections"].clone();
    let cables: Vec<String> = counts(sections.as_array().expect("rows")).into_iter().chain(["2.5".to_owned()]).collect();
    assert!(ends(&cables), "{cables:?} in {both}");
    // The worst first, as in its own route. Plant without a model is only in the counts.
    let worst = &both[both.find("in the worst health").expect("a table")..];
    let mut scores = Vec::new();
    for row in plant.iter().filter(|row| !row["HealthScore"].is_null()) {
        let (score, failures) = (row["HealthScore"].as_f64().expect("a score"), row["POF"].as_f64().expect("failures"));
        let tail = [
            row["AgeOfPlant"].to_string(),
            row["HealthIndexBand"].as_str().expect("a band").to_owned(),
            format!("{score:.2}"),
            format!("{failures:.5}"),
        ];
        let at = worst.lines().position(|line| words(line).ends_with(&tail));
        scores.push((at.unwrap_or_else(|| panic!("{tail:?} is not in\n{worst}")), score));
    }
    scores.sort_by_key(|(at, _)| *at);
    assert!(scores.len() == 2 && scores[0].1 > scores[1].1, "{scores:?}");
    assert!(worst.contains("tap changer") && !worst.contains("0.4 kV"), "{worst}");
}

#[tokio::test]
async fn peaks_of_months_are_of_the_demand_integration_period() {
    let server = Server::start().await;
    let one = &server.one;
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let place = one.other_location;
    // The length of a block does not depend on the number of values: the minutes of 31 days of this many feeders are more than 1,000,000.
    let seeds: Vec<_> = (1..=23).map(|nth| asset(one, place, &format!("P{nth}"), 1, "feeder", 11.0)).collect();
    let ids = store.put_assets(&seeds).await.expect("assets");
    let mut values = Vec::new();
    for (nth, id) in (1_i64..).zip(ids) {
        let power = points(&store, one, id, &format!("P{nth}"), &["P"]).await[0];
        // A quarter of an hour of 1 MW each and one of nothing in February, half an hour of 0.6 MW in March.
        let (february, march) = (at("2026-02-10T10:00:00+05:30"), at("2026-03-10T10:00:00+05:30"));
        for minute in 0..30 {
            values.push((power, february.plus_millis(minute * MINUTE_MS), if minute < 15 { 1.0 } else { 0.0 }));
            values.push((power, march.plus_millis(minute * MINUTE_MS), 0.6));
        }
    }
    write(&server, &values).await;
    let token = server.sign_in("one-admin").await;
    let Some(march) = text(&file(&server, &token, "location", &json!(place.0), "2026-03").await) else { return };
    assert!(march.contains("The highest demand was 13.800 MW, the mean of the 15 minutes from 2026-03-10 10:00."), "{march}");
    assert!(march.contains("Feb 2026: 23.000 (") && march.contains("Load factor"), "{march}");
    let february = text(&file(&server, &token, "location", &json!(place.0), "2026-02").await).expect("text");
    assert!(february.contains("The highest demand was 23.000 MW, the mean of the 15 minutes from 2026-02-10 10:00."), "{february}");
    // By half hours, the highest mean of February is 11.5 MW.
    set_integration(&server, 30).await;
    let february = text(&file(&server, &token, "location", &json!(place.0), "2026-02").await).expect("text");
    assert!(february.contains("The highest demand was 11.500 MW, the mean of the 30 minutes from 2026-02-10 10:00."), "{february}");
}

#[tokio::test]
async fn a_month_in_which_nobody_was_heard_is_not_one_without_interruptions() {
    let (server, _, positions) = fed().await;
    happen(&server, &march(positions)).await;
    let one = &server.one;
    // Online all of April, not at all in May, and from the 11th of June on.
    links(&server, &[("2026-02-01T00:00:00Z", true), ("2026-04-30T18:30:00Z", false), ("2026-06-10T18:30:00Z", true)]).await;
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let transformer = store.put_assets(&[asset(one, one.location, "T9", 2, "transformer", 33.0)]).await.expect("assets")[0];
    let token = server.sign_in("one-admin").await;
    let location = one.location.0;
    let document_of = async |level: &str, id: i64, month: &str| text(&file(&server, &token, level, &json!(id), month).await);
    let (keys, lower) = (["SAIDI", "SAIFI", "CAIDI", "MAIFI"], ["Peak", "demand", "Load", "factor", "Faults", "Gateways", "heard"]);
    let Some(april) = document_of("location", location, "2026-04").await else { return };
    // An outage that lasts into April counts in March. CAIDI is unknown, because April has no interruptions.
    assert_eq!(below(&april, &keys), ["0.00", "min", "0.0000", "not", "known", "0.0000"], "{april}");
    assert_eq!(below(&april, &lower), ["not", "known", "not", "known", "0", "100.00", "%", "of", "time"], "{april}");
    assert!(april.contains("Mar 2026: 44.00 (-100.0 %)") && april.contains("No fault began in this month."), "{april}");

    let may = document_of("location", location, "2026-05").await.expect("text");
    assert_eq!(below(&may, &keys).join(" "), "not known not known not known not known", "{may}");
    assert_eq!(below(&may, &lower), ["not", "known", "not", "known", "not", "known", "0.00", "%", "of", "time"], "{may}");
    for says in ["Apr 2026: 0.00", "No data of this area in the month", "outages are not known", "Whether a fault began is not known"] {
        assert!(may.contains(says), "{says}: {may}");
    }
    assert!(!may.contains("No fault began") && !may.contains("Apr 2026: 0.00 ("), "{may}");

    // 20 of 30 days.
    let june = document_of("location", location, "2026-06").await.expect("text");
    assert_eq!(below(&june, &keys)[..2], ["0.00", "min"], "{june}");
    assert!(june.contains("of 67 % of the time") && june.contains("May 2026: not known"), "{june}");
    assert!(june.lines().any(|line| line.split_whitespace().eq(["May", "2026"])), "a month without figures: {june}");

    // A transformer has no feeder of its own that could be interrupted.
    let transformer = document_of("asset", transformer.0, "2026-04").await.expect("text");
    assert_eq!(below(&transformer, &keys).join(" "), "not known not known not known not known", "{transformer}");
    assert_eq!(below(&transformer, &lower)[..6], ["not", "known", "not", "known", "not", "known"], "{transformer}");
    assert!(transformer.contains("There is no feeder here that counts") && transformer.contains("outages are not known"), "{transformer}");
}

#[tokio::test]
async fn what_cannot_be_told_is_refused_and_what_is_not_there_is_not_told() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let location = server.one.location.0;
    let ask = async |token: &str, key: &str, value: Value| {
        let mut body = json!({ "level": "location", "levelId": location, "month": "2026-03" });
        body[key] = value;
        server.json_as(token, "POST", "/api/reports/monthly", &body).await
    };
    for (key, value, says) in [
        ("month", json!("2026-13"), "month must be YYYY-MM"),
        ("month", json!("202603"), "month must be YYYY-MM"),
        ("month", json!("2199-01"), "month must have begun"),
        ("level", json!("planet"), "level must be client"),
        ("levelId", json!([]), "levelId must name a node"),
        ("format", json!("csv"), "format"),
    ] {
        let answer = ask(&token, key, value).await;
        assert!(answer.status == 400 && answer.body.contains(says), "{key}: {answer:?}");
    }
    let division = server.sign_in("one-division").await;
    for (token, id) in [(&token, server.two.location.0), (&token, 999_999_999), (&division, location)] {
        for ids in [json!(id), json!([location, id])] {
            assert_eq!(ask(token, "levelId", ids).await.status, 404, "{id}");
        }
    }
    let statement = format!(
        "INSERT INTO page_access (client_id, role_id, page_id, is_readonly, show_in_tab)
         SELECT {}, 4, id, false, true FROM page WHERE tab_key = 'dashboard.sld'",
        server.one.client
    );
    server.database.client().await.batch_execute(&statement).await.expect("a role without the page");
    server.enter("without-page", 4, Some(server.one.division)).await;
    let without = server.sign_in("without-page").await;
    assert_eq!(ask(&without, "month", json!("2026-03")).await.status, 403);
}

#[tokio::test]
async fn incomplete_month_shows_no_change() {
    let (server, feeders, positions) = fed().await;
    let one = &server.one;
    // A spare feeder: its breaker is open all the time, and its 0 customers are a number. It hides no comparison.
    let spare = format!("UPDATE asset SET customers = 0 WHERE id = {}", feeders[2]);
    server.database.client().await.batch_execute(&spare).await.expect("updated");
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let now = jiff::Timestamp::now().in_tz("Asia/Kolkata").expect("a zone");
    let this = now.date();
    let last = this.first_of_month().yesterday().expect("a day").first_of_month();
    let before = last.yesterday().expect("a day").first_of_month();
    // Breakers that stay as they are show that the substation reported before the first of them.
    let first = at(&format!("{}T10:00:00+05:30", before.yesterday().expect("a day")));
    happen(&server, &[(positions[0], 2.0, first), (positions[1], 2.0, first), (positions[2], 1.0, first)]).await;
    for day in [last, before] {
        let start = at(&format!("{day}T10:00:00+05:30"));
        let record = FaultRecord {
            client: one.client,
            id: 0,
            breaker: one.position,
            asset: one.feeder,
            asset_name: String::new(),
            location: one.location,
            location_name: String::new(),
            customers: 200,
            fault: Fault {
                start,
                end: Some(start.plus_millis(MINUTE_MS)),
                opened: start,
                trips: 1,
                reclosed: false,
                lockout: true,
                currents: [None; 3],
            },
            offset: 0,
        };
        store.enter_alarms(one.client, None, (&[], &[one.position]), |ledger| ledger.put_fault(record.clone())).await.expect("entered");
    }
    links(&server, &[("2025-01-01T00:00:00Z", true)]).await;
    let token = server.sign_in("one-admin").await;
    let text_of = async |month: jiff::civil::Date| {
        text(&file(&server, &token, "location", &json!(one.location.0), &month.strftime("%Y-%m").to_string()).await)
    };
    let (Some(over), Some(so_far)) = (text_of(last).await, text_of(this).await) else { return };
    let named = |month: jiff::civil::Date| month.strftime("%b %Y: 1").to_string();
    assert!(over.contains(&format!("{} (+0.0 %)", named(before))), "{over}");
    assert!(so_far.contains(&named(last)) && !so_far.contains(" %)"), "{so_far}");
    assert!(so_far.contains("the month is not over") && so_far.contains("known in part"), "{so_far}");
}
