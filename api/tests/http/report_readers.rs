//! Slow readers of report files: no user can hold all permits, and a reader that takes nothing loses the rest.

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Duration, Instant, timeout};

use crate::field::{feed, reading};
use crate::report_links::{link, made, path};
use crate::report_schedules_field::until_stored;
use crate::reports::question;
use crate::server::{READER_PATIENCE, Server};

/// Size of the file: more than the buffers between the server and a client that does not read.
const MIB: usize = 40;
/// Clients that may read a kept file of one run at the same time.
const TURNS: usize = 4;

/// A client that has read the head of an answer, and nothing behind it but what came with the head.
struct StalledReader {
    stream: TcpStream,
    received: Vec<u8>,
}

impl StalledReader {
    /// Requests a file. Returns no reader if the server answers 429.
    async fn open(server: &Server, path: &str) -> Option<Self> {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).await.expect("connected");
        let request = format!("GET {path} HTTP/1.1\r\nHost: portal.example\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut received = Vec::new();
        loop {
            assert!(stream.read_buf(&mut received).await.expect("an answer") > 0, "{}", String::from_utf8_lossy(&received));
            if let Some(at) = received.windows(4).position(|four| four == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&received[..at]).into_owned();
                let received = received.split_off(at + 4);
                return match head.split(' ').nth(1) {
                    Some("200") => Some(Self { stream, received }),
                    Some("429") => None,
                    _ => panic!("{head}"),
                };
            }
        }
    }

    /// Reads the rest. Returns the number of bytes of the file that came in all.
    async fn read_on(mut self) -> usize {
        // The server may close the connection or reset it.
        let _ = self.stream.read_to_end(&mut self.received).await;
        self.received.len()
    }
}

#[tokio::test]
async fn stalled_reader_of_a_file_is_disconnected() {
    let (server, token, _, run) = made().await;
    let grown = format!(
        "DELETE FROM report_piece; INSERT INTO report_piece SELECT {run}, client_id, number, convert_to(repeat('x', 1048576), 'UTF8')
         FROM report_run, generate_series(0, {}) AS number; UPDATE report_run SET bytes = {MIB}::bigint * 1048576",
        MIB - 1
    );
    server.database.client().await.batch_execute(&grown).await.expect("a large file");
    let (link, _) = path(&link(&server, &token, run, 1).await);
    let mut stalled = Vec::new();
    for _ in 0..TURNS {
        stalled.push(StalledReader::open(&server, &link).await.expect("a turn"));
    }
    let refused = server.get(&link).await;
    assert!(refused.status == 429 && refused.head.contains("retry-after") && refused.body.contains("try again"), "{refused:?}");
    // Each of them loses its permit while its connection is still open. All have lost theirs when as many other readers have one at the
    // same time.
    let others = timeout(Duration::from_mins(2), async {
        loop {
            let began = Instant::now();
            let others: Vec<_> = join_all((0..TURNS).map(|_| StalledReader::open(&server, &link))).await.into_iter().flatten().collect();
            if others.len() == TURNS && began.elapsed() < READER_PATIENCE {
                return others;
            }
            drop(others);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    let others = others.await.expect("a turn for each in the end");
    for reader in stalled {
        assert!(reader.read_on().await < MIB * 1024 * 1024, "what is lost is seen by its length");
    }
    drop(others);
    let whole = timeout(Duration::from_mins(2), async {
        loop {
            let answer = server.get(&link).await;
            if answer.status == 200 {
                return answer.body.len();
            }
            assert_eq!(answer.status, 429, "{}", answer.head);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    assert_eq!(whole.await.expect("a turn in the end"), MIB * 1024 * 1024);
}

#[tokio::test]
async fn third_file_of_a_user_waits_and_another_user_does_not() {
    let server = Server::start().await;
    let at = crate::energy_field::now();
    feed(server.database.url(), &server.one, &[reading(1.0, at.0 / 1_000 - 2)], &[]).await;
    server.enter("colleague", 4, Some(server.one.division)).await;
    let (admin, colleague) = (server.sign_in("one-admin").await, server.sign_in("colleague").await);
    // By the utility's clock.
    let days = [-1, 0].map(|day: i64| wire::time::iso(at.plus_millis(19_800_000 + day * 86_400_000))[..10].to_owned());
    let request = question("EVENT_LOG", "location", server.one.location.0, 6, &days.join(","));
    let file = |token: &str| {
        let (server, request, token) = (&server, &request, token.to_owned());
        async move { server.json_as(&token, "POST", "/api/reports/download?format=csv", request).await }
    };
    // While the table of events is locked, files stop after their head.
    let mut holder = server.database.client().await;
    let held = holder.transaction().await.expect("begun");
    held.batch_execute("LOCK TABLE event IN ACCESS EXCLUSIVE MODE").await.expect("held");
    let waiting =
        |count: usize| format!("SELECT count(DISTINCT pid) = {count} FROM pg_locks WHERE NOT granted AND relation = 'event'::regclass");
    let others = async {
        until_stored(&server, &waiting(2)).await;
        let free = async {
            // Two reads of one user run and the third waits, so the third lock here belongs to another user.
            until_stored(&server, &waiting(3)).await;
            held.commit().await.expect("let go");
        };
        let (third, other, ()) = tokio::join!(file(&admin), file(&colleague), free);
        assert_eq!((third.status, other.status), (200, 200), "{third:?} {other:?}");
    };
    let (first, second, ()) = tokio::join!(file(&admin), file(&admin), others);
    assert_eq!((first.status, second.status), (200, 200), "{first:?} {second:?}");
}
