//! A simulated gateway: an edge node with the outbox of the product's simulators, or a plain Sparkplug node with
//! aliases and without memory.

use std::collections::VecDeque;

use bytes::Bytes;
use field::sparkplug::{BD_SEQ, Metric, MetricValue, Payload, REBIRTH, read_state};
use field::topic::{MessageKind, Topic};
use simulators::rtu::node::{EdgeNode, NodeCommand, Outgoing};
use simulators::rtu::outbox::{StoredOutbox, UnacknowledgedMessage};

use crate::broker::Message;
use crate::field::{DEVICE, GROUP, METRICS, code, point_id};
use crate::truth::Truth;

/// Maximum number of outbox messages that are resent at a time. The next constant is the time without an
/// acknowledgement after which a gateway resends, µs.
const RESEND_WINDOW: u64 = 20;
const RESEND_AFTER: i64 = 5_000_000;
const RESEND_AFTER_AT_MOST: i64 = 20_000_000;

/// The part of a gateway with an outbox that survives a crash.
#[derive(Debug, Clone)]
struct OutboxFile {
    epoch: u64,
    acked: u64,
    kept: VecDeque<UnacknowledgedMessage>,
}

enum Protocol {
    Outbox {
        node: EdgeNode,
        file: OutboxFile,
        progress: i64,
        patience: i64,
    },
    Plain {
        seq: u8,
        /// The alias of each metric in the current session.
        aliases: Option<[u64; METRICS.len()]>,
        births: u64,
        /// Whether it publishes everything at QoS 1. A broker keeps the order only within one QoS, so no node mixes
        /// them.
        is_qos_1: bool,
    },
}

/// A gateway.
pub(crate) struct Gateway {
    pub(crate) number: usize,
    /// Whether it has power and runs.
    pub(crate) is_running: bool,
    /// Number of connections so far, for `bdSeq`.
    connections: u64,
    /// Whether the connection is accepted.
    pub(crate) is_up: bool,
    /// The newest values with their source times.
    values: [(f64, u64); METRICS.len()],
    protocol: Protocol,
}

impl Gateway {
    /// Returns a gateway with an outbox, or a plain one.
    pub(crate) fn new(number: usize, has_outbox: bool, may_use_qos_1: bool, now_ms: u64, truth: &mut Truth) -> Self {
        let protocol = if has_outbox {
            let file = OutboxFile { epoch: now_ms, acked: 0, kept: VecDeque::new() };
            let node = EdgeNode::new(GROUP, &code(number), now_ms);
            Protocol::Outbox { node, file, progress: 0, patience: RESEND_AFTER }
        } else {
            Protocol::Plain { seq: 0, aliases: None, births: 0, is_qos_1: may_use_qos_1 && number != 1 }
        };
        let values = std::array::from_fn(|metric| (truth.measure(point_id(number, metric), false), now_ms));
        Self { number, is_running: false, connections: 0, is_up: false, values, protocol }
    }

    pub(crate) fn has_outbox(&self) -> bool {
        matches!(self.protocol, Protocol::Outbox { .. })
    }

    /// Returns the number of messages without an acknowledgement.
    pub(crate) fn waiting(&self) -> usize {
        if let Protocol::Outbox { node, .. } = &self.protocol { node.waiting() } else { 0 }
    }

    /// Starts it with the content of its disk.
    pub(crate) fn start(&mut self) {
        self.is_running = true;
        if let Protocol::Outbox { node, file, patience, .. } = &mut self.protocol {
            let found = StoredOutbox { epoch: file.epoch, acked: file.acked, kept: file.kept.iter().cloned().collect() };
            *node = EdgeNode::with(GROUP, &code(self.number), found);
            *patience = RESEND_AFTER;
        }
    }

    /// Cuts its power.
    pub(crate) fn crash(&mut self) {
        self.is_running = false;
        self.down();
    }

    /// Ends its connection.
    pub(crate) fn down(&mut self) {
        self.is_up = false;
        if let Protocol::Plain { aliases, .. } = &mut self.protocol {
            *aliases = None;
        }
    }

    /// Starts another connection. Returns its will.
    pub(crate) fn connect(&mut self) -> Outgoing {
        self.connections += 1;
        EdgeNode::death(GROUP, &code(self.number), self.connections)
    }

    /// Returns its births, followed by the unacknowledged messages of the outbox.
    pub(crate) fn birth(&mut self, now: i64, now_ms: u64) -> Vec<Message> {
        if !self.is_up {
            return Vec::new();
        }
        let metric = |metric: usize, (value, at): (f64, u64)| Metric::new(METRICS[metric], MetricValue::Double(value)).at(at);
        let metrics: Vec<Metric> = self.values.iter().enumerate().map(|(number, value)| metric(number, *value)).collect();
        match &mut self.protocol {
            Protocol::Outbox { node, progress, .. } => {
                let mut outgoing = node.births(self.connections, &[(DEVICE.to_owned(), metrics)], now_ms);
                node.begin_resend();
                *progress = now;
                outgoing.extend(node.resend(RESEND_WINDOW, now_ms));
                outgoing.into_iter().map(at_most_once).collect()
            }
            Protocol::Plain { seq, aliases, births, is_qos_1 } => {
                let is_qos_1 = *is_qos_1;
                // Other aliases in each birth, as some devices assign them.
                *births += 1;
                let first = *births;
                let assigned = std::array::from_fn(|number| 1 + (number as u64 + first) % METRICS.len() as u64);
                *aliases = Some(assigned);
                *seq = 0;
                let bd_seq = MetricValue::Int64((self.connections.saturating_sub(1) % 256).cast_signed());
                let own = vec![Metric::new(BD_SEQ, bd_seq), Metric::new(REBIRTH, MetricValue::Boolean(false))];
                let metrics = metrics.into_iter().zip(assigned).map(|(metric, alias)| Metric { alias: Some(alias), ..metric }).collect();
                let births = [(MessageKind::NBirth, "", own), (MessageKind::DBirth, DEVICE, metrics)];
                births.map(|(kind, device, metrics)| plain_message(self.number, kind, device, metrics, seq, now_ms, is_qos_1)).into()
            }
        }
    }

