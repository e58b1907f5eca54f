//! RTUs and protocol gateways.

pub(crate) mod host_state;
