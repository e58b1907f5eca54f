//! Manual entries on a real database: they are replaced, withdrawn and audited, and each utility has its own.

use std::time::Duration;

use grid::manual_entry::{EntryRule, EntryTerms};
use grid::{Micros, Ordinal, PointId, Term};
use network::Phases;
use network::changes::ChangeSet;
use store::manual_entry::{Entering, EntrySubject, ManualEntry, NewManualEntry, SamePosition, Withdrawal};
use store::network::VersionNumber;
use testkit::Flavour;

use crate::fixture::{START, Utility, enter, utility, utility_on};
use crate::network::{chain, origin, store_change};

fn open(by: &str, entered: Micros) -> NewManualEntry {
    NewManualEntry {
        subject: EntrySubject::Equipment { id: "a".into(), version: VersionNumber(1) },
        quantity: "Pos".into(),
        phases: Phases::NONE,
        value: 1.0,
        reason: "seen by the crew".into(),
        member: None,
        by: by.into(),
        terms: EntryTerms { rule: EntryRule::UntilReported, observed: entered.plus_millis(-60_000), entered, seen: None },
        same: SamePosition::default(),
        points: Vec::new(),
    }
}

#[tokio::test]
async fn further_entry_replaces_the_current_one_and_a_withdrawal_ends_it() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let (store, client) = (&utility.store, utility.client);
        store_change(store, client, ChangeSet::Whole(chain(3))).await;
        let first = store.enter_manually(client, &open("Asha Rao", START), &[], &origin(client)).await.unwrap().entered().unwrap();
        assert_eq!(store.manual_entries(client).await.unwrap(), std::slice::from_ref(&first));
        let closed = NewManualEntry { value: 2.0, ..open("Ben Roy", START.plus_millis(1_000)) };
        let second = store.enter_manually(client, &closed, &[], &origin(client)).await.unwrap().entered().unwrap();
        let expected = ManualEntry { id: second.id, value: 2.0, by: "Ben Roy".into(), terms: closed.terms, ..first.clone() };
        assert_eq!(second, expected);
        assert_eq!(store.manual_entries_of_all().await.unwrap().into_iter().collect::<Vec<_>>(), [(client, vec![second.clone()])]);
        let withdrawal = Withdrawal { by: "Asha Rao", reason: "seen wrongly", at: START.plus_millis(2_000) };
        // The first one is withdrawn by the second, and another utility has none.
        let (other, ..) = enter(store, "OTHER").await;
        assert_eq!(store.withdraw_manual_entry(client, first.id, withdrawal, &[], &origin(client)).await.unwrap(), None);
        assert_eq!(store.withdraw_manual_entry(other, second.id, withdrawal, &[], &origin(other)).await.unwrap(), None);
        assert_eq!(store.withdraw_manual_entry(client, second.id, withdrawal, &[], &origin(client)).await.unwrap(), Some(second));
        assert_eq!(store.manual_entries(client).await.unwrap(), []);
        assert_eq!(utility.count("manual_entry WHERE withdrawn_by = 'Asha Rao' OR withdrawn_by = 'Ben Roy'").await, 2, "the rows remain");
        let entered = store.audit_rows(client, None, 3).await.unwrap();
        let actions: Vec<_> = entered.iter().map(|entry| (entry.action.as_str(), entry.subject.as_str())).collect();
        assert_eq!(actions, [("manual_entry_withdrawn", "Pos of a"), ("manual_entry_made", "Pos of a"), ("manual_entry_made", "Pos of a")]);
        assert_eq!(entered[1].before.as_ref().unwrap()["by"], "Asha Rao");
        assert_eq!(entered[0].after.as_ref().unwrap()["reason"], "seen wrongly");
    }
}

