//! CSV (RFC 4180): title and facts, an empty line, the headings, and the rows, in UTF-8 with CR LF line ends.
//!
//! A text that a spreadsheet program could take for a formula gets a leading `'` (OWASP ASVS 5.0, 1.2.10). This includes texts with leading spaces and
//! full-width characters. Numbers, times and durations are written by us and are not changed.

use std::io::Write;
use std::sync::Arc;

use crate::cell::Value;
use crate::report::Column;
use crate::sheets::{Room, Sheets};
use crate::{Report, Result};

const BYTE_ORDER_MARK: &str = "\u{feff}";
/// Size of the write buffer in bytes, so that there are few writes.
const PENDING_MAX: usize = 64 * 1024;

pub(crate) struct Csv<W> {
    report: Arc<Report>,
    out: W,
    pending: String,
    /// The part before the first row is written with that row, so that a file without rows writes nothing.
    has_rows: bool,
    field: String,
}

impl<W: Write> Csv<W> {
    pub(crate) fn new(report: Arc<Report>, out: W) -> Self {
        let mut pending = String::new();
        if report.byte_order_mark {
            pending.push_str(BYTE_ORDER_MARK);
        }
        line(&mut pending, [report.title.as_str()]);
        for (name, value) in &report.facts {
            line(&mut pending, [name.as_str(), value.as_str()]);
        }
        Self { report, out, pending, has_rows: false, field: String::new() }
    }

    fn write(&mut self) -> Result<()> {
        self.out.write_all(self.pending.as_bytes())?;
        self.pending.clear();
        Ok(())
    }
}

impl<W: Write> Sheets for Csv<W> {
    fn begin(&mut self, table: usize) -> Result<()> {
        let table = &self.report.tables[table];
        self.pending.push_str("\r\n");
        if !table.caption.is_empty() {
            line(&mut self.pending, [table.caption.as_str()]);
        }
        let headings: Vec<_> = table.columns.iter().map(Column::heading).collect();
        line(&mut self.pending, headings.iter().map(String::as_str));
        Ok(())
    }

    fn row(&mut self, values: &[Value<'_>]) -> Result<Room> {
        self.has_rows = true;
        for (place, value) in values.iter().enumerate() {
            if place > 0 {
                self.pending.push(',');
            }
            match value {
                Value::Text(text) => field(&mut self.pending, text),
                // A row with one empty cell would be an empty line, which readers skip.
                Value::Absent if values.len() == 1 => self.pending.push_str("\"\""),
                value => {
                    self.field.clear();
                    value.write(&mut self.field);
                    self.pending.push_str(&self.field);
                }
            }
        }
        self.pending.push_str("\r\n");
        if self.pending.len() >= PENDING_MAX {
            self.write()?;
        }
        Ok(Room::More)
    }

    fn end(&mut self, note: Option<&str>) -> Result<()> {
        if let Some(note) = note {
            line(&mut self.pending, [note]);
        }
        if self.has_rows { self.write() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        // The head of a file without rows.
        self.write()?;
        Ok(self.out.flush()?)
    }
}

fn line<'a>(out: &mut String, fields: impl IntoIterator<Item = &'a str>) {
    for (place, text) in fields.into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        field(out, text);
    }
    out.push_str("\r\n");
}

/// Appends a text as a field, in a form that no program executes as a formula, and in quotes if needed.
fn field(out: &mut String, text: &str) {
    let harmful = is_formula(text);
    let quoted = harmful || text.contains([',', '"', '\n', '\r', '\t', ';']) || text.starts_with(' ') || text.ends_with(' ');
    if !quoted {
        out.push_str(text);
        return;
    }
    out.push('"');
    if harmful {
        out.push('\'');
    }
    for (place, part) in text.split('"').enumerate() {
        if place > 0 {
            out.push_str("\"\"");
        }
        out.push_str(part);
    }
    out.push('"');
}

/// Whether a spreadsheet program could take it for a formula.
fn is_formula(text: &str) -> bool {
    let begins = |text: &str| text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '\0', '＝', '＋', '－', '＠']);
    begins(text) || begins(text.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_a_spreadsheet_would_run_begins_with_an_apostrophe() {
        let cases = [
            ("plain", "plain"),
            ("=1+1", "\"'=1+1\""),
            ("+49 30", "\"'+49 30\""),
            ("-", "\"'-\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("\t=1", "\"'\t=1\""),
            ("\n=1", "\"'\n=1\""),
            ("  =1", "\"'  =1\""),
            ("＝1", "\"'＝1\""),
            ("=\"a\",b", "\"'=\"\"a\"\",b\""),
            ("a=1", "a=1"),
            ("say \"so\"", "\"say \"\"so\"\"\""),
            ("a,b", "\"a,b\""),
            ("two\nlines", "\"two\nlines\""),
        ];
        for (text, expected) in cases {
            let mut out = String::new();
            field(&mut out, text);
            assert_eq!(out, expected, "{text:?}");
        }
    }
}
