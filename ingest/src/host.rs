//! The Sparkplug host: processes messages in the order of receipt and returns what to store, publish and send. It uses
//! neither IO nor a clock.

mod foreign;
mod node;
mod numbers;
mod output;
mod telemetry;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use field::client::Ack;
use field::sparkplug::{ACK_EPOCH, ACK_SEQ, DecodeError, Metric, MetricValue, Payload, REBIRTH};
use field::topic::Topic;
use grid::{ClientId, GatewayId, LinkOrder, LinkState, Micros, Point, PointId, Reading, Shard};
use registry::{Gateway, Image};
use store::registry::Links;
use wire::bus::BusMessage;

use crate::IngestConfig;
use crate::ack::{Acknowledgement, OutboxPosition};
use crate::clock::Moment;
use crate::config::after;
use crate::decode::Reason;
use crate::node_index::NodeIndex;
use crate::parcel::{Origin, Parcel};

use node::{Node, Work};
use numbers::Numbers;
pub use output::Out;

/// Maximum number of rebirths that are awaited at the same time. At a start with many gateways, all births at once
/// would be too much load. So further rebirths are requested when earlier births arrive.
const REBIRTHS_AWAITED: usize = 500;

/// How long to wait for the echo of the STATE message, which shows that the broker has delivered all kept messages. A
/// broker that denies access to the STATE topic never sends this echo.
const BACKLOG_PATIENCE: Duration = Duration::from_mins(1);

/// Interval at which the epochs for signed commands are published. An api that starts can issue signed commands after
/// at most this time.
const EPOCHS_INTERVAL: Duration = Duration::from_secs(5);

/// A received message.
#[derive(Debug)]
pub struct Message {
    /// Its topic.
    pub topic: String,
    /// Its content.
    pub payload: Bytes,
    /// Whether it is a retained message from before the subscription.
    pub retain: bool,
    /// Acknowledges the message to the broker, once it is durable.
    pub ack: Option<Ack>,
    /// When it was received.
    pub now: Moment,
}

/// All edge nodes of this ingest.
#[derive(Debug)]
pub struct Host {
    config: IngestConfig,
    /// The registry as it was last applied.
    registry: Arc<Image>,
    /// The utilities by their codes, which are Sparkplug groups.
    clients: HashMap<String, ClientId>,
    nodes: Vec<Node>,
    by_name: HashMap<ClientId, HashMap<String, NodeIndex>>,
    /// Numbers of readings and link states.
    numbers: Numbers,
    /// The time since which messages are received, with the link order at that moment. Nodes that have sent no message
    /// since then are unconfirmed.
    up_since: Option<(Micros, LinkOrder)>,
    /// Whether arriving messages may be from before the connection, because the broker has kept them.
    has_backlog: bool,
    /// Bytes of messages that wait for a discovery.
    parked: usize,
    /// The time of the latest message or tick.
    now: Moment,
    /// When the epochs of commands were last published.
    epochs_published: Micros,
}

impl Host {
    /// Returns a host without nodes. `term` is the leadership term in the numbers of readings and link states.
    pub fn new(config: IngestConfig, now: Micros, term: grid::Term) -> Self {
        let numbers = Numbers { message: grid::Ordinal::of_term(term, 0), link: LinkOrder { term, count: 0 } };
        let now = Moment { wall: now, steady: Micros(0) };
        Self {
            config,
            registry: Arc::default(),
            clients: HashMap::new(),
            nodes: Vec::new(),
            by_name: HashMap::new(),
            numbers,
            up_since: None,
            has_backlog: false,
            parked: 0,
            now,
            epochs_published: Micros(0),
        }
    }

    /// Applies the registry, the stored link states and the latest readings. Data that were received before are kept.
    pub fn load(&mut self, registry: Arc<Image>, links: &Links, latest: &HashMap<PointId, Reading>) {
        self.registry = registry;
        self.clients = codes(&self.registry);
        let (gateways, devices) = by_gateway(links);
        for gateway in Arc::clone(&self.registry).gateways() {
            let remembered = gateways.get(&gateway.id).map(|link| link.online);
            let Some((index, is_new)) = self.put_gateway(gateway, remembered, latest) else { continue };
            if is_new {
                let gone = devices.get(&gateway.id).into_iter().flatten().filter(|(_, link)| !link.online);
                gone.for_each(|(device, _)| self.nodes[index.0].session.remember_offline(device));
            }
        }
        self.compare_links(links);
    }

