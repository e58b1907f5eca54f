//! Processes the messages of one edge node.

mod answer;
mod contradictions;
mod counting;
mod explanations;
mod link_state;
mod links;
mod unconfirmed_states;

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use field::client::Ack;
use field::sparkplug::{Metric, MetricValue, Payload};
use field::topic::{MessageKind, Topic, is_metric_name};
use grid::point;
use grid::{Arrival, ClientId, GatewayId, Micros, Ordinal, Point, PointId, Quality, Reading};
use store::writer::{Doubt, NewEvent, Sample};
use store::{Discovery, NewPoint};
use wire::bus::{BusMessage, Change};

use super::numbers::Numbers;
use super::output::Out;
use super::telemetry::{carries_values, is_control};
use crate::IngestConfig;
use crate::ack::Ledger;
use crate::clock::Moment;
use crate::config::after;
use crate::decode::{Decoded, Envelope, EventRule, Reason, StatusSource, decode, event_rule, in_order};
use crate::node_index::NodeIndex;
use crate::parcel::{Origin, Parcel};
use crate::points::{KnownPoint, Points, describe};
use crate::session::{Session, Step};
use contradictions::Contradictions;
use counting::Counting;
use link_state::ReportedDevice;
use unconfirmed_states::UnconfirmedState;

/// `last_seen` is written at most this often.
const SEEN_INTERVAL: Duration = Duration::from_secs(1);

/// Maximum number of refused names that are remembered. Further names that the database refuses are tried again.
const REFUSED_LIMIT: usize = 10_000;

/// Metrics named in the detail of one dead letter.
const NAMES_SHOWN: usize = 8;

/// A message with a decoded topic and payload.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) kind: MessageKind,
    pub(super) device: String,
    pub(super) payload: Payload,
    pub(super) origin: Origin,
    pub(super) now: Moment,
    pub(super) ack: Option<Ack>,
    /// Its effect on the session; `None` until the session has processed the message.
    pub(super) step: Option<Step>,
}

impl Work {
    /// Returns the memory that the message occupies while it waits, bytes.
    pub(super) fn size(&self) -> usize {
        size_of::<Self>() + self.origin.topic.len() + self.origin.payload.len() + self.payload.metrics.len() * size_of::<Metric>()
    }
}

/// One edge node.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) client: ClientId,
    group: String,
    code: String,
    /// `None` until it is discovered.
    pub(super) gateway: Option<GatewayId>,
    pub(super) points: Points,
    refused: HashSet<(String, String)>,
    pub(super) session: Session,
    pub(super) ledger: Ledger,
    /// The points being discovered. Meanwhile, messages wait in `parked` to keep their order.
    pub(super) discovering: Option<Vec<(String, String)>>,
    /// When the discovery was requested.
    discovery_began: Micros,
    /// The newest values from messages that the broker kept, by point. They are published when all kept messages have
    /// arrived. Such values may be older than those that a former leader has published, so publishing each of them
    /// would set the process images back for a moment. Bounded by the number of points.
    kept: HashMap<i64, Change>,
    /// Number of messages processed.
    absorbed: u64,
    /// Whether values were left out because their points were not entered in time. These values are still in the outbox
    /// of the node, or became dead letters.
    has_set_aside: bool,
    pub(super) parked: VecDeque<Work>,
    unconfirmed: Vec<UnconfirmedState>,
    pub(super) counting: Counting,
    contradictions: Contradictions,
    /// Whether a message was received since the connection was made.
    pub(super) is_present: bool,
    pub(super) acknowledged: Option<Micros>,
    seen: Option<Micros>,
    /// When its last message of the JSON lane was received, if it uses the JSON lane.
    pub(super) foreign: Option<Micros>,
    /// The epoch for signed commands in this session; `None` if the node needs no signatures.
    pub(super) command_epoch: Option<u64>,
}

