//! A table in a file of comma-separated values, with errors that name file, line and column.

use std::collections::{HashMap, HashSet};

use crate::{ImportError, Note};

/// The largest accepted number. It is far above every quantity of a network, and far below numbers that overflow in
/// calculations.
const NUMBER_MAX: f64 = 1e12;

/// The largest number of rows of one file.
pub(crate) const ROWS_MAX: usize = 1_000_000;

/// The largest number of columns of one file.
const COLUMNS_MAX: usize = 1_000;

/// A table. All its cells are texts without spaces around them.
#[derive(Debug)]
pub(crate) struct CsvTable {
    file: String,
    columns: HashMap<String, usize>,
    rows: Vec<csv::StringRecord>,
    /// The line of each row.
    lines: Vec<u64>,
}

/// A row of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CsvRow<'t> {
    table: &'t CsvTable,
    position: usize,
}

impl CsvTable {
    /// Parses the text of a file. The first line has the names of the columns.
    pub(crate) fn parse(file: &str, text: &str, delimiter: u8) -> Result<Self, ImportError> {
        let refuse = |reason: String| ImportError::File { file: file.to_owned(), reason };
        // Spreadsheets begin a file with a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).trim(csv::Trim::All).from_reader(text.as_bytes());
        let mut columns = HashMap::new();
        let found = reader.headers().map_err(|error| refuse(error.to_string()))?.len();
        if found > COLUMNS_MAX {
            return Err(refuse(format!("it has {found} columns; allowed are {COLUMNS_MAX}")));
        }
        for (position, column) in reader.headers().map_err(|error| refuse(error.to_string()))?.iter().enumerate() {
            if columns.insert(column.to_owned(), position).is_some() {
                return Err(refuse(format!("column {column} is there twice")));
            }
        }
        let (mut rows, mut lines) = (Vec::new(), Vec::new());
        for record in reader.records() {
            let record = record.map_err(|error| refuse(error.to_string()))?;
            if record.iter().all(str::is_empty) {
                continue;
            }
            if rows.len() == ROWS_MAX {
                return Err(refuse(format!("it has more than {ROWS_MAX} rows")));
            }
            lines.push(record.position().map_or(0, csv::Position::line));
            rows.push(record);
        }
        Ok(Self { file: file.to_owned(), columns, rows, lines })
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = CsvRow<'_>> {
        (0..self.rows.len()).map(|position| CsvRow { table: self, position })
    }

    pub(crate) fn has(&self, column: &str) -> bool {
        self.columns.contains_key(column)
    }

    /// Returns a note for each column that has values and is not imported.
    pub(crate) fn columns_not_taken(&self, taken: &HashSet<&str>, is_empty: impl Fn(&str) -> bool) -> Vec<Note> {
        let mut names: Vec<_> = self.columns.iter().filter(|(name, _)| !taken.contains(name.as_str())).collect();
        names.sort_unstable();
        let with_values = |at: usize| self.rows.iter().filter(|row| !is_empty(row.get(at).unwrap_or_default())).count();
        names
            .into_iter()
            .map(|(name, at)| (name, with_values(*at)))
            .filter(|(_, rows)| *rows > 0)
            .map(|(name, rows)| Note::new(&*self.file, format!("column {name} is not taken; {rows} rows have a value")))
            .collect()
    }
}

impl<'t> CsvRow<'t> {
    /// Returns a text; empty if the column is absent.
    pub(crate) fn text(self, column: &str) -> &'t str {
        self.table.columns.get(column).and_then(|at| self.table.rows[self.position].get(*at)).unwrap_or_default()
    }

    /// Returns a text; `None` if it is empty.
    pub(crate) fn optional(self, column: &str) -> Option<&'t str> {
        Some(self.text(column)).filter(|text| !text.is_empty())
    }

    /// Returns a required text.
    pub(crate) fn required(self, column: &str) -> Result<&'t str, ImportError> {
        if !self.table.has(column) {
            return Err(ImportError::File { file: self.table.file.clone(), reason: format!("column {column} is missing") });
        }
        self.optional(column).ok_or_else(|| self.refuse(column, "it is empty".to_owned()))
    }

    /// Returns a number; `None` if it is empty.
    pub(crate) fn number(self, column: &str) -> Result<Option<f64>, ImportError> {
        let Some(text) = self.optional(column) else { return Ok(None) };
        match text.parse::<f64>().ok().filter(|number| number.abs() <= NUMBER_MAX) {
            Some(number) => Ok(Some(number)),
            None => Err(self.refuse(column, format!("{text:?} is not a number up to {NUMBER_MAX:e}; decimals follow a point"))),
        }
    }

    /// Returns a number, or a default if it is empty.
    pub(crate) fn number_or(self, column: &str, default: f64) -> Result<f64, ImportError> {
        Ok(self.number(column)?.unwrap_or(default))
    }

    /// Returns a number greater than 0; `None` if it is empty.
    pub(crate) fn positive(self, column: &str) -> Result<Option<f64>, ImportError> {
        match self.number(column)? {
            Some(number) if number <= 0.0 => Err(self.refuse(column, format!("{number} is not greater than 0"))),
            number => Ok(number),
        }
    }

    /// Returns a whole number; `None` if it is empty.
    pub(crate) fn whole<T: std::str::FromStr>(self, column: &str) -> Result<Option<T>, ImportError> {
        let Some(text) = self.optional(column) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| self.refuse(column, format!("{text:?} is not a whole number of its range")))
    }

    /// Returns a flag, or a default if it is empty.
    pub(crate) fn flag(self, column: &str, default: bool) -> Result<bool, ImportError> {
        // Spreadsheets write TRUE.
        match self.text(column).to_ascii_lowercase().as_str() {
            "" => Ok(default),
            "true" | "1" | "yes" => Ok(true),
            "false" | "0" | "no" => Ok(false),
            other => Err(self.refuse(column, format!("{other:?} is neither true nor false"))),
        }
    }

    pub(crate) fn refuse(self, column: &str, reason: String) -> ImportError {
        ImportError::Cell { file: self.table.file.clone(), line: self.table.lines[self.position], column: column.to_owned(), reason }
    }
}
