//! Parses XML within limits.
//!
//! The parser compares each attribute with the earlier ones of its element, and each namespace with those of the parents. Therefore the text is scanned for
//! limits first. The work of the parser is then proportional to the size of the text.

use roxmltree::{Document, ParsingOptions};

/// Maximum number of nodes of a document: elements and texts.
const NODES_MAX: u32 = 10_000_000;

/// Maximum number of attributes of an element, namespaces included.
const ATTRIBUTES_MAX: usize = 64;

/// Maximum number of namespaces that are declared by an element and its parents.
const NAMESPACES_MAX: usize = 64;

/// Maximum depth of elements.
const DEPTH_MAX: usize = 64;

/// Parses a document. Document types are refused: entities could blow up the text or read other files.
pub(crate) fn parse(text: &str) -> Result<Document<'_>, String> {
    let text = text.trim_start_matches('\u{feff}');
    check(text)?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| error.to_string())
}

/// The tags of an element.
struct Tag {
    attributes: usize,
    namespaces: usize,
    is_empty: bool,
}

/// Refuses a text that exceeds a limit. Text that is not well-formed is left to the parser, which stops at the first error.
fn check(text: &str) -> Result<(), String> {
    // The number of namespaces of each open element and its parents.
    let mut open: Vec<usize> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let special = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>"), ("!", ">")].into_iter().find(|(begin, _)| rest.starts_with(begin));
        if let Some((begin, end)) = special {
            let Some(end_at) = rest[begin.len()..].find(end) else { return Ok(()) };
            rest = &rest[begin.len() + end_at + end.len()..];
            continue;
        }
        let Some((tag, length)) = tag(rest) else { return Ok(()) };
        let is_end = rest.starts_with('/');
        rest = &rest[length..];
        if is_end {
            open.pop();
            continue;
        }
        if tag.attributes > ATTRIBUTES_MAX {
            return Err(format!("an element has {} attributes; allowed are {ATTRIBUTES_MAX}", tag.attributes));
        }
        let namespaces = open.last().copied().unwrap_or(0) + tag.namespaces;
        if namespaces > NAMESPACES_MAX {
            return Err(format!("an element and its parents declare {namespaces} namespaces; allowed are {NAMESPACES_MAX}"));
        }
        if !tag.is_empty {
            open.push(namespaces);
        }
        if open.len() > DEPTH_MAX {
            return Err(format!("elements are nested deeper than {DEPTH_MAX}, which is the limit"));
        }
    }
    Ok(())
}

/// Returns what a tag has, and its length with the closing bracket; `None` if it does not end.
fn tag(text: &str) -> Option<(Tag, usize)> {
    let bytes = text.as_bytes();
    let mut tag = Tag { attributes: 0, namespaces: 0, is_empty: false };
    let (mut quote, mut word) = (None, 0);
    for (at, byte) in bytes.iter().enumerate() {
        match (quote, *byte) {
            (Some(open), byte) if byte == open => quote = None,
            (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
            (None, b'=') => {
                tag.attributes += 1;
                tag.namespaces += usize::from(bytes[word..at].starts_with(b"xmlns"));
            }
            (None, b'>') => {
                tag.is_empty = at > 0 && bytes[at - 1] == b'/';
                return Some((tag, at + 1));
            }
            _ => {}
        }
        // A name begins after a space or a quote. Spaces before the equals sign are part of no name.
        let begins_name = quote.is_none() && (byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\''));
        let next = bytes.get(at + 1).copied().unwrap_or(b'>');
        if begins_name && !next.is_ascii_whitespace() && next != b'=' {
            word = at + 1;
        }
    }
    None
}
