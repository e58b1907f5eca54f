//! One client: its namespace, token, subscriptions and timers. It speaks packets; how they travel is the transport's business.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use auth::Principal;
use axum::extract::ws::Utf8Bytes;
use grid::Micros;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::time::{Instant, interval_at, sleep_until};
use tokio_util::sync::CancellationToken;
use wire::live::{Class, Credentials, Ended, Heartbeat, Refused, Snapshot, Subscribe, Subscribed, Unsubscribe};
use wire::rows::EventRow;

use crate::config::{EVENTS_MISSED_MAX, EVENTS_SNAPSHOT};
use crate::core::{Command, Joined};
use crate::outbox::{Cut, Outbox};
use crate::room::{ConnectionId, NAMESPACE};
use crate::socketio::{engine, packet};
use crate::state::Hub;
use crate::stream::Stream;

/// Packets of one client that wait to be understood; the transport stops reading at the bound.
pub(crate) const INCOMING: usize = 32;

/// What transports and the session share.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) sid: String,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) incoming: mpsc::Sender<String>,
    /// Cancelled when the session is over.
    pub(crate) over: CancellationToken,
    /// Set while a WebSocket is probing or has taken over: polling requests are answered at once.
    pub(crate) upgrading: AtomicBool,
    /// Set while a polling request waits; a second one at the same time is a protocol error.
    pub(crate) polled: AtomicBool,
}

/// A granted token.
struct Granted {
    principal: Principal,
    token_hash: [u8; 32],
}

/// The session's own state.
struct Talk {
    hub: Arc<Hub>,
    id: ConnectionId,
    session: Arc<Session>,
    granted: Option<Granted>,
    streams: HashMap<Stream, (String, Arc<AtomicI64>)>,
    allowance: u32,
}

/// Runs a session to its end.
pub(crate) async fn serve(
    hub: Arc<Hub>,
    id: ConnectionId,
    session: Arc<Session>,
    mut incoming: mpsc::Receiver<String>,
    mut ended: broadcast::Receiver<i64>,
) {
    let config = hub.config.clone();
    let allowance = config.messages_per_s;
    let mut talk = Talk { hub, id, session, granted: None, streams: HashMap::new(), allowance };
    let start = Instant::now();
    let mut ping = interval_at(start + config.ping_interval, config.ping_interval);
    let mut second = interval_at(start + Duration::from_secs(1), Duration::from_secs(1));
    let mut recheck = interval_at(start + config.recheck, config.recheck);
    let mut pong_by: Option<Instant> = None;
    let auth_by = start + config.auth_timeout;
    let cut = loop {
        let granted = talk.granted.is_some();
        tokio::select! {
            () = talk.session.over.cancelled() => break None,
            packet = incoming.recv() => match packet {
                None => break Some(Cut::Gone),
                Some(text) => {
                    pong_by = None;
                    match talk.hear(&text).await {
                        Ok(()) => {}
                        Err(cut) => break Some(cut),
                    }
                }
            },
            _ = ping.tick() => {
                talk.control("2");
                pong_by.get_or_insert(Instant::now() + config.ping_timeout);
            }
            () = sleep_until(pong_by.unwrap_or(start)), if pong_by.is_some() => break Some(Cut::Gone),
            () = sleep_until(auth_by), if !granted => break Some(Cut::Unauthorised),
            _ = second.tick() => {
                talk.allowance = config.messages_per_s;
                if granted {
                    talk.heartbeat();
                }
            }
            _ = recheck.tick(), if granted => if !talk.still_granted().await { break Some(Cut::Unauthorised) },
            over = ended.recv() => match over {
                Ok(session) if talk.granted.as_ref().is_some_and(|granted| granted.principal.session == session) => break Some(Cut::Unauthorised),
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => break Some(Cut::Shutdown),
            },
        }
    };
    if let Some(cut) = cut {
        talk.session.outbox.cut(cut);
    }
    for stream in std::mem::take(&mut talk.streams).into_keys() {
        let _ = talk.hub.core.send(Command::Leave { id, stream }).await;
    }
    talk.hub.forget(&talk.session.sid);
    // A WebSocket writer sends the last words and closes; a client that polls gets them with its next poll, or never.
    tokio::select! {
        () = talk.session.over.cancelled() => {}
        () = tokio::time::sleep(Duration::from_secs(1)) => talk.session.over.cancel(),
    }
}

