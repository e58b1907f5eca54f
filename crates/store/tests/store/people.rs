//! Members and sessions.

use grid::{ClientId, MemberId, Micros, NodeId};
use store::Store;
use store::audit::Origin;
use store::people::{Ended, MemberDraft, NewDevice, NewSession, PresentedSecret, Rotated, Rotation, SecretHolder};
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

/// Signs an operator in, on a device with the hash of sevens.
async fn signed_in(utility: &Utility) -> MemberId {
    let store = &utility.store;
    let member = store.put_member(&seed(utility, "operator")).await.unwrap();
    let Rotation { access_hash, access_until, refresh_hash, refresh_until, .. } = rotation(1, 101, after(0));
    let session = NewSession { member, access_hash, access_until, refresh_hash, refresh_until, idle_ms: 1_800_000, now: after(0) };
    store.begin_session(&session, 0, &NewDevice { hash: [7; 32], replaces: None }, &Origin::default()).await.unwrap().unwrap();
    member
}

/// Presents the refresh secret of a program.
async fn renew(store: &Store, refresh: u8, devices: &[[u8; 32]], next: &Rotation) -> Rotated {
    let presented = PresentedSecret { hash: &[refresh; 32], devices, holder: SecretHolder::Program };
    store.rotate_session(presented, next).await.unwrap()
}

/// Presents the refresh secret in the cookie of the browser with the device of sevens.
async fn renew_in_browser(store: &Store, refresh: u8, next: &Rotation) -> Rotated {
    let presented = PresentedSecret { hash: &[refresh; 32], devices: &[[7; 32]], holder: SecretHolder::Browser };
    store.rotate_session(presented, next).await.unwrap()
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
    let good = async |access: u8, at: Micros| store.session_by_access(&[access; 32], at).await.unwrap().is_some();
    let session = store.session_by_access(&[1; 32], after(1)).await.unwrap().unwrap();
    assert_eq!((session.id, session.member.username.as_str(), session.access_until, session.last_seen), (id, "operator", after(15), START));
    assert!(store.session_by_access(&[2; 32], after(1)).await.unwrap().is_none());
    assert!(!good(1, after(15)).await, "expired");
    let Rotated::Ok(_) = renew(store, 101, &[], &rotation(2, 102, after(20))).await else { panic!() };
    assert!(good(2, after(29)).await && !good(2, after(30)).await, "a rotation is no use");
    store.touch_session(id, after(34)).await.unwrap();
    assert!(good(2, after(34)).await);
    assert_eq!(renew(store, 102, &[], &rotation(3, 103, after(64))).await, Rotated::Unknown, "idle for 30 minutes");
    let Rotated::Ok(_) = renew(store, 102, &[], &rotation(3, 103, after(63))).await else { panic!() };
    store.end_session(id, after(64)).await.unwrap();
    assert!(store.session_by_access(&[3; 32], after(64)).await.unwrap().is_none(), "ended");
    assert_eq!(renew(store, 103, &[], &rotation(4, 104, after(64))).await, Rotated::Unknown);
}

#[tokio::test]
async fn a_refresh_secret_used_twice_ends_the_session() {
    let utility = utility().await;
    let store = &utility.store;
    begin(&utility, "operator", 1, 101).await;
    begin(&utility, "viewer", 11, 111).await;
    let Rotated::Ok(next) = renew(store, 101, &[], &rotation(2, 102, after(5))).await else { panic!() };
    assert_eq!(next.access_until, after(20));
    assert!(store.session_by_access(&[1; 32], after(5)).await.unwrap().is_none(), "the old access token is worth nothing");
    assert!(store.session_by_access(&[2; 32], after(5)).await.unwrap().is_some());
    let ended = Ended { session: next.id, client: utility.client };
    assert_eq!(renew(store, 101, &[], &rotation(3, 103, after(6))).await, Rotated::Reused(next.member.id, ended));
    assert!(store.session_by_access(&[2; 32], after(6)).await.unwrap().is_none(), "and with it the session");
    assert!(store.session_by_access(&[11; 32], after(6)).await.unwrap().is_some(), "but nobody else's");
    assert_eq!(renew(store, 99, &[], &rotation(3, 103, after(6))).await, Rotated::Unknown);
    assert_eq!(renew(store, 101, &[], &rotation(3, 103, after(6))).await, Rotated::Unknown, "there is nothing left to end");
}

