//! The edge node as a pure state machine: births, data with its outbox, acknowledgements, commands. It does no IO.

use std::collections::VecDeque;

use field::sparkplug::{
    ACK_EPOCH, ACK_SEQ, BD_SEQ, DataType, Metric, MetricValue, OUTBOX, OUTBOX_ACKED, OUTBOX_EPOCH, OUTBOX_SEQ, Payload, REBIRTH,
};
use field::topic::{MessageKind, Topic};

use super::outbox::{StoredOutbox, UnacknowledgedMessage};

/// Largest number of messages that wait for their acknowledgement. At this number the node accepts no more data: its source must wait or drop values.
pub const OUTBOX_LIMIT: usize = 50_000;

/// A message to publish.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    /// The topic.
    pub topic: String,
    /// The encoded payload.
    pub payload: Vec<u8>,
}

/// The content of a command to the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeCommand {
    /// A rebirth is requested.
    Rebirth,
    /// An acknowledgement; this number of messages was removed from the outbox.
    Acknowledged(usize),
    /// Nothing that this node supports.
    Nothing,
}

/// The error for a full outbox; the data were not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the outbox holds {OUTBOX_LIMIT} unacknowledged messages")]
pub struct Full;

/// An edge node.
#[derive(Debug)]
pub struct EdgeNode {
    group: String,
    name: String,
    /// Different after each boot.
    epoch: u64,
    seq: u8,
    next: u64,
    acked: u64,
    /// Numbered without gaps, oldest first.
    outbox: VecDeque<UnacknowledgedMessage>,
    /// The numbers to send again, up to the first live one.
    resend: std::ops::Range<u64>,
}

impl EdgeNode {
    /// Creates a node that has just booted, with an empty outbox.
    pub fn new(group: &str, name: &str, epoch: u64) -> Self {
        Self::with(group, name, StoredOutbox { epoch, acked: 0, kept: Vec::new() })
    }

    /// Creates a node that has just booted, with its stored outbox. Its numbering continues.
    pub fn with(group: &str, name: &str, found: StoredOutbox) -> Self {
        let StoredOutbox { epoch, acked, kept } = found;
        let next = kept.last().map_or(acked, |kept| kept.seq) + 1;
        let (group, name) = (group.to_owned(), name.to_owned());
        Self { group, name, epoch, seq: 0, next, acked, outbox: kept.into(), resend: 0..0 }
    }

    /// Returns the last message that was put into the outbox.
    pub fn newest(&self) -> Option<&UnacknowledgedMessage> {
        self.outbox.back()
    }

    /// Returns the number up to which all messages are acknowledged.
    pub fn acknowledged(&self) -> u64 {
        self.acked
    }

    /// Returns the topic of commands to the node.
    pub fn command_topic(&self) -> String {
        Topic::edge(&self.group, MessageKind::NCmd, &self.name, "").to_string()
    }

    /// Returns the topic filter of commands to its devices.
    pub fn order_topics(&self) -> String {
        format!("{}/+", Topic::edge(&self.group, MessageKind::DCmd, &self.name, "x").to_string().trim_end_matches("/x"))
    }

    /// Returns the death certificate of a connection, for its will.
    pub fn death(group: &str, name: &str, connection: u64) -> Outgoing {
        let payload = Payload { timestamp: None, seq: None, metrics: vec![bd_seq(connection)] };
        Outgoing { topic: Topic::edge(group, MessageKind::NDeath, name, "").to_string(), payload: payload.encode() }
    }

    /// Returns the births of a connection: the birth of the node, then a birth of each device with all its present values. An empty device name stands for the
    /// node itself.
    pub fn births(&mut self, connection: u64, devices: &[(String, Vec<Metric>)], now_ms: u64) -> Vec<Outgoing> {
        self.seq = 0;
        let (node, devices): (Vec<_>, Vec<_>) = devices.iter().partition(|(device, _)| device.is_empty());
        let mut own = vec![
            bd_seq(connection).at(now_ms),
            Metric::new(REBIRTH, MetricValue::Boolean(false)).at(now_ms),
            Metric::new(OUTBOX, MetricValue::Boolean(true)).at(now_ms),
        ];
        own.extend(node.into_iter().flat_map(|(_, metrics)| metrics.iter().cloned()));
        let mut messages = vec![self.message(MessageKind::NBirth, "", own, now_ms)];
        for (device, metrics) in devices {
            // Data messages carry their outbox number, and a birth must declare all metrics that will be published (Sparkplug 3.0,
            // tck-id-operational-behavior-data-publish-dbirth).
            let places = [OUTBOX_EPOCH, OUTBOX_SEQ, OUTBOX_ACKED].map(|name| Metric::absent(name, DataType::UInt64).at(now_ms));
            let metrics = metrics.iter().cloned().chain(places).collect();
            messages.push(self.message(MessageKind::DBirth, device, metrics, now_ms));
        }
        messages
    }

