//! Vector groups of transformers (IEC 60076-1), such as `Dyn11`.

use network::description::Connection;

/// Returns the connection and the clock number of each winding, up to the first one that cannot be parsed.
pub(super) fn parse(text: &str) -> Vec<(Connection, u8)> {
    let mut windings = Vec::new();
    let mut rest = text.trim();
    while let Some(letter) = rest.chars().next() {
        let (plain, earthed) = match letter.to_ascii_lowercase() {
            'd' => (Connection::Delta, Connection::Delta),
            'y' => (Connection::Star, Connection::StarEarthed),
            'z' => (Connection::Zigzag, Connection::ZigzagEarthed),
            'i' => (Connection::Single, Connection::Single),
            _ => break,
        };
        rest = &rest[letter.len_utf8()..];
        let is_earthed = rest.starts_with(['n', 'N']);
        rest = if is_earthed { &rest[1..] } else { rest };
        let digits = rest.len() - rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        let clock = rest[..digits].parse::<u8>().unwrap_or(0) % 12;
        rest = &rest[digits..];
        windings.push((if is_earthed { earthed } else { plain }, clock));
    }
    windings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_read_winding_by_winding() {
        use Connection::{Delta, Star, StarEarthed, Zigzag};
        for (text, expected) in [
            ("Dyn11", vec![(Delta, 0), (StarEarthed, 11)]),
            ("YNd1", vec![(StarEarthed, 0), (Delta, 1)]),
            ("YNyn0d11", vec![(StarEarthed, 0), (StarEarthed, 0), (Delta, 11)]),
            ("Yz5", vec![(Star, 0), (Zigzag, 5)]),
            ("Yy12", vec![(Star, 0), (Star, 0)]),
            ("", vec![]),
            ("?", vec![]),
            ("D999999", vec![(Delta, 0)]),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}
