//! The map of the network.

pub(crate) mod network;
