//! Tables in the JSON of pandapower: each is a DataFrame of pandas in the form `split`, stored as a text that contains JSON.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::table::SOURCE_ID;

/// A table of a file.
#[derive(Deserialize)]
pub(super) struct Frame<'a> {
    #[serde(rename = "_class")]
    class: Option<String>,
    #[serde(rename = "_object", borrow)]
    object: Option<&'a RawValue>,
    orient: Option<String>,
}

impl Frame<'_> {
    pub(super) fn is_table(&self) -> bool {
        self.class.as_deref() == Some("DataFrame") && self.orient.as_deref().is_none_or(|orient| orient == "split")
    }

    /// Returns the content. It is a text that contains JSON, but some versions write the JSON directly.
    pub(super) fn content(&self) -> Option<Cow<'_, str>> {
        let object = self.object?;
        Some(serde_json::from_str::<String>(object.get()).map_or_else(|_| Cow::Borrowed(object.get()), Cow::Owned))
    }
}

/// A table that is written.
///
/// The index of a row is the number in the id of its part if the id has the form `table:number`. Other rows get numbers after the highest of these indexes, and
/// their ids are written to the column `source_id`.
#[derive(Debug)]
pub(super) struct NewTable {
    name: &'static str,
    /// Names and types of the columns; the types are those of numpy.
    columns: &'static [(&'static str, &'static str)],
    rows: Vec<(u32, Option<String>, Vec<Value>)>,
    used: HashSet<u32>,
    next: u32,
}

/// Returns the number in an id of the form `table:number`.
fn number_in(table: &str, id: &str) -> Option<u32> {
    let digits = id.strip_prefix(table)?.strip_prefix(':')?;
    // Not `007` or `+7`, which would come back as another id.
    digits.parse().ok().filter(|number: &u32| number.to_string() == digits && *number < u32::MAX / 2)
}

impl NewTable {
    /// Creates a table for parts with these ids.
    pub(super) fn new<'i>(
        name: &'static str,
        columns: &'static [(&'static str, &'static str)],
        ids: impl Iterator<Item = &'i str>,
    ) -> Self {
        let next = ids.filter_map(|id| number_in(name, id)).max().map_or(0, |number| number + 1);
        Self { name, columns, rows: Vec::new(), used: HashSet::new(), next }
    }

    /// Adds a row and returns its index. A value that is absent is null.
    pub(super) fn push(&mut self, id: &str, row: Value) -> u32 {
        let Value::Object(mut row) = row else { unreachable!("a row is an object") };
        let own = number_in(self.name, id).filter(|number| self.used.insert(*number));
        let index = own.unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        let values = self.columns.iter().map(|(column, _)| row.remove(*column).unwrap_or(Value::Null)).collect();
        debug_assert!(row.is_empty(), "columns that the table does not have: {row:?}");
        self.rows.push((index, own.is_none().then(|| id.to_owned()), values));
        index
    }

    /// Returns the table in the form of a file.
    pub(super) fn into_json(self) -> Value {
        let has_ids = self.rows.iter().any(|(_, id, _)| id.is_some());
        let columns = || self.columns.iter().copied().chain(has_ids.then_some((SOURCE_ID, "object")));
        let names: Vec<&str> = columns().map(|(name, _)| name).collect();
        let types: Map<String, Value> = columns().map(|(name, kind)| (name.to_owned(), json!(kind))).collect();
        let index: Vec<u32> = self.rows.iter().map(|(index, ..)| *index).collect();
        let data: Vec<Vec<Value>> = self
            .rows
            .into_iter()
            .map(|(_, id, mut values)| {
                values.extend(has_ids.then(|| json!(id)));
                values
            })
            .collect();
        let content = json!({ "columns": names, "index": index, "data": data }).to_string();
        json!({
            "_module": "pandas.core.frame", "_class": "DataFrame", "_object": content, "orient": "split", "dtype": types,
            "is_multiindex": false, "is_multicolumn": false,
        })
    }
}
