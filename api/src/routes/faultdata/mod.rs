//! Faults of feeders.

pub(crate) mod lists;
