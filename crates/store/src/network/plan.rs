//! Plans a change set: the network after it, the difference, and the findings. Writes nothing.

use grid::ClientId;
use network::Description;
use network::changes::{ChangeSet, Difference};
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
        Ok(Self { based_on, old, new, findings })
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

    /// Computes the difference.
    pub fn difference(&self) -> Difference<'_> {
        Difference::new(&self.old, &self.new)
    }
}

impl Store {
    /// Plans a change of the newest version. With `based_on` (0: no version), the change is refused if another version is the newest.
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
