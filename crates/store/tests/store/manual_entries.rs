//! Manual entries on a real database: they are replaced, withdrawn and audited, and each utility has its own.

use grid::Micros;
use network::changes::ChangeSet;
use store::manual_entry::{ManualEntry, NewManualEntry, Withdrawal};
use store::network::VersionNumber;
use testkit::Flavour;

use crate::fixture::{START, enter, utility_on};
use crate::network::{chain, origin, store_change};

fn open(by: &str, entered: Micros) -> NewManualEntry {
    NewManualEntry {
        equipment: "a".into(),
        quantity: "Pos",
        value: 1.0,
        reason: "seen by the crew".into(),
        version: VersionNumber(1),
        member: None,
        by: by.into(),
        entered,
    }
}

#[tokio::test]
async fn further_entry_replaces_the_current_one_and_a_withdrawal_ends_it() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let (store, client) = (&utility.store, utility.client);
        store_change(store, client, ChangeSet::Whole(chain(3))).await;
        let first = store.enter_manually(client, &open("Asha Rao", START), &[], &origin(client)).await.unwrap();
        assert_eq!(store.manual_entries(client).await.unwrap(), std::slice::from_ref(&first));
        let closed = NewManualEntry { value: 2.0, ..open("Ben Roy", START.plus_millis(1_000)) };
        let second = store.enter_manually(client, &closed, &[], &origin(client)).await.unwrap();
        let expected = ManualEntry { id: second.id, value: 2.0, by: "Ben Roy".into(), entered: closed.entered, ..first.clone() };
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
