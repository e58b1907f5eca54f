//! What ingest needs from outside.

use bus::Bus;
use store::Store;

use crate::readiness::Readiness;

/// What ingest needs from outside.
pub struct Deps {
    /// For the writers' own connections.
    pub database_url: String,
    /// For everything that is read, and for discoveries.
    pub store: Store,
    /// Where live values and events go.
    pub bus: Bus,
    /// Reports whether telemetry is taken.
    pub readiness: Readiness,
}
