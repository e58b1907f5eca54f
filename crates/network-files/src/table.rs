//! A table of pandas in the form `split`: the names of the columns, the index, and the rows.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use crate::ImportError;

/// The largest accepted number. It is far above every quantity of a network, and far below numbers that overflow in calculations.
const NUMBER_MAX: f64 = 1e12;

/// The column to which an export writes the id of a part, if this id is not the id of its row.
pub(crate) const SOURCE_ID: &str = "source_id";

/// The values that pandapower writes by default, by column.
const DEFAULTS: [(&str, f64); 7] = [
    ("df", 1.0),
    ("parallel", 1.0),
    ("slack_weight", 1.0),
    ("max_step", 1.0),
    ("leakage_resistance_ratio_hv", 0.5),
    ("leakage_reactance_ratio_hv", 0.5),
    ("efficiency_n_percent", 100.0),
];

/// Whether a value contains information: it is not an empty cell, a switched-off option or the default of its column.
fn says_something(column: &str, value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty() && text != "None",
        Value::Number(number) => {
            number.as_f64() != Some(0.0) && !DEFAULTS.iter().any(|(name, default)| *name == column && number.as_f64() == Some(*default))
        }
        _ => true,
    }
}

/// A table of a file.
#[derive(Debug)]
pub(crate) struct Table {
    name: &'static str,
    columns: HashMap<String, usize>,
    index: Vec<Value>,
    data: Vec<Vec<Value>>,
}

#[derive(Deserialize)]
struct Split {
    columns: Vec<Value>,
    index: Vec<Value>,
    data: Vec<Vec<Value>>,
}

/// A row of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    table: &'a Table,
    position: usize,
}

impl Table {
    /// Reads the text of a table.
    pub(crate) fn parse(name: &'static str, text: &str) -> Result<Self, ImportError> {
        let refuse = |reason: String| ImportError::Table { table: name, reason };
        let split: Split = serde_json::from_str(text).map_err(|error| refuse(error.to_string()))?;
        if split.index.len() != split.data.len() {
            return Err(refuse(format!("it has {} rows and {} index entries", split.data.len(), split.index.len())));
        }
        if let Some(row) = split.data.iter().position(|row| row.len() != split.columns.len()) {
            return Err(refuse(format!("row {row} has {} values; there are {} columns", split.data[row].len(), split.columns.len())));
        }
        let mut columns = HashMap::new();
        for (position, column) in split.columns.iter().enumerate() {
            let Some(column) = column.as_str() else { continue };
            if columns.insert(column.to_owned(), position).is_some() {
                return Err(refuse(format!("column {column} is there twice")));
            }
        }
        Ok(Self { name, columns, index: split.index, data: split.data })
    }

    /// Returns a table without rows.
    pub(crate) fn empty(name: &'static str) -> Self {
        Self { name, columns: HashMap::new(), index: Vec::new(), data: Vec::new() }
    }

    /// Returns the columns that have values and are not imported, in the order of their names. Each has the number of its rows with a value.
    pub(crate) fn columns_not_taken(&self, taken: &[&[&str]]) -> Vec<(&str, usize)> {
        let is_taken = |name: &str| taken.iter().any(|names| names.contains(&name));
        let mut found: Vec<_> = self
            .columns
            .iter()
            .filter(|(name, _)| !is_taken(name))
            .map(|(name, at)| (name.as_str(), self.data.iter().filter(|row| says_something(name, &row[*at])).count()))
            .filter(|(_, rows)| *rows > 0)
            .collect();
        found.sort_unstable();
        found
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.data.len()).map(|position| Row { table: self, position })
    }
}

impl<'a> Row<'a> {
    /// Returns the id of the row, such as `bus:7`.
    pub(crate) fn id(self) -> String {
        let index = &self.table.index[self.position];
        index_of(index).map_or_else(|| format!("{}:{index}", self.table.name), |index| format!("{}:{index}", self.table.name))
    }

