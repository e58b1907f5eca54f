//! Tests the writer with a batch whose rows the database rejects.

use std::time::Duration;

use grid::{Micros, Ordinal, PointId, Quality, Reading};
use ingest::clock::RuntimeTimer;
use ingest::parcel::Parcel;
use ingest::spool::Spool;
use ingest::writer::connection::Connection;
use ingest::writer::{self, Outcome, Setup};
use store::writer::{Batch, NewEvent};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::rig::{PATIENCE, Rig};

/// Each row is rejected in a separate transaction. Together they take longer than [`LIMIT`].
const ROWS: i64 = 600;
const LIMIT: Duration = Duration::from_secs(1);

#[tokio::test]
async fn batch_of_bad_rows_that_outlasts_the_limit_is_taken_apart() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let rig = Rig::prepare(database.url(), &broker.url(), |config| config).await;
    let lead = store::lead::take(database.url(), "test").await.expect("a database").expect("nobody else leads");
    let event = |number: i64| {
        let at = Micros(1_800_000_000_000_000 + number * 1_000);
        let reading =
            Reading { value: Some(1.0), quality: Quality::Good, source: at, received: at, ordinal: Ordinal { epoch: 1, seq: number } };
        NewEvent { point: PointId(1_000_000 + number), client: rig.client, index: 0, reading }
    };
    let rows = Batch { events: (1..=ROWS).map(event).collect(), ..Batch::default() };
    let (sender, parcels) = mpsc::unbounded_channel();
    let (outcomes, mut reported) = mpsc::unbounded_channel();
    let give_up = CancellationToken::new();
    let setup = Setup {
        number: 0,
        database: Connection::new(database.url().to_owned(), LIMIT),
        tenure: lead.tenure().clone(),
        config: rig.config(),
        spool: None::<Spool>,
        timer: RuntimeTimer,
        parcels,
        outcomes,
        give_up: give_up.clone(),
    };
    let task = tokio::spawn(writer::run(setup));
    sender.send(Parcel { rows, ..Parcel::default() }).expect("a writer");
    let stored = async { while !matches!(reported.recv().await.expect("a writer"), Outcome::Stored(_)) {} };
    tokio::time::timeout(PATIENCE, stored).await.expect("it comes to an end");
    assert_eq!(rig.count("dead_letter WHERE reason = 'unstorable'").await, ROWS, "each once, and none is lost");
    drop(sender);
    task.await.expect("an orderly end");
}
