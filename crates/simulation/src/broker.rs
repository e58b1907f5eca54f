//! The simulated MQTT broker: sessions by client id, takeover, QoS 1 with redelivery and a limit in flight, wills with delay, retained messages.
//!
//! Each connection keeps its order in both directions; connections are independent of each other. A session of ingest continues after its connection has ended;
//! a session of a gateway does not. The broker keeps sessions and retained messages over a restart, and loses messages of QoS 0. It publishes wills after the
//! restart (MQTT 5, 3.1.2.5), or loses them, as some brokers do.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use field::client::Will;
use field::topic::{MessageKind, Topic};

use crate::truth::Truth;

/// A message on its way to a client.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) topic: String,
    pub(crate) payload: Bytes,
    pub(crate) is_qos_1: bool,
    pub(crate) retain: bool,
    /// Whether the broker has kept it since before the connection on which it is sent. What it reports may be outdated.
    pub(crate) is_old: bool,
}

/// A packet from a client.
#[derive(Debug, Clone)]
pub(crate) enum ToBroker {
    /// The first packet of a connection.
    Connect,
    /// A message.
    Publish(Message),
    /// The acknowledgement of a message of this number.
    Acknowledge(u64),
    /// The DISCONNECT.
    Disconnect { with_will: bool },
    /// The connection was closed without a DISCONNECT.
    Closed,
}

/// A packet from the broker.
#[derive(Debug, Clone)]
pub(crate) enum ToClient {
    /// The connection is accepted and the subscriptions are granted.
    Ready { session_present: bool },
    /// A message, with the number to acknowledge at QoS 1.
    Publish(Message, Option<u64>),
    /// The session was given to another client with the same id.
    TakenOver,
    /// The connection was closed.
    Closed,
}

/// The subscriptions of a client. Clients with one id have the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subscriptions {
    /// All messages of gateways, and the STATE of one host.
    Ingest { state: String },
    /// The commands to one gateway, and the STATE of all hosts.
    Gateway { code: String },
}

impl Subscriptions {
    fn contains(&self, topic: &str) -> bool {
        match (self, Topic::parse(topic)) {
            (Self::Ingest { .. }, Ok(Topic::Edge { kind, .. })) => !matches!(kind, MessageKind::NCmd | MessageKind::DCmd),
            (Self::Ingest { state }, Ok(Topic::State { .. })) => state == topic,
            (Self::Gateway { code }, Ok(Topic::Edge { kind, node, .. })) => {
                matches!(kind, MessageKind::NCmd | MessageKind::DCmd) && node == *code
            }
            (Self::Gateway { .. }, Ok(Topic::State { .. })) => true,
            (_, Err(_)) => false,
        }
    }
}

/// An open connection.
#[derive(Debug)]
struct Open {
    client: usize,
    will: Option<(Will, i64)>,
}

#[derive(Debug)]
struct Session {
    subscriptions: Subscriptions,
    is_kept: bool,
    connection: Option<u64>,
    /// The connection whose will is delayed.
    will_of: Option<u64>,
    waiting: VecDeque<Message>,
    in_flight: VecDeque<(u64, Message)>,
    sent: u64,
}

/// An effect of the broker outside of its own state.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Sends a packet on a connection.
    Send(u64, ToClient),
    /// Publishes the will of a connection after a delay, µs.
    DelayWill(u64, i64),
}

/// The broker.
#[derive(Debug)]
pub(crate) struct Broker {
    pub(crate) is_up: bool,
    limit_in_flight: usize,
    keeps_wills: bool,
    deferred: Vec<Will>,
    sessions: BTreeMap<usize, Session>,
    open: BTreeMap<u64, Open>,
    delayed: BTreeMap<u64, (usize, Will)>,
    retained: BTreeMap<String, Bytes>,
    /// Messages that were sent again on another connection.
    pub(crate) redeliveries: u64,
    effects: Vec<Effect>,
}

impl Broker {
    pub(crate) fn new(limit_in_flight: usize, keeps_wills: bool) -> Self {
        Self {
            is_up: true,
            limit_in_flight,
            keeps_wills,
            deferred: Vec::new(),
            sessions: BTreeMap::new(),
            open: BTreeMap::new(),
            delayed: BTreeMap::new(),
            retained: BTreeMap::new(),
            redeliveries: 0,
            effects: Vec::new(),
        }
    }

    pub(crate) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Returns whether the broker regards a connection as open.
    pub(crate) fn is_open(&self, connection: u64) -> bool {
        self.open.contains_key(&connection)
    }