#[tokio::test]
async fn an_answer_that_was_lost_is_given_again_to_the_browser_that_signed_in() {
    let utility = utility().await;
    let store = &utility.store;
    let member = signed_in(&utility).await;
    let Rotated::Ok(_) = renew(store, 101, &[[7; 32]], &rotation(2, 102, after(5))).await else { panic!() };
    let soon = after(5).plus_millis(59_000);
    let Rotated::Ok(again) = renew(store, 101, &[[8; 32], [7; 32]], &rotation(3, 103, soon)).await else { panic!() };
    assert!(store.session_by_access(&[2; 32], soon).await.unwrap().is_none(), "what was lost is worth nothing");
    assert!(store.session_by_access(&[3; 32], soon).await.unwrap().is_some());
    assert_eq!(renew(store, 102, &[[7; 32]], &rotation(4, 104, soon)).await, Rotated::Unknown);
    let Rotated::Ok(_) = renew(store, 103, &[], &rotation(5, 105, soon)).await else { panic!() };
    let ended = Ended { session: again.id, client: utility.client };
    let other = renew(store, 103, &[[8; 32]], &rotation(6, 106, soon)).await;
    assert_eq!(other, Rotated::Reused(member, ended), "another browser has it from elsewhere");
}

#[tokio::test]
async fn a_minute_later_the_browser_itself_is_not_believed_any_more() {
    let utility = utility().await;
    let store = &utility.store;
    signed_in(&utility).await;
    let Rotated::Ok(_) = renew(store, 101, &[[7; 32]], &rotation(2, 102, after(5))).await else { panic!() };
    let late = renew(store, 101, &[[7; 32]], &rotation(3, 103, after(6))).await;
    assert!(matches!(late, Rotated::Reused(..)), "{late:?}");
}

#[tokio::test]
async fn tabs_that_renew_at_once_all_stay_signed_in() {
    let utility = utility().await;
    let store = &utility.store;
    signed_in(&utility).await;
    let (one, two) = (rotation(2, 102, after(5)), rotation(3, 103, after(5)));
    let (one, two) = tokio::join!(renew_in_browser(store, 101, &one), renew_in_browser(store, 101, &two));
    assert!(matches!((&one, &two), (Rotated::Ok(_), Rotated::Ok(_))), "{one:?} {two:?}");
    for access in 1..=3 {
        assert!(store.session_by_access(&[access; 32], after(5)).await.unwrap().is_some(), "token {access} of a tab");
    }
    assert!(store.session_by_access(&[1; 32], after(6)).await.unwrap().is_none(), "a minute later only the new ones");
    // The cookie has one of the two secrets. A request of a third tab arrives after another tab has used that one.
    let Rotated::Ok(_) = renew_in_browser(store, 102, &rotation(4, 104, after(5).plus_millis(5_000))).await else { panic!() };
    let Rotated::Ok(_) = renew_in_browser(store, 101, &rotation(5, 105, after(5).plus_millis(9_000))).await else { panic!() };
    // The first use of one of the two has replaced the other.
    let Rotated::Ok(_) = renew_in_browser(store, 103, &rotation(6, 106, after(5).plus_millis(10_000))).await else { panic!() };
    let Rotated::Ok(_) = renew_in_browser(store, 104, &rotation(7, 107, after(18))).await else { panic!() };
    assert!(matches!(renew_in_browser(store, 103, &rotation(8, 108, after(18))).await, Rotated::Reused(..)), "a copy");
    assert!(store.session_by_access(&[7; 32], after(18)).await.unwrap().is_none(), "the session has ended");
}

