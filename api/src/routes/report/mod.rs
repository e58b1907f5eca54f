//! Reports of one asset.

pub(crate) mod phasor;
pub(crate) mod profiles;
pub(crate) mod profiles_energy;
pub(crate) mod profiles_power;
pub(crate) mod readings;
