//! Reports of one asset.

pub(crate) mod current_forecast;
pub(crate) mod dc_profile;
pub(crate) mod phasor;
pub(crate) mod profiles;
pub(crate) mod profiles_energy;
pub(crate) mod profiles_power;
pub(crate) mod readings;
pub(crate) mod reliability_by_frequency;
