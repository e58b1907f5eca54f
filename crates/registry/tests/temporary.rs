//! Temporary changes with a real database: the active network has them as soon as they are read, and those that do not fit have no effect.

#![allow(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use std::sync::Arc;
use std::time::Duration;

use grid::{ClientId, Micros};
use network::changes::ChangeSet;
use network::temporary::{NamedTerminal, TemporaryChange, equipment_of};
use network::{Description, NetworkState, Phases, State};
use registry::{ActiveNetwork, FollowSettings, Registry, follow};
use serde_json::json;
use store::Store;
use store::audit::Origin;
use store::network::VersionNumber;
use store::seed::ClientSeed;
use store::temporary_change::{NewRemoval, NewTemporaryChange, Placing, RemovalRecord, SafetyCheck};
use testkit::TestDatabase;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long a change may take until it is read.
const READ_MAX: Duration = Duration::from_secs(10);

/// A source, a line, and an open switch to a dead end.
fn description(end: &str) -> Description {
    serde_json::from_value(json!({
        "containers": [{ "id": "S", "kind": "Substation" }],
        "nodes": [{ "id": "bus" }, { "id": "far" }, { "id": end }],
        "equipment": [
            { "id": "S/G", "kind": "EnergySource", "container": "S", "terminals": [{ "node": "bus" }] },
            { "id": "S/L", "kind": "ACLineSegment", "container": "S", "terminals": [{ "node": "bus" }, { "node": "far" }] },
            { "id": "S/LBS", "kind": "LoadBreakSwitch", "container": "S", "terminals": [{ "node": "far" }, { "node": end }],
              "electrical": { "Switch": { "is_normally_open": true } } },
        ],
    }))
    .unwrap()
}

struct Site {
    /// Lives as long as the site.
    _database: TestDatabase,
    store: Store,
    client: ClientId,
    registry: Registry,
    _running: DropGuard,
}

impl Site {
    async fn start() -> Self {
        let database = testkit::database().await;
        let store = Store::connect(database.url(), 4).await.unwrap();
        let seed = ClientSeed { code: "ONE".into(), name: "ONE".into(), time_zone: "UTC".into(), config: json!({}) };
        let client = store.put_client(&seed).await.unwrap();
        let shutdown = CancellationToken::new();
        let registry = follow(store.clone(), FollowSettings::new(database.url()), shutdown.clone()).await.unwrap();
        let site = Self { _database: database, store, client, registry, _running: shutdown.drop_guard() };
        site.activate(None, description("end")).await;
        site
    }

    fn origin(&self) -> Origin {
        Origin { client: Some(self.client), from: "console".into(), ..Origin::default() }
    }

    async fn activate(&self, based_on: Option<i32>, description: Description) {
        let plan = self.store.plan_network(self.client, based_on, ChangeSet::Whole(description)).await.unwrap();
        let version = self.store.apply_network(self.client, &plan, "", Micros(1), &self.origin()).await.unwrap().unwrap();
        let since = Micros(i64::from(version.0));
        let origin = self.origin();
        self.store.activate_network_despite_unfit(self.client, version, since, since, "checked on site", &origin).await.unwrap();
        assert!(self.registry.networks().refresh().await && self.registry.networks().settled(self.client).await);
    }

    async fn place(&self, change: TemporaryChange, (equipment, terminal, node): (&str, u8, &str), checked_with: &[i64]) -> i64 {
        let new = NewTemporaryChange {
            change,
            at: vec![NamedTerminal { equipment: equipment.into(), terminal, node: node.into() }],
            place: "the end".into(),
            location: None,
            reason: "work".into(),
            is_seen_dead: false,
            version: VersionNumber(1),
            since: self.network().since(),
            checked_with: checked_with.to_vec(),
            member: None,
            by: "Asha Rao".into(),
            placed: Micros(2),
            key: None,
        };
        let unchecked = SafetyCheck { points: Vec::new(), permit: &|_| Ok(()) };
        let placing = self.store.place_temporary_change(self.client, &new, &unchecked, &[], &self.origin()).await.unwrap();
        let Placing::Placed(placed) = placing else { panic!("{placing:?}") };
        placed.id
    }

    async fn remove(&self, id: i64) {
        let removal = NewRemoval { removal: RemovalRecord { by: "Asha Rao".into(), reason: "done".into(), at: Micros(3) }, key: None };
        self.store.remove_temporary_change(self.client, id, &removal, None, &[], &self.origin()).await.unwrap();
    }

    fn network(&self) -> Arc<ActiveNetwork> {
        self.registry.networks().of(self.client).unwrap()
    }

    fn state(&self, node: &str) -> State {
        let model = Arc::clone(self.network().model());
        let state = NetworkState::new(Arc::clone(&model));
        state.state(model.node(node).unwrap())
    }
}

fn earth(node: &str) -> TemporaryChange {
    TemporaryChange::PortableEarth { node: node.into(), phases: Phases::ABC }
}

#[tokio::test]
async fn network_with_other_changes_is_another_one_although_its_version_is_the_same() {
    let site = Site::start().await;
    let before = site.network();
    let mut networks = site.registry.networks().clone();
    networks.has_changed();
    let id = site.place(earth("end"), ("S/LBS", 2, "end"), &[]).await;
    // Nobody requests it: the follower reads it at its interval.
    assert!(tokio::time::timeout(READ_MAX, networks.changed()).await.unwrap());
    let after = site.network();
    assert_eq!((after.version(), after.since()), (before.version(), before.since()));
    assert_ne!(after.identity(), before.identity());
    assert_eq!(after.identity().temporary, [id]);
    assert_eq!(site.state("end"), State::Earthed);
    assert!(std::ptr::eq(after.stored(), Arc::as_ptr(&before)), "the stored version is not read again");
    let equipment = after.model().equipment(&equipment_of(id)).unwrap();
    assert_eq!(after.name_of(equipment), format!("portable earth {id}"));
    assert_eq!((after.substation_of(equipment), after.temporary_of(equipment).unwrap().id), (Some("S"), id));
    assert!(after.switches().all(|switch| switch != equipment), "nothing reports or confirms its position");
    site.remove(id).await;
    assert!(site.registry.networks().refresh().await && site.registry.networks().settled(site.client).await);
    assert_eq!((site.network().identity(), site.state("end")), (before.identity(), State::Dead));
}

#[tokio::test]
async fn change_that_does_not_fit_the_new_version_has_no_effect_and_says_why() {
    let site = Site::start().await;
    let unfit = site.place(earth("end"), ("S/LBS", 2, "end"), &[]).await;
    let cut = TemporaryChange::Cut { equipment: "S/L".into(), terminal: 1, phases: Phases::ABC };
    let fit = site.place(cut, ("S/L", 1, "bus"), &[unfit]).await;
    site.activate(Some(1), description("elsewhere")).await;
    let network = site.network();
    assert_eq!(network.misfit(unfit), Some("terminal 2 of S/LBS is at node elsewhere now, and was at node end when the change was placed"));
    assert_eq!((network.misfit(fit), site.state("far")), (None, State::Dead));
    assert_eq!(network.temporary().map(|record| record.id).collect::<Vec<_>>(), [unfit, fit]);
    let places: Vec<usize> = network.stored().model().all_equipment().map(network::EquipmentId::index).collect();
    let ids = |network: &ActiveNetwork| network.description().equipment[..places.len()].iter().map(|of| of.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&network), ids(network.stored()), "what a drawing looks up has the same position");
}
