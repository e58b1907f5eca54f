//! The versions of the networks that were active in the recomputed time. The most recently used versions are kept in
//! memory.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use grid::{AssetId, ClientId, Micros, NodeId};
use registry::{ActiveNetwork, Image};
use store::Store;
use store::network::{ActiveVersion, VersionNumber};
use store::temporary_change::TemporaryRecord;

use super::version::{VersionPoints, Versions};

/// The activations of a utility until now, oldest first.
pub(super) type Activations = Vec<(Micros, VersionNumber)>;

#[derive(Debug, Default)]
pub(super) struct PastNetworks {
    networks: HashMap<(ClientId, VersionNumber), Arc<ActiveNetwork>>,
    /// The points of the versions, with the registry in which they were found.
    points: HashMap<(ClientId, VersionNumber), (Arc<Image>, Arc<VersionPoints>)>,
    /// Versions with jumpers and cuts, the most recently used last.
    changed: HashMap<ClientId, Vec<ChangedVersion>>,
}

/// A version with jumpers and cuts.
#[derive(Debug)]
struct ChangedVersion {
    version: Arc<VersionPoints>,
    /// The numbers of the jumpers and cuts.
    numbers: Vec<i64>,
    points: Arc<VersionPoints>,
}

/// How many versions with jumpers and cuts of a utility are kept. Outages are mostly derived for the present.
const CHANGED_MAX: usize = 2;

impl PastNetworks {
    /// Returns the versions that were active from a time on.
    pub(super) async fn since(
        &mut self,
        store: &Store,
        image: &Arc<Image>,
        client: ClientId,
        (activations, from): (&Activations, Micros),
    ) -> store::Result<Versions> {
        let first = activations.partition_point(|(since, _)| *since <= from).saturating_sub(1);
        let used = &activations[first.min(activations.len())..];
        let is_used = |(of, version): &(ClientId, VersionNumber)| *of != client || used.iter().any(|(_, used)| used == version);
        self.networks.retain(|key, _| is_used(key));
        self.points.retain(|key, _| is_used(key));
        let mut versions = Versions::new();
        for (since, version) in used {
            versions.extend(self.points(store, image, client, (*since, *version)).await?.map(|points| (*since, points)));
        }
        Ok(versions)
    }

    /// Returns a version with jumpers and cuts.
    pub(super) async fn with_temporary(
        &mut self,
        client: ClientId,
        version: &Arc<VersionPoints>,
        changes: Vec<TemporaryRecord>,
    ) -> store::Result<Arc<VersionPoints>> {
        if changes.is_empty() {
            return Ok(Arc::clone(version));
        }
        let numbers: Vec<i64> = changes.iter().map(|record| record.id).collect();
        let kept = self.changed.entry(client).or_default();
        let held = kept.iter().position(|held| Arc::ptr_eq(&held.version, version) && held.numbers == numbers);
        let changed = if let Some(at) = held {
            kept.remove(at)
        } else {
            let of = Arc::clone(version);
            let made = tokio::task::spawn_blocking(move || of.with_temporary(&changes)).await;
            let points = Arc::new(made.map_err(|error| store::Error::Data(format!("a network with temporary changes: {error}")))?);
            ChangedVersion { version: Arc::clone(version), numbers, points }
        };
        let points = Arc::clone(&changed.points);
        kept.push(changed);
        if kept.len() > CHANGED_MAX {
            kept.remove(0);
        }
        Ok(points)
    }

    async fn points(
        &mut self,
        store: &Store,
        image: &Arc<Image>,
        client: ClientId,
        (since, version): (Micros, VersionNumber),
    ) -> store::Result<Option<Arc<VersionPoints>>> {
        if let Some((of, points)) = self.points.get(&(client, version))
            && Arc::ptr_eq(of, image)
        {
            return Ok(Some(Arc::clone(points)));
        }
        let Some(network) = self.network(store, client, (since, version)).await? else { return Ok(None) };
        let (of, active) = (Arc::clone(image), Arc::clone(&network));
        // A large network takes long, so it is bound on a thread for blocking work.
        let bound = tokio::task::spawn_blocking(move || VersionPoints::new(active, &of)).await;
        let points = match bound {
            Ok(points) => Arc::new(points),
            Err(error) => return Err(store::Error::Data(format!("the points of version {version} of a network: {error}"))),
        };
        self.points.insert((client, version), (Arc::clone(image), Arc::clone(&points)));
        Ok(Some(points))
    }

    async fn network(
        &mut self,
        store: &Store,
        client: ClientId,
        (since, version): (Micros, VersionNumber),
    ) -> store::Result<Option<Arc<ActiveNetwork>>> {
        if let Some(network) = self.networks.get(&(client, version)) {
            return Ok(Some(Arc::clone(network)));
        }
        let Some(description) = store.network(client, version).await? else { return Ok(None) };
        let active = ActiveVersion { version, since, until: None };
        let made = tokio::task::spawn_blocking(move || ActiveNetwork::new(client, active, description)).await;
        let network = match made {
            Ok(Ok(network)) => Arc::new(network),
            Ok(Err(error)) => {
                tracing::error!(%error, %client, version = version.0, "outages do not follow a network that cannot be used");
                return Ok(None);
            }
            Err(error) => return Err(store::Error::Data(format!("version {version} of a network: {error}"))),
        };
        self.networks.insert((client, version), Arc::clone(&network));
        Ok(Some(network))
    }
}

/// Returns the substations of some versions.
pub(super) fn locations(versions: &Versions, utility: &registry::Utility) -> BTreeSet<NodeId> {
    versions.iter().flat_map(|(_, points)| points.locations(utility)).collect()
}

/// Returns the assets that measure the sources of the newest version.
pub(super) fn lines(versions: &Versions) -> Vec<AssetId> {
    versions.last().map(|(_, points)| points.lines().collect()).unwrap_or_default()
}
