//! Decodes XML files: UTF-8, UTF-16 and the encoding that the XML declaration names, such as ISO-8859-1.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::fault::{self, Fault, shown};

/// Number of bytes within which an XML declaration must end.
const DECLARATION: usize = 256;

/// Returns the text of an XML file without its byte order mark. A file that is larger than `max` bytes, in its own encoding or as UTF-8, is refused.
pub(crate) fn decode(bytes: &[u8], max: usize) -> Result<Cow<'_, str>, Fault> {
    if bytes.len() > max {
        return Err(fault::too_large(max));
    }
    let (encoding, mark) = find(bytes).map_err(|label| {
        Fault::whole(format!("encoding {} is not read: save the file as UTF-8, with encoding=\"UTF-8\" in its first line", shown(&label)))
    })?;
    if encoding == UTF_8 {
        let named =
            |fault: Fault| Fault { what: format!("{}: name its encoding in its first line, or save it as UTF-8", fault.what), ..fault };
        return fault::text(bytes, max).map(Cow::Borrowed).map_err(named);
    }
    let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes[mark..]).ok_or_else(|| {
        Fault::whole(format!(
            "is not {}, though it says so: save the file as UTF-8, with encoding=\"UTF-8\" in its first line",
            encoding.name()
        ))
    })?;
    if text.len() > max { Err(fault::too_large(max)) } else { Ok(text) }
}

/// Returns the beginning of a file as text. Bytes that cannot be decoded are replaced.
pub(crate) fn beginning(bytes: &[u8], length: usize) -> Cow<'_, str> {
    let begin = &bytes[..bytes.len().min(length)];
    let (encoding, mark) = find(begin).unwrap_or((UTF_8, 0));
    encoding.decode_without_bom_handling(&begin[mark..]).0
}

/// Returns the encoding of a file and the length of its byte order mark. The error is the declared encoding, if it is not known.
fn find(bytes: &[u8]) -> Result<(&'static Encoding, usize), String> {
    if let Some(found) = Encoding::for_bom(bytes) {
        return Ok(found);
    }
    match bytes {
        [b'<', 0, ..] => return Ok((UTF_16LE, 0)),
        [0, b'<', ..] => return Ok((UTF_16BE, 0)),
        _ => {}
    }
    let Some(label) = declared(bytes) else { return Ok((UTF_8, 0)) };
    let encoding = Encoding::for_label(label.as_bytes()).ok_or(label)?;
    // The declaration was read byte by byte, so the file is not UTF-16: a program saved it as UTF-8 and did not change the declaration.
    let is_wide = encoding == UTF_16LE || encoding == UTF_16BE;
    Ok((if is_wide { UTF_8 } else { encoding }, 0))
}

/// Returns the encoding in the XML declaration.
fn declared(bytes: &[u8]) -> Option<String> {
    let begin = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARATION)]);
    let (declaration, _) = begin.strip_prefix("<?xml")?.split_once("?>")?;
    let after = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    Some(after[1..].split_once(quote)?.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(text: &str, unit: impl Fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn xml_is_decoded_by_mark_and_by_declaration() {
        let text = |encoding: &str| format!("<?xml version=\"1.0\" encoding='{encoding}'?><a>Köln</a>");
        let latin: Vec<u8> = text("ISO-8859-1").chars().map(|letter| u8::try_from(letter).expect("Latin-1")).collect();
        for (bytes, expected) in [
            (text("UTF-8").into_bytes(), text("UTF-8")),
            (format!("\u{feff}{}", text("utf-8")).into_bytes(), text("utf-8")),
            (wide(&format!("\u{feff}{}", text("UTF-16")), u16::to_le_bytes), text("UTF-16")),
            (wide(&format!("\u{feff}{}", text("UTF-16")), u16::to_be_bytes), text("UTF-16")),
            (wide(&text("UTF-16"), u16::to_le_bytes), text("UTF-16")),
            (wide(&text("UTF-16"), u16::to_be_bytes), text("UTF-16")),
            (text("UTF-16").into_bytes(), text("UTF-16")),
            (latin, text("ISO-8859-1")),
            ("<a>Köln</a>".as_bytes().to_vec(), "<a>Köln</a>".to_owned()),
        ] {
            assert_eq!(decode(&bytes, 1_000).as_deref(), Ok(expected.as_str()));
            assert!(expected.starts_with(&*beginning(&bytes, 20)), "{expected}");
        }
    }

    #[test]
    fn undecodable_file_is_refused_with_what_to_do() {
        for (bytes, expected) in [
            (b"<?xml version=\"1.0\" encoding=\"KOI9\"?><a/>".to_vec(), "encoding \"KOI9\" is not read: save the file as UTF-8"),
            (b"<?xml version=\"1.0\"?><a>\xe4</a>".to_vec(), "column 25: is not UTF-8: name its encoding"),
            (vec![0xff, 0xfe, 0x00, 0xd8, 0x20, 0x00], "is not UTF-16LE, though it says so"),
            (vec![b' '; 2_000_000], "the file may have 1 MiB"),
            (wide(&format!("<{}", "\u{4e00}".repeat(400_000)), u16::to_le_bytes), "the file may have 1 MiB"),
        ] {
            let message = decode(&bytes, 1 << 20).expect_err("refused").to_string();
            assert!(message.contains(expected), "{message:?} lacks {expected:?}");
        }
    }
}
