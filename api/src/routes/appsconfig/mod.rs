//! Data that the screens need for their selection lists: utilities, divisions, products, and substations with their
//! assets.

pub(crate) mod assets;
pub(crate) mod clients;
pub(crate) mod divisions;
pub(crate) mod primary_substations;
pub(crate) mod products;
