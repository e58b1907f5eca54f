//! The network of a utility with the positions that the database has at the moment.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grid::manual_entry::EntryTerms;
use grid::{Micros, Point, PointId};
use network::customers::CustomersWithoutSupply;
use network::live::{Bindings, Contradiction, EnteredPosition, LiveNetwork, Sight};
use network::{Contact, EquipmentId, NetworkState, NodeId, Phase, Phases};
use store::manual_entry::ManualEntry;
use store::registry::{AssetRecord, NodeRecord};

use crate::codes::Codes;
use crate::entered_positions::EnteredEntries;
use crate::{ActiveNetwork, EquipmentPoints, Image, NetworkFeeders, Utility};

/// A network with the present states of its nodes.
#[derive(Debug, Clone)]
pub struct PresentNetwork {
    active: Arc<ActiveNetwork>,
    live: Arc<LiveNetwork>,
    positions: Arc<BoundPositions>,
    without_supply: Arc<CustomersWithoutSupply>,
}

/// The points that report the positions of the equipment of a network.
#[derive(Debug)]
pub struct BoundPositions {
    active: Arc<ActiveNetwork>,
    /// The equipment whose position each point reports, in the order of the measurements.
    equipment: HashMap<PointId, Vec<EquipmentId>>,
    points: HashMap<EquipmentId, PositionPoints>,
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

    /// Returns whether the position of each phase of a switch is one that a user has entered.
    pub fn is_entered(&self, equipment: EquipmentId) -> bool {
        self.live.is_entered(equipment)
    }

    /// Returns the entry that determines the position of a phase of equipment.
    pub fn entry_of(&self, equipment: EquipmentId, phase: Phase) -> Option<&EnteredPosition> {
        self.live.entry_of(equipment, phase)
    }

    /// Returns the position that the points of equipment report now, whatever users have entered.
    pub fn reported_position(&self, equipment: EquipmentId, phases: Phases) -> Contact {
        self.live.reported_position(equipment, phases)
    }

    /// Returns the equipment whose position a point reports, each with the phases that it reports.
    pub fn reported_by(&self, point: PointId) -> Vec<(EquipmentId, Phases)> {
        self.live.reported_by(point)
    }

    /// Returns whether an entry with these terms would count for some phases of equipment.
    pub fn would_count(&self, equipment: EquipmentId, phases: Phases, terms: EntryTerms) -> bool {
        self.live.would_count(equipment, phases, terms)
    }

    /// Returns whether the position of equipment, or of one of its phases, is only assumed: no point reports it, and no user has entered it.
    pub fn is_assumed(&self, equipment: EquipmentId) -> bool {
        let model = self.active.model();
        let has_position = model.kind(equipment).is_switch() || model.earth_of(equipment).is_some();
        // What a crew has placed is where it is.
        let is_placed = self.active.temporary_of(equipment).is_some();
        has_position && !is_placed && !self.positions.is_reported(equipment) && !self.is_entered(equipment)
    }

    /// Returns the points that the states depend on.
    pub(crate) fn points(&self) -> Vec<PointId> {
        self.live.points().collect()
    }

    /// The customers without supply.
    pub fn customers_without_supply(&self) -> &CustomersWithoutSupply {
        &self.without_supply
    }

    /// Returns the points of the positions.
    pub fn positions(&self) -> &BoundPositions {
        &self.positions
    }
}

impl BoundPositions {
    fn new(active: &Arc<ActiveNetwork>, bindings: &Bindings) -> Self {
        let mut points: HashMap<EquipmentId, PositionPoints> = HashMap::new();
        for (point, of, phases) in &bindings.positions {
            let of = points.entry(*of).or_default();
            of.points.push(*point);
            of.phases = of.phases.union(*phases);
        }
        Self { active: Arc::clone(active), equipment: bindings.equipment_by_point(), points }
    }

    /// Returns the version that is active.
    pub fn active(&self) -> &Arc<ActiveNetwork> {
        &self.active
    }

    /// Returns all equipment whose position a point reports: it moves together.
    pub fn equipment_of(&self, point: PointId) -> &[EquipmentId] {
        self.equipment.get(&point).map_or(&[], Vec::as_slice)
    }

