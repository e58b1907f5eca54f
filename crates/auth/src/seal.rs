//! Signatures (Ed25519, RFC 8032) by which data can be recognised later as written by this system.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

/// A signing key. Its secret must be kept safe, because with it anyone can write valid signatures.
#[derive(Debug, Clone)]
pub struct Seal(SigningKey);

impl Seal {
    /// Creates the key from a stored secret.
    pub fn of(secret: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(secret))
    }

    /// Creates a new key and returns its secret to store.
    pub fn new() -> (Self, [u8; 32]) {
        let secret: [u8; 32] = rand::random();
        (Self::of(&secret), secret)
    }

    /// Returns the public key, with which others verify signatures.
    pub fn public(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    /// Returns the signature of a text.
    pub fn sign(&self, text: &[u8]) -> [u8; 64] {
        self.0.sign(text).to_bytes()
    }
}

/// Returns whether the signature of a text was made with the secret of this public key.
pub fn is_sealed(public: &[u8; 32], text: &[u8], signature: &[u8; 64]) -> bool {
    VerifyingKey::from_bytes(public).is_ok_and(|key| key.verify_strict(text, &Signature::from_bytes(signature)).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes<const N: usize>(hex: &str) -> [u8; N] {
        std::array::from_fn(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
    }

    #[test]
    fn signatures_are_those_of_the_standard() {
        // RFC 8032, section 7.1, test 2: one byte is signed.
        let seal = Seal::of(&bytes("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"));
        assert_eq!(seal.public(), bytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"));
        let signature = bytes(
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        );
        assert_eq!(seal.sign(&[0x72]), signature);
        assert!(is_sealed(&seal.public(), &[0x72], &signature));
        assert!(!is_sealed(&seal.public(), &[0x73], &signature));
        assert!(!is_sealed(&Seal::new().0.public(), &[0x72], &signature));
        assert!(!is_sealed(&[0xff; 32], &[0x72], &signature), "no key at all");
    }
}
