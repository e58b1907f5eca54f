//! Parses postmaster.pid of PostgreSQL.

/// The used lines of the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PidFile {
    /// The postmaster's process id.
    pub pid: u32,
    /// Whether it accepts connections.
    pub ready: bool,
}

/// Parses the file: process id on the first line, status on the eighth. `None` while it is being written.
pub(crate) fn parse(text: &str) -> Option<PidFile> {
    let mut lines = text.lines();
    let pid = lines.next()?.trim().parse().ok()?;
    let ready = lines.nth(6).is_some_and(|status| status.trim() == "ready");
    Some(PidFile { pid, ready })
}

#[cfg(test)]
mod tests {
    use super::{PidFile, parse};

    #[test]
    fn every_stage_of_a_start() {
        let started = "4711\n/var/db\n1793694771\n5433\n\n127.0.0.1\n  12345 0\n";
        let cases = [
            (String::new(), None),
            ("47".to_owned(), Some((47, false))),
            (started.to_owned(), Some((4711, false))),
            (format!("{started}starting\n"), Some((4711, false))),
            (format!("{started}ready   \n"), Some((4711, true))),
            ("no number\n".to_owned(), None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(&text), expected.map(|(pid, ready)| PidFile { pid, ready }), "{text:?}");
        }
    }
}
