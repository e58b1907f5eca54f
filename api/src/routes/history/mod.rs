//! The history of assets.

pub(crate) mod asset;
pub(crate) mod chart;
pub(crate) mod measure;
