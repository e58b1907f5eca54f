//! Lists of sections.

pub(crate) mod lists;
