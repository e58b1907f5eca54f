//! Tests of sheets with few rows: where a table continues on the next sheet, and where it is cut. The cells are read by other programs
//! (tests/readers).

use std::io::{Cursor, Read};

use grid::time::Micros;
use jiff::tz::TimeZone;

use super::*;
use crate::report::{ColumnKind, Table};

/// Returns a workbook with ten rows per sheet.
fn small(tables: usize, out: &mut Vec<u8>) -> Xlsx<&mut Vec<u8>> {
    let columns = vec![Column::new("Count", "", ColumnKind::Number { decimals: Some(0) })];
    let report = Report {
        utility: "Coast Power".into(),
        logo: None,
        title: "Small".into(),
        facts: Vec::new(),
        made_by: String::new(),
        zone: TimeZone::UTC,
        made: Micros(0),
        tables: vec![Table { caption: String::new(), columns }; tables],
        limit: None,
        byte_order_mark: false,
        signatures: false,
    };
    let mut xlsx = Xlsx::new(Arc::new(report), out, &std::env::temp_dir()).unwrap();
    xlsx.rows_max = 10;
    xlsx
}

/// Writes rows until the file is full. Returns the number of rows.
fn fill(xlsx: &mut impl Sheets) -> usize {
    let row = [Value::Number { value: 1.0, decimals: Some(0) }];
    (0..100).find(|_| xlsx.row(&row).unwrap() == Room::Full).unwrap()
}

/// Returns the sheets as XML.
fn sheets(bytes: &[u8]) -> Vec<String> {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut texts = Vec::new();
    while let Ok(mut sheet) = zip.by_name(&format!("xl/worksheets/sheet{}.xml", texts.len() + 1)) {
        let mut text = String::new();
        sheet.read_to_string(&mut text).unwrap();
        texts.push(text);
    }
    texts
}

#[test]
fn rows_beyond_a_sheet_go_on_in_the_next_up_to_the_third() {
    let mut out = Vec::new();
    let mut xlsx = small(1, &mut out);
    xlsx.begin(0).unwrap();
    assert_eq!(fill(&mut xlsx), 7 + 7 + 6);
    xlsx.end(Some("Cut here")).unwrap();
    Box::new(xlsx).finish().unwrap();
    let sheets = sheets(&out);
    assert_eq!(sheets.iter().map(|sheet| sheet.matches("<row ").count()).collect::<Vec<_>>(), [10, 10, 10]);
    assert!(!sheets[0].contains("continued") && sheets[1].contains("Small (continued)"));
    assert!(sheets[2].contains("Cut here") && !sheets[1].contains("Cut here"));
}

#[test]
fn a_table_leaves_a_sheet_to_each_that_comes_after_it() {
    let mut out = Vec::new();
    let mut xlsx = small(3, &mut out);
    for (table, expected) in [(0, 6), (1, 6), (2, 6)] {
        xlsx.begin(table).unwrap();
        assert_eq!(fill(&mut xlsx), expected);
        xlsx.end(None).unwrap();
    }
    Box::new(xlsx).finish().unwrap();
    assert_eq!(sheets(&out).len(), 3);

    let mut out = Vec::new();
    let mut xlsx = small(2, &mut out);
    xlsx.begin(0).unwrap();
    assert_eq!(fill(&mut xlsx), 7 + 6);
    xlsx.end(None).unwrap();
    // There is space for a note below a table that ends at the end of its sheet.
    xlsx.begin(1).unwrap();
    assert_eq!(fill(&mut xlsx), 6);
    xlsx.end(Some("Cut here")).unwrap();
    Box::new(xlsx).finish().unwrap();
    let sheets = sheets(&out);
    assert!(sheets.len() == 3 && sheets[2].contains("Cut here"));
}

#[test]
fn headings_of_each_sheet_filter_its_rows() {
    let mut out = Vec::new();
    let mut xlsx = small(2, &mut out);
    xlsx.begin(0).unwrap();
    assert_eq!(fill(&mut xlsx), 13);
    xlsx.end(Some("Cut here")).unwrap();
    xlsx.begin(1).unwrap();
    xlsx.end(Some("No data")).unwrap();
    Box::new(xlsx).finish().unwrap();
    let filters: Vec<bool> = ["A3:A10", "A3:A9"]
        .iter()
        .zip(sheets(&out))
        .map(|(range, sheet)| sheet.contains(&format!("<autoFilter ref=\"{range}\"/>")))
        .collect();
    assert_eq!(filters, [true, true], "the note below the rows is not part of it");
    assert!(!sheets(&out)[2].contains("autoFilter"), "a table without rows");
}

#[test]
fn a_panic_of_the_library_is_an_error() {
    let error = guarded(|| -> Result<()> { panic!("as a full disk makes it") }).unwrap_err();
    assert_eq!(error.to_string(), "the file could not be written: the folder for temporary files took no more");
}
