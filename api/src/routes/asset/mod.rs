//! Lists of assets.

pub(crate) mod lists;
