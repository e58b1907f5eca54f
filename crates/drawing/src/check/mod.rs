//! Validates a drawing file. A hostile or broken file is refused with line, column and reason. A file with notes only is accepted.

pub(crate) mod nesting;
pub(crate) mod read;
mod wired;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde_json::Value;

use crate::schema::{Element, File};

pub use read::{BYTES_MAX, read};
pub use wired::unwired;

/// The assets and points of a substation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// Codes of the assets.
    pub assets: HashSet<String>,
    /// Addresses of the points.
    pub points: HashSet<String>,
}

/// Returns the assets and points that elements refer to but that do not exist in the substation, one line for each, in the order of the drawing.
///
/// Such a drawing is accepted, because it is often made before the field is commissioned. A missing point is displayed as
/// never received.
pub fn unknown_names(elements: &[Element], known: &Known) -> Vec<String> {
    let mut reported = HashSet::new();
    let mut lines = Vec::new();
    for element in elements {
        let mut names = Vec::new();
        collect(&serde_json::to_value(element).unwrap_or_default(), &mut names);
        for (what, name) in names {
            let there = if what == "asset" { &known.assets } else { &known.points };
            if !there.contains(&name) && reported.insert((what, name.clone())) {
                lines.push(format!(
                    "element {}: the substation has no {what} {}",
                    crate::fault::shown(element.id().as_str()),
                    crate::fault::shown(&name)
                ));
            }
        }
    }
    lines
}

fn collect(value: &Value, names: &mut Vec<(&'static str, String)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        Value::Object(object) => {
            for word in ["asset", "point"] {
                if let Some(name) = object.get(word).and_then(Value::as_str) {
                    names.push((word, name.to_owned()));
                }
            }
            object.values().for_each(|inner| collect(inner, names));
        }
        _ => {}
    }
}

/// Returns the elements that are outside of the sheet. They are permitted, but users will not see them without scrolling.
pub fn off_sheet(file: &File) -> Vec<String> {
    let (width, height) = (file.size.width.get(), file.size.height.get());
    let beyond = |element: &&Element| {
        let (x, y) = element.reach();
        x > width || y > height || x < 0.0 || y < 0.0
    };
    file.elements
        .iter()
        .filter(beyond)
        .map(|element| format!("element {} lies off the sheet", crate::fault::shown(element.id().as_str())))
        .collect()
}
