//! Serves one client: namespace, token, subscriptions and timers. It handles packets; the transport sends and receives
//! them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use auth::Principal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval_at, sleep_until};
use tokio_tungstenite::tungstenite::Utf8Bytes;
use wire::live::{Credentials, Heartbeat, Refused, Subscribe, Unsubscribe};

use crate::admission::{Admission, UnauthenticatedSlot};
use crate::allowance::Allowance;
use crate::client_query::{self, Done, Events, Purpose};
use crate::config::HubConfig;
use crate::connection::{ConnectionId, Session};
use crate::disconnect::DisconnectReason;
use crate::frame::Frame;
use crate::inbox::Command;
use crate::query::Answered;
use crate::refusal::refusal;
use crate::socketio::{NAMESPACE, engine, packet};
use crate::state::{Hub, Live};
use crate::stream::Stream;
use crate::subscription::Joined;

/// How long a token stays valid while the database cannot be queried: at most the lifetime of a token.
const TRUST: Duration = Duration::from_mins(15);

/// Open database queries of one client. Further requests are refused as `unavailable`.
const QUERIES_MAX: usize = 32;

/// A token that was accepted.
struct Granted {
    principal: Principal,
    token_hash: [u8; 32],
    /// When the rights were last read.
    seen: Instant,
    /// The place among the sockets of this user.
    admission: Admission,
}

/// Sessions that ended while a token was being checked. The result of the check can be from before the end of the
/// session, so these sessions are refused. If the list reaches its limit, the token is refused.
#[derive(Debug, Default)]
struct EndedMeanwhile {
    sessions: Vec<i64>,
    is_incomplete: bool,
}

impl EndedMeanwhile {
    const MAX: usize = 1_024;

    fn note(&mut self, session: i64) {
        if self.sessions.len() < Self::MAX {
            self.sessions.push(session);
        } else {
            self.is_incomplete = true;
        }
    }
}

/// The state of one client's session.
struct SessionState {
    hub: Arc<Hub>,
    live: Live,
    id: ConnectionId,
    session: Arc<Session>,
    granted: Option<Granted>,
    /// The place among the sockets of its address before sign-in; `None` after sign-in.
    slot: Option<UnauthenticatedSlot>,
    streams: HashMap<Stream, (String, Arc<AtomicI64>)>,
    allowance: Allowance,
    /// Running database queries for this client. They do not delay its heartbeat, because live values do not need the
    /// database.
    queries: JoinSet<Done>,
    /// Whether a token is being checked.
    granting: bool,
    /// Sessions that end meanwhile.
    ended: EndedMeanwhile,
}

/// Runs a session to its end.
pub(crate) async fn serve(
    hub: Arc<Hub>,
    live: Live,
    id: ConnectionId,
    session: Arc<Session>,
    mut incoming: mpsc::Receiver<Frame>,
    mut ended: broadcast::Receiver<i64>,
    slot: UnauthenticatedSlot,
) {
    let config = hub.config.clone();
    let allowance = Allowance::new(config.messages_per_s, config.messages_burst);
    let mut state = SessionState {
        hub,
        live,
        id,
        session,
        granted: None,
        slot: Some(slot),
        streams: HashMap::new(),
        allowance,
        queries: JoinSet::new(),
        granting: false,
        ended: EndedMeanwhile::default(),
    };
    let start = Instant::now();
    let mut ping = interval_at(start + config.ping_interval, config.ping_interval);
    let mut second = interval_at(start + Duration::from_secs(1), Duration::from_secs(1));
    let mut recheck = interval_at(start + config.recheck, config.recheck);
    let mut pong_by: Option<Instant> = None;
    let auth_by = start + config.auth_timeout;
    let reason = loop {
        let granted = state.granted.is_some();
        tokio::select! {
            () = state.session.over.cancelled() => break None,
            packet = incoming.recv() => match packet {
                None => break Some(DisconnectReason::Gone),
                // The hub uses no attachments.
                Some(Frame::Binary(_)) => break Some(DisconnectReason::Protocol),
                Some(Frame::Text(text)) => {
                    pong_by = None;
                    match state.handle_text(&text).await {
                        Ok(()) => {}
                        Err(reason) => break Some(reason),
                    }
                }
            },
            _ = ping.tick() => {
                state.control("2");
                pong_by.get_or_insert(Instant::now() + config.ping_timeout);
            }
            () = sleep_until(pong_by.unwrap_or(start)), if pong_by.is_some() => break Some(DisconnectReason::Gone),
            () = sleep_until(auth_by), if !granted => break Some(if state.granting { DisconnectReason::Unavailable } else { DisconnectReason::Unauthorised }),
            Some(done) = state.queries.join_next() => match done {
                Ok(done) => match state.done(done).await {
                    Ok(()) => {}
                    Err(reason) => break Some(reason),
                },
                // A query task panicked, which was logged. The client reconnects.
                Err(_) => break Some(DisconnectReason::Broken),
            },
            _ = second.tick() => {
                state.allowance.refill();
                if granted {
                    state.heartbeat();
                }
            }
            _ = recheck.tick(), if granted => state.recheck(),
            over = ended.recv() => match over {
                Ok(session) if state.granted.as_ref().is_some_and(|granted| granted.principal.session == session) => break Some(DisconnectReason::Unauthorised),
                Ok(session) => if state.granting {
                    state.ended.note(session);
                },
                Err(broadcast::error::RecvError::Lagged(_)) => state.ended.is_incomplete = true,
                Err(broadcast::error::RecvError::Closed) => break Some(DisconnectReason::Shutdown),
            },
        }
    };
    if let Some(reason) = reason {
        state.session.outbox.disconnect(reason);
    }
    for stream in std::mem::take(&mut state.streams).into_keys() {
        let _ = state.live.core.send(Command::Leave { id, stream }).await;
    }
    state.hub.forget(&state.session.sid);
    state.slot = None;
    // A WebSocket writer sends the final packets and closes. A polling client gets them with its next poll, if it polls
    // again.
    tokio::select! {
        () = state.session.over.cancelled() => {}
        () = tokio::time::sleep(Duration::from_secs(1)) => state.session.over.cancel(),
    }
}

