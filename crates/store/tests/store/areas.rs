//! Areas of responsibility under races: a takeover comes before an operation or after it, and never in between.

use std::future::Future;
use std::time::Duration;

use grid::area::handover::Act;
use grid::area::{OutsideArea, Place};
use grid::control::Support;
use grid::control::machine::{Answer, Object, Step, Timing};
use grid::manual_entry::{EntryRule, EntryTerms};
use grid::{AreaId, ClientId, DeskId, MemberId, Micros};
use network::Phases;
use network::changes::ChangeSet;
use store::Error;
use store::audit::Origin;
use store::control::{Ask, Decision, HandOver, NewTag, SelectionEnd, Site};
use store::manual_entry::{EntrySubject, NewManualEntry, SamePosition};
use store::network::VersionNumber;
use testkit::Flavour;
use tokio_postgres::Client;

use crate::fixture::{START, Utility, utility, utility_on};
use crate::network::{chain, store_change};

/// The session of a user with role 2 and permission to operate, who sits at the default desk.
async fn session(utility: &Utility) -> i64 {
    let statement = "WITH m AS (
            INSERT INTO member (client_id, username, email, first_name, last_name, role_id, role_name, password_hash, can_operate)
            VALUES ($1, 'asha', 'a@example.org', 'Asha', 'Rao', 2, 'Admin', 'x', true) RETURNING id)
        INSERT INTO session SELECT nextval(pg_get_serial_sequence('session', 'id')), $1, id, now(), 1, now(), now() FROM m RETURNING id";
    utility.database.client().await.query_one(statement, &[&utility.client.0]).await.unwrap().get(0)
}

/// Adds the desk East and returns it, with the area that has everything.
async fn east_and_rest(utility: &Utility) -> (DeskId, AreaId) {
    let client = utility.database.client().await;
    let desk = client.query_one("INSERT INTO desk (client_id, name) VALUES ($1, 'East') RETURNING id", &[&utility.client.0]).await.unwrap();
    let area = client.query_one("SELECT id FROM area WHERE client_id = $1 AND is_rest", &[&utility.client.0]).await.unwrap();
    (DeskId(desk.get(0)), AreaId(area.get(0)))
}

fn origin(client: ClientId, session: i64) -> Origin {
    Origin { client: Some(client), session: Some(session), from: "test".into(), ..Origin::default() }
}

fn everywhere(_: &Site) -> Vec<Place> {
    vec![Place::default()]
}

fn untouched(_: &Site, _: &OutsideArea) -> Step {
    nothing()
}

fn nothing() -> Step {
    Step {
        object: Object { support: Support { direct: true, sbo: true }, timing: Timing::new(false), command: None },
        changes: Vec::new(),
        effects: Vec::new(),
        answer: Answer::Nothing,
    }
}

const END: SelectionEnd<'static> = SelectionEnd { places: &everywhere, block: &untouched };

/// Waits until `task` waits for a lock of the database.
async fn waits_for_a_lock<T: std::fmt::Debug>(watching: &Client, task: &mut (impl Future<Output = T> + Unpin)) {
    let waits = async {
        let request = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while watching.query_one(request, &[]).await.unwrap().get::<_, i64>(0) == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        done = task => panic!("it has not waited: {done:?}"),
        waited = tokio::time::timeout(Duration::from_secs(10), waits) => waited.expect("it waits"),
    }
}

#[tokio::test]
async fn takeover_waits_for_an_operation_under_way() {
    let utility = utility().await;
    let (session, (east, rest)) = (session(&utility).await, east_and_rest(&utility).await);
    let (mut operating, watching) = (utility.database.client().await, utility.database.client().await);
    let operation = operating.transaction().await.unwrap();
    operation.execute("SELECT FROM stream WHERE client_id = $1 AND kind = 'area' FOR SHARE", &[&utility.client.0]).await.unwrap();
    let (store, client) = (utility.store.clone(), utility.client);
    let mut moving = tokio::spawn(async move {
        let act = HandOver { area: rest, act: Act::Move(east), reason: "storm" };
        store.hand_over(client, session, act, &origin(client, session), &END).await.unwrap().unwrap()
    });
    waits_for_a_lock(&watching, &mut moving).await;
    operation.commit().await.unwrap();
    assert_eq!(moving.await.unwrap().version, 1);
    let areas = utility.store.areas(client, session).await.unwrap();
    assert_eq!(areas.areas[0].area.holder, Some((east, "East".into())));
}

