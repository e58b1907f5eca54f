//! Tests of PDF pages with tables: size, headings on each page, numbers, wrapped texts, columns that do not fit.

use std::path::Path;
use std::process::Command;

use sheet::{Cell, Column, ColumnKind, Format};

use crate::tools::{Folder, text_of_pdf};
use crate::{file, report, text};

fn number(name: &str) -> Column {
    Column::new(name, "kWh", ColumnKind::Number { decimals: Some(1) })
}

/// Returns the text of each page.
pub(crate) fn pages(path: &Path) -> Option<Vec<String>> {
    let text = text_of_pdf(path)?;
    Some(text.split('\u{c}').filter(|page| !page.is_empty()).map(String::from).collect())
}

#[test]
fn every_page_has_its_number_and_the_headings_of_the_table() {
    let folder = Folder::new();
    let written = file(Format::Pdf, report(vec![text("Feeder"), number("Energy")]), |writer| {
        for row in 0..500 {
            writer.row(&[Cell::Text(&format!("feeder {row}")), Cell::Number(f64::from(row))]).unwrap();
        }
    });
    let path = folder.file("long.pdf", &written);
    let Some(pages) = pages(&path) else { return };
    assert!(pages.len() > 8, "{} pages", pages.len());
    let mut rows = 0;
    for (number, page) in pages.iter().enumerate() {
        assert!(page.contains(&format!("Page {} of {}", number + 1, pages.len())), "{page}");
        assert!(page.contains("Energy (kWh)") && page.contains("Feeder log"), "{page}");
        assert_eq!(page.contains("Signature"), number + 1 == pages.len());
        for line in page.lines().filter(|line| line.trim_start().starts_with("feeder ")) {
            assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["feeder", &rows.to_string(), &format!("{rows}.0")]);
            rows += 1;
        }
    }
    assert_eq!(rows, 500);
    let info = Command::new("pdfinfo").arg(&path).output().unwrap();
    let info = String::from_utf8(info.stdout).unwrap();
    assert!(info.contains("1200 x 800 pts") && info.contains("Feeder log"), "{info}");
}

#[test]
fn long_texts_wrap_and_end_in_dots_and_no_number_is_ever_cut() {
    let folder = Folder::new();
    let remark = format!("{} end", "earth fault at the kiosk ".repeat(3));
    let written = file(Format::Pdf, report(vec![text("Remark").wide(20), number("Energy").wide(4)]), |writer| {
        writer.row(&[Cell::Text(&remark), Cell::Number(123_456_789_012.3)]).unwrap();
        writer.row(&[Cell::Text(&"word ".repeat(400)), Cell::Number(1.0)]).unwrap();
    });
    let Some(pages) = pages(&folder.file("wrapped.pdf", &written)) else { return };
    let words: String = pages[0].split_whitespace().collect();
    assert!(words.contains("123456789012.3"), "{words}");
    assert!(words.contains("end") && words.contains("word…"), "{words}");
}

#[test]
fn columns_that_do_not_fit_go_on_further_pages_behind_the_first_column() {
    let folder = Folder::new();
    let columns = std::iter::once(text("Feeder")).chain((1..60).map(|column| number(&format!("E{column}")))).collect();
    let written = file(Format::Pdf, report(columns), |writer| {
        for row in 0..3 {
            let name = format!("feeder {row}");
            let mut cells = vec![Cell::Text(&name)];
            cells.extend((1..60).map(|column| Cell::Number(f64::from(row * 100 + column))));
            writer.row(&cells).unwrap();
        }
    });
    let Some(pages) = pages(&folder.file("wide.pdf", &written)) else { return };
    assert!(pages.len() > 2, "{} pages", pages.len());
    for row in 0..3 {
        let mut values = Vec::new();
        for page in &pages {
            let line =
                page.lines().find(|line| line.contains(&format!("feeder {row}"))).unwrap_or_else(|| panic!("no feeder {row} in\n{page}"));
            values.extend(line.split_whitespace().skip(2).map(String::from));
        }
        assert_eq!(values, (1..60).map(|column| format!("{}.0", row * 100 + column)).collect::<Vec<_>>());
    }
    assert!(pages[0].contains("Columns 1 to") && pages[1].contains("of 60"));
}

#[test]
fn text_beyond_latin_is_text_and_what_the_font_lacks_can_still_be_copied() {
    let folder = Folder::new();
    let words = ["Ω → Δ ₹", "Фидер Юг", "Τροφοδότης", "उत्तर फीडर", "变电站"];
    let written = file(Format::Pdf, report(vec![text("Feeder").wide(60)]), |writer| {
        for word in words {
            writer.row(&[Cell::Text(word)]).unwrap();
        }
    });
    let Some(pages) = pages(&folder.file("beyond.pdf", &written)) else { return };
    let joined: Vec<String> = pages[0].lines().map(|line| line.split_whitespace().collect()).collect();
    for word in words {
        assert!(joined.contains(&word.replace(' ', "")), "{word} is not in\n{}", pages[0]);
    }
}
