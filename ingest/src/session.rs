//! What ingest knows of one edge node's Sparkplug session: births and deaths, sequence numbers, declarations. Pure, and patient with clients that break the
//! letter of the standard (live.md section 1 lists how).

mod declarations;
mod sequence;

use std::collections::HashSet;
use std::time::Duration;

use field::sparkplug::{BD_SEQ, DataType, Metric, MetricValue, OUTBOX, OUTBOX_ACKED, OUTBOX_EPOCH, OUTBOX_SEQ, Payload};
use field::topic::Kind;
use grid::Micros;

use crate::ack::Place;
use crate::config::after;
use declarations::Declarations;
use sequence::Sequence;

/// How long a node may take to answer a rebirth request that decides whether a doubtful death is true.
const ANSWER_LIMIT: Duration = Duration::from_secs(3);

/// Rebirth requests that have to stay unanswered before a conclusion is drawn from that: request and answer travel at QoS 0, and one of them may get lost.
const UNANSWERED: u8 = 2;

/// A device that is not born within this time after its node is gone.
const ROLL_CALL: Duration = Duration::from_secs(10);

/// Whole numbers up to here read alike as every type. Beyond it the declared type decides: the same 32 bits are -1 or 4,294,967,295.
const SAME_IN_EVERY_TYPE: u64 = i8::MAX as u64;

/// The session of one edge node.
#[derive(Debug, Default)]
pub struct Session {
    /// Its birth is known: seen since messages flow, and no death after it. Data is accepted without it too.
    born: bool,
    /// The number of the last birth, which its death must carry.
    bd_seq: Option<u64>,
    sequence: Sequence,
    /// The node keeps an outbox.
    outbox: bool,
    /// What was last reported of it.
    online: Option<bool>,
    /// What was heard of this life of it since messages flow.
    heard: Heard,
    /// What comes may be from before messages flow: the broker had kept it.
    has_backlog: bool,
    declarations: Declarations,
    /// Devices that are gone while the node is there. Bounded by the devices that have points: the owner of the session removes all others, see
    /// [`Session::forget_device`].
    gone: HashSet<String>,
    /// When the node was born, until all its devices had time to be born too.
    roll_call: Option<Micros>,
    rebirth: Rebirth,
}

/// What was heard of a node since messages flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Heard {
    #[default]
    Nothing,
    /// Something, or a birth that the broker had kept from before.
    Something,
    /// Its birth.
    Birth,
    /// Whatever is shown of it: it has been reported online.
    Everything,
}

#[derive(Debug, Default)]
struct Rebirth {
    wanted: bool,
    /// A death came whose number is not that of the known birth: the will of an earlier connection that was published late, or the goodbye of a client that
    /// numbers it wrongly. A node that reports by exception may be silent for hours, so silence proves nothing. Only requests without an answer do.
    for_doubt: bool,
    requested: Option<Micros>,
    /// Requests without a birth after them, since messages flow or a death was doubted.
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

/// How a node has gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// It has died.
    Died,
    /// Another connection of it has taken the place of one that was held for alive. When that one ended is not known.
    Replaced,
}

/// What a message means for the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// How the node has gone, if it has. When it is there, [`Session::confirm`] tells.
    pub gone: Option<Gone>,
    /// The message's device has come or gone.
    pub device: Option<bool>,
    /// The message tells nothing that may be taken: a death of an earlier connection.
    pub ignored: bool,
    /// Its number proves that it was sent after all messages of the node that arrived before.
    pub in_sequence: bool,
}

/// Where a data message stands in the node's outbox, and up to where the node has been acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboxMark {
    /// Epoch and number.
    pub place: Place,
    /// As the node tells.
    pub acked: Option<u64>,
}

/// A metric that only a birth can explain, and no birth of the present session that does is known: its alias stands for no name, or its number depends on a
/// type that it does not carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undeclared;

impl Session {
    /// A session of which nothing is known but what the database remembers.
    pub fn remembered(online: Option<bool>) -> Self {
        Self { online, ..Self::default() }
    }

    /// Takes over from the database that a device is gone.
    pub fn remember_gone(&mut self, device: &str) {
        self.gone.insert(device.to_owned());
    }

    /// Forgets that a device is gone, because nothing is shown of it. A node may name any number of such devices.
    pub fn forget_device(&mut self, device: &str) {
        self.gone.remove(device);
    }

    /// Returns whether a device is gone while its node is there.
    pub fn is_gone(&self, device: &str) -> bool {
        self.gone.contains(device)
    }

    /// What was last reported of the node. `None` when it has never been heard.
    pub fn online(&self) -> Option<bool> {
        self.online
    }

    /// Whether the node has been reported online since messages flow.
    pub fn is_confirmed(&self) -> bool {
        self.heard == Heard::Everything
    }

