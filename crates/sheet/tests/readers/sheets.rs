//! Tests of several tables and sheets, cut files, and files without rows.

use serde_json::json;
use sheet::{Cell, Column, ColumnKind, Error, Format, Report, Room, Table, Writer, Written};

use crate::tools::{Folder, rows, sheets, text_of_pdf};
use crate::{file, report, text};

fn number(name: &str) -> Column {
    Column::new(name, "", ColumnKind::Number { decimals: Some(0) })
}

fn two_tables() -> Report {
    let table = |caption: &str, columns| Table { caption: caption.into(), columns };
    Report {
        tables: vec![table("Indices", vec![text("Feeder"), number("SAIFI")]), table("Outages", vec![text("Cause")])],
        ..report(vec![])
    }
}

/// Writes rows until the file is full. Returns the number of rows.
fn fill(writer: &mut Writer<'_>, rows: u32) -> u32 {
    (0..rows).find(|row| writer.row(&[Cell::Number(f64::from(*row))]).unwrap() == Room::Full).unwrap_or(rows)
}

#[test]
fn each_table_has_a_sheet_of_its_own() {
    let written = |format| {
        file(format, two_tables(), |writer| {
            writer.row(&[Cell::Text("North"), Cell::Number(2.0)]).unwrap();
            writer.next_table().unwrap();
            writer.row(&[Cell::Text("Tree")]).unwrap();
        })
    };
    let folder = Folder::new();
    let files = [folder.file("two.xlsx", &written(Format::Xlsx)), folder.file("two.xls", &written(Format::Xls))];
    for sheets in sheets(&[&files[0], &files[1]]).into_iter().flatten() {
        assert_eq!(sheets.iter().map(|sheet| sheet.name.as_str()).collect::<Vec<_>>(), ["Sheet1", "Sheet2"]);
        assert_eq!(sheets[0].rows[0][0], "Feeder log – Indices");
        assert_eq!(sheets[1].rows[0][0], "Feeder log – Outages");
        assert_eq!(sheets[1].rows[2..], [[json!("Cause")], [json!("Tree")]]);
    }
    let csv = rows(&written(Format::Csv));
    assert_eq!(csv[9..], [vec!["Indices"], vec!["Feeder", "SAIFI"], vec!["North", "2"], vec!["Outages"], vec!["Cause"], vec!["Tree"]]);
    let Some(pdf) = text_of_pdf(&folder.file("two.pdf", &written(Format::Pdf))) else { return };
    let places: Vec<_> = ["Indices", "SAIFI", "North", "Outages", "Cause", "Tree", "Signature"].map(|words| pdf.find(words)).into();
    assert!(places.is_sorted() && places[0].is_some(), "{places:?} in\n{pdf}");
}

#[test]
fn a_limit_cuts_a_table_and_the_file_says_so() {
    let limited = || Report { limit: Some(3), ..report(vec![number("Count")]) };
    let folder = Folder::new();
    let mut files = Vec::new();
    for format in Format::ALL {
        for (given, cut) in [(3, false), (4, true)] {
            let mut out = Vec::new();
            let mut writer = Writer::new(format, limited(), &mut out, folder.0.path()).unwrap();
            assert_eq!(fill(&mut writer, given), 3);
            assert_eq!(writer.finish().unwrap(), Written { rows: 3, cut });
            let path = folder.file(&format!("{given}.{}", format.extension()), &out);
            let message = match format {
                Format::Csv => String::from_utf8(out).unwrap(),
                Format::Pdf => {
                    text_of_pdf(&path).unwrap_or_else(|| if cut { "Cut after 3 rows: a report has up to 3.".into() } else { String::new() })
                }
                Format::Xlsx | Format::Xls => {
                    files.push((path, cut));
                    continue;
                }
            };
            assert_eq!(message.contains("Cut after 3 rows: a report has up to 3."), cut, "{format:?}: {message}");
        }
    }
    let paths: Vec<_> = files.iter().map(|(path, _)| path.as_path()).collect();
    for (sheets, (path, cut)) in sheets(&paths).into_iter().flatten().zip(&files) {
        let last = sheets[0].rows.last().unwrap();
        let expected = if *cut { json!("Cut after 3 rows: a report has up to 3.") } else { json!(2) };
        assert!(crate::cells::same(&last[0], &expected), "{}: {last:?}", path.display());
    }
}

#[test]
fn xls_fills_three_sheets_and_is_cut_then() {
    let folder = Folder::new();
    let mut out = Vec::new();
    let mut writer = Writer::new(Format::Xls, report(vec![number("Count")]), &mut out, folder.0.path()).unwrap();
    // Three rows above the data on each sheet, and one for the note below.
    let room = 3 * (65_536 - 3) - 1;
    assert_eq!(fill(&mut writer, 200_000), room);
    assert_eq!(writer.finish().unwrap(), Written { rows: room.into(), cut: true });
    let Some(read) = sheets(&[&folder.file("full.xls", &out)]) else { return };
    let sheets = &read[0];
    assert_eq!(sheets.iter().map(|sheet| sheet.name.as_str()).collect::<Vec<_>>(), ["Sheet1", "Sheet2", "Sheet3"]);
    assert!(sheets.iter().all(|sheet| sheet.rows.len() == 65_536));
    assert_eq!(sheets[1].rows[0][0], "Feeder log (continued)");
    assert_eq!(sheets[2].rows[65_535][0], format!("Cut after {room} rows: a file of XLS takes no more."));
    let numbers = sheets.iter().flat_map(|sheet| &sheet.rows[3..]).filter_map(|row| row[0].as_f64());
    assert!(numbers.eq((0..room).map(f64::from)), "each row is there once, in order");
}

