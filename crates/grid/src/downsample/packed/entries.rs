//! Arrays with an entry for each slot of a block.

/// Returns the entry of a slot; `None` beyond the end of the array.
pub(super) fn entry<T: Copy>(entries: &[Option<T>], slot: usize) -> Option<T> {
    entries.get(slot).copied().flatten()
}

/// Returns the entries up to the last one that is not `None`.
pub(super) fn trimmed<T>(entries: impl Iterator<Item = Option<T>>) -> Vec<Option<T>> {
    let mut entries: Vec<Option<T>> = entries.collect();
    entries.truncate(entries.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
    entries
}