impl Node {
    /// Sets the group of the utility, to which requests are sent.
    pub(super) fn set_group(&mut self, group: &str) {
        if self.group != group {
            group.clone_into(&mut self.group);
        }
    }

    /// Removes the gateway of the node. Its points now belong to a node with a different name, or to no node.
    pub(super) fn forget_gateway(&mut self) {
        self.gateway = None;
        self.points = Points::default();
    }

    pub(super) fn new(client: ClientId, group: &str, code: &str, remembered: Option<bool>) -> Self {
        Self {
            client,
            group: group.into(),
            code: code.into(),
            gateway: None,
            points: Points::default(),
            refused: HashSet::new(),
            session: Session::remembered(remembered),
            ledger: Ledger::default(),
            discovering: None,
            discovery_began: Micros(0),
            kept: HashMap::new(),
            absorbed: 0,
            has_set_aside: false,
            parked: VecDeque::new(),
            unconfirmed: Vec::new(),
            counting: Counting::default(),
            contradictions: Contradictions::default(),
            is_present: false,
            acknowledged: None,
            seen: None,
            foreign: None,
            command_epoch: None,
        }
    }

    /// Returns whether it reports switches or protection. Rebirths of such nodes are requested first.
    pub(super) fn reports_positions(&self) -> bool {
        self.points.has_status()
    }

    /// Returns its name.
    pub(super) fn name(&self) -> &str {
        &self.code
    }

    /// Encodes a Sparkplug command to the node.
    pub(super) fn command(&self, metrics: Vec<Metric>, now: Moment) -> (String, Vec<u8>) {
        let timestamp = u64::try_from(now.wall.millis()).ok();
        let metrics = metrics.into_iter().map(|metric| Metric { timestamp, ..metric }).collect();
        (Topic::edge(&self.group, MessageKind::NCmd, &self.code, "").to_string(), Payload { timestamp, seq: None, metrics }.encode())
    }

    /// Applies the waiting messages to the session now, because their effect depends on the connection on which they
    /// arrived.
    pub(super) fn step_parked(&mut self) {
        for work in &mut self.parked {
            if work.step.is_none() {
                work.step = Some(step(&mut self.session, &self.points, work));
            }
        }
    }

    /// Returns whether messages must wait for a discovery; at most for `discovery_patience`.
    pub(super) fn has_to_wait(&self, now: Moment, config: &IngestConfig) -> bool {
        self.discovering.is_some() && now.steady < after(self.discovery_began, config.discovery_patience)
    }

    /// Processes one message. Returns it if it must wait for a discovery.
    pub(super) fn process(
        &mut self,
        index: NodeIndex,
        mut work: Work,
        config: &IngestConfig,
        numbers: &mut Numbers,
        out: &mut Out,
    ) -> Option<Work> {
        let step = work.step.unwrap_or_else(|| step(&mut self.session, &self.points, &work));
        work.step = Some(step);
        if self.gateway.is_none() && !carries_values(work.kind) {
            // The death of an unknown node: there is nothing to store.
            out.parcels.push(Parcel { node: Some(index), ack: work.ack, ..Parcel::default() });
            return None;
        }
        let unknown = self.unknown_points(&work, config);
        if (self.gateway.is_none() || !unknown.is_empty()) && self.discovering.is_none() {
            self.discovery_began = work.now.steady;
            self.discovering = Some(unknown.iter().map(|point| (point.device.clone(), point.metric.clone())).collect());
            let discovery = Discovery { client: self.client, gateway_code: self.code.clone(), points: unknown, now: work.origin.received };
            out.discoveries.push((index, discovery));
            return Some(work);
        }
        if self.gateway.is_none() {
            self.set_aside(index, work, out);
        } else {
            self.absorb(index, work, step, numbers, out);
        }
        None
    }

