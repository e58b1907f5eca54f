//! The Sparkplug session of one edge node: births and deaths, sequence numbers, declarations. Pure. Tolerates clients
//! that deviate from the standard (docs/reference/mqtt.md, Unusual messages).

mod declarations;
mod sequence;

use std::collections::HashSet;
use std::time::Duration;

use field::sparkplug::{BD_SEQ, DataType, Metric, MetricValue, OUTBOX, OUTBOX_ACKED, OUTBOX_EPOCH, OUTBOX_SEQ, Payload};
use field::topic::MessageKind;
use grid::Micros;

use crate::ack::OutboxPosition;
use crate::config::after;
use declarations::Declarations;
use sequence::Sequence;

/// Time for a node to answer a rebirth request that decides whether a doubtful death is accepted.
const ANSWER_LIMIT: Duration = Duration::from_secs(3);

/// Number of unanswered rebirth requests after which the node counts as not answering. One is not enough, because
/// request and birth use QoS 0 and can be lost.
const UNANSWERED: u8 = 2;

/// A device without a birth within this time after the birth of its node is offline.
const DEVICE_BIRTH_LIMIT: Duration = Duration::from_secs(10);

/// Integers up to this value are equal in every type. Above it the declared type decides: the same 32 bits are -1 or
/// 4,294,967,295.
const SAME_IN_EVERY_TYPE: u64 = i8::MAX as u64;

/// The session of one edge node.
#[derive(Debug, Default)]
pub struct Session {
    /// Whether a birth was received since the connection was made, and no death after it. Data are accepted without a
    /// birth, too.
    born: bool,
    /// The `bdSeq` of the last birth; the death must have the same.
    bd_seq: Option<u64>,
    sequence: Sequence,
    /// Whether the node has an outbox.
    outbox: bool,
    /// The last reported link state.
    online: Option<bool>,
    /// What was received in this session of the node since the connection was made.
    received: ReceivedSoFar,
    /// Whether messages may be from before the connection, because the broker has kept them.
    has_backlog: bool,
    declarations: Declarations,
    /// Devices that are offline while the node is online. Bounded by the devices that have points: the owner removes
    /// all others, see [`Session::forget_device`].
    offline_devices: HashSet<String>,
    /// When the node was born. `None` when the time for the births of its devices is over.
    awaiting_device_births: Option<Micros>,
    rebirth: Rebirth,
}

/// The messages of a node that were received since the connection was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum ReceivedSoFar {
    #[default]
    Nothing,
    /// At least one message, or a birth that the broker has kept.
    Something,
    /// The birth of the node.
    Birth,
    /// All displayed values are confirmed: the node has been reported online.
    Everything,
}

#[derive(Debug, Default)]
struct Rebirth {
    is_requested: bool,
    /// Whether a death has arrived whose `bdSeq` is not that of the last birth. It is either the late will of an
    /// earlier connection, or the death of a client with wrong numbers. A node that reports by exception may be silent
    /// for hours, so only unanswered requests prove that it is offline.
    for_doubt: bool,
    requested: Option<Micros>,
    /// Number of requests that were not followed by a birth, since the connection was made or since a doubtful death.
    unanswered: u8,
}

impl Rebirth {
    fn is_unanswered(&self, now: Micros) -> bool {
        self.unanswered >= UNANSWERED && !self.is_awaited(now)
    }

    fn is_awaited(&self, now: Micros) -> bool {
        self.unanswered > 0 && self.requested.is_some_and(|requested| now < after(requested, ANSWER_LIMIT))
    }
}

/// How a node went offline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfflineReason {
    /// Its death was received, or it was silent for too long.
    Died,
    /// A new connection of the node has replaced one that counted as alive. It is unknown when the earlier connection
    /// ended.
    Replaced,
}

/// The effect of a message on the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// How the node went offline; `None` if it did not. [`Session::confirm`] returns when it is online.
    pub gone: Option<OfflineReason>,
    /// Whether the device of the message came online or went offline.
    pub device: Option<bool>,
    /// Whether the message must be ignored, because it is the death of an earlier connection.
    pub ignored: bool,
    /// Whether the sequence number proves that the message was sent after all earlier ones.
    pub in_sequence: bool,
}