    /// Returns the id in the column `source_id`, which an export of Switchyard has written; without it, the id of the row.
    pub(crate) fn source_id(self) -> String {
        self.text(SOURCE_ID).filter(|id| !id.is_empty()).map_or_else(|| self.id(), str::to_owned)
    }

    /// Returns the name; empty if there is none. In some networks names are numbers.
    pub(crate) fn name(self) -> String {
        match self.optional("name") {
            Some(Value::String(name)) => name.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        }
    }

    /// Returns the point in the column `geo`, which contains GeoJSON, directly or as a text.
    pub(crate) fn place(self) -> Option<[f64; 2]> {
        #[derive(Deserialize)]
        struct Point {
            coordinates: [f64; 2],
        }
        let point: Option<Point> = match self.optional("geo")? {
            Value::String(text) => serde_json::from_str(text).ok(),
            value => Point::deserialize(value).ok(),
        };
        point.map(|point| point.coordinates)
    }

    /// Returns the reference to a row of another table, such as `bus:7`.
    pub(crate) fn reference(self, column: &'static str, table: &str) -> Result<String, ImportError> {
        let value = self.value(column)?;
        let index = index_of(value).ok_or_else(|| self.refuse(column, format!("{value} is not the index of a row")))?;
        Ok(format!("{table}:{index}"))
    }

    /// Returns a number; `None` if it is absent.
    pub(crate) fn number(self, column: &'static str) -> Result<Option<f64>, ImportError> {
        match self.optional(column) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_f64().filter(|number| number.abs() <= NUMBER_MAX) {
                Some(number) => Ok(Some(number)),
                None => Err(self.refuse(column, format!("{value} is not a number up to {NUMBER_MAX:e}"))),
            },
        }
    }

    /// Returns a number, or a default if it is absent.
    pub(crate) fn number_or(self, column: &'static str, default: f64) -> Result<f64, ImportError> {
        Ok(self.number(column)?.unwrap_or(default))
    }

    /// Returns a number greater than 0; `None` if it is absent.
    pub(crate) fn positive(self, column: &'static str) -> Result<Option<f64>, ImportError> {
        match self.number(column)? {
            Some(number) if number <= 0.0 => Err(self.refuse(column, format!("{number} is not greater than 0"))),
            number => Ok(number),
        }
    }

    /// Returns a required flag.
    pub(crate) fn required_flag(self, column: &'static str) -> Result<bool, ImportError> {
        match self.value(column)? {
            Value::Null => Err(self.refuse(column, "it is empty; allowed are true and false".to_owned())),
            _ => self.flag(column, false),
        }
    }

    /// Returns a flag, or a default if it is absent.
    pub(crate) fn flag(self, column: &'static str, default: bool) -> Result<bool, ImportError> {
        match self.optional(column) {
            None | Some(Value::Null) => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::Number(number)) if number.as_f64() == Some(0.0) => Ok(false),
            Some(Value::Number(number)) if number.as_f64() == Some(1.0) => Ok(true),
            Some(other) => Err(self.refuse(column, format!("{other} is neither true nor false"))),
        }
    }

    /// Returns a text; `None` if it is absent.
    pub(crate) fn text(self, column: &str) -> Option<&'a str> {
        self.optional(column).and_then(Value::as_str)
    }

    pub(crate) fn has(self, column: &str) -> bool {
        self.table.columns.contains_key(column)
    }

    fn optional(self, column: &str) -> Option<&'a Value> {
        self.table.columns.get(column).map(|position| &self.table.data[self.position][*position])
    }

    fn value(self, column: &'static str) -> Result<&'a Value, ImportError> {
        self.optional(column).ok_or_else(|| ImportError::Table { table: self.table.name, reason: format!("column {column} is missing") })
    }

    pub(crate) fn refuse(self, column: &'static str, reason: String) -> ImportError {
        ImportError::Value { place: self.id(), column, reason }
    }
}

/// Returns an index as a text. pandas writes a column of integers with a gap as floating-point numbers.
fn index_of(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|value| value.fract() == 0.0 && value.abs() < 1e15)?;
            Some((whole as i64).to_string())
        }
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}