    /// Returns the metrics of a message that are new points, up to the limit.
    fn unknown_points(&self, work: &Work, config: &IngestConfig) -> Vec<NewPoint> {
        let mut unknown: HashMap<String, NewPoint> = HashMap::new();
        if !carries_values(work.kind) {
            return Vec::new();
        }
        for metric in &work.payload.metrics {
            let Ok(name) = self.session.name_of(&work.device, metric) else { continue };
            if self.points.get(&work.device, name).is_some() || is_control(name) || unknown.contains_key(name) {
                continue;
            }
            let Ok(value) = self.session.value_of(&work.device, name, metric) else { continue };
            let number = value.as_number().is_some() && !matches!(value, MetricValue::DateTime(_))
                || value == MetricValue::Null && self.session.declares_number(&work.device, name);
            if !number || !is_metric_name(name) || self.refused.contains(&(work.device.clone(), name.to_owned())) {
                continue;
            }
            if self.points.len() + unknown.len() >= config.max_points_per_gateway {
                break;
            }
            unknown.insert(name.to_owned(), describe(&work.device, name, metric, &value));
        }
        unknown.into_values().collect()
    }

    /// Applies the result of a discovery. Returns whether it brought new points.
    pub(super) fn learn(&mut self, answer: Result<(GatewayId, Vec<Point>), String>) -> bool {
        let requested = self.discovering.take().unwrap_or_default();
        let new = match answer {
            Ok((gateway, points)) => {
                let new = self.gateway.replace(gateway).is_none() || !points.is_empty();
                for point in &points {
                    self.points.put(point, None);
                }
                new
            }
            Err(error) => {
                tracing::warn!(group = self.group, node = self.code, error, "a discovery is refused");
                false
            }
        };
        if self.refused.len() > REFUSED_LIMIT {
            self.refused.clear();
        }
        if self.gateway.is_some() && std::mem::take(&mut self.has_set_aside) {
            // The node resends its outbox after its birth. Without this request it would do so only when a later
            // message shows the gap. The birth of a node without an outbox has at least the current values.
            self.session.want_rebirth();
        }
        // Requested points without a result would be requested forever.
        self.refused.extend(requested.into_iter().filter(|(device, metric)| self.points.get(device, metric).is_none()));
        new
    }

    /// Handles a message of a gateway that could not be entered in time. A node with an outbox sends it again; without
    /// an outbox, the message becomes a dead letter.
    fn set_aside(&mut self, index: NodeIndex, work: Work, out: &mut Out) {
        metrics::counter!("ingest_undiscovered_total").increment(1);
        let mut parcel = Parcel { node: Some(index), ack: work.ack, ..Parcel::default() };
        self.has_set_aside = true;
        if !self.session.keeps_outbox() && self.session.outbox_mark(&work.device, &work.payload).is_none() {
            parcel.rows.dead.push(work.origin.dead_letter(Reason::Undiscovered, "the gateway could not be entered: the database is away"));
        }
        out.parcels.push(parcel);
    }

    /// Publishes the values of kept messages when all of them have arrived, before later messages confirm the node.
    pub(super) fn publish_kept(&mut self, out: &mut Out) {
        if !self.kept.is_empty() && !self.session.has_backlog() {
            let mut changes: Vec<Change> = std::mem::take(&mut self.kept).into_values().collect();
            changes.sort_unstable_by_key(|change| change.point);
            out.live.push(BusMessage::Changes { client: self.client.0, changes });
        }
    }