/// The position of a data message in the node's outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboxMark {
    /// Epoch and number.
    pub place: OutboxPosition,
    /// The last number for which the node has received an acknowledgement.
    pub acked: Option<u64>,
}

/// A metric that cannot be decoded without a birth, and no birth of this session declares it: its alias has no name, or
/// its number depends on a type that is not part of the metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undeclared;

impl Session {
    /// Returns a session with the link state of the database.
    pub fn remembered(online: Option<bool>) -> Self {
        Self { online, ..Self::default() }
    }

    /// Adds an offline device of the database.
    pub fn remember_offline(&mut self, device: &str) {
        self.offline_devices.insert(device.to_owned());
    }

    /// Removes an offline device, because it has no points. A node may name any number of such devices.
    pub fn forget_device(&mut self, device: &str) {
        self.offline_devices.remove(device);
    }

    /// Returns whether a device is offline while its node is online.
    pub fn is_gone(&self, device: &str) -> bool {
        self.offline_devices.contains(device)
    }

    /// Returns the last reported link state; `None` if the node has never been online.
    pub fn online(&self) -> Option<bool> {
        self.online
    }

    /// Returns whether the node has been reported online since the connection was made.
    pub fn is_confirmed(&self) -> bool {
        self.received == ReceivedSoFar::Everything
    }

    /// Returns whether messages may be from before the connection, kept by the broker.
    pub fn has_backlog(&self) -> bool {
        self.has_backlog
    }

    /// Returns whether a rebirth was requested and may still be answered.
    pub fn awaits_rebirth(&self, now: Micros) -> bool {
        self.rebirth.is_awaited(now)
    }

    /// Returns whether rebirth requests remained unanswered.
    pub fn is_unanswered(&self, now: Micros) -> bool {
        self.rebirth.is_unanswered(now)
    }