/// The last words to a client.
pub(crate) fn last_words(cut: Cut) -> Vec<Utf8Bytes> {
    if cut == Cut::Gone {
        return Vec::new();
    }
    let message = match cut {
        Cut::Slow => "You do not read fast enough; subscribe again with the place you have.",
        Cut::Unauthorised => "The session is not signed in or has ended.",
        Cut::Shutdown => "The server goes down; connect again.",
        Cut::Rate => "Too many messages.",
        Cut::Protocol | Cut::Gone => "That was no packet of the protocol.",
    };
    let ended = Ended { code: cut.code().to_owned(), message: message.to_owned(), retry: cut.retry() };
    let event = to_raw_value(&ended).map(|raw| packet::event(NAMESPACE, "ended", &raw)).unwrap_or_default();
    vec![event.into(), packet::disconnected(NAMESPACE).into()]
}

impl Talk {
    fn control(&self, text: impl Into<Utf8Bytes>) {
        self.session.outbox.push_control(text.into());
    }

    async fn hear(&mut self, text: &str) -> Result<(), Cut> {
        let message = match engine::decode(text).ok_or(Cut::Protocol)? {
            engine::Incoming::Pong | engine::Incoming::Noop => return Ok(()),
            engine::Incoming::Close => return Err(Cut::Gone),
            // Probes and upgrades belong to the transport; here they are out of place.
            engine::Incoming::Ping(_) | engine::Incoming::Upgrade => return Err(Cut::Protocol),
            engine::Incoming::Message(message) => message,
        };
        self.allowance = self.allowance.checked_sub(1).ok_or(Cut::Rate)?;
        match packet::decode(message).map_err(|_| Cut::Protocol)? {
            packet::Incoming::Connect { namespace, auth } => self.connect(&namespace, auth).await,
            packet::Incoming::Disconnect { .. } => Err(Cut::Gone),
            packet::Incoming::Event { namespace, ack, name, argument } if namespace == NAMESPACE && self.granted.is_some() => {
                self.event(ack, &name, argument).await;
                Ok(())
            }
            packet::Incoming::Event { .. } => Err(Cut::Unauthorised),
            packet::Incoming::Ack => Ok(()),
        }
    }

    async fn connect(&mut self, namespace: &str, auth: Value) -> Result<(), Cut> {
        if namespace != NAMESPACE {
            self.control(packet::refused(namespace, "Invalid namespace"));
            return Ok(());
        }
        let token = serde_json::from_value::<Credentials>(auth).map(|credentials| credentials.token).unwrap_or_default();
        if self.grant(&token).await {
            self.control(packet::connected(NAMESPACE, &self.session.sid));
            self.heartbeat();
        } else {
            // The client may try again with another token until the time for it is over.
            self.control(packet::refused(NAMESPACE, "unauthorised"));
        }
        Ok(())
    }

    /// Takes a token; answers whether it is good. On a renewed token the person must be the same.
    async fn grant(&mut self, token: &str) -> bool {
        let token_hash = auth::hash_token(token);
        let Some(principal) = self.hub.principal(&token_hash).await else { return false };
        if self
            .granted
            .as_ref()
            .is_some_and(|granted| granted.principal.member != principal.member || granted.principal.client != principal.client)
        {
            return false;
        }
        self.granted = Some(Granted { principal, token_hash });
        true
    }

    /// Reads the rights anew. A database that cannot be asked takes nothing away: the token was good at the last look.
    async fn still_granted(&mut self) -> bool {
        let Some(granted) = &self.granted else { return false };
        match self.hub.session_of(&granted.token_hash).await {
            Ok(Some(principal)) => {
                let same = principal.client == granted.principal.client && principal.node == granted.principal.node;
                self.granted = Some(Granted { principal, token_hash: granted.token_hash });
                same
            }
            Ok(None) => false,
            Err(error) => !error.is_permanent(),
        }
    }

    async fn event(&mut self, ack: Option<u64>, name: &str, argument: Value) {
        let answer = match name {
            "subscribe" => self.subscribe(argument).await,
            "unsubscribe" => self.unsubscribe(argument).await,
            "reauth" => match read::<Credentials>(argument) {
                Some(credentials) if self.grant(&credentials.token).await => raw(&serde_json::json!({ "ok": true })),
                Some(_) => refuse("unauthorised", "The token is not good, or not of the same person."),
                None => refuse("bad_request", "reauth takes {token}."),
            },
            _ => refuse("bad_request", "Known are subscribe, unsubscribe and reauth."),
        };
        if let (Some(id), Some(answer)) = (ack, answer) {
            self.session.outbox.push_every(packet::ack(NAMESPACE, id, &answer).into());
        }
    }