    /// Puts new values of a device into the outbox and returns the message with them.
    pub fn data(&mut self, device: &str, metrics: Vec<Metric>, now_ms: u64) -> Result<Outgoing, Full> {
        if self.outbox.len() >= OUTBOX_LIMIT {
            return Err(Full);
        }
        let kept = UnacknowledgedMessage { seq: self.next, device: device.to_owned(), metrics };
        self.next += 1;
        let message = self.send_kept(&kept, false, now_ms);
        self.outbox.push_back(kept);
        Ok(message)
    }

    /// Marks all unacknowledged messages to be sent again by [`EdgeNode::resend`].
    pub fn begin_resend(&mut self) {
        self.resend = self.acked + 1..self.next;
    }

    /// Returns the next messages to send again, oldest first, with their old numbers and flagged as historical. At most `window` of them are without
    /// acknowledgement at a time.
    pub fn resend(&mut self, window: u64, now_ms: u64) -> Vec<Outgoing> {
        let from = self.resend.start.max(self.acked + 1);
        let until = self.resend.end.min(self.acked + 1 + window).max(from);
        self.resend.start = until;
        let oldest = self.acked + 1;
        let kept: Vec<UnacknowledgedMessage> = (from..until).filter_map(|seq| self.outbox.get((seq - oldest) as usize).cloned()).collect();
        kept.iter().map(|kept| self.send_kept(kept, true, now_ms)).collect()
    }

    /// Processes a command to the node.
    pub fn command(&mut self, payload: &Payload) -> NodeCommand {
        let number = |name| payload.metric(name).and_then(|metric| metric.value.as_u64());
        if let (Some(epoch), Some(seq)) = (number(ACK_EPOCH), number(ACK_SEQ)) {
            if epoch != self.epoch || seq >= self.next {
                return NodeCommand::Nothing;
            }
            let before = self.outbox.len();
            while self.outbox.front().is_some_and(|kept| kept.seq <= seq) {
                self.outbox.pop_front();
            }
            self.acked = self.acked.max(seq);
            return NodeCommand::Acknowledged(before - self.outbox.len());
        }
        match payload.metric(REBIRTH).map(|metric| &metric.value) {
            Some(MetricValue::Boolean(true)) => NodeCommand::Rebirth,
            _ => NodeCommand::Nothing,
        }
    }

    /// Returns the number of messages that wait for their acknowledgement.
    pub fn waiting(&self) -> usize {
        self.outbox.len()
    }

    fn send_kept(&mut self, kept: &UnacknowledgedMessage, historical: bool, now_ms: u64) -> Outgoing {
        let mut metrics = kept.metrics.clone();
        for metric in &mut metrics {
            metric.historical |= historical;
        }
        metrics.push(Metric::new(OUTBOX_EPOCH, MetricValue::UInt64(self.epoch)).at(now_ms));
        metrics.push(Metric::new(OUTBOX_SEQ, MetricValue::UInt64(kept.seq)).at(now_ms));
        metrics.push(Metric::new(OUTBOX_ACKED, MetricValue::UInt64(self.acked)).at(now_ms));
        let device = kept.device.clone();
        self.message(MessageKind::DData, &device, metrics, now_ms)
    }

    fn message(&mut self, kind: MessageKind, device: &str, metrics: Vec<Metric>, now_ms: u64) -> Outgoing {
        let payload = Payload { timestamp: Some(now_ms), seq: Some(self.seq.into()), metrics };
        self.seq = self.seq.wrapping_add(1);
        Outgoing { topic: Topic::edge(&self.group, kind, &self.name, device).to_string(), payload: payload.encode() }
    }
}

