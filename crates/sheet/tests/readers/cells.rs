//! Reads the same cells from all formats and compares them.

use std::time::Duration;

use grid::time::Micros;
use serde_json::{Value, json};
use sheet::{Cell, Column, ColumnKind, Format, Logo, Report};

use crate::tools::{Folder, picture, rows, sheets, shown_by_libreoffice, text_of_pdf};
use crate::{file, report, text};

fn sample() -> Report {
    report(vec![
        Column::new("From", "", ColumnKind::Second),
        Column::new("Exact", "", ColumnKind::Millisecond),
        Column::new("Day", "", ColumnKind::Day),
        text("Feeder"),
        Column::new("Energy", "kWh", ColumnKind::Number { decimals: Some(2) }),
        Column::new("Count", "", ColumnKind::Number { decimals: Some(0) }),
        Column::new("Free", "", ColumnKind::Number { decimals: None }),
        Column::new("Outage", "", ColumnKind::Duration),
    ])
}

const AT: Micros = Micros(1_793_000_000_123_456);

fn cells() -> [[Cell<'static>; 8]; 4] {
    let time = Cell::Time(AT);
    let hours = |seconds| Cell::Duration(Duration::from_secs(seconds));
    [
        [time, time, time, Cell::Text("Feeder North"), Cell::Number(1234.567), Cell::Number(-3.0), Cell::Number(0.1), hours(93_845)],
        [time, time, time, Cell::Text("Фидер Ω ₹ →"), Cell::Number(0.0), Cell::Number(0.4), Cell::Number(-2.5), hours(0)],
        [Cell::Absent; 8],
        // Cells of another kind than their column, as in rows of sums.
        [Cell::Text("Total"), Cell::Absent, Cell::Absent, Cell::Number(7.25), Cell::Text("n/a"), Cell::Number(12.0), time, hours(59)],
    ]
}

/// The cells as displayed to users.
const SHOWN: [[&str; 8]; 4] = [
    ["2026-10-26 13:03:20", "2026-10-26 13:03:20.123", "2026-10-26", "Feeder North", "1234.57", "-3", "0.1", "26:04:05"],
    ["2026-10-26 13:03:20", "2026-10-26 13:03:20.123", "2026-10-26", "Фидер Ω ₹ →", "0.00", "0", "-2.5", "0:00:00"],
    ["", "", "", "", "", "", "", ""],
    ["Total", "", "", "7.25", "n/a", "12", "2026-10-26 13:03:20", "0:00:59"],
];

/// Returns the cells as a program reads them from a workbook.
fn typed() -> Vec<Vec<Value>> {
    let (second, exact, day) = (
        json!({"time": "2026-10-26 13:03:20.000"}),
        json!({"time": "2026-10-26 13:03:20.123"}),
        json!({"time": "2026-10-26 00:00:00.000"}),
    );
    let seconds = |seconds: u32| json!({ "seconds": seconds });
    vec![
        vec![second.clone(), exact.clone(), day.clone(), json!("Feeder North"), json!(1234.57), json!(-3), json!(0.1), seconds(93_845)],
        vec![second.clone(), exact, day, json!("Фидер Ω ₹ →"), json!(0), json!(0), json!(-2.5), seconds(0)],
        vec![Value::Null; 8],
        vec![json!("Total"), Value::Null, Value::Null, json!(7.25), json!("n/a"), json!(12), second, seconds(59)],
    ]
}

fn written(format: Format) -> Vec<u8> {
    file(format, sample(), |writer| cells().iter().for_each(|row| assert_eq!(writer.row(row).unwrap(), sheet::Room::More)))
}

/// 3 and 3.0 are equal.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => (one - other).abs() < 1e-12,
        _ => one == other,
    }
}

const HEADINGS: [&str; 8] = ["From", "Exact", "Day", "Feeder", "Energy (kWh)", "Count", "Free", "Outage"];

#[test]
fn csv_says_what_the_report_is_and_its_rows() {
    let bytes = written(Format::Csv);
    assert!(!bytes.starts_with("\u{feff}".as_bytes()), "no mark was asked for");
    let read = rows(&bytes);
    let head: Vec<Vec<&str>> = vec![
        vec!["Feeder log"],
        vec!["Utility", "Coast Power"],
        vec!["Level", "Division"],
        vec!["Report", "EE_HOURLY_FEEDER_LOG"],
        vec!["Type", "Historic"],
        vec!["Frequency", "Monthly, October 2026"],
        vec!["Time zone", "Asia/Kolkata (UTC+05:30)"],
        vec!["Made by", "Asha Rao"],
        vec!["Made at", "2026-11-22 15:04:05"],
        HEADINGS.into(),
    ];
    assert_eq!(read[..10], head);
    assert_eq!(read[10..], SHOWN);
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("\r\n\r\n") && !text.replace("\r\n", "").contains('\n'), "CR LF ends each line");
}

