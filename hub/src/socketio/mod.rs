//! Engine.IO v4 and Socket.IO v5 as data: packets in, packets out. No sockets and no clock here.

pub(crate) mod engine;
pub(crate) mod packet;

/// The one namespace.
pub(crate) const NAMESPACE: &str = "/live";
