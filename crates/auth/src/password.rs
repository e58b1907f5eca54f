//! Argon2id with m = 19456 KiB, t = 2, p = 1 (trust.md S1), off the async threads and never more than two at a time.

use std::sync::LazyLock;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Each hash takes 19 MiB: two at a time bound the memory, and the rest wait their turn.
static AT_A_TIME: Semaphore = Semaphore::const_new(2);

/// Longer passwords are refused before any hashing, so that a body of megabytes buys no work.
const LENGTH_MAX: usize = 128 * 4;

/// What an unknown name is checked against, so that it takes as long as a known one.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash("nobody has this password").unwrap_or_default());

/// How a hash of today begins.
const CURRENT: &str = "$argon2id$v=19$m=19456,t=2,p=1$";

/// Why a password cannot be hashed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Over 512 bytes.
    #[error("a password has at most {LENGTH_MAX} bytes")]
    TooLong,
    /// The hash itself failed, for want of memory or randomness.
    #[error("the password could not be hashed: {0}")]
    Hash(String),
}

fn hash(password: &str) -> Result<String, Error> {
    let hash: PasswordHash = Argon2::default().hash_password(password.as_bytes()).map_err(|error| Error::Hash(error.to_string()))?;
    Ok(hash.to_string())
}

/// Hashes a password with a fresh salt, in PHC form.
pub async fn hash_password(password: String) -> Result<String, Error> {
    if password.len() > LENGTH_MAX {
        return Err(Error::TooLong);
    }
    let _turn = AT_A_TIME.acquire().await.map_err(|error| Error::Hash(error.to_string()))?;
    spawn_blocking(move || hash(&password)).await.map_err(|error| Error::Hash(error.to_string()))?
}

/// Whether a stored hash was made as hashes are made today. One that was not is replaced when its password is known, at a sign-in.
pub fn is_current(stored: &str) -> bool {
    stored.starts_with(CURRENT)
}

/// Whether a password belongs to a stored hash. `None` stands for an unknown name: it takes as long and is false.
pub async fn verify_password(password: String, stored: Option<String>) -> bool {
    if password.len() > LENGTH_MAX {
        return false;
    }
    let Ok(_turn) = AT_A_TIME.acquire().await else { return false };
    spawn_blocking(move || {
        let known = stored.is_some();
        let stored = stored.unwrap_or_else(|| NOBODY.clone());
        let matches = PasswordHash::new(&stored).is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok());
        matches && known
    })
    .await
    .unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_of_a_known_name_is_accepted() {
        let stored = hash_password("correct horse".to_owned()).await.unwrap();
        assert!(is_current(&stored), "{stored}");
        assert!(!is_current("$argon2id$v=19$m=4096,t=3,p=1$c2FsdHNhbHQ$aGFzaA"));
        assert!(verify_password("correct horse".to_owned(), Some(stored.clone())).await);
        assert!(!verify_password("correct horses".to_owned(), Some(stored)).await);
        assert!(!verify_password("nobody has this password".to_owned(), None).await);
        assert!(!verify_password("anything".to_owned(), Some("not a hash".to_owned())).await);
        assert!(matches!(hash_password("x".repeat(513)).await, Err(Error::TooLong)));
    }
}