    /// Converts a message to its parcel.
    fn absorb(&mut self, index: NodeIndex, mut work: Work, step: Step, numbers: &mut Numbers, out: &mut Out) {
        self.publish_kept(out);
        let mut parcel = Parcel { node: Some(index), ack: work.ack.take(), ..Parcel::default() };
        if let Some(gone) = step.gone {
            self.report_offline(&mut parcel, gone, work.now, numbers, out);
        }
        if step.device == Some(false) {
            self.mark_device(&mut parcel, &work.device, ReportedDevice { online: false, changed: true }, work.now, numbers, out);
        }
        if !step.ignored && carries_values(work.kind) {
            self.answer(&work, out);
            self.take_command_epoch(&work, out);
            self.absorb_values(index, &work, step, &mut parcel, &mut numbers.message, out);
        }
        // After the values: no earlier value may be shown as live.
        if step.device == Some(true) {
            self.mark_device(&mut parcel, &work.device, ReportedDevice { online: true, changed: true }, work.now, numbers, out);
        }
        let confirmed = self.confirm(&mut parcel, work.now, numbers, out);
        if step.gone.is_none() && !step.ignored && !confirmed && self.seen.is_none_or(|seen| work.now.steady >= after(seen, SEEN_INTERVAL))
        {
            self.note_message(&mut parcel, work.now);
        }
        self.counting.enter(self.gateway, &mut parcel, work.now, step.gone.is_some() || confirmed);
        out.parcels.push(parcel);
    }

    fn absorb_values(&mut self, index: NodeIndex, work: &Work, step: Step, parcel: &mut Parcel, counter: &mut Ordinal, out: &mut Out) {
        let birth = matches!(work.kind, MessageKind::NBirth | MessageKind::DBirth);
        let mark = if birth { None } else { self.session.outbox_mark(&work.device, &work.payload) };
        if work.kind == MessageKind::NBirth {
            self.ledger.reborn();
        }
        let repeated = mark.is_some_and(|mark| self.ledger.knows(mark.place));
        if let Some(mark) = mark {
            self.ledger.arrived(mark.place, mark.acked);
            parcel.place = Some(mark.place);
        }
        let source = match (birth, mark.is_some() || (birth && self.session.keeps_outbox())) {
            (false, true) => StatusSource::ByOutbox,
            (false, false) => StatusSource::Plainly,
            (true, true) => StatusSource::AtBirthWithOutbox,
            (true, false) => StatusSource::AtBirth,
        };
        // An epoch above `i64::MAX` becomes a negative number, which is still unique.
        let outbox = mark.map(|mark| Ordinal { epoch: mark.place.epoch as i64, seq: mark.place.seq as i64 });
        let envelope = Envelope { timestamp: work.payload.timestamp, received: work.origin.received, ordinal: counter.advance() };
        let is_live = !work.payload.metrics.iter().any(|metric| metric.historical);
        self.counting.message(work.payload.timestamp, !is_live, work.now);
        if is_live && mark.is_some_and(|mark| self.ledger.is_complete(mark.place)) {
            // A live message with nothing missing ends the resend. Remaining states that neither explains become
            // events.
            self.explain(work, envelope);
            self.settle(index, out);
        }
        self.absorbed += 1;
        let serial = self.absorbed;
        let mut state = MessageState {
            source,
            envelope,
            outbox,
            in_sequence: step.in_sequence,
            serial,
            repeated,
            changes: Vec::new(),
            doubted: Vec::new(),
            bad: Vec::new(),
            unresolved: 0,
            undiscovered: 0,
        };
        for (place, metric) in work.payload.metrics.iter().enumerate() {
            self.absorb_metric(place as i16, metric, work, &mut state, parcel);
        }
        state.take_doubted(self.client, parcel);
        metrics::counter!("ingest_values_total").increment(parcel.rows.samples.len() as u64);
        let (Ordinal { epoch, seq }, number) = (outbox.unwrap_or_default(), envelope.ordinal.seq);
        let changes = state.changes.len();
        tracing::debug!(target: "trace", node = self.code, device = work.device, epoch, seq, number, changes, "taken");
        if self.session.has_backlog() {
            self.kept.extend(state.changes.into_iter().map(|change| (change.point, change)));
        } else if !state.changes.is_empty() {
            out.live.push(BusMessage::Changes { client: self.client.0, changes: state.changes });
        }
        if state.undiscovered > 0 {
            metrics::counter!("ingest_undiscovered_total").increment(1);
            // Without an acknowledgement it is sent again, when its new points can be entered.
            parcel.place = None;
            self.has_set_aside = true;
        }
        if state.unresolved > 0 {
            self.unresolved(state.unresolved, mark.is_some(), &mut state.bad, parcel);
        }
        bury(state.bad, &work.origin, parcel);
    }