impl SessionState {
    fn control(&self, text: impl Into<Utf8Bytes>) {
        self.session.outbox.push_control(text.into());
    }

    async fn handle_text(&mut self, text: &str) -> Result<(), DisconnectReason> {
        if !self.allowance.take() {
            return Err(DisconnectReason::Rate);
        }
        let message = match engine::decode(text).ok_or(DisconnectReason::Protocol)? {
            engine::Incoming::Pong | engine::Incoming::Noop => return Ok(()),
            engine::Incoming::Close => return Err(DisconnectReason::Gone),
            // Only the transport handles probes and upgrades; here they are a protocol error.
            engine::Incoming::Ping(_) | engine::Incoming::Upgrade => return Err(DisconnectReason::Protocol),
            engine::Incoming::Message(message) => message,
        };
        match packet::decode(message).map_err(|_| DisconnectReason::Protocol)? {
            packet::Incoming::Connect { namespace, auth } => {
                if namespace == NAMESPACE {
                    let token = serde_json::from_value::<Credentials>(auth).map(|credentials| credentials.token).unwrap_or_default();
                    self.grant(&token, Purpose::Connect);
                } else {
                    self.control(packet::refused(&namespace, "Invalid namespace"));
                }
                Ok(())
            }
            packet::Incoming::Disconnect { .. } => Err(DisconnectReason::Gone),
            packet::Incoming::Event { attachments: 1.., .. } => Err(DisconnectReason::Protocol),
            packet::Incoming::Event { namespace, ack, name, arguments, .. } if namespace == NAMESPACE && self.granted.is_some() => {
                self.event(ack, &name, arguments.into_iter().next().unwrap_or_default()).await;
                Ok(())
            }
            packet::Incoming::Event { .. } => Err(DisconnectReason::Unauthorised),
            packet::Incoming::Ack => Ok(()),
        }
    }

    /// Starts the check of a token; one at a time.
    fn grant(&mut self, token: &str, purpose: Purpose) {
        if std::mem::replace(&mut self.granting, true) {
            return self.refuse_grant(purpose, "busy", "A token is being looked at already.");
        }
        self.ended = EndedMeanwhile::default();
        self.queries.spawn(client_query::token(self.live.clone(), self.hub.config.question_limit, auth::hash_token(token), purpose));
    }

    /// Reads the rights again.
    fn recheck(&mut self) {
        if let Some(granted) = &self.granted
            && self.queries.len() < QUERIES_MAX
        {
            self.queries.spawn(client_query::token(
                self.live.clone(),
                self.hub.config.question_limit,
                granted.token_hash,
                Purpose::Recheck,
            ));
        }
    }

