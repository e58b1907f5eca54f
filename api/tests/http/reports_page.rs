//! docs/REPORTS.md lists every column of every report, as defined in the code.

use std::fmt::Write as _;

use serde_json::Value;

use crate::energy_field::ok;
use crate::server::Server;

const HEAD: &str = "# Reports\n\nGenerated from the definitions in `crates/reports/src/of`. [reference/reports.md](reference/reports.md) describes the requests. \
                    Times are in the utility's zone; an unknown value is an empty cell, never 0.\n";

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} of {value}"))
}

fn section(report: &Value) -> String {
    let frequencies: Vec<String> = report["ReportFrequencyListIds"].as_array().expect("ids").iter().map(ToString::to_string).collect();
    let input = report["input"].as_str().map_or_else(String::new, |input| format!("; extra input: `{input}`"));
    let mut section = format!(
        "\n## {} ({}, {})\n\n{}\n\nFrequencies: {}{input}.\n\n| Column | Unit | Kind | Source and formula |\n|---|---|---|---|\n",
        text(report, "ReportName"),
        report["ReportId"],
        text(report, "ReportKey"),
        text(report, "about"),
        frequencies.join(", "),
    );
    for column in report["columns"].as_array().expect("columns") {
        let [name, unit, kind, meaning] = ["name", "unit", "kind", "meaning"].map(|key| text(column, key).replace('|', "\\|"));
        writeln!(section, "| {name} | {unit} | {kind} | {meaning} |").expect("a string takes everything");
    }
    section
}

#[tokio::test]
async fn the_page_of_all_columns_is_as_the_definitions_are() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let mut page = HEAD.to_owned();
    for report in ok(&server, &token, "pfcreport/reportslist").await.as_array().expect("reports") {
        page.push_str(&section(&ok(&server, &token, &format!("pfcreport/reportdetails/{}", report["ReportId"])).await));
    }
    let kept = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/REPORTS.md")).unwrap_or_default();
    if kept != page {
        let fresh = std::env::temp_dir().join("REPORTS.md");
        std::fs::write(&fresh, page).expect("written");
        panic!("docs/REPORTS.md is stale: copy {} over it", fresh.display());
    }
}
