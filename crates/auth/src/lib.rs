//! Passwords, tokens and the permissions of a signed-in user. No IO; passwords are hashed on blocking threads.

mod address;
mod password;
mod principal;
mod rules;
mod seal;
mod second_factor;
mod token;
mod vault;

pub use address::{FORWARDED_FOR, caller, is_proxy, subscriber};
pub use password::{CallerClass, Error, hash_password, is_current, set_pepper, verify_password};
pub use principal::Principal;
pub use rules::{Weakness, judge_password};
pub use seal::{Seal, is_sealed};
pub use second_factor::{DIGITS, STEP_S, base32, hash_recovery_code, new_factor, new_recovery_code, step_of};
pub use token::{bearer, hash_token, new_handle, new_token};
pub use vault::{lock, unlock};
