//! Rows for the analytics screens.

pub(crate) mod load_current;
