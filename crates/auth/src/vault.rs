//! Encryption (XChaCha20-Poly1305) of secrets that the database stores, with a key derived from the pepper.
//!
//! Without a pepper the secrets are only as safe as the database. Secrets encrypted without a pepper remain readable after one is set.

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};

use crate::password::{Error, pepper};

/// Separates keys for different uses.
const USE: &[u8] = b"switchyard second factor 1";
const NONCE: usize = 24;

/// Encrypts a secret for one member. It cannot be decrypted for another member.
pub fn lock(secret: &[u8], member: i64) -> Result<Vec<u8>, Error> {
    let nonce: [u8; NONCE] = rand::random();
    let locked = cipher(pepper()).encrypt(&XNonce::from(nonce), Payload { msg: secret, aad: &member.to_be_bytes() });
    let locked = locked.map_err(|_| Error::Hash("a secret could not be locked".to_owned()))?;
    Ok([nonce.as_slice(), &locked].concat())
}

/// Decrypts a secret of a member. `None` if it was encrypted for another member or with another pepper, or if it was changed.
pub fn unlock(locked: &[u8], member: i64) -> Option<Vec<u8>> {
    let (nonce, text) = locked.split_first_chunk::<NONCE>()?;
    let open = |pepper| cipher(pepper).decrypt(&XNonce::from(*nonce), Payload { msg: text, aad: &member.to_be_bytes() }).ok();
    open(pepper()).or_else(|| open(None))
}

fn cipher(pepper: Option<&[u8]>) -> XChaCha20Poly1305 {
    let key = Sha256::new().chain_update(USE).chain_update(pepper.unwrap_or_default()).finalize();
    XChaCha20Poly1305::new_from_slice(&key).expect("the hash is as long as the key")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_locked_opens_for_its_member_alone_and_not_when_touched() {
        let locked = lock(b"secret", 7).unwrap();
        assert!(!locked.windows(6).any(|part| part == b"secret"));
        assert_ne!(locked, lock(b"secret", 7).unwrap());
        assert_eq!(unlock(&locked, 7).as_deref(), Some(&b"secret"[..]));
        assert_eq!(unlock(&locked, 8), None);
        for at in 0..locked.len() {
            let mut touched = locked.clone();
            touched[at] ^= 1;
            assert_eq!(unlock(&touched, 7), None, "byte {at}");
        }
        assert_eq!(unlock(&locked[..20], 7), None);
    }

    #[test]
    fn a_pepper_that_comes_later_leaves_open_what_was_locked_before_and_another_opens_nothing() {
        let nonce = [3; NONCE];
        let locked = |pepper: Option<&[u8]>| {
            let payload = Payload { msg: b"secret", aad: &7i64.to_be_bytes() };
            [nonce.as_slice(), &cipher(pepper).encrypt(&XNonce::from(nonce), payload).unwrap()].concat()
        };
        assert_ne!(locked(None), locked(Some(&[1; 32])));
        assert_eq!(unlock(&locked(Some(&[1; 32])), 7), None, "this process has none");
    }
}
