//! Serves the endpoints that the public test suites of Engine.IO and Socket.IO expect, with the transports and codecs
//! of the hub.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, interval_at, sleep_until};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::config::HubConfig;
use crate::connection::Session;
use crate::disconnect::DisconnectReason;
use crate::frame::Frame;
use crate::socketio::{engine, packet};
use crate::state::{Hub, Suite};

/// Returns the settings that the public test suites check.
pub fn conformance_config() -> HubConfig {
    HubConfig {
        ping_interval: Duration::from_millis(300),
        ping_timeout: Duration::from_millis(200),
        max_payload: 1_000_000,
        auth_timeout: Duration::from_secs(1),
        ..HubConfig::default()
    }
}

/// A packet whose binary attachments have not all arrived.
struct Incomplete {
    namespace: String,
    ack: Option<u64>,
    name: String,
    arguments: Vec<Value>,
    expected: usize,
    attachments: Vec<Bytes>,
}

struct Talk {
    suite: Suite,
    session: Arc<Session>,
    /// Joined namespaces, each with the payload of its join.
    joined: HashMap<String, Value>,
    incomplete: Option<Incomplete>,
}

/// Runs a session to its end.
pub(crate) async fn serve(hub: Arc<Hub>, suite: Suite, session: Arc<Session>, mut incoming: mpsc::Receiver<Frame>) {
    let config = &hub.config;
    let mut talk = Talk { suite, session, joined: HashMap::new(), incomplete: None };
    let start = Instant::now();
    let mut ping = interval_at(start + config.ping_interval, config.ping_interval);
    let mut pong_by: Option<Instant> = None;
    let join_by = start + config.auth_timeout;
    let mut ever_joined = suite == Suite::Engine;
    let reason = loop {
        tokio::select! {
            () = talk.session.over.cancelled() => break DisconnectReason::Gone,
            frame = incoming.recv() => {
                let Some(frame) = frame else { break DisconnectReason::Gone };
                pong_by = None;
                if let Err(reason) = talk.handle_frame(frame) {
                    break reason;
                }
                ever_joined |= !talk.joined.is_empty();
            }
            _ = ping.tick() => {
                talk.say("2");
                // Time out early: the suites check at exactly the ping timeout.
                pong_by.get_or_insert(Instant::now() + config.ping_timeout * 9 / 10);
            }
            () = sleep_until(pong_by.unwrap_or(start)), if pong_by.is_some() => break DisconnectReason::Gone,
            () = sleep_until(join_by), if !ever_joined => break DisconnectReason::Gone,
        }
    };
    talk.session.outbox.disconnect(reason);
    hub.forget(&talk.session.sid);
    tokio::select! {
        () = talk.session.over.cancelled() => {}
        () = tokio::time::sleep(Duration::from_secs(1)) => talk.session.over.cancel(),
    }
}

impl Talk {
    fn say(&self, text: impl Into<Utf8Bytes>) {
        self.session.outbox.push_control(text.into());
    }

    fn handle_frame(&mut self, frame: Frame) -> Result<(), DisconnectReason> {
        let text = match frame {
            Frame::Text(text) => text,
            Frame::Binary(bytes) => return self.attach(bytes),
        };
        match engine::decode(&text).ok_or(DisconnectReason::Protocol)? {
            engine::Incoming::Pong | engine::Incoming::Noop => Ok(()),
            engine::Incoming::Close => Err(DisconnectReason::Gone),
            engine::Incoming::Ping(_) | engine::Incoming::Upgrade => Err(DisconnectReason::Protocol),
            engine::Incoming::Message(message) if self.suite == Suite::Engine => {
                self.say(format!("4{message}"));
                Ok(())
            }
            engine::Incoming::Message(message) => self.packet(message),
        }
    }

    fn packet(&mut self, message: &str) -> Result<(), DisconnectReason> {
        match packet::decode(message).map_err(|_| DisconnectReason::Protocol)? {
            packet::Incoming::Connect { namespace, auth } => {
                if !["/", "/custom"].contains(&namespace.as_str()) {
                    self.say(packet::refused(&namespace, "Invalid namespace"));
                    return Ok(());
                }
                self.say(packet::connected(&namespace, &self.session.sid));
                let auth = if auth.is_null() { json!({}) } else { auth };
                self.emit(&namespace, "42", None, &json!(["auth", auth.clone()]), &[]);
                self.joined.insert(namespace, auth);
                Ok(())
            }
            packet::Incoming::Disconnect { namespace } => {
                self.joined.remove(&namespace);
                Ok(())
            }
            packet::Incoming::Event { namespace, ack, name, arguments, attachments } => {
                let event = Incomplete { namespace, ack, name, arguments, expected: attachments, attachments: Vec::new() };
                if event.expected > 0 {
                    self.incomplete = Some(event);
                } else {
                    self.answer(event);
                }
                Ok(())
            }
            packet::Incoming::Ack => Ok(()),
        }
    }

    fn attach(&mut self, bytes: Bytes) -> Result<(), DisconnectReason> {
        if self.suite == Suite::Engine {
            self.session.outbox.push_control(Frame::Binary(bytes));
            return Ok(());
        }
        let mut event = self.incomplete.take().ok_or(DisconnectReason::Protocol)?;
        event.attachments.push(bytes);
        if event.attachments.len() < event.expected {
            self.incomplete = Some(event);
        } else {
            self.answer(event);
        }
        Ok(())
    }

    fn answer(&self, event: Incomplete) {
        let Incomplete { namespace, ack, name, arguments, attachments, .. } = event;
        let binary = !attachments.is_empty();
        match (name.as_str(), ack) {
            ("message", _) => {
                let all: VecDeque<Value> = std::iter::once(json!("message-back")).chain(arguments).collect();
                self.emit(&namespace, if binary { "45" } else { "42" }, None, &json!(all), &attachments);
            }
            ("message-with-ack", Some(id)) => {
                self.emit(&namespace, if binary { "46" } else { "43" }, Some(id), &json!(arguments), &attachments);
            }
            _ => {}
        }
    }

    fn emit(&self, namespace: &str, kind: &str, id: Option<u64>, body: &Value, attachments: &[Bytes]) {
        let count = if attachments.is_empty() { String::new() } else { format!("{}-", attachments.len()) };
        let namespace = if namespace == "/" { String::new() } else { format!("{namespace},") };
        let id = id.map(|id| id.to_string()).unwrap_or_default();
        self.say(format!("{kind}{count}{namespace}{id}{body}"));
        for bytes in attachments {
            self.session.outbox.push_control(Frame::Binary(bytes.clone()));
        }
    }
}