    /// Applies the result of a query.
    async fn done(&mut self, done: Done) -> Result<(), DisconnectReason> {
        match done {
            Done::Token { purpose: Purpose::Recheck, token_hash, principal } => self.rechecked(token_hash, principal),
            Done::Token { purpose, token_hash, principal } => {
                self.granting = false;
                self.granted(purpose, token_hash, principal);
                Ok(())
            }
            Done::Events(events) => {
                self.events(events).await;
                Ok(())
            }
        }
    }

    /// Applies a re-check. If the database cannot be queried, the token stays valid for [`TRUST`].
    fn rechecked(&mut self, token_hash: [u8; 32], principal: Answered<Option<Principal>>) -> Result<(), DisconnectReason> {
        let Some(granted) = self.granted.as_mut().filter(|granted| granted.token_hash == token_hash) else { return Ok(()) };
        match principal {
            Ok(Some(principal)) if is_as_before(&granted.principal, &principal) => {
                granted.principal = principal;
                granted.seen = Instant::now();
                Ok(())
            }
            Ok(_) => Err(DisconnectReason::Unauthorised),
            Err(error) => {
                tracing::warn!(%error, "rights cannot be read again");
                if granted.seen.elapsed() < TRUST { Ok(()) } else { Err(DisconnectReason::Unavailable) }
            }
        }
    }

    /// Accepts or refuses a token. A renewed token must belong to the same user.
    fn granted(&mut self, purpose: Purpose, token_hash: [u8; 32], principal: Answered<Option<Principal>>) {
        let ended = std::mem::take(&mut self.ended);
        let principal = match principal {
            // The query may have started before some of these sessions ended.
            Ok(Some(_)) if ended.is_incomplete => {
                return self.refuse_grant(purpose, "unavailable", "The token cannot be checked now; try again in a second.");
            }
            Ok(Some(principal)) if !ended.sessions.contains(&principal.session) => principal,
            // The client may try another token within its time for sign-in.
            Ok(_) => return self.refuse_grant(purpose, "unauthorised", "The token is not good, or not of the same person."),
            Err(error) => {
                tracing::warn!(%error, "a token cannot be checked");
                return self.refuse_grant(purpose, "unavailable", "The token cannot be checked now; try again in a second.");
            }
        };
        let admission = match self.granted.take() {
            None => {
                let HubConfig { sockets_per_session, sockets_per_member, .. } = self.hub.config;
                self.hub.admissions.admit(principal.session, principal.member, sockets_per_session, sockets_per_member)
            }
            // The streams continue, so the user must have the same rights.
            Some(before) if is_as_before(&before.principal, &principal) => Some(before.admission),
            Some(before) => {
                self.granted = Some(before);
                return self.refuse_grant(purpose, "unauthorised", "The token is not good, or not of the same person.");
            }
        };
        let Some(admission) = admission else {
            metrics::counter!("hub_refused_total", "why" => "sockets").increment(1);
            return self.refuse_grant(purpose, "too_many", "There are as many sockets of this sign-in as there may be.");
        };
        self.granted = Some(Granted { principal, token_hash, seen: Instant::now(), admission });
        self.slot = None;
        match purpose {
            Purpose::Reauth(ack) => self.session.outbox.answer(ack, &serde_json::json!({ "ok": true })),
            Purpose::Connect | Purpose::Recheck => {
                self.control(packet::connected(NAMESPACE, &self.session.sid));
                self.heartbeat();
            }
        }
    }

    fn refuse_grant(&self, purpose: Purpose, code: &str, message: &str) {
        match purpose {
            Purpose::Reauth(ack) => self.session.outbox.answer(ack, &refusal(code, message)),
            Purpose::Connect | Purpose::Recheck => self.control(packet::refused(NAMESPACE, code)),
        }
    }

    async fn event(&mut self, ack: Option<u64>, name: &str, argument: Value) {
        let refused = match name {
            "subscribe" => match read(argument) {
                Some(request) => self.subscribe(ack, request).await,
                None => Some(refusal("bad_request", "subscribe takes {stream, since?}.")),
            },
            "unsubscribe" => match read(argument) {
                Some(request) => {
                    self.unsubscribe(ack, request).await;
                    None
                }
                None => Some(refusal("bad_request", "unsubscribe takes {stream}.")),
            },
            "reauth" => match read::<Credentials>(argument) {
                Some(credentials) => {
                    self.grant(&credentials.token, Purpose::Reauth(ack));
                    None
                }
                None => Some(refusal("bad_request", "reauth takes {token}.")),
            },
            _ => Some(refusal("bad_request", "Known are subscribe, unsubscribe and reauth.")),
        };
        if let Some(refused) = refused {
            self.session.outbox.answer(ack, &refused);
        }
    }