#[test]
fn a_later_table_keeps_a_sheet_however_long_the_first_is() {
    let folder = Folder::new();
    let mut out = Vec::new();
    let tables = vec![
        Table { caption: "Long".into(), columns: vec![number("Count")] },
        Table { caption: "Late".into(), columns: vec![text("Word")] },
    ];
    let mut writer = Writer::new(Format::Xls, Report { tables, ..report(vec![]) }, &mut out, folder.0.path()).unwrap();
    assert_eq!(fill(&mut writer, 200_000), 2 * (65_536 - 3) - 1);
    writer.next_table().unwrap();
    writer.row(&[Cell::Text("here")]).unwrap();
    writer.finish().unwrap();
    let Some(read) = sheets(&[&folder.file("late.xls", &out)]) else { return };
    assert_eq!(read[0][2].rows[2..], [[json!("Word")], [json!("here")]]);
}

#[test]
fn a_report_without_rows_says_so_and_a_csv_of_none_is_refused() {
    let folder = Folder::new();
    let empty = || report(vec![text("Feeder"), number("Count")]);
    let mut out = Vec::new();
    let refused = Writer::new(Format::Csv, empty(), &mut out, folder.0.path()).unwrap().finish();
    assert!(matches!(refused, Err(Error::Empty)) && Error::Empty.to_string() == "Invalid data");
    assert!(out.is_empty(), "nothing was written");
    let files =
        [folder.file("empty.xlsx", &file(Format::Xlsx, empty(), |_| {})), folder.file("empty.xls", &file(Format::Xls, empty(), |_| {}))];
    for sheets in sheets(&[&files[0], &files[1]]).into_iter().flatten() {
        assert_eq!(sheets[0].rows[2], ["Feeder", "Count"]);
        assert_eq!(sheets[0].rows[3][0], "No data");
    }
    let Some(pdf) = text_of_pdf(&folder.file("empty.pdf", &file(Format::Pdf, empty(), |_| {}))) else { return };
    assert!(pdf.contains("No data") && pdf.contains("Feeder"), "{pdf}");
}

#[test]
fn what_does_not_fit_is_refused_and_says_what_is_allowed() {
    let begin = |report| Writer::new(Format::Csv, report, Vec::new(), &std::env::temp_dir()).map(|_| ()).unwrap_err().to_string();
    assert_eq!(begin(Report { tables: vec![], ..two_tables() }), "a report has 1 to 3 tables; this one has 0");
    assert_eq!(begin(report(vec![])), "a table has 1 to 256 columns; table 1 has 0");
    assert_eq!(begin(report(vec![text("x"); 257])), "a table has 1 to 256 columns; table 1 has 257");
    let facts = vec![(String::new(), String::new()); 33];
    assert_eq!(begin(Report { facts, ..two_tables() }), "a report tells up to 32 facts; this one has 33");

    let mut writer = Writer::new(Format::Csv, two_tables(), Vec::new(), &std::env::temp_dir()).unwrap();
    assert_eq!(writer.row(&[Cell::Absent]).unwrap_err().to_string(), "row 1 of table 1 has 1 cells for 2 columns");
    writer.next_table().unwrap();
    assert!(matches!(writer.next_table(), Err(Error::NoTable)));
}

/// Accepts a number of bytes and then fails, like a browser that closed the connection.
struct Gone(usize);

impl std::io::Write for Gone {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 && !bytes.is_empty() { Err(std::io::ErrorKind::BrokenPipe.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_output_that_goes_away_is_an_error_in_every_format() {
    for format in Format::ALL {
        for bytes in [0, 10, 3_000] {
            let written = || {
                let mut writer = Writer::new(format, report(vec![number("Count")]), Gone(bytes), &std::env::temp_dir())?;
                for row in 0..2_000 {
                    writer.row(&[Cell::Number(f64::from(row))])?;
                }
                writer.finish()
            };
            let error = written().unwrap_err();
            assert!(
                matches!(&error, Error::Io(error) if error.kind() == std::io::ErrorKind::BrokenPipe),
                "{format:?} after {bytes}: {error}"
            );
        }
    }
}

#[test]
fn a_missing_folder_for_temporary_files_is_an_error() {
    let folder = std::path::Path::new("/nonexistent");
    for format in [Format::Xlsx, Format::Xls] {
        assert!(Writer::new(format, two_tables(), Vec::new(), folder).is_err(), "{format:?}");
    }
}