#[tokio::test]
async fn secret_of_an_earlier_minute_ends_the_session_of_a_browser() {
    let utility = utility().await;
    let store = &utility.store;
    signed_in(&utility).await;
    let Rotated::Ok(_) = renew_in_browser(store, 101, &rotation(2, 102, after(5))).await else { panic!() };
    let Rotated::Ok(_) = renew_in_browser(store, 102, &rotation(3, 103, after(5).plus_millis(1_000))).await else { panic!() };
    let late = renew_in_browser(store, 101, &rotation(4, 104, after(5).plus_millis(12_000))).await;
    assert!(matches!(late, Rotated::Reused(..)), "the browser has used a later one for more than ten seconds: {late:?}");
}

#[tokio::test]
async fn a_session_is_renewed_so_often_and_forgotten_when_its_time_is_over() {
    let utility = utility().await;
    let store = &utility.store;
    let full = begin(&utility, "operator", 1, 101).await;
    let fill = "INSERT INTO session_refresh (hash, session_id, until, used) \
        SELECT sha256(n::text::bytea), $1, now() + interval '9 h', now() FROM generate_series(1, 998) n";
    let client = utility.database.client().await;
    client.execute(fill, &[&full]).await.unwrap();
    let Rotated::Ok(_) = renew(store, 101, &[], &rotation(2, 102, after(1))).await else { panic!() };
    assert_eq!(renew(store, 102, &[], &rotation(3, 103, after(2))).await, Rotated::Unknown, "a thousand are enough");
    assert!(store.session_by_access(&[2; 32], after(2)).await.unwrap().is_some(), "what it has is good to its end");
    client
        .execute("DELETE FROM session_refresh WHERE hash = ANY(ARRAY(SELECT sha256(n::text::bytea) FROM generate_series(1, 998) n))", &[])
        .await
        .unwrap();
    let member = store.member_by_username("operator").await.unwrap().unwrap().id;
    let Rotation { access_hash, access_until, refresh_hash, refresh_until, now } = rotation(4, 104, after(24 * 60 - 1));
    let session = NewSession { member, access_hash, access_until, refresh_hash, refresh_until, idle_ms: 1_000, now };
    store.begin_session(&session, 0, &NewDevice { hash: [1; 32], replaces: None }, &Origin::default()).await.unwrap().unwrap();
    assert_eq!(utility.count("session").await, 2, "its last secret is good for a minute yet");
    let Rotation { access_hash, access_until, refresh_hash, refresh_until, now } = rotation(5, 105, after(24 * 60 + 2));
    let session = NewSession { member, access_hash, access_until, refresh_hash, refresh_until, idle_ms: 1_000, now };
    let last = store.begin_session(&session, 0, &NewDevice { hash: [2; 32], replaces: None }, &Origin::default()).await.unwrap().unwrap();
    let left: Vec<i64> = client.query("SELECT id FROM session ORDER BY id", &[]).await.unwrap().iter().map(|row| row.get(0)).collect();
    assert_eq!(left, [last - 1, last]);
    assert_eq!(utility.count("session_refresh").await, 2);
}

#[tokio::test]
async fn two_uses_at_once_are_a_first_and_a_second() {
    let utility = utility().await;
    begin(&utility, "operator", 1, 101).await;
    let (one, two) = (rotation(2, 102, after(1)), rotation(3, 103, after(1)));
    let (one, two) = tokio::join!(renew(&utility.store, 101, &[], &one), renew(&utility.store, 101, &[], &two));
    let outcomes = [one, two];
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Rotated::Ok(_))).count(), 1, "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Rotated::Reused(..))).count(), 1, "{outcomes:?}");
}

