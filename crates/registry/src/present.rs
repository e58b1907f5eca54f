//! The network of a utility with the positions that the database has at the moment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use grid::{Micros, PointId};
use network::live::{LiveNetwork, Sight};
use network::{EquipmentId, NetworkState};
use store::Store;

use crate::{ActiveNetwork, Field, Image};

/// A network with the present states of its nodes.
#[derive(Debug, Clone)]
pub struct PresentNetwork {
    active: Arc<ActiveNetwork>,
    live: Arc<LiveNetwork>,
    equipment: Arc<HashMap<PointId, EquipmentId>>,
}

impl PresentNetwork {
    /// Returns the version that is active.
    pub fn active(&self) -> &ActiveNetwork {
        &self.active
    }

    /// Returns the positions and the states of the nodes.
    pub fn state(&self) -> &NetworkState {
        self.live.state()
    }

    /// Returns the equipment whose position a point reports.
    pub fn equipment_of(&self, point: PointId) -> Option<EquipmentId> {
        self.equipment.get(&point).copied()
    }

    /// Returns whether the position of a switch is reported by a point. Other positions are those of the normal state, and assumed.
    pub fn is_reported(&self, equipment: EquipmentId) -> bool {
        self.equipment.values().any(|reported| *reported == equipment)
    }
}

/// The last states of a utility's network. Requests change it one after another; each change costs as much as what has moved since the last one.
#[derive(Debug, Default)]
pub(crate) struct PresentSlot(Mutex<Option<Held>>);

#[derive(Debug)]
struct Held {
    present: PresentNetwork,
    /// The registry with which the points were found.
    image: Arc<Image>,
}

impl Field {
    /// Returns the active network of the utility with the positions that the database has now; `None` if the utility has no active network.
    pub async fn present_network(&self, store: &Store, now: Micros) -> store::Result<Option<PresentNetwork>> {
        let Some(active) = self.network.clone() else { return Ok(None) };
        let bound = self.bound(&active);
        let points: Vec<PointId> = bound.live.points().collect();
        let latest = self.picture(store.latest_of_points(active.client(), &points).await?, now);
        let mut live = bound.live.clone();
        let of_slot = {
            let mut held = self.present.0.lock().unwrap_or_else(PoisonError::into_inner);
            // The newest states, unless another version has become active meanwhile.
            let same =
                held.as_mut().filter(|held| Arc::ptr_eq(&held.present.active, &active) && Arc::ptr_eq(&held.image, &self.utility.image));
            let target = same.map_or(&mut live, |held| &mut held.present.live);
            let network = Arc::make_mut(target);
            for point in points {
                let sight = self.point(point).map(|known| Sight {
                    encoding: known.encoding(),
                    age_limit_ms: known.age_limit_ms(),
                    reading: latest.get(&point).copied(),
                });
                network.see(point, now, sight);
            }
            network.settle();
            Arc::clone(target)
        };
        Ok(Some(PresentNetwork { live: of_slot, ..bound }))
    }

    /// Returns the network with its points.
    fn bound(&self, active: &Arc<ActiveNetwork>) -> PresentNetwork {
        let mut held = self.present.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) =
            held.as_ref().filter(|held| Arc::ptr_eq(&held.present.active, active) && Arc::ptr_eq(&held.image, &self.utility.image))
        {
            return held.present.clone();
        }
        let bindings = active.bind(&self.utility.image);
        let equipment = bindings.positions.iter().map(|(point, equipment, _)| (*point, *equipment)).collect();
        let live = LiveNetwork::new(Arc::clone(active.model()), Arc::new(bindings));
        let present = PresentNetwork { active: Arc::clone(active), live: Arc::new(live), equipment: Arc::new(equipment) };
        *held = Some(Held { present: present.clone(), image: Arc::clone(&self.utility.image) });
        present
    }
}
