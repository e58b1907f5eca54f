//! Handles messages of the JSON lane: converts them to messages of a Sparkplug node without an outbox.

use field::json::{self, ReadError};
use field::sparkplug::Payload;
use field::topic::{MessageKind, is_metric_name};

use super::node::Work;
use super::{Host, Message, Out};
use crate::decode::Reason;
use crate::parcel::{Origin, Parcel};
use crate::session::Step;

impl Host {
    /// Processes a message that a mapping has decoded.
    pub(super) fn take_foreign(&mut self, message: Message, read: Result<json::Message, ReadError>, out: &mut Out) {
        let mut origin = Origin { client: None, topic: message.topic, payload: message.payload, received: message.now.wall };
        let read = read.map_err(|error| (reason(&error), error.to_string()));
        let understood = match read.and_then(|read| self.whose(read, &mut origin)) {
            Ok(understood) => understood,
            Err((reason, detail)) => {
                let mut parcel = Parcel { ack: message.ack, ..Parcel::default() };
                parcel.rows.dead.push(origin.dead_letter(reason, detail));
                out.parcels.push(parcel);
                return;
            }
        };
        let Some((client, understood)) = understood else {
            metrics::counter!("ingest_messages_total", "kind" => "other_share").increment(1);
            out.parcels.push(Parcel { ack: message.ack, ..Parcel::default() });
            return;
        };
        metrics::counter!("ingest_messages_total", "kind" => "json").increment(1);
        let index = self.node_named(client, &understood.group, &understood.node, None);
        let mut acks = message.ack.map_or_else(Vec::new, |ack| ack.split(understood.devices.len()));
        for (device, metrics) in understood.devices {
            let node = &mut self.nodes[index.0];
            node.foreign = Some(message.now.steady);
            node.session.note_foreign_message();
            let step = Some(Step::default());
            let payload = Payload { timestamp: None, seq: None, metrics };
            let work = Work { kind: MessageKind::DData, device, payload, origin: origin.clone(), now: message.now, ack: acks.pop(), step };
            self.work(index, work, out);
        }
    }

    /// Returns the node of a message; `None` if another shard takes it.
    fn whose(&self, read: json::Message, origin: &mut Origin) -> Result<Option<(grid::ClientId, json::Message)>, (Reason, String)> {
        let Some(&client) = self.clients.get(&read.group) else {
            return Err((Reason::UnknownGroup, format!("no utility has the code {}", read.group)));
        };
        origin.client = Some(client);
        let mut names = std::iter::once(&read.node).chain(read.devices.iter().map(|(device, _)| device));
        if let Some(name) = names.find(|name| !is_metric_name(name) || name.contains(['/', '+', '#'])) {
            let shown = name.replace(char::is_control, "\u{fffd}");
            return Err((Reason::Topic, format!("`{shown}` cannot be the name of a gateway or device")));
        }
        if !self.config.takes(&read.group, &read.node) {
            return Ok(None);
        }
        let known = self.by_name.get(&client).is_some_and(|names| names.contains_key(&read.node));
        if !known && self.nodes.len() >= self.config.max_gateways {
            return Err((Reason::TooMany, format!("{} gateways are known already", self.nodes.len())));
        }
        Ok(Some((client, read)))
    }
}

fn reason(error: &ReadError) -> Reason {
    match error {
        ReadError::Long(_) => Reason::Oversize,
        ReadError::Malformed(_) => Reason::Malformed,
        ReadError::Many => Reason::TooManyMetrics,
        ReadError::Negative => Reason::Negative,
        ReadError::Missing { .. } => Reason::Mapping,
    }
}
