//! Reports of one asset.

pub(crate) mod phasor;
pub(crate) mod readings;
