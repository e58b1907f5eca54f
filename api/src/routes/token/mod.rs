//! Sign-in and renewal of sessions.

pub(crate) mod cookies;
pub(crate) mod sign_in;
