//! The tree, a branch at a time.

pub(crate) mod children;
