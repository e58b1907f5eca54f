//! The recomputation of the figures in Python, from raw rows of the database.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use wire::time::parse_iso;

use super::fixture::Fixture;

/// Returns whether Python is here; it must be in continuous integration.
pub(super) fn recomputed_by_python() -> bool {
    let is_here = Command::new("python3").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    assert!(is_here || std::env::var_os("CI").is_none(), "python3 is missing: `scripts/services install` provides it");
    if !is_here {
        eprintln!("SKIPPED: python3 is missing here");
    }
    is_here
}

/// Returns the figures of the month, computed from raw rows alone. `chart` names the hours of the forecast.
pub(super) async fn recompute(fixture: &Fixture, chart: &Value) -> Value {
    let client = fixture.server.database.client().await;
    let row = client.query_one(include_str!("raw_rows.sql"), &[&fixture.server.one.client.0, &fixture.forecast_of]).await.expect("rows");
    let mut raw: Value = serde_json::from_str(row.get(0)).expect("JSON");
    let instant = |key: &str| parse_iso(chart[key].as_str().expect("a time")).expect("a time").0;
    raw["location"] = json!(fixture.location());
    raw["year"] = json!(fixture.month.year);
    raw["month"] = json!(fixture.month.of_year);
    raw["forecast_of"] = json!(fixture.forecast_of);
    raw["forecast_from"] = json!(instant("from"));
    raw["forecast_to"] = json!(instant("to"));
    tokio::task::spawn_blocking(move || run(&raw)).await.expect("computed")
}

fn run(raw: &Value) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/http/reconciliation/recompute.py");
    let mut python = Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
    let (mut input, raw) = (python.stdin.take().expect("an input"), raw.to_string());
    let writing = std::thread::spawn(move || input.write_all(raw.as_bytes()));
    let done = python.wait_with_output().expect("read");
    writing.join().expect("joined").expect("written");
    assert!(done.status.success(), "{script} failed");
    serde_json::from_slice(&done.stdout).expect("figures")
}
