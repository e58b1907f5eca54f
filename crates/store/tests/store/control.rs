//! The data for decisions about commands, and unfinished commands.

use std::sync::Arc;
use std::time::Duration;

use grid::control::Support;
use grid::control::machine::{Object, Step, Timing};
use grid::manual_entry::{EntryRule, EntryTerms};
use grid::{MemberId, Micros, PointId};
use network::Phases;
use network::changes::ChangeSet;
use store::Store;
use store::audit::Origin;
use store::control::{Ask, CommandFacts, Decision, NetworkFacts, NewTag};
use store::manual_entry::{EntrySubject, NewManualEntry, SamePosition, Withdrawal};
use store::network::VersionNumber;

use crate::fixture::{START, Utility, asset, enter, point, utility};
use crate::network::{chain, origin, store_change};

/// Another switch in the bay of the first substation's breaker.
async fn neighbour(utility: &Utility) -> PointId {
    use grid::{measure::Quantity, point::PointKind, position::Encoding};
    let site = &utility.sites[0];
    let switch = utility.store.put_assets(&[asset(utility.client, site.location, "F3IS", 6, "isolator")]).await.unwrap()[0];
    let seed = point(utility.client, site.gateway, switch, "F3IS/Pos", PointKind::Status(Encoding::DoublePoint), Quantity::Status);
    utility.store.put_points(&[seed]).await.unwrap()[0]
}

/// Adds a command of a point that was sent some seconds ago and had a feedback time of one second.
async fn command(utility: &Utility, point: PointId, state: &str, seconds_ago: i32, holds: bool) {
    let statement = "WITH c AS (
            INSERT INTO command (id, client_id, location_id, asset_id, point_id, gateway_id, session_id, member_id, operator, mode, from_status, to_status,
                simulated, from_address, correlation_id, state, requested_at, changed_at, issued, sent_at, due, \"offset\", owner)
            SELECT gen_random_uuid()::text, p.client_id, a.location_id, a.id, p.id, p.gateway_id, 1, 1, 'A. Nair', 'direct', 1, 2,
                true, '', '', $2, t.at, t.at, t.at, t.at, t.at + INTERVAL '1 second', 0, 'x'
            FROM point p JOIN asset a ON a.id = p.asset_id, (SELECT clock_timestamp() - $3::int4 * INTERVAL '1 second' AS at) t
            WHERE p.id = $1
            RETURNING *
        )
        INSERT INTO reservation (command_id, client_id, point_id, location_id, session_id, member_id, holder, until, released)
        SELECT id, client_id, point_id, location_id, 1, 1, 'A. Nair', due, CASE WHEN $4 THEN NULL ELSE due END FROM c";
    utility.database.client().await.execute(statement, &[&point.0, &state, &seconds_ago, &holds]).await.unwrap();
}

async fn around(utility: &Utility) -> CommandFacts {
    let ask =
        Ask { session: 1, now: Micros(0), direction: None, key: None, window_ms: 60_000, burst: 3, network: None, places: Vec::new() };
    utility.store.look(utility.client, utility.sites[0].position, &ask).await.unwrap().expect("a point").1
}

#[tokio::test]
async fn sent_command_blocks_bay_after_deadline_selection_does_not() {
    for (state, busy) in [("SELECTED", 0), ("SENT", 1), ("ACCEPTED", 1)] {
        let utility = utility().await;
        let other = neighbour(&utility).await;
        command(&utility, other, state, 10, true).await;
        assert_eq!(around(&utility).await.busy.len(), busy, "{state}");
    }
}

#[tokio::test]
async fn a_switch_is_in_doubt_from_the_end_of_its_newest_order_if_that_ended_so() {
    let utility = utility().await;
    let other = neighbour(&utility).await;
    command(&utility, utility.sites[1].position, "UNKNOWN", 30, false).await;
    assert_eq!(around(&utility).await.doubts, [], "of another substation");
    for (state, ago, expected) in [("NO_FEEDBACK", 40, true), ("DONE", 30, false), ("UNKNOWN", 20, true), ("REFUSED", 10, false)] {
        command(&utility, other, state, ago, false).await;
        let doubts = around(&utility).await.doubts;
        assert_eq!(doubts.iter().map(|(point, _)| *point).collect::<Vec<_>>(), if expected { vec![other] } else { vec![] }, "{state}");
    }
}

/// Returns what a decision reads of the whole network, under the lock of the commands.
async fn decided(store: &Store, utility: &Utility) -> NetworkFacts {
    let ask = Ask {
        session: 1,
        now: Micros(0),
        direction: None,
        key: None,
        window_ms: 60_000,
        burst: 3,
        network: Some(Vec::new()),
        places: Vec::new(),
    };
    let origin = Origin { client: Some(utility.client), from: "test".into(), ..Origin::default() };
    let decide = |_: &_, facts: &CommandFacts| Decision::nothing(facts.network.clone());
    store.decide(utility.client, utility.sites[0].position, &ask, "test", &origin, decide).await.unwrap().expect("a point").1
}

/// Adds a change of the newest command of a point to the stream of commands, as a decision does.
async fn advance(utility: &Utility, point: PointId) {
    let statement = "WITH s AS (
            INSERT INTO stream (client_id, kind, top) VALUES ($1, 'command', 1)
            ON CONFLICT (client_id, kind) DO UPDATE SET top = stream.top + 1 RETURNING top
        )
        INSERT INTO command_event (client_id, \"offset\", command_id, location_id, state, at, message)
        SELECT client_id, s.top, id, location_id, state, changed_at, '' FROM command, s WHERE point_id = $2 ORDER BY requested_at DESC LIMIT 1";
    utility.database.client().await.execute(statement, &[&utility.client.0, &point.0]).await.unwrap();
}

