//! Changes that a birth tells of and the outbox has yet to tell, or never will.

use std::time::Duration;

use field::sparkplug::Metric;
use grid::{Arrival, Micros, Reading};

use super::{Node, Work, event};
use crate::clock::Moment;
use crate::config::after;
use crate::decode::{Envelope, Told, decode};
use crate::host::{NodeIndex, Out};
use crate::parcel::Parcel;

/// A state told at birth that the outbox has not explained by then becomes an event. Sooner, when the node is live again with nothing missing.
const EXPLANATION_LIMIT: Duration = Duration::from_mins(10);

/// A state told by the birth of a node with an outbox, until the outbox has told all.
#[derive(Debug)]
pub(super) struct Unexplained {
    pub(super) device: String,
    pub(super) metric: String,
    pub(super) index: i16,
    pub(super) arrival: Arrival,
    pub(super) since: Micros,
}

impl Node {
    /// Makes events of states that waited too long for an explanation.
    pub(in crate::host) fn settle_overdue(&mut self, index: NodeIndex, now: Moment, out: &mut Out) {
        if self.unexplained.iter().any(|waiting| now.steady >= after(waiting.since, EXPLANATION_LIMIT)) {
            self.settle(index, out);
        }
    }

    /// Forgets of the states told at birth what a message tells itself: it was born while that was on its way.
    pub(super) fn explain(&mut self, work: &Work, envelope: Envelope) {
        let Self { unexplained, session, points, .. } = self;
        unexplained.retain(|waiting| {
            let tells_it = |metric: &Metric| {
                let Ok((name, value)) = session.resolve(&work.device, metric) else { return false };
                let Some(point) = points.get(&work.device, name).filter(|_| name == waiting.metric) else { return false };
                let told = decode(metric, &value, point.kind, point.scale, envelope);
                told.is_ok_and(|told| {
                    (told.reading.source, told.reading.value) == (waiting.arrival.reading.source, waiting.arrival.reading.value)
                })
            };
            waiting.device != work.device || !work.payload.metrics.iter().any(tells_it)
        });
    }

    /// Makes events of states told at birth that the outbox did not lead to.
    pub(super) fn settle(&mut self, index: NodeIndex, out: &mut Out) {
        let mut parcel = Parcel { node: Some(index), ..Parcel::default() };
        for waiting in std::mem::take(&mut self.unexplained) {
            let Some(point) = self.points.get_mut(&waiting.device, &waiting.metric) else { continue };
            // The birth tells more than a state that was known before it, whatever the clock was, and more than one that was measured before.
            let told = &waiting.arrival.reading;
            let is_older = |known: &Reading| told.supersedes(known) || known.source < told.source;
            if point.state.as_ref().is_none_or(|state| state.reading.value != told.value && is_older(&state.reading)) {
                point.state = Some(waiting.arrival);
                parcel.rows.events.push(event(point.id, self.client, waiting.index, &waiting.arrival, Told::AtBirthWithOutbox));
            }
        }
        if !parcel.is_empty() {
            out.parcels.push(parcel);
        }
    }
}
