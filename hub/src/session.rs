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

use crate::admission::{Admission, Stranger};
use crate::allowance::Allowance;
use crate::config::HubConfig;
use crate::connection::{ConnectionId, Session};
use crate::cut::Cut;
use crate::frame::Frame;
use crate::inbox::Command;
use crate::query::Answered;
use crate::question::{self, Done, Events, Purpose};
use crate::refusal::refusal;
use crate::socketio::{NAMESPACE, engine, packet};
use crate::state::{Hub, Live};
use crate::stream::Stream;
use crate::subscription::Joined;

/// How long a token stays valid while the database cannot be queried: at most the lifetime of a token.
const TRUST: Duration = Duration::from_mins(15);

/// Open database queries of one client. Further requests are refused as `unavailable`.
const QUESTIONS: usize = 32;

/// A token that was accepted.
struct Granted {
    principal: Principal,
    token_hash: [u8; 32],
    /// When the rights were last read.
    seen: Instant,
    /// The place among the sockets of this user.
    admission: Admission,
}

/// Sessions that ended while a token was being checked. The result of the check can be older than the end of the
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
struct Talk {
    hub: Arc<Hub>,
    live: Live,
    id: ConnectionId,
    session: Arc<Session>,
    granted: Option<Granted>,
    /// The place among the sockets of its address before sign-in; `None` after sign-in.
    stranger: Option<Stranger>,
    streams: HashMap<Stream, (String, Arc<AtomicI64>)>,
    allowance: Allowance,
    /// Running database queries for this client. They do not delay its heartbeat: values are live without the database.
    questions: JoinSet<Done>,
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
    stranger: Stranger,
) {
    let config = hub.config.clone();
    let allowance = Allowance::new(config.messages_per_s, config.messages_burst);
    let mut talk = Talk {
        hub,
        live,
        id,
        session,
        granted: None,
        stranger: Some(stranger),
        streams: HashMap::new(),
        allowance,
        questions: JoinSet::new(),
        granting: false,
        ended: EndedMeanwhile::default(),
    };
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
                // The hub uses no attachments.
                Some(Frame::Binary(_)) => break Some(Cut::Protocol),
                Some(Frame::Text(text)) => {
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
            () = sleep_until(auth_by), if !granted => break Some(if talk.granting { Cut::Unavailable } else { Cut::Unauthorised }),
            Some(done) = talk.questions.join_next() => match done {
                Ok(done) => match talk.done(done).await {
                    Ok(()) => {}
                    Err(cut) => break Some(cut),
                },
                // A query task panicked, which was logged. The client reconnects.
                Err(_) => break Some(Cut::Broken),
            },
            _ = second.tick() => {
                talk.allowance.refill();
                if granted {
                    talk.heartbeat();
                }
            }
            _ = recheck.tick(), if granted => talk.recheck(),
            over = ended.recv() => match over {
                Ok(session) if talk.granted.as_ref().is_some_and(|granted| granted.principal.session == session) => break Some(Cut::Unauthorised),
                Ok(session) => if talk.granting {
                    talk.ended.note(session);
                },
                Err(broadcast::error::RecvError::Lagged(_)) => talk.ended.is_incomplete = true,
                Err(broadcast::error::RecvError::Closed) => break Some(Cut::Shutdown),
            },
        }
    };
    if let Some(cut) = cut {
        talk.session.outbox.cut(cut);
    }
    for stream in std::mem::take(&mut talk.streams).into_keys() {
        let _ = talk.live.core.send(Command::Leave { id, stream }).await;
    }
    talk.hub.forget(&talk.session.sid);
    talk.stranger = None;
    // A WebSocket writer sends the final packets and closes. A polling client gets them with its next poll, if it polls
    // again.
    tokio::select! {
        () = talk.session.over.cancelled() => {}
        () = tokio::time::sleep(Duration::from_secs(1)) => talk.session.over.cancel(),
    }
}

impl Talk {
    fn control(&self, text: impl Into<Utf8Bytes>) {
        self.session.outbox.push_control(text.into());
    }

    async fn hear(&mut self, text: &str) -> Result<(), Cut> {
        if !self.allowance.take() {
            return Err(Cut::Rate);
        }
        let message = match engine::decode(text).ok_or(Cut::Protocol)? {
            engine::Incoming::Pong | engine::Incoming::Noop => return Ok(()),
            engine::Incoming::Close => return Err(Cut::Gone),
            // Only the transport handles probes and upgrades; here they are a protocol error.
            engine::Incoming::Ping(_) | engine::Incoming::Upgrade => return Err(Cut::Protocol),
            engine::Incoming::Message(message) => message,
        };
        match packet::decode(message).map_err(|_| Cut::Protocol)? {
            packet::Incoming::Connect { namespace, auth } => {
                if namespace == NAMESPACE {
                    let token = serde_json::from_value::<Credentials>(auth).map(|credentials| credentials.token).unwrap_or_default();
                    self.grant(&token, Purpose::Connect);
                } else {
                    self.control(packet::refused(&namespace, "Invalid namespace"));
                }
                Ok(())
            }
            packet::Incoming::Disconnect { .. } => Err(Cut::Gone),
            packet::Incoming::Event { attachments: 1.., .. } => Err(Cut::Protocol),
            packet::Incoming::Event { namespace, ack, name, arguments, .. } if namespace == NAMESPACE && self.granted.is_some() => {
                self.event(ack, &name, arguments.into_iter().next().unwrap_or_default()).await;
                Ok(())
            }
            packet::Incoming::Event { .. } => Err(Cut::Unauthorised),
            packet::Incoming::Ack => Ok(()),
        }
    }

