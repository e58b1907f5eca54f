//! Parses a file of energy budgets and reports the errors of each line. The place of a line is identified as in a file of the hierarchy.

use std::collections::HashMap;
use std::fmt;

use csv::{ByteRecord, ReaderBuilder};

use crate::import::read::{line_of, shown};
use crate::import::{FAULTS_MAX, FILE_MAX_BYTES, Fault, ROWS_MAX};

/// Budgets of this size and above are rejected, kWh.
pub const KWH_MAX: f64 = 1e12;
/// The columns of a file. `code` is empty for the level `client`, `substation` for every level but `asset`.
pub const COLUMNS: [&str; 5] = ["level", "code", "substation", "month", "kwh"];
/// Columns that a file can lack.
const OPTIONAL: [&str; 2] = ["code", "substation"];
/// Maximum length of an unknown column's name in an error message, characters.
const NAME_MAX: usize = 60;

/// A month of a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    /// The year, 2000 to 2199.
    pub year: i16,
    /// The month, from 1.
    pub month: i8,
}

impl Month {
    /// Parses `YYYY-MM`.
    pub fn parse(text: &str) -> Option<Self> {
        let (year, month) = text.split_once('-').filter(|(year, month)| year.len() == 4 && month.len() == 2)?;
        // The parser of numbers accepts a sign.
        let is_number = year.bytes().chain(month.bytes()).all(|byte| byte.is_ascii_digit());
        let month = Self { year: year.parse().ok()?, month: month.parse().ok()? };
        (is_number && (2000..2200).contains(&month.year) && (1..=12).contains(&month.month)).then_some(month)
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetLine {
    /// Number of the line; the header is line 1.
    pub line: u64,
    /// The level in lower case, such as `client`, `division` or `asset`.
    pub level: String,
    /// The code of the place.
    pub code: String,
    /// The code of the substation of an asset.
    pub substation: String,
    /// The month.
    pub month: Month,
    /// The energy of the month, kWh.
    pub kwh: f64,
}

/// Parses a whole file. It finds all errors, up to a limit, so that a user need not import once for each error.
pub fn parse_file(csv: &[u8]) -> Result<Vec<BudgetLine>, Vec<Fault>> {
    let about = |line, what: String| vec![Fault { line, column: String::new(), what }];
    if csv.len() as u64 > FILE_MAX_BYTES {
        return Err(about(1, format!("the file may have {} MiB", FILE_MAX_BYTES / 1024 / 1024)));
    }
    // Spreadsheets write a byte order mark before the first name.
    let csv = csv.strip_prefix(b"\xef\xbb\xbf").unwrap_or(csv);
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(csv);
    let mut records = reader.byte_records();
    let header = match records.next() {
        Some(Ok(header)) => header,
        Some(Err(error)) => return Err(about(1, error.to_string())),
        None => return Err(about(1, format!("the file is empty; it begins with the names of its columns: {}", COLUMNS.join(",")))),
    };
    let places = places(&header)?;
    let (mut lines, mut faults) = (Vec::new(), Vec::new());
    for (number, record) in records.enumerate() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                faults.push(Fault { line: 1, column: String::new(), what: error.to_string() });
                break;
            }
        };
        let line = line_of(&record, csv);
        if number >= ROWS_MAX {
            faults.push(Fault { line, column: String::new(), what: format!("the file may have {ROWS_MAX} rows, this is one more") });
        }
        if faults.len() >= FAULTS_MAX || number >= ROWS_MAX {
            break;
        }
        match parse_line(&places, &record, line) {
            Ok(parsed) => lines.push(parsed),
            Err(found) => faults.extend(found),
        }
    }
    if lines.is_empty() && faults.is_empty() {
        return Err(about(1, "the file has no budgets below the names of its columns".to_owned()));
    }
    faults.truncate(FAULTS_MAX);
    if faults.is_empty() { Ok(lines) } else { Err(faults) }
}

