//! Lists of towns.

pub(crate) mod lists;
