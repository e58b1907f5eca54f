//! Tests of hostile texts: formulas, quotes, control characters, emoji, right-to-left text, and lengths at the ends of records.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use sheet::{Cell, Column, ColumnKind, Format};

use crate::cells::same;
use crate::tools::{Folder, rows, sheets, text_of_pdf};
use crate::{file, report, text};

/// Texts that could have an effect as a formula, or that break an encoding.
const NASTY: [&str; 26] = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(A1:A9)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\0=1",
    "  =1",
    "＝1",
    "'=1",
    "\"",
    "\"\"",
    ",",
    "a,\"b\"\r\nc",
    "<&>]]>",
    "_x0041_",
    "\u{1b}[31m",
    "\u{fffe}",
    "مغذي الشمال",
    "\u{202e}gpj.exe",
    "👩‍🔧🇮🇳",
    "e\u{301}",
    "%s%n{0}",
    "http://example.com/?a=b",
];

fn letters() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(&NASTY[..]).prop_map(String::from),
        any::<String>(),
        proptest::collection::vec(proptest::sample::select(&NASTY[..]), 1..6).prop_map(|parts| parts.concat()),
        // Lengths around the ends of records and cells.
        (
            proptest::sample::select(&['x', 'ж', '😀'][..]),
            proptest::sample::select(&[4_100_usize, 8_210, 8_224, 16_000, 32_766, 40_000][..]),
            0_usize..20
        )
            .prop_map(|(letter, length, more)| letter.to_string().repeat((length + more) / letter.len_utf16())),
    ]
}

fn sampled<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>) -> T {
    strategy.new_tree(&mut TestRunner::deterministic()).unwrap().current()
}

/// Returns a text as every format keeps it.
fn kept(text: &str) -> String {
    let one_way = text.replace("\r\n", "\n").replace('\r', "\n");
    one_way
        .chars()
        .map(
            |letter| {
                if (letter.is_control() && !"\n\t".contains(letter)) || "\u{fffe}\u{ffff}".contains(letter) { '\u{fffd}' } else { letter }
            },
        )
        .collect()
}

/// Returns the part of a text that a cell of a workbook holds.
fn in_workbook(text: &str) -> Value {
    let mut units = 0;
    let kept = kept(text);
    let fits = kept.chars().take_while(|letter| {
        units += letter.len_utf16();
        units <= 32_767
    });
    let fits: String = fits.collect();
    if fits.is_empty() { Value::Null } else { json!(fits) }
}

#[test]
fn no_text_becomes_anything_else_in_any_format() {
    let mut texts: Vec<String> = NASTY.map(String::from).into();
    texts.extend(sampled(proptest::collection::vec(letters(), 300)));
    let written = |format| {
        file(format, report(vec![text("Row"), text("Text")]), |writer| {
            for (row, text) in texts.iter().enumerate() {
                writer.row(&[Cell::Text(&format!("row {row}")), Cell::Text(text)]).unwrap();
            }
        })
    };

    let csv = rows(&written(Format::Csv));
    assert_eq!(csv.len(), texts.len() + 10);
    for (row, text) in csv[10..].iter().zip(&texts) {
        let kept = kept(text);
        let field = &row[1];
        assert!(*field == kept || *field == format!("'{kept}"), "{field:?} is not {kept:?}");
        let first = field.trim_start().chars().next();
        assert!(
            !first.is_some_and(|first| "=+-@＝＋－＠".contains(first)) && !field.starts_with(['\t', '\n', '\r']),
            "{field:?} could be run"
        );
    }

    let folder = Folder::new();
    let files = [folder.file("nasty.xlsx", &written(Format::Xlsx)), folder.file("nasty.xls", &written(Format::Xls))];
    for (sheets, file) in sheets(&[&files[0], &files[1]]).into_iter().flatten().zip(&files) {
        let rows = &sheets[0].rows[3..];
        assert_eq!(rows.len(), texts.len());
        for (row, text) in rows.iter().zip(&texts) {
            assert_eq!(row[1], in_workbook(text), "{}", file.display());
        }
    }

    let Some(pdf) = text_of_pdf(&folder.file("nasty.pdf", &written(Format::Pdf))) else { return };
    for row in 0..texts.len() {
        assert!(pdf.contains(&format!("row {row}")), "row {row} is not on any page");
    }
}