/// Returns the index of each column.
fn places(header: &ByteRecord) -> Result<HashMap<&'static str, usize>, Vec<Fault>> {
    let mut places = HashMap::new();
    let mut faults = Vec::new();
    let mut fault = |column: &str, what: String| faults.push(Fault { line: 1, column: column.to_owned(), what });
    for (at, name) in header.iter().enumerate().take(FAULTS_MAX) {
        let name = String::from_utf8_lossy(name).to_lowercase();
        match COLUMNS.iter().find(|known| **known == name) {
            Some(known) if places.insert(*known, at).is_some() => fault(known, "occurs twice".to_owned()),
            Some(_) => {}
            None => fault(
                &name.escape_debug().take(NAME_MAX).collect::<String>(),
                format!("is not known; allowed are {}, separated by commas", COLUMNS.join(",")),
            ),
        }
    }
    for missing in COLUMNS.iter().filter(|name| !OPTIONAL.contains(name) && !places.contains_key(*name)) {
        fault(missing, "is missing".to_owned());
    }
    if faults.is_empty() { Ok(places) } else { Err(faults) }
}

fn parse_line(places: &HashMap<&'static str, usize>, record: &ByteRecord, line: u64) -> Result<BudgetLine, Vec<Fault>> {
    let fault = |column: &str, what: String| Fault { line, column: column.to_owned(), what };
    if record.len() != places.len() {
        return Err(vec![fault("", format!("has {} columns, the first line has {}", record.len(), places.len()))]);
    }
    let cell = |name: &str| {
        let cell = places.get(name).and_then(|at| record.get(*at)).unwrap_or_default();
        std::str::from_utf8(cell).map_err(|_| vec![fault(name, "is not UTF-8".to_owned())])
    };
    let (month, kwh) = (cell("month")?, cell("kwh")?);
    let mut faults = Vec::new();
    let parsed_month = Month::parse(month);
    if parsed_month.is_none() {
        faults.push(fault("month", format!("{} is no month from 2000 to 2199, such as 2026-04", shown(month))));
    }
    let parsed_kwh: Option<f64> = kwh.parse().ok().filter(|kwh| *kwh > 0.0 && *kwh < KWH_MAX);
    if parsed_kwh.is_none() {
        faults.push(fault("kwh", format!("{} is no number above 0 and below 1e12, with a point before its decimals", shown(kwh))));
    }
    match (parsed_month, parsed_kwh) {
        (Some(month), Some(kwh)) => Ok(BudgetLine {
            line,
            level: cell("level")?.to_lowercase(),
            code: cell("code")?.to_owned(),
            substation: cell("substation")?.to_owned(),
            month,
            kwh,
        }),
        _ => Err(faults),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_file_are_parsed() {
        let file = b"\xef\xbb\xbflevel,code,substation,month,kwh\nclient,,,2026-04,1200000\nAsset,F1,HAR,2026-05,3400.5\n";
        let lines = parse_file(file).expect("valid");
        assert_eq!(lines.iter().map(|line| line.line).collect::<Vec<_>>(), [2, 3]);
        assert_eq!((lines[0].month, lines[0].kwh), (Month { year: 2026, month: 4 }, 1_200_000.0));
        assert_eq!((lines[1].level.as_str(), lines[1].code.as_str(), lines[1].substation.as_str()), ("asset", "F1", "HAR"));
        assert_eq!(parse_file(b"month,kwh,level\n2026-04,1,client").expect("valid").len(), 1, "code and substation can be absent");
    }

    #[test]
    fn every_error_names_its_line_and_column() {
        let file = b"level,code,month,kwh\nclient,,2026-13,0\nclient,,2026-1,1\nclient,,2026-01,1e12\nclient,,2026-+1,x\nclient\n";
        let faults = parse_file(file).expect_err("errors");
        let found: Vec<(u64, &str)> = faults.iter().map(|fault| (fault.line, fault.column.as_str())).collect();
        assert_eq!(found, [(2, "month"), (2, "kwh"), (3, "month"), (4, "kwh"), (5, "month"), (5, "kwh"), (6, "")]);
        let unknown = parse_file(b"level,month,mwh\n").expect_err("no kwh");
        let columns: Vec<&str> = unknown.iter().map(|fault| fault.column.as_str()).collect();
        assert_eq!(columns, ["mwh", "kwh"]);
        assert!(parse_file(b"").expect_err("empty")[0].what.contains("level,code,substation,month,kwh"));
        assert!(parse_file(b"level,month,kwh\n").expect_err("no lines")[0].what.contains("no budgets"));
    }
}