    /// Applies the changes of the registry. Data that were received meanwhile are kept. Points and gateways that were
    /// removed or renamed are then unknown under their former names.
    pub fn follow(&mut self, registry: &Arc<Image>) {
        let before = std::mem::replace(&mut self.registry, Arc::clone(registry));
        let former_codes = std::mem::replace(&mut self.clients, codes(registry));
        let changed = registry.changed_since(&before);
        for former in changed.gateways.iter().filter_map(|id| before.gateway(*id)) {
            let present = registry.gateway(former.id);
            if present.is_none_or(|present| (present.client, &present.code) != (former.client, &former.code))
                && let Some(index) = self.node_of(former)
            {
                self.nodes[index.0].forget_gateway();
            }
        }
        let none = HashMap::new();
        // With another code, all of a utility may be of this shard that was not before.
        let renamed: HashSet<ClientId> =
            self.clients.iter().filter(|(code, id)| former_codes.get(*code) != Some(id)).map(|(_, id)| *id).collect();
        if !renamed.is_empty() {
            registry.gateways().filter(|gateway| renamed.contains(&gateway.client)).for_each(|gateway| {
                self.put_gateway(gateway, None, &none);
            });
        }
        for gateway in changed.gateways.iter().filter_map(|id| registry.gateway(*id)) {
            self.put_gateway(gateway, None, &none);
        }
        for former in changed.points.iter().filter_map(|id| before.point(*id)) {
            let is_same =
                |present: &Point| (present.gateway, &present.device, &present.metric) == (former.gateway, &former.device, &former.metric);
            if !registry.point(former.id).is_some_and(|present| is_same(present))
                && let Some(index) = before.gateway(former.gateway).and_then(|gateway| self.node_of(gateway))
            {
                self.nodes[index.0].points.remove(former);
            }
        }
        for point in changed.points.iter().filter_map(|id| registry.point(*id)) {
            if let Some(index) = registry.gateway(point.gateway).and_then(|gateway| self.node_of(gateway)) {
                self.nodes[index.0].points.put(point, None);
            }
        }
    }

    /// Compares the stored link states with the known ones, and reports known states again if the stored ones
    /// contradict them.
    pub fn compare_links(&mut self, links: &Links) {
        let (gateways, devices) = by_gateway(links);
        for gateway in Arc::clone(&self.registry).gateways() {
            if let Some(index) = self.node_of(gateway) {
                let devices = devices.get(&gateway.id).map_or(&[][..], Vec::as_slice);
                self.nodes[index.0].compare(gateways.get(&gateway.id).copied(), devices, self.numbers.link.term);
            }
        }
    }

    /// Enters a gateway of this shard with its points. Returns its node, and whether the node had no gateway before.
    fn put_gateway(
        &mut self,
        gateway: &Gateway,
        remembered: Option<bool>,
        latest: &HashMap<PointId, Reading>,
    ) -> Option<(NodeIndex, bool)> {
        let registry = Arc::clone(&self.registry);
        let group = &registry.client(gateway.client)?.code;
        if !self.config.takes(group, &gateway.code) {
            return None;
        }
        let index = self.node_named(gateway.client, group, &gateway.code, remembered);
        let node = &mut self.nodes[index.0];
        node.set_group(group);
        if node.gateway.is_some_and(|former| former != gateway.id) {
            node.forget_gateway();
        }
        let is_new = node.gateway.replace(gateway.id).is_none();
        registry.points_from(gateway.id).for_each(|point| node.points.put(point, latest.get(&point.id).copied()));
        Some((index, is_new))
    }

    /// The node of a gateway, if it is of this shard.
    fn node_of(&self, gateway: &Gateway) -> Option<NodeIndex> {
        let index = *self.by_name.get(&gateway.client)?.get(&gateway.code)?;
        (self.nodes[index.0].gateway == Some(gateway.id)).then_some(index)
    }

