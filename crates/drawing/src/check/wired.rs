//! What the wiring of a drawing comes to: a drawing that no wiring makes sense of is refused, one that is too large for it is told of.

use serde_json::{Value, json};

use crate::schema::{Element, File};
use crate::wiring::{Excess, Wiring};

fn wiring(elements: &[Element]) -> Wiring {
    let elements = serde_json::to_value(elements).unwrap_or(Value::Null);
    Wiring::of_value(&json!({ "elements": elements }))
}

/// Why nothing of a drawing is wired, if nothing is: then what is live and what is dead shows nowhere on it. Refused are drawings that were made to be so.
pub fn unwired(file: &File) -> Result<Option<String>, String> {
    told(wiring(&file.elements).excess)
}

fn told(excess: Option<Excess>) -> Result<Option<String>, String> {
    match excess {
        None => Ok(None),
        Some(excess) if excess.is_odd() => Err(format!("the drawing has {excess}")),
        Some(excess) => Ok(Some(format!("the drawing has {excess}: nothing shows what is live and what is dead"))),
    }
}

/// The elements that part nothing, by their places; or why there is no telling.
pub(super) fn shorted(elements: &[Element]) -> Result<Vec<usize>, String> {
    let wiring = wiring(elements);
    told(wiring.excess)?;
    Ok(wiring.shorted().collect())
}