    /// Returns the points that report the positions of the equipment whose position a point reports, with that point.
    pub fn points_beside(&self, point: PointId) -> impl Iterator<Item = PointId> {
        self.equipment_of(point).iter().flat_map(|of| self.points_of(*of).iter().copied())
    }

    /// Returns equipment with all that a point of its position reports together with it.
    pub fn moved_with(&self, equipment: EquipmentId) -> BTreeSet<EquipmentId> {
        let points = self.points_of(equipment).iter();
        points.flat_map(|point| self.equipment_of(*point).iter().copied()).chain([equipment]).collect()
    }

    /// Returns whether points report the position of a switch in all of its phases. Where no point does, it is that of the normal state, and assumed.
    pub fn is_reported(&self, equipment: EquipmentId) -> bool {
        let all = self.active.model().phases_with_contact(equipment);
        self.points.get(&equipment).is_some_and(|of| all.without(of.phases).is_empty())
    }

    /// Returns the first point that reports the position of equipment.
    pub fn point_of(&self, equipment: EquipmentId) -> Option<PointId> {
        self.points_of(equipment).first().copied()
    }

    /// Returns the points that report the position of equipment, in the order of the measurements.
    pub fn points_of(&self, equipment: EquipmentId) -> &[PointId] {
        self.points.get(&equipment).map_or(&[], |of| of.points.as_slice())
    }
}

/// The last states of a utility's network, with the positions that nobody reports once as normal and once as unknown. Requests change them one after another;
/// each change costs as much as what has moved since the last one. A change of the registry builds them again only if it changes the points that the network is
/// bound to.
#[derive(Debug, Default)]
pub(crate) struct PresentSlot {
    /// How many networks were built from nothing.
    built: AtomicU64,
    assumed: Mutex<Option<Held>>,
    doubted: Mutex<Option<Held>>,
    equipment_points: Mutex<Option<HeldPoints>>,
    feeders: Mutex<Option<HeldFeeders>>,
    codes: Mutex<Option<(Arc<Image>, Arc<Codes>)>>,
}

/// The points of the equipment of a network, with the network and a registry that has these points.
#[derive(Debug)]
struct HeldPoints {
    active: Arc<ActiveNetwork>,
    image: Arc<Image>,
    points: Arc<EquipmentPoints>,
}

