//! What the person at the terminal reads. Everything else goes to the log.

use std::io::Write;

/// Prints a line to standard output. A closed terminal is no reason to stop a service.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
