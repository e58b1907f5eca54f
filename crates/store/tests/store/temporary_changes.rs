//! Temporary changes on a real database: they are placed, removed and audited once, up to a limit, and each utility has its own.

use grid::{ClientId, Micros};
use network::changes::ChangeSet;
use network::temporary::{NamedTerminal, TEMPORARY_MAX, TemporaryChange};
use network::{Description, Phases};
use serde_json::json;
use store::Store;
use store::network::{NetworkError, VersionNumber};
use store::temporary_change::{
    CheckedWith, Earlier, NewRemoval, NewTemporaryChange, Placing, RemovalRecord, Removing, RequestKey, SafetyCheck, TemporaryRecord,
    unfit_changes,
};
use testkit::Flavour;

use crate::fixture::{START, Utility, enter, utility_on};
use crate::network::{chain, origin, store_change};

/// A change of a network.
type Edit = fn(&mut Description);

fn new(change: TemporaryChange, checked_with: &[i64]) -> NewTemporaryChange {
    NewTemporaryChange {
        change,
        at: vec![named("G", "b")],
        place: "BUS, end 1, at Autonagar".into(),
        location: None,
        reason: "work on the busbar".into(),
        is_seen_dead: true,
        version: VersionNumber(1),
        since: since(),
        checked_with: checked_with.to_vec(),
        member: None,
        by: "Asha Rao".into(),
        placed: START,
        key: None,
    }
}

fn named(equipment: &str, node: &str) -> NamedTerminal {
    NamedTerminal { equipment: equipment.into(), terminal: 1, node: node.into() }
}

fn unchecked() -> SafetyCheck<'static> {
    SafetyCheck { points: Vec::new(), permit: &|_| Ok(()) }
}

fn earth(node: &str) -> TemporaryChange {
    TemporaryChange::PortableEarth { node: node.into(), phases: Phases::ABC }
}

async fn place(utility: &Utility, change: TemporaryChange, checked_with: &[i64]) -> TemporaryRecord {
    let placing = utility
        .store
        .place_temporary_change(utility.client, &new(change, checked_with), &unchecked(), &[], &origin(utility.client))
        .await
        .unwrap();
    let Placing::Placed(placed) = placing else { panic!("{placing:?}") };
    *placed
}

fn removal() -> RemovalRecord {
    RemovalRecord { by: "Ben Roy".into(), reason: "work is done".into(), at: START.plus_millis(1_000) }
}

fn new_removal() -> NewRemoval {
    NewRemoval { removal: removal(), key: None }
}

/// Stores a network and activates it.
async fn with_network(store: &Store, client: ClientId) {
    store_change(store, client, ChangeSet::Whole(chain(3))).await;
    store.activate_network(client, VersionNumber(1), since(), since().plus_millis(-1), &origin(client)).await.unwrap();
}

/// The time from which the first version is active.
fn since() -> Micros {
    START.plus_millis(-1_000)
}