    /// Whether what comes may have been kept by the broker from before messages flow.
    pub fn has_backlog(&self) -> bool {
        self.has_backlog
    }

    /// Whether a rebirth request is on its way, or its answer.
    pub fn awaits_rebirth(&self, now: Micros) -> bool {
        self.rebirth.is_awaited(now)
    }

    /// Whether rebirth requests have stayed without an answer.
    pub fn is_unanswered(&self, now: Micros) -> bool {
        self.rebirth.is_unanswered(now)
    }

    /// Confirms that the node is online, once everything that is shown of it has been told since messages flow: by its birth and those of its `known`
    /// devices. A device that is not born in time is gone. A client that does not answer rebirth requests is taken by what it sends,
    /// if it can be understood.
    ///
    /// Until then an old value could be shown as live. Returns whether the node was not online before; `None` where there is nothing to report.
    pub fn confirm<'a>(&mut self, mut known: impl Iterator<Item = &'a str>, now: Micros) -> Option<bool> {
        if self.is_confirmed() || self.heard == Heard::Nothing || self.has_backlog {
            return None;
        }
        let is_told = match &self.roll_call {
            Some(_) => known.all(|device| device.is_empty() || self.declarations.is_born(device) || self.gone.contains(device)),
            // Of a node that was never heard no old value is shown.
            None => self.heard == Heard::Birth || self.online.is_none() || self.is_taken_by_data(now),
        };
        if !is_told {
            return None;
        }
        self.heard = Heard::Everything;
        Some(self.online.replace(true) != Some(true))
    }

    /// Whether the node is taken by what it sends, because it answers no rebirth requests. Data that no birth has declared say nothing of its points.
    fn is_taken_by_data(&self, now: Micros) -> bool {
        self.rebirth.is_unanswered(now) && !self.declarations.has_undeclared()
    }

    /// Whether the node has said that it keeps an outbox.
    pub fn keeps_outbox(&self) -> bool {
        self.outbox
    }

    /// Takes the session forward by one message.
    pub fn step(&mut self, kind: Kind, device: &str, payload: &Payload, now: Micros) -> Step {
        match kind {
            Kind::NBirth => self.node_birth(payload, now),
            Kind::NDeath => self.node_death(payload),
            Kind::DBirth => {
                let in_sequence = self.number(payload, now);
                self.declarations.put(device, payload);
                // A device's birth without its node's says that the node's was missed: the node is online when it has been born.
                Step { device: self.device_returned(device), in_sequence, ..Step::default() }
            }
            // History may tell of the time before the device went.
            Kind::DData if !payload.metrics.iter().any(|metric| metric.historical) => {
                if !self.declarations.is_born(device) {
                    self.want_rebirth();
                }
                let in_sequence = self.number(payload, now);
                // Data names some of its points, and the others may have changed meanwhile. A client that answers no requests is taken by what it sends, if that
                // can be understood.
                let is_declared = payload.metrics.iter().all(|metric| self.resolve(device, metric).is_ok());
                let device = if is_declared && self.is_taken_by_data(now) { self.device_returned(device) } else { None };
                Step { device, in_sequence, ..Step::default() }
            }
            Kind::NData | Kind::DData => self.data(payload, now),
            Kind::DDeath => {
                self.declarations.note_death(device);
                Step { device: self.device_gone(device), ..self.data(payload, now) }
            }
            Kind::NCmd | Kind::DCmd => Step { ignored: true, ..Step::default() },
        }
    }

    fn node_birth(&mut self, payload: &Payload, now: Micros) -> Step {
        self.born = true;
        self.roll_call = Some(now);
        self.rebirth = Rebirth { requested: self.rebirth.requested, ..Rebirth::default() };
        let bd_seq = bd_seq(payload);
        // Another connection than the one that was taken for alive: that one ended unnoticed, and what it was doing is not known.
        let is_other_connection = self.bd_seq.is_some() && bd_seq != self.bd_seq;
        self.bd_seq = bd_seq;
        self.sequence.begin(number(payload));
        self.outbox = payload.metric(OUTBOX).is_some_and(|metric| metric.value == MetricValue::Boolean(true));
        self.declarations.clear();
        self.declarations.put("", payload);
        if is_other_connection {
            self.heard = Heard::Nothing;
        }
        self.hear_birth();
        let gone = (is_other_connection && self.is_lost()).then_some(Gone::Replaced);
        Step { gone, in_sequence: !self.has_backlog, ..Step::default() }
    }

    fn node_death(&mut self, payload: &Payload) -> Step {
        match (self.bd_seq, bd_seq(payload)) {
            // Of the connection whose birth is known; or once more, by the will, after a goodbye.
            (Some(birth), Some(death)) if birth == death && (self.born || self.online == Some(false)) => {}
            (Some(_), Some(_)) if self.born => {
                if !std::mem::replace(&mut self.rebirth.for_doubt, true) {
                    self.rebirth.unanswered = 0;
                }
                return Step { ignored: true, ..Step::default() };
            }
            // Nothing tells whether it is the death of a connection that has been replaced: the node is offline until it answers.
            _ => self.want_rebirth(),
        }
        self.die();
        Step { gone: self.is_lost().then_some(Gone::Died), ..Step::default() }
    }

    fn hear_birth(&mut self) {
        self.heard = self.heard.max(if self.has_backlog { Heard::Something } else { Heard::Birth });
    }

    fn die(&mut self) {
        (self.born, self.heard, self.rebirth.for_doubt) = (false, Heard::Nothing, false);
        self.sequence = Sequence::default();
        self.declarations.clear();
        self.roll_call = None;
    }

    fn device_returned(&mut self, device: &str) -> Option<bool> {
        self.gone.remove(device).then_some(true)
    }

    fn device_gone(&mut self, device: &str) -> Option<bool> {
        self.gone.insert(device.to_owned()).then_some(false)
    }

    /// Whether the node's devices have had their time to be born after it.
    pub fn roll_call_due(&self, now: Micros) -> bool {
        self.roll_call.is_some_and(|since| now >= after(since, ROLL_CALL))
    }

    /// Ends the roll call: those of the `known` devices that were not born are gone from now on; returns those for which that is news.
    pub fn end_roll_call<'a>(&mut self, known: impl Iterator<Item = &'a str>) -> Vec<String> {
        if self.roll_call.take().is_none() {
            return Vec::new();
        }
        known
            .filter(|device| !device.is_empty() && !self.declarations.is_born(device) && self.gone.insert((*device).to_owned()))
            .map(str::to_owned)
            .collect()
    }

    /// Takes a message with a number in the node's sequence. It shows that the node lives, whatever death came before it. Returns whether it is known to be the
    /// next message: without a birth since messages flow, the numbers may be of messages that were taken before an interruption.
    fn number(&mut self, payload: &Payload, now: Micros) -> bool {
        if self.heard == Heard::Nothing {
            // Requests from before it spoke prove nothing.
            (self.heard, self.rebirth.unanswered) = (Heard::Something, 0);
        }
        self.rebirth.for_doubt = false;
        if !self.born {
            self.want_rebirth();
        }
        self.sequence.take(number(payload), now) && self.born && !self.has_backlog
    }

    /// A node that sends data is there, whether its birth was received or not.
    fn data(&mut self, payload: &Payload, now: Micros) -> Step {
        Step { in_sequence: self.number(payload, now), ..Step::default() }
    }

    /// Notes a message of a gateway that does not speak Sparkplug: it is there, and is never born.
    pub fn heard_foreign(&mut self) {
        self.born = true;
        self.hear_birth();
        self.rebirth = Rebirth::default();
    }

    /// The numbers of messages that did not come. A birth tells at least what they led to.
    pub fn lost(&mut self, now: Micros) -> Vec<u8> {
        let lost = self.sequence.lost(now);
        if !lost.is_empty() {
            self.want_rebirth();
        }
        lost
    }

    /// Notes that the node has gone; returns whether that is news.
    fn is_lost(&mut self) -> bool {
        self.online.replace(false) != Some(false)
    }

    /// The name of a metric, its alias applied.
    pub fn name_of<'a>(&'a self, device: &str, metric: &'a Metric) -> Result<&'a str, Undeclared> {
        match (&metric.name, metric.alias) {
            (Some(name), _) if !name.is_empty() => Ok(name.as_str()),
            (_, Some(alias)) => self.declarations.name(device, alias).ok_or(Undeclared),
            (_, None) => Err(Undeclared),
        }
    }

    /// The value of a metric of this name, the type declared at birth applied.
    pub fn value_of(&self, device: &str, name: &str, metric: &Metric) -> Result<MetricValue, Undeclared> {
        if self.is_type_unknown(device, metric) { Err(Undeclared) } else { Ok(self.typed_value(device, name, metric)) }
    }

    /// Name and value of a metric.
    pub fn resolve<'a>(&'a self, device: &str, metric: &'a Metric) -> Result<(&'a str, MetricValue), Undeclared> {
        let name = self.name_of(device, metric)?;
        Ok((name, self.value_of(device, name, metric)?))
    }

    fn typed_value(&self, device: &str, name: &str, metric: &Metric) -> MetricValue {
        // A metric that carries its type has been read by it.
        let declared = if metric.datatype.is_none() { self.declarations.datatype(device, name) } else { None };
        declared.map_or_else(|| metric.value.clone(), |datatype| metric.value.clone().read_as(datatype))
    }

    /// Whether the number of a metric depends on a type that neither it nor a known birth tells. A birth that leaves the type out leaves it out for good:
    /// then the number is unsigned.
    fn is_type_unknown(&self, device: &str, metric: &Metric) -> bool {
        let bits = match metric.value {
            MetricValue::UInt32(bits) => bits.into(),
            MetricValue::UInt64(bits) => bits,
            _ => return false,
        };
        metric.datatype.is_none() && bits > SAME_IN_EVERY_TYPE && !self.declarations.knows(device)
    }

    /// Whether a birth declared a number under this name: an absent value of it is a point all the same.
    pub fn declares_number(&self, device: &str, name: &str) -> bool {
        self.declarations.datatype(device, name).is_some_and(is_number)
    }

    /// Where a data message stands in the node's outbox; `None` for a node without.
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
            // Of a metric that is there twice the first counts. Its type is part of the profile and needs no birth.
            place.get_or_insert_with(|| self.typed_value(device, name, metric).as_u64());
        }
        Some(OutboxMark { place: Place { epoch: epoch??, seq: seq?? }, acked: acked.flatten() })
    }

    /// Notes metrics that no birth has declared, which takes a new birth. True for the first since the last one.
    pub fn note_undeclared(&mut self) -> bool {
        self.want_rebirth();
        self.declarations.note_undeclared()
    }

    /// Notes that only a new birth can clear things up.
    pub fn want_rebirth(&mut self) {
        self.rebirth.wanted = true;
    }

    /// Whether to request a rebirth now. True once per cool-down; and at once, and once more, where the node is shown as not live or its death is doubted.
    pub fn take_rebirth(&mut self, now: Micros, cooldown: Duration) -> bool {
        let is_urgent = (self.rebirth.for_doubt || self.heard < Heard::Birth) && self.rebirth.unanswered < UNANSWERED;
        let pause = if is_urgent { ANSWER_LIMIT.min(cooldown) } else { cooldown };
        let is_due = self.rebirth.requested.is_none_or(|requested| now >= after(requested, pause));
        let ask = is_due && (is_urgent && self.rebirth.for_doubt || self.rebirth.wanted);
        if ask {
            // Wanted until the birth: a request at QoS 0 can be lost.
            self.rebirth.requested = Some(now);
            self.rebirth.unanswered = self.rebirth.unanswered.saturating_add(1);
        }
        ask
    }

    /// Accepts a doubtful death when the node has not answered the rebirth requests. True when the node has gone offline by it.
    pub fn settle_doubt(&mut self, now: Micros) -> bool {
        let is_accepted = self.rebirth.for_doubt && self.rebirth.is_unanswered(now);
        if is_accepted {
            self.die();
        }
        is_accepted && self.is_lost()
    }

    /// Nothing was heard for too long after connecting: the node is taken for gone. True when that is news.
    pub fn fall_silent(&mut self) -> bool {
        self.die();
        self.is_lost()
    }

    /// Notes that the broker has kept messages for us: what they say was true when they were sent, and may not be any more.
    pub fn expect_backlog(&mut self) {
        self.has_backlog = true;
    }

    /// Notes that everything that the broker had kept has come. Only a birth from now on tells what is.
    pub fn end_backlog(&mut self) {
        (self.born, self.heard, self.has_backlog) = (false, Heard::Nothing, false);
        self.roll_call = None;
        self.rebirth = Rebirth { wanted: true, requested: self.rebirth.requested, ..Rebirth::default() };
    }

    /// Our own connection was interrupted. The node may have been reborn meanwhile with other aliases, so those it declared are not valid any more; and
    /// numbers that are missing prove no loss of its own. The types of its metrics stay: a client that sends names alone and answers no rebirth request would
    /// else be stopped for good, with its last values on the screen.
    pub fn interrupted(&mut self) {
        (self.born, self.heard, self.has_backlog) = (false, Heard::Nothing, false);
        self.roll_call = None;
        self.sequence = Sequence::default();
        self.declarations.forget_aliases();
        // A request from before may be lost, and so may its answer.
        self.rebirth = Rebirth { wanted: true, ..Rebirth::default() };
    }
}

fn bd_seq(payload: &Payload) -> Option<u64> {
    payload.metric(BD_SEQ).and_then(|metric| metric.value.as_u64())
}

fn number(payload: &Payload) -> Option<u8> {
    payload.seq.map(|seq| (seq % 256) as u8)
}

/// Whether values of a type are numbers here.
pub fn is_number(datatype: DataType) -> bool {
    use DataType as T;
    matches!(
        datatype,
        T::Int8 | T::Int16 | T::Int32 | T::Int64 | T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64 | T::Float | T::Double | T::Boolean
    )
}

#[cfg(test)]
mod tests;
