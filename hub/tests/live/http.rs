//! A minimal HTTP client for requests without a WebSocket.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends one request on a new connection. Returns status and body.
pub(crate) async fn exchange(port: u16, method: &str, query: &str, headers: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a listener");
    let head =
        format!("{method} /socket.io/?{query} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len());
    let mut answer = String::new();
    // A body beyond the limit is refused before it is read to its end: the connection may be reset behind the answer, also before all is written.
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.read_to_string(&mut answer).await;
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("no answer: {answer:?}"));
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
    (status, body)
}

/// Opens a polling session. Returns its id.
pub(crate) async fn handshake(port: u16) -> String {
    let (status, body) = exchange(port, "GET", "EIO=4&transport=polling", "", "").await;
    assert_eq!(status, 200, "{body}");
    let hello: serde_json::Value = serde_json::from_str(body.strip_prefix('0').expect("an open packet")).expect("JSON");
    hello["sid"].as_str().expect("a sid").to_owned()
}

/// Opens a polling session and signs in. Returns its id.
pub(crate) async fn sign_in(port: u16, token: &str) -> String {
    let sid = handshake(port).await;
    let connect = format!("40/live,{}", serde_json::json!({ "token": token }));
    assert_eq!(post(port, &sid, &connect).await, (200, "ok".to_owned()));
    poll_until(port, &sid, "40/live,").await;
    sid
}

/// Polls until the given message is received. Returns everything received until then.
pub(crate) async fn poll_until(port: u16, sid: &str, expected: &str) -> String {
    let mut received = String::new();
    while !received.contains(expected) {
        received += &poll(port, sid).await.1;
    }
    received
}

/// Polls once.
pub(crate) async fn poll(port: u16, sid: &str) -> (u16, String) {
    exchange(port, "GET", &format!("EIO=4&transport=polling&sid={sid}"), "", "").await
}

/// Posts packets.
pub(crate) async fn post(port: u16, sid: &str, body: &str) -> (u16, String) {
    exchange(port, "POST", &format!("EIO=4&transport=polling&sid={sid}"), "", body).await
}

/// Sends a poll without waiting for its answer. Dropping the returned stream closes the connection.
pub(crate) async fn poll_only(port: u16, sid: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a listener");
    let head = format!("GET /socket.io/?EIO=4&transport=polling&sid={sid} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.expect("sent");
    stream
}