    fn absorb_metric(&mut self, place: i16, metric: &Metric, work: &Work, state: &mut MessageState, parcel: &mut Parcel) {
        let Ok(name) = self.session.name_of(&work.device, metric) else {
            state.unresolved += 1;
            return;
        };
        if is_control(name) {
            return;
        }
        let Ok(value) = self.session.value_of(&work.device, name, metric) else {
            state.unresolved += 1;
            return;
        };
        let Some(point) = self.points.get_mut(&work.device, name) else {
            // Texts and times are ignored. A number without a point is a point that could not be created.
            if value.as_number().is_some() && !matches!(value, MetricValue::DateTime(_)) {
                let is_discovering = self.discovering.as_ref().is_some_and(|_| is_metric_name(name));
                let refused = self.refused.contains(&(work.device.clone(), name.to_owned()));
                if is_discovering && !refused && self.session.keeps_outbox() {
                    state.undiscovered += 1;
                    return;
                }
                self.has_set_aside |= is_discovering && !refused;
                let reason = match (is_metric_name(name), refused) {
                    (false, _) => Reason::MetricName,
                    (true, true) => Reason::Refused,
                    (true, false) if is_discovering => Reason::Undiscovered,
                    (true, false) => Reason::TooMany,
                };
                state.bad.push((reason, name.to_owned()));
            }
            return;
        };
        let fits = point.note_report(&value);
        let Decoded { mut reading, defect } = match decode(metric, &value, point.kind, point.scale, state.envelope) {
            Ok(decoded) => decoded,
            Err(reason) => {
                state.bad.push((reason, name.to_owned()));
                return state.doubt(point, metric, self.client, parcel);
            }
        };
        state.bad.extend(defect.map(|reason| (reason, name.to_owned())));
        if !fits {
            // The value is stored as received, but invalid: read as a single point, 1 (open) of a double point would
            // mean closed.
            reading.quality = reading.quality.worst(Quality::Invalid);
            state.bad.push((Reason::Encoding, name.to_owned()));
        }
        // An outbox resends its messages in any combination, so only values of the same message get the same times
        // again.
        let follows = state.in_sequence && state.source == StatusSource::Plainly;
        let before = point.absorbed.filter(|(serial, _)| follows || *serial == state.serial).map(|(_, before)| before);
        let reading = in_order(reading, before.as_ref());
        point.absorbed = Some((state.serial, reading));
        let birth = matches!(state.source, StatusSource::AtBirth | StatusSource::AtBirthWithOutbox);
        let arrival = Arrival {
            reading,
            outbox: state.outbox,
            is_birth: birth && !self.session.has_backlog(),
            in_sequence: state.in_sequence && !metric.historical && !state.repeated,
            sent: state.envelope.sent(),
            is_timed: state.envelope.is_timed(metric),
        };
        let is_present = !metric.historical && point.shown.as_ref().is_none_or(|shown| arrival.replaces(shown));
        let repeated = |shown: &Reading| (shown.source, shown.value, shown.quality) == (reading.source, reading.value, reading.quality);
        // Births repeat known values. Data is never skipped: its acknowledgement must wait for its own COMMIT.
        if !(birth && point.shown.as_ref().is_some_and(|shown| repeated(&shown.reading))) {
            let MessageState { repeated, .. } = *state;
            if !repeated {
                self.counting.value(&reading);
            }
            parcel.rows.samples.push(Sample { point: point.id, client: self.client, reading, historical: !is_present, repeated });
        }
        if let point::PointKind::Status(_) = point.kind {
            let forward = point.state.as_ref().is_none_or(|state| arrival.replaces(state));
            let before = point.state.as_ref().map(|state| &state.reading);
            match event_rule(state.source, &reading, forward || metric.historical, before) {
                EventRule::Event => parcel.rows.events.push(event(point.id, self.client, place, &arrival, state.source)),
                EventRule::Unless => {
                    let (device, metric, since) = (work.device.clone(), name.to_owned(), work.now.steady);
                    self.unconfirmed.retain(|waiting| (&waiting.device, &waiting.metric) != (&device, &metric));
                    self.unconfirmed.push(UnconfirmedState { device, metric, index: place, arrival, since });
                }
                EventRule::NoEvent => {}
            }
            if state.source != StatusSource::AtBirthWithOutbox && (forward || metric.historical && state.source == StatusSource::Plainly)
                || point.state.is_none()
            {
                point.state = Some(arrival);
            }
        }
        if is_present {
            point.shown = Some(arrival);
            state.changes.push(change(point.id.0, &reading));
        }
    }

