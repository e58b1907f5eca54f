//! Each figure of a month is the same in the calls of the screens, the reports, the monthly document and its schedule, and equal to a recomputation from raw
//! rows in another language; in three time zones, two of them with a change of clocks in the month.

mod fixture;
mod recomputed;

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::energy_field::ok;
use crate::report_schedules_field::{Clock, Minder, ended, runs, schedule, until};
use crate::reports::{question, rows};
use crate::reports_monthly::{file, text};
use crate::server::Server;
use fixture::{Fixture, Month};
use recomputed::{recompute, recomputed_by_python};

/// What the places show, beside the recomputation.
struct Comparison {
    zone: &'static str,
    recomputed: Value,
    seen: Vec<Seen>,
}

/// A figure at a place.
struct Seen {
    figure: &'static str,
    place: &'static str,
    found: String,
    is_equal: bool,
}

impl Comparison {
    /// Compares a number to nine digits.
    fn number(&mut self, figure: &'static str, place: &'static str, found: &Value) {
        let expected = self.expected(figure);
        let is_equal = found.as_f64().is_some_and(|found| (found - expected).abs() <= 1e-9 * expected.abs().max(1.0));
        self.seen.push(Seen { figure, place, found: found.to_string(), is_equal });
    }

    fn sum(&mut self, figure: &'static str, place: &'static str, found: impl Iterator<Item = f64>) {
        self.number(figure, place, &json!(found.sum::<f64>()));
    }

    /// Compares a number as it is printed.
    fn printed(&mut self, figure: &'static str, place: &'static str, found: &str, decimals: usize) {
        self.scaled(figure, place, found, decimals, 1.0);
    }

    /// Compares a printed number with the figure times a factor.
    fn scaled(&mut self, figure: &'static str, place: &'static str, found: &str, decimals: usize, factor: f64) {
        let is_equal = found == format!("{:.decimals$}", self.expected(figure) * factor);
        self.seen.push(Seen { figure, place, found: found.to_owned(), is_equal });
    }

    fn text(&mut self, figure: &'static str, place: &'static str, found: &str, expected: &str) {
        self.seen.push(Seen { figure, place, found: found.to_owned(), is_equal: found == expected });
    }

    fn expected(&self, figure: &str) -> f64 {
        self.recomputed[figure].as_f64().unwrap_or_else(|| panic!("{figure} in {}", self.recomputed))
    }

    fn peak_at(&self) -> String {
        self.recomputed["peak at"].as_str().expect("a time").to_owned()
    }

    /// Returns a line for each figure: how many places show it, and which of them differ.
    fn table(&self) -> String {
        let mut table = String::new();
        let mut figures: Vec<&str> = self.seen.iter().map(|seen| seen.figure).collect();
        figures.sort_unstable();
        figures.dedup();
        for figure in figures {
            let of: Vec<&Seen> = self.seen.iter().filter(|seen| seen.figure == figure).collect();
            let wrong: Vec<String> =
                of.iter().filter(|seen| !seen.is_equal).map(|seen| format!("{} shows {}", seen.place, seen.found)).collect();
            let places: Vec<&str> = of.iter().map(|seen| seen.place).collect();
            let (zone, expected) = (self.zone, &self.recomputed[figure]);
            writeln!(
                table,
                "{zone} | {figure} | {expected} | {} places, {} differences {wrong:?} | {}",
                of.len(),
                wrong.len(),
                places.join(", ")
            )
            .expect("a string takes everything");
        }
        table
    }

    fn differences(&self) -> usize {
        self.seen.iter().filter(|seen| !seen.is_equal).count()
    }
}

fn list(answer: &Value) -> &Vec<Value> {
    answer.as_array().unwrap_or_else(|| panic!("no rows: {answer}"))
}

