//! A small Socket.IO client that returns every packet and sends only what a test requests.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

/// Time limit for one message. Only a failed test reaches it, also on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A message of the server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Received {
    Connected,
    Refused(String),
    Event(String, Value),
    Ack(u64, Value),
    /// Removed from the namespace, or the socket was closed.
    Over,
}

/// One socket.
pub(crate) struct Client {
    socket: WebSocketStream<TcpStream>,
    /// Messages that arrived while the test waited for another one.
    passed: VecDeque<Received>,
    acks: u64,
    /// Whether it answers the server's pings.
    answers_pings: bool,
}

impl Client {
    /// Opens a socket without signing in. `receive_bytes` makes the kernel's receive buffer small, where its size
    /// matters.
    pub(crate) async fn open_with(port: u16, origin: Option<&str>, receive_bytes: Option<u32>) -> Result<Self, Error> {
        let tcp = TcpSocket::new_v4()?;
        if let Some(bytes) = receive_bytes {
            tcp.set_recv_buffer_size(bytes)?;
        }
        let stream = tcp.connect(([127, 0, 0, 1], port).into()).await?;
        Self::over(stream, &format!("ws://127.0.0.1:{port}/socket.io/?EIO=4&transport=websocket"), origin).await
    }

    pub(crate) async fn open(port: u16) -> Self {
        let mut client = Self::open_with(port, None, None).await.expect("a socket");
        let hello = client.text().await.expect("a handshake");
        assert!(hello.starts_with("0{"), "{hello}");
        client
    }

    pub(crate) async fn over(stream: TcpStream, url: &str, origin: Option<&str>) -> Result<Self, Error> {
        let mut request = url.into_client_request()?;
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", origin.parse().expect("a header"));
        }
        let (socket, _) = client_async(request, stream).await?;
        Ok(Self { socket, passed: VecDeque::new(), acks: 0, answers_pings: true })
    }

    /// Opens a socket and joins the namespace.
    pub(crate) async fn sign_in(port: u16, token: &str) -> Self {
        let mut client = Self::open(port).await;
        client.connect(token).await;
        assert_eq!(client.receive().await, Received::Connected);
        client
    }

    /// Stops answering pings.
    pub(crate) fn leave_pings_unanswered(&mut self) {
        self.answers_pings = false;
    }

    pub(crate) async fn connect(&mut self, token: &str) {
        self.send(&format!("40/live,{}", json!({ "token": token }))).await;
    }

    pub(crate) async fn send(&mut self, text: &str) {
        assert!(self.try_send(text).await, "the socket is closed");
    }

    /// Sends a text. Returns false if the server has closed the socket.
    pub(crate) async fn try_send(&mut self, text: &str) -> bool {
        self.socket.send(Message::Text(text.into())).await.is_ok()
    }

    /// Returns the next text; `None` at the end.
    pub(crate) async fn text(&mut self) -> Option<String> {
        let next = tokio::time::timeout(PATIENCE, self.socket.next()).await.expect("the server says something");
        match next {
            Some(Ok(Message::Text(text))) => Some(text.to_string()),
            _ => None,
        }
    }

    async fn receive_any(&mut self) -> Received {
        loop {
            let Some(text) = self.text().await else { return Received::Over };
            if text == "2" {
                if self.answers_pings {
                    // The server may have closed the socket; its earlier messages are still to be read.
                    self.try_send("3").await;
                }
                continue;
            }
            let Some(body) = text.strip_prefix('4') else { panic!("{text}") };
            let (kind, rest) = body.split_at(1);
            let rest = rest.strip_prefix("/live").unwrap_or(rest);
            let rest = rest.strip_prefix(',').unwrap_or(rest);
            return match kind {
                "0" => Received::Connected,
                "1" => Received::Over,
                "2" => {
                    let Value::Array(mut parts) = serde_json::from_str(rest).expect("JSON") else { panic!("{text}") };
                    let argument = parts.pop().expect("an argument");
                    Received::Event(parts[0].as_str().expect("a name").to_owned(), argument)
                }
                "3" => {
                    let start = rest.find('[').expect("arguments");
                    let arguments: Vec<Value> = serde_json::from_str(&rest[start..]).expect("JSON");
                    Received::Ack(rest[..start].parse().expect("an id"), arguments.into_iter().next().expect("an answer"))
                }
                "4" => {
                    let reason: Value = serde_json::from_str(rest.trim_start_matches(|c| c != '{')).expect("JSON");
                    Received::Refused(reason["message"].as_str().expect("a message").to_owned())
                }
                _ => panic!("{text}"),
            };
        }
    }

    /// Returns the next message other than a heartbeat.
    pub(crate) async fn receive(&mut self) -> Received {
        loop {
            let received = match self.passed.pop_front() {
                Some(received) => received,
                None => self.receive_any().await,
            };
            if !matches!(&received, Received::Event(name, _) if name == "heartbeat") {
                return received;
            }
        }
    }

    /// Returns the next event with this name; other messages are kept.
    pub(crate) async fn event(&mut self, expected: &str) -> Value {
        let came = tokio::time::timeout(PATIENCE, self.next_event(expected)).await;
        came.unwrap_or_else(|_| panic!("{expected} did not come"))
    }

    async fn next_event(&mut self, expected: &str) -> Value {
        if let Some(place) = self.passed.iter().position(|received| matches!(received, Received::Event(name, _) if name == expected)) {
            let Some(Received::Event(_, value)) = self.passed.remove(place) else { unreachable!("it was just found") };
            return value;
        }
        loop {
            match self.receive_any().await {
                Received::Event(name, value) if name == expected => return value,
                Received::Over => panic!("the socket is over; {expected} did not come"),
                other => self.passed.push_back(other),
            }
        }
    }

    /// Sends a request without waiting.
    pub(crate) async fn ask_only(&mut self, event: &str, argument: &Value) -> u64 {
        self.acks += 1;
        self.send(&format!("42/live,{}{}", self.acks, json!([event, argument]))).await;
        self.acks
    }

    /// Sends a request and waits for the answer. Messages that depend on the answer must not arrive before it.
    pub(crate) async fn ask(&mut self, event: &str, argument: &Value) -> Value {
        let id = self.ask_only(event, argument).await;
        loop {
            match self.receive_any().await {
                Received::Ack(of, answer) if of == id => return answer,
                Received::Over => panic!("the socket is over; {event} is not answered"),
                other => self.passed.push_back(other),
            }
        }
    }

    pub(crate) async fn subscribe(&mut self, stream: &str) -> Value {
        self.ask("subscribe", &json!({ "stream": stream })).await
    }

    pub(crate) async fn resume(&mut self, stream: &str, epoch: &Value, offset: i64) -> Value {
        self.ask("subscribe", &json!({ "stream": stream, "since": { "epoch": epoch, "offset": offset } })).await
    }

    /// Reads to the end. Returns the code of `ended`, if it was received.
    pub(crate) async fn ended(&mut self) -> Option<(String, bool)> {
        let end = async {
            let mut code = None;
            loop {
                match self.receive().await {
                    Received::Event(name, value) if name == "ended" => {
                        code = Some((value["code"].as_str().expect("a code").to_owned(), value["retry"].as_bool().expect("yes or no")));
                    }
                    Received::Over => return code,
                    _ => {}
                }
            }
        };
        tokio::time::timeout(PATIENCE, end).await.expect("the end")
    }
}