#[test]
fn titles_facts_and_headings_are_texts_as_well() {
    let mut hostile = report(vec![Column::new("=1\r\n+2", "@x", ColumnKind::Text)]);
    hostile.title = "=HYPERLINK(\"x\")\r\nSecond".into();
    hostile.facts = vec![("-Level".into(), "+1\n2".into())];
    let written = |format| file(format, hostile.clone(), |writer| _ = writer.row(&[Cell::Text("x")]).unwrap());
    let csv = rows(&written(Format::Csv));
    assert_eq!(csv[0], ["'=HYPERLINK(\"x\") Second"]);
    assert_eq!(csv[2], ["'-Level", "'+1 2"]);
    assert_eq!(csv[6], ["'=1 +2 (@x)"]);
    let folder = Folder::new();
    let files = [folder.file("title.xlsx", &written(Format::Xlsx)), folder.file("title.xls", &written(Format::Xls))];
    for sheets in sheets(&[&files[0], &files[1]]).into_iter().flatten() {
        assert_eq!(sheets[0].rows[0][0], "=HYPERLINK(\"x\") Second");
        assert_eq!(sheets[0].rows[2][0], "=1 +2 (@x)");
    }
}

#[derive(Debug, Clone)]
enum Made {
    Nothing,
    Text(String),
    Number(f64),
}

fn made() -> impl Strategy<Value = Made> {
    prop_oneof![
        Just(Made::Nothing),
        letters().prop_map(Made::Text),
        any::<f64>().prop_map(Made::Number),
        (-1e9..1e9).prop_map(Made::Number),
    ]
}

/// Tables of various shapes, so that blocks of rows, records of texts and their position tables end at various places.
#[test]
fn workbooks_of_any_shape_are_read_cell_by_cell() {
    let shape = (1_usize..30, 0_usize..80)
        .prop_flat_map(|(columns, rows)| proptest::collection::vec(proptest::collection::vec(made(), columns), rows + 1));
    let tables = sampled(proptest::collection::vec(shape, 24));
    let folder = Folder::new();
    let mut files = Vec::new();
    for (number, table) in tables.iter().enumerate() {
        for format in [Format::Xls, Format::Xlsx] {
            // The texts are long, and openpyxl is slow.
            if format == Format::Xlsx && number % 6 > 0 {
                continue;
            }
            let columns =
                (0..table[0].len()).map(|column| Column::new(format!("c{column}"), "", ColumnKind::Number { decimals: None })).collect();
            let bytes = file(format, report(columns), |writer| {
                for row in table {
                    let cells: Vec<_> = row
                        .iter()
                        .map(|cell| match cell {
                            Made::Nothing => Cell::Absent,
                            Made::Text(text) => Cell::Text(text),
                            Made::Number(number) => Cell::Number(*number),
                        })
                        .collect();
                    writer.row(&cells).unwrap();
                }
            });
            files.push((folder.file(&format!("{number}.{}", format.extension()), &bytes), table));
        }
    }
    let paths: Vec<_> = files.iter().map(|(path, _)| path.as_path()).collect();
    for (sheets, (path, table)) in sheets(&paths).into_iter().flatten().zip(&files) {
        for (row, made) in table.iter().enumerate() {
            for (column, made) in made.iter().enumerate() {
                let expected = match made {
                    Made::Text(text) => in_workbook(text),
                    Made::Number(number) if number.is_finite() => json!(number + 0.0),
                    Made::Nothing | Made::Number(_) => Value::Null,
                };
                // Empty rows at the end may be missing.
                let read = sheets[0].rows.get(row + 3).and_then(|row| row.get(column)).unwrap_or(&Value::Null);
                assert!(
                    *read == expected || same(read, &expected),
                    "{} row {row} column {column}: {read:?} is not {expected:?}",
                    path.display()
                );
            }
        }
    }
}
