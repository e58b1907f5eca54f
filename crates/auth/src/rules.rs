//! What a new password must be (trust.md S3): long, not among those that are tried first, and not the person's own name.

use zxcvbn::{Score, zxcvbn};

/// The shortest, in characters.
const SHORTEST: usize = 15;
/// The longest, in characters.
const LONGEST: usize = 128;
/// As much of it as is judged: what follows only makes it stronger, and judging takes longer than in proportion.
const JUDGED: usize = 64;
/// A shorter name is in many passwords by chance.
const NAME_MIN: usize = 3;

/// Why a password cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Weakness {
    /// Too short or too long.
    #[error("a password has {SHORTEST} to {LONGEST} characters")]
    Length,
    /// The sign-in name or the name in front of the @ is in it.
    #[error("a password may not contain the user name")]
    Name,
    /// Common words, patterns and names of the site, without enough beside them.
    #[error("this password is among those that are tried first; take words that do not belong together")]
    Common,
}

/// Judges a new password. `words` are names of the site and the utility, which guessers try too. It takes some milliseconds of computing.
pub fn judge_password(password: &str, username: &str, email: &str, words: &[&str]) -> Result<(), Weakness> {
    if !(SHORTEST..=LONGEST).contains(&password.chars().count()) {
        return Err(Weakness::Length);
    }
    let lower = password.to_lowercase();
    let mailbox = email.split('@').next().unwrap_or_default();
    let is_in = |name: &str| name.chars().count() >= NAME_MIN && lower.contains(&name.to_lowercase());
    if is_in(username) || is_in(mailbox) {
        return Err(Weakness::Name);
    }
    let judged: String = password.chars().take(JUDGED).collect();
    let inputs: Vec<&str> = [username, email, "switchyard"].into_iter().chain(words.iter().copied()).collect();
    if zxcvbn(&judged, &inputs).score() < Score::Three { Err(Weakness::Common) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_tried_first_is_refused_and_a_sentence_is_not() {
        let cases = [
            ("short", Err(Weakness::Length)),
            ("fourteen chars", Err(Weakness::Length)),
            ("passwordpassword", Err(Weakness::Common)),
            ("123456789012345", Err(Weakness::Common)),
            ("aaaaaaaaaaaaaaaaaaaa", Err(Weakness::Common)),
            ("qwertyuiopasdfghjkl", Err(Weakness::Common)),
            ("switchyardswitchyard", Err(Weakness::Common)),
            ("northgridnorthgrid", Err(Weakness::Common)),
            ("my name is Omkar-7 today", Err(Weakness::Name)),
            ("seven kettles under a tram", Ok(())),
            ("zwölf Brücken im Nebel", Ok(())),
            ("x9$Kq2!vLm4@Tz7w", Ok(())),
        ];
        for (password, expected) in cases {
            assert_eq!(judge_password(password, "omkar-7", "omkar@example.org", &["northgrid"]), expected, "{password}");
        }
        assert_eq!(judge_password(&"kettle tram bridge ".repeat(7), "a", "b@c", &[]), Err(Weakness::Length));
        assert_eq!(judge_password("a tram named omkar sings", "x", "omkar@example.org", &[]), Err(Weakness::Name));
    }
}
