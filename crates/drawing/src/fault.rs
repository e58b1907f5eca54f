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

/// The beginnings of the lines of a text, to look up many lines without reading the text again.
#[derive(Debug)]
pub(crate) struct LineIndex(Vec<usize>);

impl LineIndex {
    /// Reads a text.
    pub(crate) fn new(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect())
    }

    /// Returns the line of a byte, from 1.
    pub(crate) fn line(&self, byte: usize) -> usize {
        self.0.partition_point(|end| *end < byte) + 1
    }

    /// Returns a finding at a byte, with its line.
    pub(crate) fn finding(&self, byte: usize, what: impl std::fmt::Display) -> String {
        format!("line {}: {what}", self.line(byte))
    }
}

/// Quotes a text for a message: at most 60 characters, with control characters escaped.
pub(crate) fn shown(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("\"{}{more}\"", short.escape_debug())
}

/// Creates the fault of a file that is larger than permitted.
pub(crate) fn too_large(max: usize) -> Fault {
    Fault::whole(format!("the file may have {} MiB", max / 1024 / 1024))
}

/// Returns the text of a file as UTF-8 without a byte order mark. A file larger than `max` bytes is refused.
pub(crate) fn text(bytes: &[u8], max: usize) -> Result<&str, Fault> {
    if bytes.len() > max {
        return Err(too_large(max));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let good = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            Err(Fault::at(good, good.len(), "is not UTF-8"))
        }
    }
}