#[tokio::test]
async fn no_token_outlives_the_absolute_end_of_its_session() {
    let utility = utility().await;
    let store = &utility.store;
    let member = store.put_member(&seed(&utility, "operator")).await.unwrap();
    let session = NewSession {
        member,
        access_hash: [1; 32],
        access_until: after(15),
        refresh_hash: [101; 32],
        refresh_until: after(30),
        idle_ms: 180 * 60_000,
        now: START,
    };
    store.insert_session(&session).await.unwrap();
    let Rotated::Ok(late) = renew(store, 101, &[], &rotation(2, 102, after(20))).await else { panic!() };
    assert_eq!(late.access_until, after(30), "not 35: the session ends after 30 minutes whatever is used");
    assert_eq!(renew(store, 102, &[], &rotation(3, 103, after(30))).await, Rotated::Unknown);
}

#[tokio::test]
async fn a_disabled_member_has_no_session() {
    let utility = utility().await;
    let store = &utility.store;
    begin(&utility, "viewer", 3, 103).await;
    utility.database.client().await.execute("UPDATE member SET disabled = true", &[]).await.unwrap();
    assert!(store.session_by_access(&[3; 32], after(1)).await.unwrap().is_none());
    assert_eq!(renew(store, 103, &[], &rotation(4, 104, after(1))).await, Rotated::Unknown);
}

#[tokio::test]
async fn a_super_users_next_session_is_in_the_other_utility_and_ends_when_the_first_would_have() {
    let utility = utility().await;
    let store = &utility.store;
    let (other, _, _) = enter(store, "KSEB").await;
    store.put_member(&MemberSeed { role_id: 1, node: None, ..seed(&utility, "super") }).await.unwrap();
    let member = store.member_by_username("super").await.unwrap().unwrap().id;
    let (access_until, refresh_until) = (after(15), after(40));
    let first =
        NewSession { member, access_hash: [1; 32], access_until, refresh_hash: [101; 32], refresh_until, idle_ms: 10_800_000, now: START };
    let id = store.insert_session(&first).await.unwrap();
    let switch = async |session, to, access, refresh, minute| {
        store.switch_session(session, to, 10_800_000, &rotation(access, refresh, after(minute)), &Origin::default()).await.unwrap()
    };
    assert!(switch(id, ClientId(999_999), 8, 108, 1).await.is_none(), "no such utility");
    assert!(store.session_by_access(&[1; 32], after(1)).await.unwrap().is_some(), "and nothing has changed");
    let next = switch(id, other, 2, 102, 5).await.unwrap();
    assert_eq!((next.member.client, next.member.node, next.access_until), (other, None, after(20)));
    assert!(store.session_by_access(&[1; 32], after(5)).await.unwrap().is_none(), "the first has ended");
    let Rotated::Ok(late) = renew(store, 102, &[], &rotation(3, 103, after(30))).await else { panic!() };
    assert_eq!((late.member.client, late.access_until), (other, after(40)), "still there, and no longer than the first");
    let back = switch(late.id, utility.client, 4, 104, 31).await.unwrap();
    assert_eq!(back.member.client, utility.client);
    let operator = begin(&utility, "operator", 11, 111).await;
    assert!(switch(operator, other, 12, 112, 1).await.is_none(), "whoever is no super user stays");
    // A member who is no longer a super user has no session in another utility.
    let abroad = switch(back.id, other, 5, 105, 32).await.unwrap();
    utility.database.client().await.execute("UPDATE member SET role_id = 2 WHERE id = $1", &[&member.0]).await.unwrap();
    assert_eq!(abroad.member.client, other);
    assert!(store.session_by_access(&[5; 32], after(33)).await.unwrap().is_none());
    assert_eq!(renew(store, 105, &[], &rotation(6, 106, after(33))).await, Rotated::Unknown);
}

