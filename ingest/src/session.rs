//! What ingest knows of one edge node's Sparkplug session: births and deaths, sequence numbers, aliases. Pure, and patient with clients that break the letter
//! of the standard (live.md section 1 lists how).

mod sequence;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use field::sparkplug::{BD_SEQ, DataType, Metric, MetricValue, OUTBOX, OUTBOX_ACKED, OUTBOX_EPOCH, OUTBOX_SEQ, Payload};
use field::topic::Kind;
use grid::Micros;

use crate::ack::Place;
use crate::config::after;
use sequence::Sequence;

/// Names that a node may declare in its births; beyond, new ones are not remembered and their values need names and types of their own.
const DECLARED_LIMIT: usize = 20_000;

/// A death whose number is older than the birth's is believed only after this much silence.
const DOUBT: Duration = Duration::from_secs(5);

/// A device that its node has not named this long after the node's birth is gone.
const ROLL_CALL: Duration = Duration::from_secs(10);

/// The session of one edge node.
#[derive(Debug, Default)]
pub struct Session {
    /// Born since we last had reason to forget it. Data is taken without it too.
    born: bool,
    /// The number of the birth, which its death must carry.
    bd_seq: Option<u64>,
    sequence: Sequence,
    /// The node keeps an outbox.
    outbox: bool,
    online: Option<bool>,
    /// What births have declared.
    aliases: HashMap<Owner, HashMap<u64, String>>,
    types: HashMap<Owner, HashMap<String, DataType>>,
    declared: usize,
    /// A death that may belong to an earlier connection.
    doubted: Option<Micros>,
    /// Devices that are gone while the node is there. Bounded by the devices that have points.
    gone: HashSet<String>,
    /// Since the node's birth, until all its devices had time to be born too: those heard.
    roll_call: Option<(Micros, HashSet<String>)>,
    rebirth: Rebirth,
}

/// A device, or the node itself as the empty name.
type Owner = String;

#[derive(Debug, Default)]
struct Rebirth {
    wanted: bool,
    requested: Option<Micros>,
}

/// What a message means for the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// The node has come or gone. It has come too where a connection of it takes the place of one that was held for alive.
    pub online: Option<bool>,
    /// The message's device has come or gone.
    pub device: Option<bool>,
    /// The message tells nothing that may be taken: a death of an earlier connection.
    pub ignored: bool,
}

/// Where a data message stands in the node's outbox, and up to where the node has been acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboxMark {
    /// Epoch and number.
    pub place: Place,
    /// As the node tells.
    pub acked: Option<u64>,
}

/// An alias that no birth has declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownAlias;

impl Session {
    /// A session of which nothing is known but what the database remembers.
    pub fn remembered(online: Option<bool>) -> Self {
        Self { online, ..Self::default() }
    }

    /// Takes over from the database that a device is gone.
    pub fn remember_gone(&mut self, device: &str) {
        self.gone.insert(device.to_owned());
    }

    /// Whether the node is heard. `None` when it has never been.
    pub fn online(&self) -> Option<bool> {
        self.online
    }

    /// Whether the node has said that it keeps an outbox.
    pub fn keeps_outbox(&self) -> bool {
        self.outbox
    }

    /// Takes the session forward by one message.
    pub fn step(&mut self, kind: Kind, device: &str, payload: &Payload, now: Micros) -> Step {
        match kind {
            Kind::NBirth => self.node_birth(payload, now),
            Kind::NDeath => self.node_death(payload, now),
            Kind::DBirth => {
                let step = self.numbered(payload, now);
                self.declare(device, payload);
                Step { device: self.device_heard(device), ..step }
            }
            // History may tell of the time before the device went.
            Kind::DData if !payload.metrics.iter().any(|metric| metric.historical) => {
                Step { device: self.device_heard(device), ..self.numbered(payload, now) }
            }
            Kind::NData | Kind::DData => self.numbered(payload, now),
            Kind::DDeath => Step { device: self.device_gone(device), ..self.numbered(payload, now) },
            Kind::NCmd | Kind::DCmd => Step { ignored: true, ..Step::default() },
        }
    }

