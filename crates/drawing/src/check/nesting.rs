//! How deep the brackets of a JSON text go: looked at before anything is read, so that depth costs nothing.

use crate::fault::Fault;

/// A drawing needs 6.
const DEPTH_MAX: usize = 16;

/// Refuses a text whose brackets go deeper than a drawing's ever do.
pub(crate) fn check(text: &str) -> Result<(), Fault> {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Err(Fault::at(text, at, format!("brackets go deeper than {DEPTH_MAX}")));
                }
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}
