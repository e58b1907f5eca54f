//! Members and sessions.

use grid::Micros;
use store::people::{NewSession, Rotated, Rotation};
use store::seed::MemberSeed;

use crate::fixture::{START, Utility, enter, utility};

fn seed(utility: &Utility, username: &str) -> MemberSeed {
    MemberSeed {
        client: utility.client,
        username: username.to_owned(),
        email: "o@example.org".to_owned(),
        first_name: "Asha".to_owned(),
        last_name: "Rao".to_owned(),
        role_id: 3,
        role_name: "Operator".to_owned(),
        password_hash: "$argon2id$…".to_owned(),
        node: Some(utility.circle),
        can_operate: true,
        demo: false,
    }
}

fn after(minutes: i64) -> Micros {
    START.plus_millis(minutes * 60_000)
}

fn rotation(access: u8, refresh: u8, now: Micros) -> Rotation {
    let (access_until, refresh_until) = (now.plus_millis(15 * 60_000), now.plus_millis(24 * 3_600_000));
    Rotation { access_hash: [access; 32], access_until, refresh_hash: [refresh; 32], refresh_until, now }
}

async fn begin(utility: &Utility, username: &str, access: u8, refresh: u8) -> i64 {
    let member = utility.store.put_member(&seed(utility, username)).await.unwrap();
    let first = rotation(access, refresh, START);
    let session = NewSession {
        member,
        access_hash: first.access_hash,
        access_until: first.access_until,
        refresh_hash: first.refresh_hash,
        refresh_until: first.refresh_until,
        idle_ms: 30 * 60_000,
        now: START,
    };
    utility.store.insert_session(&session).await.unwrap()
}

#[tokio::test]
async fn a_member_is_found_in_any_case_and_a_name_is_taken_once() {
    let utility = utility().await;
    let id = utility.store.put_member(&seed(&utility, "Operator")).await.unwrap();
    assert_eq!(utility.store.put_member(&seed(&utility, "operator")).await.unwrap(), id);
    let found = utility.store.member_by_username("OPERATOR").await.unwrap().unwrap();
    assert_eq!(
        (found.id, found.client, found.node, found.can_operate, found.disabled),
        (id, utility.client, Some(utility.circle), true, false)
    );
    assert!(utility.store.member_by_username("nobody").await.unwrap().is_none());
    let (foreign, foreign_circle, _) = enter(&utility.store, "KSEB").await;
    let thief = MemberSeed { client: foreign, node: Some(foreign_circle), ..seed(&utility, "operator") };
    assert!(utility.store.put_member(&thief).await.unwrap_err().is_permanent());
    let astray = MemberSeed { node: Some(foreign_circle), ..seed(&utility, "astray") };
    assert!(utility.store.put_member(&astray).await.unwrap_err().is_permanent(), "a node of another utility");
}

#[tokio::test]
async fn a_session_is_good_until_it_expires_idles_or_ends() {
    let utility = utility().await;
    let store = &utility.store;
    let id = begin(&utility, "operator", 1, 101).await;
    let good = async |at: Micros| store.session_by_access(&[1; 32], at).await.unwrap().is_some();
    let session = store.session_by_access(&[1; 32], after(1)).await.unwrap().unwrap();
    assert_eq!((session.id, session.member.username.as_str(), session.access_until, session.last_seen), (id, "operator", after(15), START));
    assert!(store.session_by_access(&[2; 32], after(1)).await.unwrap().is_none());
    assert!(!good(after(15)).await, "expired");
    let Rotated::Ok(_) = store.rotate_session(&[101; 32], &rotation(1, 102, after(20))).await.unwrap() else { panic!() };
    assert!(good(after(34)).await, "rotation is use");
    store.touch_session(id, after(34)).await.unwrap();
    assert_eq!(store.rotate_session(&[102; 32], &rotation(3, 103, after(64))).await.unwrap(), Rotated::Unknown, "idle for 30 minutes");
    let Rotated::Ok(_) = store.rotate_session(&[102; 32], &rotation(3, 103, after(63))).await.unwrap() else { panic!() };
    store.end_session(id, after(64)).await.unwrap();
    assert!(store.session_by_access(&[3; 32], after(64)).await.unwrap().is_none(), "ended");
    assert_eq!(store.rotate_session(&[103; 32], &rotation(4, 104, after(64))).await.unwrap(), Rotated::Unknown);
}

#[tokio::test]
async fn a_refresh_secret_used_twice_ends_the_session() {
    let utility = utility().await;
    let store = &utility.store;
    begin(&utility, "operator", 1, 101).await;
    begin(&utility, "viewer", 11, 111).await;
    let Rotated::Ok(next) = store.rotate_session(&[101; 32], &rotation(2, 102, after(5))).await.unwrap() else { panic!() };
    assert_eq!(next.access_until, after(20));
    assert!(store.session_by_access(&[1; 32], after(5)).await.unwrap().is_none(), "the old access token is worth nothing");
    assert!(store.session_by_access(&[2; 32], after(5)).await.unwrap().is_some());
    assert_eq!(store.rotate_session(&[101; 32], &rotation(3, 103, after(6))).await.unwrap(), Rotated::Reused(next.member.id));
    assert!(store.session_by_access(&[2; 32], after(6)).await.unwrap().is_none(), "and with it the session");
    assert!(store.session_by_access(&[11; 32], after(6)).await.unwrap().is_some(), "but nobody else's");
    assert_eq!(store.rotate_session(&[99; 32], &rotation(3, 103, after(6))).await.unwrap(), Rotated::Unknown);
}

#[tokio::test]
async fn two_uses_at_once_are_a_first_and_a_second() {
    let utility = utility().await;
    begin(&utility, "operator", 1, 101).await;
    let (one, two) = (rotation(2, 102, after(1)), rotation(3, 103, after(1)));
    let (one, two) = tokio::join!(utility.store.rotate_session(&[101; 32], &one), utility.store.rotate_session(&[101; 32], &two));
    let outcomes = [one.unwrap(), two.unwrap()];
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Rotated::Ok(_))).count(), 1, "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Rotated::Reused(_))).count(), 1, "{outcomes:?}");
}

#[tokio::test]
async fn all_sessions_of_a_member_end_and_a_disabled_member_has_none() {
    let utility = utility().await;
    let store = &utility.store;
    begin(&utility, "operator", 1, 101).await;
    begin(&utility, "operator", 2, 102).await;
    begin(&utility, "viewer", 3, 103).await;
    let operator = store.member_by_username("operator").await.unwrap().unwrap().id;
    assert_eq!(store.end_sessions_of(operator, after(1)).await.unwrap(), 2);
    assert_eq!(store.end_sessions_of(operator, after(1)).await.unwrap(), 0);
    assert!(store.session_by_access(&[3; 32], after(1)).await.unwrap().is_some());
    utility.database.client().await.execute("UPDATE member SET disabled = true", &[]).await.unwrap();
    assert!(store.session_by_access(&[3; 32], after(1)).await.unwrap().is_none());
    assert_eq!(store.rotate_session(&[103; 32], &rotation(4, 104, after(1))).await.unwrap(), Rotated::Unknown);
}
