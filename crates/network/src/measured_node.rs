//! A node at which voltages are measured, and its state according to them.

use grid::outage::is_dead_voltage;
use grid::reading::{AHEAD_LIMIT_MS, is_ahead};
use grid::{Micros, PointId, Quality, freshness};

use crate::sight::Sight;
use crate::voltage::NodeVoltage;
use crate::{Contact, NodeId, Phases};

/// The result of a voltage: live (closed), dead (open) or unknown, with its source time.
type Says = (Contact, Micros);

/// A node at which voltages are measured.
#[derive(Debug, Clone)]
pub(crate) struct MeasuredNode {
    pub(crate) node: NodeId,
    voltages: Vec<(NodeVoltage, Says)>,
    /// Voltages of this time or before are ignored, because the node has lost its last possible supply since then.
    not_until: Micros,
}

impl MeasuredNode {
    pub(crate) fn new(node: NodeId) -> Self {
        Self { node, voltages: Vec::new(), not_until: Micros(i64::MIN) }
    }

    pub(crate) fn add(&mut self, voltage: NodeVoltage) {
        self.voltages.push((voltage, (Contact::Unknown, Micros(i64::MIN))));
    }

    /// Applies the reading of a point. Returns when the reading must be evaluated again.
    pub(crate) fn see(&mut self, point: PointId, now: Micros, sight: Option<Sight>) -> Option<Micros> {
        let mut due = None;
        for (voltage, says) in self.voltages.iter_mut().filter(|(voltage, _)| voltage.voltage.point == point) {
            let (seen, until) = says_of(voltage, now, sight);
            *says = seen;
            due = due.into_iter().chain(until).min();
        }
        due
    }

    /// Ignores voltages of this time or before from now on.
    pub(crate) fn forget_until(&mut self, at: Micros) {
        self.not_until = self.not_until.max(at);
    }

    /// Returns the time until which voltages do not count.
    pub(crate) fn not_until(&self) -> Micros {
        self.not_until
    }

    /// Returns the phases that are measured live.
    pub(crate) fn live(&self) -> Phases {
        self.phases(|(contact, at)| contact == Contact::Closed && at > self.not_until)
    }

    /// Returns the phases of which all voltages are known to be dead.
    pub(crate) fn dead(&self) -> Phases {
        self.phases(|_| true).without(self.phases(|(contact, _)| contact != Contact::Open))
    }

    /// Returns the phases of the voltages whose result is known.
    fn phases(&self, applies: impl Fn(Says) -> bool) -> Phases {
        self.voltages.iter().filter(|(_, says)| applies(*says)).fold(Phases::NONE, |all, (voltage, _)| all.union(voltage.phases))
    }
}

/// Returns the result of a voltage, and when it must be evaluated again. Only good values are used: a value that was entered manually is not a measurement.
fn says_of(voltage: &NodeVoltage, now: Micros, sight: Option<Sight>) -> (Says, Option<Micros>) {
    let nothing = (Contact::Unknown, Micros(i64::MIN));
    let Some((sight, reading)) = sight.and_then(|sight| Some((sight, sight.reading?))) else { return (nothing, None) };
    let quality = freshness::shown_quality(reading.quality, reading.source, now, sight.age_limit_ms, true);
    if quality > Quality::Good {
        // A reading from the future can become valid at its source time.
        let will_be_valid = is_ahead(reading.source, now) && reading.quality == Quality::Good;
        return (nothing, will_be_valid.then(|| Micros(reading.source.plus_millis(-AHEAD_LIMIT_MS).0 - 1)));
    }
    let Some(kv) = reading.value.filter(|kv| kv.is_finite()) else { return (nothing, None) };
    let is_dead = is_dead_voltage(&voltage.voltage.code, voltage.voltage.nominal_kv, kv);
    let contact = if is_dead { Contact::Open } else { Contact::Closed };
    ((contact, reading.source), sight.age_limit_ms.map(|limit| reading.source.plus_millis(limit)))
}
