//! The audit: rows are linked and cannot be changed by the application; a changed row is detected.

use serde_json::json;
use store::audit::{Entry, Head, Origin, Verdict};

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
    let verdicts = utility.store.verify_audit(&[]).await.unwrap();
    assert_eq!(verdicts.len(), 1, "{verdicts:?}");
    verdicts.into_iter().next().unwrap()
}

/// Returns the number of valid rows and the first invalid one.
async fn found(utility: &Utility) -> (i64, Option<i64>) {
    let verdict = verdict(utility).await;
    assert_eq!(verdict.chain, utility.client.0);
    (verdict.good, verdict.broken.map(|(row, _)| row))
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
    assert_eq!(found(&utility).await, (2, None));
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
    assert_eq!(found(&utility).await, (80, None));
    let origin = Origin::default();
    utility.store.audit(&Entry::new(&origin, "tried", "of no utility")).await.unwrap();
    let chains: Vec<i64> = utility.store.verify_audit(&[]).await.unwrap().iter().map(|verdict| verdict.chain).collect();
    assert_eq!(chains, [0, utility.client.0]);
    utility.database.client().await.execute("DELETE FROM audit_chain WHERE chain = 0", &[]).await.unwrap();
    assert!(utility.store.verify_audit(&[]).await.unwrap().iter().any(|verdict| verdict.chain == 0 && verdict.broken.is_some()));
}

#[tokio::test]
async fn nobody_keeps_the_chain_in_a_table_of_their_own() {
    let utility = utility().await;
    let client = utility.database.client().await;
    client.batch_execute("CREATE TEMP TABLE audit_chain (LIKE public.audit_chain INCLUDING ALL)").await.unwrap();
    let enter = "INSERT INTO audit (client_id, action, subject, from_address, correlation_id) VALUES ($1, 'tried', '', '', '')";
    client.execute(enter, &[&utility.client.0]).await.unwrap();
    let seq: i64 = client.query_one("SELECT seq FROM public.audit_chain", &[]).await.unwrap().get(0);
    assert_eq!(seq, 1);
    assert_eq!(found(&utility).await, (1, None));
}

#[tokio::test]
async fn kept_heads_reveal_removed_and_rewritten_rows() {
    // A manipulation by the owner of the database, the last valid row and the first invalid one.
    for (touched, good, broken) in [
        ("", 6, None),
        ("DELETE FROM audit WHERE seq > 4; UPDATE audit_chain SET (seq, hash) = (SELECT seq, hash FROM audit WHERE seq = 4)", 4, Some(5)),
        ("DELETE FROM audit; DELETE FROM audit_chain", 0, Some(1)),
        (
            "CREATE TEMP TABLE copy AS SELECT * FROM audit ORDER BY seq; DELETE FROM audit; DELETE FROM audit_chain; \
             ALTER TABLE audit ENABLE TRIGGER audit_link; INSERT INTO audit SELECT * FROM copy ORDER BY seq",
            5,
            Some(6),
        ),
    ] {
        let utility = utility().await;
        fill(&utility, 6).await;
        let before = verdict(&utility).await;
        let kept = [Head { chain: before.chain, seq: before.good, hash: before.hash }];
        let client = utility.database.client().await;
        client.batch_execute(&format!("ALTER TABLE audit DISABLE TRIGGER USER; {touched}")).await.unwrap();
        assert!(utility.store.verify_audit(&[]).await.unwrap().iter().all(|verdict| verdict.broken.is_none()), "{touched}: seen without");
        let found = utility.store.verify_audit(&kept).await.unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].good, found[0].broken.map(|(row, _)| row)), (good, broken), "{touched}: {found:?}");
    }
}
