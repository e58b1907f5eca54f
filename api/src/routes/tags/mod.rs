//! Tags on devices: a caution warns, an inhibit blocks.

use grid::command::TagRecord;
use wire::control::TagRow;

pub(crate) mod list;
pub(crate) mod place;
pub(crate) mod remove;

/// Limit of characters of a reason.
const REASON_MAX: usize = 200;

/// Returns a reason in its stored form; `None` if it is empty or too long.
fn reason(text: &str) -> Option<String> {
    let text = text.trim();
    let is_one = !text.is_empty() && text.chars().count() <= REASON_MAX && !text.chars().any(char::is_control);
    is_one.then(|| text.to_owned())
}

fn rows(tags: &[TagRecord]) -> Vec<TagRow> {
    tags.iter().map(TagRow::from).collect()
}
