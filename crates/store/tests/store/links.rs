//! Validity of links that set passwords.

use store::audit::Origin;
use store::people::MemberDraft;
use store::reset::Until;

use crate::fixture::utility;
use crate::reset::{after, person};

fn draft(email: &str, can_operate: bool) -> MemberDraft {
    MemberDraft {
        first_name: "Asha".to_owned(),
        last_name: "Rao".to_owned(),
        email: email.to_owned(),
        role_id: 2,
        role_name: "ClientAdmin".to_owned(),
        node: None,
        can_operate,
        flags: serde_json::json!({}),
        disabled: false,
    }
}

#[tokio::test]
async fn a_link_waits_for_a_day_only_before_the_first_password() {
    let utility = utility().await;
    let (store, origin) = (&utility.store, Origin::default());
    let added = store.add_member(utility.client, "new", "nobody knows", &draft("new@example.org", false), &origin).await.unwrap().unwrap();
    let until = Until { first: after(24 * 60), again: after(10) };
    let put = async |link: u8, member| store.put_link(&[link; 32], member, until, "member_invited", &origin).await.unwrap().unwrap();
    let good = async |link: u8, minute| store.member_by_link(&[link; 32], after(minute)).await.unwrap().is_some();
    let first = put(1, added.id).await;
    assert_eq!((first.is_first, first.username.as_str(), first.email.as_str()), (true, "new", "new@example.org"));
    assert!(good(1, 23 * 60).await);
    store.set_password(&[1; 32], "known", after(23 * 60), &origin).await.unwrap().unwrap();
    let old = person(&utility, "old", "old@example.org", false).await;
    for (link, member) in [(2, added.id), (3, old)] {
        assert!(!put(link, member).await.is_first);
        assert!(good(link, 9).await && !good(link, 10).await, "link {link}");
    }
}

#[tokio::test]
async fn links_end_with_the_address_and_with_the_rights_they_were_mailed_for() {
    let utility = utility().await;
    let (store, origin) = (&utility.store, Origin::default());
    let member = person(&utility, "one", "one@example.org", false).await;
    let change = async |email: &str, can_operate| {
        let draft = draft(email, can_operate);
        let changed = store.change_member(utility.client, member, &draft, after(1), &origin, |_| Ok::<(), ()>(())).await;
        changed.unwrap().unwrap().unwrap().former_email
    };
    let until = Until { first: after(60), again: after(60) };
    for (link, email, can_operate, is_good, former) in [
        (1, "one@example.org", false, true, None),
        (2, "typo@example.org", false, false, Some("one@example.org")),
        (3, "typo@example.org", true, false, None),
    ] {
        store.put_link(&[link; 32], member, until, "member_invited", &origin).await.unwrap().unwrap();
        assert_eq!(change(email, can_operate).await.as_deref(), former);
        assert_eq!(store.member_by_link(&[link; 32], after(2)).await.unwrap().is_some(), is_good, "{email} {can_operate}");
    }
}
