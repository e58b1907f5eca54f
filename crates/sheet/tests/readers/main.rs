//! Reads every format with independent programs: openpyxl, xlrd, LibreOffice, pdftotext and the `csv` crate.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod cells;
mod document;
mod hostile;
mod paper;
mod sheets;
mod tools;

use grid::time::Micros;
use jiff::tz::TimeZone;
use sheet::{Column, ColumnKind, Format, Report, Table, Writer};

/// Returns a report with these columns, created at a fixed time in a zone whose offset is not a whole hour.
fn report(columns: Vec<Column>) -> Report {
    Report {
        utility: "Coast Power".into(),
        logo: None,
        title: "Feeder log".into(),
        facts: [("Level", "Division"), ("Report", "EE_HOURLY_FEEDER_LOG"), ("Type", "Historic"), ("Frequency", "Monthly, October 2026")]
            .map(|(name, value)| (name.into(), value.into()))
            .into(),
        made_by: "Asha Rao".into(),
        zone: TimeZone::get("Asia/Kolkata").unwrap(),
        made: Micros::from_millis(1_795_340_045_000),
        tables: vec![Table { caption: String::new(), columns }],
        limit: None,
        byte_order_mark: false,
        signatures: true,
    }
}

/// Returns the file that a writer produces from the rows of `fill`.
fn file(format: Format, report: Report, fill: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(format, report, &mut out, &std::env::temp_dir()).unwrap();
    fill(&mut writer);
    writer.finish().unwrap();
    out
}

fn text(name: &str) -> Column {
    Column::new(name, "", ColumnKind::Text)
}