    fn node_named(&mut self, client: ClientId, group: &str, code: &str, remembered: Option<bool>) -> NodeIndex {
        let names = self.by_name.entry(client).or_default();
        if let Some(index) = names.get(code) {
            return *index;
        }
        let index = NodeIndex(self.nodes.len());
        names.insert(code.to_owned(), index);
        let mut node = Node::new(client, group, code, remembered);
        if self.has_backlog {
            node.session.expect_backlog();
        }
        if remembered.is_some() {
            node.session.want_rebirth();
        }
        self.nodes.push(node);
        index
    }

    /// Returns the shard of this ingest as published to hubs; `None` while none of its utilities is known.
    pub fn shard(&self) -> Option<Shard> {
        let clients: Vec<ClientId> = self.config.groups.iter().filter_map(|group| self.clients.get(group).copied()).collect();
        // An empty list would mean all utilities.
        let known = self.config.groups.is_empty() || !clients.is_empty();
        known.then_some(Shard { clients, share: self.config.share })
    }

    /// Returns the link order since which messages are received; `None` without a connection.
    pub fn since(&self) -> Option<LinkOrder> {
        self.up_since.map(|(_, order)| order)
    }

    /// Returns a node's name, for the log.
    pub fn name_of(&self, index: NodeIndex) -> &str {
        self.nodes[index.0].name()
    }

    /// Returns the bytes of messages that wait for a discovery. They count as held.
    pub fn parked_bytes(&self) -> usize {
        self.parked
    }

    /// Returns the number of nodes that are online.
    pub fn online_count(&self) -> usize {
        self.nodes.iter().filter(|node| node.session.online() == Some(true)).count()
    }

    /// Processes one message.
    pub fn take(&mut self, message: Message, out: &mut Out) {
        self.now = message.now;
        if message.retain {
            // A retained birth or value is from the past (Sparkplug forbids retaining anything but STATE).
            metrics::counter!("ingest_messages_total", "kind" => "retained").increment(1);
            out.parcels.push(Parcel { ack: message.ack, ..Parcel::default() });
            return;
        }
        if self.config.share.is_some_and(|share| Topic::node_of(&message.topic).is_some_and(|node| !share.covers(node))) {
            // Another shard receives it in its own session with the broker.
            metrics::counter!("ingest_messages_total", "kind" => "other_share").increment(1);
            out.parcels.push(Parcel { ack: message.ack, ..Parcel::default() });
            return;
        }
        if let Some(read) = self.config.mappings.read(&message.topic, &message.payload) {
            self.take_foreign(message, read, out);
            return;
        }
        let mut origin = Origin { client: None, topic: message.topic, payload: message.payload, received: message.now.wall };
        match self.read(&mut origin, message.now) {
            Ok((index, work)) => {
                metrics::counter!("ingest_messages_total", "kind" => work.kind.as_str()).increment(1);
                self.work(index, Work { ack: message.ack, ..work }, out);
            }
            Err((reason, detail)) => {
                let mut parcel = Parcel { ack: message.ack, ..Parcel::default() };
                parcel.rows.dead.push(origin.dead_letter(reason, detail));
                out.parcels.push(parcel);
            }
        }
    }

    /// Decodes the topic and payload of a message and finds its node.
    fn read(&mut self, origin: &mut Origin, now: Moment) -> Result<(NodeIndex, Work), (Reason, String)> {
        let topic = Topic::parse(&origin.topic).map_err(|error| (Reason::Topic, error.to_string()))?;
        let Topic::Edge { group, kind, node, device } = topic else { return Err((Reason::Topic, "a host's state is no telemetry".into())) };
        let Some(&client) = self.clients.get(&group) else {
            return Err((Reason::UnknownGroup, format!("no utility has the code {group}")));
        };
        origin.client = Some(client);
        if origin.payload.len() > self.config.max_payload {
            return Err((Reason::Oversize, format!("{} bytes, {} are allowed", origin.payload.len(), self.config.max_payload)));
        }
        let payload = Payload::decode(&origin.payload).map_err(|error| match error {
            DecodeError::Malformed => (Reason::Malformed, error.to_string()),
            DecodeError::TooManyMetrics => (Reason::TooManyMetrics, error.to_string()),
        })?;
        let known = self.by_name.get(&client).is_some_and(|names| names.contains_key(&node));
        if !known && self.nodes.len() >= self.config.max_gateways {
            return Err((Reason::TooMany, format!("{} gateways are known already", self.nodes.len())));
        }
        let index = self.node_named(client, &group, &node, None);
        Ok((index, Work { kind, device, payload, origin: origin.clone(), now, ack: None, step: None }))
    }

