//! Diagrams follow temporary changes: what they colour changes in the turn in which a change is read.

use network::Phases;
use network::temporary::{NamedTerminal, TemporaryChange};
use store::temporary_change::{CheckedWith, NewRemoval, NewTemporaryChange, Placing, RemovalRecord, Removing, SafetyCheck};

use crate::network::{LIVE_KV, open, origin, site, until};
use crate::seeding::now;
use crate::site::Site;

async fn place(site: &Site, change: TemporaryChange, node: &str) -> i64 {
    let terminal = if node == "far" { 2 } else { 1 };
    let client = site.own.client;
    let active = site.store.active_network(client, now()).await.expect("read").expect("a network is active");
    let new = NewTemporaryChange {
        change,
        at: vec![NamedTerminal { equipment: "N/L".into(), terminal, node: node.into() }],
        place: "BUS, BESIDE".into(),
        location: None,
        reason: "work on the busbar".into(),
        is_seen_dead: false,
        version: active.version,
        since: active.since,
        checked_with: Vec::new(),
        member: None,
        by: "Asha Rao".into(),
        placed: now(),
        key: None,
    };
    let unchecked = SafetyCheck { points: Vec::new(), permit: &|_| Ok(()) };
    let placing = site.store.place_temporary_change(client, &new, &unchecked, &[], &origin(client)).await.expect("stored");
    let Placing::Placed(placed) = placing else { panic!("{placing:?}") };
    placed.id
}

async fn remove(site: &Site, id: i64) {
    let removal = RemovalRecord { by: "Asha Rao".into(), reason: "work is done".into(), at: now() };
    let removal = NewRemoval { removal, key: None };
    let client = site.own.client;
    let active = site.store.active_network(client, now()).await.expect("read").expect("a network is active");
    let temporary = site.store.temporary_changes(client).await.expect("read").iter().map(|record| record.id).collect();
    let safety = SafetyCheck { points: Vec::new(), permit: &|_| Ok(()) };
    let checked = CheckedWith { version: active.version, since: active.since, temporary, safety };
    let removed = site.store.remove_temporary_change(client, id, &removal, Some(&checked), &[], &origin(client)).await.expect("stored");
    assert!(matches!(removed, Removing::Removed(_)), "{removed:?}");
}

#[tokio::test]
async fn diagram_shows_the_effect_of_a_temporary_change_until_it_is_removed() {
    let (site, beside) = site().await;
    let (mut client, mut nodes) = open(&site, beside).await;
    site.changes(&[(site.own.position, 2.0), (site.own.currents[1], LIVE_KV)]);
    until(&mut client, &mut nodes, 1).await;
    // A cut line takes the supply, although no switch has moved.
    let cut = place(&site, TemporaryChange::Cut { equipment: "N/L".into(), terminal: 1, phases: Phases::ABC }, "line").await;
    until(&mut client, &mut nodes, 2).await;
    remove(&site, cut).await;
    until(&mut client, &mut nodes, 1).await;
    site.change(site.own.position, 1.0);
    until(&mut client, &mut nodes, 2).await;
    let earth = place(&site, TemporaryChange::PortableEarth { node: "far".into(), phases: Phases::ABC }, "far").await;
    until(&mut client, &mut nodes, 3).await;
    remove(&site, earth).await;
    until(&mut client, &mut nodes, 2).await;
}
