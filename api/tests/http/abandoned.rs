//! Clients that close their connection before the answer: the database stops working for them.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::report_schedules_field::until_stored;
use crate::server::Server;

/// Less than any limit of a statement.
const PATIENCE: Duration = Duration::from_secs(4);

#[tokio::test]
async fn client_that_goes_away_cancels_its_query() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let path = format!("/api/monitoring/dieventlog/{}", server.one.location.0);
    assert_eq!(server.get_as(&token, &path).await.status, 200);
    let mut holder = server.database.client().await;
    let held = holder.transaction().await.expect("started");
    held.batch_execute("LOCK TABLE event IN ACCESS EXCLUSIVE MODE").await.expect("held");
    let waiting =
        |count: usize| format!("SELECT count(DISTINCT pid) = {count} FROM pg_locks WHERE NOT granted AND relation = 'event'::regclass");
    let mut leaving = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).await.expect("connected");
        let request = format!("GET {path} HTTP/1.1\r\nHost: portal.example\r\nAuthorization: Bearer {token}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("sent");
        leaving.push(stream);
    }
    until_stored(&server, &waiting(3)).await;
    drop(leaving);
    timeout(PATIENCE, until_stored(&server, &waiting(0))).await.expect("the server goes on without a reader");
    held.rollback().await.expect("let go");
    assert_eq!(server.get_as(&token, &path).await.status, 200);
}
