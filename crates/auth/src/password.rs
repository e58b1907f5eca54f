//! Hashing of passwords with Argon2id, m = 19456 KiB, t = 2, p = 1 (RFC 9106; OWASP ASVS 5.0, appendix C), on blocking threads.
//!
//! Each hash takes 19 MiB, so at most two run at a time: one for known callers and one for unknown callers. Many requests of unknown callers therefore cannot
//! keep known users from signing in or from operating.

use std::sync::OnceLock;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, KeyId, Params, ParamsBuilder, Version};
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;

/// The class of a caller for which a password is hashed. Each class has its own queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerClass {
    /// A user on a known device, in a session, or with a link from a mail.
    Known,
    /// Any other caller.
    Unknown,
}

/// A queue in which one hash runs at a time.
struct Lane {
    places: Semaphore,
    slot: Semaphore,
}

/// Limit of a queue, about two seconds of waiting. Further requests fail with [`Error::Busy`], so that the waiting time stays bounded.
const PLACES: usize = 50;

static KNOWN: Lane = Lane::new();
static UNKNOWN: Lane = Lane::new();

impl Lane {
    const fn new() -> Self {
        Self { places: Semaphore::const_new(PLACES), slot: Semaphore::const_new(1) }
    }

    fn of(class: CallerClass) -> &'static Self {
        match class {
            CallerClass::Known => &KNOWN,
            CallerClass::Unknown => &UNKNOWN,
        }
    }

    /// Takes a place in the queue and waits for the slot. The hashing thread holds both until it ends, even if the caller stops waiting.
    async fn acquire_slot(&self) -> Result<[SemaphorePermit<'_>; 2], Error> {
        let place = self.places.try_acquire().map_err(|_| Error::Busy)?;
        let slot = self.slot.acquire().await.map_err(|error| Error::Hash(error.to_string()))?;
        Ok([place, slot])
    }
}

/// Limit in bytes, checked before hashing: a large body must not cause work.
const LENGTH_MAX: usize = 128 * 4;

/// Minimum length in bytes. A shorter pepper can be guessed.
const PEPPER_MIN: usize = 32;

/// Length of the pepper's id in a stored hash, bytes.
const PEPPER_ID: usize = 6;

/// The hasher of this process. It is created with the first password and does not change.
static HASHER: OnceLock<Hasher> = OnceLock::new();

/// Why a password cannot be hashed or checked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The password is longer than 512 bytes.
    #[error("a password has at most {LENGTH_MAX} bytes")]
    TooLong,
    /// The queue is full.
    #[error("too many passwords are being checked, try again in a moment")]
    Busy,
    /// Hashing failed, because of missing memory or random numbers.
    #[error("the password could not be hashed: {0}")]
    Hash(String),
    /// The pepper is shorter than 32 bytes.
    #[error("a pepper has at least {PEPPER_MIN} bytes")]
    Pepper,
    /// The pepper was set after the first password was hashed.
    #[error("the pepper has to be there before the first password")]
    Late,
}

/// Sets a secret outside of the database that is part of every new hash, so that a copy of the database is not enough to guess passwords.
///
/// Hashes without the pepper remain valid and are replaced when their users sign in. Hashes with the pepper can never be verified without it.
pub fn set_pepper(secret: &[u8]) -> Result<(), Error> {
    if secret.len() < PEPPER_MIN {
        return Err(Error::Pepper);
    }
    HASHER.set(Hasher { pepper: Some(secret.to_vec()), ..Hasher::default() }).map_err(|_| Error::Late)
}

/// Hashes a new password with a random salt and returns it in PHC format. The caller has checked that the user may set it.
pub async fn hash_password(password: String) -> Result<String, Error> {
    if password.len() > LENGTH_MAX {
        return Err(Error::TooLong);
    }
    let slot = Lane::of(CallerClass::Known).acquire_slot().await?;
    let hashed = spawn_blocking(move || {
        let _slot = slot;
        hasher().hash(&password)
    });
    hashed.await.map_err(|error| Error::Hash(error.to_string()))?
}

/// Verifies a password against a stored hash. `None` is for an unknown user name: the check takes the same time and returns false.
pub async fn verify_password(password: String, stored: Option<String>, class: CallerClass) -> Result<bool, Error> {
    if password.len() > LENGTH_MAX {
        return Ok(false);
    }
    let slot = Lane::of(class).acquire_slot().await?;
    let verified = spawn_blocking(move || {
        let _slot = slot;
        hasher().verify(&password, stored.as_deref())
    });
    verified.await.map_err(|error| Error::Hash(error.to_string()))
}

/// Returns whether a stored hash has the present parameters and pepper. If not, the next sign-in replaces it, because the password is known then.
pub fn is_current(stored: &str) -> bool {
    form(stored) == form(hasher().nobody())
}

/// Returns the pepper of this process, if it has one.
pub(crate) fn pepper() -> Option<&'static [u8]> {
    hasher().pepper.as_deref()
}

fn hasher() -> &'static Hasher {
    HASHER.get_or_init(Hasher::default)
}