#[tokio::test]
async fn change_is_placed_and_removed_once_with_its_audit() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let (store, client) = (&utility.store, utility.client);
        with_network(store, client).await;
        let placed = place(&utility, earth("b"), &[]).await;
        assert_eq!((placed.change.clone(), placed.by.as_str(), placed.removal.clone()), (earth("b"), "Asha Rao", None));
        assert_eq!(store.temporary_changes(client).await.unwrap(), std::slice::from_ref(&placed));
        assert_eq!(store.temporary_changes_of_all().await.unwrap().into_iter().collect::<Vec<_>>(), [(client, vec![placed.clone()])]);
        let (other, ..) = enter(store, "OTHER").await;
        assert_eq!(store.temporary_changes(other).await.unwrap(), []);
        let of_other = store.remove_temporary_change(other, placed.id, &new_removal(), None, &[], &origin(other)).await.unwrap();
        assert_eq!(of_other, Removing::NotCurrent);
        let removed = TemporaryRecord { removal: Some(removal()), ..placed.clone() };
        let first = store.remove_temporary_change(client, placed.id, &new_removal(), None, &[], &origin(client)).await.unwrap();
        assert_eq!(first, Removing::Removed(Box::new(removed.clone())));
        let again = store.remove_temporary_change(client, placed.id, &new_removal(), None, &[], &origin(client)).await.unwrap();
        assert_eq!(again, Removing::NotCurrent, "{flavour:?}");
        assert_eq!(store.temporary_changes(client).await.unwrap(), []);
        assert_eq!(store.removed_temporary_changes(client, None, 10).await.unwrap(), [removed]);
        assert_eq!(store.removed_temporary_changes(client, Some(placed.id), 10).await.unwrap(), []);
        let entered = store.audit_rows(client, None, 3).await.unwrap();
        let actions: Vec<_> = entered.iter().take(2).map(|entry| (entry.action.as_str(), entry.subject.clone())).collect();
        let subject = format!("portable earth {} at BUS, end 1, at Autonagar", placed.id);
        assert_eq!(actions, [("temporary_change_removed", subject.clone()), ("temporary_change_placed", subject)]);
        assert_eq!(entered[1].after.as_ref().unwrap()["what"]["node"], "b");
        assert_eq!(entered[0].after.as_ref().unwrap()["reason"], "work is done");
    }
}

#[tokio::test]
async fn change_that_was_checked_with_other_changes_is_not_placed() {
    let utility = utility_on(Flavour::ALL[0]).await;
    let (store, client) = (&utility.store, utility.client);
    with_network(store, client).await;
    let placed = place(&utility, earth("b"), &[]).await;
    let outdated = store.place_temporary_change(client, &new(earth("n000000"), &[]), &unchecked(), &[], &origin(client)).await.unwrap();
    assert_eq!(outdated, Placing::Outdated);
    let of_another = NewTemporaryChange { version: VersionNumber(2), ..new(earth("n000000"), &[placed.id]) };
    let outdated = store.place_temporary_change(client, &of_another, &unchecked(), &[], &origin(client)).await.unwrap();
    assert_eq!(outdated, Placing::Outdated, "it was checked in another version");
    let checked = CheckedWith { version: VersionNumber(1), since: since(), temporary: vec![], safety: unchecked() };
    let outdated = store.remove_temporary_change(client, placed.id, &new_removal(), Some(&checked), &[], &origin(client)).await.unwrap();
    assert_eq!(outdated, Removing::Outdated);
    place(&utility, earth("n000000"), &[placed.id]).await;
}

#[tokio::test]
async fn danger_that_the_transaction_finds_refuses_placing_and_removing() {
    let utility = utility_on(Flavour::ALL[0]).await;
    let (store, client) = (&utility.store, utility.client);
    with_network(store, client).await;
    let dangerous = SafetyCheck { points: Vec::new(), permit: &|facts| Err(format!("{} tags", facts.tags.len())) };
    let refused = store.place_temporary_change(client, &new(earth("b"), &[]), &dangerous, &[], &origin(client)).await.unwrap();
    assert_eq!(refused, Placing::Dangerous("0 tags".into()));
    let placed = place(&utility, earth("b"), &[]).await;
    let checked = CheckedWith { version: VersionNumber(1), since: since(), temporary: vec![placed.id], safety: dangerous };
    let refused = store.remove_temporary_change(client, placed.id, &new_removal(), Some(&checked), &[], &origin(client)).await.unwrap();
    assert_eq!(refused, Removing::Dangerous("0 tags".into()));
    assert_eq!(store.temporary_changes(client).await.unwrap(), [placed]);
}

