//! The protocols as their public test suites check them: text and binary messages, acknowledgements, namespaces,
//! heartbeats.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use hub::HubConfig;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};
use tokio_util::sync::CancellationToken;

/// Longer than any test. The suites' own limits are some 100 ms, which a client on a busy machine exceeds.
const NEVER: Duration = Duration::from_hours(1);

async fn serve(adapt: impl Fn(HubConfig) -> HubConfig) -> (u16, CancellationToken) {
    let shutdown = CancellationToken::new();
    let router = hub::conformance(&adapt(hub::conformance_config()), &shutdown);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move { axum::serve(listener, router.into_make_service_with_connect_info::<SocketAddr>()).await });
    (port, shutdown)
}

struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    async fn open(port: u16, path: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a listener");
        let url = format!("ws://127.0.0.1:{port}/{path}/?EIO=4&transport=websocket");
        let mut socket = Self(client_async(url, stream).await.expect("a socket").0);
        let Some(Message::Text(hello)) = socket.next().await else { panic!("a handshake") };
        let hello: Value = serde_json::from_str(&hello[1..]).expect("JSON");
        assert_eq!((&hello["pingInterval"], &hello["maxPayload"]), (&Value::from(300), &Value::from(1_000_000)));
        socket
    }

    async fn say(&mut self, message: impl Into<Message>) {
        self.0.send(message.into()).await.expect("it is open");
    }

    /// Returns the next message other than a ping (pings are answered); `None` at the end.
    async fn next(&mut self) -> Option<Message> {
        loop {
            match self.0.next().await {
                // The server may have closed the socket after the ping.
                Some(Ok(Message::Text(text))) if text == "2" => drop(self.0.send("3".into()).await),
                Some(Ok(message @ (Message::Text(_) | Message::Binary(_)))) => return Some(message),
                _ => return None,
            }
        }
    }

    async fn says(&mut self, expected: &str) {
        assert_eq!(self.next().await, Some(Message::Text(expected.into())));
    }
}

#[tokio::test]
async fn engine_io_carries_text_and_binary() {
    let (port, _shutdown) = serve(|config| HubConfig { ping_timeout: NEVER, ..config }).await;
    let mut socket = Socket::open(port, "engine.io").await;
    socket.say("4hello").await;
    socket.says("4hello").await;
    socket.say(Message::Binary(vec![1, 2, 3].into())).await;
    assert_eq!(socket.next().await, Some(Message::Binary(vec![1, 2, 3].into())));
    socket.say("abc").await;
    assert_eq!(socket.next().await, None);
    let mut leaving = Socket::open(port, "engine.io").await;
    leaving.say("1").await;
    assert_eq!(leaving.next().await, None);
}

#[tokio::test]
async fn engine_io_client_that_answers_no_ping_is_closed() {
    let (port, _shutdown) = serve(|config| config).await;
    let mut silent = Socket::open(port, "engine.io").await;
    while let Some(Ok(message)) = silent.0.next().await {
        assert!(message.is_close() || message == Message::Text("2".into()), "{message:?}");
    }
}

#[tokio::test]
async fn socket_io_carries_namespaces_acknowledgements_and_attachments() {
    let (port, _shutdown) = serve(|config| HubConfig { ping_timeout: NEVER, auth_timeout: NEVER, ..config }).await;
    let mut socket = Socket::open(port, "socket.io").await;
    for (namespace, head, auth) in [("", "40", "{\"token\":\"1\"}"), ("/custom,", "40/custom,", "{}")] {
        socket.say(format!("40{namespace}{auth}")).await;
        let Some(Message::Text(connected)) = socket.next().await else { panic!("an answer") };
        assert!(connected.starts_with(&format!("{head}{{\"sid\":")), "{connected}");
        socket.says(&format!("42{namespace}[\"auth\",{auth}]")).await;
    }
    socket.say("40/random").await;
    socket.says("44/random,{\"message\":\"Invalid namespace\"}").await;
    socket.say("42[\"message\",1,\"2\",{\"3\":[true]}]").await;
    socket.says("42[\"message-back\",1,\"2\",{\"3\":[true]}]").await;
    socket.say("42/custom,456[\"message-with-ack\",1]").await;
    socket.says("43/custom,456[1]").await;
    socket.say("452-789[\"message-with-ack\",{\"_placeholder\":true,\"num\":0},{\"_placeholder\":true,\"num\":1}]").await;
    for bytes in [vec![1, 2], vec![3]] {
        socket.say(Message::Binary(bytes.into())).await;
    }
    socket.says("462-789[{\"_placeholder\":true,\"num\":0},{\"_placeholder\":true,\"num\":1}]").await;
    assert_eq!(socket.next().await, Some(Message::Binary(vec![1, 2].into())));
    assert_eq!(socket.next().await, Some(Message::Binary(vec![3].into())));
    socket.say("4abc").await;
    assert_eq!(socket.next().await, None);
}

#[tokio::test]
async fn socket_io_client_that_joins_no_namespace_is_closed() {
    let (port, _shutdown) = serve(|config| HubConfig { ping_timeout: NEVER, ..config }).await;
    let mut hesitant = Socket::open(port, "socket.io").await;
    assert_eq!(hesitant.next().await, None);
}
