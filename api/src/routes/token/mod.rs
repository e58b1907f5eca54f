//! Sign-in and renewal of sessions.

pub(crate) mod sign_in;
