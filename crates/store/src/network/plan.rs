//! Plans a change set: the network after it, the difference, and the findings. Writes nothing.

use grid::ClientId;
use network::Description;
use network::changes::{ChangeSet, Difference, Part, PartDifference};
use network::description::{CONTAINERS_MAX, EQUIPMENT_MAX, MEASUREMENTS_MAX, NODES_MAX};
use network::findings::Findings;

use super::{NetworkError, VersionNumber};
use crate::{Error, Store};

/// A change set that can be applied.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The version that it changes; 0 if there was none.
    pub(super) based_on: i32,
    /// The network of that version.
    old: Description,
    /// The network after the change.
    pub(super) new: Description,
    findings: Findings,
    containers: Positions,
    nodes: Positions,
    equipment: Positions,
    measurements: Positions,
}

/// The positions of parts that differ. They are stored because a comparison of large networks takes long; it runs once, in parallel with the check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Positions {
    /// In the new network.
    added: Vec<usize>,
    /// In the new network.
    changed: Vec<usize>,
    /// In the old network.
    removed: Vec<usize>,
}

impl Positions {
    fn new<T: Part>(old: &[T], new: &[T], difference: &PartDifference<'_, T>) -> Self {
        let added = positions(new, &difference.added, |part, other| std::ptr::eq(part, *other));
        let changed = positions(new, &difference.changed, |part, other| std::ptr::eq(part, *other));
        Self { added, changed, removed: positions(old, &difference.removed, |part, id| std::ptr::eq(part.id(), *id)) }
    }

    fn difference<'d, T: Part>(&self, old: &'d [T], new: &'d [T]) -> PartDifference<'d, T> {
        let of = |positions: &[usize]| positions.iter().map(|at| &new[*at]).collect();
        let removed = self.removed.iter().map(|at| old[*at].id()).collect();
        PartDifference { added: of(&self.added), changed: of(&self.changed), removed }
    }
}

/// Returns the positions of some parts in a list. The parts and the list have the same order.
fn positions<T, U>(all: &[T], some: &[U], is: impl Fn(&T, &U) -> bool) -> Vec<usize> {
    let mut left = some.iter().peekable();
    let mut found = Vec::with_capacity(some.len());
    for (at, part) in all.iter().enumerate() {
        if left.next_if(|next| is(part, next)).is_some() {
            found.push(at);
        }
    }
    found
}

impl Plan {
    fn new(based_on: i32, old: Description, change: ChangeSet) -> Result<Self, NetworkError> {
        let new = change.apply_to(&old)?;
        for (part, found, allowed) in [
            ("containers", new.containers.len(), CONTAINERS_MAX),
            ("nodes", new.nodes.len(), NODES_MAX),
            ("pieces of equipment", new.equipment.len(), EQUIPMENT_MAX),
            ("measurements", new.measurements.len(), MEASUREMENTS_MAX),
        ] {
            if found > allowed {
                return Err(NetworkError::TooLarge { part, found, allowed });
            }
        }
        let findings = new.check();
        let difference = Difference::new(&old, &new);
        let containers = Positions::new(&old.containers, &new.containers, &difference.containers);
        let nodes = Positions::new(&old.nodes, &new.nodes, &difference.nodes);
        let equipment = Positions::new(&old.equipment, &new.equipment, &difference.equipment);
        let measurements = Positions::new(&old.measurements, &new.measurements, &difference.measurements);
        drop(difference);
        Ok(Self { based_on, old, new, findings, containers, nodes, equipment, measurements })
    }

    /// Returns the version that it changes; `None` if there was none.
    pub fn based_on(&self) -> Option<VersionNumber> {
        (self.based_on > 0).then_some(VersionNumber(self.based_on))
    }

    /// Returns the network after the change.
    pub fn network(&self) -> &Description {
        &self.new
    }

    /// Returns the findings about the network after the change.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Returns the difference. The time depends on the number of changes, not on the size of the network.
    pub fn difference(&self) -> Difference<'_> {
        let (old, new) = (&self.old, &self.new);
        Difference {
            containers: self.containers.difference(&old.containers, &new.containers),
            nodes: self.nodes.difference(&old.nodes, &new.nodes),
            equipment: self.equipment.difference(&old.equipment, &new.equipment),
            measurements: self.measurements.difference(&old.measurements, &new.measurements),
        }
    }
}

impl Store {
    /// Plans a change of the newest version. If `based_on` is given (0: no version) and is not the newest version, the change is refused.
    pub async fn plan_network(&self, client: ClientId, based_on: Option<i32>, change: ChangeSet) -> Result<Plan, NetworkError> {
        let newest = self.newest_network(client).await?.map_or(0, |newest| newest.0);
        if let Some(based_on) = based_on.filter(|based_on| *based_on != newest) {
            return Err(NetworkError::Outdated { based_on, newest });
        }
        let old = if newest == 0 { Description::default() } else { self.parts_of(client, VersionNumber(newest)).await? };
        // A large network takes a second.
        let planned = tokio::task::spawn_blocking(move || Plan::new(newest, old, change)).await;
        planned.map_err(|error| Error::Data(format!("the check of the network ended: {error}")))?
    }
}
