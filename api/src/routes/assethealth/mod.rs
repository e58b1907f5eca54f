//! The health of assets.

pub(crate) mod permissible_load;
