//! Opaque tokens: 256 random bits for the client, their SHA-256 for the database (trust.md S5).

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// A new secret as hexadecimal text, and the hash to store.
pub fn new_token() -> (String, [u8; 32]) {
    let bytes: [u8; 32] = rand::random();
    let mut text = String::with_capacity(64);
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    let hash = hash_token(&text);
    (text, hash)
}

/// The hash by which a secret is looked up. It is random enough to need no salt.
pub fn hash_token(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_hash_to_what_is_stored() {
        let (one, hash) = new_token();
        let (other, _) = new_token();
        assert_ne!(one, other);
        assert_eq!(one.len(), 64);
        assert_eq!(hash_token(&one), hash);
    }
}
