//! Limits the nesting of a JSON text. It is checked before parsing, so that deep nesting costs no memory.

use crate::fault::Fault;

/// Largest nesting depth; a drawing needs 6.
const DEPTH_MAX: usize = 16;

/// Refuses a text that is nested deeper than [`DEPTH_MAX`].
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
