//! The audit: chained, only added to, and a row that was touched is found.

use serde_json::json;
use store::audit::{Entry, Origin, Verdict};

use crate::fixture::{Utility, enter, utility};

async fn fill(utility: &Utility, rows: usize) {
    let origin = Origin { client: Some(utility.client), from: "192.0.2.1".into(), correlation: "00ff".into(), ..Origin::default() };
    for number in 0..rows {
        let entry = Entry::new(&origin, "tried", format!("thing {number} \u{0} ü"))
            .changing(Some(json!({ "b": 1.50, "a": [null, "\"quoted\""] })), Some(json!({ "number": number })));
        utility.store.audit(&entry).await.unwrap();
    }
}

async fn verdict(utility: &Utility) -> Verdict {
    let verdicts = utility.store.verify_audit().await.unwrap();
    assert_eq!(verdicts.len(), 1, "{verdicts:?}");
    verdicts.into_iter().next().unwrap()
}

#[tokio::test]
async fn rows_are_read_back_newest_first_and_those_of_others_never() {
    let utility = utility().await;
    let (other, _, _) = enter(&utility.store, "KSEB").await;
    fill(&utility, 3).await;
    let rows = utility.store.audit_rows(utility.client, None, 2).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.seq).collect::<Vec<_>>(), [3, 2]);
    assert_eq!(
        (rows[0].action.as_str(), rows[0].from.as_str(), rows[0].after.clone()),
        ("tried", "192.0.2.1", Some(json!({ "number": 2 })))
    );
    let rest = utility.store.audit_rows(utility.client, Some(2), 100).await.unwrap();
    assert_eq!(rest.len(), 1);
    assert!(utility.store.audit_rows(other, None, 100).await.unwrap().is_empty());
}

#[tokio::test]
async fn nobody_changes_or_takes_out_a_row() {
    let utility = utility().await;
    fill(&utility, 2).await;
    let client = utility.database.client().await;
    for statement in ["UPDATE audit SET subject = ''", "DELETE FROM audit", "TRUNCATE audit"] {
        let refused = client.batch_execute(statement).await.unwrap_err();
        assert!(refused.as_db_error().unwrap().message().contains("only added to"), "{statement}: {refused}");
    }
    assert_eq!(verdict(&utility).await, Verdict { chain: utility.client.0, good: 2, broken: None });
}

#[tokio::test]
async fn the_verifier_names_the_first_row_that_somebody_touched_past_the_guard() {
    for (touched, good) in [
        ("UPDATE audit SET subject = 'another thing' WHERE seq = 4", 3),
        ("UPDATE audit SET after = '{\"number\": 7}' WHERE seq = 2", 1),
        ("UPDATE audit SET at = at + interval '1 second' WHERE seq = 5", 4),
        ("UPDATE audit SET hash = sha256('x') WHERE seq = 6", 5),
        ("DELETE FROM audit WHERE seq = 3", 2),
        ("DELETE FROM audit WHERE seq = 6", 5),
        ("UPDATE audit SET seq = seq + 10 WHERE seq = 1", 0),
        ("DELETE FROM audit WHERE seq > 4; UPDATE audit_chain SET seq = 4", 4),
    ] {
        let utility = utility().await;
        fill(&utility, 6).await;
        assert_eq!(verdict(&utility).await.broken, None);
        let client = utility.database.client().await;
        client.batch_execute(&format!("ALTER TABLE audit DISABLE TRIGGER USER; {touched}")).await.unwrap();
        let found = verdict(&utility).await;
        assert_eq!(found.good, good, "{touched}: {found:?}");
        assert_eq!(found.broken.map(|(seq, _)| seq), Some(good + 1), "{touched}");
    }
}

#[tokio::test]
async fn many_writers_at_once_make_one_chain() {
    let utility = utility().await;
    tokio::join!(fill(&utility, 20), fill(&utility, 20), fill(&utility, 20), fill(&utility, 20));
    assert_eq!(verdict(&utility).await, Verdict { chain: utility.client.0, good: 80, broken: None });
    let origin = Origin::default();
    utility.store.audit(&Entry::new(&origin, "tried", "of no utility")).await.unwrap();
    let chains: Vec<i64> = utility.store.verify_audit().await.unwrap().iter().map(|verdict| verdict.chain).collect();
    assert_eq!(chains, [0, utility.client.0]);
    utility.database.client().await.execute("DELETE FROM audit_chain WHERE chain = 0", &[]).await.unwrap();
    assert!(utility.store.verify_audit().await.unwrap().iter().any(|verdict| verdict.chain == 0 && verdict.broken.is_some()));
}