#[tokio::test]
async fn a_device_is_known_to_the_one_who_signed_in_on_it() {
    let utility = utility().await;
    let store = &utility.store;
    let member = store.put_member(&seed(&utility, "operator")).await.unwrap();
    let viewer = store.put_member(&seed(&utility, "viewer")).await.unwrap();
    let device = async |hashes: &[u8], username: &str| {
        let hashes: Vec<[u8; 32]> = hashes.iter().map(|hash| [*hash; 32]).collect();
        store.device(&hashes, username, START).await.unwrap().map(|hash| hash[0])
    };
    let sign_in = async |member, number: u8, replaces: Option<u8>| {
        let Rotation { access_hash, access_until, refresh_hash, refresh_until, now } =
            rotation(number, number + 100, after(i64::from(number)));
        let session = NewSession { member, access_hash, access_until, refresh_hash, refresh_until, idle_ms: 1_000, now };
        let device = NewDevice { hash: [number; 32], replaces: replaces.map(|hash| [hash; 32]) };
        store.begin_session(&session, 0, &device, &Origin::default()).await.unwrap().unwrap()
    };
    assert_eq!(device(&[1], "operator").await, None);
    for number in 1..=22 {
        let id = sign_in(member, number, None).await;
        assert_eq!(store.device_of_session(id).await.unwrap(), Some([number; 32]));
    }
    assert_eq!(device(&[99, 22], "OPERATOR").await, Some(22));
    assert_eq!(device(&[22], "viewer").await, None, "of somebody else");
    assert_eq!(device(&[2], "operator").await, None, "of more than twenty the oldest are forgotten");
    assert_eq!(device(&[3], "operator").await, Some(3));
    assert_eq!(store.device(&[[22; 32]], "operator", after(23)).await.unwrap(), None, "not used for too long");
    // The next sign-in on the device gets a new secret, and the previous one is invalid. Secrets of other members stay valid.
    sign_in(viewer, 30, None).await;
    sign_in(member, 31, Some(22)).await;
    assert_eq!(
        (device(&[22], "operator").await, device(&[22, 31], "operator").await, device(&[3], "operator").await),
        (None, Some(31), Some(3))
    );
    sign_in(member, 32, Some(30)).await;
    assert_eq!(device(&[30], "viewer").await, Some(30));
}

#[tokio::test]
async fn other_rights_end_all_sessions_of_a_member_and_a_new_name_ends_none() {
    let utility = utility().await;
    let store = &utility.store;
    let one = begin(&utility, "operator", 1, 101).await;
    let two = begin(&utility, "operator", 2, 102).await;
    begin(&utility, "viewer", 3, 103).await;
    let before = store.member_by_username("operator").await.unwrap().unwrap();
    let draft = MemberDraft {
        first_name: "Uma".into(),
        last_name: before.last_name.clone(),
        email: before.email.clone(),
        role_id: before.role_id,
        role_name: before.role_name.clone(),
        node: before.node,
        can_operate: before.can_operate,
        flags: serde_json::json!({ "showAssetTab": false }),
        disabled: false,
    };
    let change = async |draft: &MemberDraft, permitted: Result<(), &'static str>| {
        store.change_member(utility.client, before.id, draft, after(1), &Origin::default(), |_| permitted).await.unwrap().unwrap()
    };
    assert_eq!(change(&draft, Err("no")).await, Err("no"));
    assert_eq!(store.member(utility.client, before.id).await.unwrap().unwrap(), before, "a refusal changes nothing");
    let renamed = change(&draft, Ok(())).await.unwrap();
    assert_eq!((renamed.member.first_name.as_str(), renamed.ended.len()), ("Uma", 0));
    let idle = change(&MemberDraft { can_operate: false, ..draft.clone() }, Ok(())).await.unwrap();
    let mut ended: Vec<i64> = idle.ended.iter().map(|ended| ended.session).collect();
    ended.sort_unstable();
    assert_eq!(ended, [one, two]);
    assert!(store.session_by_access(&[3; 32], after(1)).await.unwrap().is_some(), "nobody else's");
    let foreign = store.change_member(ClientId(999), before.id, &draft, after(1), &Origin::default(), |_| Ok::<(), ()>(())).await.unwrap();
    assert!(foreign.is_none());
    let astray = MemberDraft { node: Some(NodeId(999_999)), ..draft };
    let refused = store.change_member(utility.client, before.id, &astray, after(1), &Origin::default(), |_| Ok::<(), ()>(())).await;
    assert!(refused.unwrap_err().is_permanent());
}