    async fn unsubscribe(&mut self, argument: Value) -> Option<Box<RawValue>> {
        let Some(Unsubscribe { stream }) = read(argument) else { return refuse("bad_request", "unsubscribe takes {stream}.") };
        let joined = self.streams.iter().find(|(_, (name, _))| *name == stream).map(|(stream, _)| *stream);
        if let Some(stream) = joined {
            self.streams.remove(&stream);
            let _ = self.hub.core.send(Command::Leave { id: self.id, stream }).await;
        }
        raw(&serde_json::json!({ "ok": true }))
    }

    async fn subscribe(&mut self, argument: Value) -> Option<Box<RawValue>> {
        let Some(Subscribe { stream: name, since }) = read(argument) else {
            return refuse("bad_request", "subscribe takes {stream, since?}.");
        };
        if self.streams.len() >= self.hub.config.streams_max && !self.streams.values().any(|(joined, _)| *joined == name) {
            return refuse("too_many", "This socket has joined as many streams as it may.");
        }
        let principal = Box::new(self.granted.as_ref()?.principal.clone());
        let (answer, joined) = oneshot::channel();
        let outbox = self.session.outbox.clone();
        self.hub.core.send(Command::Join { id: self.id, outbox, principal, name: name.clone(), since, answer }).await.ok()?;
        match joined.await.ok()? {
            Joined::Refused { code, message } => refuse(code, message),
            Joined::Latest { stream, epoch, offset, snapshot, position } => {
                self.streams.insert(stream, (name, position));
                raw(&Subscribed { ok: true, class: Class::Latest, epoch, offset, snapshot, missed: None })
            }
            Joined::Missed { stream, epoch, offset, rows, position } => {
                self.streams.insert(stream, (name, position));
                raw(&Subscribed { ok: true, class: Class::Every, epoch, offset, snapshot: None, missed: raw(&rows) })
            }
            Joined::Read { stream, client, scope, epoch, since, position } => {
                self.streams.insert(stream, (name, position));
                self.read_events(stream, client, scope, epoch, since).await
            }
        }
    }

    /// Brings the client to the present of an event stream from the database, then lets the held rows go.
    async fn read_events(
        &mut self,
        stream: Stream,
        client: grid::ClientId,
        scope: grid::Scope,
        epoch: String,
        since: Option<i64>,
    ) -> Option<Box<RawValue>> {
        let read = async {
            if let Some(offset) = since {
                let rows = self.hub.store.events_after(client, Some(scope), offset, EVENTS_MISSED_MAX + 1).await?;
                if rows.len() as i64 <= EVENTS_MISSED_MAX {
                    let top = rows.last().map_or(offset, |row| row.offset);
                    return Ok::<_, store::Error>((top, None, Some(rows)));
                }
            }
            // The top first: rows that come in between are in the list but beyond the top, and arrive again as held ones.
            let top = self.hub.store.scope_top(client, scope).await?;
            let mut rows = self.hub.store.events_newest(client, scope, None, EVENTS_SNAPSHOT).await?;
            rows.retain(|row| row.offset <= top);
            Ok((top, Some(rows), None))
        };
        match read.await {
            Ok((offset, snapshot, missed)) => {
                let _ = self.hub.core.send(Command::Release { id: self.id, stream, offset }).await;
                let rows = |events: Vec<grid::Event>| events.iter().map(EventRow::from).collect::<Vec<_>>();
                let snapshot = snapshot.and_then(|events| raw(&Snapshot::Events { rows: rows(events) }));
                let missed = missed.and_then(|events| raw(&rows(events)));
                raw(&Subscribed { ok: true, class: Class::Every, epoch, offset, snapshot, missed })
            }
            Err(error) => {
                tracing::warn!(%error, "events cannot be read for a subscriber");
                self.streams.remove(&stream);
                let _ = self.hub.core.send(Command::Leave { id: self.id, stream }).await;
                refuse("unavailable", "The event log cannot be read now; try again in a second.")
            }
        }
    }

    fn heartbeat(&self) {
        let offsets: BTreeMap<String, i64> =
            self.streams.values().map(|(name, position)| (name.clone(), position.load(Ordering::Relaxed))).collect();
        let heartbeat = Heartbeat { server_time: now().millis(), offsets };
        if let Some(raw) = raw(&heartbeat) {
            self.session.outbox.push_every(packet::event(NAMESPACE, "heartbeat", &raw).into());
        }
    }
}

/// The wall clock.
pub(crate) fn now() -> Micros {
    Micros(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX)))
}

fn read<T: DeserializeOwned>(argument: Value) -> Option<T> {
    serde_json::from_value(argument).ok()
}

fn raw<T: Serialize>(value: &T) -> Option<Box<RawValue>> {
    to_raw_value(value).ok()
}

fn refuse(code: &str, message: &str) -> Option<Box<RawValue>> {
    raw(&Refused { ok: false, code: code.to_owned(), message: message.to_owned() })
}
