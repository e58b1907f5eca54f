//! Lists of divisions.

pub(crate) mod divisions_by_circle;