/// Returns the numbers of a column; what is not known is left out.
fn column<'a>(rows: &'a Value, key: impl serde_json::value::Index + Copy + 'a) -> impl Iterator<Item = f64> + 'a {
    list(rows).iter().filter_map(move |row| row[key].as_f64())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_figure_of_a_month_is_equal_everywhere() {
    if !recomputed_by_python() {
        return;
    }
    let recent = Month::recent("Asia/Kolkata");
    let with_change = |zone| Month { zone, year: 2026, of_year: 3 };
    let months = [recent, with_change("Europe/Berlin"), with_change("America/New_York")];
    let (one, two, three) = tokio::join!(compared(months[0]), compared(months[1]), compared(months[2]));
    let comparisons = [one, two, three];
    let table: String = comparisons.iter().map(Comparison::table).collect();
    eprintln!("{table}");
    let differences: usize = comparisons.iter().map(Comparison::differences).sum();
    assert_eq!(differences, 0, "\n{table}");
}

/// Compares all places of a month.
async fn compared(month: Month) -> Comparison {
    let fixture = Fixture::enter(month).await;
    let token = fixture.server.sign_in("one-admin").await;
    let chart = ok(
        &fixture.server,
        &token,
        &format!("analytics/peakdemandforecastvsactual/asset/{}/{}", fixture.forecast_of, fixture.forecast_days),
    )
    .await;
    let recomputed = recompute(&fixture, &chart).await;
    let mut comparison = Comparison { zone: month.zone, recomputed, seen: Vec::new() };
    comparison.number("MAPE", "forecast call", &chart["mape"]);
    let errors: Vec<f64> = column(&chart["rows"], "mape").collect();
    comparison.number("MAPE", "rows of the forecast chart", &json!(errors.iter().sum::<f64>() / errors.len() as f64));
    reliability(&fixture, &token, &mut comparison).await;
    energy(&fixture, &token, &mut comparison).await;
    demand(&fixture, &token, &mut comparison).await;
    faults_and_links(&fixture, &token, &mut comparison).await;
    files(&fixture, &token, &mut comparison).await;
    comparison
}

/// Compares indices and outages in calls and reports.
async fn reliability(fixture: &Fixture, token: &str, comparison: &mut Comparison) {
    let server = &fixture.server;
    let (place, location) = (format!("location/{}", fixture.location()), fixture.location());
    let scores = ok(server, token, &format!("analytics/getreliabilityscores/{place}/{}", fixture.month.yyyymm())).await;
    for (key, figure) in [
        ("saidi", "SAIDI"),
        ("saifi", "SAIFI"),
        ("caidi", "CAIDI"),
        ("caifi", "CAIFI"),
        ("maifi", "MAIFI"),
        ("asai", "ASAI"),
        ("sustainedOutages", "sustained outages"),
        ("momentaryOutages", "momentary outages"),
    ] {
        comparison.number(figure, "scores", &scores[key]);
    }
    let year = ok(server, token, &format!("analytics/getreliabilityscoresyearly/{place}?year={}", fixture.month.year)).await;
    for figure in ["SAIDI", "SAIFI", "CAIDI", "CAIFI", "MAIFI"] {
        comparison.number(figure, "year", &year["rows"][fixture.month.nth()][figure]);
    }
    let profile = ok(server, token, &format!("analytics/reliabilityprofile/{place}/{}", fixture.month.yyyymm())).await;
    comparison.sum("SAIDI", "days of the profile", column(&profile["rows"], "saidi"));
    comparison.sum("sustained outages", "days of the profile", column(&profile["rows"], "interruptions"));
    let (from, to) = fixture.span();
    let outages = ok(server, token, &format!("analytics/outages/{place}?from={from}&to={to}")).await;
    for (class, figure) in [("sustained", "sustained outages"), ("momentary", "momentary outages")] {
        let count = list(&outages["rows"]).iter().filter(|row| row["class"] == class && row["countsIn"] == true).count();
        comparison.number(figure, "list of outages", &json!(count as f64));
    }

    let month = |report: &str| fixture.question(report);
    let mut with_momentary = month("SAIDI_SAIFI");
    with_momentary["excludeMomentary"] = json!(false);
    let found = rows(server, token, &with_momentary).await;
    for (nth, figure) in [(3, "SAIDI"), (4, "SAIFI"), (5, "CAIDI"), (6, "MAIFI"), (7, "sustained outages"), (8, "momentary outages")] {
        comparison.number(figure, "SAIDI_SAIFI", &found[0][nth]);
    }
    let found = rows(server, token, &month("RELIABILITY_INDICES")).await;
    let total = list(&found).last().expect("a total");
    for (nth, figure) in [(3, "SAIDI"), (4, "SAIFI"), (5, "CAIDI"), (6, "CAIFI"), (8, "MAIFI"), (9, "ASAI")] {
        comparison.number(figure, "RELIABILITY_INDICES", &total[nth]);
    }
    let request = json!({ "level": "location", "levelId": location, "frequency": 2, "frequencyValue": fixture.month.text() });
    let report = server.json_as(token, "POST", "/api/report/relibdatabyfrequency", &request).await.json();
    comparison.number("SAIDI", "relibdatabyfrequency", &list(&report["result"][1]).last().expect("a total")[4]);
}

/// Compares energy and losses in calls and reports, kWh.
async fn energy(fixture: &Fixture, token: &str, comparison: &mut Comparison) {
    let server = &fixture.server;
    let place = format!("location/{}", fixture.location());
    let (from, to) = fixture.span();
    let chart = ok(server, token, &format!("analytics/getenergyovertime/{place}?from={from}&to={to}&width=40")).await;
    for (key, figure) in [("energyIn_KWh", "energy in"), ("energyOut_KWh", "energy out"), ("loss", "loss")] {
        comparison.sum(figure, "energy chart", column(&chart["rows"], key));
    }
    let losses = rows(server, token, &fixture.question("SS_ENERGY_LOSS")).await;
    for (nth, figure) in [(2, "energy in"), (3, "energy out"), (4, "loss")] {
        comparison.sum(figure, "SS_ENERGY_LOSS", column(&losses, nth));
    }
    comparison.number("days with energy", "SS_ENERGY_LOSS", &json!(column(&losses, 4).count() as f64));
    let own = ok(server, token, &format!("report/subenergylossreportbydaterange/{}", fixture.dates())).await;
    comparison.sum("loss", "subenergylossreportbydaterange", column(&own[1], 4));
    // The feeders alone, on the days that the balance counts.
    let days: Vec<&Value> = list(&losses).iter().filter(|row| row[4].is_number()).map(|row| &row[1]).collect();
    let feeders = rows(server, token, &fixture.question("EE_DAILY_FEEDER_DATA")).await;
    let of_days = list(&feeders).iter().filter(|row| days.contains(&&row[0])).filter_map(|row| row[3].as_f64());
    comparison.sum("energy out", "EE_DAILY_FEEDER_DATA", of_days);
    if fixture.month.is_last() {
        let losses = ok(server, token, &format!("analytics/getaccumulatedlosses/{place}")).await;
        let row = list(&losses["rows"]).iter().find(|row| row["interval"] == "Last month").expect("a row");
        for (key, figure) in [("energyIn_KWh", "energy in"), ("energyOut_KWh", "energy out"), ("accumulatedLosses_KWh", "loss")] {
            comparison.number(figure, "accumulated losses", &row[key]);
        }
    }
}

/// Compares the peak, its time and the load factor in calls and reports.
async fn demand(fixture: &Fixture, token: &str, comparison: &mut Comparison) {
    let server = &fixture.server;
    let (from, to) = fixture.span();
    let path = |of: &str| format!("analytics/getdemandovertimegraph/{of}?from={from}&to={to}");
    let chart = ok(server, token, &path(&format!("location/{}", fixture.location()))).await;
    // A block in which a feeder is silent is no peak.
    let blocks: Vec<(f64, &Value)> = list(&chart["rows"])
        .iter()
        .filter(|row| row["coverage"].as_f64().is_some_and(|share| share > 99.999))
        .filter_map(|row| Some((row["demand"].as_f64()?, &row["time"])))
        .collect();
    let highest = blocks.iter().copied().reduce(|one, other| if other.0 > one.0 { other } else { one }).expect("a peak");
    let mean = blocks.iter().map(|(demand, _)| demand).sum::<f64>() / blocks.len() as f64;
    let at = comparison.peak_at();
    comparison.number("peak", "demand chart", &json!(highest.0));
    comparison.text("peak at", "demand chart", highest.1.as_str().expect("a time"), &at);
    comparison.number("load factor", "demand chart", &json!(100.0 * mean / highest.0));
    let peaks = rows(server, token, &fixture.question("PEAK_DEMAND_REPORT")).await;
    let peak = list(&peaks).last().expect("the peak of the period");
    comparison.number("peak", "PEAK_DEMAND_REPORT", &peak[3]);
    comparison.text("peak at", "PEAK_DEMAND_REPORT", peak[5].as_str().expect("a time"), &at);
    let own = ok(server, token, &format!("report/peakdemandreportbydaterange/{}", fixture.dates())).await;
    comparison.number("peak", "peakdemandreportbydaterange", &list(&own[1]).last().expect("the peak of the period")[3]);

    let chart = ok(server, token, &path(&format!("asset/{}", fixture.feeder()))).await;
    let figure = "peak of a feeder";
    comparison.number(figure, "demand chart", &json!(column(&chart["rows"], "demand").fold(0.0, f64::max)));
    let days = rows(server, token, &question("EE_DAILY_FEEDER_DATA", "asset", fixture.feeder(), 2, &fixture.month.text())).await;
    comparison.number(figure, "EE_DAILY_FEEDER_DATA", &json!(column(&days, 6).fold(0.0, f64::max)));
    let peaks = rows(server, token, &question("PEAK_DEMAND_REPORT", "asset", fixture.feeder(), 2, &fixture.month.text())).await;
    comparison.number(figure, "PEAK_DEMAND_REPORT", &list(&peaks).last().expect("the peak of the period")[3]);
}

/// Compares the number of faults, and the share of the time in which the gateways were online.
async fn faults_and_links(fixture: &Fixture, token: &str, comparison: &mut Comparison) {
    let server = &fixture.server;
    let place = format!("location/{}", fixture.location());
    let (from, to) = fixture.span();
    let trends = ok(server, token, &format!("analytics/faulttypesovertime/{place}?from={from}&to={to}")).await;
    comparison.sum("faults", "fault trends", column(&trends["rows"], "NoOfTimes"));
    let listed = ok(server, token, &format!("faultdata/bytypeandid/{place}?from={from}&to={to}")).await;
    comparison.number("faults", "fault dashboard", &json!(list(&listed).len() as f64));
    let data = rows(server, token, &fixture.question("FAULT_DATA")).await;
    comparison.number("faults", "FAULT_DATA", &json!(list(&data).len() as f64));
    let trips = rows(server, token, &fixture.question("CB_TRIPPING")).await;
    comparison.sum("faults", "CB_TRIPPING", column(&trips, 3));
    let own = ok(server, token, &format!("report/faultreportbydaterange/{}", fixture.dates())).await;
    comparison.number("faults", "faultreportbydaterange", &json!(list(&own[1]).len() as f64));

    // Minutes without communication, of all minutes of the month.
    let share = |missed: f64| json!(100.0 * (1.0 - missed / fixture.minutes()));
    let dates = fixture.dates();
    let dates = dates.rsplit(':').next().expect("dates").replace('_', "/");
    let listed = ok(server, token, &format!("assethealth/getrtucommlistbycircleid/{}/{dates}", server.one.circle)).await;
    comparison.number("availability", "communication list", &share(column(&listed, "outageMinutes").sum()));
    let health = rows(server, token, &fixture.question("RTU_HEALTH")).await;
    comparison.number("availability", "RTU_HEALTH", &share(column(&health, 8).sum::<f64>() / 60.0));
}

/// Compares the monthly document, and the files that schedules make, with the recomputation.
async fn files(fixture: &Fixture, token: &str, comparison: &mut Comparison) {
    let server = &fixture.server;
    let (location, month) = (fixture.location(), fixture.month.text());
    let direct = file(server, token, "location", &json!([location]), &month).await;
    let scheduled = |name: &str, format: &str, question: Value| {
        json!({
            "name": name, "question": question, "period": "month", "format": format, "every": "month", "dayOfMonth": 2, "time": "00:00"
        })
    };
    let entries = [
        scheduled("The document", "pdf", json!({ "report": "MONTHLY_PERFORMANCE", "level": "location", "levelId": location })),
        scheduled(
            "The indices",
            "csv",
            json!({ "report": "SAIDI_SAIFI", "level": "location", "levelId": location, "excludeMomentary": false }),
        ),
    ];
    let mut schedules = Vec::new();
    for entry in &entries {
        let schedule = schedule(server, token, entry).await;
        let run = server.json_as(token, "POST", &format!("/api/reports/schedules/{}/run", schedule["id"]), &Value::Null).await;
        assert_eq!(run.status, 200, "{run:?}");
        schedules.push(schedule);
    }
    // As if the month was the last one when the runs were due.
    let statement = format!("UPDATE report_run SET period = '{}'", fixture.first_and_last());
    server.database.client().await.batch_execute(&statement).await.expect("updated");
    let _minder = Minder::start(server, &Clock::of_now()).await;
    let mut made = Vec::new();
    for schedule in &schedules {
        until(server, token, schedule, ended).await;
        let run = runs(server, token, schedule).await.remove(0);
        assert_eq!(run["state"], "done", "{run}");
        made.push(fetched(server, token, &format!("/api/reports/runs/{}/file", run["id"])).await);
    }
    for (place, pdf) in [("monthly document", &direct), ("schedule of the document", &made[0])] {
        if let Some(text) = text(pdf) {
            document(&text, fixture, place, comparison);
        }
    }
    let table = String::from_utf8(made[1].clone()).expect("text");
    indices(&table, &month, "schedule of SAIDI_SAIFI", comparison);
    let mut request = fixture.question("SAIDI_SAIFI");
    request["excludeMomentary"] = json!(false);
    let table = server.json_as(token, "POST", "/api/reports/download?format=csv", &request).await;
    indices(&table.body, &month, "file of SAIDI_SAIFI", comparison);
}

async fn fetched(server: &Server, token: &str, path: &str) -> Vec<u8> {
    let request = format!("GET {path} HTTP/1.0\r\nHost: portal.example\r\nAuthorization: Bearer {token}\r\n\r\n");
    let answer = server.exchange(&request).await;
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
    assert!(answer.starts_with(b"HTTP/1.0 200"), "{}", String::from_utf8_lossy(&answer[..end]));
    answer[end + 4..].to_vec()
}

/// Compares the row of a month in a file of SAIDI_SAIFI.
fn indices(table: &str, month: &str, place: &'static str, comparison: &mut Comparison) {
    let row = table.lines().find(|line| line.starts_with(&format!("D1 location,{month},"))).unwrap_or_else(|| panic!("{month}: {table}"));
    let cells: Vec<&str> = row.split(',').collect();
    for (nth, figure, decimals) in
        [(3, "SAIDI", 2), (4, "SAIFI", 4), (5, "CAIDI", 2), (6, "MAIFI", 4), (7, "sustained outages", 0), (8, "momentary outages", 0)]
    {
        comparison.printed(figure, place, cells[nth], decimals);
    }
}

/// Compares the text of a monthly document.
fn document(text: &str, fixture: &Fixture, place: &'static str, comparison: &mut Comparison) {
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).filter(|line: &Vec<_>| !line.is_empty()).collect();
    // The numbers in the line below the one that begins with these names.
    let numbers = |names: &[&str]| -> Vec<&str> {
        let at = lines.iter().position(|line| line.starts_with(names)).unwrap_or_else(|| panic!("{names:?} in {text}"));
        lines[at + 1].iter().copied().filter(|word| word.parse::<f64>().is_ok()).collect()
    };
    let found = numbers(&["SAIDI", "SAIFI", "CAIDI", "MAIFI"]);
    for (nth, (figure, decimals)) in [("SAIDI", 2), ("SAIFI", 4), ("CAIDI", 2), ("MAIFI", 4)].into_iter().enumerate() {
        comparison.printed(figure, place, found[nth], decimals);
    }
    let found = numbers(&["Energy", "in", "Energy", "out", "Loss", "Loss"]);
    for (nth, figure) in ["energy in", "energy out", "loss"].into_iter().enumerate() {
        comparison.scaled(figure, place, found[nth], 1, 0.001);
    }
    comparison.printed("loss share", place, found[3], 2);
    let found = numbers(&["Peak", "demand", "Load", "factor", "Faults"]);
    for (nth, (figure, decimals)) in [("peak", 3), ("load factor", 1), ("faults", 0), ("availability", 2)].into_iter().enumerate() {
        comparison.printed(figure, place, found[nth], decimals);
    }
    let whole = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = |before: &str, after: &str| {
        let rest = whole.split_once(before).unwrap_or_else(|| panic!("{before:?} is not in {whole}")).1;
        rest.split_once(after).unwrap_or_else(|| panic!("{after:?} is not in {rest}")).0
    };
    let at = sentence("the mean of the 15 minutes from ", ".");
    comparison.text("peak at", place, at, &fixture.local(&comparison.peak_at()));
    comparison.printed("sustained outages", place, sentence(" are supplied; ", " sustained and "), 0);
    comparison.printed("momentary outages", place, sentence(" sustained and ", " momentary outages of feeders count"), 0);
}