    fn node_birth(&mut self, payload: &Payload, now: Micros) -> Step {
        let was_born = std::mem::replace(&mut self.born, true);
        self.roll_call = Some((now, HashSet::new()));
        self.doubted = None;
        self.rebirth = Rebirth { wanted: false, requested: self.rebirth.requested };
        let bd_seq = payload.metric(BD_SEQ).and_then(|metric| metric.value.as_u64());
        // Another connection than the one that is held for alive: it went without a word, and what it was doing is not known.
        let anew = was_born && self.bd_seq.is_some() && bd_seq != self.bd_seq;
        self.bd_seq = bd_seq;
        self.sequence.begin(number(payload));
        self.outbox = payload.metric(OUTBOX).is_some_and(|metric| metric.value == MetricValue::Boolean(true));
        self.aliases.clear();
        self.types.clear();
        self.declared = 0;
        self.declare("", payload);
        Step { online: self.set_online(true).or(anew.then_some(true)), ..Step::default() }
    }

    fn node_death(&mut self, payload: &Payload, now: Micros) -> Step {
        let death = payload.metric(BD_SEQ).and_then(|metric| metric.value.as_u64());
        if let (true, Some(birth), Some(death)) = (self.born, self.bd_seq, death) {
            let behind = birth.wrapping_sub(death) % 256;
            if behind != 0 && behind < 128 {
                // The will of a connection before this birth, published late: or a client that numbers its goodbye wrongly. Silence will tell.
                self.doubted.get_or_insert(now);
                self.want_rebirth();
                return Step { ignored: true, ..Step::default() };
            }
        }
        self.die();
        Step { online: self.set_online(false), ..Step::default() }
    }

    fn die(&mut self) {
        self.born = false;
        self.doubted = None;
        self.sequence = Sequence::default();
        self.roll_call = None;
    }

    fn device_heard(&mut self, device: &str) -> Option<bool> {
        if let Some((_, heard)) = &mut self.roll_call {
            heard.insert(device.to_owned());
        }
        self.gone.remove(device).then_some(true)
    }

    fn device_gone(&mut self, device: &str) -> Option<bool> {
        self.gone.insert(device.to_owned()).then_some(false)
    }

    /// Whether the node's devices have had their time to be born after it.
    pub fn roll_call_due(&self, now: Micros) -> bool {
        self.roll_call.as_ref().is_some_and(|(since, _)| now >= after(*since, ROLL_CALL))
    }