/// Returns the number that connects the births and the death of a connection: from 0, modulo 256. Connections are counted from 1. Its type is
/// required by tck-id-message-flow-edge-node-birth-publish-nbirth-payload-bdSeq.
fn bd_seq(connection: u64) -> Metric {
    Metric::new(BD_SEQ, MetricValue::Int64((connection.saturating_sub(1) % 256).cast_signed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(n: f64) -> Vec<Metric> {
        vec![Metric::new("F1/Ir", MetricValue::Double(n)).at(1)]
    }

    fn ack(epoch: u64, seq: u64) -> Payload {
        Payload {
            metrics: vec![Metric::new(ACK_EPOCH, MetricValue::UInt64(epoch)), Metric::new(ACK_SEQ, MetricValue::UInt64(seq))],
            ..Payload::default()
        }
    }

    fn seqs(messages: &[Outgoing]) -> Vec<(u64, bool)> {
        let read = |message: &Outgoing| {
            let payload = Payload::decode(&message.payload).unwrap();
            (payload.metric(OUTBOX_SEQ).unwrap().value.as_u64().unwrap(), payload.metrics[0].historical)
        };
        messages.iter().map(read).collect()
    }

    #[test]
    fn messages_stay_until_acknowledged_and_come_again_as_history() {
        let mut node = EdgeNode::new("G", "N", 7);
        for n in 1..=4 {
            node.data("F1", value(f64::from(n)), 1).unwrap();
        }
        assert_eq!(node.command(&ack(7, 2)), NodeCommand::Acknowledged(2));
        assert_eq!(seqs(&node.resend(10, 2)), [], "nobody asked for it");
        node.begin_resend();
        assert_eq!(seqs(&node.resend(1, 2)), [(3, true)]);
        assert_eq!(seqs(&node.resend(1, 2)), [], "the window is full");
        node.data("F1", value(5.0), 2).unwrap();
        assert_eq!(seqs(&node.resend(10, 2)), [(4, true)], "what is new goes live");
        let cases = [
            (ack(6, 4), NodeCommand::Nothing, "another epoch"),
            (ack(7, 9), NodeCommand::Nothing, "a number never sent"),
            (ack(7, 2), NodeCommand::Acknowledged(0), "again"),
            (ack(7, 5), NodeCommand::Acknowledged(3), "the rest"),
        ];
        for (command, expected, why) in cases {
            assert_eq!(node.command(&command), expected, "{why}");
        }
        assert_eq!(node.waiting(), 0);
    }

    /// Sparkplug 3.0, tck-id-operational-behavior-data-publish-dbirth.
    #[test]
    fn birth_declares_every_metric_of_its_data() {
        let mut node = EdgeNode::new("G", "N", 7);
        let births = node.births(1, &[(String::new(), vec![]), ("F1".into(), value(2.0))], 2);
        let birth = Payload::decode(&births[1].payload).unwrap();
        let data = Payload::decode(&node.data("F1", value(1.0), 3).unwrap().payload).unwrap();
        for metric in &data.metrics {
            let name = metric.name.as_deref().unwrap();
            assert_eq!(birth.metric(name).map(|metric| metric.datatype), Some(metric.datatype), "{name}");
        }
    }

    #[test]
    fn a_birth_begins_the_sparkplug_numbering_and_leaves_the_outbox_alone() {
        let mut node = EdgeNode::new("G", "N", 7);
        node.data("F1", value(1.0), 1).unwrap();
        let births = node.births(3, &[("F1".into(), value(2.0))], 2);
        let read: Vec<_> = births.iter().map(|message| (message.topic.clone(), Payload::decode(&message.payload).unwrap().seq)).collect();
        assert_eq!(read, [("spBv1.0/G/NBIRTH/N".to_owned(), Some(0)), ("spBv1.0/G/DBIRTH/N/F1".to_owned(), Some(1))]);
        assert_eq!(node.waiting(), 1);
        let number = |payload: &[u8]| Payload::decode(payload).unwrap().metric(BD_SEQ).map(|metric| metric.value.clone());
        assert_eq!(number(&births[0].payload), Some(MetricValue::Int64(2)));
        assert_eq!(number(&EdgeNode::death("G", "N", 3).payload), Some(MetricValue::Int64(2)));
        assert_eq!(number(&EdgeNode::death("G", "N", 257).payload), Some(MetricValue::Int64(0)));
        let rebirth = Payload { metrics: vec![Metric::new(REBIRTH, MetricValue::Boolean(true))], ..Payload::default() };
        assert_eq!(node.command(&rebirth), NodeCommand::Rebirth);
    }
}