#[tokio::test]
async fn entry_replaces_those_for_its_phases_and_its_point_only() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let (store, client) = (&utility.store, utility.client);
        store_change(store, client, ChangeSet::Whole(chain(3))).await;
        let phases = |letters: &str| Phases::parse(letters).unwrap();
        let of = |letters: &str, seconds: i64| NewManualEntry {
            phases: phases(letters),
            ..open("Asha Rao", START.plus_millis(seconds * 1_000))
        };
        let point = utility.sites[0].current;
        let of_point = |value: f64, rule: EntryRule| NewManualEntry {
            subject: EntrySubject::Point(point),
            quantity: "Ir".into(),
            value,
            terms: EntryTerms { rule, ..open("", START).terms },
            ..open("Asha Rao", START)
        };
        let current = async || -> Vec<(Option<PointId>, String, f64)> {
            let entries = store.manual_entries(client).await.unwrap();
            entries.into_iter().map(|entry| (entry.subject.point(), entry.phases.to_string(), entry.value)).collect()
        };
        let enter = async |new: &NewManualEntry| store.enter_manually(client, new, &[], &origin(client)).await.unwrap().entered().unwrap();
        enter(&of("", 0)).await;
        enter(&of("B", 1)).await;
        enter(&of_point(410.0, EntryRule::UntilReported)).await;
        assert_eq!(current().await, [(None, String::new(), 1.0), (None, "B".into(), 1.0), (Some(point), String::new(), 410.0)]);
        // Phase B is one of the new ones, and those of all phases remain.
        enter(&of("BC", 2)).await;
        let wrong = enter(&of_point(7.0, EntryRule::UntilWithdrawn)).await;
        assert_eq!(wrong.terms.rule, EntryRule::UntilWithdrawn);
        assert_eq!(current().await, [(None, String::new(), 1.0), (None, "BC".into(), 1.0), (Some(point), String::new(), 7.0)]);
        // All phases replace each of them, and the audit has both.
        enter(&of("", 3)).await;
        assert_eq!(current().await, [(None, String::new(), 1.0), (Some(point), String::new(), 7.0)]);
        let last = &store.audit_rows(client, None, 1).await.unwrap()[0];
        assert_eq!(last.before.as_ref().unwrap().as_array().map(Vec::len), Some(2), "{last:?}");
    }
}

#[tokio::test]
async fn entry_replaces_those_for_what_has_the_same_position() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let (store, client) = (&utility.store, utility.client);
        store_change(store, client, ChangeSet::Whole(chain(3))).await;
        let point = utility.sites[0].position;
        let of_point = NewManualEntry {
            subject: EntrySubject::Point(point),
            same: SamePosition { points: Vec::new(), equipment: vec!["a".into()] },
            ..open("Asha Rao", START)
        };
        let of_equipment = NewManualEntry {
            same: SamePosition { points: vec![point], equipment: Vec::new() },
            ..open("Asha Rao", START.plus_millis(1_000))
        };
        for new in [&of_point, &of_equipment, &of_point] {
            let entered = store.enter_manually(client, new, &[], &origin(client)).await.unwrap().entered().unwrap();
            assert_eq!(store.manual_entries(client).await.unwrap(), [entered], "it is the only one");
        }
    }
}

/// Waits until another transaction waits for a lock.
async fn until_one_waits(utility: &Utility) {
    let watching = utility.database.client().await;
    let request = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let waits = async { while watching.query_one(request, &[]).await.unwrap().get::<_, i64>(0) == 0 {} };
    tokio::time::timeout(Duration::from_secs(10), waits).await.expect("it waits");
}

