//! Merges an import file with the stored rows: columns that the file does not have keep their values, and replaced values are returned for the audit.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use super::columns;
use super::kind::CableFileKind;
use super::sheet::Faults;
use crate::import::Fault;

/// Maximum number of rows whose previous values are stored in the audit.
const KEPT_MAX: usize = 200;

/// The changes of stored rows.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// For each column, by its name in the file, the number of rows that change it.
    pub(super) columns: BTreeMap<&'static str, usize>,
    /// Number of rows that change.
    rows: usize,
    /// Previous values of the changed columns, with the key of the row.
    before: Vec<Value>,
}

impl Changes {
    /// Returns the previous values for the audit; nothing if no value was replaced.
    pub(super) fn listed(self) -> Option<Value> {
        let left_out = self.rows - self.before.len();
        (self.rows > 0).then(|| json!({ "rows": self.before, "rowsLeftOut": left_out }))
    }
}

/// Copies the stored values into the rows, for the columns that the file does not have. `lines` are the lines of the rows.
pub(super) fn merge(
    kind: CableFileKind,
    rows: &mut [Value],
    stored: Vec<Value>,
    left_out: &[&str],
    lines: &[u64],
    faults: &mut Faults,
) -> Changes {
    let keys = kind.keys();
    let key = |row: &Value| keys.iter().map(|column| row[*column].to_string()).collect::<Vec<_>>().join("\n");
    let stored: HashMap<String, Value> = stored.into_iter().map(|row| (key(&row), row)).collect();
    let mut changes = Changes::default();
    for (row, line) in rows.iter_mut().zip(lines) {
        let Some(old) = stored.get(&key(row)) else { continue };
        for column in left_out {
            row[*column] = old[*column].clone();
        }
        if let Some((installed, removed)) = row["installed"].as_i64().zip(row["removed"].as_i64()).filter(|(laid, out)| out < laid) {
            let what = format!("{installed}: the register says that it was taken out in {removed}, and this file has no removed_year");
            faults.push(Fault { line: *line, column: "installed_year".to_owned(), what });
        }
        let made = row["installed"].as_i64().or_else(|| row["made"].as_i64());
        let out = row["withdrawn"].as_str().and_then(|day| day.get(..4)?.parse::<i64>().ok());
        if let Some((made, out)) = made.zip(out).filter(|(made, out)| left_out.contains(&"withdrawn") && out < made) {
            let column = if row["installed"].is_null() { "made_year" } else { "installed_year" };
            let what = format!("{made}: it has been out of service since {out}, and this file has no withdrawn");
            faults.push(Fault { line: *line, column: column.to_owned(), what });
        }
        let mut before = Map::new();
        for column in columns::of(kind) {
            let (new, old) = (row.get(column.stored), old.get(column.stored));
            if let (Some(new), Some(old)) = (new, old)
                && !is_same(new, old)
            {
                *changes.columns.entry(column.name).or_default() += 1;
                before.insert(column.stored.to_owned(), old.clone());
            }
        }
        if before.is_empty() {
            continue;
        }
        changes.rows += 1;
        if changes.before.len() < KEPT_MAX {
            before.extend(keys.iter().map(|column| ((*column).to_owned(), old[*column].clone())));
            changes.before.push(before.into());
        }
    }
    changes
}

/// Returns whether two cells are equal. The database writes 1 for 1.0.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (one, other) => one == other,
    }
}
