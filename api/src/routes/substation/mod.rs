//! Lists of substations.

pub(crate) mod lists;
