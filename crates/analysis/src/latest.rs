//! The newest readings of a substation, with the quality to show.

use std::collections::HashMap;

use grid::{NodeId, PointId, Reading};
use identity::View;
use store::Store;
use wire::time::now;

use crate::error::Error;

/// The newest readings by point, with the quality to show.
pub type Picture = HashMap<PointId, Reading>;

/// Returns the newest readings of a substation, with the quality to show now.
pub async fn picture(store: &Store, view: &View, location: NodeId) -> Result<Picture, Error> {
    Ok(view.field.picture(store.latest_of(view.principal.client, Some(location)).await?, now()))
}
