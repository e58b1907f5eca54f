//! Terms of leadership: one leader at a time can commit.

use std::time::Duration;

use grid::Term;
use store::lead::{self, Lead, Retaken};
use store::{Error, Writer};
use testkit::Flavour;

use crate::fixture::{Utility, utility, utility_on};

async fn take(utility: &Utility) -> Lead {
    lead::take(utility.database.url(), "shard").await.unwrap().expect("the lock is free")
}

/// A leader whose connection was lost, as after a restart of the database: its lock is free, but it has not noticed.
async fn former_leader(utility: &Utility) -> (lead::Tenure, Writer) {
    let leader = take(utility).await;
    let mut writer = utility.writer().await;
    writer.set_tenure(Some(leader.tenure()));
    let tenure = leader.tenure().clone();
    give_up(utility, leader).await;
    (tenure, writer)
}

/// The server frees the lock a moment after the connection has ended.
async fn give_up(utility: &Utility, leader: Lead) {
    drop(leader);
    let client = utility.database.client().await;
    while locks(&client, 1936, true).await > 0 {}
}

/// Advisory locks of a class in this database.
async fn locks(client: &tokio_postgres::Client, class: i64, granted: bool) -> i64 {
    let query = "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                 WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid::bigint = $1 AND l.granted = $2";
    client.query_one(query, &[&class, &granted]).await.unwrap().get(0)
}

#[tokio::test]
async fn each_leader_begins_the_next_term() {
    let utility = utility().await;
    let first = take(&utility).await;
    assert_eq!(first.term(), Term(1));
    assert!(lead::take(utility.database.url(), "shard").await.unwrap().is_none());
    give_up(&utility, first).await;
    assert_eq!(take(&utility).await.term(), Term(2));
    let other = lead::take(utility.database.url(), "other").await.unwrap().expect("another name");
    assert_eq!(other.term(), Term(3), "terms of all names are one sequence");
}

#[tokio::test]
async fn former_leader_cannot_commit() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let (tenure, mut writer) = former_leader(&utility).await;
        writer.commit(&utility.currents(0..3)).await.unwrap();
        let leader = take(&utility).await;
        for batch in [utility.currents(3..6), utility.events(0, 0..3), utility.currents(0..3)] {
            let error = writer.commit(&batch).await.unwrap_err();
            assert!(matches!(&error, Error::Deposed { term, .. } if *term == tenure.term), "{error}");
            assert!(!error.is_permanent() && !error.is_connection());
        }
        assert_eq!((utility.count("sample").await, utility.count("event").await), (3, 0));
        writer.set_tenure(Some(leader.tenure()));
        writer.commit(&utility.currents(3..6)).await.unwrap();
        // Acknowledged values from a spool are stored, whichever process leads.
        writer.set_tenure(None);
        writer.commit(&utility.currents(6..9)).await.unwrap();
        assert_eq!(utility.count("sample").await, 9);
    }
}

#[tokio::test]
async fn leadership_is_held_again_unless_another_term_has_begun() {
    let utility = utility().await;
    let (tenure, _) = former_leader(&utility).await;
    let Retaken::Held(again) = lead::retake(utility.database.url(), &tenure).await.unwrap() else { panic!("nobody else leads") };
    assert_eq!(again.tenure(), &tenure);
    assert!(matches!(lead::retake(utility.database.url(), &tenure).await.unwrap(), Retaken::Busy));
    give_up(&utility, again).await;
    let (later, _) = former_leader(&utility).await;
    assert!(later.term > tenure.term);
    assert!(matches!(lead::retake(utility.database.url(), &tenure).await.unwrap(), Retaken::Deposed));
    let leader = take(&utility).await;
    assert!(matches!(lead::retake(utility.database.url(), &tenure).await.unwrap(), Retaken::Deposed));
    assert!(leader.term() > later.term);
}

#[tokio::test]
async fn next_term_begins_after_the_commit_under_way() {
    let utility = utility().await;
    let (_, mut writer) = former_leader(&utility).await;
    // Keeps the transaction open after its check of the term: events wait for the lock on their stream.
    let mut blocker = utility.database.client().await;
    let blocking = blocker.transaction().await.unwrap();
    blocking.execute("SELECT FROM stream WHERE client_id = $1 FOR UPDATE", &[&utility.client.0]).await.unwrap();
    let batch = utility.events(0, 0..3);
    let committing = tokio::spawn(async move { writer.commit(&batch).await });
    let watcher = utility.database.client().await;
    while locks(&watcher, 1937, true).await == 0 {}
    let url = utility.database.url().to_owned();
    let mut taking = tokio::spawn(async move { lead::take(&url, "shard").await });
    while locks(&watcher, 1937, false).await == 0 {}
    assert!(tokio::time::timeout(Duration::from_millis(100), &mut taking).await.is_err());
    blocking.rollback().await.unwrap();
    committing.await.unwrap().unwrap();
    assert_eq!(taking.await.unwrap().unwrap().map(|lead| lead.term()), Some(Term(2)));
    assert_eq!(utility.count("event").await, 3);
}
