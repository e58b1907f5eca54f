//! Reports of one asset.

pub(crate) mod profiles;
pub(crate) mod profiles_energy;
pub(crate) mod profiles_power;
