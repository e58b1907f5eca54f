//! Lists of divisions.

pub(crate) mod lists;
