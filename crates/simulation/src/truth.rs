//! The true events of a run, and the checks against them. The first failed check ends a run.

use std::collections::HashSet;

use field::sparkplug::{MetricValue, Payload};
use field::topic::{MessageKind, Topic};
use grid::{PointId, Reading, Term};
use store::writer::Batch;

use crate::field::{CLIENT, gateway_of};

/// A measured value. Its number is its value, so that it can be found everywhere.
#[derive(Debug, Clone, Copy)]
struct Measured {
    point: PointId,
    /// Whether it must be stored: it is in an outbox, or the broker has accepted it at QoS 1.
    is_promised: bool,
    /// How often it is stored at its point.
    stored: u32,
    /// Whether it is in a dead letter.
    is_buried: bool,
}

/// The true events of one run.
#[derive(Debug, Default)]
pub(crate) struct Truth {
    measured: Vec<Measured>,
    /// The last commit that proved a term: the term, and the process.
    committed: Option<(Term, u64)>,
    failure: Option<String>,
}

impl Truth {
    /// Records a failed check.
    pub(crate) fn fail(&mut self, why: String) {
        self.failure.get_or_insert(why);
    }

    /// Returns the first failed check.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Returns the value that a gateway measures now.
    pub(crate) fn measure(&mut self, point: PointId, is_promised: bool) -> f64 {
        self.measured.push(Measured { point, is_promised, stored: 0, is_buried: false });
        self.measured.len() as f64
    }

    fn entry(&mut self, value: f64) -> Option<&mut Measured> {
        self.measured.get_mut((value as usize).checked_sub(1)?)
    }

    /// Returns the values in a data message of a gateway.
    pub(crate) fn values_of(topic: &str, payload: &[u8]) -> Vec<f64> {
        let is_data = matches!(Topic::parse(topic), Ok(Topic::Edge { kind: MessageKind::DData, .. }));
        let payload = if is_data { Payload::decode(payload).unwrap_or_default() } else { Payload::default() };
        let value = |value: &MetricValue| if let MetricValue::Double(value) = value { Some(*value) } else { None };
        payload.metrics.iter().filter_map(|metric| value(&metric.value)).collect()
    }

    /// Records that the broker has accepted a message at QoS 1 for the session of ingest.
    pub(crate) fn promise(&mut self, topic: &str, payload: &[u8]) {
        for value in Self::values_of(topic, payload) {
            if let Some(measured) = self.entry(value) {
                measured.is_promised = true;
            }
        }
    }

    /// Checks a commit that proves a term.
    pub(crate) fn commit(&mut self, term: Term, life: u64) {
        match self.committed {
            Some((last, _)) if last > term => self.fail(format!("a commit of term {term} comes after one of term {last}")),
            Some((last, other)) if last == term && other != life => self.fail(format!("two processes commit in term {term}")),
            _ => self.committed = Some((term, life)),
        }
    }

    /// Records a value in the history.
    pub(crate) fn store(&mut self, point: PointId, value: f64) {
        let Some(measured) = self.entry(value) else { return self.fail(format!("{value} was never measured")) };
        measured.stored += 1;
        let Measured { point: measured_at, stored, .. } = *measured;
        if measured_at != point {
            self.fail(format!("value {value} of point {measured_at} is stored at point {point}"));
        } else if stored > 1 {
            self.fail(format!("value {value} of point {point} is stored twice"));
        }
    }

    /// Records a message in the dead letters.
    pub(crate) fn bury(&mut self, topic: &str, payload: &[u8]) {
        for value in Self::values_of(topic, payload) {
            if let Some(measured) = self.entry(value) {
                measured.is_buried = true;
            }
        }
    }

    /// Checks a change of a latest value: it is never replaced by an earlier measured one, whatever the clocks show.
    pub(crate) fn replace(&mut self, place: &str, point: PointId, before: Option<&Reading>, reading: &Reading) {
        if let (Some(before), Some(value)) = (before.and_then(|before| before.value), reading.value)
            && value < before
        {
            self.fail(format!("the latest value of point {point} goes back from {before} to {value} in {place}"));
        }
    }

    /// Checks an acknowledgement to a gateway or the broker: each value must be stored, in a dead letter, or in a
    /// spool.
    pub(crate) fn acknowledge(&mut self, to: &str, values: &[f64], spooled: impl Iterator<Item = Batch>) {
        let missing: Vec<f64> = values.iter().copied().filter(|value| !self.is_durable(*value)).collect();
        if missing.is_empty() {
            return;
        }
        let mut on_disk = HashSet::new();
        for batch in spooled {
            on_disk.extend(batch.samples.iter().filter_map(|sample| sample.reading.value).map(f64::to_bits));
            on_disk.extend(batch.dead.iter().flat_map(|dead| Self::values_of(&dead.topic, &dead.payload)).map(f64::to_bits));
        }
        if let Some(value) = missing.iter().find(|value| !on_disk.contains(&value.to_bits())) {
            self.fail(format!("value {value} is acknowledged to {to} and is not durable"));
        }
    }

    /// Checks the acknowledgement of a message to the broker.
    pub(crate) fn acknowledge_message(&mut self, topic: &str, payload: &[u8], spooled: impl Iterator<Item = Batch>) {
        let is_of_us = Topic::node_of(topic).and_then(gateway_of).is_some();
        let values = if is_of_us { Self::values_of(topic, payload) } else { Vec::new() };
        self.acknowledge("the broker", &values, spooled);
    }

    fn is_durable(&mut self, value: f64) -> bool {
        self.entry(value).is_some_and(|measured| measured.stored > 0 || measured.is_buried)
    }

    /// Checks at the end that every promised value is stored.
    pub(crate) fn check_promises(&mut self) {
        let lost = self.measured.iter().position(|measured| measured.is_promised && measured.stored == 0 && !measured.is_buried);
        if let Some(number) = lost {
            let point = self.measured[number].point;
            self.fail(format!("value {} of point {point} of {CLIENT} was promised to be stored and is lost", number + 1));
        }
    }

    /// Returns how many values are in the history.
    pub(crate) fn stored_count(&self) -> usize {
        self.measured.iter().filter(|measured| measured.stored > 0).count()
    }
}
