//! Rules for new passwords (OWASP ASVS 5.0, section 6.2): long, not easy to guess, without the name of the user.

use std::collections::HashSet;

use zxcvbn::matching::patterns::MatchPattern;
use zxcvbn::{Score, zxcvbn};

/// Minimum length, characters.
const SHORTEST: usize = 15;
/// Maximum length, characters.
const LONGEST: usize = 128;
/// Number of characters that are checked. Further characters only make a password stronger, and the time of the check grows faster than the length.
const JUDGED: usize = 64;
/// Minimum length of a name that a password must not contain. Shorter names occur in many passwords by chance.
const NAME_MIN: usize = 3;

/// Words of the industry that an attacker tries first.
const OF_THE_TRADE: [&str; 19] = [
    "switchyard",
    "scada",
    "substation",
    "feeder",
    "breaker",
    "transformer",
    "switchgear",
    "operator",
    "dispatcher",
    "controlroom",
    "control",
    "utility",
    "electricity",
    "electric",
    "distribution",
    "network",
    "power",
    "grid",
    "energy",
];
/// Minimum number of unexpected parts in a password.
const PARTS_MIN: usize = 3;
/// Minimum length of a word. Shorter words count as single characters.
const WORD_MIN: usize = 3;
/// Number of random characters that count as one part.
const CHARACTERS_OF_A_PART: usize = 4;

/// Why a password is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Weakness {
    /// Shorter than 15 or longer than 128 characters.
    #[error("a password has {SHORTEST} to {LONGEST} characters")]
    Length,
    /// Contains the sign-in name or the part of the e-mail address before the @.
    #[error("a password may not contain the user name")]
    Name,
    /// Consists of common words, patterns and names of the site, without enough unexpected parts.
    #[error("this password is among those that are tried first; take words that do not belong together")]
    Common,
}

/// Checks a new password. `words` are names of the user, the site and the utility, which attackers try too. It takes some milliseconds of CPU time.
///
/// The estimator (zxcvbn, offline) knows 30,000 common passwords, names and words. It treats the characters between them as random, so it accepts
/// `Welcome@12345678`. Therefore the password must also have enough parts other than sequences, dates, single characters and expected words.
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
    let expected: Vec<String> = expected([username, email, mailbox].into_iter().chain(words.iter().copied()));
    let inputs: Vec<&str> = expected.iter().map(String::as_str).collect();
    let estimate = zxcvbn(&judged, &inputs);
    let is_common = estimate.score() < Score::Three || parts(estimate.sequence(), &expected) < PARTS_MIN;
    if is_common { Err(Weakness::Common) } else { Ok(()) }
}

/// Returns the expected words in lower case: each name as a whole, without separators, and in its parts.
fn expected<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let lower = names.chain(OF_THE_TRADE).map(str::to_lowercase);
    let split = |name: String| {
        let parts: Vec<String> = name.split(|part: char| !part.is_alphanumeric()).map(str::to_owned).collect();
        [vec![name, parts.concat()], parts].concat()
    };
    lower.flat_map(split).filter(|word| word.chars().count() >= WORD_MIN).collect()
}

/// Returns the number of different unexpected parts of a password: words, and groups of random characters.
fn parts(sequence: &[zxcvbn::Match], expected: &[String]) -> usize {
    let mut words = HashSet::new();
    let mut characters = 0;
    for found in sequence {
        match &found.pattern {
            MatchPattern::Dictionary(word) if word.matched_word.chars().count() >= WORD_MIN && !expected.contains(&word.matched_word) => {
                words.insert(word.matched_word.as_str());
            }
            MatchPattern::BruteForce => characters += found.token.chars().filter(|character| !character.is_whitespace()).count(),
            _ => {}
        }
    }
    words.len() + characters / CHARACTERS_OF_A_PART
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
            ("Welcome@12345678", Err(Weakness::Common)),
            ("GoodMorning@12345", Err(Weakness::Common)),
            ("P@$$w0rdP@$$w0rd", Err(Weakness::Common)),
            ("sunshine.sunshine", Err(Weakness::Common)),
            ("letmeinplease123", Err(Weakness::Common)),
            ("thisismypassword", Err(Weakness::Common)),
            ("iamtheadministrator", Err(Weakness::Common)),
            ("monkeydragonmonkey", Err(Weakness::Common)),
            ("Bangalore@560001", Err(Weakness::Common)),
            ("India@1947India@1947", Err(Weakness::Common)),
            ("NorthGrid@2024!!!", Err(Weakness::Common)),
            ("Northgrid#Substation1", Err(Weakness::Common)),
            ("Scada@Substation123", Err(Weakness::Common)),
            ("ControlRoom@2024", Err(Weakness::Common)),
            ("ElectricityBoard@2024", Err(Weakness::Common)),
            ("Asha.Rao.1985.Asha", Err(Weakness::Common)),
            ("AshaRao@northgrid", Err(Weakness::Common)),
            ("correct horse battery staple", Ok(())),
            ("northgrid kettle tram bridge", Ok(())),
            ("83#9172$640!5527", Ok(())),
            ("seven kettles under a tram", Ok(())),
            ("zwölf Brücken im Nebel", Ok(())),
            ("x9$Kq2!vLm4@Tz7w", Ok(())),
        ];
        for (password, expected) in cases {
            assert_eq!(judge_password(password, "omkar-7", "omkar@example.org", &["North Grid", "Asha", "Rao"]), expected, "{password}");
        }
        assert_eq!(judge_password(&"kettle tram bridge ".repeat(7), "a", "b@c", &[]), Err(Weakness::Length));
        assert_eq!(judge_password("a tram named omkar sings", "x", "omkar@example.org", &[]), Err(Weakness::Name));
    }
}
