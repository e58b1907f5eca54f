//! Parses a file with named columns and reports the errors of each cell.

use std::collections::{HashMap, HashSet};

use csv::{ByteRecord, ReaderBuilder};

use super::columns::{Column, names};
use super::valid_rows::ValidRow;
use crate::import::read::{line_of, shown};
use crate::import::{FAULTS_MAX, FILE_MAX_BYTES, Fault, ROWS_MAX};

/// Maximum length of an unknown column's name in an error message, characters.
const NAME_MAX: usize = 60;
/// Characters with which a spreadsheet starts a formula.
const FORMULA: [char; 4] = ['=', '+', '-', '@'];

/// A valid file.
#[derive(Debug)]
pub(super) struct Sheet {
    /// The rows of the file.
    pub(super) lines: Vec<ValidRow>,
    /// The optional columns of the database that the file does not have.
    pub(super) left_out: Vec<&'static str>,
}

/// The errors of a file: the first ones and their number.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// Errors in the order of the lines, at most [`FAULTS_MAX`].
    pub(super) listed: Vec<Fault>,
    /// Number of all errors.
    pub(super) total: usize,
}

impl Faults {
    /// Adds an error.
    pub(super) fn push(&mut self, fault: Fault) {
        self.total += 1;
        if self.listed.len() < FAULTS_MAX {
            self.listed.push(fault);
        }
    }

    /// Returns a single error about a whole line.
    pub(super) fn about(line: u64, what: String) -> Self {
        Self { listed: vec![Fault { line, column: String::new(), what }], total: 1 }
    }
}

/// A row and its errors.
pub(super) struct Row<'a> {
    /// Number of the line on which the row starts; the first line of the file is 1.
    pub(super) line: u64,
    columns: &'a HashMap<&'static str, usize>,
    cells: Vec<&'a str>,
    faults: &'a mut Faults,
}

/// Parses a whole file. It finds all errors and reports them up to a limit, so that a user need not import once for each error.
pub(super) fn read(
    columns: &'static [Column],
    csv: &[u8],
    mut take: impl FnMut(&mut Row<'_>) -> Option<ValidRow>,
) -> Result<Sheet, Faults> {
    if csv.len() as u64 > FILE_MAX_BYTES {
        return Err(Faults::about(1, format!("the file may have {} MiB", FILE_MAX_BYTES / 1024 / 1024)));
    }
    let (skipped, csv) = without_comments(csv);
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(csv);
    let mut records = reader.byte_records();
    let header = match records.next() {
        Some(Ok(header)) => header,
        Some(Err(error)) => return Err(Faults::about(skipped + 1, error.to_string())),
        None => {
            return Err(Faults::about(
                skipped.max(1),
                format!("the file is empty; it begins with the names of its columns: {}", names(columns)),
            ));
        }
    };
    let at = places(columns, &header, skipped + line_of(&header, csv))?;
    let (mut lines, mut faults, mut seen) = (Vec::new(), Faults::default(), HashMap::new());
    for (number, record) in records.enumerate() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                faults.push(Fault { line: skipped + 1, column: String::new(), what: error.to_string() });
                break;
            }
        };
        let line = skipped + line_of(&record, csv);
        if number >= ROWS_MAX {
            faults.push(Fault { line, column: String::new(), what: format!("the file may have {ROWS_MAX} rows, this is one more") });
            break;
        }
        let before = faults.total;
        let mut row = Row { line, columns: &at, cells: Vec::new(), faults: &mut faults };
        let taken = row.fill(&record).and_then(|()| take(&mut row));
        let Some(taken) = taken.filter(|_| faults.total == before) else { continue };
        if let Some(first) = seen.insert(taken.key.clone(), line) {
            let column = columns.first().map_or("", |column| column.name);
            let what = format!("{} is already on line {first}", shown(&taken.key.replace('\n', " ")));
            faults.push(Fault { line, column: column.to_owned(), what });
        } else {
            lines.push(taken);
        }
    }
    // Without a part the row is about the main part. The column is part of the key, so it is not kept from the stored row.
    let left_out = columns.iter().filter(|column| !at.contains_key(column.name) && column.name != "part");
    if faults.total == 0 { Ok(Sheet { lines, left_out: left_out.map(|column| column.stored).collect() }) } else { Err(faults) }
}

