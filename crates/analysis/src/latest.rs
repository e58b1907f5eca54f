//! The newest readings of a substation as they may be shown.

use std::collections::HashMap;

use grid::{NodeId, PointId, Reading};
use identity::View;
use store::Store;
use wire::time::now;

use crate::error::Error;

/// Newest readings by point, as they may be shown.
pub type Picture = HashMap<PointId, Reading>;

/// The newest readings of a substation as they may be shown now.
pub async fn picture(store: &Store, view: &View, location: NodeId) -> Result<Picture, Error> {
    Ok(view.field.picture(store.latest_of(view.principal.client, Some(location)).await?, now()))
}
