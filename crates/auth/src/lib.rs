//! Passwords, tokens and what a signed-in person may see. No IO; the only thread it leaves is the one that hashes.

mod password;
mod principal;
mod token;

pub use password::{Error, hash_password, verify_password};
pub use principal::Principal;
pub use token::{bearer, hash_token, new_token};
