//! Whether the active version of the network is in memory, and what is answered while it is not.

use grid::area::{ActiveSince, FoundBy};
use identity::View;
use registry::Field;

use crate::error::Error;
use crate::state::Services;

/// What is shown of something that is not in the network in memory, while the active version is another one.
pub(super) const LOADING: &str = "The network is being loaded, or cannot be used.";

/// Returns whether the network in memory is the version that the database says is active. Both can be none.
pub(super) async fn is_loaded(services: &Services, view: &View) -> Result<bool, Error> {
    let active = services.store().active_network(view.principal.client, Services::now()).await?;
    let loaded = view.field.active_network();
    Ok(active.map(|of| (of.version, of.since)) == loaded.map(|of| (of.version(), of.since())))
}

/// Returns the refusal of an act at a place that the active version has, or may have, and the network in memory has not.
pub(super) fn not_loaded() -> Error {
    Error::Late(format!("{LOADING} Nothing was changed. Try again in a few seconds, then ask the administrator."))
}

/// Returns by what a place was found that is in no container of the network in memory: it may be in one of another version.
pub(super) fn found_by(field: &Field) -> FoundBy {
    FoundBy::Network(field.active_network().map(|of| ActiveSince { version: of.version().0, since: of.since() }))
}