    /// Starts the check of a token; one at a time.
    fn grant(&mut self, token: &str, purpose: Purpose) {
        if std::mem::replace(&mut self.granting, true) {
            return self.refuse_grant(purpose, "busy", "A token is being looked at already.");
        }
        self.ended = EndedMeanwhile::default();
        self.questions.spawn(question::token(self.live.clone(), self.hub.config.question_limit, auth::hash_token(token), purpose));
    }

    /// Reads the rights again.
    fn recheck(&mut self) {
        if let Some(granted) = &self.granted
            && self.questions.len() < QUESTIONS
        {
            self.questions.spawn(question::token(self.live.clone(), self.hub.config.question_limit, granted.token_hash, Purpose::Recheck));
        }
    }

    /// Applies the result of a query.
    async fn done(&mut self, done: Done) -> Result<(), Cut> {
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
    fn rechecked(&mut self, token_hash: [u8; 32], principal: Answered<Option<Principal>>) -> Result<(), Cut> {
        let Some(granted) = self.granted.as_mut().filter(|granted| granted.token_hash == token_hash) else { return Ok(()) };
        match principal {
            Ok(Some(principal)) if is_as_before(&granted.principal, &principal) => {
                granted.principal = principal;
                granted.seen = Instant::now();
                Ok(())
            }
            Ok(_) => Err(Cut::Unauthorised),
            Err(error) => {
                tracing::warn!(%error, "rights cannot be read again");
                if granted.seen.elapsed() < TRUST { Ok(()) } else { Err(Cut::Unavailable) }
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
        self.stranger = None;
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
                Some(wanted) => self.subscribe(ack, wanted).await,
                None => Some(refusal("bad_request", "subscribe takes {stream, since?}.")),
            },
            "unsubscribe" => match read(argument) {
                Some(wanted) => {
                    self.unsubscribe(ack, wanted).await;
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

    async fn unsubscribe(&mut self, ack: Option<u64>, wanted: Unsubscribe) {
        let joined = self.streams.iter().find(|(_, (name, _))| *name == wanted.stream).map(|(stream, _)| *stream);
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

    /// Joins a stream. Returns a refusal that is decided here; the core queues all other answers, so that no delta
    /// precedes its answer.
    async fn subscribe(&mut self, ack: Option<u64>, wanted: Subscribe) -> Option<Refused> {
        let Subscribe { stream: name, since } = wanted;
        if self.streams.len() >= self.hub.config.streams_max && !self.streams.values().any(|(joined, _)| *joined == name) {
            return Some(refusal("too_many", "This socket has joined as many streams as it may."));
        }
        if self.questions.len() >= QUESTIONS {
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
            Joined::Read { position, question } => {
                self.streams.insert(question.stream, (name, position));
                self.questions.spawn(question::events(self.live.clone(), self.hub.config.question_limit, question, ack));
            }
        }
        None
    }

    /// Answers a subscription to an event stream, then releases the rows that were held for it.
    async fn events(&mut self, events: Events) {
        let Events { question, ack, read } = events;
        match read {
            Ok(read) => {
                self.session.outbox.answer(ack, &*read);
                let _ = self
                    .live
                    .core
                    .send(Command::Release { id: self.id, stream: question.stream, position: question.position, offset: read.offset })
                    .await;
            }
            Err(error) => {
                tracing::warn!(%error, "events cannot be read for a subscriber");
                if self.streams.get(&question.stream).is_some_and(|(_, position)| Arc::ptr_eq(position, &question.position)) {
                    self.leave(question.stream).await;
                }
                self.session.outbox.answer(ack, &refusal("unavailable", "The event log cannot be read now; try again in a second."));
            }
        }
    }

    /// Sends a heartbeat, which means that the client's values are live. While the core is stuck, sends none, so that
    /// the client shows its values as not live.
    fn heartbeat(&self) {
        if !self.live.signs.pulse.is_fresh() {
            metrics::counter!("hub_heartbeats_withheld_total").increment(1);
            return;
        }
        let offsets: BTreeMap<String, i64> =
            self.streams.values().map(|(name, position)| (name.clone(), position.load(Ordering::Relaxed))).collect();
        let alarms_working = self.granted.as_ref().is_some_and(|granted| self.live.signs.alarms.works(granted.principal.client));
        let heartbeat = Heartbeat { server_time: crate::clock::now().millis(), offsets, alarms_working };
        if let Some(raw) = raw(&heartbeat) {
            self.session.outbox.push_every(Utf8Bytes::from(packet::event(NAMESPACE, "heartbeat", &raw)));
        }
    }
}

/// Returns whether both are the same user with the same rights.
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
