//! Argon2id with m = 19456 KiB, t = 2, p = 1 (trust.md S1), off the async threads and never more than two at a time.
//!
//! Each hash takes 19 MiB, which two at a time bound. One of the two is for people whom something else tells of already, so that no flood of strangers
//! keeps them from signing in or from operating.

use std::sync::OnceLock;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, KeyId, Params, ParamsBuilder, Version};
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;

/// For whom a password is hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    /// Somebody on a device that is known, in a session, or with a link that was mailed to them.
    Known,
    /// Anybody else.
    Stranger,
}

/// One hash at a time, and those who wait for it.
struct Lane {
    places: Semaphore,
    turn: Semaphore,
}

/// Some two seconds of waiting. Whoever comes when so many are there is sent away, or a flood would make everybody wait for ever.
const PLACES: usize = 50;

static KNOWN: Lane = Lane::new();
static STRANGERS: Lane = Lane::new();

impl Lane {
    const fn new() -> Self {
        Self { places: Semaphore::const_new(PLACES), turn: Semaphore::const_new(1) }
    }

    fn of(asker: Asker) -> &'static Self {
        match asker {
            Asker::Known => &KNOWN,
            Asker::Stranger => &STRANGERS,
        }
    }

    /// A place in the queue and then a turn. Both go along to the thread that hashes: the work goes on there when nobody waits for it any more.
    async fn turn(&self) -> Result<[SemaphorePermit<'_>; 2], Error> {
        let place = self.places.try_acquire().map_err(|_| Error::Busy)?;
        let turn = self.turn.acquire().await.map_err(|error| Error::Hash(error.to_string()))?;
        Ok([place, turn])
    }
}

/// Longer passwords are refused before any hashing, so that a body of megabytes buys no work.
const LENGTH_MAX: usize = 128 * 4;

/// A shorter pepper could be guessed like a password.
const PEPPER_MIN: usize = 32;

/// Bytes of the pepper's hash that a stored hash names it by.
const PEPPER_ID: usize = 6;

/// How this process hashes, settled with the first password.
static HASHER: OnceLock<Hasher> = OnceLock::new();

/// Why a password cannot be hashed or checked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Over 512 bytes.
    #[error("a password has at most {LENGTH_MAX} bytes")]
    TooLong,
    /// Too many wait already.
    #[error("too many passwords are being checked, try again in a moment")]
    Busy,
    /// The hash itself failed, for want of memory or randomness.
    #[error("the password could not be hashed: {0}")]
    Hash(String),
    /// Under 32 bytes.
    #[error("a pepper has at least {PEPPER_MIN} bytes")]
    Pepper,
    /// The pepper comes after the first password.
    #[error("the pepper has to be there before the first password")]
    Late,
}

/// Has a secret that is not in the database go into every hash from now on, so that a copy of the database is not enough to guess passwords. Hashes
/// without it stay good and are replaced as people sign in; those with it need it for ever.
pub fn set_pepper(secret: &[u8]) -> Result<(), Error> {
    if secret.len() < PEPPER_MIN {
        return Err(Error::Pepper);
    }
    HASHER.set(Hasher { pepper: Some(secret.to_vec()), ..Hasher::default() }).map_err(|_| Error::Late)
}

/// Hashes a password with a fresh salt, in PHC form, for somebody who may set it.
pub async fn hash_password(password: String) -> Result<String, Error> {
    if password.len() > LENGTH_MAX {
        return Err(Error::TooLong);
    }
    let turn = Lane::of(Asker::Known).turn().await?;
    let hashed = spawn_blocking(move || {
        let _turn = turn;
        hasher().hash(&password)
    });
    hashed.await.map_err(|error| Error::Hash(error.to_string()))?
}

/// Whether a password belongs to a stored hash. `None` stands for an unknown name: it takes as long and is false.
pub async fn verify_password(password: String, stored: Option<String>, asker: Asker) -> Result<bool, Error> {
    if password.len() > LENGTH_MAX {
        return Ok(false);
    }
    let turn = Lane::of(asker).turn().await?;
    let verified = spawn_blocking(move || {
        let _turn = turn;
        hasher().verify(&password, stored.as_deref())
    });
    verified.await.map_err(|error| Error::Hash(error.to_string()))
}

/// Whether a stored hash was made as hashes are made today. One that was not is replaced when its password is known, at a sign-in.
pub fn is_current(stored: &str) -> bool {
    form(stored) == form(hasher().nobody())
}

/// The pepper of this process, if it has one.
pub(crate) fn pepper() -> Option<&'static [u8]> {
    hasher().pepper.as_deref()
}

fn hasher() -> &'static Hasher {
    HASHER.get_or_init(Hasher::default)
}

/// What stands before salt and hash: algorithm, version and parameters.
fn form(stored: &str) -> Vec<&str> {
    stored.split('$').take(4).collect()
}

#[derive(Debug, Default)]
struct Hasher {
    pepper: Option<Vec<u8>>,
    /// What an unknown name is checked against, so that it takes as long as a known one.
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
            // The parameters are those of the stored hash; only the secret is ours.
            let argon2 = match &self.pepper {
                Some(pepper) if keyed => Argon2::new_with_secret(pepper, Algorithm::Argon2id, Version::V0x13, Params::default()).ok(),
                _ => Some(Argon2::default()),
            };
            argon2.is_some_and(|argon2| argon2.verify_password(password.as_bytes(), &hash).is_ok())
        });
        matches && stored.is_some()
    }
}

/// The name of a pepper, by which a hash made with another is known for one of yesterday.
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
            verify_password(password.to_owned(), stored.map(str::to_owned), Asker::Stranger).await.unwrap()
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
        let turn = FLOODED.turn().await.unwrap();
        let mut waiting: Vec<_> = (1..PLACES).map(|_| tokio::spawn(FLOODED.turn())).collect();
        while FLOODED.places.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(matches!(FLOODED.turn().await, Err(Error::Busy)));
        assert!(OTHER.turn().await.is_ok());
        assert!(!std::ptr::eq(Lane::of(Asker::Known), Lane::of(Asker::Stranger)));
        drop(turn);
        assert!(waiting.remove(0).await.unwrap().is_ok(), "and goes on when there is room");
    }
}