/// A red PNG of 40 x 10 pixels.
fn logo() -> Logo {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 40, 10);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().and_then(|mut writer| writer.write_image_data(&[200, 0, 0].repeat(400))).unwrap();
    Logo::parse(file).unwrap()
}

#[test]
fn workbooks_and_pages_show_the_logo() {
    let folder = Folder::new();
    let with_logo = |format, logo| {
        let bytes = file(format, Report { logo, ..sample() }, |writer| _ = writer.row(&cells()[0]).unwrap());
        folder.file(&format!("report.{}", format.extension()), &bytes)
    };
    let xlsx = std::fs::File::open(with_logo(Format::Xlsx, Some(logo()))).unwrap();
    assert!(zip::ZipArchive::new(xlsx).unwrap().by_name("xl/media/image1.png").is_ok());
    let dark = |file: &std::path::Path| Some(picture(&folder, file)?.iter().flatten().filter(|grey| (50..80).contains(*grey)).count());
    let (Some(with), Some(without)) = (dark(&with_logo(Format::Pdf, Some(logo()))), dark(&with_logo(Format::Pdf, None))) else { return };
    assert!(with > without + 5_000, "{with} {without}");
}

#[test]
fn csv_begins_with_a_mark_where_it_is_asked_for() {
    let marked = Report { byte_order_mark: true, ..sample() };
    let bytes = file(Format::Csv, marked, |writer| _ = writer.row(&cells()[0]).unwrap());
    assert!(bytes.starts_with("\u{feff}Feeder log\r\n".as_bytes()));
}

#[test]
fn workbooks_hold_numbers_times_and_texts_of_the_same_rows() {
    let folder = Folder::new();
    let files = [folder.file("report.xlsx", &written(Format::Xlsx)), folder.file("report.xls", &written(Format::Xls))];
    let Some(read) = sheets(&[&files[0], &files[1]]) else { return };
    for (sheets, file) in read.iter().zip(&files) {
        let [sheet] = sheets.as_slice() else { panic!("{} has {} sheets", file.display(), sheets.len()) };
        assert_eq!(sheet.name, "Sheet1");
        assert_eq!(sheet.rows[0][0], "Feeder log");
        let facts = "Utility: Coast Power  |  Level: Division  |  Report: EE_HOURLY_FEEDER_LOG  |  Type: Historic  |  Frequency: Monthly, October 2026  |  \
                     Time zone: Asia/Kolkata (UTC+05:30)  |  Made by: Asha Rao  |  Made at: 2026-11-22 15:04:05";
        assert_eq!(sheet.rows[1][0], facts);
        assert_eq!(sheet.rows[2], HEADINGS);
        assert_eq!(sheet.rows.len(), 3 + cells().len(), "{}", file.display());
        for (row, expected) in sheet.rows[3..].iter().zip(typed()) {
            assert!(row.iter().zip(&expected).all(|(one, other)| same(one, other)), "{}: {row:?} is not {expected:?}", file.display());
        }
    }
}

#[test]
fn libreoffice_shows_workbooks_as_the_csv_has_it() {
    let folder = Folder::new();
    for format in [Format::Xlsx, Format::Xls] {
        let path = folder.file(&format!("report.{}", format.extension()), &written(format));
        let Some(shown) = shown_by_libreoffice(&folder, &path) else { return };
        assert_eq!(shown[2], HEADINGS, "{format:?}");
        assert_eq!(shown[3..], SHOWN, "{format:?}");
    }
}

#[test]
fn a_pdf_can_be_read_as_text() {
    let folder = Folder::new();
    let Some(text) = text_of_pdf(&folder.file("report.pdf", &written(Format::Pdf))) else { return };
    let lines: Vec<&str> = text.lines().collect();
    for row in [&HEADINGS, &SHOWN[0], &SHOWN[1], &SHOWN[3]] {
        let words: String = row.concat().split_whitespace().collect();
        let found = lines.iter().any(|line| line.split_whitespace().collect::<String>() == words);
        assert!(found, "{row:?} is not in\n{text}");
    }
    for words in [
        "Feeder log",
        "Coast Power",
        "by Asha Rao",
        "Monthly, October 2026",
        "Asia/Kolkata (UTC+05:30)",
        "Page 1 of 1",
        "In Charge",
        "Reviewed By",
        "Signature",
    ] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
}