    fn work(&mut self, index: NodeIndex, work: Work, out: &mut Out) {
        let node = &mut self.nodes[index.0];
        node.is_present = true;
        self.parked += work.size();
        node.parked.push_back(work);
        self.unpark(index, out);
    }

    /// Processes the waiting messages of a node in order, up to one that waits for a discovery.
    fn unpark(&mut self, index: NodeIndex, out: &mut Out) {
        let node = &mut self.nodes[index.0];
        while let Some(work) = node.parked.pop_front() {
            if node.has_to_wait(self.now, &self.config) {
                node.parked.push_front(work);
                return;
            }
            self.parked = self.parked.saturating_sub(work.size());
            if let Some(waiting) = node.process(index, work, &self.config, &mut self.numbers, out) {
                self.parked += waiting.size();
                node.parked.push_front(waiting);
            }
        }
    }

    /// Applies the result of a discovery. Pass only permanent errors, because the points are not requested again.
    pub fn discovered(&mut self, index: NodeIndex, answer: Result<(GatewayId, Vec<Point>), String>, out: &mut Out) {
        let node = &mut self.nodes[index.0];
        if node.learn(answer) {
            out.live.push(BusMessage::Registry { client: node.client.0 });
        }
        self.unpark(index, out);
        // The node's birth may have arrived before the gateway was entered.
        self.nodes[index.0].confirm_overdue(index, self.now, &mut self.numbers, out);
    }

    /// Records that the message at this position of its node's outbox is durable.
    pub fn durable(&mut self, index: NodeIndex, place: OutboxPosition, now: Moment) {
        self.nodes[index.0].ledger.durable(place, now.steady);
    }

    /// Records that messages are received again, after a start or an interruption. Events in between are unknown.
    pub fn connected(&mut self, now: Moment) {
        self.up_since = Some((now.steady, self.numbers.link.advance()));
        self.has_backlog = false;
        for node in &mut self.nodes {
            node.is_present = false;
            node.step_parked();
            node.session.interrupted();
        }
    }

    /// Records that the broker delivers kept messages first: they confirm no gateway. Call it after
    /// [`Host::connected`].
    pub fn expect_backlog(&mut self) {
        self.has_backlog = true;
        self.nodes.iter_mut().for_each(|node| node.session.expect_backlog());
    }

    /// Records that all kept messages have arrived.
    pub fn end_backlog(&mut self) {
        if std::mem::take(&mut self.has_backlog) {
            for node in &mut self.nodes {
                node.is_present = false;
                node.step_parked();
                node.session.end_backlog();
            }
        }
    }

    /// Returns the time since which the oldest message waits for a discovery; `None` if no message waits.
    pub fn parked_since(&self) -> Option<Micros> {
        self.nodes.iter().filter_map(|node| node.parked.front()).map(|work| work.now.steady).min()
    }

    /// Records the end of the connection.
    pub fn disconnected(&mut self) {
        self.up_since = None;
    }