#[tokio::test]
async fn decision_knows_doubts_that_have_changed_since_the_last_one() {
    let utility = utility().await;
    let other = neighbour(&utility).await;
    let elsewhere = utility.sites[1].position;
    command(&utility, elsewhere, "UNKNOWN", 50, false).await;
    for (state, ago, doubted) in
        [("NO_FEEDBACK", 40, vec![elsewhere, other]), ("DONE", 30, vec![elsewhere]), ("UNKNOWN", 20, vec![elsewhere, other])]
    {
        command(&utility, other, state, ago, false).await;
        advance(&utility, other).await;
        let mut expected = doubted;
        expected.sort_unstable();
        // The same process, and one that has just started.
        for store in [utility.store.clone(), Store::connect(utility.database.url(), 2).await.unwrap()] {
            let found: Vec<PointId> = decided(&store, &utility).await.doubts.iter().map(|(point, _)| *point).collect();
            assert_eq!(found, expected, "{state}");
        }
        assert_eq!(decided(&utility.store, &utility).await.doubts.len(), expected.len(), "nothing has changed");
    }
}

#[tokio::test]
async fn decision_knows_entries_that_have_changed_since_the_last_one() {
    let utility = utility().await;
    let (store, client) = (&utility.store, utility.client);
    store_change(store, client, ChangeSet::Whole(chain(3))).await;
    let (other, ..) = enter(store, "OTHER").await;
    store_change(store, other, ChangeSet::Whole(chain(3))).await;
    let new = |id: &str, value: f64, second: i64| {
        let entered = START.plus_millis(second * 1_000);
        NewManualEntry {
            subject: EntrySubject::Equipment { id: id.into(), version: VersionNumber(1) },
            quantity: "Pos".into(),
            phases: Phases::NONE,
            value,
            reason: "seen by the crew".into(),
            member: None,
            by: "Asha Rao".into(),
            terms: EntryTerms { rule: EntryRule::UntilReported, observed: entered, entered, seen: None },
            same: SamePosition::default(),
            points: Vec::new(),
        }
    };
    let of_point = NewManualEntry { subject: EntrySubject::Point(utility.sites[0].position), ..new("", 2.0, 4) };
    let known = async || {
        let expected = store.manual_entries(client).await.unwrap();
        let facts = decided(store, &utility).await;
        assert_eq!(*facts.manual, expected);
        facts.manual
    };
    assert_eq!(known().await.len(), 0);
    let mut ids = Vec::new();
    for (id, value, second) in [("l000001", 1.0, 1), ("a", 1.0, 2), ("l000002", 1.0, 3), ("a", 2.0, 5)] {
        ids.push(store.enter_manually(client, &new(id, value, second), &[], &origin(client)).await.unwrap().entered().unwrap().id);
        store.enter_manually(other, &new(id, value, second), &[], &origin(other)).await.unwrap().entered().unwrap();
        known().await;
    }
    store.enter_manually(client, &of_point, &[], &origin(client)).await.unwrap().entered().unwrap();
    let held = known().await;
    assert!(Arc::ptr_eq(&held, &known().await), "nothing has changed, so nothing is read");
    // One is withdrawn while another one is replaced, and one alone.
    let withdrawal = Withdrawal { by: "Ben Roy", reason: "seen wrongly", at: START.plus_millis(9_000) };
    store.withdraw_manual_entry(client, ids[0], withdrawal, &[], &origin(client)).await.unwrap().unwrap();
    store.enter_manually(client, &new("a", 1.0, 6), &[], &origin(client)).await.unwrap().entered().unwrap();
    assert_eq!(known().await.len(), 3);
    store.withdraw_manual_entry(client, ids[2], withdrawal, &[], &origin(client)).await.unwrap().unwrap();
    assert_eq!(known().await.len(), 2);
}

#[tokio::test]
async fn a_tag_waits_for_a_decision_that_is_being_made() {
    let utility = utility().await;
    utility.store.command_stream(utility.client).await.unwrap();
    let mut deciding = utility.database.client().await;
    let decision = deciding.transaction().await.unwrap();
    decision.execute("SELECT FROM stream WHERE client_id = $1 AND kind = 'command' FOR UPDATE", &[&utility.client.0]).await.unwrap();
    let (store, client) = (utility.store.clone(), utility.client);
    let (asset, location) = (utility.sites[0].breaker, utility.sites[0].location);
    let mut placing = tokio::spawn(async move {
        let origin = Origin { client: Some(client), from: "test".into(), ..Origin::default() };
        let new = NewTag {
            scope: grid::control::tag::TagScope::Device,
            asset: Some(asset),
            location,
            kind: "inhibit",
            holder: "A. Nair".into(),
            holder_id: MemberId(1),
            reason: "men at work".into(),
            expires: None,
            for_minutes: None,
            places: Vec::new(),
        };
        let nothing = |_: &_, _: &_| Step {
            object: Object { support: Support { direct: true, sbo: true }, timing: Timing::new(false), command: None },
            changes: Vec::new(),
            effects: Vec::new(),
            answer: grid::control::machine::Answer::Nothing,
        };
        store.place_tag(client, &new, &origin, nothing).await.unwrap().expect("an asset")
    });
    let watching = utility.database.client().await;
    let waits = async {
        let request = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while watching.query_one(request, &[]).await.unwrap().get::<_, i64>(0) == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        placed = &mut placing => panic!("it has not waited: {placed:?}"),
        waited = tokio::time::timeout(Duration::from_secs(10), waits) => waited.expect("it waits"),
    }
    decision.commit().await.unwrap();
    let placed = placing.await.unwrap();
    assert_eq!((placed.tags.len(), placed.under_way, placed.dropped.len()), (1, false, 0));
}
