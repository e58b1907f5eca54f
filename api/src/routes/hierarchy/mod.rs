//! The hierarchy, one level at a time.

pub(crate) mod children;