/// The operations whose check reads the holder, each started during a takeover.
#[derive(Debug, Clone, Copy)]
enum Operation {
    Decision,
    Tag,
    Acknowledgement,
    ManualEntry,
}

/// Runs an operation of a session; returns the message if it is refused for its area.
async fn run(utility: &Utility, operation: Operation, session: i64) -> Option<String> {
    let (store, client) = (&utility.store, utility.client);
    let origin = origin(client, session);
    let places = vec![Place::default()];
    let error = match operation {
        Operation::Decision => {
            let ask = Ask { session, now: Micros(0), direction: None, key: None, window_ms: 1_000, burst: 3, network: None, places };
            let decide =
                |_: &_, facts: &store::control::CommandFacts| Decision::nothing(facts.outside_area.as_ref().map(ToString::to_string));
            return store.decide(client, utility.sites[0].position, &ask, "test", &origin, decide).await.unwrap().expect("a point").1;
        }
        Operation::Tag => {
            let new = NewTag {
                scope: grid::control::tag::TagScope::Device,
                asset: Some(utility.sites[0].breaker),
                location: utility.sites[0].location,
                kind: "caution",
                holder: "Asha Rao".into(),
                holder_id: MemberId(1),
                reason: "look".into(),
                expires: None,
                for_minutes: None,
                places,
            };
            store.place_tag(client, &new, &origin, |_: &_, _: &_| nothing()).await.err()
        }
        Operation::Acknowledgement => {
            // No alarm is needed: the check comes before the changes.
            store.act_on_alarms(client, &[], &origin, |_| Ok::<_, ()>(places), |_, _| None).await.err()
        }
        Operation::ManualEntry => {
            let new = NewManualEntry {
                subject: EntrySubject::Equipment { id: "a".into(), version: VersionNumber(1) },
                quantity: "Pos".into(),
                phases: Phases::NONE,
                value: 1.0,
                reason: "seen".into(),
                member: None,
                by: "Asha Rao".into(),
                terms: EntryTerms { rule: EntryRule::UntilReported, observed: START, entered: START, seen: None },
                same: SamePosition::default(),
                points: Vec::new(),
            };
            store.enter_manually(client, &new, &places, &origin).await.err()
        }
    };
    error.map(|error| match error {
        Error::OutsideArea(refusal) => refusal.to_string(),
        error => panic!("{operation:?}: {error}"),
    })
}

#[tokio::test]
async fn operation_during_a_takeover_sees_the_new_holder() {
    for operation in [Operation::Decision, Operation::Tag, Operation::Acknowledgement, Operation::ManualEntry] {
        let utility = utility().await;
        store_change(&utility.store, utility.client, ChangeSet::Whole(chain(3))).await;
        let (session, (east, rest)) = (session(&utility).await, east_and_rest(&utility).await);
        let streams = "INSERT INTO stream (client_id, kind) VALUES ($1, 'alarm') ON CONFLICT DO NOTHING";
        utility.database.client().await.execute(streams, &[&utility.client.0]).await.unwrap();
        assert_eq!(run(&utility, operation, session).await, None, "{operation:?}: permitted before");
        let (mut taking, watching) = (utility.database.client().await, utility.database.client().await);
        let takeover = taking.transaction().await.unwrap();
        takeover.execute("UPDATE stream SET top = top + 1 WHERE client_id = $1 AND kind = 'area'", &[&utility.client.0]).await.unwrap();
        takeover.execute("UPDATE area SET desk_id = $2 WHERE id = $1", &[&rest.0, &east.0]).await.unwrap();
        let mut running = Box::pin(run(&utility, operation, session));
        waits_for_a_lock(&watching, &mut running).await;
        takeover.commit().await.unwrap();
        let expected = "Rest is held by desk East. Ask for it, or let a supervisor move it.";
        assert_eq!(running.await.as_deref(), Some(expected), "{operation:?}");
    }
}

#[tokio::test]
async fn each_utility_has_one_area_held_by_its_desk() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let session = session(&utility).await;
        let areas = utility.store.areas(utility.client, session).await.unwrap();
        assert_eq!((areas.version, areas.desks.len(), areas.areas.len()), (0, 1, 1), "{flavour:?}");
        let (desk, area) = (&areas.desks[0], &areas.areas[0].area);
        assert_eq!((desk.name.as_str(), areas.own_desk), ("Control room", Some(desk.id)));
        assert!(area.is_rest && area.holder == Some((desk.id, "Control room".into())), "{area:?}");
    }
}