    /// Accepts a connection of a client id. An earlier connection of this id is closed.
    pub(crate) fn connect(
        &mut self,
        connection: u64,
        client: usize,
        subscriptions: Subscriptions,
        is_kept: bool,
        will: Option<(Will, i64)>,
        truth: &mut Truth,
    ) {
        let fresh = || Session {
            subscriptions,
            is_kept,
            connection: None,
            will_of: None,
            waiting: VecDeque::new(),
            in_flight: VecDeque::new(),
            sent: 0,
        };
        let session_present = is_kept && self.sessions.contains_key(&client);
        if let Some(before) = self.sessions.get(&client).and_then(|session| session.connection) {
            self.effects.push(Effect::Send(before, ToClient::TakenOver));
            self.close(before, true, truth);
        }
        let session = self.sessions.entry(client).or_insert_with(fresh);
        // A delayed will is not published if the session continues.
        if let Some(before) = session.will_of.take() {
            self.delayed.remove(&before);
        }
        session.connection = Some(connection);
        self.open.insert(connection, Open { client, will });
        self.effects.push(Effect::Send(connection, ToClient::Ready { session_present }));
        let again: Vec<Message> = session.in_flight.drain(..).map(|(_, message)| message).collect();
        self.redeliveries += again.len() as u64;
        for message in again.into_iter().rev() {
            session.waiting.push_front(message);
        }
        session.waiting.iter_mut().for_each(|message| message.is_old = true);
        let kept: Vec<Message> = (self.retained.iter().filter(|(topic, _)| session.subscriptions.contains(topic)))
            .map(|(topic, payload)| Message { topic: topic.clone(), payload: payload.clone(), is_qos_1: true, retain: true, is_old: true })
            .collect();
        session.waiting.extend(kept);
        self.fill(client);
    }

    /// Handles a message of a client, or a will.
    pub(crate) fn publish(&mut self, message: &Message, truth: &mut Truth) {
        if message.retain {
            self.retained.insert(message.topic.clone(), message.payload.clone());
        }
        let clients: Vec<usize> =
            self.sessions.iter().filter(|(_, session)| session.subscriptions.contains(&message.topic)).map(|(client, _)| *client).collect();
        for client in clients {
            let Some(session) = self.sessions.get_mut(&client) else { continue };
            if message.is_qos_1 && session.is_kept {
                truth.promise(&message.topic, &message.payload);
            }
            // The retain flag is set only for new subscribers.
            let message = Message { retain: false, ..message.clone() };
            match session.connection {
                Some(connection) if !message.is_qos_1 => {
                    self.effects.push(Effect::Send(connection, ToClient::Publish(message, None)));
                }
                None if !message.is_qos_1 => {}
                _ => {
                    session.waiting.push_back(message);
                    self.fill(client);
                }
            }
        }
    }

    fn fill(&mut self, client: usize) {
        let Some(session) = self.sessions.get_mut(&client) else { return };
        let Some(connection) = session.connection else { return };
        while session.in_flight.len() < self.limit_in_flight {
            let Some(message) = session.waiting.pop_front() else { break };
            session.sent += 1;
            session.in_flight.push_back((session.sent, message.clone()));
            self.effects.push(Effect::Send(connection, ToClient::Publish(message, Some(session.sent))));
        }
    }

    /// Handles an acknowledgement. Returns the message.
    pub(crate) fn acknowledge(&mut self, connection: u64, number: u64) -> Option<Message> {
        let client = self.open.get(&connection)?.client;
        let session = self.sessions.get_mut(&client)?;
        let place = session.in_flight.iter().position(|(sent, _)| *sent == number)?;
        let message = session.in_flight.remove(place).map(|(_, message)| message);
        self.fill(client);
        message
    }

    /// Ends a connection. Its will is published unless the client has sent a DISCONNECT.
    pub(crate) fn close(&mut self, connection: u64, with_will: bool, truth: &mut Truth) {
        let Some(Open { client, will }) = self.open.remove(&connection) else { return };
        if let Some(session) = self.sessions.get_mut(&client) {
            session.connection = None;
            if !session.is_kept {
                self.sessions.remove(&client);
            }
        }
        match will.filter(|_| with_will) {
            Some((will, 0)) => self.publish(&message_of(&will), truth),
            Some((will, delay)) => {
                self.delayed.insert(connection, (client, will));
                if let Some(session) = self.sessions.get_mut(&client) {
                    session.will_of = Some(connection);
                }
                self.effects.push(Effect::DelayWill(connection, delay));
            }
            None => {}
        }
    }

    /// Publishes a will after its delay.
    pub(crate) fn publish_delayed(&mut self, connection: u64, truth: &mut Truth) {
        let Some((client, will)) = self.delayed.remove(&connection) else { return };
        if let Some(session) = self.sessions.get_mut(&client) {
            session.will_of = None;
        }
        self.publish(&message_of(&will), truth);
    }

    /// Starts the broker again.
    pub(crate) fn start(&mut self, truth: &mut Truth) {
        self.is_up = true;
        for will in std::mem::take(&mut self.deferred) {
            self.publish(&message_of(&will), truth);
        }
    }

    /// Stops the broker: all connections are lost.
    pub(crate) fn restart(&mut self) {
        self.is_up = false;
        let delayed = std::mem::take(&mut self.delayed).into_values().map(|(_, will)| will);
        let wills = delayed.chain(self.open.values().filter_map(|open| open.will.as_ref().map(|(will, _)| will.clone())));
        if self.keeps_wills {
            self.deferred.extend(wills);
        }
        for (connection, open) in std::mem::take(&mut self.open) {
            self.effects.push(Effect::Send(connection, ToClient::Closed));
            if let Some(session) = self.sessions.get_mut(&open.client) {
                session.connection = None;
                session.will_of = None;
            }
        }
        self.sessions.retain(|_, session| session.is_kept);
    }
}

fn message_of(will: &Will) -> Message {
    Message { topic: will.topic.clone(), payload: will.payload.clone(), is_qos_1: true, retain: will.retain, is_old: false }
}
