//! The versions of the networks that were active in the recomputed time. They are loaded one after the other, and only the most recently used stay in memory:
//! a late event can need the versions of many months.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use grid::{ClientId, Micros, NodeId, PointId};
use registry::{ActiveNetwork, Image, Utility};
use store::Store;
use store::network::{ActiveVersion, VersionNumber};
use store::temporary_change::TemporaryRecord;

use super::version::VersionPoints;

/// A version of a network with the time from which it was active.
pub(super) type Activation = (Micros, VersionNumber);

/// The activations of a utility until now, oldest first.
pub(super) type Activations = Vec<Activation>;

/// How many versions of a utility are kept.
const VERSIONS_MAX: usize = 2;

/// How many versions with jumpers and cuts of a utility are kept. Outages are mostly derived for the present.
const CHANGED_MAX: usize = 2;

/// The substations of versions, by activation, and the registry in which they were found.
type FoundLocations = (Arc<Image>, HashMap<Activation, BTreeSet<NodeId>>);

#[derive(Debug, Default)]
pub(super) struct PastNetworks {
    /// The most recently used last.
    versions: HashMap<ClientId, Vec<HeldVersion>>,
    /// Bounded by the activations.
    locations: HashMap<ClientId, FoundLocations>,
    /// Versions with jumpers and cuts, the most recently used last.
    changed: HashMap<ClientId, Vec<ChangedVersion>>,
}

/// A version in memory.
#[derive(Debug)]
struct HeldVersion {
    activation: Activation,
    /// The registry in which its points were found.
    image: Arc<Image>,
    points: Arc<VersionPoints>,
}

/// A version with jumpers and cuts.
#[derive(Debug)]
struct ChangedVersion {
    version: Arc<VersionPoints>,
    /// The numbers of the jumpers and cuts.
    numbers: Vec<i64>,
    points: Arc<VersionPoints>,
}

/// Returns the activations that were in force from a time on.
pub(super) fn since(activations: &Activations, from: Micros) -> &[Activation] {
    let first = activations.partition_point(|(since, _)| *since <= from).saturating_sub(1);
    &activations[first.min(activations.len())..]
}

impl PastNetworks {
    /// Returns a version with its points in a registry; `None` if it cannot be used.
    pub(super) async fn version(
        &mut self,
        store: &Store,
        image: &Arc<Image>,
        client: ClientId,
        activation: Activation,
    ) -> store::Result<Option<Arc<VersionPoints>>> {
        let kept = self.versions.entry(client).or_default();
        let held = kept.iter().position(|held| held.activation == activation).map(|at| kept.remove(at));
        let active = match held {
            Some(held) if Arc::ptr_eq(&held.image, image) => {
                let points = Arc::clone(&held.points);
                kept.push(held);
                return Ok(Some(points));
            }
            Some(held) => Some(Arc::clone(&held.points.active)),
            None => None,
        };
        // Room is made before the next one is loaded.
        kept.drain(..(kept.len() + 1).saturating_sub(VERSIONS_MAX));
        let is_kept = |version: &Arc<VersionPoints>| kept.iter().any(|held| Arc::ptr_eq(&held.points, version));
        self.changed.entry(client).or_default().retain(|changed| is_kept(&changed.version));
        let active = match active {
            Some(active) => active,
            None => match load(store, client, activation).await? {
                Some(active) => active,
                None => return Ok(None),
            },
        };
        let of = Arc::clone(image);
        // A large network takes long, so it is bound on a thread for blocking work.
        let bound = tokio::task::spawn_blocking(move || VersionPoints::new(active, &of)).await;
        let failed = |error| store::Error::Data(format!("the points of version {} of a network: {error}", activation.1));
        let points = Arc::new(bound.map_err(failed)?);
        kept.push(HeldVersion { activation, image: Arc::clone(image), points: Arc::clone(&points) });
        Ok(Some(points))
    }

    /// Returns the substations of some versions.
    pub(super) async fn locations(
        &mut self,
        store: &Store,
        image: &Arc<Image>,
        utility: &Utility,
        (client, activations): (ClientId, &[Activation]),
    ) -> store::Result<BTreeSet<NodeId>> {
        let mut locations = BTreeSet::new();
        for activation in activations {
            let (of, known) = self.locations.entry(client).or_insert_with(|| (Arc::clone(image), HashMap::new()));
            if !Arc::ptr_eq(of, image) {
                (*of, *known) = (Arc::clone(image), HashMap::new());
            }
            if let Some(known) = known.get(activation) {
                locations.extend(known);
                continue;
            }
            let Some(version) = self.version(store, image, client, *activation).await? else { continue };
            let found = version.locations(utility);
            locations.extend(&found);
            self.locations.get_mut(&client).map(|(_, known)| known.insert(*activation, found));
        }
        Ok(locations)
    }

