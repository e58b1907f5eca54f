//! Ids in messages: of limited length, without control characters.

/// Maximum number of characters of an id in a message. The rest is left out: an id can be as long as the file that it is from.
const MESSAGE_CHARACTERS_MAX: usize = 80;

/// Returns an id as a message shows it.
pub(crate) fn shown(id: &str) -> String {
    limited(id, MESSAGE_CHARACTERS_MAX)
}

/// Returns a text without control characters and with an ellipsis instead of what is beyond a number of characters.
pub(crate) fn limited(text: &str, characters: usize) -> String {
    let shown: String = text
        .chars()
        .take(characters)
        .flat_map(|letter| {
            let escaped = letter.is_control().then(|| letter.escape_default());
            let plain = escaped.is_none().then_some(letter);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect();
    if text.chars().nth(characters).is_some() { shown + "…" } else { shown }
}
