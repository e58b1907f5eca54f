//! Opaque tokens: 256 random bits for the client, their SHA-256 for the database (OWASP ASVS 5.0, 7.2.3).

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// Returns a new secret as hexadecimal text, and its hash to store.
pub fn new_token() -> (String, [u8; 32]) {
    let text = hexadecimal(&rand::random::<[u8; 32]>());
    let hash = hash_token(&text);
    (text, hash)
}

/// Returns a new handle for short-lived data of one user: 128 random bits as hexadecimal text.
pub fn new_handle() -> String {
    hexadecimal(&rand::random::<[u8; 16]>())
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Returns the hash by which a secret is looked up. The secret is random enough to need no salt.
pub fn hash_token(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Returns the token of an `Authorization: Bearer …` header; `None` if the header is not valid. The case of the scheme does not matter (RFC 9110, section
/// 11.1). The token is not empty and has only the characters of RFC 6750, section 2.1.
pub fn bearer(header: &[u8]) -> Option<&str> {
    let (scheme, token) = std::str::from_utf8(header).ok()?.split_once(' ')?;
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() && token.bytes().all(is_allowed)).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_token_is_a_token() {
        for header in ["Bearer abc.DEF-1", "bearer abc.DEF-1", "BEARER abc.DEF-1"] {
            assert_eq!(bearer(header.as_bytes()), Some("abc.DEF-1"));
        }
        for header in ["", "Bearer", "Bearer ", "Basic abc", "Bearer a b", "Bearer a,b", "Bearer  a", "Bearer a\tb", "Bearer ä"] {
            assert_eq!(bearer(header.as_bytes()), None, "{header}");
        }
        assert_eq!(bearer(b"Bearer \xff"), None);
    }

    #[test]
    fn tokens_differ_and_hash_to_what_is_stored() {
        let (one, hash) = new_token();
        let (other, _) = new_token();
        assert_ne!(one, other);
        assert_eq!(one.len(), 64);
        assert_eq!(hash_token(&one), hash);
        assert!(new_handle() != new_handle() && new_handle().len() == 32);
    }
}
