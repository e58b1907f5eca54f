//! The network of a utility with the positions that the database has at the moment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grid::{AssetId, Micros, Point, PointId};
use network::customers::CustomersWithoutSupply;
use network::live::{Contradiction, LiveNetwork, Sight};
use network::{EquipmentId, NetworkState, NodeId, Phases};
use store::manual_entry::ManualEntry;
use store::registry::{AssetRecord, NodeRecord};

use crate::{ActiveNetwork, EquipmentPoints, Image, Utility};

/// A network with the present states of its nodes.
#[derive(Debug, Clone)]
pub struct PresentNetwork {
    active: Arc<ActiveNetwork>,
    live: Arc<LiveNetwork>,
    /// The equipment whose position each point reports, in the order of the measurements.
    equipment: Arc<HashMap<PointId, Vec<EquipmentId>>>,
    points: Arc<HashMap<EquipmentId, PositionPoints>>,
    without_supply: Arc<CustomersWithoutSupply>,
}

/// The points of the position of a piece of equipment.
#[derive(Debug, Default)]
struct PositionPoints {
    /// In the order of the measurements; at least one.
    points: Vec<PointId>,
    /// The phases that they report.
    phases: Phases,
}

/// Where a piece of equipment is, as far as the registry knows it.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// Its substation.
    pub station: Option<&'a NodeRecord>,
    /// Its asset.
    pub asset: Option<&'a AssetRecord>,
    /// The point that reports its position.
    pub point: Option<&'a Point>,
}

impl PresentNetwork {
    /// Returns the version that is active.
    pub fn active(&self) -> &Arc<ActiveNetwork> {
        &self.active
    }

    /// Returns the positions and the states of the nodes.
    pub fn state(&self) -> &NetworkState {
        self.live.state()
    }

    /// Returns whether the state of a node contradicts its measured voltages.
    pub fn contradiction(&self, node: NodeId) -> Option<Contradiction> {
        self.live.contradiction(node)
    }

    /// Returns whether the position of a switch is the one that a user has confirmed.
    pub fn is_confirmed(&self, equipment: EquipmentId) -> bool {
        self.live.is_confirmed(equipment)
    }

    /// Returns whether a point of the position of a switch has ever reported anything.
    pub fn has_reported(&self, equipment: EquipmentId) -> bool {
        self.points.get(&equipment).is_some_and(|of| of.points.iter().any(|point| self.live.has_reported(*point)))
    }

    /// Returns the points that the states depend on.
    pub(crate) fn points(&self) -> Vec<PointId> {
        self.live.points().collect()
    }

    /// Returns the customers without supply of a substation by its code; `None` if the substation is not in the network, or the network has no customers.
    pub fn customers_without_supply(&self, station: &str) -> Option<u64> {
        self.active.without_supply_at(station, &self.without_supply)
    }

    /// Returns the first equipment whose position a point reports.
    pub fn equipment_of(&self, point: PointId) -> Option<EquipmentId> {
        self.all_equipment_of(point).first().copied()
    }

    /// Returns all equipment whose position a point reports: it moves together.
    pub fn all_equipment_of(&self, point: PointId) -> &[EquipmentId] {
        self.equipment.get(&point).map_or(&[], Vec::as_slice)
    }

    /// Returns the points that report the positions of the equipment whose position a point reports, with that point.
    pub fn points_beside(&self, point: PointId) -> impl Iterator<Item = PointId> {
        self.all_equipment_of(point).iter().filter_map(move |of| self.points.get(of)).flat_map(|of| of.points.iter().copied())
    }

    /// Returns whether points report the position of a switch in all of its phases. Where no point does, it is that of the normal state, and assumed.
    pub fn is_reported(&self, equipment: EquipmentId) -> bool {
        let all = self.active.model().phases_with_contact(equipment);
        self.points.get(&equipment).is_some_and(|of| all.without(of.phases).is_empty())
    }

    /// Returns the point that reports the position of equipment.
    pub fn point_of(&self, equipment: EquipmentId) -> Option<PointId> {
        self.points.get(&equipment)?.points.first().copied()
    }
}

/// The last states of a utility's network, with the positions that nobody reports once as normal and once as unknown. Requests change them one after another;
/// each change costs as much as what has moved since the last one.
#[derive(Debug, Default)]
pub(crate) struct PresentSlot {
    assumed: Mutex<Option<Held>>,
    doubted: Mutex<Option<Held>>,
    equipment_points: Mutex<Option<HeldPoints>>,
    feeders: Mutex<Option<FeederCustomers>>,
}

/// The points of the equipment of a network, with the network and the registry in which they were found.
#[derive(Debug)]
struct HeldPoints {
    active: Arc<ActiveNetwork>,
    image: Arc<Image>,
    points: Arc<EquipmentPoints>,
}

