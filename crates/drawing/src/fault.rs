//! Faults of a file, with their line and column.

/// Largest number of faults that are reported for a file.
pub const FAULTS_MAX: usize = 50;

/// A fault of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct Fault {
    /// Line, from 1.
    pub line: usize,
    /// Character in the line, from 1.
    pub column: usize,
    /// What is wrong, and what is expected.
    pub what: String,
}

impl Fault {
    /// Creates a fault at a byte of a text.
    pub(crate) fn at(text: &str, byte: usize, what: impl Into<String>) -> Self {
        let before = &text[..text.floor_char_boundary(byte)];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Self { line, column: before[start..].chars().count() + 1, what: what.into() }
    }

    /// Creates a fault of the file as a whole.
    pub(crate) fn whole(what: impl Into<String>) -> Self {
        Self { line: 1, column: 1, what: what.into() }
    }
}

/// Quotes a text for a message: at most 60 characters, with control characters escaped.
pub(crate) fn shown(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("\"{}{more}\"", short.escape_debug())
}

/// Returns the text of a file as UTF-8 without a byte order mark. A file larger than `max` bytes is refused.
pub(crate) fn text(bytes: &[u8], max: usize) -> Result<&str, Fault> {
    if bytes.len() > max {
        return Err(Fault::whole(format!("the file may have {} MiB", max / 1024 / 1024)));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let good = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            Err(Fault::at(good, good.len(), "is not UTF-8"))
        }
    }
}