    /// Returns the points of the positions of equipment in some versions, and of what moves together with it.
    pub(super) async fn points_beside(
        &mut self,
        store: &Store,
        image: &Arc<Image>,
        (client, activations): (ClientId, &[Activation]),
        equipment: &BTreeSet<&str>,
    ) -> store::Result<HashMap<String, Vec<PointId>>> {
        let mut points: HashMap<String, Vec<PointId>> = HashMap::new();
        if equipment.is_empty() {
            return Ok(points);
        }
        for activation in activations {
            let Some(version) = self.version(store, image, client, *activation).await? else { continue };
            for id in equipment {
                points.entry((*id).to_owned()).or_default().extend(version.points_beside(id));
            }
        }
        Ok(points)
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
}

/// Loads a version. `None` if it cannot be used.
async fn load(store: &Store, client: ClientId, (since, version): Activation) -> store::Result<Option<Arc<ActiveNetwork>>> {
    let Some(description) = store.network(client, version).await? else { return Ok(None) };
    let lapsed = store.lapsed_manual_entries(client, since).await?;
    let active = ActiveVersion { version, since, until: None };
    let made = tokio::task::spawn_blocking(move || ActiveNetwork::new(client, active, description)).await;
    match made {
        Ok(Ok(network)) => Ok(Some(Arc::new(network.with_lapsed(lapsed)))),
        Ok(Err(error)) => {
            tracing::error!(%error, %client, version = version.0, "outages do not follow a network that cannot be used");
            Ok(None)
        }
        Err(error) => Err(store::Error::Data(format!("version {version} of a network: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use network::Description;
    use network::changes::ChangeSet;
    use network::description::{Container, ContainerKind};
    use store::audit::Origin;
    use store::registry::ClientRecord;

    use super::*;

    #[tokio::test]
    async fn versions_are_loaded_one_after_the_other_and_two_are_kept() {
        let database = testkit::database().await;
        let store = Store::connect(database.url(), 2).await.expect("a database");
        let row = database
            .client()
            .await
            .query_one("INSERT INTO client (code, name, time_zone) VALUES ('C', 'C', 'UTC') RETURNING id", &[])
            .await
            .expect("a utility");
        let client = ClientId(row.get(0));
        let origin = Origin { client: Some(client), from: "console".to_owned(), ..Origin::default() };
        let mut activations = Activations::new();
        for number in 1..=4 {
            let (id, name) = ("S".to_owned(), format!("S{number}"));
            let station = Container { id, name, kind: ContainerKind::Substation, parent: None, nominal_kv: None, place: None };
            let whole = Description { containers: vec![station], ..Description::default() };
            let plan = store.plan_network(client, None, ChangeSet::Whole(whole)).await.expect("a plan");
            let version = store.apply_network(client, &plan, "", Micros(number), &origin).await.expect("stored").expect("a version");
            activations.push((Micros(number * 10), version));
        }
        let config = serde_json::Value::default();
        let record = ClientRecord { id: client, code: "C".to_owned(), name: "C".to_owned(), time_zone: "UTC".to_owned(), config };
        let image = Arc::new(Image::from(store::Registry { clients: vec![record], ..store::Registry::default() }));
        let utility = image.utility(client).expect("a utility");
        let mut networks = PastNetworks::default();
        assert_eq!(since(&activations, Micros(25)).len(), 3);
        networks.locations(&store, &image, &utility, (client, &activations)).await.expect("read");
        let kept =
            |networks: &PastNetworks| -> Vec<VersionNumber> { networks.versions[&client].iter().map(|held| held.activation.1).collect() };
        assert_eq!(kept(&networks), [activations[2].1, activations[3].1]);
        let first = networks.version(&store, &image, client, activations[0]).await.expect("read").expect("usable");
        assert_eq!(kept(&networks), [activations[3].1, activations[0].1]);
        let again = networks.version(&store, &image, client, activations[0]).await.expect("read").expect("usable");
        assert!(Arc::ptr_eq(&first, &again));
    }
}
