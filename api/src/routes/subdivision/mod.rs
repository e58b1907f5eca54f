//! Lists of subdivisions.

pub(crate) mod lists;
