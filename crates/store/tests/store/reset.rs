//! Handles and links for a new password.

use grid::Micros;
use store::audit::Origin;
use store::people::{NewDevice, NewSession, PresentedSecret, Rotated, Rotation, SecretHolder};
use store::reset::Until;
use store::seed::MemberSeed;

use crate::fixture::{START, Utility, enter, utility};

pub(crate) const DEVICE: NewDevice = NewDevice { hash: [8; 32], replaces: None };

pub(crate) async fn person(utility: &Utility, username: &str, email: &str, demo: bool) -> grid::MemberId {
    let seed = MemberSeed {
        client: utility.client,
        username: username.to_owned(),
        email: email.to_owned(),
        first_name: "Asha".to_owned(),
        last_name: "Rao".to_owned(),
        role_id: 2,
        role_name: "ClientAdmin".to_owned(),
        password_hash: "old".to_owned(),
        node: None,
        can_operate: false,
        demo,
    };
    utility.store.put_member(&seed).await.unwrap()
}

pub(crate) fn after(minutes: i64) -> Micros {
    START.plus_millis(minutes * 60_000)
}

#[tokio::test]
async fn a_handle_stands_for_its_address_once_and_for_a_while() {
    let utility = utility().await;
    let store = &utility.store;
    store.put_reset_handle(&[1; 32], "nobody@example.org", after(10), START).await.unwrap();
    assert_eq!(store.use_reset_handle(&[1; 32], after(1)).await.unwrap().as_deref(), Some("nobody@example.org"));
    assert_eq!(store.use_reset_handle(&[1; 32], after(1)).await.unwrap(), None);
    store.put_reset_handle(&[2; 32], "nobody@example.org", after(10), START).await.unwrap();
    assert_eq!(store.use_reset_handle(&[2; 32], after(10)).await.unwrap(), None, "too late");
    store.put_reset_handle(&[3; 32], "nobody@example.org", after(30), after(20)).await.unwrap();
    assert_eq!(utility.count("reset_handle").await, 1, "what is over is swept");
}

#[tokio::test]
async fn everybody_with_an_address_gets_a_link_of_their_own() {
    let utility = utility().await;
    enter(&utility.store, "KSEB").await;
    let one = person(&utility, "one", "Shared@example.org", false).await;
    let two = person(&utility, "two", "shared@example.org", false).await;
    person(&utility, "demo", "shared@example.org", true).await;
    let links =
        utility.store.put_reset_links("SHARED@example.org", &[[1; 32], [2; 32], [3; 32]], after(10), &Origin::default()).await.unwrap();
    let fields: Vec<_> = links.iter().map(|link| (link.place, link.member, link.email.as_str())).collect();
    assert_eq!(fields, [(0, one, "Shared@example.org"), (1, two, "shared@example.org")], "but not the demo user");
    assert_eq!(utility.store.member_by_link(&[2; 32], after(1)).await.unwrap().unwrap().id, two);
    assert!(utility.store.member_by_link(&[3; 32], after(1)).await.unwrap().is_none());
    assert!(utility.store.put_reset_links("nobody@example.org", &[[4; 32]], after(10), &Origin::default()).await.unwrap().is_empty());
    assert_eq!(utility.count("audit").await, 2);
}