    /// Handles metrics whose alias or type no birth of this session has declared: requests a birth. The metrics do not
    /// wait for the next birth, because it may declare the aliases differently.
    fn unresolved(&mut self, count: usize, in_outbox: bool, bad: &mut Vec<(Reason, String)>, parcel: &mut Parcel) {
        metrics::counter!("ingest_unresolved_total").increment(count as u64);
        let is_first = self.session.note_undeclared();
        if in_outbox || self.session.keeps_outbox() {
            // The message stays in the outbox and is sent again after the birth.
            parcel.place = None;
        } else if is_first || parcel.ack.is_some() {
            // The message is not sent again. Dead letters are stored for each message of QoS 1, which the broker
            // deletes now, and for the first one of QoS 0 until the next birth.
            bad.push((Reason::UnknownAlias, format!("{count} metrics whose alias or type no birth has declared")));
        }
    }

    /// Reports messages that did not arrive. For a node with an outbox, which sends them again, gaps are reported only
    /// if they stay open.
    pub(super) fn report_lost(&mut self, index: NodeIndex, now: Moment, out: &mut Out) {
        let numbers = self.session.lost(now.steady);
        let mut detail = None;
        if !numbers.is_empty() {
            metrics::counter!("ingest_sequence_gaps_total").increment(1);
            if !self.session.keeps_outbox() {
                metrics::counter!("ingest_messages_missing_total").increment(numbers.len() as u64);
                self.counting.missing(numbers.len() as u64, now);
                detail = Some(format!("{} messages did not come, number {} the first; their values are lost", numbers.len(), numbers[0]));
            }
        }
        if let Some((epoch, missing)) = self.ledger.take_overdue(now.steady) {
            metrics::counter!("ingest_messages_missing_total").increment(missing.end - missing.start);
            self.counting.missing(missing.end - missing.start, now);
            let (first, last) = (missing.start, missing.end - 1);
            detail = Some(format!("messages {first} to {last} of outbox {epoch} did not come; what came after them is stored"));
        }
        if let Some(detail) = detail {
            let topic = Topic::edge(&self.group, MessageKind::NData, &self.code, "").to_string();
            let origin = Origin { client: Some(self.client), topic, payload: Bytes::new(), received: now.wall };
            let mut parcel = Parcel { node: Some(index), ..Parcel::default() };
            parcel.rows.dead.push(origin.dead_letter(Reason::Gap, detail));
            out.parcels.push(parcel);
        }
    }
}

/// State while the metrics of one message are processed.
struct MessageState {
    source: StatusSource,
    envelope: Envelope,
    /// The position of the message in the node's outbox.
    outbox: Option<Ordinal>,
    /// Whether the message was certainly sent after all earlier ones.
    in_sequence: bool,
    /// The number of the message in the order of its node.
    serial: u64,
    /// The message has arrived before.
    repeated: bool,
    changes: Vec<Change>,
    /// Points whose current value is doubtful, because the message contains a further value whose time is not
    /// acceptable.
    doubted: Vec<(PointId, Reading)>,
    bad: Vec<(Reason, String)>,
    unresolved: usize,
    /// Number of metrics from an outbox that wait for their discovery.
    undiscovered: usize,
}

