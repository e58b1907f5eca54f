//! Derives outages from the supply of one feeder over time.

use super::{Cause, CustomersLost, EVIDENCE_MAX, Outage, Supply, TRAVEL_MS};
use crate::{AssetId, Micros};

/// The supply of a feeder over time. Pass the state after each event to [`Course::observe`], in the order of the source times.
///
/// Losses that end within the momentary threshold of the first loss count as one outage. Whether a further loss belongs to that outage is decided when the loss
/// ends. Until then the loss is an outage of its own.
#[derive(Debug, Clone)]
pub struct Course {
    feeder: AssetId,
    /// Longest time from the first opening to the end of the last loss of one outage, ms (IEEE 1366-2012, 3.14).
    together_ms: i64,
    known: Supply,
    /// The current outage.
    open: Option<Outage>,
    /// The event that began the current outage; 0 if that was before the start.
    lost_by: i64,
    /// Within an outage: the time since which the supply is unknown.
    unknown_since: Option<Micros>,
    done: Vec<Outage>,
}

impl Course {
    /// Starts at `at` with a known supply. If the feeder is dead at the start, it lost its supply at an unknown time. This is not an outage, unless an outage
    /// that was found before (`open`) continues. `together_ms` is the longest momentary interruption of the utility
    /// ([`crate::reliability::Threshold::longest_momentary_ms`]).
    pub fn begin(feeder: AssetId, together_ms: i64, at: Micros, supply: Supply, open: Option<Outage>) -> Self {
        let mut course = Self { feeder, together_ms, known: supply, open, lost_by: 0, unknown_since: None, done: Vec::new() };
        if course.open.is_some() {
            match supply {
                Supply::Off => {}
                Supply::Unknown => course.unknown_since = Some(at),
                Supply::On => course.restore(at, None, true),
            }
        }
        course
    }

    /// Processes the supply after an event. `cause` is called only if the event starts a loss of supply.
    pub fn observe(&mut self, at: Micros, supply: Supply, event: i64, cause: impl FnOnce() -> Cause) {
        let before = std::mem::replace(&mut self.known, supply);
        let from_unknown = self.open.as_ref().is_some_and(|open| open.from_unknown);
        match (self.open.is_some(), supply) {
            (false, Supply::Off) if before != Supply::Off => self.lose(at, before, event, cause),
            (true, Supply::On) => self.restore(at, Some(event), false),
            (true, Supply::Unknown) if from_unknown => self.restore(at, Some(event), true),
            (true, Supply::Unknown) => self.unknown_since = self.unknown_since.or(Some(at)),
            (true, Supply::Off) => {
                if let (Some(since), Some(open)) = (self.unknown_since.take(), &mut self.open) {
                    open.provisional |= at.millis_since(since) > TRAVEL_MS;
                }
            }
            (false, _) => {}
        }
    }

    /// Returns whether an outage lasts.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Adds the number of customers without supply from a time on to the current outage.
    pub fn count_customers(&mut self, at: Micros, customers: u64) {
        if let Some(open) = &mut self.open {
            open.customers.get_or_insert_with(CustomersLost::default).set(at, customers);
        }
    }

    /// Returns all outages by their start, including the current one.
    pub fn finish(mut self) -> Vec<Outage> {
        if let Some(mut open) = self.open.take() {
            open.provisional |= self.unknown_since.is_some();
            self.done.push(open);
        }
        self.done
    }

    fn lose(&mut self, at: Micros, before: Supply, event: i64, cause: impl FnOnce() -> Cause) {
        let own = cause();
        // Until this loss ends it is not known whether it belongs to the series, so it is an outage of its own. It has the incident of the series,
        // because reclosings before a lockout are no momentary interruption.
        let (incident, cause) = match self.done.last().filter(|series| at.millis_since(series.started) <= self.together_ms) {
            Some(series) => (series.incident, if own == Cause::Unknown { series.cause } else { own }),
            None => (event, own),
        };
        let from_unknown = before == Supply::Unknown;
        let mut open = Outage {
            feeder: self.feeder,
            incident,
            started: at,
            ended: None,
            cause,
            trips: 1,
            from_unknown,
            provisional: from_unknown,
            evidence: Vec::new(),
            customers: None,
        };
        note(&mut open, event);
        self.lost_by = event;
        self.open = Some(open);
    }

    fn restore(&mut self, at: Micros, event: Option<i64>, is_doubtful: bool) {
        let Some(mut open) = self.open.take() else { return };
        let was_unknown = self.unknown_since.take().is_some_and(|since| at.millis_since(since) > TRAVEL_MS);
        open.provisional |= is_doubtful || was_unknown;
        let ended = at.max(open.started);
        open.ended = Some(ended);
        if let Some(customers) = &mut open.customers {
            customers.set(ended, 0);
        }
        if let Some(event) = event {
            note(&mut open, event);
        }
        match self.done.last_mut() {
            Some(series) if ended.millis_since(series.started) <= self.together_ms => join(series, open),
            _ => {
                if ended.millis_since(open.started) <= self.together_ms {
                    // It was not the lockout of the series before it.
                    let began = if self.lost_by == 0 { open.evidence.first().copied() } else { Some(self.lost_by) };
                    open.incident = began.unwrap_or(open.incident);
                }
                self.done.push(open);
            }
        }
    }
}

/// Adds a loss that ended within the time of a series to the series.
fn join(series: &mut Outage, loss: Outage) {
    series.ended = loss.ended;
    series.trips = series.trips.saturating_add(loss.trips);
    series.provisional |= loss.provisional;
    match (&mut series.customers, loss.customers) {
        (Some(series), Some(loss)) => series.extend(&loss),
        (series, loss) => *series = series.take().or(loss),
    }
    for event in loss.evidence {
        note(series, event);
    }
}

/// Adds an event to the evidence. If an incoming line was measured dead, there is no event.
fn note(outage: &mut Outage, event: i64) {
    if event > 0 && outage.evidence.len() < EVIDENCE_MAX && outage.evidence.last() != Some(&event) {
        outage.evidence.push(event);
    }
}