#[tokio::test]
async fn cut_is_removed_after_what_is_at_its_free_end() {
    let utility = utility_on(Flavour::ALL[0]).await;
    let (store, client) = (&utility.store, utility.client);
    with_network(store, client).await;
    let cut = TemporaryChange::Cut { equipment: "l000000".into(), terminal: 1, phases: Phases::ABC };
    let cut = place(&utility, cut, &[]).await.id;
    let at_end = place(&utility, earth(&network::temporary::end_of_cut(cut)), &[cut]).await.id;
    let refused = store.remove_temporary_change(client, cut, &new_removal(), None, &[], &origin(client)).await.unwrap();
    assert_eq!(refused, Removing::Needed(at_end));
    let removed = store.remove_temporary_change(client, at_end, &new_removal(), None, &[], &origin(client)).await.unwrap();
    assert!(matches!(removed, Removing::Removed(_)), "{removed:?}");
    let refused = store.remove_temporary_change(client, cut, &new_removal(), None, &[], &origin(client)).await;
    assert!(refused.unwrap_err().to_string().contains("was not checked"));
    assert_eq!(store.temporary_changes(client).await.unwrap().len(), 1, "a cut stays without a check of its removal");
    let checked = CheckedWith { version: VersionNumber(1), since: since(), temporary: vec![cut], safety: unchecked() };
    let removed = store.remove_temporary_change(client, cut, &new_removal(), Some(&checked), &[], &origin(client)).await.unwrap();
    assert!(matches!(removed, Removing::Removed(_)), "{removed:?}");
}

#[tokio::test]
async fn check_is_outdated_once_another_version_was_active() {
    let utility = utility_on(Flavour::ALL[0]).await;
    let (store, client) = (&utility.store, utility.client);
    with_network(store, client).await;
    let placed = place(&utility, earth("b"), &[]).await;
    store_change(store, client, ChangeSet::Whole(chain(4))).await;
    store.activate_network(client, VersionNumber(2), START, START, &origin(client)).await.unwrap();
    let again = store.activate_network(client, VersionNumber(1), START, START, &origin(client)).await.unwrap().active.since;
    let before = new(earth("n000000"), &[placed.id]);
    let outdated = store.place_temporary_change(client, &before, &unchecked(), &[], &origin(client)).await.unwrap();
    assert_eq!(outdated, Placing::Outdated, "the same version, but not the same activation");
    let checked = |since| CheckedWith { version: VersionNumber(1), since, temporary: vec![placed.id], safety: unchecked() };
    let removal = new_removal();
    let remove = async |since| {
        store.remove_temporary_change(client, placed.id, &removal, Some(&checked(since)), &[], &origin(client)).await.unwrap()
    };
    assert_eq!(remove(since()).await, Removing::Outdated);
    assert!(matches!(remove(again).await, Removing::Removed(_)));
    let now = NewTemporaryChange { since: again, ..new(earth("n000000"), &[]) };
    let placing = store.place_temporary_change(client, &now, &unchecked(), &[], &origin(client)).await.unwrap();
    assert!(matches!(placing, Placing::Placed(_)), "{placing:?}");
}

