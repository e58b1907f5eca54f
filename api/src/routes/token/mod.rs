//! Signing in and renewing.

pub(crate) mod sign_in;