/// The customers of each feeder in a network, with the registry in which the feeders were found.
#[derive(Debug)]
struct FeederCustomers {
    active: Arc<ActiveNetwork>,
    image: Arc<Image>,
    customers: Arc<HashMap<AssetId, u64>>,
}

/// What the position of a switch is that no point reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreported {
    /// That of the normal state: for display.
    Assumed,
    /// Unknown: for decisions about safety.
    Unknown,
}

#[derive(Debug)]
struct Held {
    present: PresentNetwork,
    /// The registry with which the points were found.
    image: Arc<Image>,
}

impl PresentSlot {
    fn of(&self, unreported: Unreported) -> MutexGuard<'_, Option<Held>> {
        let slot = match unreported {
            Unreported::Assumed => &self.assumed,
            Unreported::Unknown => &self.doubted,
        };
        slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the points of the equipment of a network.
    pub(crate) fn equipment_points(&self, active: &Arc<ActiveNetwork>, image: &Arc<Image>) -> Arc<EquipmentPoints> {
        let mut held = self.equipment_points.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = held.as_ref().filter(|held| Arc::ptr_eq(&held.active, active) && Arc::ptr_eq(&held.image, image)) {
            return Arc::clone(&held.points);
        }
        let points = Arc::new(active.equipment_points(image));
        *held = Some(HeldPoints { active: Arc::clone(active), image: Arc::clone(image), points: Arc::clone(&points) });
        points
    }

    /// Returns the network with its points.
    pub(crate) fn bound(&self, active: &Arc<ActiveNetwork>, image: &Arc<Image>, unreported: Unreported) -> PresentNetwork {
        let mut held = self.of(unreported);
        if let Some(held) = held.as_ref().filter(|held| held.is_of(active, image)) {
            return held.present.clone();
        }
        let bindings = active.bind(image);
        let mut equipment: HashMap<PointId, Vec<EquipmentId>> = HashMap::new();
        let mut points: HashMap<EquipmentId, PositionPoints> = HashMap::new();
        for (point, of, phases) in &bindings.positions {
            let together = equipment.entry(*point).or_default();
            if !together.contains(of) {
                together.push(*of);
            }
            let of = points.entry(*of).or_default();
            of.points.push(*point);
            of.phases = of.phases.union(*phases);
        }
        let mut live = LiveNetwork::new(Arc::clone(active.model()), Arc::new(bindings));
        if unreported == Unreported::Unknown {
            live.doubt(active.switches().filter(|equipment| !points.contains_key(equipment)));
        }
        let (equipment, points) = (Arc::new(equipment), Arc::new(points));
        let without_supply = Arc::new(active.customers_without_supply(live.state()));
        let present = PresentNetwork { active: Arc::clone(active), live: Arc::new(live), equipment, without_supply, points };
        *held = Some(Held { present: present.clone(), image: Arc::clone(image) });
        present
    }

    /// Returns the customers of the consumers of each feeder.
    pub(crate) fn feeder_customers(&self, active: &Arc<ActiveNetwork>, utility: &Utility) -> Arc<HashMap<AssetId, u64>> {
        let image = &utility.image;
        let bound = self.bound(active, image, Unreported::Assumed);
        let mut held = self.feeders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = held.as_ref().filter(|held| Arc::ptr_eq(&held.active, active) && Arc::ptr_eq(&held.image, image)) {
            return Arc::clone(&held.customers);
        }
        let feeders = active.feeders_of(utility, |point| bound.equipment_of(point)).into_iter();
        let customers = Arc::new(feeders.filter_map(|(asset, feeder)| Some((asset, active.customers_of(feeder)?))).collect());
        let (active, image) = (Arc::clone(active), Arc::clone(image));
        *held = Some(FeederCustomers { active, image, customers: Arc::clone(&customers) });
        customers
    }

    /// Takes what users have entered, and what the points show now.
    pub(crate) fn take(
        &self,
        mut bound: PresentNetwork,
        image: &Arc<Image>,
        unreported: Unreported,
        entries: &[ManualEntry],
        now: Micros,
        sights: &[(PointId, Option<Sight>)],
    ) -> PresentNetwork {
        let confirmed = bound.active.confirmed(entries);
        let mut held = self.of(unreported);
        // The newest states, unless another version has become active meanwhile.
        let same = held.as_mut().filter(|held| held.is_of(&bound.active, image)).map(|held| &mut held.present);
        let target = same.unwrap_or(&mut bound);
        let network = Arc::make_mut(&mut target.live);
        network.confirm(&confirmed);
        for (point, sight) in sights {
            network.see(*point, now, *sight);
        }
        let changed = network.settle();
        Arc::make_mut(&mut target.without_supply).follow(network.state(), &changed);
        target.clone()
    }
}

impl Held {
    fn is_of(&self, active: &Arc<ActiveNetwork>, image: &Arc<Image>) -> bool {
        Arc::ptr_eq(&self.present.active, active) && Arc::ptr_eq(&self.image, image)
    }
}
