//! Queries whose caller goes away: the server ends them, and their connection is not used again.

use std::pin::Pin;
use std::time::Duration;

use store::Store;
use tokio::time::{sleep, timeout};
use tokio_postgres::Client;

use crate::fixture::utility;

/// Much more than a cancel takes, and less than any limit of a statement.
const PATIENCE: Duration = Duration::from_secs(4);

/// Statements that wait for the table that the test holds.
const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;
type StartWork = fn(Store, grid::ClientId, grid::MemberId) -> Work;

async fn until_waiting(client: &Client, count: i64) {
    let reached = async {
        while client.query_one(WAITING, &[]).await.unwrap().get::<_, i64>(0) != count {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, reached).await.unwrap_or_else(|_| panic!("{count} statements never waited"));
}

#[tokio::test]
async fn abandoned_query_ends_and_its_connection_is_not_pooled() {
    let utility = utility().await;
    let (mut holder, observer) = (utility.database.client().await, utility.database.client().await);
    let (client, member) = (utility.client, grid::MemberId(1));
    let works: [(&str, StartWork); 4] = [
        ("one utility", |store, client, _| Box::pin(async move { drop(store.links(Some(client)).await) })),
        ("all utilities", |store, _, _| Box::pin(async move { drop(store.links(None).await) })),
        ("bound", |store, client, member| Box::pin(async move { drop(store.report_selections(client, member).await) })),
        ("rows as they come", |store, _, _| Box::pin(async move { drop(store.each_registry_record(None, drop).await) })),
    ];
    for (name, work) in works {
        let store = Store::connect(utility.database.url(), 1).await.unwrap();
        let held = holder.transaction().await.unwrap();
        held.batch_execute("LOCK TABLE gateway, report_selection IN ACCESS EXCLUSIVE MODE").await.unwrap();
        let abandoned = tokio::spawn(work(store.clone(), client, member));
        until_waiting(&observer, 1).await;
        abandoned.abort();
        assert!(abandoned.await.unwrap_err().is_cancelled());
        until_waiting(&observer, 0).await;
        timeout(PATIENCE, store.ping()).await.unwrap_or_else(|_| panic!("{name}: the connection is busy")).unwrap();
        held.rollback().await.unwrap();
    }
}