/// Returns the number of explanation lines at the start, as in a template, and the text after them. Spreadsheets write a byte order mark first.
fn without_comments(csv: &[u8]) -> (u64, &[u8]) {
    let mut rest = csv.strip_prefix(b"\xef\xbb\xbf").unwrap_or(csv);
    let mut skipped = 0;
    while rest.starts_with(b"#") {
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        rest = &rest[end..];
        skipped += 1;
    }
    (skipped, rest)
}

/// Returns the index of each column.
fn places(columns: &'static [Column], header: &ByteRecord, line: u64) -> Result<HashMap<&'static str, usize>, Faults> {
    let mut places = HashMap::new();
    let mut faults = Faults::default();
    let mut fault = |column: &str, what: String| faults.push(Fault { line, column: column.to_owned(), what });
    for (at, name) in header.iter().enumerate().take(FAULTS_MAX) {
        let name = String::from_utf8_lossy(name).to_lowercase();
        match columns.iter().find(|known| known.name == name) {
            Some(known) if places.insert(known.name, at).is_some() => fault(known.name, "stands there twice".to_owned()),
            Some(_) => {}
            None => fault(
                &name.escape_debug().take(NAME_MAX).collect::<String>(),
                format!("is not known; allowed are {}, separated by commas", names(columns)),
            ),
        }
    }
    for missing in columns.iter().filter(|column| column.needed && !places.contains_key(column.name)) {
        fault(missing.name, "is missing".to_owned());
    }
    if faults.total == 0 { Ok(places) } else { Err(faults) }
}

impl<'a> Row<'a> {
    /// Reads all cells and reports control characters. `None` if the number of cells is wrong or a cell is not UTF-8.
    fn fill(&mut self, record: &'a ByteRecord) -> Option<()> {
        if record.len() != self.columns.len() {
            self.fault("", format!("has {} columns, the names above are {}", record.len(), self.columns.len()));
            return None;
        }
        for cell in record {
            let Ok(text) = std::str::from_utf8(cell) else {
                self.fault("", "is not UTF-8".to_owned());
                return None;
            };
            self.cells.push(text);
        }
        let columns: HashSet<(usize, &str)> = self.columns.iter().map(|(name, at)| (*at, *name)).collect();
        for (at, column) in columns {
            if self.cells[at].chars().any(char::is_control) {
                self.fault(column, format!("{}: no control characters are allowed", shown(self.cells[at])));
            }
        }
        Some(())
    }

    pub(super) fn fault(&mut self, column: &str, what: String) {
        self.faults.push(Fault { line: self.line, column: column.to_owned(), what });
    }

    /// Returns the text of a cell; empty if the file has no such column.
    fn cell(&self, column: &'static str) -> &'a str {
        self.columns.get(column).and_then(|at| self.cells.get(*at)).copied().unwrap_or_default()
    }

    /// Reads an optional text.
    pub(super) fn text(&mut self, column: &'static str, max: usize) -> Option<String> {
        let text = self.cell(column);
        if text.starts_with(FORMULA) {
            self.fault(column, format!("{}: starts with one of = + - @, which spreadsheets read as a formula; remove it", shown(text)));
            return None;
        }
        if text.chars().count() > max {
            self.fault(column, format!("{}: 1 to {max} characters", shown(text)));
            return None;
        }
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Reads a required text.
    pub(super) fn name(&mut self, column: &'static str, max: usize) -> Option<String> {
        if self.cell(column).is_empty() {
            self.fault(column, format!("\"\": 1 to {max} characters"));
        }
        self.text(column, max)
    }

    /// Reads one of several fixed texts; `None` for an empty cell.
    pub(super) fn word(&mut self, column: &'static str, allowed: &[&'static str]) -> Option<&'static str> {
        let text = self.cell(column).to_lowercase();
        let found = allowed.iter().find(|word| **word == text).copied();
        if found.is_none() && !text.is_empty() {
            self.fault(column, format!("{}: one of {}", shown(&text), allowed.join(", ")));
        }
        found
    }

    /// Reads a number within a range; `None` for an empty cell.
    pub(super) fn number(&mut self, column: &'static str, (least, most): (f64, f64), unit: &str) -> Option<f64> {
        let text = self.cell(column);
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        if number.is_none() && !text.is_empty() {
            self.fault(column, format!("{}: a number{unit} from {least} to {most}", shown(text)));
        }
        number
    }

    /// Reads a required number above 0.
    pub(super) fn positive(&mut self, column: &'static str, most: f64, unit: &str) -> Option<f64> {
        let text = self.cell(column);
        let number = text.parse().ok().filter(|number| *number > 0.0 && *number <= most);
        if number.is_none() {
            self.fault(column, format!("{}: a number{unit} above 0 and up to {most}", shown(text)));
        }
        number
    }

    /// Reads a whole number within a range; `None` for an empty cell.
    pub(super) fn whole(&mut self, column: &'static str, (least, most): (i32, i32)) -> Option<i32> {
        let text = self.cell(column);
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        if number.is_none() && !text.is_empty() {
            self.fault(column, format!("{}: a whole number from {least} to {most}", shown(text)));
        }
        number
    }

    /// Reads a required whole number within a range.
    pub(super) fn needed(&mut self, column: &'static str, range: (i32, i32)) -> Option<i32> {
        if self.cell(column).is_empty() {
            self.fault(column, format!("\"\": a whole number from {} to {}", range.0, range.1));
        }
        self.whole(column, range)
    }

    /// Reads yes or no; an empty cell has a default.
    pub(super) fn flag(&mut self, column: &'static str, usual: bool) -> bool {
        let text = self.cell(column).to_lowercase();
        match text.as_str() {
            "" => usual,
            "yes" | "true" | "1" => true,
            "no" | "false" | "0" => false,
            _ => {
                self.fault(column, format!("{}: yes or no", shown(&text)));
                usual
            }
        }
    }

    /// Reads a date; `None` for an empty cell.
    pub(super) fn day_or_none(&mut self, column: &'static str) -> Option<jiff::civil::Date> {
        if self.cell(column).is_empty() { None } else { self.day(column) }
    }

    /// Reads a required date.
    pub(super) fn day(&mut self, column: &'static str) -> Option<jiff::civil::Date> {
        let text = self.cell(column);
        // Exactly ten characters: the date parser would also accept a date with a time and ignore the time.
        let day = text.parse().ok().filter(|_| text.len() == 10);
        if day.is_none() {
            self.fault(column, format!("{}: a day as YYYY-MM-DD", shown(text)));
        }
        day
    }

    /// Reads a line path: longitude and latitude separated by a space, places separated by semicolons.
    pub(super) fn line(&mut self, column: &'static str, most: usize) -> Option<Vec<[f64; 2]>> {
        let text = self.cell(column);
        if text.is_empty() {
            return None;
        }
        let place = |place: &str| {
            let mut parts = place.split_whitespace().map(|part| part.parse::<f64>().ok());
            let (lon, lat) = (parts.next()??, parts.next()??);
            let is_on_earth = parts.next().is_none() && (-180.0..=180.0).contains(&lon) && (-90.0..=90.0).contains(&lat);
            is_on_earth.then_some([lon, lat])
        };
        let places: Option<Vec<[f64; 2]>> = text.split(';').take(most + 1).map(place).collect();
        let places = places.filter(|places| (2..=most).contains(&places.len()));
        if places.is_none() {
            let allowed = format!("2 to {most} places, each a longitude from -180 to 180, a space, a latitude from -90 to 90");
            self.fault(column, format!("{}: {allowed}, one from the next by a semicolon", shown(text)));
        }
        places
    }
}