    /// Applies the passage of time. Requests rebirths, reports silent nodes offline, and converts states to events if
    /// no outbox message has reported them in time.
    pub fn tick(&mut self, now: Moment, out: &mut Out) {
        let steady = now.steady;
        self.now = now;
        for index in 0..self.nodes.len() {
            if !self.nodes[index].parked.is_empty() {
                self.unpark(NodeIndex(index), out);
            }
        }
        if steady >= after(self.epochs_published, EPOCHS_INTERVAL) {
            self.epochs_published = steady;
            self.nodes.iter().for_each(|node| node.publish_command_epoch(out));
        }
        let up_for = |duration| self.up_since.is_some_and(|(since, _)| steady >= after(since, duration));
        let (patience_over, silence_over) = (up_for(self.config.birth_patience), up_for(self.config.silence_limit));
        if self.has_backlog && up_for(BACKLOG_PATIENCE) {
            tracing::warn!("the broker did not return our STATE message: check the access list for spBv1.0/STATE");
            self.end_backlog();
        }
        for (index, node) in self.nodes.iter_mut().enumerate() {
            node.publish_kept(out);
            node.settle_overdue(NodeIndex(index), now, out);
            node.report_lost(NodeIndex(index), now, out);
            node.call_roll(NodeIndex(index), now, &mut self.numbers, out);
            node.confirm_overdue(NodeIndex(index), now, &mut self.numbers, out);
            node.replace_contradictions(NodeIndex(index), now, &mut self.numbers, out);
            node.counting.report(node.gateway, NodeIndex(index), now, out);
            let vanished = node.foreign.is_some_and(|last_message| steady >= after(last_message, self.config.foreign_silence));
            if vanished {
                node.foreign = None;
            }
            // Without a connection no node can answer.
            if (self.up_since.is_some() && node.session.settle_doubt(steady))
                || (vanished && node.session.fall_silent())
                || (silence_over
                    && !node.is_present
                    && node.session.online() == Some(true)
                    && node.session.is_unanswered(steady)
                    && node.session.fall_silent())
            {
                node.announce_gone(NodeIndex(index), now, &mut self.numbers, out);
            }
            if node.ledger.held_up_since().is_some_and(|since| steady >= after(since, self.config.hole_patience)) {
                node.session.want_rebirth();
            }
        }
        if patience_over {
            self.request_rebirths(now, out);
        }
    }

    /// Sends the needed rebirth requests, first to nodes with switches.
    fn request_rebirths(&mut self, now: Moment, out: &mut Out) {
        let awaited = self.nodes.iter().filter(|node| node.session.awaits_rebirth(now.steady)).count();
        let mut room = REBIRTHS_AWAITED.saturating_sub(awaited);
        for positions_first in [true, false] {
            for node in self.nodes.iter_mut().filter(|node| node.reports_positions() == positions_first) {
                if room == 0 {
                    return;
                }
                if node.session.take_rebirth(now.steady, self.config.rebirth_cooldown) {
                    room -= 1;
                    metrics::counter!("ingest_rebirth_requests_total").increment(1);
                    out.commands.push(node.command(vec![Metric::new(REBIRTH, MetricValue::Boolean(true))], now));
                }
            }
        }
    }

    /// Takes the due acknowledgements. If some of them cannot be sent, pass them to [`Host::not_sent`].
    pub fn take_acknowledgements(&mut self, now: Moment) -> Vec<(NodeIndex, Acknowledgement, String, Vec<u8>)> {
        let mut due = Vec::new();
        for (index, node) in self.nodes.iter_mut().enumerate() {
            if node.acknowledged.is_some_and(|last| now.steady < after(last, self.config.ack_interval)) {
                continue;
            }
            for place in node.ledger.take_due() {
                node.acknowledged = Some(now.steady);
                let metrics =
                    vec![Metric::new(ACK_EPOCH, MetricValue::UInt64(place.epoch)), Metric::new(ACK_SEQ, MetricValue::UInt64(place.seq))];
                let (topic, payload) = node.command(metrics, now);
                due.push((NodeIndex(index), place, topic, payload));
            }
        }
        due
    }

    /// Makes an acknowledgement due again that could not be sent.
    pub fn not_sent(&mut self, index: NodeIndex, place: Acknowledgement) {
        self.nodes[index.0].ledger.not_sent(place);
    }
}

/// The utilities by their codes.
fn codes(registry: &Image) -> HashMap<String, ClientId> {
    registry.clients().filter_map(|id| Some((registry.client(id)?.code.clone(), id))).collect()
}

/// The stored states of gateways, and those of their devices.
type LinksByGateway<'a> = (HashMap<GatewayId, &'a LinkState>, HashMap<GatewayId, Vec<(&'a str, &'a LinkState)>>);

fn by_gateway(links: &Links) -> LinksByGateway<'_> {
    let mut devices: HashMap<GatewayId, Vec<(&str, &LinkState)>> = HashMap::new();
    for (gateway, device, link) in &links.devices {
        devices.entry(*gateway).or_default().push((device, link));
    }
    (links.gateways.iter().map(|(gateway, link)| (*gateway, link)).collect(), devices)
}

#[cfg(test)]
mod tests;