    async fn unsubscribe(&mut self, ack: Option<u64>, request: Unsubscribe) {
        let joined = self.streams.iter().find(|(_, (name, _))| *name == request.stream).map(|(stream, _)| *stream);
        if let Some(stream) = joined {
            self.leave(stream).await;
        }
        self.session.outbox.answer(ack, &serde_json::json!({ "ok": true }));
    }

    async fn leave(&mut self, stream: Stream) {
        self.streams.remove(&stream);
        // If the core has ended, there are no rooms to leave.
        let _ = self.live.core.send(Command::Leave { id: self.id, stream }).await;
    }

    /// Joins a stream. Returns a refusal if the request can be refused without the core. The core queues all other
    /// answers, so that the answer is sent before any delta.
    async fn subscribe(&mut self, ack: Option<u64>, request: Subscribe) -> Option<Refused> {
        let Subscribe { stream: name, since } = request;
        if self.streams.len() >= self.hub.config.streams_max && !self.streams.values().any(|(joined, _)| *joined == name) {
            return Some(refusal("too_many", "This socket has joined as many streams as it may."));
        }
        if self.queries.len() >= QUERIES_MAX {
            return Some(refusal("unavailable", "The database has not answered what was asked before; try again in a second."));
        }
        let principal = Box::new(self.granted.as_ref()?.principal.clone());
        let (answer, joined) = oneshot::channel();
        let outbox = self.session.outbox.clone();
        self.live.core.send(Command::Join { id: self.id, outbox, principal, name: name.clone(), since, ack, answer }).await.ok()?;
        match joined.await.ok()? {
            Joined::Refused => {}
            Joined::Answered { stream, position } => {
                self.streams.insert(stream, (name, position));
            }
            Joined::Read { position, query } => {
                self.streams.insert(query.stream, (name, position));
                self.queries.spawn(client_query::events(self.live.clone(), self.hub.config.question_limit, query, ack));
            }
        }
        None
    }

    /// Passes the answer to a subscription to the core, which also sends the rows that it held meanwhile.
    async fn events(&mut self, events: Events) {
        let Events { query, ack, read } = events;
        match read {
            Ok(answer) => {
                let outbox = self.session.outbox.clone();
                let (stream, position) = (query.stream, query.position);
                let _ = self.live.core.send(Command::Release { id: self.id, stream, position, outbox, ack, answer }).await;
            }
            Err(error) => {
                tracing::warn!(%error, "events cannot be read for a subscriber");
                if self.streams.get(&query.stream).is_some_and(|(_, position)| Arc::ptr_eq(position, &query.position)) {
                    self.leave(query.stream).await;
                }
                self.session.outbox.answer(ack, &refusal("unavailable", "The event log cannot be read now; try again in a second."));
            }
        }
    }

    /// Sends a heartbeat, which means that the client's values are live. While the core is stuck, sends none, so that
    /// the client shows its values as not live.
    fn heartbeat(&self) {
        if !self.live.heartbeats.pulse.is_fresh() {
            metrics::counter!("hub_heartbeats_withheld_total").increment(1);
            return;
        }
        let offsets: BTreeMap<String, i64> =
            self.streams.values().map(|(name, position)| (name.clone(), position.load(Ordering::Relaxed))).collect();
        let alarms_working = self.granted.as_ref().is_some_and(|granted| self.live.heartbeats.alarms.works(granted.principal.client));
        let heartbeat = Heartbeat { server_time: crate::clock::now().millis(), offsets, alarms_working };
        if let Some(raw) = raw(&heartbeat) {
            self.session.outbox.push_every(Utf8Bytes::from(packet::event(NAMESPACE, "heartbeat", &raw)));
        }
    }
}

/// Returns whether both principals are the same user with the same rights.
fn is_as_before(before: &Principal, now: &Principal) -> bool {
    let seen = |principal: &Principal| (principal.member, principal.client, principal.role_id, principal.node);
    seen(before) == seen(now)
}

fn read<T: DeserializeOwned>(argument: Value) -> Option<T> {
    serde_json::from_value(argument).ok()
}

fn raw<T: Serialize>(value: &T) -> Option<Box<RawValue>> {
    to_raw_value(value).ok()
}
