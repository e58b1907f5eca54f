//! Which kind of file something is, by its content: names and endings say little.

/// The kinds of files that a drawing comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Our own format.
    Own,
    /// IEC 61850-6.
    Scl,
    /// A picture with metadata beside it.
    Svg,
}

/// How far into a file its first element is looked for: behind comments and declarations.
const LOOK: usize = 64 * 1024;

/// The kind of a file; `None` when it is none of them.
pub fn of(bytes: &[u8]) -> Option<Source> {
    let begin = String::from_utf8_lossy(&bytes[..bytes.len().min(LOOK)]);
    let mut rest = begin.trim_start_matches('\u{feff}').trim_start();
    if rest.starts_with('{') {
        return Some(Source::Own);
    }
    loop {
        rest = rest.trim_start();
        // Declarations and comments come before the first element.
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

/// A document type is refused later, by the reader, which says why; here it only tells which reader.
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
    }
}
