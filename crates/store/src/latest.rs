//! The newest reading of every point.

use grid::{ClientId, Micros, NodeId, PointId, Reading};

use crate::{Result, Store};

impl Store {
    /// The newest readings of a utility, or of one of its substations. Points never heard are absent.
    pub async fn latest_of(&self, client: ClientId, location: Option<NodeId>) -> Result<Vec<(PointId, Reading)>> {
        let _ = (client, location);
        todo!()
    }

    /// The newest readings received after an instant, of one utility or of all.
    pub async fn latest_since(&self, client: Option<ClientId>, received_after: Micros) -> Result<Vec<(PointId, Reading)>> {
        let _ = (client, received_after);
        todo!()
    }
}