/// The feeders of a network, with the registry in which they were found.
#[derive(Debug)]
struct HeldFeeders {
    /// The points of the positions of that network.
    positions: Arc<BoundPositions>,
    image: Arc<Image>,
    feeders: Arc<NetworkFeeders>,
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
    /// The manual entries that it has.
    entered: EnteredEntries,
    /// A registry with these points.
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
        let is_same = |held: &&mut HeldPoints| Arc::ptr_eq(&held.active, active) && image.has_same_points(&held.image, active.client());
        if let Some(held) = held.as_mut().filter(is_same) {
            held.image = Arc::clone(image);
            return Arc::clone(&held.points);
        }
        let points = Arc::new(active.equipment_points(image));
        *held = Some(HeldPoints { active: Arc::clone(active), image: Arc::clone(image), points: Arc::clone(&points) });
        points
    }

    /// Returns the points of the positions of a network.
    pub(crate) fn positions(&self, active: &Arc<ActiveNetwork>, image: &Arc<Image>, unreported: Unreported) -> Arc<BoundPositions> {
        Arc::clone(&self.held(&mut self.of(unreported), active, image, unreported).present.positions)
    }

    /// Returns the points that the states of a network depend on.
    pub(crate) fn points(&self, active: &Arc<ActiveNetwork>, image: &Arc<Image>, unreported: Unreported) -> Vec<PointId> {
        self.held(&mut self.of(unreported), active, image, unreported).present.points()
    }

    /// Returns the feeders of a network.
    pub(crate) fn feeders(&self, active: &Arc<ActiveNetwork>, utility: &Utility) -> Arc<NetworkFeeders> {
        let image = &utility.image;
        let positions = self.positions(active, image, Unreported::Assumed);
        let mut held = self.feeders.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same =
            |held: &&mut HeldFeeders| Arc::ptr_eq(&held.positions, &positions) && image.has_same_bays(&held.image, active.client());
        if let Some(held) = held.as_mut().filter(is_same) {
            held.image = Arc::clone(image);
            return Arc::clone(&held.feeders);
        }
        let feeders = Arc::new(NetworkFeeders::new(active, utility, |point| positions.equipment_of(point)));
        *held = Some(HeldFeeders { positions, image: Arc::clone(image), feeders: Arc::clone(&feeders) });
        feeders
    }

    /// Returns the codes of a utility's substations and assets.
    pub(crate) fn codes(&self, utility: &Utility) -> Arc<Codes> {
        let image = &utility.image;
        let mut held = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, codes)) = held.as_mut().filter(|(known, _)| image.has_same_bays(known, utility.client().id)) {
            *known = Arc::clone(image);
            return Arc::clone(codes);
        }
        let codes = Arc::new(Codes::new(utility));
        *held = Some((Arc::clone(image), Arc::clone(&codes)));
        codes
    }

    /// Returns how many networks were built from nothing.
    pub(crate) fn built(&self) -> u64 {
        self.built.load(Ordering::Relaxed)
    }

    /// Returns what a slot holds of a network. A network with other points is built again, and takes over since when its switches are open.
    fn held<'a>(
        &self,
        slot: &'a mut Option<Held>,
        active: &Arc<ActiveNetwork>,
        image: &Arc<Image>,
        unreported: Unreported,
    ) -> &'a mut Held {
        let before = slot.take().filter(|held| Arc::ptr_eq(&held.present.active, active));
        let (before, bindings) = match before {
            Some(mut held) => {
                // A new point somewhere in the utility binds the network again, which is cheap, and seldom changes what it is bound to.
                let other = (!image.has_same_points(&held.image, active.client())).then(|| active.bind(image));
                let Some(other) = other.filter(|other| *other != **held.present.live.bindings()) else {
                    held.image = Arc::clone(image);
                    return slot.insert(held);
                };
                (Some(held), other)
            }
            None => (None, active.bind(image)),
        };
        self.built.fetch_add(1, Ordering::Relaxed);
        let mut held = Held::new(active, image, bindings, unreported);
        if let Some(before) = before {
            Arc::make_mut(&mut held.present.live).succeed(&before.present.live);
        }
        slot.insert(held)
    }

    /// Takes what users have entered, and what the points show now. The network is changed in place, unless an earlier request still uses its states.
    pub(crate) fn take(
        &self,
        active: &Arc<ActiveNetwork>,
        image: &Arc<Image>,
        unreported: Unreported,
        entries: &[ManualEntry],
        now: Micros,
        sights: &[(PointId, Option<Sight>)],
    ) -> PresentNetwork {
        let mut slot = self.of(unreported);
        let Held { present, entered, .. } = self.held(&mut slot, active, image, unreported);
        let network = Arc::make_mut(&mut present.live);
        if let Some(positions) = entered.take(active, entries, |point| network.reported_by(point)) {
            network.enter(&positions);
        }
        for (point, sight) in sights {
            network.see(*point, now, *sight);
        }
        let changed = network.settle();
        Arc::make_mut(&mut present.without_supply).follow(network.state(), &changed);
        present.clone()
    }
}

impl Held {
    fn new(active: &Arc<ActiveNetwork>, image: &Arc<Image>, bindings: Bindings, unreported: Unreported) -> Self {
        let positions = Arc::new(BoundPositions::new(active, &bindings));
        let mut live = LiveNetwork::new(Arc::clone(active.model()), Arc::new(bindings));
        // Without an entry, nobody knows whether a source is present. It has no position to assume.
        live.doubt(active.unmeasured_sources());
        if unreported == Unreported::Unknown {
            live.doubt(active.switches().filter(|equipment| !positions.points.contains_key(equipment)));
        }
        let without_supply = Arc::new(active.customers_without_supply(live.state()));
        let present = PresentNetwork { active: Arc::clone(active), live: Arc::new(live), positions, without_supply };
        Self { present, entered: EnteredEntries::default(), image: Arc::clone(image) }
    }
}
