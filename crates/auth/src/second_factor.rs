//! Time-based one-time codes (RFC 6238) as the second factor beside the password, and recovery codes for a lost authenticator device.

use totp_rs::{Builder, Secret, Totp};

use crate::token::hash_token;

/// Number of digits of a code.
pub const DIGITS: u8 = 6;
/// How long a code is valid, s.
pub const STEP_S: u64 = 30;
/// Number of steps before and after the present one whose codes are accepted, because of clock differences and typing time (RFC 6238, section 5.2).
const SKEW: u16 = 1;
/// Length of a secret, bytes: the length of the hash (RFC 4226, section 4, R6).
const SECRET: usize = 20;
/// Length of a recovery code, random bytes.
const RECOVERY: usize = 10;
/// Number of characters in a group of a recovery code.
const GROUP: usize = 4;

/// Returns a new random secret.
pub fn new_factor() -> [u8; SECRET] {
    rand::random()
}

/// Returns a secret in base32, the format of authenticator devices.
pub fn base32(secret: &[u8]) -> String {
    Secret::from(secret).to_base32()
}

/// Returns the time step of a code; `None` if the code is wrong, or if its step is neither the present step nor next to it. The caller must refuse a step that
/// was used.
pub fn step_of(secret: &[u8], code: &str, unix_s: u64) -> Option<u64> {
    let is_code = code.len() == usize::from(DIGITS) && code.bytes().all(|byte| byte.is_ascii_digit());
    // A short secret would give codes that can be guessed.
    (is_code && secret.len() >= SECRET).then(|| totp(secret, DIGITS).check(code, unix_s)).flatten()
}

/// Returns a new recovery code, in groups of four characters.
pub fn new_recovery_code() -> String {
    let bytes: [u8; RECOVERY] = rand::random();
    let text: Vec<char> = base32(&bytes).chars().collect();
    text.chunks(GROUP).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-")
}

/// Returns the hash of a member's recovery code. Case and separators do not matter. The code is random enough to need no salt.
pub fn hash_recovery_code(code: &str, member: i64) -> [u8; 32] {
    let plain: String = code.chars().filter(char::is_ascii_alphanumeric).map(|character| character.to_ascii_uppercase()).collect();
    hash_token(&format!("recovery {member} {plain}"))
}

fn totp(secret: &[u8], digits: u8) -> Totp {
    Builder::new().with_secret(secret).with_digits(digits).with_step_duration(STEP_S).with_skew(SKEW).build_noncompliant()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6238, appendix B: the secret of the SHA-1 column, and times with their codes of eight digits.
    const SECRET_OF_THE_STANDARD: &[u8] = b"12345678901234567890";
    const OF_THE_STANDARD: [(u64, &str); 6] = [
        (59, "94287082"),
        (1_111_111_109, "07081804"),
        (1_111_111_111, "14050471"),
        (1_234_567_890, "89005924"),
        (2_000_000_000, "69279037"),
        (20_000_000_000, "65353130"),
    ];

    #[test]
    fn codes_are_those_of_the_standard() {
        for (at, code) in OF_THE_STANDARD {
            assert_eq!(totp(SECRET_OF_THE_STANDARD, 8).check(code, at), Some(at / STEP_S), "{at}");
            // A code of six digits is the end of the code of eight digits (RFC 4226, section 5.3).
            assert_eq!(step_of(SECRET_OF_THE_STANDARD, &code[2..], at), Some(at / STEP_S), "{at}");
        }
    }

    #[test]
    fn a_code_is_taken_a_step_early_or_late_and_no_more() {
        let (at, code) = (1_234_567_890_u64, "005924");
        for (off, expected) in [(-60, false), (-30, true), (0, true), (30, true), (60, false)] {
            assert_eq!(step_of(SECRET_OF_THE_STANDARD, code, at.wrapping_add_signed(off)).is_some(), expected, "{off} s");
        }
        for wrong in ["", "005925", "0059240", "05924", " 005924", "+05924", "００5924"] {
            assert_eq!(step_of(SECRET_OF_THE_STANDARD, wrong, at), None, "{wrong:?}");
        }
        assert_eq!(step_of(&[], "328482", 0), None, "no secret, no code");
    }

    #[test]
    fn a_recovery_code_is_known_however_it_is_typed_and_for_one_person() {
        let code = new_recovery_code();
        assert_eq!((code.len(), code.split('-').count()), (19, 4), "{code}");
        assert_ne!(code, new_recovery_code());
        let hash = hash_recovery_code(&code, 7);
        assert_eq!(hash, hash_recovery_code(&format!(" {} ", code.to_lowercase().replace('-', " ")), 7));
        assert_ne!(hash, hash_recovery_code(&code, 8));
        assert_eq!(base32(b"12345678901234567890"), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    }
}
