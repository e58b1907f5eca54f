//! Output for the user at the terminal. All other output goes to the log.

use std::io::Write;

/// Prints a line to standard output.
pub(crate) fn say(line: &str) {
    print(&format!("{line}\n"));
}

/// Prints a line to standard error, separate from the output of the command.
pub(crate) fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints a text unchanged. Errors are ignored, because a closed terminal must not stop a service.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Returns a URL without its password.
pub(crate) fn without_password(url: &str) -> String {
    match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(at)) if at > scheme => format!("{}{}", &url[..scheme + 3], &url[at + 1..]),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn a_password_is_not_printed() {
        for (url, shown) in [("mqtt://u:p@h:1", "mqtt://h:1"), ("mqtt://h:1", "mqtt://h:1")] {
            assert_eq!(without_password(url), shown);
        }
    }
}
