//! The form of ids in messages: limited length, no control characters.

/// Maximum number of characters of an id in a message. The rest is left out, because an id can be as long as the file that contains it.
const MESSAGE_CHARACTERS_MAX: usize = 80;

/// Returns an id in the form for messages.
pub(crate) fn shown(id: &str) -> String {
    limited(id, MESSAGE_CHARACTERS_MAX)
}

/// Returns a text without control characters. If it is too long, it is cut and ends with an ellipsis.
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
