//! Detects the format of a drawing file by its content, because names and extensions are not reliable.

/// The supported formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The format of Switchyard.
    Own,
    /// IEC 61850-6.
    Scl,
    /// SVG with separate metadata.
    Svg,
}

/// Number of bytes in which the first element must start, after comments and declarations.
const LOOK: usize = 64 * 1024;

/// Returns the format of a file; `None` if it is not supported.
pub fn of(bytes: &[u8]) -> Option<Source> {
    let begin = crate::encoding::beginning(bytes, LOOK);
    let mut rest = begin.trim_start_matches('\u{feff}').trim_start();
    if rest.starts_with('{') {
        return Some(Source::Own);
    }
    loop {
        rest = rest.trim_start();
        // Skip declarations and comments before the first element.
        let end = match rest {
            _ if rest.starts_with("<?") => "?>",
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<!") => return doctype(rest),
            _ => break,
        };
        rest = &rest[rest.find(end)? + end.len()..];
    }
    named(rest.strip_prefix('<')?)
}

/// A document type only determines the reader; the reader then refuses it with a reason.
fn doctype(text: &str) -> Option<Source> {
    named(text.strip_prefix("<!DOCTYPE")?.trim_start())
}

fn named(text: &str) -> Option<Source> {
    let name = text.split(|letter: char| letter.is_whitespace() || "/>[".contains(letter)).next()?;
    match name.rsplit(':').next()? {
        "SCL" => Some(Source::Scl),
        "svg" => Some(Source::Svg),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_apart_by_content() {
        for (text, kind) in [
            ("\u{feff} {\"format\": 1}", Some(Source::Own)),
            ("<?xml version=\"1.0\"?>\n<!-- <svg> -->\n<SCL xmlns=\"x\">", Some(Source::Scl)),
            ("<s:SCL/>", Some(Source::Scl)),
            ("<svg>", Some(Source::Svg)),
            ("<!DOCTYPE svg [", Some(Source::Svg)),
            ("<html><svg>", None),
            ("<?xml", None),
            ("<!-- never ends", None),
            ("SCL", None),
            ("", None),
        ] {
            assert_eq!(of(text.as_bytes()), kind, "{text}");
        }
        let wide: Vec<u8> = "\u{feff}<?xml?><SCL>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(of(&wide), Some(Source::Scl));
    }
}
