//! The configuration of a utility, and switching to another utility.

pub(crate) mod client_configuration;
pub(crate) mod switch;
