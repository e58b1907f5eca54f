//! What people did.

pub(crate) mod list;