#[tokio::test]
async fn a_link_sets_the_password_once_and_ends_what_the_old_one_began() {
    let utility = utility().await;
    let store = &utility.store;
    let member = person(&utility, "one", "one@example.org", false).await;
    let session = NewSession {
        member,
        access_hash: [9; 32],
        access_until: after(15),
        refresh_hash: [10; 32],
        refresh_until: after(700),
        idle_ms: 3_600_000,
        now: START,
    };
    let session = store.begin_session(&session, 0, &DEVICE, &Origin::default()).await.unwrap().unwrap();
    store.put_reset_links("one@example.org", &[[1; 32]], after(10), &Origin::default()).await.unwrap();
    let until = Until { first: after(60), again: after(60) };
    assert!(store.put_link(&[2; 32], member, until, "member_invited", &Origin::default()).await.unwrap().is_some());
    let set = async |link: u8, hash: &str, minute| store.set_password(&[link; 32], hash, after(minute), &Origin::default()).await.unwrap();
    let hash = async || store.member_by_username("one").await.unwrap().unwrap().password_hash;
    assert_eq!(set(7, "forged", 1).await, None);
    assert_eq!(set(1, "late", 10).await, None);
    assert_eq!(hash().await, "old");
    assert_eq!(set(1, "new", 9).await.unwrap().iter().map(|ended| ended.session).collect::<Vec<_>>(), [session]);
    assert_eq!(hash().await, "new");
    assert!(store.session_by_access(&[9; 32], after(9)).await.unwrap().is_none());
    assert_eq!(store.device(&[[8; 32]], "one", START).await.unwrap(), None, "the device may have been the thief's");
    for link in [1, 2] {
        assert_eq!(set(link, "again", 9).await, None, "link {link}");
    }
    assert_eq!(hash().await, "new");
}

#[tokio::test]
async fn two_uses_of_a_link_at_once_are_one() {
    let utility = utility().await;
    person(&utility, "one", "one@example.org", false).await;
    utility.store.put_reset_links("one@example.org", &[[1; 32]], after(10), &Origin::default()).await.unwrap();
    let origin = Origin::default();
    let set = |hash| utility.store.set_password(&[1; 32], hash, after(1), &origin);
    let (one, two) = tokio::join!(set("a"), set("b"));
    assert_eq!([one.unwrap(), two.unwrap()].iter().filter(|set| set.is_some()).count(), 1);
}

#[tokio::test]
async fn no_session_begins_or_goes_on_by_the_password_of_before() {
    let utility = utility().await;
    let store = &utility.store;
    let member = person(&utility, "one", "one@example.org", false).await;
    let client = utility.database.client().await;
    client.batch_execute("UPDATE member SET role_id = 1").await.unwrap();
    let session = |number: u8| NewSession {
        member,
        access_hash: [number; 32],
        access_until: after(15),
        refresh_hash: [100 + number; 32],
        refresh_until: after(700),
        idle_ms: 3_600_000,
        now: START,
    };
    // The old password was verified just before, and the session starts after the change.
    let generation = store.member_by_username("one").await.unwrap().unwrap().generation;
    store.put_reset_links("one@example.org", &[[1; 32]], after(10), &Origin::default()).await.unwrap();
    store.set_password(&[1; 32], "new", after(1), &Origin::default()).await.unwrap().unwrap();
    assert_eq!(store.begin_session(&session(1), generation, &DEVICE, &Origin::default()).await.unwrap(), None);
    assert_eq!(utility.count("session").await, 0);
    assert_eq!(store.device(&[[8; 32]], "one", START).await.unwrap(), None);
    let now = store.member_by_username("one").await.unwrap().unwrap().generation;
    let next = store.begin_session(&session(2), now, &DEVICE, &Origin::default()).await.unwrap().unwrap();
    assert!(store.session_by_access(&[2; 32], after(1)).await.unwrap().is_some());
    // As a session that was inserted at the same moment: not ended, but of the previous generation.
    client.execute("UPDATE session SET generation = $1 WHERE id = $2", &[&generation, &next]).await.unwrap();
    let rotation = |access: u8| Rotation {
        access_hash: [access; 32],
        access_until: after(15),
        refresh_hash: [100 + access; 32],
        refresh_until: after(700),
        now: after(1),
    };
    assert!(store.session_by_access(&[2; 32], after(1)).await.unwrap().is_none());
    let presented = PresentedSecret { hash: &[102; 32], devices: &[], holder: SecretHolder::Program };
    assert_eq!(store.rotate_session(presented, &rotation(3)).await.unwrap(), Rotated::Unknown);
    let switched = store.switch_session(next, utility.client, 3_600_000, &rotation(4), &Origin::default()).await.unwrap();
    assert!(switched.is_none() && store.member_of_session(next).await.unwrap().is_none());
}
