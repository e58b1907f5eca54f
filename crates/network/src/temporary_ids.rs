//! The ids that temporary changes give to their equipment and nodes.

const PREFIX: &str = "temporary/";

/// Returns the id of the equipment of a temporary change.
pub fn equipment_of(number: i64) -> String {
    format!("{PREFIX}{number}")
}

/// Returns the id of the node at the free end of a line that is cut.
pub fn end_of_cut(number: i64) -> String {
    format!("{PREFIX}{number}/end")
}

/// Returns whether an id belongs to temporary changes, so that no part of a stored network may have it.
pub(crate) fn is_reserved(id: &str) -> bool {
    id.starts_with(PREFIX)
}
