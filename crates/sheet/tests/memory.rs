//! Tests that the memory of a report does not depend on the number of rows. It is a separate process, because the memory
//! of the whole process is measured.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use grid::time::Micros;
use jiff::tz::TimeZone;
use sheet::{Cell, Column, ColumnKind, Format, Report, Room, Table, Writer};

/// Largest growth of the memory: a third of the limit for a million rows, because there are fewer here. A million rows
/// take at most 8 MiB (examples/million.rs).
const MEMORY_MAX_KIB: u64 = 20 * 1024;

/// Letters of a remark, which is different in each row.
const REMARK: usize = 1_000;

/// Returns the peak memory of this process, KiB; `None` if the system does not report it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

fn write(format: Format, rows: u32) {
    let columns = vec![
        Column::new("Time", "", ColumnKind::Second),
        Column::new("Remark", "", ColumnKind::Text),
        Column::new("Load", "kW", ColumnKind::Number { decimals: Some(1) }),
    ];
    let report = Report {
        utility: "Coast Power".into(),
        logo: None,
        made_by: "Asha Rao".into(),
        title: "Long".into(),
        facts: Vec::new(),
        zone: TimeZone::UTC,
        made: Micros(0),
        tables: vec![Table { caption: String::new(), columns }],
        limit: None,
        byte_order_mark: false,
        signatures: true,
    };
    let mut writer = Writer::new(format, report, std::io::sink(), &std::env::temp_dir()).unwrap();
    for row in 0..rows {
        let remark = format!("{row:0>REMARK$}");
        let room =
            writer.row(&[Cell::Time(Micros(i64::from(row) * 1_000_000)), Cell::Text(&remark), Cell::Number(f64::from(row))]).unwrap();
        assert_eq!(room, Room::More);
    }
    assert_eq!(writer.finish().unwrap().rows, u64::from(rows));
}

#[test]
fn rows_are_never_held() {
    let Some(before) = peak() else {
        eprintln!("SKIPPED: this system does not tell how much memory a process had");
        return;
    };
    // If rows were kept in memory, the texts alone would exceed the limit even for the smallest report, except for PDF: it
    // shows only the first lines of each text.
    for (format, rows) in [(Format::Csv, 30_000), (Format::Pdf, 2_000), (Format::Xls, 30_000), (Format::Xlsx, 30_000)] {
        write(format, rows);
        let grown = peak().unwrap() - before;
        assert!(grown <= MEMORY_MAX_KIB, "{format:?}: {grown} KiB after {rows} rows");
    }
}
