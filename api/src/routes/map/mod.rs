//! Where the network runs.

pub(crate) mod network;