/// Returns the part of a hash before the salt: algorithm, version and parameters.
fn form(stored: &str) -> Vec<&str> {
    stored.split('$').take(4).collect()
}

#[derive(Debug, Default)]
struct Hasher {
    pepper: Option<Vec<u8>>,
    /// A hash to check for unknown user names, so that the check takes the same time as for known ones.
    nobody: OnceLock<String>,
}

impl Hasher {
    fn hash(&self, password: &str) -> Result<String, Error> {
        let failed = |error: argon2::Error| Error::Hash(error.to_string());
        let argon2 = match &self.pepper {
            None => Argon2::default(),
            Some(pepper) => {
                let mut params = ParamsBuilder::new();
                params.keyid(KeyId::new(&id(pepper)).map_err(failed)?);
                Argon2::new_with_secret(pepper, Algorithm::Argon2id, Version::V0x13, params.build().map_err(failed)?).map_err(failed)?
            }
        };
        let hash: PasswordHash = argon2.hash_password(password.as_bytes()).map_err(|error| Error::Hash(error.to_string()))?;
        Ok(hash.to_string())
    }

    fn nobody(&self) -> &str {
        self.nobody.get_or_init(|| self.hash("nobody has this password").unwrap_or_default())
    }

    fn verify(&self, password: &str, stored: Option<&str>) -> bool {
        let hash = PasswordHash::new(stored.unwrap_or_else(|| self.nobody()));
        let matches = hash.is_ok_and(|hash| {
            let keyed = Params::try_from(&hash).is_ok_and(|params| !params.keyid().is_empty());
            // The parameters come from the stored hash; only the secret comes from this process.
            let argon2 = match &self.pepper {
                Some(pepper) if keyed => Argon2::new_with_secret(pepper, Algorithm::Argon2id, Version::V0x13, Params::default()).ok(),
                _ => Some(Argon2::default()),
            };
            argon2.is_some_and(|argon2| argon2.verify_password(password.as_bytes(), &hash).is_ok())
        });
        matches && stored.is_some()
    }
}

/// Returns the id of a pepper. It is part of a stored hash, so that a hash with another pepper is recognised.
fn id(pepper: &[u8]) -> [u8; PEPPER_ID] {
    let digest: [u8; 32] = Sha256::digest(pepper).into();
    std::array::from_fn(|at| digest[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_of_a_known_name_is_accepted() {
        let stored = hash_password("correct horse".to_owned()).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert!(is_current(&stored));
        assert!(!is_current("$argon2id$v=19$m=4096,t=3,p=1$c2FsdHNhbHQ$aGFzaA"));
        let verify = async |password: &str, stored: Option<&str>| {
            verify_password(password.to_owned(), stored.map(str::to_owned), CallerClass::Unknown).await.unwrap()
        };
        assert!(verify("correct horse", Some(&stored)).await);
        assert!(!verify("correct horses", Some(&stored)).await);
        assert!(!verify("nobody has this password", None).await);
        assert!(!verify("anything", Some("not a hash")).await);
        assert!(!verify(&"x".repeat(513), Some(&stored)).await);
        assert!(matches!(hash_password("x".repeat(513)).await, Err(Error::TooLong)));
        assert!(matches!(set_pepper(&[7; 32]), Err(Error::Late)), "hashes of one process are of one kind");
    }

    #[test]
    fn a_hash_with_pepper_needs_the_same_pepper_and_one_without_stays_good() {
        let of = |pepper: Option<&[u8]>| Hasher { pepper: pepper.map(<[u8]>::to_vec), ..Hasher::default() };
        let (plain, one, other) = (of(None), of(Some(&[1; 32])), of(Some(&[2; 32])));
        let (old, stored) = (plain.hash("correct horse").unwrap(), one.hash("correct horse").unwrap());
        assert!(one.verify("correct horse", Some(&stored)) && !one.verify("correct horses", Some(&stored)));
        assert!(!other.verify("correct horse", Some(&stored)) && !plain.verify("correct horse", Some(&stored)));
        assert!(one.verify("correct horse", Some(&old)), "of before there was a pepper");
        assert_eq!(form(&stored), form(one.nobody()));
        assert!(form(&stored) != form(other.nobody()) && form(&old) != form(one.nobody()), "and is replaced at the next sign-in");
        assert!(matches!(set_pepper(&[7; 31]), Err(Error::Pepper)));
    }

    #[tokio::test]
    async fn a_flood_of_strangers_fills_its_own_queue_alone() {
        static FLOODED: Lane = Lane::new();
        static OTHER: Lane = Lane::new();
        let slot = FLOODED.acquire_slot().await.unwrap();
        let mut waiting: Vec<_> = (1..PLACES).map(|_| tokio::spawn(FLOODED.acquire_slot())).collect();
        while FLOODED.places.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(matches!(FLOODED.acquire_slot().await, Err(Error::Busy)));
        assert!(OTHER.acquire_slot().await.is_ok());
        assert!(!std::ptr::eq(Lane::of(CallerClass::Known), Lane::of(CallerClass::Unknown)));
        drop(slot);
        assert!(waiting.remove(0).await.unwrap().is_ok(), "and goes on when there is room");
    }
}