impl MessageState {
    /// Handles a metric whose source time is rejected: the current value of its point is doubtful.
    fn doubt(&mut self, point: &KnownPoint, metric: &Metric, client: ClientId, parcel: &mut Parcel) {
        let Some(shown) = point.shown.as_ref().filter(|_| !metric.historical && !self.repeated) else { return };
        if shown.reading.ordinal != self.envelope.ordinal {
            let doubted = shown.doubted(self.envelope.ordinal, self.outbox);
            self.doubted.extend(doubted.map(|reading| (point.id, reading)));
        } else if let Some(own) = self.changes.iter_mut().rfind(|change| change.point == point.id.0) {
            // The same message has a current value and then a newer one without a time.
            let reading = Reading { quality: shown.reading.quality.worst(Quality::Questionable), ..shown.reading };
            own.quality = reading.quality.code();
            parcel.rows.doubts.push(Doubt { point: point.id, client, reading });
            metrics::counter!("ingest_doubted_total").increment(1);
        }
    }

    /// Publishes and stores the doubtful values as questionable, unless the same message replaces them.
    fn take_doubted(&mut self, client: ClientId, parcel: &mut Parcel) {
        if self.doubted.is_empty() {
            return;
        }
        let replaced: HashSet<i64> = self.changes.iter().map(|change| change.point).collect();
        for (point, reading) in std::mem::take(&mut self.doubted).into_iter().filter(|(point, _)| !replaced.contains(&point.0)) {
            self.changes.push(change(point.0, &reading));
            parcel.rows.doubts.push(Doubt { point, client, reading });
            metrics::counter!("ingest_doubted_total").increment(1);
        }
    }
}

/// Applies a message to the session of its node.
fn step(session: &mut Session, points: &Points, work: &Work) -> Step {
    let step = session.step(work.kind, &work.device, &work.payload, work.now.steady);
    if step.device == Some(false) && !points.has_device(&work.device) {
        session.forget_device(&work.device);
        return Step { device: None, ..step };
    }
    step
}

/// Returns an event. The messages of an outbox have permanent numbers. Without an outbox, the key is chosen so that a
/// repeated message gets the same key.
fn event(point: PointId, client: ClientId, index: i16, arrival: &Arrival, source: StatusSource) -> NewEvent {
    let ordinal = arrival.outbox.filter(|_| source == StatusSource::ByOutbox).unwrap_or_default();
    NewEvent { point, client, index, reading: Reading { ordinal, ..arrival.reading } }
}

fn change(point: i64, reading: &Reading) -> Change {
    Change {
        point,
        value: reading.value,
        quality: reading.quality.code(),
        source: reading.source.0,
        received: reading.received.0,
        epoch: reading.ordinal.epoch,
        seq: reading.ordinal.seq,
    }
}

/// Adds one dead letter for each reason, with the names of the metrics.
fn bury(mut bad: Vec<(Reason, String)>, origin: &Origin, parcel: &mut Parcel) {
    bad.sort_by_key(|(reason, _)| reason.as_str());
    for group in bad.chunk_by(|(left, _), (right, _)| left == right) {
        let names: Vec<&str> = group.iter().take(NAMES_SHOWN).map(|(_, name)| name.as_str()).collect();
        // The name may be the reason: control characters are replaced.
        let names = names.join(", ").replace(char::is_control, "\u{fffd}");
        let more = if group.len() > NAMES_SHOWN { format!(" and {} more", group.len() - NAMES_SHOWN) } else { String::new() };
        parcel.rows.dead.push(origin.dead_letter(group[0].0, names + &more));
    }
}
