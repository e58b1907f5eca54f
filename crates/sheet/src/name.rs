//! The file name of a report: its title and the local time, in characters that every system and header accepts.

use grid::time::Micros;
use jiff::tz::TimeZone;

use crate::Format;
use crate::cell::local;

/// Largest length of the title in bytes, so that title, time and extension fit into the limits of file systems.
const TITLE_MAX: usize = 80;

/// Returns a name such as `Feeder_load_2026-11-22_15-04-05.csv`. Each sequence of other characters than ASCII letters and digits becomes one
/// `_`, so that a title cannot result in a path, a hidden file or a second header line.
pub fn file_name(title: &str, when: Micros, zone: &TimeZone, format: Format) -> String {
    let mut name = String::new();
    for letter in title.chars() {
        if name.len() == TITLE_MAX {
            break;
        }
        match letter {
            'A'..='Z' | 'a'..='z' | '0'..='9' => name.push(letter),
            _ if !name.is_empty() && !name.ends_with('_') => name.push('_'),
            _ => {}
        }
    }
    let name = name.trim_end_matches('_');
    let name = if name.is_empty() { "report" } else { name };
    let stamp = local(when, zone).map_or_else(|| "undated".to_owned(), |time| time.strftime("%Y-%m-%d_%H-%M-%S").to_string());
    format!("{name}_{stamp}.{}", format.extension())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_carries_the_utilitys_time_and_nothing_that_could_be_a_path() {
        let kolkata = TimeZone::get("Asia/Kolkata").unwrap();
        let when = Micros::from_millis(1_795_340_045_000);
        let cases = [
            ("SAIDI / SAIFI", "SAIDI_SAIFI_2026-11-22_15-04-05.xlsx"),
            ("../../etc/passwd", "etc_passwd_2026-11-22_15-04-05.xlsx"),
            ("a\r\nSet-Cookie: x", "a_Set_Cookie_x_2026-11-22_15-04-05.xlsx"),
            ("", "report_2026-11-22_15-04-05.xlsx"),
            ("मासिक", "report_2026-11-22_15-04-05.xlsx"),
        ];
        for (title, expected) in cases {
            assert_eq!(file_name(title, when, &kolkata, Format::Xlsx), expected);
        }
        assert_eq!(file_name(&"x".repeat(500), when, &kolkata, Format::Csv).len(), TITLE_MAX + 24);
        assert_eq!(file_name("x", Micros(i64::MAX), &kolkata, Format::Csv), "x_undated.csv");
    }
}
