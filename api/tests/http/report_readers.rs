//! Who reads the files of reports: nobody has all turns, and who takes nothing loses the rest.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Duration, timeout};

use crate::field::{feed, reading};
use crate::report_links::{link, made, path};
use crate::report_schedules_field::until_stored;
use crate::reports::question;
use crate::server::Server;

/// More than lies between a server and who does not read.
const MIB: usize = 40;

/// Asks for a file and reads the head of the answer alone; what came of the file with it.
async fn stalled(server: &Server, path: &str) -> (TcpStream, Vec<u8>) {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).await.expect("connected");
    let request = format!("GET {path} HTTP/1.1\r\nHost: portal.example\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut came = Vec::new();
    loop {
        assert!(stream.read_buf(&mut came).await.expect("an answer") > 0, "{}", String::from_utf8_lossy(&came));
        if let Some(at) = came.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&came[..at]).into_owned();
            assert!(head.starts_with("HTTP/1.1 200"), "{head}");
            return (stream, came.split_off(at + 4));
        }
    }
}

#[tokio::test]
async fn who_takes_nothing_of_a_kept_file_loses_the_rest_and_hinders_nobody_for_long() {
    let (server, token, _, run) = made().await;
    let grown = format!(
        "DELETE FROM report_piece; INSERT INTO report_piece SELECT {run}, client_id, number, convert_to(repeat('x', 1048576), 'UTF8')
         FROM report_run, generate_series(0, {}) AS number; UPDATE report_run SET bytes = {MIB}::bigint * 1048576",
        MIB - 1
    );
    server.database.client().await.batch_execute(&grown).await.expect("a large file");
    let (link, _) = path(&link(&server, &token, run, 1).await);
    let mut readers = Vec::new();
    for _ in 0..4 {
        readers.push(stalled(&server, &link).await);
    }
    let refused = server.get(&link).await;
    assert!(refused.status == 429 && refused.head.contains("retry-after") && refused.body.contains("try again"), "{refused:?}");
    // Their turns come back while they still hold their connections.
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
    for (mut stream, mut came) in readers {
        // The connection breaks, cleanly or not.
        let _ = stream.read_to_end(&mut came).await;
        assert!(came.len() < MIB * 1024 * 1024, "what is lost is seen by its length");
    }
}

#[tokio::test]
async fn one_person_has_two_files_written_at_once_and_another_is_not_refused() {
    let server = Server::start().await;
    let at = crate::energy_field::now();
    feed(server.database.url(), &server.one, &[reading(1.0, at.0 / 1_000 - 2)], &[]).await;
    server.enter("colleague", 4, Some(server.one.division)).await;
    let (admin, colleague) = (server.sign_in("one-admin").await, server.sign_in("colleague").await);
    // By the utility's clock.
    let days = [-1, 0].map(|day: i64| wire::time::iso(at.plus_millis(19_800_000 + day * 86_400_000))[..10].to_owned());
    let asked = question("EVENT_LOG", "location", server.one.location.0, 6, &days.join(","));
    let file = |token: &str| {
        let (server, asked, token) = (&server, &asked, token.to_owned());
        async move { server.json_as(&token, "POST", "/api/reports/download?format=csv", asked).await }
    };
    // While nobody gets to read the events, files stay at their beginning.
    let mut holder = server.database.client().await;
    let held = holder.transaction().await.expect("begun");
    held.batch_execute("LOCK TABLE event IN ACCESS EXCLUSIVE MODE").await.expect("held");
    let waiting =
        |count: usize| format!("SELECT count(DISTINCT pid) = {count} FROM pg_locks WHERE NOT granted AND relation = 'event'::regclass");
    let others = async {
        until_stored(&server, &waiting(2)).await;
        let refused = file(&admin).await;
        assert!(
            refused.status == 429 && refused.head.contains("retry-after") && refused.body.contains("Two files of yours"),
            "{refused:?}"
        );
        let other = async {
            let answer = file(&colleague).await;
            assert_eq!(answer.status, 200, "{answer:?}");
        };
        let free = async {
            until_stored(&server, &waiting(3)).await;
            held.commit().await.expect("let go");
        };
        tokio::join!(other, free);
    };
    let (first, second, ()) = tokio::join!(file(&admin), file(&admin), others);
    assert_eq!((first.status, second.status), (200, 200), "{first:?} {second:?}");
    assert_eq!(file(&admin).await.status, 200, "what was let go is a turn again");
}