    /// Confirms that the node is online, once all of its displayed values are confirmed: by its birth and the births of
    /// its `known` devices. Until then an old value could be shown as live.
    ///
    /// A device that is not born in time is offline. If the client does not answer rebirth requests, its data confirms
    /// it, provided that the data can be decoded.
    ///
    /// Returns whether the node was not online before; `None` if there is nothing to report.
    pub fn confirm<'a>(&mut self, mut known: impl Iterator<Item = &'a str>, now: Micros) -> Option<bool> {
        if self.is_confirmed() || self.received == ReceivedSoFar::Nothing || self.has_backlog {
            return None;
        }
        let is_complete = match &self.awaiting_device_births {
            Some(_) => known.all(|device| device.is_empty() || self.declarations.is_born(device) || self.offline_devices.contains(device)),
            // A node that was never online has no old values.
            None => self.received == ReceivedSoFar::Birth || self.online.is_none() || self.is_taken_by_data(now),
        };
        if !is_complete {
            return None;
        }
        self.received = ReceivedSoFar::Everything;
        Some(self.online.replace(true) != Some(true))
    }

    /// Returns whether data confirm that the node is online. This is needed for a node that does not answer rebirth
    /// requests. Data that no birth has declared do not confirm it.
    fn is_taken_by_data(&self, now: Micros) -> bool {
        self.rebirth.is_unanswered(now) && !self.declarations.has_undeclared()
    }

    /// Returns whether the node has reported an outbox.
    pub fn keeps_outbox(&self) -> bool {
        self.outbox
    }

    /// Applies one message to the session.
    pub fn step(&mut self, kind: MessageKind, device: &str, payload: &Payload, now: Micros) -> Step {
        match kind {
            MessageKind::NBirth => self.node_birth(payload, now),
            MessageKind::NDeath => self.node_death(payload),
            MessageKind::DBirth => {
                let in_sequence = self.number(payload, now);
                self.declarations.put(device, payload);
                // The birth of a device without the birth of its node: the latter was lost. The node is online when its
                // birth arrives.
                Step { device: self.device_returned(device), in_sequence, ..Step::default() }
            }
            // Historical data may be from before the death of the device.
            MessageKind::DData if !payload.metrics.iter().any(|metric| metric.historical) => {
                if !self.declarations.is_born(device) {
                    self.want_rebirth();
                }
                let in_sequence = self.number(payload, now);
                // Data names only some points, and the others may have changed. If the client does not answer requests,
                // its data confirms it, provided that the data can be decoded.
                let is_declared = payload.metrics.iter().all(|metric| self.resolve(device, metric).is_ok());
                let device = if is_declared && self.is_taken_by_data(now) { self.device_returned(device) } else { None };
                Step { device, in_sequence, ..Step::default() }
            }
            MessageKind::NData | MessageKind::DData => self.data(payload, now),
            MessageKind::DDeath => {
                self.declarations.note_death(device);
                Step { device: self.device_gone(device), ..self.data(payload, now) }
            }
            MessageKind::NCmd | MessageKind::DCmd => Step { ignored: true, ..Step::default() },
        }
    }

    fn node_birth(&mut self, payload: &Payload, now: Micros) -> Step {
        self.born = true;
        self.awaiting_device_births = Some(now);
        self.rebirth = Rebirth { requested: self.rebirth.requested, ..Rebirth::default() };
        let bd_seq = bd_seq(payload);
        // Another connection than the known one, which ended unnoticed: what happened in between is unknown.
        let is_other_connection = self.bd_seq.is_some() && bd_seq != self.bd_seq;
        self.bd_seq = bd_seq;
        self.sequence.begin(number(payload));
        self.outbox = payload.metric(OUTBOX).is_some_and(|metric| metric.value == MetricValue::Boolean(true));
        self.declarations.clear();
        self.declarations.put("", payload);
        if is_other_connection {
            self.received = ReceivedSoFar::Nothing;
        }
        self.note_birth();
        let gone = (is_other_connection && self.is_lost()).then_some(OfflineReason::Replaced);
        Step { gone, in_sequence: !self.has_backlog, ..Step::default() }
    }

    fn node_death(&mut self, payload: &Payload) -> Step {
        match (self.bd_seq, bd_seq(payload)) {
            // Of the known connection; or the will after a death message.
            (Some(birth), Some(death)) if birth == death && (self.born || self.online == Some(false)) => {}
            (Some(_), Some(_)) if self.born => {
                if !std::mem::replace(&mut self.rebirth.for_doubt, true) {
                    self.rebirth.unanswered = 0;
                }
                return Step { ignored: true, ..Step::default() };
            }
            // It may be the death of a replaced connection: the node is offline until it answers.
            _ => self.want_rebirth(),
        }
        self.die();
        Step { gone: self.is_lost().then_some(OfflineReason::Died), ..Step::default() }
    }

    fn note_birth(&mut self) {
        self.received = self.received.max(if self.has_backlog { ReceivedSoFar::Something } else { ReceivedSoFar::Birth });
    }

    fn die(&mut self) {
        (self.born, self.received, self.rebirth.for_doubt) = (false, ReceivedSoFar::Nothing, false);
        self.sequence = Sequence::default();
        self.declarations.clear();
        self.awaiting_device_births = None;
    }

    fn device_returned(&mut self, device: &str) -> Option<bool> {
        self.offline_devices.remove(device).then_some(true)
    }

    fn device_gone(&mut self, device: &str) -> Option<bool> {
        self.offline_devices.insert(device.to_owned()).then_some(false)
    }

    /// Returns whether the time for the births of the node's devices is over.
    pub fn roll_call_due(&self, now: Micros) -> bool {
        self.awaiting_device_births.is_some_and(|since| now >= after(since, DEVICE_BIRTH_LIMIT))
    }

    /// Ends the time for the births of devices: `known` devices without a birth are offline. Returns those that were
    /// not offline before.
    pub fn end_roll_call<'a>(&mut self, known: impl Iterator<Item = &'a str>) -> Vec<String> {
        if self.awaiting_device_births.take().is_none() {
            return Vec::new();
        }
        known
            .filter(|device| !device.is_empty() && !self.declarations.is_born(device) && self.offline_devices.insert((*device).to_owned()))
            .map(str::to_owned)
            .collect()
    }

    /// Applies the sequence number of a message. The message also proves that the node is alive, even after a death.
    /// Returns whether the message is certainly the next one. It is not certain without a birth since the connection
    /// was made, because the numbers may be from before an interruption.
    fn number(&mut self, payload: &Payload, now: Micros) -> bool {
        if self.received == ReceivedSoFar::Nothing {
            // Requests from before its first message prove nothing.
            (self.received, self.rebirth.unanswered) = (ReceivedSoFar::Something, 0);
        }
        self.rebirth.for_doubt = false;
        if !self.born {
            self.want_rebirth();
        }
        self.sequence.take(number(payload), now) && self.born && !self.has_backlog
    }

    /// Applies a data message: the node is online, even if its birth was not received.
    fn data(&mut self, payload: &Payload, now: Micros) -> Step {
        Step { in_sequence: self.number(payload, now), ..Step::default() }
    }

    /// Records a message of the JSON lane: its gateway is online and has no births.
    pub fn note_foreign_message(&mut self) {
        self.born = true;
        self.note_birth();
        self.rebirth = Rebirth::default();
    }

    /// Returns the numbers of messages that did not arrive. At least the resulting values are in the next birth.
    pub fn lost(&mut self, now: Micros) -> Vec<u8> {
        let lost = self.sequence.lost(now);
        if !lost.is_empty() {
            self.want_rebirth();
        }
        lost
    }

    /// Marks the node as offline. Returns whether it was not offline before.
    fn is_lost(&mut self) -> bool {
        self.online.replace(false) != Some(false)
    }

    /// Returns the name of a metric, with its alias resolved.
    pub fn name_of<'a>(&'a self, device: &str, metric: &'a Metric) -> Result<&'a str, Undeclared> {
        match (&metric.name, metric.alias) {
            (Some(name), _) if !name.is_empty() => Ok(name.as_str()),
            (_, Some(alias)) => self.declarations.name(device, alias).ok_or(Undeclared),
            (_, None) => Err(Undeclared),
        }
    }

    /// Returns the value of a metric of this name, with the declared type applied.
    pub fn value_of(&self, device: &str, name: &str, metric: &Metric) -> Result<MetricValue, Undeclared> {
        if self.is_type_unknown(device, metric) { Err(Undeclared) } else { Ok(self.typed_value(device, name, metric)) }
    }

    /// Returns name and value of a metric.
    pub fn resolve<'a>(&'a self, device: &str, metric: &'a Metric) -> Result<(&'a str, MetricValue), Undeclared> {
        let name = self.name_of(device, metric)?;
        Ok((name, self.value_of(device, name, metric)?))
    }

    fn typed_value(&self, device: &str, name: &str, metric: &Metric) -> MetricValue {
        // A metric with a type was decoded by it.
        let declared = if metric.datatype.is_none() { self.declarations.datatype(device, name) } else { None };
        declared.map_or_else(|| metric.value.clone(), |datatype| metric.value.clone().read_as(datatype))
    }

    /// Returns whether the number of a metric depends on a type that neither the metric nor a known birth has. If a
    /// birth declares the metric without a type, the number is unsigned.
    fn is_type_unknown(&self, device: &str, metric: &Metric) -> bool {
        let bits = match metric.value {
            MetricValue::UInt32(bits) => bits.into(),
            MetricValue::UInt64(bits) => bits,
            _ => return false,
        };
        metric.datatype.is_none() && bits > SAME_IN_EVERY_TYPE && !self.declarations.knows(device)
    }

    /// Returns whether a birth declared a number with this name. Then the metric is a point even without a value.
    pub fn declares_number(&self, device: &str, name: &str) -> bool {
        self.declarations.datatype(device, name).is_some_and(is_number)
    }

    /// Returns the position of a data message in the node's outbox; `None` if it has none.
    pub fn outbox_mark(&self, device: &str, payload: &Payload) -> Option<OutboxMark> {
        let (mut epoch, mut seq, mut acked) = (None, None, None);
        for metric in &payload.metrics {
            let Ok(name) = self.name_of(device, metric) else { continue };
            let place = match name {
                OUTBOX_EPOCH => &mut epoch,
                OUTBOX_SEQ => &mut seq,
                OUTBOX_ACKED => &mut acked,
                _ => continue,
            };
            // If a metric occurs twice, the first counts. The profile fixes its type, so it needs no birth.
            place.get_or_insert_with(|| self.typed_value(device, name, metric).as_u64());
        }
        Some(OutboxMark { place: OutboxPosition { epoch: epoch??, seq: seq?? }, acked: acked.flatten() })
    }

    /// Records metrics that no birth has declared, and requests a birth. Returns whether they are the first since the
    /// last birth.
    pub fn note_undeclared(&mut self) -> bool {
        self.want_rebirth();
        self.declarations.note_undeclared()
    }

    /// Records that a rebirth is needed.
    pub fn want_rebirth(&mut self) {
        self.rebirth.is_requested = true;
    }

    /// Returns whether to request a rebirth now: true once in each `cooldown`. If the node is not shown as live or its
    /// death is doubtful, it is true earlier, and once more.
    pub fn take_rebirth(&mut self, now: Micros, cooldown: Duration) -> bool {
        let is_urgent = (self.rebirth.for_doubt || self.received < ReceivedSoFar::Birth) && self.rebirth.unanswered < UNANSWERED;
        let pause = if is_urgent { ANSWER_LIMIT.min(cooldown) } else { cooldown };
        let is_due = self.rebirth.requested.is_none_or(|requested| now >= after(requested, pause));
        let ask = is_due && (is_urgent && self.rebirth.for_doubt || self.rebirth.is_requested);
        if ask {
            // Needed until the birth arrives: a request at QoS 0 can be lost.
            self.rebirth.requested = Some(now);
            self.rebirth.unanswered = self.rebirth.unanswered.saturating_add(1);
        }
        ask
    }

    /// Accepts a doubtful death if the node has not answered the rebirth requests. Returns whether the node went
    /// offline.
    pub fn settle_doubt(&mut self, now: Micros) -> bool {
        let is_accepted = self.rebirth.for_doubt && self.rebirth.is_unanswered(now);
        if is_accepted {
            self.die();
        }
        is_accepted && self.is_lost()
    }

    /// Marks the node as offline because no message arrived for too long after connecting. Returns whether it was not
    /// offline before.
    pub fn fall_silent(&mut self) -> bool {
        self.die();
        self.is_lost()
    }

    /// Records that the broker delivers kept messages, whose values may be outdated.
    pub fn expect_backlog(&mut self) {
        self.has_backlog = true;
    }

    /// Records that all kept messages have arrived. From now on, a birth confirms the current state.
    pub fn end_backlog(&mut self) {
        (self.born, self.received, self.has_backlog) = (false, ReceivedSoFar::Nothing, false);
        self.awaiting_device_births = None;
        self.rebirth = Rebirth { is_requested: true, requested: self.rebirth.requested, ..Rebirth::default() };
    }

    /// Records an interruption of the connection to the broker. The node may have a new session with other aliases, so
    /// the declared ones are invalid, and missing numbers do not prove a loss.
    ///
    /// The types of its metrics are kept. Otherwise a client that sends only names and answers no rebirth request would
    /// never be decoded again, and its last values would stay on the screen.
    pub fn interrupted(&mut self) {
        (self.born, self.received, self.has_backlog) = (false, ReceivedSoFar::Nothing, false);
        self.awaiting_device_births = None;
        self.sequence = Sequence::default();
        self.declarations.forget_aliases();
        // A request from before the interruption, or its answer, may be lost.
        self.rebirth = Rebirth { is_requested: true, ..Rebirth::default() };
    }
}

fn bd_seq(payload: &Payload) -> Option<u64> {
    payload.metric(BD_SEQ).and_then(|metric| metric.value.as_u64())
}

fn number(payload: &Payload) -> Option<u8> {
    payload.seq.map(|seq| (seq % 256) as u8)
}

/// Returns whether values of a type are numbers.
pub fn is_number(datatype: DataType) -> bool {
    use DataType as T;
    matches!(
        datatype,
        T::Int8 | T::Int16 | T::Int32 | T::Int64 | T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64 | T::Float | T::Double | T::Boolean
    )
}

#[cfg(test)]
mod tests;