#[tokio::test]
async fn change_fits_a_version_that_has_its_terminals() {
    let utility = utility_on(Flavour::ALL[0]).await;
    let (store, client) = (&utility.store, utility.client);
    with_network(store, client).await;
    let terminal = |number: u8, node: &str| NamedTerminal { equipment: "l000001".into(), terminal: number, node: node.into() };
    let cut = TemporaryChange::Cut { equipment: "l000001".into(), terminal: 1, phases: Phases::ABC };
    let cut = NewTemporaryChange { at: vec![terminal(1, "n000001")], ..new(cut, &[]) };
    let Placing::Placed(cut) = store.place_temporary_change(client, &cut, &unchecked(), &[], &origin(client)).await.unwrap() else {
        panic!("not placed")
    };
    let jumper = TemporaryChange::Jumper { nodes: ["n000000".into(), "n000002".into()], phases: Phases::ABC };
    let at = vec![NamedTerminal { equipment: "l000000".into(), terminal: 1, node: "n000000".into() }, terminal(2, "n000002")];
    let jumper = NewTemporaryChange { at, ..new(jumper, &[cut.id]) };
    let placing = store.place_temporary_change(client, &jumper, &unchecked(), &[], &origin(client)).await.unwrap();
    let Placing::Placed(jumper) = placing else { panic!("{placing:?}") };
    let sql = utility.database.client().await;
    // Each version is active from its number of seconds after the placing on. The first one fits.
    let versions: [(&str, Edit); 5] = [
        ("another line is new", |network| *network = chain(4)),
        ("the line has another name", |network| network.equipment[3].name = "Line 2".into()),
        ("the line has another id", |network| network.equipment[3].id = "l9".into()),
        ("the line is gone", |network| drop(network.equipment.remove(3))),
        ("the terminal of the jumper is at another node", |network| network.equipment[3].terminals[1].node = "n000003".into()),
    ];
    let mut expected = Vec::new();
    for (at, (what, change)) in (1..).zip(versions) {
        let mut network = chain(3);
        change(&mut network);
        let version = store_change(store, client, ChangeSet::Whole(network.clone())).await;
        let since = START.plus_millis(at * 1_000);
        let statement =
            "INSERT INTO network_activation (client_id, since, version, entered) VALUES ($1, to_timestamp($2::float8 / 1e6), $3, now())";
        sql.execute(statement, &[&client.0, &(since.0 as f64), &version.0]).await.unwrap();
        let unfit: Vec<i64> = unfit_changes(&network, &[(*cut).clone(), (*jumper).clone()]).into_iter().map(|of| of.record.id).collect();
        let all = if at <= 2 {
            vec![]
        } else if at <= 4 {
            vec![cut.id, jumper.id]
        } else {
            vec![jumper.id]
        };
        assert_eq!(unfit, all, "{what}");
        expected.extend(unfit.iter().map(|_| since.0 / 1_000_000));
    }
    let times = store.unfitting_times(client, (START, START.plus_millis(60_000)), 20).await.unwrap();
    let mut found: Vec<i64> = times.iter().map(|(since, _)| since.0 / 1_000_000).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn no_more_changes_than_allowed_are_placed() {
    let utility = utility_on(Flavour::ALL[0]).await;
    let (store, client) = (&utility.store, utility.client);
    with_network(store, client).await;
    let fill = format!(
        "INSERT INTO temporary_change (client_id, what, terminals, place, reason, seen_dead, version, placed_by, placed)
         SELECT {client}, '{{\"kind\": \"portableEarth\", \"node\": \"b\", \"phases\": \"ABC\"}}', '[{{\"equipment\": \"G\", \"terminal\": 1, \"node\": \"b\"}}]', 'b', 'r', false, 1, 'n', now()
         FROM generate_series(1, {TEMPORARY_MAX})",
        client = client.0
    );
    utility.database.client().await.batch_execute(&fill).await.unwrap();
    let numbers: Vec<i64> = store.temporary_changes(client).await.unwrap().iter().map(|record| record.id).collect();
    assert_eq!(numbers.len(), TEMPORARY_MAX);
    let refused = store.place_temporary_change(client, &new(earth("b"), &numbers), &unchecked(), &[], &origin(client)).await.unwrap();
    assert_eq!(refused, Placing::TooMany);
}

#[tokio::test]
async fn version_that_a_change_does_not_fit_is_activated_only_with_a_reason() {
    let utility = utility_on(Flavour::ALL[0]).await;
    let (store, client) = (&utility.store, utility.client);
    with_network(store, client).await;
    let placed = place(&utility, earth("b"), &[]).await;
    assert_eq!(placed.at, new(earth("b"), &[]).at);
    // The node is there, but the source is at another one now.
    let mut moved = chain(3);
    moved.equipment[0].terminals[0].node = "n000003".into();
    store_change(store, client, ChangeSet::Whole(moved)).await;
    let (version, now) = (VersionNumber(2), START);
    for since in [now, now.plus_millis(1_000_000_000_000)] {
        let refused = store.activate_network(client, version, since, now, &origin(client)).await.unwrap_err();
        let NetworkError::Unfit(unfit) = &refused else { panic!("{refused:?}") };
        assert_eq!(unfit.iter().map(|of| &of.record).collect::<Vec<_>>(), [&placed]);
        let text = refused.to_string();
        assert!(
            text.contains(&format!("portable earth {}, placed by Asha Rao at BUS, end 1, at Autonagar: terminal 1 of G", placed.id)),
            "{text}"
        );
    }
    assert_eq!(store.unfit_when_planned(client).await.unwrap().into_iter().collect::<Vec<_>>(), []);
    let later = now.plus_millis(1_000_000_000_000);
    store.activate_network_despite_unfit(client, version, later, now, "the earth is removed by then", &origin(client)).await.unwrap();
    let cut = TemporaryChange::Cut { equipment: "l000000".into(), terminal: 1, phases: Phases::ABC };
    let cut = NewTemporaryChange { at: vec![named("l000000", "n000000")], ..new(cut, &[placed.id]) };
    let Placing::Placed(cut) = store.place_temporary_change(client, &cut, &unchecked(), &[], &origin(client)).await.unwrap() else {
        panic!("not placed")
    };
    let end = network::temporary::end_of_cut(cut.id);
    let at_end = NewTemporaryChange { at: vec![named("l000000", &end)], ..new(earth(&end), &[placed.id, cut.id]) };
    let at_end = store.place_temporary_change(client, &at_end, &unchecked(), &[], &origin(client)).await.unwrap();
    assert!(matches!(at_end, Placing::Placed(_)), "{at_end:?}");
    // The line stays where it is.
    assert_eq!(store.unfit_when_planned(client).await.unwrap().into_iter().collect::<Vec<_>>(), [(placed.id, later)]);
    store.activate_network_despite_unfit(client, version, now, now, "the earth is removed tonight", &origin(client)).await.unwrap();
    let entered = store.audit_rows(client, None, 1).await.unwrap();
    let after = entered[0].after.as_ref().unwrap();
    assert_eq!((&after["unfit"], &after["unfitReason"]), (&json!([placed.id]), &json!("the earth is removed tonight")), "{after}");
    store.activate_network(client, VersionNumber(1), now, now, &origin(client)).await.expect("it fits the first version");
}

#[tokio::test]
async fn repeated_request_places_and_removes_once() {
    let utility = utility_on(Flavour::ALL[0]).await;
    let (store, client) = (&utility.store, utility.client);
    with_network(store, client).await;
    let key = |hash: u8, body: u8| Some(RequestKey { hash: [hash; 32], body: [body; 32] });
    let by_key = |key| NewTemporaryChange { key, ..new(earth("b"), &[]) };
    let (by, safety) = (origin(client), unchecked());
    let place = async |key| store.place_temporary_change(client, &by_key(key), &safety, &[], &by).await.unwrap();
    let Placing::Placed(placed) = place(key(1, 1)).await else { panic!("not placed") };
    assert_eq!(place(key(1, 1)).await, Placing::Earlier(Earlier::Same(placed.clone())));
    assert_eq!(place(key(1, 2)).await, Placing::Earlier(Earlier::Other(placed.clone())));
    assert_eq!(store.earlier_placing(client, &key(1, 1).unwrap()).await.unwrap(), Some(Earlier::Same(placed.clone())));
    assert_eq!(store.earlier_placing(client, &key(2, 1).unwrap()).await.unwrap(), None);
    let remove = async |key| {
        let removal = NewRemoval { removal: removal(), key };
        store.remove_temporary_change(client, placed.id, &removal, None, &[], &by).await.unwrap()
    };
    let Removing::Removed(removed) = remove(key(1, 3)).await else { panic!("not removed") };
    assert_eq!(remove(key(1, 3)).await, Removing::Earlier(Earlier::Same(removed.clone())));
    assert_eq!(remove(key(1, 4)).await, Removing::Earlier(Earlier::Other(removed.clone())));
    assert_eq!(remove(key(2, 3)).await, Removing::NotCurrent);
    assert_eq!(store.earlier_removal(client, &key(1, 3).unwrap()).await.unwrap(), Some(Earlier::Same(removed)));
    let (other, ..) = enter(store, "OTHER").await;
    assert_eq!(store.earlier_placing(other, &key(1, 1).unwrap()).await.unwrap(), None, "a key is of one utility");
}
