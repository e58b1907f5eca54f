//! The services that ingest needs.

use bus::Bus;
use registry::Registry;
use store::Store;

use crate::readiness::Readiness;

/// The services that ingest needs.
pub struct Deps {
    /// For the connections of the writers.
    pub database_url: String,
    /// For reads and discoveries.
    pub store: Store,
    /// The registry that this process follows.
    pub registry: Registry,
    /// Receives live values and events.
    pub bus: Bus,
    /// Receives the readiness of ingest.
    pub readiness: Readiness,
}
