//! The active network of each utility in memory, for the diagrams of its feeders.

use std::collections::HashMap;
use std::sync::Arc;

use drawing::feeder::{FeederSummary, feeders};
use grid::{ClientId, PointId};
use network::Description;
use network::description::POSITION;
use store::network::ActiveVersion;
use store::{ReadClass, Store};
use tokio::sync::Mutex;

use crate::error::Error;

/// Limit of networks in memory. When it is exceeded, all are dropped and read again on demand. A network of 100,000 nodes has about 100 MB.
const KEPT: usize = 8;

/// A version of a network, with the points that it names.
#[derive(Debug)]
pub(crate) struct ActiveNetwork {
    version: ActiveVersion,
    pub(crate) description: Description,
    pub(crate) feeders: Vec<FeederSummary>,
    /// The points of each piece of equipment, each with whether it reports the position.
    points: HashMap<String, Vec<(PointId, bool)>>,
}

impl ActiveNetwork {
    /// Returns the points of a piece of equipment.
    pub(crate) fn points(&self, equipment: &str) -> impl Iterator<Item = PointId> {
        self.points.get(equipment).into_iter().flatten().map(|(point, _)| *point)
    }

    /// Returns the point that reports the position of a switch.
    pub(crate) fn position(&self, equipment: &str) -> Option<PointId> {
        self.points.get(equipment)?.iter().find(|(_, is_position)| *is_position).map(|(point, _)| *point)
    }
}

/// The network that was active when it was last used.
type Slot = Arc<Mutex<Option<Arc<ActiveNetwork>>>>;

/// The networks in memory. Simultaneous requests of a utility share one read.
#[derive(Debug, Default)]
pub(crate) struct ActiveNetworks {
    slots: Mutex<HashMap<ClientId, Slot>>,
}

impl ActiveNetworks {
    /// Returns a version of the network of a utility; `None` if there is no such version.
    pub(crate) async fn of(&self, store: &Store, client: ClientId, version: ActiveVersion) -> Result<Option<Arc<ActiveNetwork>>, Error> {
        let slot = {
            let mut slots = self.slots.lock().await;
            if slots.len() >= KEPT && !slots.contains_key(&client) {
                slots.clear();
            }
            // Copied out of the map, which must not be locked during a read.
            Arc::clone(slots.entry(client).or_default())
        };
        let mut held = slot.lock().await;
        if let Some(network) = held.as_ref().filter(|held| held.version == version) {
            return Ok(Some(Arc::clone(network)));
        }
        let store = store.in_class(ReadClass::Heavy);
        let Some(description) = store.network(client, version.version).await? else { return Ok(None) };
        let found: HashMap<String, PointId> = store.network_points(client, version.version).await?.into_iter().collect();
        let made = tokio::task::spawn_blocking(move || {
            let mut points: HashMap<String, Vec<(PointId, bool)>> = HashMap::new();
            for measurement in &description.measurements {
                if let Some(point) = found.get(&measurement.id) {
                    points.entry(measurement.equipment.clone()).or_default().push((*point, measurement.quantity == POSITION));
                }
            }
            let feeders = feeders(&description);
            Arc::new(ActiveNetwork { version, description, feeders, points })
        });
        let network = made.await.map_err(|error| {
            tracing::error!(%error, %client, "the feeders of a network cannot be found");
            Error::Internal
        })?;
        *held = Some(Arc::clone(&network));
        Ok(Some(network))
    }
}
