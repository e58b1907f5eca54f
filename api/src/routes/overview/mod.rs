//! The overview of substations.

pub(crate) mod rows;
