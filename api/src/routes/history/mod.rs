//! The history of assets.

pub(crate) mod asset;
