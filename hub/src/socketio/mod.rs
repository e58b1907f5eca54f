//! Codecs of Engine.IO v4 and Socket.IO v5. They use neither sockets nor a clock.

pub(crate) mod engine;
pub(crate) mod packet;

/// The one namespace.
pub(crate) const NAMESPACE: &str = "/live";