    /// Ends the roll call: those of the `known` devices that were not heard are gone from now on; answers those for which that is news.
    pub fn end_roll_call<'a>(&mut self, known: impl Iterator<Item = &'a str>) -> Vec<String> {
        let Some((_, heard)) = self.roll_call.take() else { return Vec::new() };
        known
            .filter(|device| !device.is_empty() && !heard.contains(*device) && self.gone.insert((*device).to_owned()))
            .map(str::to_owned)
            .collect()
    }

    /// A message with a number in the node's sequence.
    fn numbered(&mut self, payload: &Payload, now: Micros) -> Step {
        self.doubted = None;
        self.sequence.take(number(payload), now);
        if !self.born {
            self.want_rebirth();
        }
        // A node that talks is there, whether its birth was heard or not.
        Step { online: self.set_online(true), ..Step::default() }
    }

    /// A message of a gateway that does not speak Sparkplug: it is there.
    pub fn heard_foreign(&mut self) -> Step {
        Step { online: self.set_online(true), ..Step::default() }
    }

    /// The numbers of messages that did not come. A birth tells at least what they led to.
    pub fn lost(&mut self, now: Micros) -> Vec<u8> {
        let lost = self.sequence.lost(now);
        if !lost.is_empty() {
            self.want_rebirth();
        }
        lost
    }

    fn set_online(&mut self, online: bool) -> Option<bool> {
        (self.online.replace(online) != Some(online)).then_some(online)
    }

    fn declare(&mut self, device: &str, payload: &Payload) {
        for metric in &payload.metrics {
            let Some(name) = &metric.name else { continue };
            if self.declared >= DECLARED_LIMIT {
                return;
            }
            if let Some(alias) = metric.alias {
                self.declared += 1;
                self.aliases.entry(device.to_owned()).or_default().insert(alias, name.clone());
            }
            if let Some(datatype) = metric.datatype {
                self.declared += 1;
                self.types.entry(device.to_owned()).or_default().insert(name.clone(), datatype);
            }
        }
    }

    /// The name of a metric, its alias applied. Aliases are the node's; a client that numbers them per device is understood too.
    pub fn name_of<'a>(&'a self, device: &str, metric: &'a Metric) -> Result<&'a str, UnknownAlias> {
        let of = |owner: &str, alias| self.aliases.get(owner)?.get(&alias).map(String::as_str);
        match (&metric.name, metric.alias) {
            (Some(name), _) if !name.is_empty() => Ok(name.as_str()),
            (_, Some(alias)) => of(device, alias).or_else(|| of("", alias)).ok_or(UnknownAlias),
            (_, None) => Err(UnknownAlias),
        }
    }

    /// The value of a metric of this name, the type declared at birth applied.
    pub fn value_of(&self, device: &str, name: &str, metric: &Metric) -> MetricValue {
        match metric.datatype {
            Some(_) => metric.value.clone(),
            None => match self.declared_type(device, name) {
                Some(datatype) => metric.value.clone().read_as(datatype),
                None => metric.value.clone(),
            },
        }
    }

    /// Both.
    pub fn resolve<'a>(&'a self, device: &str, metric: &'a Metric) -> Result<(&'a str, MetricValue), UnknownAlias> {
        let name = self.name_of(device, metric)?;
        Ok((name, self.value_of(device, name, metric)))
    }

    fn declared_type(&self, device: &str, name: &str) -> Option<DataType> {
        self.types.get(device)?.get(name).copied()
    }

    /// Whether a birth declared a number under this name: an absent value of it is a point all the same.
    pub fn declares_number(&self, device: &str, name: &str) -> bool {
        self.declared_type(device, name).is_some_and(is_number)
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
            // Of a metric that is there twice the first counts.
            place.get_or_insert_with(|| self.value_of(device, name, metric).as_u64());
        }
        Some(OutboxMark { place: Place { epoch: epoch??, seq: seq?? }, acked: acked.flatten() })
    }

    /// Notes that only a new birth can clear things up.
    pub fn want_rebirth(&mut self) {
        self.rebirth.wanted = true;
    }

    /// Whether to ask for a rebirth now. Answers yes once per cool-down.
    pub fn take_rebirth(&mut self, now: Micros, cooldown: Duration) -> bool {
        let cool = self.rebirth.requested.is_none_or(|requested| now >= after(requested, cooldown));
        let ask = self.rebirth.wanted && cool;
        if ask {
            self.rebirth = Rebirth { wanted: false, requested: Some(now) };
        }
        ask
    }

    /// Believes a doubted death after a silence; true when the node has gone by it.
    pub fn settle_doubt(&mut self, now: Micros) -> bool {
        let settled = self.doubted.is_some_and(|since| now >= after(since, DOUBT));
        if settled {
            self.die();
        }
        settled && self.set_online(false).is_some()
    }

    /// Nothing was heard for too long after connecting: the node is taken for gone. True when that is news.
    pub fn fall_silent(&mut self) -> bool {
        self.die();
        self.set_online(false).is_some()
    }

    /// Our own connection was interrupted: what the node sent meanwhile is unknown, and its numbers don't prove a loss of its own.
    pub fn interrupted(&mut self) {
        self.doubted = None;
        self.roll_call = None;
        if std::mem::take(&mut self.born) {
            self.sequence = Sequence::default();
            // Its aliases are kept: if it was not reborn meanwhile they still hold.
            self.want_rebirth();
        }
    }
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