    /// Measures a new value of one point; returns the message that reports it.
    pub(crate) fn measure(&mut self, now: i64, now_ms: u64, random: &mut fastrand::Rng, truth: &mut Truth) -> Option<Message> {
        if !self.is_running {
            return None;
        }
        let metric = random.usize(0..METRICS.len());
        let value = truth.measure(point_id(self.number, metric), self.has_outbox());
        self.values[metric] = (value, now_ms);
        let mut reported = Metric::new(METRICS[metric], MetricValue::Double(value)).at(now_ms);
        match &mut self.protocol {
            Protocol::Outbox { node, file, progress, .. } => {
                if node.waiting() == 0 {
                    *progress = now;
                }
                let message = node.data(DEVICE, vec![reported], now_ms).ok()?;
                file.kept.extend(node.newest().cloned());
                self.is_up.then(|| at_most_once(message))
            }
            Protocol::Plain { seq, aliases, is_qos_1, .. } => {
                let alias = aliases.filter(|_| self.is_up)?[metric];
                reported = Metric { name: None, alias: Some(alias), ..reported };
                Some(plain_message(self.number, MessageKind::DData, DEVICE, vec![reported], seq, now_ms, *is_qos_1))
            }
        }
    }

    /// Resends messages after an interval without an acknowledgement.
    pub(crate) fn tick(&mut self, now: i64, now_ms: u64) -> Vec<Message> {
        match &mut self.protocol {
            Protocol::Outbox { node, progress, patience, .. } if self.is_up && node.waiting() > 0 && now - *progress > *patience => {
                *patience = (*patience * 2).min(RESEND_AFTER_AT_MOST);
                self.birth(now, now_ms)
            }
            _ => Vec::new(),
        }
    }

    /// Handles a message. Returns the messages to send, and the values deleted because they are acknowledged.
    pub(crate) fn take(&mut self, message: &Message, now: i64, now_ms: u64, random: &mut fastrand::Rng) -> (Vec<Message>, Vec<f64>) {
        if matches!(Topic::parse(&message.topic), Ok(Topic::State { .. })) {
            let is_back = matches!(read_state(&message.payload), Some((true, _))) && !message.retain;
            return (if is_back { self.birth(now, now_ms) } else { Vec::new() }, Vec::new());
        }
        let Ok(payload) = Payload::decode(&message.payload) else { return (Vec::new(), Vec::new()) };
        let is_rebirth = payload.metric(REBIRTH).is_some_and(|metric| metric.value == MetricValue::Boolean(true));
        let Protocol::Outbox { node, file, progress, patience } = &mut self.protocol else {
            return (if is_rebirth { self.birth(now, now_ms) } else { Vec::new() }, Vec::new());
        };
        match node.command(&payload) {
            NodeCommand::Rebirth => (self.birth(now, now_ms), Vec::new()),
            NodeCommand::Acknowledged(count) if count > 0 => {
                (*progress, *patience) = (now, RESEND_AFTER);
                let acked = node.acknowledged();
                let forgotten: Vec<UnacknowledgedMessage> = file.kept.iter().take_while(|kept| kept.seq <= acked).cloned().collect();
                // The record on disk may be written later. After a crash in between, the gateway resends acknowledged
                // messages.
                if random.bool() {
                    file.kept.drain(..forgotten.len());
                    file.acked = acked;
                }
                let resent = node.resend(RESEND_WINDOW, now_ms).into_iter().map(at_most_once).collect();
                (resent, forgotten.iter().flat_map(|kept| &kept.metrics).filter_map(|metric| metric.value.as_number()).collect())
            }
            NodeCommand::Acknowledged(_) | NodeCommand::Nothing => (Vec::new(), Vec::new()),
        }
    }
}

fn at_most_once(outgoing: Outgoing) -> Message {
    Message { topic: outgoing.topic, payload: Bytes::from(outgoing.payload), is_qos_1: false, retain: false, is_old: false }
}

fn plain_message(
    gateway: usize,
    kind: MessageKind,
    device: &str,
    metrics: Vec<Metric>,
    seq: &mut u8,
    now_ms: u64,
    is_qos_1: bool,
) -> Message {
    let payload = Payload { timestamp: Some(now_ms), seq: Some((*seq).into()), metrics };
    *seq = seq.wrapping_add(1);
    let topic = Topic::edge(GROUP, kind, &code(gateway), device).to_string();
    Message { topic, payload: Bytes::from(payload.encode()), is_qos_1, retain: false, is_old: false }
}
