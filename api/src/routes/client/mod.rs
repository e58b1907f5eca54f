//! What is particular to a utility.

pub(crate) mod client_configuration;
pub(crate) mod switch;
