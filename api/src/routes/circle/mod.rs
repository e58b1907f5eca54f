//! Lists of circles.

pub(crate) mod lists;
