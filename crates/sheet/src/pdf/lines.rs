//! Breaks a text into lines of a given width.

use super::font::Face;

const CUT: char = '…';

/// Returns at most `lines_max` lines of at most `width` at size 1; the last one ends in … if the text is longer. Lines break at spaces, and
/// inside a word that is longer than a line.
pub(super) fn broken(face: &mut Face, text: &str, width: f32, lines_max: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        let (mut used, mut word_from, mut word_used) = (0.0, 0, 0.0);
        for letter in paragraph.chars() {
            let letter = if letter == '\t' { ' ' } else { letter };
            let step = face.letter_width(letter);
            // Twice if the word that moves to the next line fills that line too.
            while used + step > width && !line.is_empty() {
                if letter == ' ' || word_from == 0 {
                    lines.push(std::mem::take(&mut line));
                    used = 0.0;
                } else {
                    let word = line.split_off(word_from);
                    lines.push(std::mem::replace(&mut line, word));
                    used -= word_used;
                }
                (word_from, word_used) = (0, 0.0);
            }
            if lines.len() > lines_max {
                return cut(face, lines, width, lines_max);
            }
            // The space at a line break is dropped.
            if letter == ' ' && line.is_empty() && !lines.is_empty() {
                continue;
            }
            line.push(letter);
            used += step;
            if letter == ' ' {
                (word_from, word_used) = (line.len(), used);
            }
        }
        lines.push(line);
        if lines.len() > lines_max {
            return cut(face, lines, width, lines_max);
        }
    }
    for line in &mut lines {
        line.truncate(line.trim_end().len());
    }
    lines
}

fn cut(face: &mut Face, mut lines: Vec<String>, width: f32, lines_max: usize) -> Vec<String> {
    lines.truncate(lines_max);
    if let Some(last) = lines.last_mut() {
        let room = width - face.letter_width(CUT);
        while face.width(last) > room && last.pop().is_some() {}
        last.truncate(last.trim_end().len());
        last.push(CUT);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_within_what_is_too_long() {
        let mut face = Face::regular().unwrap();
        let wide = face.width("transformer two");
        let lines = |face: &mut Face, text: &str, max| broken(face, text, wide, max);
        assert_eq!(lines(&mut face, "transformer two at the gate", 5), ["transformer two", "at the gate"]);
        assert_eq!(lines(&mut face, "a\nb", 5), ["a", "b"]);
        assert_eq!(lines(&mut face, "", 5), [""]);
        let long = lines(&mut face, &"x".repeat(60), 9);
        assert!(long.len() > 2 && long.concat().len() == 60, "{long:?}");
        let short = lines(&mut face, &"word ".repeat(50), 2);
        assert_eq!(short.len(), 2);
        assert!(short[1].ends_with('…') && face.width(&short[1]) <= wide, "{short:?}");
    }

    proptest::proptest! {
        #[test]
        fn no_line_is_wider_than_it_may_be_and_no_letter_is_lost(text in "[a-zA-Zäж ]{0,80}") {
            let mut face = Face::regular().unwrap();
            let lines = broken(&mut face, &text, 6.0, 100);
            for line in &lines {
                assert!(face.width(line) <= 6.0 || line.chars().count() == 1, "{line}");
            }
            let letters = |text: &str| text.replace(' ', "");
            assert_eq!(letters(&lines.concat()), letters(&text));
        }
    }
}