#[tokio::test]
async fn entry_and_withdrawal_wait_for_a_decision_that_is_being_made() {
    let utility = utility().await;
    let (store, client) = (utility.store.clone(), utility.client);
    store_change(&store, client, ChangeSet::Whole(chain(3))).await;
    store.command_stream(client).await.unwrap();
    let mut deciding = utility.database.client().await;
    let mut entered = None;
    for is_withdrawal in [false, true] {
        let decision = deciding.transaction().await.unwrap();
        decision.execute("SELECT FROM stream WHERE client_id = $1 AND kind = 'command' FOR UPDATE", &[&client.0]).await.unwrap();
        let (store, entry) = (store.clone(), entered);
        let mut acting = tokio::spawn(async move {
            let withdrawal = Withdrawal { by: "Asha Rao", reason: "seen wrongly", at: START.plus_millis(1_000) };
            match entry.filter(|_| is_withdrawal) {
                Some(id) => store.withdraw_manual_entry(client, id, withdrawal, &[], &origin(client)).await,
                None => store.enter_manually(client, &open("Asha Rao", START), &[], &origin(client)).await.map(Entering::entered),
            }
        });
        tokio::select! {
            done = &mut acting => panic!("it has not waited: {done:?}"),
            () = until_one_waits(&utility) => {}
        }
        decision.commit().await.unwrap();
        entered = acting.await.unwrap().unwrap().map(|entry| entry.id);
        assert!(entered.is_some(), "stored after the decision");
    }
}

/// Undoes the migration of the numbers of readings.
const BEFORE_SEEN: &str =
    "ALTER TABLE manual_entry DROP COLUMN seen_epoch, DROP COLUMN seen_seq; DELETE FROM schema_migration WHERE version >= 27";

#[tokio::test]
async fn entry_has_the_number_of_the_latest_reading_and_an_upgrade_keeps_the_earlier_ones() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let (store, client) = (&utility.store, utility.client);
        let site = &utility.sites[0];
        let own = [site.position, site.current];
        let database = utility.database.client().await;
        let enter = async |points: &[PointId]| {
            let new = NewManualEntry { subject: EntrySubject::Point(own[0]), points: points.to_vec(), ..open("Asha Rao", START) };
            store.enter_manually(client, &new, &[], &origin(client)).await.unwrap().entered().unwrap()
        };
        assert_eq!(enter(&own).await.terms.seen, Some(Ordinal::LOWEST), "nothing was reported");
        for (point, ordinal) in own.iter().zip([Ordinal::of_term(Term(3), 5), Ordinal { epoch: 1, seq: 9 }]) {
            let put = "INSERT INTO latest (client_id, point_id, source_ts, recv_ts, epoch, seq, value, quality) VALUES ($1, $2, now(), now(), $3, $4, 1, 0)";
            database.execute(put, &[&client.0, &point.0, &ordinal.epoch, &ordinal.seq]).await.unwrap();
        }
        let last = enter(&own).await;
        assert_eq!(last.terms.seen, Some(Ordinal::of_term(Term(3), 5)));
        assert_eq!(store.manual_entries(client).await.unwrap(), std::slice::from_ref(&last));
        assert_eq!(enter(&[]).await.terms.seen, None, "no point");
        database.batch_execute(BEFORE_SEEN).await.unwrap();
        store::migrate(utility.database.url()).await.unwrap();
        let kept = store.manual_entries(client).await.unwrap();
        assert_eq!((kept.len(), kept[0].terms.seen, kept[0].terms.observed), (1, None, last.terms.observed), "{flavour:?}");
        assert_eq!(utility.count("manual_entry").await, 3);
    }
}

#[tokio::test]
async fn two_first_entries_at_once_replace_one_another() {
    let utility = utility().await;
    let (store, client) = (&utility.store, utility.client);
    store_change(store, client, ChangeSet::Whole(chain(3))).await;
    store.command_stream(client).await.unwrap();
    let mut deciding = utility.database.client().await;
    let decision = deciding.transaction().await.unwrap();
    decision.execute("SELECT FROM stream WHERE client_id = $1 AND kind = 'command' FOR UPDATE", &[&client.0]).await.unwrap();
    let (new, origin) = (open("Asha Rao", START), origin(client));
    let enter = || store.enter_manually(client, &new, &[], &origin);
    let freed = async {
        until_one_waits(&utility).await;
        decision.commit().await.unwrap();
    };
    let (one, other, ()) = tokio::join!(enter(), enter(), freed);
    assert!(one.unwrap().entered().is_some() && other.unwrap().entered().is_some(), "both are stored");
    assert_eq!(store.manual_entries(client).await.unwrap().len(), 1, "one of them is current");
}
