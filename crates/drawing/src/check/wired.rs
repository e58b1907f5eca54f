//! Checks the wiring of a drawing. If the wiring is not plausible, the drawing is refused. If the drawing is too large to be wired, it gets a note.

use serde_json::{Value, json};

use crate::schema::{Element, File};
use crate::wiring::{Excess, Wiring};

fn wiring(elements: &[Element]) -> Wiring {
    let elements = serde_json::to_value(elements).unwrap_or(Value::Null);
    Wiring::of_value(&json!({ "elements": elements }))
}

/// Returns the reason why a drawing has no wiring, if it is too large. Then it cannot show energised states. If the drawing exceeds a limit that no real
/// substation reaches, the result is an error and the drawing is refused.
pub fn unwired(file: &File) -> Result<Option<String>, String> {
    note_or_fault(wiring(&file.elements).excess)
}

fn note_or_fault(excess: Option<Excess>) -> Result<Option<String>, String> {
    match excess {
        None => Ok(None),
        Some(excess) if excess.is_odd() => Err(format!("the drawing has {excess}")),
        Some(excess) => Ok(Some(format!("the drawing has {excess}: nothing shows what is live and what is dead"))),
    }
}

/// Returns the indexes of elements with both terminals on one node, or an error as in [`unwired`].
pub(super) fn shorted(elements: &[Element]) -> Result<Vec<usize>, String> {
    let wiring = wiring(elements);
    note_or_fault(wiring.excess)?;
    Ok(wiring.shorted().collect())
}
