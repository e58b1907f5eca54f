//! The audit of user actions.

pub(crate) mod list;
